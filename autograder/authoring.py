"""What a lesson's `tasks.py` is written with.

A task is described once, here; the build runs the lesson's own solution on its probes to learn the right
outcomes, and the known wrong answers to learn theirs. No expected number is ever typed in.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch

from autograder.bank import RESULT, Property, Specimen, TaskKind, Value
from autograder.problems import AuthoringError

__all__ = [
    "AuthoringError",
    "Axes",
    "Check",
    "Forbid",
    "Lesson",
    "Made",
    "Probe",
    "Property",
    "Right",
    "Specimen",
    "Task",
    "Wrong",
    "load_lesson",
]

Axes = tuple[str, ...]


@dataclass(frozen=True)
class Made:
    """An input that is an instance of a class of the notebook, the learner's own.

    Args:
        name: the class's name.
        construct: the constructor's arguments by name, in order.
        seed: the seed under which the solution's own class draws the weights that it is given by name.
    """

    name: str
    construct: Mapping[str, Value]
    seed: int = 123


@dataclass(frozen=True)
class Probe:
    """Inputs to try a function on.

    Args:
        id: unique in the task.
        says: how a message names this input, as in "on {says}": "the sentence's first two tokens".
        inputs: the arguments by name, in the order of the signature. One may be an object: `Made` or
            `Specimen`.
        keywords: names of arguments that are passed by name, the constructor's among them.
        construct: for a module, the constructor's arguments by name, in order.
        seed: for a module, the seed under which the solution's own constructor draws the weights that every
            answer is then given, by parameter name.
        weights: for a module, parameters that get these values instead of the drawn ones.
        train: whether the module is called in training mode.
        dtype: what module and inputs are converted to.
        then: where the answer returns something to be called, the arguments it is called with.
        observe: the experiment of `autograder.experiments` whose result is compared; "result" calls the
            answer once. No points are earned by other experiments alone.
        settings: what the experiment wants to know.
        hidden: drawn from an instructor's secret; a message about it gives no numbers away.
        raises: names of exceptions, one of which a right answer raises here; nothing else is compared.
        redraw: makes inputs by name from a seeded generator that the hidden twin takes instead, where moving
            the numbers would say nothing: sizes, seeds, whole numbers, masks. It keeps what the probe is
            there for, such as an empty row.
    """

    id: str
    says: str
    inputs: Mapping[str, Value | Made | Specimen]
    keywords: tuple[str, ...] = ()
    construct: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    seed: int = 123
    weights: Mapping[str, torch.Tensor] = field(default_factory=lambda: MappingProxyType({}))
    train: bool = False
    dtype: str = "float32"
    then: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    observe: str = RESULT
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    hidden: bool = False
    raises: tuple[str, ...] = ()
    redraw: Callable[[torch.Generator], Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that people really give, and the hint that it deserves.

    For a function task `answer` is called like the function, and for a module task it is a class. For a
    tensor task it is called with the notebook variables that its parameters name, and returns a tensor.
    """

    id: str
    answer: Callable[..., Any]
    hint: str


@dataclass(frozen=True)
class Right:
    """A different answer that is right as well, written like `Wrong.answer`."""

    id: str
    answer: Callable[..., Any]


@dataclass(frozen=True)
class Check:
    """Probes that earn points together. A tensor task has one check and names no probes."""

    title: str
    points: int
    probes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Forbid:
    """Ready-made calls that an answer must do without, since writing them is the task.

    The task's text has to say so.

    Args:
        families: names in `autograder.forbidden.FAMILIES`; each stands for all calls that do the same work.
        points: what an answer loses that makes such a call.
        caught: answers that would be right but for such a call, written like `Wrong.answer`.
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
        kind: "tensor", "function" or "module".
        signature: how the name is written in the text: "dot(a, b)", or just the name for a tensor.
        axes: names of the result's axes. "tokens as query" is the axis `tokens` in the role of queries.
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

    @property
    def points(self) -> int:
        return sum(check.points for check in self.checks)


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
    """The `LESSON` that a lesson folder's `tasks.py` defines.

    Raises:
        AuthoringError: `tasks.py` is missing, fails, or defines no `LESSON`.
    """
    path = folder / "tasks.py"
    if not path.is_file():
        raise AuthoringError([f"{folder.name}: there is no tasks.py"])
    spec = importlib.util.spec_from_file_location(f"lesson_{folder.name.replace('-', '_')}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as problem:
        raise AuthoringError([f"{folder.name}/tasks.py: {type(problem).__name__}: {problem}"]) from problem
    lesson = getattr(module, "LESSON", None)
    if not isinstance(lesson, Lesson):
        raise AuthoringError([f"{folder.name}/tasks.py: defines no LESSON"])
    return lesson
