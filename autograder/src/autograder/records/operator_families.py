"""Ready-made calls that a task can forbid, in families of those that do the same work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """Ready-made calls that do the same work, by patterns."""

    name: str  # what a task forbids them by
    instead: str  # what the learner is asked to write, as in "this task asks you to write … yourself"
    names: re.Pattern[str]  # of functions, methods, modules and operators, in Python and in ATen
    operators: re.Pattern[str]  # at which a call is noticed: its own and those that it may be made of


@dataclass(frozen=True)
class Described:
    """A family as a course's file describes it: a table of `forbidden`."""

    instead: str
    names: tuple[str, ...]
    also: tuple[str, ...] = ()


def families(table: Mapping[str, Described]) -> tuple[Family, ...]:
    """Return the families that a course's file describes.

    Raises:
        KeyError: one names another in `also` that is not there.
        RecursionError: some name each other in a circle.
        re.error: a pattern cannot be read.
    """

    def names(name: str) -> list[str]:
        return [
            *table[name].names,
            *(part for other in table[name].also for part in names(other)),
        ]

    def pattern(some: Iterable[str]) -> re.Pattern[str]:
        # The way back through a call that was seen on the way there is no call of the learner's.
        return re.compile(rf"(?!\w*backward)({'|'.join(some)})", re.IGNORECASE)

    operators = pattern(dict.fromkeys(part for name in table for part in names(name)))
    return tuple(
        Family(name, entry.instead, pattern(names(name)), operators) for name, entry in table.items()
    )
