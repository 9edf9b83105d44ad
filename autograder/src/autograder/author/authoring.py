"""Define the classes with which a lesson's `tasks.py` describes its tasks.

A task is described once, here. The build runs the lesson's own solution on the task's probes to get the right
outcomes, and the known wrong answers to get the wrong ones. No expected number is ever typed in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch

from autograder.author.answer_edits import Right, Wrong, rights, wrongs
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import Check, Forbid, Made, Probe, Specimen, Task, Value, WrongAnswer
from autograder.records.load_definitions import defined_by

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
    "Right",
    "Specimen",
    "Task",
    "Wrong",
    "load_faults",
    "load_lesson",
    "rights",
    "wrongs",
]

Axes = tuple[str, ...]


@dataclass(frozen=True)
class Fault:
    """A mistake that learners make, named once for the whole course."""

    id: str  # lower-case words joined by hyphens
    name: str  # its name in a report, a short statement: "the scores are not scaled"
    # The hint for a learner who made it. Words between braces are filled in from the task's own `words`, as
    # in "Divide the scores by {width}."
    hint: str
    section: str = ""  # the lesson's cell that explains it, as "02-trainable#why-scale"
    # The parts that a task needs for the mistake to be possible, by the names in `Task.parts`; none where it
    # is expected of no task in particular.
    parts: tuple[str, ...] = ()
    varies: bool = False  # whether a number in it may be any, so that it is known by which results are wrong


@dataclass(frozen=True)
class OnResult:
    """A mistake that learners make with a finished result, whatever the computation before.

    The build applies it to the right result and to the result of each other mistake, without running any
    code.
    """

    fault: str  # the id of the mistake
    change: Callable[[torch.Tensor, int], torch.Tensor]  # makes the mistake, given the index of an axis
    axes: tuple[str, ...] = ()  # the axes along which it can be made; the last one if empty
    least: int = 1  # the smallest number of axes of a result
    alone: bool = False  # whether it is not tried together with other mistakes
    code: str = ""  # a regular expression that the solution's text must match

    def of(self, result: torch.Tensor, axes: Axes) -> torch.Tensor | None:
        """Return the wrong result, or None if the mistake is impossible here.

        Args:
            result: the result before the mistake.
            axes: the names of the axes that the task's result has.

        Returns:
            The result after the mistake, usually of the same shape; None if `result` has no such axis, or not
            the task's number of dimensions.
        """
        named = [index for index, name in enumerate(axes) if name in self.axes]
        if result.ndim != len(axes) or result.ndim < self.least or (self.axes and not named):
            return None
        axis = named[0] if named else result.ndim - 1
        if not result.shape[axis] or not result.is_floating_point():
            return None
        try:
            return self.change(result, axis)
        except (RuntimeError, IndexError):
            return None  # a result of this size has no such place


@dataclass(frozen=True)
class Faults:
    """The mistakes that a course names, and the words for its hints."""

    known: Mapping[str, Fault]  # by id
    words: Mapping[str, str]  # the default words for hints
    together: tuple[tuple[str, ...], ...] = ()  # ids of mistakes that are often made by threes or more
    on_results: tuple[OnResult, ...] = ()
    shared: frozenset[str] = frozenset()  # ids of mistakes that every lesson may use

    def hint(self, wrong: WrongAnswer, task: Task) -> str:
        """Return the hint for a learner who gave this wrong answer to this task.

        Raises:
            AuthoringError: the hint contains a placeholder that neither the course nor the task defines.
        """
        try:
            return self.fill(wrong.hint or self.known[wrong.fault].hint, task)
        except (KeyError, ValueError, IndexError) as problem:
            raise AuthoringError([f"{wrong.fault}: its hint cannot be filled in ({problem!r})"]) from problem

    def fill(
        self, template: str, task: Task, in_language: Callable[[str, str], str] = lambda _, word: word
    ) -> str:
        """Return a hint with its placeholders replaced by the task's words.

        Args:
            template: the hint, with placeholders such as `{width}`.
            task: the task.
            in_language: translates such a word, given its context and the word.
        """
        course, of_task = (
            {name: in_language(context, word) for name, word in words.items()}
            for context, words in (("word", self.words), (task.id, task.words))
        )
        return template.format_map({**course, "name": task.name, "signature": task.signature, **of_task})


@dataclass(frozen=True)
class Lesson:
    """All tasks of a lesson, and the function that redraws its example data."""

    title: str  # its number and name, as its notebook begins: "01 · Convolution"
    tasks: tuple[Task, ...]  # in the order of the text
    given_axes: Mapping[str, Axes]  # of each given tensor
    # Makes new values for every given from a seeded generator, of the same shapes: a tensor that a learner
    # typed in is right for one set of givens only.
    redraw: Callable[[torch.Generator], Mapping[str, Value]]
    redraws: int = 1  # the number of redrawn sets of givens in the public bank


def load_lesson(folder: Path) -> Lesson:
    """Return the `LESSON` that a lesson folder's `tasks.py` defines.

    Raises:
        AuthoringError: `tasks.py` is missing, fails, or defines no `LESSON`.
    """
    lesson = defined_by(folder / "tasks.py", f"lesson_{folder.name.replace('-', '_')}").get("LESSON")
    if not isinstance(lesson, Lesson):
        raise AuthoringError([f"{folder.name}/tasks.py: defines no LESSON"])
    return lesson


def load_faults(source: Path, lesson: str | None = None) -> Faults:
    """Return the mistakes of a course, or those that one lesson may use.

    `faults.py` in the folder of all lessons holds the mistakes that lessons share. A lesson may have a
    `faults.py` of its own beside its tasks, for mistakes that no other lesson uses.

    Args:
        source: the folder of all lessons.
        lesson: a lesson, whose own mistakes are returned with the shared ones; None for those of all lessons.

    Raises:
        AuthoringError: a file fails, the shared one is missing, or a mistake is named twice.
    """
    defined = defined_by(source / "faults.py", "course_faults")
    faults: list[Fault] = list(defined.get("FAULTS", ()))
    shared = {fault.id for fault in faults}
    for path in sorted(source.glob(f"{lesson or '*'}/faults.py")):
        name = f"faults_{path.parent.name.replace('-', '_')}"
        faults += defined_by(path, name).get("FAULTS", ())
    counts = Counter(fault.id for fault in faults)
    twice = [f"faults.py: {name} is named {count} times" for name, count in counts.items() if count > 1]
    if twice:
        raise AuthoringError(twice)
    by_name = {fault.id: fault for fault in faults}
    together = tuple(tuple(names) for names in defined.get("TOGETHER", ()))
    on_results: tuple[OnResult, ...] = tuple(defined.get("ON_RESULTS", ()))
    used = {name for names in together for name in names} | {slip.fault for slip in on_results}
    unknown = sorted(used - shared)
    if unknown:
        raise AuthoringError([f"faults.py: {', '.join(unknown)} is used, and FAULTS does not name it"])
    return Faults(by_name, dict(defined.get("WORDS", {})), together, on_results, frozenset(shared))
