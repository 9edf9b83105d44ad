"""Run an answer as a learner typed it: the text of one answer cell, inside the whole lesson.

Everything around that cell is the lesson's own source with its solutions, so that a finding is about the
answer under test. A cell that raises is tolerated, as in a notebook: the cells after it still run. An
answer is judged twice: as the learner's own notebook does it (the lesson's givens only), and by the grader's
own `grade`, which is given this process in the place of its sandbox, and no solution to stand in for wrong
answers.
"""

from __future__ import annotations

import contextlib
import io
import itertools
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
from nbformat.v4 import new_output

from autograder.bank import AS_SEEN, LessonBank, Task
from autograder.build.source import read_source
from autograder.cells import is_figure, is_measured, is_shown_only, is_test
from autograder.collect import collect
from autograder.course import Course
from autograder.feedback import plain_text, rich_text
from autograder.findings import Verdict
from autograder.grading.grade import grade
from autograder.grading.rebuild import up_to_the_last
from autograder.judge import judge, with_unfinished
from autograder.learner import EvidenceOutput
from autograder.sandbox.execute import Executed
from tests.mutants.answers import ROOT
from tests.mutants.answers import Right as Right
from tests.mutants.answers import Wrong as Wrong

# Cells that train or read a whole text take longer than all others together. No answer builds on them, so
# they are run only where an answer before them is under test.
SLOW = {"bug-merge-symptom", "perplexity-shown"}


@dataclass(frozen=True)
class Judged:
    """One task's verdicts on one answer: in the learner's notebook, and when graded."""

    task: Task
    in_notebook: Verdict
    graded: Verdict


@dataclass(frozen=True)
class Lesson:
    """A lesson's solved notebook without its figures and measurements, and its bank."""

    name: str
    notebook: NotebookNode
    bank: LessonBank


@cache
def load_lesson(name: str) -> Lesson:
    """Read a lesson's source and bank."""
    notebook = read_source(ROOT / "source" / name / f"{name}.py")
    only_shown = is_figure, is_measured, is_shown_only
    notebook.cells = [cell for cell in notebook.cells if not any(of(cell) for of in only_shown)]
    return Lesson(name, notebook, Course.read(ROOT).load(name))


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
    asked = [last, *lesson.bank.tasks[last].needs] if last else list(lesson.bank.tasks)
    notebook = up_to_the_last(lesson.notebook, asked)
    typed = {f"{task}-answer": dedent(code).strip("\n") for task, code in answers.items()}
    if last:
        before = {
            cell["id"] for cell in itertools.takewhile(lambda one: one["id"] not in typed, notebook.cells)
        }
        notebook.cells = [cell for cell in notebook.cells if cell["id"] not in SLOW & before]
    for cell in notebook.cells:
        cell.source = typed.get(cell["id"], cell.source)
    kernel = Kernel(lesson)
    graded = grade(notebook, lesson.bank, kernel).verdicts
    shown = kernel.verdicts.items()
    return {name: Judged(lesson.bank.tasks[name], verdict, graded[name]) for name, verdict in shown}


class Kernel:
    """Runs a lesson's notebooks in this process, and keeps what `check` shows where they run as handed in."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.verdicts: dict[str, Verdict] = {}

    def __call__(self, notebook: NotebookNode, run: str, /, **ways: Any) -> Executed:
        namespace: dict[str, Any] = {"__name__": "__main__", "display": lambda *values: None}
        with torch_as_it_was():
            for cell in notebook.cells:
                if is_test(cell):
                    cell.outputs = [self._check(cell["id"], notebook, namespace, run)]
                elif cell.cell_type == "code":
                    execute(compiled(self.lesson.name, cell["id"], cell.source), namespace)
        return Executed(notebook)

    def _check(
        self, name: str, notebook: NotebookNode, namespace: Mapping[str, Any], run: str
    ) -> NotebookNode:
        """What a check puts out when graded; and in the notebook, what it shows."""
        task, bank = self.lesson.bank.tasks[name], self.lesson.bank
        evidence = collect(task, bank, namespace, run)
        if run == AS_SEEN:
            verdict = judge(task, evidence, as_seen=True)
            needed = [] if verdict.passed else [bank.tasks[need] for need in task.needs]
            earlier = {one.id: judge(one, collect(one, bank, namespace), as_seen=True) for one in needed}
            self.verdicts[name] = with_unfinished(verdict, task, bank, earlier)
        return new_output("execute_result", EvidenceOutput(evidence)._repr_mimebundle_())


@cache
def compiled(lesson: str, cell: str, text: str) -> CodeType | None:
    """A cell's code under a file name like a notebook's, or None if it is no Python."""
    file = f"<cell {lesson}/{cell} {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            return compile(text, file, "exec")
        except SyntaxError:
            return None


def execute(code: CodeType | None, namespace: dict[str, Any]) -> None:
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


@contextlib.contextmanager
def torch_as_it_was() -> Iterator[None]:
    """Put back what an answer may have changed for the whole process."""
    state, dtype, gradients = torch.get_rng_state(), torch.get_default_dtype(), torch.is_grad_enabled()
    try:
        yield
    finally:
        torch.set_rng_state(state)
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(gradients)


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
