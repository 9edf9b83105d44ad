"""The warm process: imports what every notebook needs once, then forks itself for each notebook.

Started inside the sandbox by `sandbox.py`, as `python -m autograder.grading.running.warm`. Jobs come in on
standard input, what cells put out leaves on standard output. A stranger's code only ever runs in a fork:

    warm process ── fork ── keeper ── fork ── own namespaces ── fork ── watcher (process 1) ── fork ── runner

The runner runs the notebook. It has no capability, no way to the outside but one pipe, and sees neither
watcher nor warm process. The watcher counts processes and memory, and when it ends, every process of the
notebook ends with it. The keeper reads the job and passes on what is said, and ends with it: so nothing of
one submission, its answers above all, is ever in the memory that the next one is forked from.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from autograder.grading.running import calls, confine, frames
from autograder.grading.running.gallery import DRAWN
from autograder.grading.running.limits import Limits

# How a watcher says why it ended the run.
FINISHED, DIED, MEMORY, PROCESSES, REFUSED = 0, 80, 81, 82, 83
ENDINGS = {FINISHED: "finished", DIED: "died", MEMORY: "memory", PROCESSES: "processes", REFUSED: "refused"}
ENDED = 1  # a keeper's way of saying that no job will come any more
WATCH_SECONDS = 0.02
# The warm process, the keeper, the fork that leaves its namespaces, and the watcher.
FORKS = 4
WORKPLACE = "/tmp/work"
SPILL = {"stdout": 1, "stderr": 2}


def main() -> None:
    """Serve jobs until standard input closes."""
    out = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not end up between messages
    os.set_inheritable(out, False)
    shell = _warm_up()
    frames.send(out, frames.READY, b"")
    status = 0
    while status == 0:
        select.select([0], [], [])
        keeper = os.fork()
        if keeper == 0:
            code = ENDED
            with contextlib.suppress(BaseException):
                code = _keep(out, shell)
            os._exit(code)
        process = 0
        while process != keeper:  # this is process 1 of the sandbox: whatever else ends here is ended here
            process, status = os.wait()


def _keep(out: int, shell: Any) -> int:
    """In the keeper: take one job from standard input, and serve it."""
    reader = frames.Reader(frames.JOB, 1 << 30)
    while piece := os.read(0, 1 << 20):
        for _, payload in reader.feed(piece):
            job = json.loads(payload)
            limits = Limits(**job["limits"])
            _serve(out, limits, partial(_draw, job) if "recipe" in job else partial(_run, shell, job))
            return 0
    return ENDED


def _warm_up() -> Any:
    """Import everything a lesson needs, and make the interpreter that every fork starts from."""
    import torch

    # Threads do not survive a fork, so none may be started before it.
    torch.set_num_threads(1)
    import ipywidgets  # noqa: F401
    import matplotlib.pyplot  # noqa: F401
    import torch.testing

    import visuals
    from autograder import bank, learner  # noqa: F401
    from autograder.grading.running import pictures
    from autograder.grading.running.shell import Shell

    pictures.install()
    shell = Shell()
    # The first formatted result and the first drawn figure load what later ones share.
    shell.warm_up()
    visuals.attention_map([[1.0]], ["a"])._repr_mimebundle_()
    for lesson in dict.fromkeys(bank.index().values()):
        bank.load(lesson)
    # A fork that collects garbage would write to every object there is, and so copy all memory.
    gc.collect()
    gc.freeze()
    return shell


def _serve(out: int, limits: Limits, run: Callable[[int], None]) -> None:
    """Run one job in a fork, and pass on what it says until it ends or has to be ended."""
    from_child, to_parent = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(from_child)
        code = REFUSED
        with contextlib.suppress(BaseException):
            code = _enclose(limits, run, to_parent)
        os._exit(code)
    os.close(to_parent)
    how, cell = _pass_on(out, from_child, limits)
    if how:
        _end(first)
    _, status = os.waitpid(first, 0)
    os.close(from_child)
    if not how:
        how = ENDINGS.get(os.waitstatus_to_exitcode(status), "died")
    frames.send(out, frames.END, json.dumps({"how": how, "cell": cell}).encode())


def _pass_on(out: int, pipe: int, limits: Limits) -> tuple[str, str]:
    """Pass on messages until the pipe closes. Returns why the run has to be ended, and the last cell."""
    reader = frames.Reader(frames.STARTED + frames.TOLD + frames.CELL, limits.output_bytes)
    cell, total = "", 0
    now = time.monotonic()
    end, cell_end = now + limits.seconds, now + limits.cell_seconds
    while True:
        left = min(end, cell_end) - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            return ("slow" if cell_end <= end else "late"), cell
        piece = os.read(pipe, 1 << 20)
        if not piece:
            return "", cell
        total += len(piece)
        if total > limits.output_bytes:
            return "output", cell
        try:
            for kind, payload in reader.feed(piece):
                if kind == frames.STARTED:
                    cell = payload.decode("utf-8", "replace")
                    cell_end = time.monotonic() + limits.cell_seconds
                frames.send(out, kind, payload)
        except frames.TooLong:
            return "output", cell  # a cell with large outputs sends them in one message
        except frames.Garbled:
            return "garbled", cell


def _end(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _enclose(limits: Limits, run: Callable[[int], None], pipe: int) -> int:
    """In the first fork: make namespaces, start the watcher in them, and wait for it."""
    os.setsid()
    confine.unshare()
    watcher = os.fork()
    if watcher == 0:
        code = REFUSED
        with contextlib.suppress(BaseException):
            confine.die_with_parent()
            code = _watch(limits, run, pipe)
        os._exit(code)
    os.close(pipe)
    _, status = os.waitpid(watcher, 0)
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else DIED


def _watch(limits: Limits, run: Callable[[int], None], pipe: int) -> int:
    """Start the runner; count what it uses until it ends. This is process 1 of the notebook's own tree."""
    confine.own_proc()
    confine.fresh_folders(limits)
    confine.no_shared_zeros()
    confine.not_to_be_traced()
    # Of what is sent to it from inside, process 1 hears only the signals that it has a handler for.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    # Where the kernel refuses a /proc of our own, the warm process and its forks are counted in it too.
    others, theirs = confine.tree_use()
    shared, inherited = confine.tree_share(), confine.inherited()
    runner = os.fork()
    if runner == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = DIED
        with contextlib.suppress(BaseException):
            _start(limits, run, pipe)
            code = FINISHED
        os._exit(code)
    os.close(pipe)
    while True:
        signal.sigtimedwait({signal.SIGCHLD}, WATCH_SECONDS)
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return DIED
            if process == 0:
                break
            if process == runner:
                return FINISHED if status == 0 else DIED
        processes, held = confine.tree_use()
        if processes - others > limits.processes:
            return PROCESSES
        if held - theirs > limits.memory_bytes:
            # Much of that may be what each has from the warm process: every process that has it, these and
            # their `FORKS` forebears, holds a part.
            own = processes - others
            part = inherited * own // (own + FORKS)
            if confine.tree_share() - shared - part > limits.memory_bytes:
                return MEMORY


def _start(limits: Limits, run: Callable[[int], None], pipe: int) -> None:
    """In the runner: keep nothing of the warm process but memory, and run the notebook."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    for entry in os.listdir("/proc/self/fd"):
        descriptor = int(entry)
        if descriptor > 2 and descriptor != pipe:
            with contextlib.suppress(OSError):
                os.close(descriptor)
    for descriptor in SPILL.values():
        # A kernel reads what other programs write to its own output; here a file keeps it until a cell's end.
        name = f"/tmp/.{descriptor}"
        file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.unlink(name)
        os.dup2(file, descriptor)
        os.close(file)
    confine.die_with_parent()
    os.makedirs(WORKPLACE)
    os.chdir(WORKPLACE)
    confine.set_limits(limits)
    confine.drop_capabilities()
    calls.refuse()
    run(pipe)


def _run(shell: Any, job: dict[str, Any], pipe: int) -> None:
    """In the runner: run the notebook's cells, and say after each what it put out."""
    import random

    import numpy

    from autograder.grading.running import pictures

    os.environ.update(job["environment"])
    random.seed()
    numpy.random.seed()

    send = partial(frames.send, pipe, frames.TOLD)
    pictures.tell(pictures.Teller(send, job["most_told"], job["drawn_here"]))

    def cells() -> Iterator[tuple[str, str]]:
        for cell_id, source in job["cells"]:
            frames.send(pipe, frames.STARTED, cell_id.encode())
            yield cell_id, source

    for cell_id, count, outputs in shell.run(cells(), SPILL):
        said = {"id": cell_id, "count": count, "outputs": outputs}
        frames.send(pipe, frames.CELL, json.dumps(said).encode())


def _draw(job: dict[str, Any], pipe: int) -> None:
    """In the runner: draw one picture from its recipe."""
    from autograder.grading.running import pictures

    said = {"id": DRAWN, "count": 0, "outputs": [pictures.draw(base64.b64decode(job["recipe"]))]}
    frames.send(pipe, frames.CELL, json.dumps(said).encode())


if __name__ == "__main__":
    main()
