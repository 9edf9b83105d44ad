"""Choose a query token and see the weights of several heads: side by side, or laid over one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from visuals.arrays import listed, token_names, with_axes
from visuals.figures.maps import attention_map
from visuals.lessons.multi_head.heads import MOST_HEADS
from visuals.live import Explorer
from visuals.not_ready import when_ready


@when_ready
def explore_heads(weights: Any, tokens: Sequence[str], names: Sequence[str] | None = None) -> Explorer:
    """Explore where several heads attend: choose the query token, and heads side by side or superposed.

    weights (heads, tokens, tokens), as from one sentence; tokens: one string per token; names: one string per
    head, in place of its number.

    Raises ValueError for another number of axes, a map that is not square, more than 8 heads, tokens or names
    that do not fit, TypeError for what holds no numbers.
    """
    values = with_axes(weights, "weights", ("heads", "tokens", "tokens"))
    heads, queries, keys = values.shape
    if queries != keys:
        raise ValueError(f"weights needs one row per key; its shape is {values.shape}.")
    if heads > MOST_HEADS:
        raise ValueError(f"weights has {heads} heads; at most {MOST_HEADS} are shown.")
    words = token_names(tokens, keys, "weights", "tokens")
    named = [f"head {head}" for head in range(heads)] if names is None else names
    named = token_names(named, heads, "weights", "heads")
    return Explorer(
        "lessons/multi_head/heads.js",
        shows={"weights": listed(values), "tokens": words, "names": named},
        chosen={"query": min(2, keys - 1), "view": 0},
        picture=lambda: attention_map(values, words, title=f"{heads} heads, side by side", names=named),
    )
