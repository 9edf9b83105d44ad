"""Outcomes are plain data, and what they say of a tensor is so."""

from __future__ import annotations

import pytest
import torch
from autograder.records.run_outcome import ModuleReport, Outcome


@pytest.mark.parametrize("shape", [(5,), (2, 1), (), None, (-2,)])
def test_a_stated_shape_or_dtype_that_is_not_the_tensors_is_not_believed(shape):
    outcome = Outcome("torch.Tensor", torch.ones(2), shape, "float64")
    assert (outcome.shape, outcome.dtype) == ((2,), "float32")


def test_only_names_and_shapes_keep_weights_out():
    assert ModuleReport(unreached=("W",), unsteady=True).loadable
    for kind in ("missing", "unexpected", "reshaped"):
        assert not ModuleReport(**{kind: ("W",)}).loadable
