"""The interface of experiments and properties to the wording: each brings its own words.

A course may replace these words by its own.
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
    """A difference between an experiment's results with the answer and with the solution."""

    finding: WrongBehaviour
    task: Task
    probe: Probe


class ExperimentWords(Protocol):
    """The words of an experiment: a headline and advice for each case."""

    @property
    def words(self) -> Words: ...

    @property
    def case(self) -> Callable[[Seen], Case]:
        """The function that selects the case, and fills its placeholders beside `obtained` and `expected`."""

    @property
    def axes(self) -> int | None:
        """The number of axes of the experiment's tensor; None if that is the answer's own result."""


class PropertyWords(Protocol):
    """The words of a property: a headline and advice for each case."""

    @property
    def words(self) -> Words: ...

    @property
    def case(self) -> Callable[[BrokenProperty, Task], Case]:
        """The function that selects the case, and fills its placeholders beside `obtained`."""


# By the names that findings have for them; `experiments.registry` puts its tables here.
EXPERIMENTS: Mapping[str, ExperimentWords] = {}
PROPERTIES: Mapping[str, PropertyWords] = {}
# What the course says instead of a case's words, by the names of these, and of what follows.
SAYS: Mapping[str, Words] = {}
NOT_FINITE = "not-finite"
OF_NOT_FINITE: Words = {
    "nan": N_(
        "nan comes from 0/0, inf/inf, inf − inf or 0 times inf, or from the root or logarithm of a number "
        "below 0. Look for the line that makes the first one."
    ),
    "-inf": N_("−inf comes from the logarithm of 0, or was put there to hide something."),
    "inf": N_("inf comes from dividing by zero or from exp() of a large number, or was put there."),
}


def sentences(name: str, case: Any, overrides: Words) -> tuple[str, ...]:
    """Return the sentences of a case: the course's if it has any, else the given ones.

    Args:
        name: the name of the experiment or property.
        case: the case among the words of that name.
        overrides: the words that come with the experiment or property, by case.
    """
    return SAYS.get(name, {}).get(case, overrides[case])
