"""Worker processes that read students' files within limits: time, memory, one piece at a time.

Code that reads a stranger's bytes can be made to run for ever, to fill the memory or to end its process. So
it runs in a separate process, which is reused for the next piece, and replaced after a limit was exceeded:
that costs the submission which exceeded it, and nobody else anything.

The invariant is that of the sandboxes (see `sandbox/framing.py`): an answer is received by the caller that
asked for it, or by nobody. Each request has a number, which its answer repeats. A process gets another
request only after it has answered the last one within its limits; after anything else it is ended. A timer
runs while a request is written, processed and answered, and ends the process, so there is no wait without a
deadline. A process reports when it begins a request: if it was lost before, another one gets the same
request, because this piece did not end it.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import itertools
import math
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from autograder.grading.sandbox.process_limits import lift_limits, limit_process, writable_bytes
from autograder.grading.sandbox.run_slots import file_of_turns, take_turns

P = ParamSpec("P")
T = TypeVar("T")

# All of them are forked from one process that has loaded this, where the system can fork.
HOW = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
PRELOAD = "autograder.grading.grade_submission"
# How long a process may take to end that was asked to.
LEAVE_SECONDS = 2.0
# How long it may take to start, to load what was forked before it and to take a request.
BEGIN_SECONDS = 300.0
# How often a request is sent that no process begins with.
TRIES = 2
BEGUN = "begun"
MEBIBYTE = 1024 * 1024
# What a process may hold more than at its beginning, and be kept: what many pieces have in common.
KEPT_BYTES = 512 * MEBIBYTE
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class ResourceLimits:
    """The limits for reading one piece, in addition to those of a sandbox that it runs."""

    processor_seconds: int = 8
    memory_bytes: int = 256 * MEBIBYTE
    # Wall-clock time. Code in a sandbox has limits of its own.
    seconds: float = 120.0


READING = ResourceLimits()
# A submission that is graded may be run several times, each time for as long as a run may last.
GRADING = ResourceLimits(seconds=3600.0)


class LimitReached(Exception):
    """A piece exceeded a limit, or ended the process that read it; the message says which."""


class Process:
    """A worker process, which is started with the first piece, and again after it was lost.

    Args:
        begin_seconds: how long it may take to start and to accept a piece, before another process is started.
    """

    def __init__(self, begin_seconds: float = BEGIN_SECONDS) -> None:
        self._begin_seconds = begin_seconds
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._numbers = itertools.count(1)
        self._closed = False
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the process if it does not run."""
        with self._lock:
            if self._closed:
                raise LimitReached("what was to read it was closed")
            if self._process is not None and self._process.is_alive():
                return
            self._end()
            # What it leaves behind when it is killed goes with this folder.
            self._folder = tempfile.TemporaryDirectory(prefix="grading-", ignore_cleanup_errors=True)
            context: Any = multiprocessing.get_context(HOW)
            if HOW == "forkserver":
                context.set_forkserver_preload([PRELOAD])
            self._pipe, theirs = context.Pipe()
            process = context.Process(
                target=_serve, args=(theirs, self._folder.name, file_of_turns()), daemon=True, name="grading"
            )
            with _without_main():
                process.start()
            theirs.close()
            self._process = process
            if self._closed:  # by another thread, which could not end it before it had begun
                self._end()
                raise LimitReached("what was to read it was closed")

    def call(self, room: ResourceLimits, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a module's function in the process, and return its result.

        Args:
            room: the limits of the call.
            function: the function.
            args: its positional arguments.
            kwargs: its keyword arguments.

        Raises:
            LimitReached: the call exceeded a limit, or ended the process.
        """
        number = next(self._numbers)
        request = number, room, pickle.dumps((function, args, kwargs))
        for _ in range(TRIES):
            self.start()
            try:
                if self._begins(number, request):
                    break
            except BaseException:
                self._end_now()
                raise
            self._end_now()
        else:
            raise LimitReached("no process could be started to read it")
        try:
            done, value, grown = self._answer(number, room)
        except BaseException:
            self._end_now()  # else its answer could be taken for another's
            raise
        if grown:
            self._end_now()
        if not done:
            raise value
        result: T = value
        return result

    def _begins(self, number: int, request: tuple[Any, ...]) -> bool:
        """Send a request. Returns whether the process began with it; else it was lost before."""
        pipe = self._pipe
        assert pipe is not None
        with self._ended_after(self._begin_seconds), contextlib.suppress(EOFError, OSError):
            pipe.send(request)
            return bool(pipe.recv() == (number, BEGUN))
        return False

    def _answer(self, number: int, room: ResourceLimits) -> tuple[bool, Any, bool]:
        pipe = self._pipe
        assert pipe is not None
        with self._ended_after(room.seconds) as late:
            try:
                of, *answer = pipe.recv()
            except (EOFError, OSError) as problem:
                raise LimitReached(self._why(late, room)) from problem
        if late.is_set() or of != number:  # it was in time, and yet the process has ended or is about to
            raise LimitReached(self._why(late, room))
        done, value, grown = answer
        return done, value, grown

    @contextlib.contextmanager
    def _ended_after(self, seconds: float) -> Iterator[threading.Event]:
        """End the process where this takes longer; yields what tells that this was so."""
        late, process = threading.Event(), self._process

        def end() -> None:
            late.set()
            if process is not None:
                process.kill()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            yield late
        finally:
            timer.cancel()
            timer.join()

    def _why(self, late: threading.Event, room: ResourceLimits) -> str:
        process = self._process
        if self._closed or process is None:
            return "what was to read it was closed"
        if late.is_set():
            return f"reading it took more than {room.seconds:g} seconds"
        process.join(LEAVE_SECONDS)
        if process.exitcode == -getattr(signal, "SIGXCPU", 0):
            return "reading it took more time of the processor than it may"
        return "reading it ended the process that read it"

    def _end_now(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        pipe, self._pipe = self._pipe, None
        folder, self._folder = self._folder, None
        if process is not None:
            process.kill()
            process.join(LEAVE_SECONDS)
        if pipe is not None:
            pipe.close()
        if folder is not None:
            folder.cleanup()

    def close(self) -> None:
        """End the process, from any thread, and start no other."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()  # whoever waits for its answer gets none, and cleans up
            process.join(LEAVE_SECONDS)
        folder = self._folder
        if folder is not None:
            folder.cleanup()


class Processes(Executor):
    """An executor of worker processes; each runs one function at a time, within the limits of grading.

    Args:
        number: the number of processes.
        now: whether to start them at once, while the caller has other work to do.
    """

    def __init__(self, number: int, now: bool = False) -> None:
        self._all = [Process() for _ in range(number)]
        self._free = list(self._all)
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(number, thread_name_prefix="grading")
        for process in self._all if now else ():
            self._threads.submit(process.start)

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a module's function in one of the processes."""

        def call() -> T:
            with self._lock:
                process = self._free.pop()
            try:
                return process.call(GRADING, function, *args, **kwargs)
            finally:
                with self._lock:
                    self._free.append(process)

        return self._threads.submit(call)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes; calls in progress are lost."""
        self._threads.shutdown(wait=False, cancel_futures=cancel_futures)
        for process in self._all:
            process.close()
        self._threads.shutdown(wait=wait)


_own = threading.local()
_starting = threading.Lock()
_started: list[Process] = []


def run_limited(room: ResourceLimits, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a module's function in this thread's own worker process, and return its result.

    Args:
        room: the limits of the call.
        function: the function.
        args: its positional arguments.
        kwargs: its keyword arguments.

    Raises:
        LimitReached: the call exceeded a limit, or ended the process.
    """
    if _inside:
        return function(*args, **kwargs)
    process: Process | None = getattr(_own, "process", None)
    if process is None:
        process = _own.process = Process()
        _started.append(process)
    return process.call(room, function, *args, **kwargs)


@dataclass
class TimeBudget:
    """The processor time, in seconds, that is left for reading all pieces of one student."""

    seconds: float = READING.processor_seconds

    def within(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a module's function as `run_limited` does, within the budget, and return its result.

        Raises:
            LimitReached: the call exceeded a limit or the budget, or an earlier call did.
        """
        if self.seconds <= 0:
            raise LimitReached("reading other files of theirs took more than it may")
        room = replace(READING, processor_seconds=math.ceil(self.seconds))
        try:
            result, took = run_limited(room, _timed, function, *args, **kwargs)
        except LimitReached:
            self.seconds = 0.0
            raise
        self.seconds -= took
        return result  # type: ignore[return-value]


def _timed(function: Callable[..., object], *args: object, **kwargs: object) -> tuple[object, float]:
    begun = time.process_time()
    return function(*args, **kwargs), time.process_time() - begun


@atexit.register
def end_all() -> None:
    """End the worker processes of this process's threads; the next piece starts a new one."""
    for process in _started:
        process._end_now()


# Whether this is such a process, and what ends with it: its sandbox, say.
_inside = False
_at_end: list[Callable[[], None]] = []


def at_end(close: Callable[[], None]) -> Callable[[], None]:
    """Register a function to call when a worker process ends normally, as `atexit` does elsewhere."""
    _at_end.append(close)
    return close


def _serve(pipe: Connection, folder: str, turns: Path) -> None:
    """In a kept process: call what is asked for until nobody asks any more."""
    os.umask(0o022)  # what is written here is for a sandbox, in which another user runs
    global _inside
    _inside = True
    take_turns(turns)
    tempfile.tempdir = folder
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever is interrupted ends this one
    if sys.platform == "linux":
        # What started it is not what asks: that may be killed, and this one be in the middle of a piece.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)  # what was forked has lost the others
    gc.freeze()
    first = writable_bytes()
    while True:
        lift_limits()  # to read the next request is not the last one's
        try:
            number, room, piece = pipe.recv()
        except (EOFError, OSError):
            break
        pipe.send((number, BEGUN))
        try:
            function, args, kwargs = pickle.loads(piece)  # noqa: S301 # the grader's own
        except Exception as problem:  # what is no function of a module
            pipe.send((number, False, RuntimeError(f"{type(problem).__name__}: {problem}"), False))
            continue
        limit_process(room.processor_seconds, room.memory_bytes)
        lost = False
        try:
            reply: tuple[bool, Any] = True, function(*args, **kwargs)
        except MemoryError:
            lost = True  # of what it was in the middle of, nobody knows the state
            reply = False, LimitReached("reading it took more memory than it may")
        except RecursionError:
            reply = False, LimitReached("it is nested too deep to be read")
        except Exception as problem:
            reply = False, problem
        lost = lost or writable_bytes() - first > KEPT_BYTES
        try:
            pipe.send((number, *reply, lost))
        except MemoryError:
            pipe.send((number, False, LimitReached("reading it took more memory than it may"), True))
        except (TypeError, AttributeError, ValueError) as problem:  # what cannot be sent
            pipe.send((number, False, RuntimeError(f"{type(problem).__name__}: {problem}"), lost))
    for close in _at_end:
        with contextlib.suppress(Exception):
            close()


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Keep a new process from running this program's main module once more, of which it needs nothing.

    And let a process have one that may itself not outlive another, such as a cluster's worker.
    """
    main = sys.modules["__main__"]
    settings = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    with _starting:
        bound = settings.pop("daemon", None)
        attributes = {name: getattr(main, name) for name in ("__spec__", "__file__") if hasattr(main, name)}
        main.__spec__ = None
        if "__file__" in attributes:
            del main.__file__
        try:
            yield
        finally:
            for name, value in attributes.items():
                setattr(main, name, value)
            if bound is not None:
                settings["daemon"] = bound
