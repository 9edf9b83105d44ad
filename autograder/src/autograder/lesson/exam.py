"""An exam: one task in a blank cell, with a clock, and without checks until the answer is handed in."""

from __future__ import annotations

import contextlib
import json
import linecache
import re
import time
from dataclasses import dataclass, field, replace
from typing import Any

from autograder.lesson import check_calls, interactive_session, progress_store
from autograder.lesson.card_in_page import card_in_page
from autograder.lesson.missing_answers import is_open
from autograder.lesson.progress_store import ExamRecord
from autograder.records.authoring_errors import UserError
from autograder.records.bank import LessonBank, Task, axis_parts
from autograder.records.course import Course
from autograder.records.lesson_code import LessonCode
from autograder.words.feedback_card import Feedback, Notice
from autograder.words.language import _, ngettext
from autograder.words.phrases import OR, as_code

HEAD = "import torch\nfrom torch import nn\n\n\n"
GIVEN = "<given in the exam>"
PARTS = re.compile(r"(\w+)\((.*?)\)(?:\.(\w+)\((.*)\))?")


_MISSING: Any = object()


@dataclass
class _Given:
    """The functions and classes that a task builds on.

    Attributes:
        there: the names of those that the notebook has already.
        absent: the names of those that neither the notebook nor the exam has.
        before: what the names that the exam gives meant before.
        after: what these names mean now.
    """

    there: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)

    def take_back(self) -> None:
        """Let the names mean what they meant, unless the learner has given them another meaning."""
        shell = interactive_session.shell()
        for name, value in self.after.items() if shell else ():
            if shell.user_ns.get(name) is not value:
                continue
            if self.before[name] is _MISSING:
                del shell.user_ns[name]
            else:
                shell.user_ns[name] = self.before[name]


@dataclass
class _Sitting:
    """A task that is being asked: since when, what its name meant before, and when it was given a meaning."""

    course: Course
    task: Task
    lesson: LessonBank
    before: Any
    given: _Given = field(default_factory=_Given)
    began: float = field(default_factory=lambda: time.time())
    moments: list[float] = field(default_factory=list)
    latest: Any = None

    def after_cell(self, _result: Any) -> None:
        """Record the time if a cell has assigned the task's name."""
        answer = self.answer()
        if answer is not self.before and answer is not self.latest:
            self.latest = answer
            self.moments.append(time.time())

    def answer(self) -> Any:
        """Return the present value of the task's name."""
        return check_calls.notebook_names().get(self.task.name)


_sitting: _Sitting | None = None


@dataclass(frozen=True)
class Sheet(Notice):
    """The instructions of an exam; in JupyterLab, with a clock and a button that hands the answer in."""

    task: str = ""
    until: float = 0.0  # the end of the usual time; 0 without a clock

    __repr__ = Notice.__repr__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        still = {"text/plain": repr(self), "text/html": self._repr_html_()}
        if interactive_session.page() != "jupyter":
            return still
        does = f"__import__({__name__!r}, fromlist=['hand_in']).hand_in()"
        gone = Notice(_("Run a cell with `hand_in()`.")).html()
        agree = {"label": _("Hand in"), "does": does, "gone": gone, "again": True}
        clock = {
            "until": self.until * 1000,
            "left": _("{minutes} min left", minutes="{minutes}"),
            "over": _("The time is over; you can still hand in."),
        }
        more = {"agree": agree, **({"time": clock} if self.until else {})}
        return card_in_page(f"exam {self.task}", self.html(), still, **more)


def exam(task_id: str = "", clock: bool = True) -> Notice:
    """Start an exam on a task: you write the answer in a blank cell, without checks or hints.

    `hand_in()` ends the exam and shows the result of the check and your time. That check also uses numbers
    that the lesson's checks do not use. Exams are not graded.

    Args:
        task_id: the task's id. Without one, the possible tasks are listed with your last results.
        clock: whether to show the time that is left.
    """
    global _sitting
    if _sitting is not None:
        open_task = _sitting.task
        if task_id != open_task.id:
            return Notice(_("An exam on `{task}` is open. `hand_in()` ends it.", task=open_task.id))
        return _sheet(_sitting, clock)
    try:
        course = check_calls.find_course()
        asked = [name for name in course.lesson_of() if name in course.exam]
    except UserError as problem:
        return Notice(str(problem))
    if task_id not in asked:
        headline = _("There is no exam on `{task}`.", task=task_id) if task_id else _("Exams")
        return Notice(headline, tuple(_line(course, name) for name in asked))
    result = check_calls.find_task(task_id)
    if isinstance(result, Notice):
        return result
    course, task, lesson = result
    task = task.in_exam()
    lesson = replace(lesson, tasks={**lesson.tasks, task.id: task})
    before = check_calls.notebook_names().get(task.name)
    _sitting = _Sitting(course, task, lesson, before, _give(course, task, lesson))
    check_calls.in_exam.add(task.id)
    if shell := interactive_session.shell():
        shell.events.register("post_run_cell", _sitting.after_cell)
        shell.set_next_input(blank_cell(task))
    return _sheet(_sitting, clock)


def hand_in() -> Feedback | Notice:
    """Hand in your answer to the open exam, and show the result of its check and your time."""
    global _sitting
    sitting = _sitting
    if sitting is None:
        return Notice(_("No exam is open. `exam()` lists what can be asked."))
    task, answer = sitting.task, sitting.answer()
    if answer is None or answer is sitting.before:
        return Notice(_("Run the cell in which you write `{name}`, then hand in.", name=task.name))
    _sitting = None
    check_calls.in_exam.discard(task.id)
    if shell := interactive_session.shell():
        shell.events.unregister("post_run_cell", sitting.after_cell)
    seconds = time.time() - sitting.began
    feedback = check_calls.checked(task.id, lambda: (sitting.course, task, sitting.lesson), answer)
    sitting.given.take_back()
    if not isinstance(feedback, Feedback):
        return feedback if isinstance(feedback, Notice) else Notice(_("Received."))
    record = ExamRecord(seconds, feedback.verdict.earned, task.points)
    trouble = progress_store.write_exam(sitting.course.name, task.id, record)
    notes = (*feedback.notes, _took(sitting, seconds))
    return replace(feedback, notes=notes, aside=feedback.aside or trouble)


def _give(course: Course, task: Task, lesson: LessonBank) -> _Given:
    """Define in the notebook what a task builds on, where the notebook has nothing of its own under the name.

    The code is the course's own, from the solved notebook; only a course's folder has it.
    """
    given, shell = _Given(), interactive_session.shell()
    code = _solved(course, lesson)
    names = code.used_by(task, lesson)
    if shell is None or not names:
        return given
    open_names = [name for name in names if is_open(shell.user_ns.get(name, ...))]
    given.there = [name for name in names if name not in open_names]
    definitions = code.definitions(open_names, without={task.name, *given.there})
    taken = {name: text for name, text in definitions.items() if is_open(shell.user_ns.get(name, ...))}
    given.before = {name: shell.user_ns.get(name, _MISSING) for name in taken}
    text = "\n\n\n".join(taken.values())
    linecache.cache[GIVEN] = (len(text), None, text.splitlines(keepends=True), GIVEN)
    with contextlib.suppress(Exception):  # what a notebook has not imported yet
        exec(HEAD if taken else "", shell.user_ns)
        exec(compile(text, GIVEN, "exec"), shell.user_ns)
    given.after = {name: shell.user_ns[name] for name in taken if name in shell.user_ns}
    given.absent = [name for name in open_names if is_open(shell.user_ns.get(name, ...))]
    return given


def _solved(course: Course, lesson: LessonBank) -> LessonCode:
    """Return the code of a lesson from its solved notebook; none where only the bank is installed."""
    path = course.root / "solutions" / lesson.lesson / f"{lesson.lesson}.ipynb"
    course_cells, answers = [], {}
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        # Not by nbformat, which a student's environment need not have.
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                task = cell.get("id", "").removesuffix("-answer")
                if task != cell.get("id") and task in lesson.tasks:
                    answers[task] = "".join(cell["source"])
                else:
                    course_cells.append("".join(cell["source"]))
    return LessonCode(tuple(course_cells), answers)


def blank_cell(task: Task) -> str:
    """Return the code of an exam's blank cell: the imports and the signatures that the task asks for."""
    match = PARTS.fullmatch(task.signature)
    assert match is not None
    name, arguments, method, of_method = match.groups()
    if task.kind == "function":
        return f"{HEAD}def {name}({arguments}):\n    ...\n"
    if task.kind == "module":
        method, of_method, base = "forward", _inputs(task), "(nn.Module)"
    else:
        base = ""
    init = f"    def __init__(self, {arguments}):\n        ...\n\n"
    return f"{HEAD}class {name}{base}:\n{init}    def {method}(self, {of_method}):\n        ...\n"


def _inputs(task: Task) -> str:
    """Return the arguments of a module's `forward`; those that not every call gives may be left out."""
    calls = [probe.inputs for probe in task.probes if probe.inputs]
    names = dict.fromkeys(name for inputs in calls for name in inputs)
    return ", ".join(name if all(name in inputs for inputs in calls) else f"{name}=None" for name in names)


def _sheet(sitting: _Sitting, clock: bool) -> Sheet:
    task, minutes = sitting.task, sitting.course.exam[sitting.task.id]
    inputs = [f"{name} {_axes(axes)}" for name, axes in task.input_axes.items()]
    shapes = f"{', '.join(inputs)} → {_axes(task.axes)}"
    weights = dict.fromkeys(name for probe in task.probes for name in probe.weights)
    names, titles = (
        ", ".join(f"`{name}`" for name in weights),
        "; ".join(check.title for check in task.checks),
    )
    lines = [_("Write `{signature}` in the cell below, and run it.", signature=task.signature)]
    lines += [_("Shapes: {shapes}", shapes=shapes)] if inputs else []
    lines += [_("Its parameters: {names}", names=names)] if weights else []
    lines += _of_the_lesson(sitting.given)
    lines += [_("What is checked: {titles}.", titles=titles)]
    lines += [
        ngettext("It takes about {number} minute.", "It takes about {number} minutes.", minutes),
        _("No checks and no hints until you run `hand_in()`; it says what a check says."),
    ]
    until = sitting.began + 60 * minutes if clock else 0.0
    return Sheet(_("Exam: {title}", title=task.title), tuple(lines), task.id, until)


def _of_the_lesson(given: _Given) -> list[str]:
    """Return what the instructions say of the functions that the task builds on."""
    names = [name for name in given.after if name not in given.absent]
    lines = []
    if names:
        lines.append(
            _("Given: {names}. You can call what the course wrote, until `hand_in()`.", names=as_code(names))
        )
    if given.there:
        lines.append(_("You may use this notebook's {names}.", names=as_code(given.there)))
    if given.absent:
        absent = as_code(given.absent, _(OR))
        lines.append(_("This notebook has no {names}: do without, or write it again.", names=absent))
    return lines


def _axes(axes: tuple[str, ...]) -> str:
    return f"({', '.join(axis_parts(axis)[0] for axis in axes)})"


def _line(course: Course, task_id: str) -> str:
    """Return a task's line in the list of exams."""
    record = progress_store.read_exam(course.name, task_id)
    usual = ngettext("{number} minute", "{number} minutes", course.exam[task_id])
    if not record.seconds:
        return f"`{task_id}` · {usual}"
    earned = _("{earned} of {points}", earned=record.earned, points=record.points)
    return f"`{task_id}` · {usual} · {earned} · {_span(record.seconds)}"


def _took(sitting: _Sitting, seconds: float) -> str:
    """Return how long an exam took, and what of it went before the first version."""
    total = _("Your time: {time}.", time=_span(seconds))
    if len(sitting.moments) < 2:
        return total
    number, first = len(sitting.moments), _span(sitting.moments[0] - sitting.began)
    more = _("The first of {number} versions ran after {time}.", number=number, time=first)
    return f"{total} {more}"


def _span(seconds: float) -> str:
    return _("{minutes} min {seconds} s", minutes=int(seconds) // 60, seconds=int(seconds) % 60)
