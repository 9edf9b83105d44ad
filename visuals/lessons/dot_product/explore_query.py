"""Choose a query token and how sharp softmax is, and watch scores, weights and context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from visuals.arrays import listed, token_names, with_axes
from visuals.lessons.dot_product.scores import scores_to_context
from visuals.live import Explorer
from visuals.not_ready import when_ready


@when_ready
def explore_query(inputs: Any, tokens: Sequence[str]) -> Explorer:
    """Explore attention without trainable weights: choose the query token and the sharpness of softmax.

    inputs (tokens, dimensions); tokens: one string per row.

    Raises ValueError for another number of axes or of tokens, TypeError for what holds no numbers.
    """
    values = with_axes(inputs, "inputs", ("tokens", "dimensions"))
    names = token_names(tokens, len(values), "inputs", "tokens")
    query = min(1, len(names) - 1)
    return Explorer(
        "lessons/dot_product/query.js",
        shows={"inputs": listed(values), "tokens": names},
        chosen={"query": query, "sharpness": 1.0},
        picture=lambda: scores_to_context(values, names, query),
    )
