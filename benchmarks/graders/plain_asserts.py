"""Two asserts, as courses with nbgrader and otter write them: shape and `allclose` on the seeded example."""

from __future__ import annotations

import torch
from autograder.records.run_outcome import Outcome

from benchmarks.graders import Attempt, Feedback, compared_on_example


def grade(attempt: Attempt) -> Feedback | None:
    """Compare shape and numbers with the solution's on the notebook's example."""
    return compared_on_example(attempt, _compare)


def _compare(actual: Outcome, expected: Outcome) -> Feedback:
    if actual.tensor is None or actual.shape != expected.shape:
        return Feedback(False, f"AssertionError: expected shape {expected.shape}, got {actual.shape}")
    assert expected.tensor is not None
    both = actual.tensor.to(expected.tensor.dtype), expected.tensor
    if both[0].is_floating_point():
        same = torch.allclose(*both, atol=1e-4, rtol=1e-4)
    else:
        same = torch.equal(*both)
    return Feedback(same, "" if same else "AssertionError: wrong values")
