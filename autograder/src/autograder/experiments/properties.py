"""Properties: rules that every right result of a task obeys, whatever its values.

A property finds the first entry of a result that breaks its rule. It never earns points; it explains a wrong
value better than the value itself can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.records.answer_findings import BrokenProperty
from autograder.records.bank import Task
from autograder.records.tensor_comparison import first_index
from autograder.words.phrases import N_, axis_name, slice_at
from autograder.words.plugin_words import Case

# Where a result breaks a rule, and the numbers that are found there; both have the same shape.
Broken = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Property:
    """A property: its rule, and the words for a result that breaks it."""

    name: str  # its name in a task's `properties`
    # Returns the index at which a result breaks the property, and the numbers there.
    broken: Callable[[Tensor], Broken]
    words: Mapping[Any, tuple[str, ...]]  # a headline and advice for each case
    # Returns the case, and the values of its words beside the number `obtained`.
    case: Callable[[BrokenProperty, Task], Case] = lambda *_: ("", {})


def sums_to_one(result: Tensor) -> Broken:
    """Every row adds up to 1.

    Returns:
        A mask of the rows that do not, and the sums.
    """
    if result.ndim == 0:
        return torch.tensor(False), result
    sums = result.double().sum(dim=-1)  # (…) without the last axis
    # A sum that misses 1 by less than this reads like rounding, and does not explain what is wrong.
    return (sums - 1).abs() > 0.01, sums


def not_negative(result: Tensor) -> Broken:
    """No entry is negative.

    Returns:
        A mask of the entries that are, and the result.
    """
    return result.double() < 0, result


def symmetric(result: Tensor) -> Broken:
    """Entry (i, j) equals entry (j, i).

    Returns:
        A mask of the entries that do not, and the result.
    """
    return (result.double() - result.double().mT).abs() > 1e-4, result


def causal(result: Tensor) -> Broken:
    """Every entry above the diagonal of the last two axes is 0: no position uses a later one.

    Returns:
        A mask of the entries above the diagonal that are not 0, and the result.
    """
    return result.double().triu(diagonal=1) != 0, result


def _sum(finding: BrokenProperty, task: Task) -> Case:
    names = ", ".join(map(partial(slice_at, task), task.axes, finding.index))
    return "row" if finding.index else "one", {"index": ", ".join(map(str, finding.index)), "names": names}


def _pair(finding: BrokenProperty, task: Task) -> Case:
    *others, row, column = finding.index
    earlier, later = (slice_at(task, axis_name(task.axes, axis), finding.index[axis]) for axis in (-2, -1))
    return "", {"flipped": [*others, column, row], "own": earlier, "later": later}


SUMS_TO_ONE = {
    "one": N_("The result adds up to {obtained}{where}; it should add up to 1."),
    "row": N_("Row {index} ({names}) adds up to {obtained}{where}; every row should add up to 1."),
}
NOT_NEGATIVE = {"": N_("{place} is {obtained}{where}; no entry should be negative.")}
SYMMETRIC = {
    "": N_(
        "{place} differs from entry {flipped}{where}.",
        "Two entries that mirror each other are the same.",
    )
}
CAUSAL = {
    "": N_(
        "{place} is {obtained}{where}: {own} takes something from {later}, which comes later.",
        "Above the diagonal every entry must be 0.",
    )
}
PROPERTIES: dict[str, Property] = {
    prop.name: prop
    for prop in (
        Property("causal", causal, CAUSAL, _pair),
        Property("sums-to-one", sums_to_one, SUMS_TO_ONE, _sum),
        Property("not-negative", not_negative, NOT_NEGATIVE),
        Property("symmetric", symmetric, SYMMETRIC, _pair),
    )
}


def violation(name: str, result: Tensor) -> BrokenProperty | None:
    """Return the first place where a result breaks the property of that name; None if it obeys the property.

    Raises:
        KeyError: there is no such property.
    """
    broken, numbers = PROPERTIES[name].broken(result)
    if not bool(broken.any()):
        return None
    index = first_index(broken)
    return BrokenProperty(name, index, float(numbers[index]))
