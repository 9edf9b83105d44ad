"""Choose windows, layers and kept first tokens, and see how far information travels."""

from __future__ import annotations

import numpy as np

from visuals.figures.maps import attention_map
from visuals.live import Explorer
from visuals.picture import Picture


def _draw(num_tokens: int, window: int, layers: int) -> Picture:
    """Draw what one layer shows each token, and what arrives at it after all layers."""
    sees = np.tril(np.ones((num_tokens, num_tokens)))  # (tokens, tokens)
    sees -= np.tril(sees, -window)
    arrives = np.linalg.matrix_power(sees, layers) > 0  # (tokens, tokens)
    names = (f"one layer, window of {window}", f"behind {layers} layers")
    tokens = [str(position) for position in range(num_tokens)]
    picture = attention_map(np.stack((sees, arrives)), tokens, names=names, row_sums=False)
    assert isinstance(picture, Picture)  # these are numbers
    return picture


def explore_reach(num_tokens: int, window: int, layers: int) -> Explorer:
    """Explore how far information travels: choose a window, how many layers, and which have none.

    Raises ValueError for a text of fewer than 2 tokens or more than 48, and for no window or no layer.
    """
    if not 1 <= window <= num_tokens <= 48 or num_tokens < 2 or not 1 <= layers <= 8:
        raise ValueError("There are 2 to 48 tokens, a window from 1 to as many, and 1 to 8 layers.")
    return Explorer(
        "lessons/attention_today/reach.js",
        shows={"tokens": num_tokens},
        chosen={"window": window, "layers": layers, "every": 0, "sinks": 0, "query": num_tokens - 1},
        picture=lambda: _draw(num_tokens, window, layers),
    )
