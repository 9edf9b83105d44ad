"""Choose a sequence, a head and a query of your own attention weights, and see where it attends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visuals.arrays import listed
from visuals.figures.maps import attention_map, readable
from visuals.live import Explorer
from visuals.not_ready import when_ready

# Up to so many maps stand side by side in the static picture; of more, the first one.
MOST_STILL = 8


@when_ready
def explore_map(
    weights: Any,
    tokens: Sequence[str],
    query_tokens: Sequence[str] | None = None,
    title: str | None = None,
) -> Explorer:
    """Explore attention weights (or scores) of your own: choose a sequence, a head and a query.

    weights (queries, keys), (batch, queries, keys) or (batch, heads, queries, keys); tokens: one string per
    key; query_tokens: one string per query, the same as tokens when left out; title: of the static picture.

    Raises ValueError for another number of axes or tokens that do not fit, TypeError for what holds no
    numbers.
    """
    values, queries, keys = readable(weights, tokens, query_tokens)
    maps = values.reshape((1,) * (4 - values.ndim) + values.shape)  # (batch, heads, queries, keys)
    few = values.size // maps[0, 0].size <= MOST_STILL
    # One scale for all maps, so that two heads can be compared.
    most = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
    return Explorer(
        "explorers/map.js",
        shows={
            "weights": listed(maps),
            "queries": queries,
            "keys": keys,
            "axes": values.ndim - 2,
            "most": most,
        },
        chosen={"sequence": 0, "head": 0, "query": 0},
        picture=lambda: attention_map(values if few else maps[0, 0], keys, queries, title),
    )
