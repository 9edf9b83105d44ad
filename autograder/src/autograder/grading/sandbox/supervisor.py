"""Process 1 of the sandbox, which starts the warm process and isolates each notebook.

`bubblewrap.py` starts it in the sandbox as `python -m autograder.grading.sandbox.supervisor`, with the cells
that prepare the warm process. Jobs arrive on standard input, and cells' outputs leave on standard output. A
stranger's code only ever runs in the runner:

    process 1 ─┬─ fork ── warm process ───────────── fork ── runner
               └─ fork ── keeper ── fork ── watcher            ↑ in the watcher's namespaces

The warm process has imported everything that a notebook needs, so it is expensive to fork; it never sees a
job. All others are small. The keeper reads one job, makes namespaces, starts the watcher as their process 1,
and has the warm process fork a runner into them. The runner has no capability, no connection to the outside
except one pipe, and sees neither the keeper nor the warm process. The watcher counts processes and memory,
and when it ends, every process of the notebook ends with it. The keeper forwards the runner's messages, and
ends with the notebook. So no data of one submission, above all not its answers, is ever in the memory from
which the next one is forked.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from autograder.grading.sandbox import framing, namespaces
from autograder.grading.sandbox.output_limits import MESSAGE_BYTES
from autograder.grading.sandbox.resource_limits import PATIENCE, Limits

# A watcher's ways of saying why it ended a run; any other end is not its doing.
MEMORY, PROCESSES, REFUSED, AREAS = 81, 82, 83, 84
ENDINGS = {MEMORY: "memory", PROCESSES: "processes", REFUSED: "refused", AREAS: "areas"}
ENDED = 1  # a keeper's way of saying that no job will come any more
WATCH_SECONDS = 0.02
# How long several processes may seem to hold too much until that is counted, for which they are halted.
COUNT_SECONDS = 0.3
# What a runner has to enter: processes, which only its children would be in, network, mounts, and System V
# objects.
NAMESPACES = ("pid_for_children", "net", "mnt", "ipc")
# How long files are read before the first run, while the warm process gets ready.
READ_SECONDS = 10.0
# How often a run's time is looked at, and the part of it that is processor time where it did nothing else.
LOOK_SECONDS, WORKED = 0.1, 0.9
# How much of that may turn out, later, to have been a wait.
MOST_EARLY = 1.0
# How long after its last word a runner may take to end, of its own time, and how long on the clock all of it
# after being killed: the kernel takes its time over many processes, but less than a new sandbox would.
LEAVE_SECONDS, KILLED_SECONDS = 2.0, 6.0
# How long a runner may take to its first cell, before which nothing of the learner's has run.
BEGIN_SECONDS = 120.0
# Different calls that one run may be seen to make; nobody writes so many.
MOST_SEEN = 1_000
# Most bytes of one message between a keeper and the warm process.
MOST = 4096


def main() -> None:
    """Serve jobs until standard input closes."""
    plan = json.loads(sys.argv[1])
    namespaces.read_only_devices()
    namespaces.own_root(plan["shown"], plan["covered"])
    out = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not end up between messages
    os.set_inheritable(out, False)
    reader = os.fork()
    if reader == 0:
        namespaces.read_once(plan["unread"], READ_SECONDS)
        os._exit(0)
    asks, answers = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    warm = os.fork()
    if warm == 0:
        if plan["group"] >= 0:
            os.close(plan["group"])
        os.close(out)
        asks.close()
        _be_warm(answers, plan["preload"])
    answers.close()
    ready = asks.recv(MOST)
    if not ready:
        os._exit(ENDED)
    inherited = int(ready)
    os.waitpid(reader, 0)
    framing.send(out, framing.READY, b"", 0)  # about no job
    status = 0
    while status == 0:
        select.select([0], [], [])
        keeper = os.fork()
        if keeper == 0:
            code = ENDED
            with contextlib.suppress(BaseException):
                code = _keep(out, asks, inherited, plan["group"])
            os._exit(code)
        process = 0
        while process != keeper:  # this is process 1 of the sandbox: whatever else ends here is ended here
            process, status = os.wait()
            if process == warm:
                os._exit(ENDED)


def _be_warm(answers: socket.socket, preload: Sequence[str]) -> None:
    """In the first fork: become the warm process. What it says of a failure leaves by standard error."""
    try:
        namespaces.die_with_parent()
        # Not above: it loads all that the warm process has, and this one stays small.
        from autograder.grading.sandbox import fork_server

        fork_server.serve(answers, preload)
    except BaseException as problem:
        sys.__excepthook__(type(problem), problem, problem.__traceback__)
    os._exit(ENDED)


def _keep(out: int, asks: socket.socket, inherited: int, group: int) -> int:
    """In the keeper: take one job from standard input, and have it run."""
    reader = framing.Reader(framing.JOB, 1 << 30)
    while piece := os.read(0, 1 << 20):
        for _, payload in reader.feed(piece):
            asked = json.loads(payload)
            to_grader = framing.Writer(out, asked["number"])
            how, clock, whole = _serve(to_grader, asks, payload, asked, inherited, group)
            report = {"how": how, "seconds": clock.own, "held_up": clock.held_up, "worked": clock.worked}
            to_grader.send(framing.END, json.dumps(report).encode())
            to_grader.flush()
            return 0 if whole else ENDED
    return ENDED


def _serve(
    out: framing.Writer,
    asks: socket.socket,
    job: bytes,
    asked: Mapping[str, Any],
    inherited: int,
    group: int,
) -> tuple[str, _Clock, bool]:
    """Run one job, and pass on what it says until it ends or has to be ended.

    Returns:
        How it ended, the time that it took, and whether all of it ended: else the sandbox must.
    """
    limits = Limits(**asked["limits"])
    try:
        watcher, descriptors = _enclose(limits, inherited)
    except OSError:
        return "refused", _Clock(out), True
    from_runner, to_keeper = os.pipe()
    seen_in, seen_out = os.pipe()
    os.set_blocking(seen_in, False)
    job_in, job_out = os.pipe()
    given = [*descriptors, to_keeper, seen_out, job_in]
    entrance = [group] if group >= 0 else []
    socket.send_fds(asks, [json.dumps(asdict(limits)).encode()], [*given, *entrance])
    for descriptor in given:
        os.close(descriptor)
    with contextlib.suppress(BrokenPipeError), open(job_out, "wb") as pipe:
        pipe.write(job)
    clock = _Clock(out)
    seen = _Seen(out, seen_in)
    how = _pass_on(out, from_runner, asks, limits, clock, [name for name, _ in asked["cells"]], seen)
    how = how or seen.pass_on(last=True)
    message = b""
    if not how:
        message = _last_word(asks, clock)
        how = "" if message else "died"  # it closed the pipe, and goes on
    # The runner may have left others behind; with their process 1, they all end.
    with contextlib.suppress(ProcessLookupError):
        os.kill(watcher, signal.SIGKILL)
    end = time.monotonic() + KILLED_SECONDS
    while (ended := os.waitpid(watcher, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
        time.sleep(0.001)
    if not message and ended != (0, 0) and select.select([asks], [], [], max(end - time.monotonic(), 0))[0]:
        message = asks.recv(MOST)
    if ended == (0, 0) or not message:
        return how or message.decode(), clock, False
    status = ended[1]
    how = how or ENDINGS.get(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0, "")
    return how or message.decode(), clock, True


def _last_word(asks: socket.socket, clock: _Clock) -> bytes:
    """Return how a runner ended that says no more; nothing where it takes too much of its own time to end."""
    begun, wall = clock.own, clock.wall
    while not select.select([asks], [], [], LOOK_SECONDS)[0]:
        clock.look()
        if clock.own - begun > LEAVE_SECONDS or clock.wall - wall > PATIENCE * KILLED_SECONDS:
            return b""
    return asks.recv(MOST)


class _Seen:
    """Passes on the calls that a run is seen to make. What was told once, the run cannot take back."""

    def __init__(self, out: framing.Writer, pipe: int) -> None:
        self.pipes = [pipe]
        self._out = out
        self._reader = framing.Reader(framing.SEEN, select.PIPE_BUF)
        self._known: set[bytes] = set()

    def pass_on(self, last: bool = False) -> str:
        """Forward each new report once, and return why the run must be ended; "" if it may go on."""
        try:
            while self.pipes:
                piece = os.read(self.pipes[0], 1 << 16)
                if not piece:
                    self.pipes.pop()
                for kind, payload in self._reader.feed(piece):
                    if payload in self._known:
                        continue
                    self._known.add(payload)
                    json.loads(payload)
                    if len(self._known) > MOST_SEEN:  # to drown one that counts
                        return "garbled"
                    self._out.send(kind, payload)
        except BlockingIOError:
            pass
        except (framing.Garbled, ValueError, RecursionError):
            return "garbled"
        return "garbled" if last and self._reader.in_the_middle else ""


class _Clock:
    """The time that a run takes itself, whatever else the machine or the grader has to do."""

    def __init__(self, out: framing.Writer) -> None:
        self._out = out
        self._waited = out.waited
        self.own = self.processors = 0.0
        self._early = 0.0  # what was counted as its own and was none
        self.held_up = False  # it was ended by the clock on the wall, and had not used its own time
        self.worked = False  # it was ended for processor time, which no load takes from it
        self.wall = time.monotonic()
        self._spent, self._waits = namespaces.spent(), namespaces.waits()

    def begin(self) -> None:
        """Start to count the run's own time, which does not include forking a runner and preparing it."""
        self.look()
        self.own = self.processors = 0.0

    def look(self) -> None:
        """Add the time since the last look."""
        wall, spent, waits = time.monotonic(), namespaces.spent(), namespaces.waits()
        waited = sum(max(0.0, now - self._waits.get(thread, 0.0)) for thread, now in waits.items())
        read = self._out.waited - self._waited  # until the grader had read what was said
        took = spent - self._spent
        alone = wall - self.wall - waited - read - self._early
        self.own += max(took, alone, 0.0)
        self.processors += max(took, 0.0)
        # That a thread waits is told when its wait ends, which may be a look or two later.
        self._early = min(max(took - alone, 0.0), MOST_EARLY)
        self.wall, self._spent, self._waits, self._waited = wall, spent, waits, self._out.waited

    def over(self, limits: Limits, elapsed: float, cell_began: float, cell_worked: float) -> str:
        """Return the time limit that is exceeded, or "".

        Args:
            limits: the limits of the run.
            elapsed: the clock seconds since the first cell began.
            cell_began: the run's own time, in seconds, when the present cell began.
            cell_worked: the run's processor time, in seconds, when the present cell began.
        """
        if self.own > limits.seconds:
            self.worked = self.processors > WORKED * limits.seconds
            return "late"
        if self.own - cell_began > limits.cell_seconds:
            self.worked = self.processors - cell_worked > WORKED * limits.cell_seconds
            return "slow"
        if elapsed > PATIENCE * limits.seconds:
            self.held_up = True
            return "late"
        return ""


def _pass_on(
    out: framing.Writer,
    pipe: int,
    asks: socket.socket,
    limits: Limits,
    clock: _Clock,
    names: Sequence[str],
    seen: _Seen,
) -> str:
    """Pass on messages until the runner has ended. Returns why it has to be ended, if it has."""
    reader = framing.Reader(framing.STARTED + framing.CELL, min(limits.output_bytes, MESSAGE_BYTES))
    total = 0
    order = iter(names)
    begun = clock.wall
    started = False
    started_at, worked = 0.0, 0.0  # of the cell that runs: what the clock said at its beginning
    why = ""
    while True:
        wait = 0 if why else LOOK_SECONDS
        ready = select.select([pipe, asks.fileno(), *seen.pipes], [], [], wait)[0]
        now = time.monotonic()
        if now - clock.wall >= LOOK_SECONDS:
            clock.look()
            if not started:
                if now - begun > BEGIN_SECONDS:
                    return "refused"
            elif over := clock.over(limits, now - begun, started_at, worked):
                return over
        if not why and (why := seen.pass_on()):
            continue  # what lies in the other pipe tells which cell it was
        if pipe not in ready:
            if why:
                return why
            if asks.fileno() in ready:
                return ""  # it has ended and everything it said is read; whoever it left says no more
            continue
        piece = os.read(pipe, 1 << 20)
        if not piece:
            return ""
        total += len(piece)
        if total > limits.output_bytes:
            return "output"
        try:
            for kind, payload in reader.feed(piece):
                if kind == framing.STARTED:
                    if payload.decode("utf-8", "replace") != next(order, None):
                        return "garbled"
                    if not started:
                        started, begun = True, now
                        clock.begin()
                    started_at, worked = clock.own + now - clock.wall, clock.processors
                out.send(kind, payload)
        except framing.TooLong:
            return "output"  # a cell with large outputs sends them in one message
        except framing.Garbled:
            return "garbled"


def _enclose(limits: Limits, inherited: int) -> tuple[int, list[int]]:
    """In the keeper: make namespaces and start the watcher in them.

    Returns:
        The watcher, and descriptors of `NAMESPACES`.

    Raises:
        OSError: the kernel does not allow it.
    """
    namespaces.unshare()
    # The watcher will cover this /proc with its own.
    directory = os.open("/proc/self/ns", os.O_RDONLY)
    set_up, done = os.pipe()
    watcher = os.fork()
    if watcher == 0:
        os.close(set_up)
        code = REFUSED
        with contextlib.suppress(BaseException):
            namespaces.die_with_parent()
            code = _watch(limits, inherited, done)
        os._exit(code)
    os.close(done)
    descriptors = [os.open(name, os.O_RDONLY, dir_fd=directory) for name in NAMESPACES]
    os.close(directory)
    ready = os.read(set_up, 1)
    os.close(set_up)
    if not ready:
        os.waitpid(watcher, 0)
        raise OSError("the namespaces could not be furnished")
    os.chdir("/proc")  # the watcher's, before the runner covers it
    return watcher, descriptors


def _watch(limits: Limits, inherited: int, done: int) -> int:
    """Count what the notebook uses, until that is too much. This is process 1 of its own tree."""
    namespaces.own_proc()
    namespaces.fresh_folders(limits)
    namespaces.no_shared_zeros()
    namespaces.own_terminals()
    namespaces.not_to_be_traced()
    # Of what is sent to it from inside, process 1 hears only the signals that it has a handler for.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    # Where the kernel refuses a /proc of our own, the sandbox's other processes are counted in it too.
    others = namespaces.tree()
    theirs, shared = (sum(map(count, others)) for count in (namespaces.memory_held, namespaces.share))
    last = _number(others)
    due = look = time.monotonic()
    os.write(done, b"1")
    os.close(done)
    while True:
        signal.sigtimedwait({signal.SIGCHLD}, WATCH_SECONDS)
        with contextlib.suppress(ChildProcessError):  # whatever the runner leaves behind is ended here
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        tree = namespaces.tree()
        count_of_run = len(tree) - len(others)
        if count_of_run > limits.processes or _number(tree) - last > limits.started:
            return PROCESSES
        parts = list(map(namespaces.parts, tree))
        held = list(map(sum, parts))
        if max(held, default=0) - inherited > limits.memory_bytes:
            return MEMORY
        if sum(kernels for _, kernels in parts) > limits.memory_bytes + inherited:  # none of it is shared
            return MEMORY
        now = time.monotonic()
        if now > look:  # a fork copies all of them, so not one process's count but the sum is bounded
            if sum(namespaces.areas(process, limits.areas) for process in tree) > limits.areas:
                return AREAS
            look = now + LOOK_SECONDS
        if sum(held) - theirs <= limits.memory_bytes + inherited:
            due = now + COUNT_SECONDS
        elif now > due:
            # Much of that may be what they share, with the warm process too: every process that has what is
            # inherited, these and the warm one itself, holds a part.
            part = inherited * count_of_run // (count_of_run + 1)
            os.kill(
                -1, signal.SIGSTOP
            )  # a process that forks cannot be counted, nor one that is counted fork
            whole = sum(map(namespaces.share, tree))
            os.kill(-1, signal.SIGCONT)
            if whole - shared - part > limits.memory_bytes:
                return MEMORY
            due = time.monotonic() + COUNT_SECONDS


def _number(tree: Sequence[Path]) -> int:
    return int(tree[-1].name) if tree else 0


if __name__ == "__main__":
    main()
