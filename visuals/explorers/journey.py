"""Follow one query from its row of numbers to its context vector, stop by stop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visuals.arrays import listed, token_names, with_axes
from visuals.figures.context import weights_and_context
from visuals.flow import softmax
from visuals.live import Explorer
from visuals.not_ready import when_ready

MOST_TOKENS, MOST_COLUMNS = 8, 4  # that fit the stage
CALLED = ("queries", "keys", "values")


@when_ready
def explore_journey(
    queries: Any,
    keys: Any,
    values: Any,
    tokens: Sequence[str],
    *,
    query: int = 1,
    scale: bool = True,
    causal: bool = False,
    heads: int = 1,
    tile: int = 0,
    called: Sequence[str] = CALLED,
) -> Explorer:
    """Explore how one query's scores, weights and context vector come about.

    queries, keys, values (tokens, columns), of at most 8 tokens and 4 columns; query: where to start; scale:
    divide by the root of a head's columns; causal: hide later keys; heads: cut the columns into so many, and
    follow the first; tile: take so many keys at once; called: what the code calls the three.

    Raises ValueError for shapes that do not fit one another or the stage, TypeError for what holds no
    numbers.
    """
    q, k, v = (
        with_axes(given, name, ("tokens", "columns"))
        for given, name in zip((queries, keys, values), CALLED, strict=True)
    )
    if q.shape != k.shape or len(k) != len(v) or q.shape[1] % heads or v.shape[1] % heads:
        raise ValueError(f"queries {q.shape}, keys {k.shape} and values {v.shape} in {heads} heads must fit.")
    if len(q) > MOST_TOKENS or max(q.shape[1], v.shape[1]) > MOST_COLUMNS:
        raise ValueError(f"At most {MOST_TOKENS} tokens and {MOST_COLUMNS} columns fit; it is {q.shape}.")
    names = token_names(tokens, len(q), "queries", "tokens")
    width = q.shape[1] // heads
    scores = q[:, :width] @ k[:, :width].T / (width**0.5 if scale else 1.0)  # (queries, keys)
    if causal:
        scores = np.where(np.triu(np.ones_like(scores), k=1) > 0, -np.inf, scores)
    weights = np.stack([softmax(row) for row in scores])  # (queries, keys)
    return Explorer(
        "explorers/journey.js",
        shows={
            "queries": listed(q),
            "keys": listed(k),
            "values": listed(v),
            "tokens": names,
            "called": list(called),
            "same": bool(q.shape == k.shape and (q == k).all()),
            **({"scale": True} if scale else {}),
            **({"causal": True} if causal else {}),
            **({"heads": heads} if heads > 1 else {}),
            **({"tile": tile} if tile else {}),
        },
        chosen={"query": query, "stop": 0},
        picture=lambda: weights_and_context(weights, v[:, : v.shape[1] // heads], names, query=query),
    )
