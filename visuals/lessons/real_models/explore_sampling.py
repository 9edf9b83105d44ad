"""Choose temperature, top-k and top-p, and see what the next token is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visuals.arrays import token_names, with_axes
from visuals.lessons.real_models.sampling import sampling_bars, softmax
from visuals.live import Explorer
from visuals.not_ready import when_ready

# What the still picture shows.
TEMPERATURES, TOP_P = (0.5, 1.0, 2.0), 0.7


@when_ready
def explore_sampling(logits: Any, tokens: Sequence[str]) -> Explorer:
    """Explore how a next token is chosen: move temperature, top-k and top-p.

    logits (vocab,); tokens: one string per logit.

    Raises ValueError for another number of axes or of tokens.
    """
    values = with_axes(logits, "logits", ("vocab",))
    names = token_names(tokens, len(values), "logits", "tokens")
    shares = [top_p(softmax(values / temperature), TOP_P) for temperature in TEMPERATURES]
    ways = [f"T = {temperature:g}, top-p {TOP_P}" for temperature in TEMPERATURES]
    return Explorer(
        "lessons/real_models/sampling.js",
        shows={"logits": values.tolist(), "tokens": names},
        chosen={"temperature": 1.0, "k": len(names), "p": 1.0},
        picture=lambda: sampling_bars(values, shares, names, ways),
    )


def top_p(shares: np.ndarray, enough: float) -> np.ndarray:
    """Return probabilities (vocab,) of the fewest tokens that reach `enough` together, 0 for all others."""
    order = np.argsort(-shares, kind="stable")
    likelier = np.cumsum(shares[order]) - shares[order]  # what the likelier tokens reach together
    kept = np.where(np.isin(np.arange(len(shares)), order[likelier < enough]), shares, 0.0)
    return np.asarray(kept / kept.sum())
