"""Grading on a Dask cluster, behind the interface of `concurrent.futures.Executor`.

A worker runs submissions in its own sandboxes. It judges them with the banks of the machine that started the
run, which are sent to it when it joins, and deleted with its sandboxes when the run ends. Needs the package
`distributed`.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from distributed import Client, WorkerPlugin
from distributed.comm.core import connect
from tornado.ioloop import PeriodicCallback

import autograder
from autograder.grading.grading_banks import Banks
from autograder.grading.job_scheduling import ExecutorLost, GradeJob
from autograder.grading.reader_processes import GRADING, end_all, run_limited
from autograder.grading.sandbox import bubblewrap
from autograder.records import bank
from autograder.records.authoring_errors import UserError
from autograder.records.course import Course
from autograder.records.file_digests import write_all

T = TypeVar("T")
CONNECT_SECONDS = 10.0
LOOK_SECONDS = 3.0
PLUGIN = "autograder-answers"


class NoCluster(UserError):
    """No cluster answers, or its workers cannot grade exactly as this machine does."""


class Cluster(Executor):
    """An executor that runs jobs on the workers of a cluster; `connected` creates it."""

    def __init__(self, client: Client, address: str, run: str) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False)
        self._address = address
        self._run = run

    @property
    def slots(self) -> int:
        """The number of submissions that its workers run at once: at least 4, since workers can join."""
        return max(4, int(sum(self._client.nthreads().values())))

    def submit(self, function: Callable[..., T], job: GradeJob, /) -> Future[T]:  # type: ignore[override]
        """Run a function on a job on one of the workers, or on another one if that worker is lost.

        Raises:
            ExecutorLost: the scheduler no longer answers.
        """
        if self._client.status != "running":
            raise ExecutorLost(f"the scheduler at {self._address} does not answer any more")
        future: Future[T] = self._executor.submit(_on_worker, self._run, function, job)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._executor.shutdown(wait=wait and not cancel_futures)


@contextlib.contextmanager
def connected(
    address: str, banks: Banks, lessons: Sequence[str], say: Callable[[str], None]
) -> Iterator[Cluster]:
    """Yield a cluster whose workers are ready to grade these lessons.

    Args:
        address: the scheduler's address, such as "tcp://10.0.0.1:8786".
        banks: the banks to grade with, which are sent to the workers.
        lessons: the lessons' names.
        say: receives a message for a person, if no workers are there yet.

    Raises:
        NoCluster: the scheduler does not answer, or a worker cannot grade exactly as this machine does.
    """
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what went wrong is said here, once
    try:
        asyncio.run(_reach(address))
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as problem:  # a wrong address, a closed port, a handshake that fails
        raise NoCluster(f"No Dask scheduler answers at {address} ({problem}).") from None
    try:
        answers = Answers(banks, lessons)
        try:
            client.register_plugin(answers, name=PLUGIN)
        except Exception as problem:
            raise NoCluster(
                f"The workers of {address} cannot grade: {type(problem).__name__}: {problem}. Scheduler and "
                "workers have to run in this course's environment, with bubblewrap on each worker."
            ) from None
        watch = PeriodicCallback(_watcher(client, say), LOOK_SECONDS * 1000)
        client.sync(_call, watch.start)
        cluster = Cluster(client, address, answers.run)
        try:
            yield cluster
        finally:
            client.sync(_call, watch.stop)
            cluster.shutdown(wait=False)
    finally:
        if client.status == "running":
            with contextlib.suppress(Exception):  # nothing to clean up on a cluster that is gone
                client.unregister_worker_plugin(PLUGIN)
        client.close(timeout=CONNECT_SECONDS)


async def _reach(address: str) -> None:
    """Connect to a scheduler and let it go.

    A `Client` that cannot connect is never closed: its thread stays, and where the garbage collector comes
    upon it while another client starts, each waits for the other.

    Raises:
        OSError, ValueError: nobody answers there, or it is no address.
    """
    comm = await connect(address, timeout=CONNECT_SECONDS)
    await comm.close()


async def _call(function: Callable[[], None]) -> None:
    function()


def _watcher(client: Client, say: Callable[[str], None]) -> Callable[[], Any]:
    """Says once that there are no workers, whenever the last one has gone."""
    warned = False

    async def look() -> None:
        nonlocal warned
        with contextlib.suppress(OSError):
            none = False
            if client.status == "running" and client.scheduler is not None:
                none = not (await client.scheduler.identity(n_workers=1))["workers"]
            if none and not warned:
                say("The cluster has no workers now: submissions wait for one.")
            warned = none

    return look


class Answers(WorkerPlugin):
    """A plugin that gives each worker this machine's banks for some lessons, and deletes them afterwards."""

    def __init__(self, banks: Banks, lessons: Sequence[str]) -> None:
        self._tool = tool_version()
        self._files = banks.course.beside_banks()
        for lesson in lessons:
            for path in bank.paths(lesson, banks.folders[lesson]):
                self._files[path.name] = path.read_bytes()
        for path in banks.course.bank.glob("*/*.mo"):
            self._files[str(path.relative_to(banks.course.bank))] = path.read_bytes()
        self._lessons = tuple(lessons)
        self.run = _digest({"tool": self._tool.encode(), **self._files})

    def setup(self, worker: Any) -> None:
        """Check that this worker can grade, and write the banks where it looks for them.

        Raises:
            NoCluster: it cannot grade.
        """
        reason = bubblewrap.why_not()
        if reason:
            raise NoCluster(f"worker {worker.address} has no sandbox: {reason}")
        if tool_version() != self._tool:
            raise NoCluster(f"worker {worker.address} has another version of the tool")
        folder = Path(tempfile.mkdtemp(prefix="answers-", dir=worker.local_directory))
        write_all(folder, self._files)
        course = Course.packed(folder)
        _ready[self.run] = Banks(course, dict.fromkeys(self._lessons, folder), {})

    def teardown(self, worker: Any) -> None:
        """Close this worker's sandboxes and delete the banks."""
        banks = _ready.pop(self.run, None)
        if banks is not None:
            end_all()  # each process that grades ends with its sandbox
            shutil.rmtree(banks.course.root, ignore_errors=True)


# On a worker: by run, the answers that it has for it.
_ready: dict[str, Banks] = {}


def _on_worker(run: str, function: Callable[[GradeJob], T], job: GradeJob) -> T:
    if run not in _ready:
        raise NoCluster("this worker cannot grade; its log says why")
    return run_limited(GRADING, function, replace(job, banks=_ready[run]))


def tool_version() -> str:
    """Return a digest of the tool's code and messages, on which grading depends beside the banks."""
    package = Path(autograder.__file__).parent
    files = (path for path in package.rglob("*") if path.suffix in (".py", ".mo"))
    return _digest({str(path.relative_to(package)): path.read_bytes() for path in files})


def _digest(parts: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, content in sorted(parts.items()):
        digest.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(content).digest())
    return digest.hexdigest()
