"""Families of ready-made calls that do the same work, and that a task can forbid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """A family of ready-made calls that do the same work, as patterns of names and operators."""

    name: str  # its name in a task's `forbids`
    instead: str  # the thing that the learner writes, as in "this task asks you to write … yourself"
    names: re.Pattern[str]  # of functions, methods, modules and operators, in Python and in ATen
    operators: re.Pattern[str]  # the operators of such a call, by which it is noticed


@dataclass(frozen=True)
class Described:
    """A family as a course's file describes it, in a table of `forbidden`.

    A family without torch operators of its own is recognised by operators that run inside it: `at`.
    """

    instead: str
    names: tuple[str, ...]
    also: tuple[str, ...] = ()
    at: tuple[str, ...] = ()


def families(table: Mapping[str, Described]) -> tuple[Family, ...]:
    """Return the families that a course's file describes.

    Raises:
        KeyError: a family names another one in `also` that does not exist.
        RecursionError: families name each other in a circle.
        re.error: a pattern is not valid.
    """

    def names(name: str) -> list[str]:
        return [
            *table[name].names,
            *(part for other in table[name].also for part in names(other)),
        ]

    def pattern(some: Iterable[str], at: Iterable[str] = ()) -> re.Pattern[str]:
        # The way back through a call that was seen on the way there is no call of the learner's.
        parts = [rf"(?!\w*backward)({'|'.join(some)})", *at]
        return re.compile("|".join(parts), re.IGNORECASE)

    every = dict.fromkeys(part for name, entry in table.items() if not entry.at for part in names(name))
    return tuple(
        Family(
            name,
            entry.instead,
            # No operator has the names of such a family, and the way back may well be one of them.
            re.compile("|".join(entry.names)) if entry.at else pattern(names(name)),
            pattern(every, entry.at),
        )
        for name, entry in table.items()
    )
