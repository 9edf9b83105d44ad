"""Run an answer as a learner typed it: the text of one answer cell, inside the whole lesson.

Everything around that cell is the lesson's own source with its solutions, so that a finding is about the
answer under test. A cell that raises is tolerated, as in a notebook: the cells after it still run. An
answer is judged twice, as the learner's own notebook does it (the lesson's givens only) and as it is graded
(the redrawn givens too, and evidence that has been through the transport between sandbox and judge).
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import unescape
from textwrap import dedent
from types import CodeType
from typing import Any

import torch
from nbformat import NotebookNode
from torch import Tensor

from autograder.bank import AS_SEEN, LessonBank, Task
from autograder.build.source import is_answer, is_given, is_test, read_source
from autograder.collect import collect
from autograder.course import Course
from autograder.feedback import plain_text, rich_text
from autograder.findings import Verdict
from autograder.judge import judge, merge, with_unfinished
from autograder.outcome import Evidence
from autograder.transport import pack, unpack
from tests.mutants.answers import ROOT
from tests.mutants.answers import Right as Right
from tests.mutants.answers import Wrong as Wrong

# A cell that trains takes longer than all others together. Nothing builds on it, so it is run only where an
# answer before it is under test.
TRAINS = {"bug-merge-symptom"}


@dataclass(frozen=True)
class Judged:
    """One task's verdicts on one answer: in the learner's notebook, and when graded."""

    task: Task
    in_notebook: Verdict
    graded: Verdict


@dataclass(frozen=True)
class Cell:
    """A code cell of the lesson, compiled once."""

    id: str
    code: CodeType | None
    is_test: bool
    is_given: bool


@dataclass(frozen=True)
class Lesson:
    """A lesson's cells in order, without its figures, and its bank."""

    name: str
    cells: tuple[Cell, ...]
    bank: LessonBank


@cache
def load_lesson(name: str) -> Lesson:
    """Read a lesson's source and bank; the cells are compiled once and shared by all answers."""
    notebook = read_source(ROOT / "source" / name / f"{name}.py")
    return Lesson(name, tuple(_cells(name, notebook)), Course.read(ROOT).load(name))


def judge_answer(lesson_name: str, task_id: str, code: str) -> Judged:
    """Judge one task with `code` in its answer cell and solutions everywhere before it."""
    return judge_notebook(lesson_name, {task_id: code}, last=task_id)[task_id]


def judge_notebook(lesson_name: str, answers: Mapping[str, str], last: str = "") -> dict[str, Judged]:
    """Judge the tasks of a notebook in which some answer cells hold other code.

    Args:
        lesson_name: the lesson's folder name.
        answers: the replaced answer cells' text, by task id.
        last: the task at whose check to stop; all of the lesson where it is empty.
    """
    lesson = load_lesson(lesson_name)
    unknown = set(answers) - set(lesson.bank.tasks)
    if unknown:
        raise ValueError(f"{lesson_name} has no task {', '.join(sorted(unknown))}")
    seen, verdicts = _run(lesson, answers, AS_SEEN, last)
    others = [run for run in lesson.bank.givens if run != AS_SEEN]
    if last and lesson.bank.tasks[last].kind != "tensor":
        others = []  # a function's probes bring their own inputs, so other givens would show nothing new
    redrawn = {run: _run(lesson, answers, run, last)[0] for run in others}
    judged: dict[str, Judged] = {}
    graded: dict[str, Verdict] = {}
    for task_id, evidence in seen.items():
        task = lesson.bank.tasks[task_id]
        whole = evidence
        if task.kind == "tensor":
            for other in redrawn.values():
                whole = merge(whole, other[task_id])
        verdict = judge(task, unpack(pack(whole)))
        graded[task_id] = with_unfinished(verdict, task, lesson.bank, graded)
        judged[task_id] = Judged(task, verdicts[task_id], graded[task_id])
    return judged


def _cells(name: str, notebook: NotebookNode) -> Iterator[Cell]:
    for cell in notebook.cells:
        if cell.cell_type != "code" or "figure" in cell.metadata.get("tags", ()):
            continue
        yield Cell(cell["id"], _compiled(name, cell["id"], cell.source), is_test(cell), is_given(cell))
        if is_answer(cell) and not cell["id"].endswith("-answer"):
            raise ValueError(f"{name}: the answer cell {cell['id']} does not end in -answer")


def _compiled(lesson: str, cell: str, text: str) -> CodeType | None:
    """A cell's code under a file name like a notebook's, or None if it is no Python."""
    file = f"<cell {lesson}/{cell}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            return compile(text, file, "exec")
        except SyntaxError:
            return None


def _run(
    lesson: Lesson, answers: Mapping[str, str], run: str, last: str
) -> tuple[dict[str, Evidence], dict[str, Verdict]]:
    """Run the cells in order; evidence and the notebook's own verdict at every check on the way."""
    replaced = {
        f"{task}-answer": _compiled(lesson.name, f"{task}-answer, as typed", dedent(code).strip("\n"))
        for task, code in answers.items()
    }
    namespace: dict[str, Any] = {"__name__": "__main__", "display": lambda *values: None}
    evidence: dict[str, Evidence] = {}
    verdicts: dict[str, Verdict] = {}
    solved = bool(last)  # no cell so far is other than the lesson's own
    with _torch_as_it_was():
        for cell in lesson.cells:
            if cell.is_test:
                if last and cell.id != last:
                    continue
                task = lesson.bank.tasks[cell.id]
                evidence[cell.id] = collect(task, lesson.bank, namespace, run)
                if run == AS_SEEN:
                    verdicts[cell.id] = _verdict_in_notebook(task, lesson.bank, namespace, evidence[cell.id])
                if cell.id == last:
                    break
                continue
            solved = solved and cell.id not in replaced
            if solved and cell.id in TRAINS:
                continue
            _execute(replaced.get(cell.id, cell.code), namespace)
            if cell.is_given:
                namespace.update({name: _fresh(value) for name, value in lesson.bank.givens[run].items()})
    return evidence, verdicts


def _execute(code: CodeType | None, namespace: dict[str, Any]) -> None:
    """Run one cell as a notebook would: what it raises or prints stays in the cell."""
    if code is None:
        return
    sink = io.StringIO()
    with (
        contextlib.suppress(Exception, SystemExit),
        contextlib.redirect_stdout(sink),
        contextlib.redirect_stderr(sink),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        exec(code, namespace)


def _verdict_in_notebook(
    task: Task, lesson: LessonBank, namespace: Mapping[str, Any], evidence: Evidence
) -> Verdict:
    """What `check` shows in the learner's notebook, with the earlier answers that are not right yet."""
    verdict = judge(task, evidence)
    if verdict.passed:
        return verdict
    needed = [lesson.tasks[name] for name in task.needs]
    earlier = {one.id: judge(one, collect(one, lesson, namespace)) for one in needed}
    return with_unfinished(verdict, task, lesson, earlier)


@contextlib.contextmanager
def _torch_as_it_was() -> Iterator[None]:
    """Put back what an answer may have changed for the whole process."""
    state, dtype, gradients = torch.get_rng_state(), torch.get_default_dtype(), torch.is_grad_enabled()
    try:
        yield
    finally:
        torch.set_rng_state(state)
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(gradients)


def _fresh(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


# What a learner must never meet in a message about their own code.
OURS = re.compile(r"Traceback|site-packages|autograder[/\\]|<cell |harness|\bOutcome\(|\bErrorReport\(")


def message(task: Task, verdict: Verdict) -> str:
    """The plain message on one line, after a look at both forms of it."""
    plain = plain_text(task, verdict)
    rich = rich_text(task, verdict)
    assert not OURS.search(plain)
    assert not OURS.search(unescape(rich))
    assert rich.count("<div") == rich.count("</div>")
    assert task.title in plain
    return " ".join(plain.split())
