"""The comparison of a result with the right one: its type, its dtype and its numbers.

The tolerances are those of `torch.testing.assert_close` (https://docs.pytorch.org/docs/stable/testing.html),
copied here because importing `torch.testing` takes half a second, for which a learner would wait at the first
check.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from autograder.records.bank import Task
from autograder.records.run_outcome import Outcome

# dtype: (relative, absolute)
TOLERANCES: dict[torch.dtype, tuple[float, float]] = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
}

# By so much of itself may a number differ that is said to be right, or by the noise of rounding.
LEAST_ALIKE, NOISE = 0.02, 1e-7
NUMBER_TYPES = ("int", "float", "complex", "bool")
DIGITS = {"float16": 1, "bfloat16": 1, "float32": 2, "float64": 3}


def tolerance(*dtypes: torch.dtype) -> tuple[float, float]:
    """Return the widest (relative, absolute) tolerance of some dtypes: (0, 0) for an integer or bool."""
    tolerances = [TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in dtypes]
    return max(pair[0] for pair in tolerances), max(pair[1] for pair in tolerances)


def close(actual: Tensor, expected: Tensor) -> Tensor:
    """Return for each entry whether two tensors of one shape agree; nan agrees with nan.

    Shapes:
        returns: that of the tensors, bool
    """
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


def plainly_right(actual: Tensor, expected: Tensor) -> Tensor:
    """Return for each entry whether two tensors of one shape agree even relative to the entry's own size.

    Entries as small as the absolute tolerance always agree in `close`, whatever their values.

    Shapes:
        returns: that of the tensors, bool
    """
    right = close(actual, expected)
    if _whole(actual, expected):
        return right
    apart = (actual.double() - expected.double()).abs().nan_to_num(0.0)
    return right & ((apart <= LEAST_ALIKE * expected.double().abs().nan_to_num()) | (apart <= NOISE))


def _whole(*tensors: Tensor) -> bool:
    return not any(tensor.is_floating_point() or tensor.is_complex() for tensor in tensors)


def first_index(mask: Tensor) -> tuple[int, ...]:
    """Return the index of the first True entry, in reading order."""
    return tuple(int(position) for position in mask.nonzero()[0])


def all_close(actual: Tensor, expected: Tensor) -> bool:
    """Tell whether two tensors have the same shape and agree everywhere."""
    return actual.shape == expected.shape and bool(close(actual, expected).all())


def looks_rounded(actual: Tensor, expected: Tensor) -> bool:
    """Tell whether a tensor is the right one rounded to a few decimals, as when copied from output."""
    if _whole(actual, expected):
        return False
    cut = actual.double()
    apart = float((cut - expected.double()).abs().max())
    return any(
        apart <= 0.51 * 10**-decimals
        and bool(((cut * 10**decimals).round() / 10**decimals - cut).abs().max() < 1e-6)
        for decimals in (4, 3, 2)
    )


def type_fits(task: Task, outcome: Outcome) -> bool:
    """Tell whether the result is a tensor, or a plain number if the task accepts one."""
    if outcome.type_name == "torch.Tensor":
        return True
    scalar = outcome.type_name in NUMBER_TYPES or (
        outcome.type_name.startswith("numpy.") and outcome.type_name != "numpy.ndarray"
    )
    scalar = scalar or (outcome.type_name == "numpy.ndarray" and outcome.shape == ())
    return task.number and scalar and outcome.tensor is not None and outcome.type_name != "bool"


def dtype_fits(task: Task, outcome: Outcome) -> bool:
    """Tell whether the task allows the result's dtype."""
    if outcome.dtype in task.dtypes:
        return True
    # A plain number has no dtype that a learner chose: 1.0 is a float64 to numpy and to us.
    return (
        task.number
        and outcome.type_name != "torch.Tensor"
        and not outcome.dtype.startswith(("bool", "complex"))
    )


def narrower(dtype: str, expected: str) -> bool:
    """Tell whether a floating-point dtype has fewer digits than the expected one."""
    return dtype in DIGITS and expected in DIGITS and DIGITS[dtype] < DIGITS[expected]
