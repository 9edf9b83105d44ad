"""Words that an experiment or a property brings with it: whoever defines one also says how it is told.

A course may say the same in words of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from autograder.records.answer_findings import BrokenProperty, WrongBehaviour
from autograder.records.bank import Probe, Task
from autograder.words.phrases import N_

Case = tuple[Any, Mapping[str, Any]]
Words = Mapping[Any, tuple[str, ...]]  # a headline and advice for each case


@dataclass(frozen=True)
class Seen:
    """Where an experiment saw something else than with the solution."""

    finding: WrongBehaviour
    task: Task
    probe: Probe


class ExperimentWords(Protocol):
    """What can be said of an experiment: a headline and advice for each case."""

    @property
    def words(self) -> Words: ...

    @property
    def case(self) -> Callable[[Seen], Case]:
        """Which case it is, and what fills in its words beside the numbers `obtained` and `expected`."""

    @property
    def axes(self) -> int | None:
        """How many axes its tensor has; None where that is the answer's own result."""


class PropertyWords(Protocol):
    """What can be said of a property: a headline and advice for each case."""

    @property
    def words(self) -> Words: ...

    @property
    def case(self) -> Callable[[BrokenProperty, Task], Case]:
        """Which case it is, and what fills in its words beside the number `obtained`."""


# By the names that findings have for them; `experiments.registry` puts its tables here.
EXPERIMENTS: Mapping[str, ExperimentWords] = {}
PROPERTIES: Mapping[str, PropertyWords] = {}
# What the course says instead of a case's words, by the names of these, and of what follows.
SAYS: Mapping[str, Words] = {}
NOT_FINITE = "not-finite"
OF_NOT_FINITE: Words = {
    "nan": N_(
        "nan comes from 0/0 or inf/inf or 0 times inf: a sum that is zero, an exponential above what a "
        "float can hold, or a −inf that was multiplied by 0."
    ),
    "-inf": N_("−inf comes from the logarithm of 0, or was put there to hide something."),
    "inf": N_("inf comes from dividing by zero or from exp() of a number above 88."),
}


def sentences(name: str, case: Any, overrides: Words) -> tuple[str, ...]:
    """Return what is said of a case: in the course's words where it has some."""
    return SAYS.get(name, {}).get(case, overrides[case])
