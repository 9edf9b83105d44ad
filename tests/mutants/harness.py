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
import linecache
import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import unescape
from textwrap import dedent
from types import CodeType
from typing import Any, ClassVar
from unittest import mock

import torch
from autograder.author.parse_source import read_source
from autograder.experiments import registry as experiments
from autograder.grading.grade_notebook import grade
from autograder.grading.rebuild_submission import only_needed, up_to_the_last
from autograder.grading.sandbox.execute_notebook import Executed
from autograder.judge.decide import judge, with_unfinished
from autograder.lesson.check_calls import EvidenceOutput
from autograder.probe.collect_evidence import collect
from autograder.records.answer_findings import Verdict
from autograder.records.bank import AS_SEEN, LessonBank, Task, classes_made
from autograder.records.cell_roles import is_figure, is_measured, is_shown_only, is_test
from autograder.records.course import Course
from autograder.words.feedback_card import Feedback
from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_output

from tests.mutants.answers import ROOT


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
    experiments.use(Course.read(ROOT))  # state dicts, of which a bank holds only the names
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
    asked = (last, *lesson.bank.tasks[last].needs) if last else tuple(lesson.bank.tasks)
    notebook = up_to_the_last(lesson.notebook, asked)
    typed = {f"{task}-answer": dedent(code).strip("\n") for task, code in answers.items()}
    for cell in notebook.cells:
        cell.source = typed.get(cell["id"], cell.source)
    kernel = Kernel(lesson, typed)
    shortened = (
        only_needed(notebook, classes_made(lesson.bank)) if leaves_out(lesson_name, asked) else notebook
    )
    graded = grade(shortened, lesson.bank, kernel).verdicts
    shown = kernel.verdicts.items()
    return {name: Judged(lesson.bank.tasks[name], verdict, graded[name]) for name, verdict in shown}


@cache
def leaves_out(lesson_name: str, asked: tuple[str, ...]) -> bool:
    """Tell whether cells that nobody needs can be left out: as in the grader, where the solution passes so.

    A check also looks at what must stay as it was, and names that no cell needs may be among it.
    """
    lesson = load_lesson(lesson_name)
    if any(lesson.bank.tasks[name].kept for name in asked):
        return False
    kernel = Kernel(lesson, ())
    kernel(only_needed(up_to_the_last(lesson.notebook, asked), classes_made(lesson.bank)), AS_SEEN)
    return all(verdict.passed for verdict in kernel.verdicts.values())


class Kernel:
    """Runs a lesson's notebooks in this process, and keeps what `check` shows where they run as handed in.

    What a check says is kept, if nothing but the lesson's own solutions stands before it: that check has the
    same to say beside other answers.
    """

    known: ClassVar[dict[tuple[str, ...], tuple[NotebookNode, Verdict | None]]] = {}

    def __init__(self, lesson: Lesson, typed: Collection[str]) -> None:
        self.lesson = lesson
        self.typed = typed
        self.verdicts: dict[str, Verdict] = {}
        self.held: dict[str, dict[str, tuple[Any, ...]]] = {}  # the variables at the check of a solution

    def __call__(self, notebook: NotebookNode, run: str, /, **ways: Any) -> Executed:
        namespace: dict[str, Any] = {"__name__": "__main__", "display": lambda *values: None}
        with torch_as_it_was():
            ran, own = [self.lesson.name, run], True
            for cell in notebook.cells:
                if is_test(cell):
                    key = (cell["id"], *ran)
                    output, verdict = self.known.get(key) or self._check(cell["id"], namespace, run)
                    if own:
                        self.known[key] = output, verdict
                        self.held[cell["id"]] = held(namespace)
                    cell.outputs = [from_dict(output)]
                    if verdict is not None:
                        self.verdicts[cell["id"]] = verdict
                elif cell.cell_type == "code" and cell.source:
                    ran.append(cell.source)
                    own = own and cell["id"] not in self.typed
                    execute(compiled(self.lesson.name, cell["id"], cell.source), namespace)
        return Executed(notebook)

    def _check(
        self, name: str, namespace: Mapping[str, Any], run: str
    ) -> tuple[NotebookNode, Verdict | None]:
        """Return what a check puts out when graded; and in the notebook, what it shows."""
        task, bank = self.lesson.bank.tasks[name], self.lesson.bank
        evidence = collect(task, bank, namespace, run)
        shown = None
        if run == AS_SEEN:
            verdict = judge(task, evidence, as_seen=True)
            earlier = {} if verdict.passed else {need: self._now(need, namespace) for need in task.needs}
            shown = with_unfinished(verdict, task, bank, earlier)
        return new_output("execute_result", EvidenceOutput(evidence)._repr_mimebundle_()), shown

    def _now(self, name: str, namespace: Mapping[str, Any]) -> Verdict:
        """Return the verdict on an earlier task, as it is after the answer under test."""
        if name in self.held and self.held[name].items() <= held(namespace).items():
            return self.verdicts[name]
        task, bank = self.lesson.bank.tasks[name], self.lesson.bank
        return judge(task, collect(task, bank, namespace), as_seen=True)


def held(namespace: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Return which objects some variables are, and what shows that one of them was changed in its place."""
    return {
        name: (id(value), getattr(value, "_version", 0), *map(id, vars(value).values()))
        if isinstance(value, type | torch.Tensor)
        else (id(value),)
        for name, value in namespace.items()
    }


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
    """Put back what an answer may have changed for the whole process; until then, seed the processor alone.

    For each kind of GPU, torch would write down the stack at each seed: that takes longer than most cells.
    """
    state, dtype, gradients = torch.get_rng_state(), torch.get_default_dtype(), torch.is_grad_enabled()
    try:
        with mock.patch.object(
            torch, "manual_seed", lambda seed: torch.default_generator.manual_seed(int(seed))
        ):
            yield
    finally:
        torch.set_rng_state(state)
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(gradients)


# What a learner must never meet in a message about their own code.
OURS = re.compile(r"Traceback|site-packages|autograder[/\\]|<cell |harness|\bOutcome\(|\bErrorReport\(")


def message(task: Task, verdict: Verdict) -> str:
    """The plain message on one line, after a look at both forms of it."""
    plain = repr(Feedback(task, verdict))
    rich = Feedback(task, verdict).html()
    assert not OURS.search(plain)
    assert not OURS.search(unescape(rich))
    assert rich.count("<div") == rich.count("</div>")
    assert task.title in plain
    return " ".join(plain.split())
