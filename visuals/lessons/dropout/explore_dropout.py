"""Choose p, draw dropout masks, and watch what one draw does and what many average to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visuals.arrays import listed, token_names, with_axes
from visuals.lessons.dropout.dropping import MOST_TOKENS, dropout_steps
from visuals.live import Explorer
from visuals.not_ready import when_ready

P = 0.5
SEED = 123


@when_ready
def explore_dropout(weights: Any, tokens: Sequence[str]) -> Explorer:
    """Explore dropout on attention weights: choose p, draw again, and compare the average with the weights.

    weights (queries, keys), as many queries as keys, at most 8; tokens: one string per key.

    Raises ValueError for another shape or number of tokens, TypeError for what holds no numbers.
    """
    values = with_axes(weights, "weights", ("queries", "keys"))
    if values.shape[0] != values.shape[1] or len(values) > MOST_TOKENS:
        raise ValueError(
            f"weights needs the shape (tokens, tokens) with at most {MOST_TOKENS} tokens; "
            f"its shape is {values.shape}."
        )
    names = token_names(tokens, len(values), "weights", "keys")
    first = np.random.default_rng(SEED).random(values.shape)  # (queries, keys)
    return Explorer(
        "lessons/dropout/dropout.js",
        shows={"weights": listed(values), "first": listed(first), "tokens": names},
        chosen={"p": P, "atOnce": 0, "draws": 1},
        picture=lambda: dropout_steps(values, first >= P, P, names),
    )
