"""Let a text grow token by token, with the causal mask or without it, and see which rows move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visuals.arrays import listed, token_names, with_axes
from visuals.figures.maps import attention_map
from visuals.flow import softmax
from visuals.live import Explorer
from visuals.not_ready import NotReady, when_ready
from visuals.picture import Picture


@when_ready
def explore_causal_mask(scores: Any, tokens: Sequence[str]) -> Explorer:
    """Explore the causal mask: choose how many tokens there are, and whether the future is hidden.

    scores (tokens, tokens), ready for the softmax; tokens: one string per token.

    Raises ValueError when scores is not square or the tokens do not fit, TypeError for what holds no numbers.
    """
    values = with_axes(scores, "scores", ("queries", "keys"))
    if values.shape[0] != values.shape[1]:
        raise ValueError(f"scores must be square, one key for each query; its shape is {values.shape}.")
    names = token_names(tokens, len(values), "scores", "queries")
    count = min(3, len(names))

    def draw() -> Picture | NotReady:
        hidden = np.triu(np.ones((count, count)), k=1) > 0
        weights = np.stack([softmax(row) for row in np.where(hidden, -np.inf, values[:count, :count])])
        return attention_map(weights, names[:count], title=f"Weights of {count} tokens, mask on")

    return Explorer(
        "lessons/causal/growth.js",
        shows={"scores": listed(values), "tokens": names},
        chosen={"count": count, "mask": True},
        picture=draw,
    )
