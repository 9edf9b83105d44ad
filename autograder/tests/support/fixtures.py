"""The tiny lesson's parts by name, progress of a test's own, and a notebook without a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from autograder.grading.grading_banks import Banks
from autograder.grading.notebook_runners import SandboxRunner
from autograder.judge.decide import judge
from autograder.lesson import check_calls
from autograder.probe.collect_evidence import collect_answer
from autograder.records import bank
from autograder.records.answer_findings import Verdict
from autograder.records.bank import LessonBank, Task
from autograder.records.course import Course
from autograder.records.run_outcome import ErrorReport, Evidence, Outcome
from ipykernel.compiler import XCachingCompiler
from IPython.core.interactiveshell import InteractiveShell
from support import class_course as classes
from support.tiny_lesson import ENTRIES, LESSON, PAIRS, ROW_SUMS, SHARE, TABLE, TOTAL, outcome_of
from traitlets import Type
from traitlets.config import Config


@pytest.fixture(autouse=True)
def own_progress(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nobody's real progress is read or written by a test."""
    folder = tmp_path_factory.mktemp("progress")
    monkeypatch.setenv("AUTOGRADER_PROGRESS", str(folder))
    for name in ("NBGRADER_EXECUTION", "AUTOGRADER_RUN", "AUTOGRADER_COURSE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(check_calls, "_SEEN_HINTS", {})
    monkeypatch.setattr(check_calls, "_SOLVED", set())
    return folder


@pytest.fixture
def lesson() -> LessonBank:
    return LESSON


@pytest.fixture
def share() -> Task:
    """`share(x)`: two checks of 1 and 2 points, rows that sum to one."""
    return SHARE


@pytest.fixture
def total() -> Task:
    """`total(a, b)`: one number."""
    return TOTAL


@pytest.fixture
def pairs() -> Task:
    """`pairs(x)`: a symmetric matrix of query by key."""
    return PAIRS


@pytest.fixture
def row_sums() -> Task:
    """`row_sums`: a tensor made from the given `table`."""
    return ROW_SUMS


@pytest.fixture
def table() -> torch.Tensor:
    return TABLE.clone()


@pytest.fixture
def collected() -> Callable[..., Evidence]:
    """Evidence about an answer, as the learner's notebook with untouched givens would yield it."""
    return lambda task, answer: collect_answer(task, LESSON, answer, {"table": TABLE.clone()})


@pytest.fixture
def judged(collected: Callable[..., Evidence]) -> Callable[..., Verdict]:
    """The verdict on an answer, collected and judged."""
    return lambda task, answer: judge(task, collected(task, answer), as_seen=True)


@pytest.fixture
def yielded() -> Callable[..., Outcome]:
    """The outcome of a call that returned a tensor."""
    return outcome_of


@pytest.fixture
def failed() -> Callable[..., Outcome]:
    """The outcome of a call that raised."""
    return lambda kind, message="", **place: Outcome(error=ErrorReport(kind, message, **place))


@pytest.fixture
def bank_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the tiny lesson's bank, which `check`, `hint` and `progress` read."""
    folder = tmp_path / "bank"
    bank.save(LESSON, folder)
    described = 'name = "tiny"\ntitle = "Tiny"\nlessons = ["01-tiny"]\nbank = "."\n'
    described += "[entries]\n" + "".join(f'{entry} = ["{axis}"]\n' for axis, entry in ENTRIES.items())
    described += "[forbidden.softmax]\ninstead = 'softmax'\nnames = ['\\w*softmax\\w*']\n"
    (folder / "course.toml").write_text(described, encoding="utf-8")
    monkeypatch.setenv("AUTOGRADER_COURSE", str(folder))
    return folder


class KernelShell(InteractiveShell):
    """A shell that names the files of its cells as a Jupyter kernel does."""

    compiler_class = Type(XCachingCompiler)


class Notebook:
    """A notebook without a kernel process: cells that run in IPython, as JupyterLab compiles them."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell

    def run(self, cell: str) -> Any:
        """Run one cell and return its last value; what it raises is raised."""
        result = self.shell.run_cell(cell)
        result.raise_error()
        return result.result


@pytest.fixture(scope="session")
def shell() -> Iterator[InteractiveShell]:
    config = Config()
    config.HistoryManager.enabled = False
    result = KernelShell.instance(config=config)
    yield result
    KernelShell.clear_instance()


@pytest.fixture
def notebook(shell: InteractiveShell, bank_folder: Path) -> Notebook:
    """A fresh notebook in which the tiny lesson's example data and `check` are there."""
    shell.user_ns.clear()
    shell.init_user_ns()
    result = Notebook(shell)
    result.run("import torch\nfrom autograder import check, hint, progress")
    result.run("table = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])")
    return result


@pytest.fixture(scope="session")
def class_course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course of two lessons, built; it stays as it is, and a class gets copies."""
    return classes.built(tmp_path_factory)


@pytest.fixture(scope="session")
def sandbox(walls: None, class_course: Course) -> Iterator[SandboxRunner]:
    """One sandbox of the class's course for all files: to start one takes many seconds."""
    result = SandboxRunner(Banks.of(class_course))
    yield result
    result.close()
