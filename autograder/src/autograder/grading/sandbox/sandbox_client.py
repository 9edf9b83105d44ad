"""The grader's end of the sandbox: it starts a warm process, sends it notebooks, and reads the results.

No result is trusted: it is limited in size, decoded as JSON, and inserted into a notebook only if it has the
form of a cell's output.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import select
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from autograder.grading.sandbox import bubblewrap, cgroups, framing, output_limits
from autograder.grading.sandbox.bubblewrap import Inside
from autograder.grading.sandbox.cgroups import Group
from autograder.grading.sandbox.channel import Channel, Lost
from autograder.grading.sandbox.process_limits import without_limits
from autograder.grading.sandbox.resource_limits import PATIENCE, Limits
from autograder.grading.sandbox.run_slots import run_slot

START_SECONDS = 120.0
# The share of a run's time in which something waited for disks, for memory or for the machine's own host,
# from which on it is not the run that is slow.
STALLED = 0.2
# How long a sandbox may take to read a job, and how much longer than its limit a run may take until the
# sandbox itself is given up.
GRACE_SECONDS = 60.0

TOO_INTRICATE = "… the outputs of this cell have too many parts to be kept …"


class SandboxFailed(Exception):
    """The warm process could not be started or ended unexpectedly: a failure of the tool or the machine."""


@dataclass(frozen=True)
class Job:
    """One run of a notebook."""

    cells: Sequence[tuple[str, str]]  # its code cells, as (id, source)
    environment: Mapping[str, str] = field(default_factory=dict)  # variables beside those of every notebook
    # Ids of the cells whose outputs are used; None for all. The other results are not put into words, which
    # takes a third of a run.
    wanted: Sequence[str] | None = None
    limits: Limits = field(default_factory=Limits)  # its resource limits
    files: Mapping[str, bytes] = field(default_factory=dict)  # the files in a folder of its own
    found_by: str = ""  # the name of the variable with the path of that folder
    first: str = ""  # "module:function" of ours, called before the cells can have changed anything
    # Another, which is given what sends a message past all outputs, and returns what is called where a cell
    # begins, with its id, and where it ends, with "": it tells of calls that tasks forbid.
    seen_by: str = ""


@dataclass
class RunResult:
    """The result of a run, and the reason why it ended early, if it did."""

    cells: dict[str, tuple[int, list[Any]]] = field(default_factory=dict)  # execution counts and outputs
    # "finished", "slow" (a cell took too long), "late" (all together did), "died" (the process ended),
    # "memory", "processes", "areas", "output" or "garbled".
    how: str = "finished"
    cell: str = ""  # the id of the cell that ran at the end
    seconds: float = 0.0  # the run's own time
    held_up: bool = False  # whether it was stopped for time while the machine kept it waiting
    seen: list[Any] = field(default_factory=list)  # reported calls that tasks forbid


class Worker:
    """A warm process in a sandbox, which is started with the first notebook, and again after it was lost.

    Args:
        inside: the content of the sandbox.
        start: starts a sandbox, with a pipe for each of its standard streams.
        grace: the seconds beyond a run's limit after which a sandbox that does not answer is ended.
    """

    def __init__(
        self,
        inside: Inside,
        start: Callable[[Inside], subprocess.Popen[bytes]] | None = None,
        grace: float = GRACE_SECONDS,
    ) -> None:
        self._inside = inside
        self._start = start or start_sandbox
        self._grace = grace
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._numbers = itertools.count(1)
        self._for_good = False
        self._starting = threading.Lock()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def run(self, job: Job, alone: bool = False) -> RunResult:
        """Run a notebook's cells in a fork of the warm process; `alone`, while no other sandbox runs any.

        Raises:
            SandboxFailed: the warm process cannot be started, or was lost in this run and in a second
                attempt.
        """
        with run_slot(alone):
            try:
                return self._run(job)
            except SandboxFailed:
                if self._for_good:
                    raise
                return self._run(job)

    def _run(self, job: Job) -> RunResult:
        try:
            return self._exchange(self._ready(), job)
        except BaseException as problem:
            self.close()  # what is left in its pipes must not be read as another run's
            if isinstance(problem, Lost):
                raise SandboxFailed(f"the sandbox {problem}") from problem
            raise

    def _exchange(self, channel: Channel, job: Job) -> RunResult:
        number = next(self._numbers)
        group = getattr(self._process, "group", None)
        if group:
            group.bound(job.limits)
        files = {name: base64.b64encode(content).decode() for name, content in job.files.items()}
        report = {**vars(job), "limits": asdict(job.limits), "files": files, "number": number}
        message = framing.packed(framing.JOB, json.dumps(report, default=dict).encode())
        ran = RunResult()
        running = ""
        before = time.monotonic(), machine_stalled()
        # A stranger may speak of others.
        cell_ids = {cell_id for cell_id, _ in job.cells}
        budget = output_limits.Budget(by_cell=False, more=output_limits.SLACK)
        seconds = PATIENCE * job.limits.seconds + self._grace
        kinds = framing.STARTED + framing.CELL + framing.SEEN
        most = output_limits.MESSAGE_BYTES
        for kind, payload in channel.exchange(number, message, kinds, framing.END, most, seconds):
            if kind == framing.STARTED:
                said_id = payload.decode("utf-8", "replace")
                running = said_id if said_id in cell_ids else running
            elif kind == framing.CELL:
                with contextlib.suppress(ValueError, KeyError, TypeError, OverflowError, RecursionError):
                    outputs = _read(payload, running)
                    if outputs["id"] in cell_ids:
                        budget.give_back(ran.cells.pop(outputs["id"], (0, ()))[1])
                        wanted = job.wanted is None or outputs["id"] in job.wanted
                        taken = filter(budget.takes, outputs["outputs"] if wanted else ())
                        ran.cells[outputs["id"]] = int(outputs["count"]), list(taken)
            elif kind == framing.SEEN:
                with contextlib.suppress(ValueError, RecursionError):
                    ran.seen.append(json.loads(payload))
            else:
                report = json.loads(payload)
                if group:
                    report["how"] = (report["how"] == "died" and group.why_ended()) or report["how"]
                    group.end()
                ran.how, ran.cell, ran.seconds = (
                    self._ending(report["how"], ran, running),
                    running,
                    report["seconds"],
                )
                took, stalled = time.monotonic() - before[0], machine_stalled() - before[1]
                for_time = ran.how in ("slow", "late") and not report["worked"]
                ran.held_up = for_time and (bool(report["held_up"]) or stalled > STALLED * took)
        return ran

    def _ending(self, how: str, ran: RunResult, running: str) -> str:
        if how == "refused" or (how == "died" and not running):
            raise SandboxFailed("the sandbox could not shut a notebook in")
        if how == "finished" and running and running not in ran.cells:
            return "died"  # it ended itself, politely
        return how

    def _ready(self) -> Channel:
        """Return the pipes of a sandbox that has nothing to do; a new one's, where the last is not so."""
        channel = self._channel
        if (
            channel is not None
            and channel.idle
            and self._process is not None
            and self._process.poll() is None
        ):
            return channel
        self.close()
        with self._starting:
            if self._for_good:
                raise SandboxFailed("the sandbox was closed")
            try:
                with without_limits():
                    self._process = process = self._start(self._inside)
            except OSError as problem:
                raise SandboxFailed(f"the sandbox cannot be started ({problem})") from problem
            self._channel = channel = Channel(process, self._grace)
        try:
            for _ in channel.exchange(0, b"", b"", framing.READY, 0, START_SECONDS):
                pass
        except Lost as problem:
            raise SandboxFailed(f"the sandbox did not start: {channel.last_words()}") from problem
        return channel

    def close(self, for_good: bool = False) -> None:
        """End the warm process and everything in it.

        Args:
            for_good: whether to refuse to start another one, even for a run in progress in another thread.
        """
        with self._starting:
            self._for_good |= for_good
            process = self._process
            if process is None:
                return
            process.kill()
            if group := getattr(process, "group", None):
                group.remove()
            self._process = self._channel = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_SECONDS)
        if for_good:
            return  # another thread may be reading from these pipes: they close with its last look at them
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def machine_stalled() -> float:
    """Return the total seconds so far in which programs waited for disks, for memory or for the hypervisor.

    The wait for a processor is not included: it is measured for each run.
    """
    stalled = 0.0
    for name in ("io", "memory"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            some = Path(f"/proc/pressure/{name}").read_text().split("\n")[0]
            stalled += int(some.rpartition("total=")[2]) / 1e6
    with contextlib.suppress(OSError, ValueError, IndexError):
        first = Path("/proc/stat").read_text().split("\n")[0].split()
        stalled += int(first[8]) / os.sysconf("SC_CLK_TCK") / (os.cpu_count() or 1)
    return stalled


class Sandbox(subprocess.Popen[bytes]):
    """The outermost process of a sandbox, with the control group of its runs, if there is one."""

    group: Group | None = None


def start_sandbox(inside: Inside, make: Callable[[], Group | None] = cgroups.make) -> Sandbox:
    """Start a sandbox. If root starts it, it has two users inside: root, and one without any rights.

    Args:
        inside: the content of the sandbox.
        make: makes the control group that limits its runs; None if there are no control groups.

    Raises:
        OSError: it cannot be started.
    """
    group = make()
    entrance = group.entrance() if group else -1
    try:
        sandbox = _started(inside, entrance)
        sandbox.group = group
        return sandbox
    except BaseException:
        if group:
            group.remove()
        raise
    finally:
        if entrance >= 0:
            os.close(entrance)


def _started(inside: Inside, entrance: int) -> Sandbox:
    def popen(identity: Sequence[str], passed: Sequence[int]) -> Sandbox:
        return Sandbox(
            bubblewrap.command(inside, identity, entrance),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the grader, which ends its workers itself
            pass_fds=(*passed, *((entrance,) if entrance >= 0 else ())),
        )

    if not bubblewrap.as_nobody():
        return popen((), ())
    write_end, tells = os.pipe()
    waits, go = os.pipe()
    process = None
    try:
        process = popen(("--info-fd", str(tells), "--userns-block-fd", str(waits)), (tells, waits))
        os.close(tells)
        tells = -1
        greeting = b""
        while b"}" not in greeting and select.select([write_end], [], [], START_SECONDS)[0]:
            piece = os.read(write_end, 4096)
            if not piece:
                break
            greeting += piece
        if b"}" in greeting:
            child = json.loads(greeting)["child-pid"]
            for name in ("uid_map", "gid_map"):
                try:
                    Path(f"/proc/{child}/{name}").write_text(bubblewrap.TWO_USERS)
                except OSError:  # root in a world of its own that has no other user
                    Path(f"/proc/{child}/{name}").write_text(bubblewrap.ONE_USER)
            os.write(go, b"1")
        return process
    except BaseException:
        if process is not None:
            process.kill()
        raise
    finally:
        for descriptor in filter(lambda number: number >= 0, (write_end, tells, waits, go)):
            os.close(descriptor)


def _read(payload: bytes, running: str) -> Any:
    """Return what a cell is said to have put out.

    Raises:
        ValueError, RecursionError: it is no JSON.
    """
    if output_limits.parts_of(payload) > output_limits.MESSAGE_PARTS:  # no run of ours sends so many
        note = {"output_type": "stream", "name": "stderr", "text": TOO_INTRICATE}
        return {"id": running, "count": 0, "outputs": [note]}
    return json.loads(payload)
