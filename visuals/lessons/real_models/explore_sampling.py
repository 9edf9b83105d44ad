"""Choose temperature, top-k and top-p, and see what the next token is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from visuals.arrays import token_names, with_axes
from visuals.figures.vectors import token_vectors
from visuals.live import Explorer
from visuals.not_ready import when_ready
from visuals.picture import Picture

TEMPERATURES = (0.5, 1.0, 2.0)


def _draw(logits: np.ndarray, tokens: list[str]) -> Picture:
    """Draw the probabilities of all tokens at some temperatures."""
    warmed = logits / np.array(TEMPERATURES)[:, None]
    shares = np.exp(warmed - warmed.max(axis=1, keepdims=True))  # (temperatures, vocab)
    rows = [f"T = {temperature:g}" for temperature in TEMPERATURES]
    picture = token_vectors(shares / shares.sum(axis=1, keepdims=True), rows, "temperature", "token")
    assert isinstance(picture, Picture)  # the logits are numbers
    return Picture(picture.figure, f"{picture.alt} {', '.join(tokens)}")


@when_ready
def explore_sampling(logits: Any, tokens: Sequence[str]) -> Explorer:
    """Explore how a next token is chosen: move temperature, top-k and top-p.

    logits (vocab,); tokens: one string per logit.

    Raises ValueError for another number of axes or of tokens.
    """
    values = with_axes(logits, "logits", ("vocab",))
    names = token_names(tokens, len(values), "logits", "tokens")
    return Explorer(
        "lessons/real_models/sampling.js",
        shows={"logits": values.tolist(), "tokens": names},
        chosen={"temperature": 1.0, "k": len(names), "p": 1.0},
        picture=partial(_draw, values, names),
    )
