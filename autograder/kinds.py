"""Whether what an answer gave is of a kind that its task takes: type and dtype."""

from __future__ import annotations

from autograder.bank import Task
from autograder.outcome import Outcome

NUMBER_TYPES = ("int", "float", "complex", "bool")
DIGITS = {"float16": 1, "bfloat16": 1, "float32": 2, "float64": 3}


def type_fits(task: Task, outcome: Outcome) -> bool:
    """Tell whether a tensor, or a number where the task takes one, was given."""
    if outcome.type_name == "torch.Tensor":
        return True
    scalar = outcome.type_name in NUMBER_TYPES or (
        outcome.type_name.startswith("numpy.") and outcome.type_name != "numpy.ndarray"
    )
    scalar = scalar or (outcome.type_name == "numpy.ndarray" and outcome.shape == ())
    return task.number and scalar and outcome.tensor is not None and outcome.type_name != "bool"


def dtype_fits(task: Task, outcome: Outcome) -> bool:
    """Tell whether the dtype is one that the task names."""
    if outcome.dtype in task.dtypes:
        return True
    # A plain number has no dtype that a learner chose: 1.0 is a float64 to numpy and to us.
    return (
        task.number
        and outcome.type_name != "torch.Tensor"
        and not outcome.dtype.startswith(("bool", "complex"))
    )


def narrower(dtype: str, expected: str) -> bool:
    """Tell whether a floating-point dtype keeps fewer digits than the one that is expected."""
    return dtype in DIGITS and expected in DIGITS and DIGITS[dtype] < DIGITS[expected]
