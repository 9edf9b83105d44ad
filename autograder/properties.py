"""Rules that a result obeys whatever its values: what a task may state beside the right numbers.

A property looks at one result and either finds nothing or says where the rule is broken first. It never
earns a point; it explains a wrong value better than the value can.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from autograder.findings import BrokenProperty

# Where a result breaks a rule, and the numbers that are found there; both have the same shape.
Broken = tuple[Tensor, Tensor]


def sums_to_one(result: Tensor) -> Broken:
    """Every row adds up to 1, as weights must."""
    if result.ndim == 0:
        return torch.tensor(False), result
    sums = result.double().sum(dim=-1)  # (…) without the last axis
    # A sum that misses 1 by less than this reads like rounding, and does not explain what is wrong.
    return (sums - 1).abs() > 0.01, sums


def not_negative(result: Tensor) -> Broken:
    """No entry lies below zero."""
    return result.double() < 0, result


def symmetric(result: Tensor) -> Broken:
    """Entry (i, j) equals entry (j, i), as plain dot products of tokens with each other must."""
    return (result.double() - result.double().mT).abs() > 1e-4, result


def causal(result: Tensor) -> Broken:
    """Above the diagonal of the last two axes every entry is 0: no weight on what comes later."""
    return result.double().triu(diagonal=1) != 0, result


RULES: dict[str, Callable[[Tensor], Broken]] = {
    "causal": causal,
    "sums-to-one": sums_to_one,
    "not-negative": not_negative,
    "symmetric": symmetric,
}


def violation(name: str, result: Tensor) -> BrokenProperty | None:
    """Apply the rule of that name, and say where the result breaks it first.

    Raises:
        KeyError: there is no such rule.
    """
    broken, numbers = RULES[name](result)
    if not bool(broken.any()):
        return None
    index = first_index(broken)
    return BrokenProperty(name, index, float(numbers[index]))


def first_index(mask: Tensor) -> tuple[int, ...]:
    """Return the index of the first True entry, in reading order."""
    return tuple(int(position) for position in mask.nonzero()[0])
