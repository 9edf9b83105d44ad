"""A class graded by a real scheduler and two real workers, some of which do not live to the end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import autograder.grading
import nbformat
import pytest
from autograder.author.parse_source import read_source
from autograder.command import app as cli
from autograder.command import grading_run as command
from autograder.grading import dask_cluster, job_scheduling, reader_processes
from autograder.grading.class_folder import Class
from autograder.grading.dask_cluster import Answers, NoCluster, connected
from autograder.grading.gradebook_writer import GradebookWriter
from autograder.grading.grading_banks import Banks
from autograder.grading.hidden_tests import secret
from autograder.records import bank
from autograder.records.course import Course
from distributed import Client
from nbgrader.api import Gradebook
from support.class_course import FULL, LESSON, NAME, class_folder
from support.process_tree import descendants
from typer.testing import CliRunner

# The instructor's own answers give a point less for this task than the public ones, so a score shows whose
# they were.
MARKED, POINTS, LESS = "convolution", 2, 1
NOBODY = "tcp://127.0.0.1:9"


def refuse(*_: Any) -> str:
    return "bubblewrap is not installed"


@pytest.fixture
def hidden(class_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Answers of an instructor's own."""
    folder = tmp_path / "bank"
    folder.mkdir(parents=True)
    for path in bank.paths(LESSON, class_course.bank):
        shutil.copy(path, folder)
    path = folder / f"{LESSON}.json"
    plain = json.loads(path.read_text(encoding="utf-8"))
    plain["tasks"][MARKED]["checks"][0]["points"] -= LESS
    path.write_text(json.dumps(plain), encoding="utf-8")
    own = {LESSON: folder}, {LESSON: "nothing is drawn"}
    monkeypatch.setattr(Banks, "of", classmethod(lambda cls, course: cls(course, *own)))
    return folder


@pytest.fixture
def worker(walls: None, tmp_path: Path) -> SimpleNamespace:
    """What the plugin looks at of a worker."""
    (tmp_path / "worker").mkdir()
    return SimpleNamespace(address="tcp://worker:1", local_directory=str(tmp_path / "worker"))


def submissions(course: Course, folder: Path, students: int) -> dict[str, float]:
    """A class whose submissions take some seconds each; every second one is right."""
    class_folder(course, folder, LESSON)
    solved = read_source(folder / "source" / LESSON / f"{LESSON}.py")
    expected = {}
    for number in range(students):
        result = deepcopy(solved)
        for cell in result.cells:
            if cell["id"] == f"{MARKED}-answer":
                cell.source = "import time\ntime.sleep(1)\n" + (cell.source if number % 2 else "")
        student = f"student-{number}"
        path = folder / "submitted" / student / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(result, path)
        expected[student] = FULL - (LESS if number % 2 else POINTS)
    return expected


def scores(folder: Path) -> dict[str, float]:
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}", NAME) as opened:
        return {item.student.id: item.score for item in opened.assignment_submissions(LESSON)}


# What each worker is given


def test_a_worker_grades_by_the_answers_of_whoever_asks_and_gives_them_back(
    class_course, hidden, worker, tmp_path, monkeypatch
):
    answers = Answers(Banks.of(class_course), [LESSON])
    monkeypatch.setenv(secret.OWN_FOLDER, str(tmp_path / "the worker's own"))
    job = job_scheduling.GradeJob(LESSON, "ada", "", b"", Banks.of(class_course))
    answers.setup(worker)
    given = dask_cluster._on_worker(answers.run, attrgetter("banks"), job)
    assert given.lesson(LESSON).tasks[MARKED].points == POINTS - LESS
    assert list(given.folders) == [LESSON]
    assert (given.course.bank / "bn" / f"{LESSON}.mo").is_file()
    assert given.course.root.stat().st_mode & 0o777 == 0o700
    given.write_questions(tmp_path)
    assert (tmp_path / "course.toml").is_file()
    answers.teardown(worker)
    with pytest.raises(NoCluster):
        dask_cluster._on_worker(answers.run, len, job)
    assert list(Path(worker.local_directory).iterdir()) == []


def test_what_a_worker_started_ends_with_the_run(class_course, worker):
    answers = Answers(Banks.of(class_course), [LESSON])
    answers.setup(worker)
    job = job_scheduling.GradeJob(LESSON, "ada", "", b"", Banks.of(class_course))
    dask_cluster._on_worker(answers.run, attrgetter("student"), job)
    grades = reader_processes._started[-1]._process
    assert grades.is_alive()
    answers.teardown(worker)
    assert grades.exitcode == -signal.SIGKILL


def test_a_worker_without_a_sandbox_is_refused(class_course, worker, monkeypatch):
    answers = Answers(Banks.of(class_course), [LESSON])
    monkeypatch.setattr(dask_cluster.bubblewrap, "why_not", refuse)
    with pytest.raises(NoCluster, match="worker tcp://worker:1 has no sandbox: bubblewrap is not installed"):
        answers.setup(worker)


def test_a_worker_with_another_version_of_the_course_is_refused(class_course, worker, monkeypatch):
    answers = Answers(Banks.of(class_course), [LESSON])
    monkeypatch.setattr(dask_cluster, "tool_version", lambda: "another")
    with pytest.raises(NoCluster, match="worker tcp://worker:1 has another version of the tool"):
        answers.setup(worker)


@pytest.mark.parametrize("changed", ["grading/grade_notebook.py", "words/locale/bn/messages.mo"])
def test_the_version_of_the_tool_is_its_code_and_what_it_says(changed, tmp_path, monkeypatch):
    copy = tmp_path / "autograder"
    shutil.copytree(Path(autograder.__file__).parent, copy)
    before = dask_cluster.tool_version()
    monkeypatch.setattr(dask_cluster.autograder, "__file__", str(copy / "__init__.py"))
    assert dask_cluster.tool_version() == before
    with (copy / changed).open("ab") as file:
        file.write(b"\n")
    assert dask_cluster.tool_version() != before


def test_a_worker_that_was_refused_grades_nothing(class_course):
    with pytest.raises(NoCluster, match="this worker cannot grade"):
        dask_cluster._on_worker(
            "a run", len, job_scheduling.GradeJob(LESSON, "ada", "", b"", Banks.of(class_course))
        )


# Where there is no cluster


def invoke(folder: Path, *arguments: str) -> Any:
    return CliRunner().invoke(cli.app, ["grade", "--course", str(folder), *arguments])


@pytest.mark.parametrize("address", [NOBODY, "nonsense://here", "tcp://"])
def test_an_address_that_nobody_answers_is_named_and_nothing_is_written(
    class_course, tmp_path, monkeypatch, address
):
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 1.0)
    submissions(class_course, tmp_path, 1)
    done = invoke(tmp_path, "--dask", address)
    assert done.exit_code == 2
    assert f"No Dask scheduler answers at {address}" in done.output
    assert "IO loop" not in [thread.name for thread in threading.enumerate()]  # no client stays
    assert "Traceback" not in done.output
    assert not (tmp_path / "gradebook.db").exists()


def test_without_dask_the_command_says_what_to_install(class_course, tmp_path, monkeypatch):
    submissions(class_course, tmp_path, 1)
    monkeypatch.delattr(autograder.grading, "dask_cluster")
    monkeypatch.delitem(sys.modules, "autograder.grading.dask_cluster")
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = invoke(tmp_path, "--dask", NOBODY)
    assert done.exit_code == 2
    assert "pip install 'lesson-autograder[dask]'" in done.output


def test_a_cluster_is_never_told_to_do_without_sandboxes(class_course, tmp_path):
    submissions(class_course, tmp_path, 1)
    done = invoke(tmp_path, "--dask", NOBODY, "--no-sandbox")
    assert done.exit_code == 2
    assert "always use their sandboxes" in done.output


def test_that_no_worker_is_left_is_said_once_each_time_it_happens():
    output: list[str] = []
    there: dict[str, object] = {}

    class Scheduler:
        async def identity(self, n_workers: int) -> dict[str, object]:
            return {"workers": there}

    look = dask_cluster._watcher(SimpleNamespace(status="running", scheduler=Scheduler()), output.append)

    def looks(workers: dict[str, object]) -> int:
        there.clear()
        there.update(workers)
        asyncio.run(look())
        return len(output)

    one = {"tcp://one": 1}
    assert [looks(busy) for busy in (one, {}, {}, one, {})] == [0, 1, 1, 1, 2]
    assert set(output) == {"The cluster has no workers now: submissions wait for one."}


# A real cluster


@dataclass
class Running:
    """A scheduler and its workers, each a process of its own."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture(scope="module")
def running(walls: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A cluster for the tests below: of its two workers the first test leaves one, and the second none."""
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"

    def start(what: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--scheduler-file", str(file)]
        return subprocess.Popen(
            [*command, "--no-dashboard", *arguments],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    with contextlib.ExitStack() as stack:
        scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0")
        stack.callback(end, scheduler)
        workers = [
            start("worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
            for _ in range(2)
        ]
        for item in workers:
            stack.callback(end, item)
        until(lambda: file.exists() and file.read_text().endswith("}"))  # written piece by piece
        address = json.loads(file.read_text())["address"]
        with Client(address, set_as_default=False, timeout=60) as client:
            client.wait_for_workers(2, timeout=120)
        yield Running(address, scheduler, workers)


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def until(holds: Callable[[], bool]) -> None:
    while not holds():  # a test that takes too long is ended by pytest
        time.sleep(0.1)


def gone(processes: set[int]) -> bool:
    return not any(Path(f"/proc/{process}/exe").exists() for process in processes)


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_nothing_and_everyone_is_graded_once(
    class_course, running, hidden, tmp_path, monkeypatch
):
    folder = tmp_path / "course"
    expected = submissions(class_course, folder, 4)
    written: Counter[str] = Counter()
    really = GradebookWriter.write

    def write(book: GradebookWriter, submission: Any, *rest: Any) -> tuple[int, int]:
        written[submission.student] += 1
        return really(book, submission, *rest)

    monkeypatch.setattr(GradebookWriter, "write", write)
    lost, ended = [], set()
    submit = dask_cluster.Cluster.submit

    def kill_one(executor: dask_cluster.Cluster, function: Any, job: job_scheduling.GradeJob) -> Any:
        """Kill the worker that is in the middle of the first submission."""
        future = submit(executor, function, job)
        if not lost:
            with Client(running.address, set_as_default=False) as client:
                pids = client.run(os.getpid)
                busy: set[int] = set()
                while not busy:
                    busy = {pids[worker] for worker, jobs in client.processing().items() if jobs}
            lost.extend(worker for worker in running.workers if worker.pid in busy)
            ended.update(*(descendants(worker.pid) for worker in lost))
            end(*lost)
        return future

    monkeypatch.setattr(dask_cluster.Cluster, "submit", kill_one)
    output: list[str] = []
    asked = command.GradeOptions(Class(folder), [LESSON], jobs=4)
    with connected(running.address, asked.course.banks, [LESSON], output.append) as executor:
        summary = command.grade_class(asked, output.append, lambda *_: None, executor)
    assert [worker.returncode for worker in lost] == [-signal.SIGKILL]
    assert summary.text.startswith("4 submissions graded"), output
    assert written == dict.fromkeys(expected, 1)
    assert scores(folder) == expected
    until(lambda: gone(ended))


@pytest.mark.slow
def test_a_scheduler_that_is_lost_leaves_a_whole_book_and_the_next_run_goes_on(
    class_course, running, hidden, tmp_path, monkeypatch
):
    folder = tmp_path / "course"
    expected = submissions(class_course, folder, 4)
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 3.0)
    ended = set()

    def kill(done: int, *_: Any) -> None:
        if done == 1:
            ended.update(*(descendants(worker.pid) for worker in running.workers if worker.poll() is None))
            end(running.scheduler)

    output: list[str] = []
    asked = command.GradeOptions(
        Class(folder), [LESSON], jobs=1
    )  # at most two at one time: some are still to be sent
    with connected(running.address, asked.course.banks, [LESSON], output.append) as executor:
        summary = command.grade_class(asked, output.append, kill, executor)
    assert summary.interrupted
    assert any("The cluster was lost" in line for line in output), output
    assert summary.text.endswith("stopped before the end; the next run goes on from here.")
    graded = scores(folder)
    assert len(graded) == summary.graded
    assert graded == {student: expected[student] for student in graded}
    dry = command.grade_class(
        command.GradeOptions(Class(folder), [LESSON], dry_run=True, students=frozenset(graded)),
        output.append,
        print,
    )
    assert dry.current == summary.graded
    until(lambda: all(worker.poll() is not None for worker in running.workers))
    until(lambda: gone(ended))
