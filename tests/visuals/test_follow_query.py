"""What one query computes, behind the figures of lesson 01."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from visuals.flow import follow_query


def test_the_model_computes_scores_weights_and_context(inputs):
    flow = follow_query(inputs.double().numpy(), query=1)
    scores = inputs @ inputs[1]
    weights = torch.softmax(scores, dim=0)
    np.testing.assert_allclose(flow.scores, scores, rtol=1e-6)
    np.testing.assert_allclose(flow.weights, weights, rtol=1e-6)
    np.testing.assert_allclose(flow.context, weights @ inputs, rtol=1e-6)


@pytest.mark.parametrize("sharpness", [0.5, 3.0, 20.0])
def test_sharpness_scales_the_scores_before_softmax(inputs, sharpness):
    flow = follow_query(inputs.double().numpy(), 1, sharpness)
    np.testing.assert_allclose(
        flow.weights, torch.softmax(sharpness * (inputs @ inputs[1]), dim=0), rtol=1e-5
    )
    np.testing.assert_allclose(flow.scores, inputs @ inputs[1], rtol=1e-6)


def test_no_sharpness_gives_equal_weights(inputs):
    np.testing.assert_allclose(follow_query(inputs.numpy(), 1, 0.0).weights, np.full(6, 1 / 6))
