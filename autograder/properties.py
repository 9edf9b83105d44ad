"""Rules that a result obeys whatever its values: what a task may state beside the right numbers.

A property looks at one result and either finds nothing or says where the rule is broken first. It never
earns a point; it explains a wrong value better than the value can.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from autograder.findings import BrokenProperty

Rule = Callable[..., BrokenProperty | None]


def sums_to_one(result: Tensor, axis: int = -1) -> BrokenProperty | None:
    """Every slice along `axis` adds up to 1, as weights must."""
    if result.ndim == 0:
        return None
    sums = result.double().sum(dim=axis)  # (…) without `axis`
    # A sum that misses 1 by less than this reads like rounding, and does not explain what is wrong.
    broken = (sums - 1).abs() > 0.01
    if not bool(broken.any()):
        return None
    index = first_index(broken)
    return BrokenProperty(
        property="sums-to-one", index=index, obtained=float(sums[index]), axis=axis % result.ndim
    )


def not_negative(result: Tensor) -> BrokenProperty | None:
    """No entry lies below zero."""
    broken = result.double() < 0
    if not bool(broken.any()):
        return None
    index = first_index(broken)
    return BrokenProperty(property="not-negative", index=index, obtained=float(result[index]))


def symmetric(result: Tensor) -> BrokenProperty | None:
    """Entry (i, j) equals entry (j, i), as plain dot products of tokens with each other must."""
    broken = (result.double() - result.double().mT).abs() > 1e-4
    if not bool(broken.any()):
        return None
    index = first_index(broken)
    return BrokenProperty(property="symmetric", index=index, obtained=float(result[index]))


def causal(result: Tensor) -> BrokenProperty | None:
    """Above the diagonal of the last two axes every entry is 0: no weight on what comes later."""
    broken = result.double().triu(diagonal=1) != 0
    if not bool(broken.any()):
        return None
    index = first_index(broken)
    return BrokenProperty(property="causal", index=index, obtained=float(result[index]))


RULES: dict[str, Rule] = {
    "causal": causal,
    "sums-to-one": sums_to_one,
    "not-negative": not_negative,
    "symmetric": symmetric,
}


def violation(name: str, result: Tensor, settings: dict[str, Any]) -> BrokenProperty | None:
    """Apply the rule of that name.

    Raises:
        KeyError: there is no such rule.
    """
    return RULES[name](result, **settings)


def first_index(mask: Tensor) -> tuple[int, ...]:
    """Return the index of the first True entry, in reading order."""
    return tuple(int(position) for position in mask.nonzero()[0])
