"""The fingerprint of a tensor: a few numbers that are equal for equal tensors of any layout and scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

FEWEST, MOST = 6, 20_000  # numbers in a tensor; fewer look like others by chance
MOST_AXES = 4
# An entry that is not finite, or so low that no softmax sees it, is taken for this many of the usual entries.
HIDDEN = 3.0
LOW = -9e3
CLOSE = 2e-4


@dataclass(frozen=True)
class Fingerprint:
    """A few numbers that describe a tensor; axes of size 1 are ignored."""

    shape: tuple[int, ...]
    size: float  # the root mean square of its entries
    sums: tuple[float, ...]  # of its entries in that measure, along fixed directions


def fingerprint(tensor: Tensor) -> Fingerprint | None:
    """Return a tensor's fingerprint in the order of its axes; None for unsuitable tensors, such as zeros."""
    entries = _entries(tensor)
    return None if entries is None else _measured(entries)


def fingerprints(tensor: Tensor) -> tuple[Fingerprint, ...]:
    """Return a tensor's fingerprint for every order of its axes, the present order first."""
    entries = _entries(tensor)
    if entries is None or entries.ndim > MOST_AXES:
        return ()
    return tuple(_measured(entries.permute(order)) for order in permutations(range(entries.ndim)))


def factor_between(actual: Fingerprint, expected: Sequence[Fingerprint]) -> float | None:
    """Return the factor from the expected tensor to the actual one; None if it is not a multiple.

    Neighbouring axes may be joined in one of the two tensors: (days, groups, size) and (days, groups * size)
    have the same numbers in the same order.

    Args:
        actual: the actual tensor's fingerprint.
        expected: the expected tensor's fingerprints, for several orders of its axes.
    """
    for candidate in expected:
        if not (_joins(actual.shape, candidate.shape) or _joins(candidate.shape, actual.shape)):
            continue
        for sign in (1.0, -1.0):
            if all(abs(sign * a - b) <= CLOSE for a, b in zip(actual.sums, candidate.sums, strict=True)):
                return sign * actual.size / candidate.size
    return None


@lru_cache(maxsize=4096)  # few shapes are compared, each many times
def _joins(few: tuple[int, ...], many: tuple[int, ...]) -> bool:
    """Tell whether a shape comes from another one by joining neighbouring axes."""
    rest = list(many)
    for size in few:
        product = 1
        while product < size and rest:
            product *= rest.pop(0)
        if product != size:
            return False
    return not rest


def _entries(tensor: Tensor) -> Tensor | None:
    import torch  # not above: see `bank.files`

    if not FEWEST <= tensor.numel() <= MOST or tensor.is_complex() or tensor.layout != torch.strided:
        return None
    if tensor.device.type != "cpu":
        return None
    entries = tensor.detach().double().squeeze()
    usual = entries.isfinite() & (entries > LOW)
    size = float(entries[usual].square().mean().sqrt()) if bool(usual.any()) else 0.0
    return torch.where(usual, entries, HIDDEN * size) if size else None


def _measured(entries: Tensor) -> Fingerprint:
    flat = entries.flatten()
    size = float(flat.square().mean().sqrt())
    sums = _directions(len(flat)) @ (flat / size) / math.sqrt(len(flat))
    rounded = tuple(round(value, 5) for value in sums.tolist())
    return Fingerprint(tuple(entries.shape), float(f"{size:.6g}"), rounded)


@lru_cache(maxsize=64)
def _directions(count: int) -> Tensor:
    """Three fixed directions in which a tensor's entries are added up. Shape (3, count)."""
    import torch  # not above: see `bank.files`

    places = torch.arange(1, count + 1, dtype=torch.float64)
    steps = torch.tensor([12.9898, 78.233, 37.719], dtype=torch.float64)[:, None]
    return torch.sin(places * steps + steps.sqrt()) * math.sqrt(2)
