"""When two results count as equal.

The tolerances are those of `torch.testing.assert_close`
(https://docs.pytorch.org/docs/stable/testing.html), written out here because importing `torch.testing`
takes half a second, which a learner would wait for at their first check.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

# dtype: (relative, absolute)
TOLERANCES: dict[torch.dtype, tuple[float, float]] = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
}


def tolerance(*dtypes: torch.dtype) -> tuple[float, float]:
    """Return the widest (relative, absolute) tolerance among some dtypes; exact for integers and bool."""
    found = [TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in dtypes]
    return max(pair[0] for pair in found), max(pair[1] for pair in found)


def close(actual: Tensor, expected: Tensor) -> Tensor:
    """Entry by entry, whether two tensors of one shape agree; nan agrees with nan. Same shape, bool."""
    if _whole(actual, expected):  # doubles would take large ones that differ by 1 for the same
        return actual == expected
    if actual.is_complex() or expected.is_complex():
        return torch.isclose(actual.to(torch.complex128), expected.to(torch.complex128), equal_nan=True)
    relative, absolute = tolerance(actual.dtype, expected.dtype)
    left, right = actual.double(), expected.double()
    apart = (left - right).abs()
    within = apart <= absolute + relative * right.abs()
    if bool((apart < math.inf).all()):  # so neither holds an inf or a nan, as is nearly always so
        return within
    within &= left.isfinite() & right.isfinite()  # inf - 5 is no larger than a tolerance relative to inf
    return within | (left == right) | (left.isnan() & right.isnan())


def _whole(*tensors: Tensor) -> bool:
    return not any(one.is_floating_point() or one.is_complex() for one in tensors)


def all_close(actual: Tensor, expected: Tensor) -> bool:
    """Tell whether two tensors have the same shape and agree everywhere."""
    return actual.shape == expected.shape and bool(close(actual, expected).all())


def looks_rounded(actual: Tensor, expected: Tensor) -> bool:
    """Tell whether the answer is the right one cut to a few decimals, as when copied from the text."""
    if _whole(actual, expected):
        return False
    cut = actual.double()
    apart = float((cut - expected.double()).abs().max())
    return any(
        apart <= 0.51 * 10**-decimals
        and bool(((cut * 10**decimals).round() / 10**decimals - cut).abs().max() < 1e-6)
        for decimals in (4, 3, 2)
    )
