"""`explore_map` on tensors of a learner's own: what it refuses and waits for."""

from __future__ import annotations

import pytest
import torch

from visuals import explore_map


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((6,), r"needs the axes \(queries, keys\).*its shape is \(6,\)"),
        ((6, 5), "6 tokens do not fit"),
        ((5, 6), "pass query_tokens"),
        ((0, 6), "is empty"),
    ],
)
def test_a_shape_that_cannot_be_shown_is_explained(shape, message, tokens):
    with pytest.raises(ValueError, match=message):
        explore_map(torch.zeros(shape), tokens)
