"""What a lesson's `tasks.py` is written with.

A task is described once, here; the build runs the lesson's own solution on its probes to learn the right
outcomes, and the known wrong answers to learn theirs. No expected number is ever typed in.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch

from autograder.bank import Check, Made, Probe, Property, Specimen, TaskKind, Value
from autograder.edits import Change, before, body, edit, faulty, instead, returns, table
from autograder.problems import AuthoringError

__all__ = [
    "AuthoringError",
    "Axes",
    "Check",
    "Fault",
    "Faults",
    "Forbid",
    "Lesson",
    "Made",
    "OnResult",
    "Probe",
    "Property",
    "Right",
    "Specimen",
    "Task",
    "Wrong",
    "before",
    "body",
    "edit",
    "faulty",
    "instead",
    "load_faults",
    "load_lesson",
    "returns",
    "rights",
    "wrongs",
]

Axes = tuple[str, ...]


@dataclass(frozen=True)
class Fault:
    """A mistake that people make, named once for the whole course.

    Args:
        id: lower-case words joined by hyphens.
        name: what a report calls it, as a short statement: "the scores are not scaled".
        hint: what a learner reads who made it. What stands between braces is filled in with the task's own
            `words`, as in "Divide the scores by {width}."
        section: the lesson's cell that explains it, as "02-trainable#why-scale"; empty where none does.
        parts: what a task must have for the mistake to be possible, by the names in `Task.parts`; none where
            the mistake is expected of no task in particular.
        varies: whether there is a number in it that may be any, so that it is known by which results are
            wrong.
    """

    id: str
    name: str
    hint: str
    section: str = ""
    parts: tuple[str, ...] = ()
    varies: bool = False


@dataclass(frozen=True)
class OnResult:
    """A mistake that is made with a result when it is done, whatever was computed before.

    The build tries it on the right result and on that of each other mistake, without running anything.

    Args:
        fault: the id of the mistake.
        change: makes the wrong result of a result and the place of an axis.
        axes: names of the axes that it may be made along; the last axis where there are none.
        least: how many axes a result must have.
        alone: whether it is not tried together with other mistakes.
    """

    fault: str
    change: Callable[[torch.Tensor, int], torch.Tensor]
    axes: tuple[str, ...] = ()
    least: int = 1
    alone: bool = False

    def of(self, result: torch.Tensor, axes: Axes) -> torch.Tensor | None:
        """Return the wrong result; None where this result has no such axis, or is no result of this task."""
        named = [place for place, name in enumerate(axes) if name in self.axes]
        if result.ndim != len(axes) or result.ndim < self.least or (self.axes and not named):
            return None
        axis = named[0] if named else result.ndim - 1
        if not result.shape[axis] or not result.is_floating_point():
            return None
        try:
            return self.change(result, axis)
        except (RuntimeError, IndexError):
            return None  # a result of this size has no such place


@dataclass(frozen=True, init=False)
class Wrong:
    """A wrong answer that people really give, as changes to the solution.

    Args:
        fault: the id of the mistake in `faults.py`. Several wrong answers may show one mistake.
        changes: what is changed in the solution cell's text.
        hint: what this task says instead of the mistake's own hint.
    """

    fault: str
    changes: tuple[Change, ...]
    hint: str

    def __init__(self, fault: str, *changes: Change, hint: str = "") -> None:
        object.__setattr__(self, "fault", fault)
        object.__setattr__(self, "changes", changes)
        object.__setattr__(self, "hint", hint)


@dataclass(frozen=True, init=False)
class Right:
    """A different answer that is right as well, as changes to the solution."""

    id: str
    changes: tuple[Change, ...]

    def __init__(self, id: str, *changes: Change) -> None:
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "changes", changes)


def wrongs(text: str) -> tuple[Wrong, ...]:
    """Known wrong answers as a table: see `autograder.edits.table`."""
    return tuple(Wrong(name, *changes, hint=hint) for name, changes, hint in table(text))


def rights(text: str) -> tuple[Right, ...]:
    """Other right answers as a table: see `autograder.edits.table`."""
    return tuple(Right(name, *changes) for name, changes, _ in table(text))


@dataclass(frozen=True)
class Forbid:
    """Ready-made calls that an answer must do without, since writing them is the task.

    The task's text has to say so.

    Args:
        families: names under `forbidden` in `course.toml`; each stands for all calls that do the same work.
        points: what an answer loses that makes such a call.
        caught: answers that would be right but for such a call.
    """

    families: tuple[str, ...]
    points: int
    caught: tuple[Right, ...]


@dataclass(frozen=True)
class Task:
    """One task of a lesson.

    Args:
        id: task id, nbgrader grade id of the test cell and key in the bank.
        title: a few words, shown with every feedback.
        name: the name that the learner defines.
        kind: "tensor", "function", "module", or "class" for any other class, of which each probe's `settings`
            name the `method` to call.
        signature: how the name is written in the text: "dot(a, b)", or just the name for a tensor.
        axes: names of the result's axes. "stations as start" is the axis `stations` in the role of starts.
        input_axes: names of each input's axes, for the inputs that are tensors. A name stands for one size
            throughout a probe; over all probes no two names may always have the same size.
        learned: shown on success: what the learner now knows.
        hints: shown one at a time, from a nudge to nearly the answer.
        checks: what earns points.
        wrong: known wrong answers, at least two.
        right: different right answers, for the audit.
        probes: inputs for a function; leave empty for a tensor, whose probes are the lesson's givens.
        number: whether a plain number is accepted where the result has no axes.
        dtypes: dtypes the result may have.
        properties: rules that the result obeys, by their names in `autograder.properties`.
        needs: tasks whose answers this one is built from.
        forbids: calls that the answer must do without.
        keeps: for a tensor, names of the lesson's other tensors that the answer cell must leave as they are.
        words: what this task calls things, for the hints of faults: {"scores": "attn_scores"}. They come
            before the course's own `WORDS`.
        parts: what the answer is made of, as far as faults ask for it: ("padding", "stride", "bias").
        cannot: faults that its parts make possible and that it has no wrong answer for: fault id to reason.
    """

    id: str
    title: str
    name: str
    kind: TaskKind
    signature: str
    axes: Axes
    learned: str
    hints: tuple[str, ...]
    checks: tuple[Check, ...]
    wrong: tuple[Wrong, ...]
    right: tuple[Right, ...] = ()
    input_axes: Mapping[str, Axes] = field(default_factory=lambda: MappingProxyType({}))
    probes: tuple[Probe, ...] = ()
    number: bool = False
    dtypes: tuple[str, ...] = ("float32", "float64")
    properties: tuple[Property, ...] = ()
    needs: tuple[str, ...] = ()
    forbids: Forbid | None = None
    keeps: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    parts: tuple[str, ...] = ()
    cannot: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def points(self) -> int:
        return sum(check.points for check in self.checks)


@dataclass(frozen=True)
class Faults:
    """The course's vocabulary of mistakes.

    Args:
        known: every mistake by its id.
        words: what hints call things where a task does not say.
        together: mistakes that are often made together, three or more at a time, by id.
        on_results: mistakes that are made with a result when it is done.
    """

    known: Mapping[str, Fault]
    words: Mapping[str, str]
    together: tuple[tuple[str, ...], ...] = ()
    on_results: tuple[OnResult, ...] = ()

    def hint(self, wrong: Wrong, task: Task) -> str:
        """Return what a learner reads who gave this answer to this task.

        Raises:
            AuthoringError: nobody says what a word in the hint stands for.
        """
        try:
            return self.fill(wrong.hint or self.known[wrong.fault].hint, task)
        except (KeyError, ValueError, IndexError) as problem:
            raise AuthoringError([f"{wrong.fault}: its hint cannot be filled in ({problem!r})"]) from problem

    def fill(self, template: str, task: Task, said: Callable[[str, str], str] = lambda _, word: word) -> str:
        """Return a hint filled in with what a task calls things.

        `said` gives such a word in another language.
        """
        course, own = (
            {name: said(context, word) for name, word in words.items()}
            for context, words in (("word", self.words), (task.id, task.words))
        )
        return template.format_map({**course, "name": task.name, "signature": task.signature, **own})


@dataclass(frozen=True)
class Lesson:
    """All tasks of a lesson and how to draw its example data anew.

    Args:
        title: the lesson's title.
        tasks: in the order of the text.
        given_axes: names of the axes of each given tensor.
        redraw: makes new values for every given from a seeded generator, of the same shapes: a tensor that
            a learner typed in is right for one set of givens only.
        redraws: how many redrawn sets of givens the public bank holds.
    """

    title: str
    tasks: tuple[Task, ...]
    given_axes: Mapping[str, Axes]
    redraw: Callable[[torch.Generator], Mapping[str, Value]]
    redraws: int = 1


def load_lesson(folder: Path) -> Lesson:
    """Return the `LESSON` that a lesson folder's `tasks.py` defines.

    Raises:
        AuthoringError: `tasks.py` is missing, fails, or defines no `LESSON`.
    """
    lesson = _load(folder / "tasks.py", f"lesson_{folder.name.replace('-', '_')}").get("LESSON")
    if not isinstance(lesson, Lesson):
        raise AuthoringError([f"{folder.name}/tasks.py: defines no LESSON"])
    return lesson


def load_faults(source: Path) -> Faults:
    """Return the mistakes that `faults.py` names, in the folder of all lessons.

    Raises:
        AuthoringError: `faults.py` is missing, fails, or names a mistake twice.
    """
    found = _load(source / "faults.py", "course_faults")
    faults: tuple[Fault, ...] = tuple(found.get("FAULTS", ()))
    counts = Counter(fault.id for fault in faults)
    twice = [f"faults.py: {name} is named {count} times" for name, count in counts.items() if count > 1]
    if twice:
        raise AuthoringError(twice)
    known = {fault.id: fault for fault in faults}
    together = tuple(tuple(names) for names in found.get("TOGETHER", ()))
    on_results: tuple[OnResult, ...] = tuple(found.get("ON_RESULTS", ()))
    used = {name for names in together for name in names} | {one.fault for one in on_results}
    unknown = sorted(used - set(known))
    if unknown:
        raise AuthoringError([f"faults.py: {', '.join(unknown)} is used, and FAULTS does not name it"])
    return Faults(known, dict(found.get("WORDS", {})), together, on_results)


def _load(path: Path, name: str) -> dict[str, Any]:
    """Return what a file of the course defines."""
    where = f"{path.parent.name}/{path.name}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise AuthoringError([f"{path.parent.name}: there is no {path.name}"])
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as problem:
        raise AuthoringError([f"{where}: {type(problem).__name__}: {problem}"]) from problem
    return vars(module)
