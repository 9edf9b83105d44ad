"""Two asserts, as courses with nbgrader and otter write them: shape and `allclose` on the seeded example."""

from __future__ import annotations

import torch

from benchmarks.graders import Attempt, Feedback, stopped


def grade(attempt: Attempt) -> Feedback | None:
    """Compare shape and numbers with the solution's on the notebook's example."""
    if attempt.error is not None:
        return stopped(attempt)
    called = attempt.on_example()
    if called is None:
        return None
    actual, expected = called
    if (stop := stopped(attempt, actual)) is not None:
        return stop
    if actual.tensor is None or actual.shape != expected.shape:
        return Feedback(False, f"AssertionError: expected shape {expected.shape}, got {actual.shape}")
    assert expected.tensor is not None
    both = actual.tensor.to(expected.tensor.dtype), expected.tensor
    if both[0].is_floating_point():
        same = torch.allclose(*both, atol=1e-4, rtol=1e-4)
    else:
        same = torch.equal(*both)
    return Feedback(same, "" if same else "AssertionError: wrong values")
