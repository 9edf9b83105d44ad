"""Scores, weights and context of one query: the model behind the pictures and the explorer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class QueryFlow:
    """What one query token computes: scores (tokens,), weights (tokens,) and context (features,).

    `so_far` (tokens, features) is how the context builds: after the first token's share, the second's, …
    """

    query: int
    sharpness: float
    scores: np.ndarray
    weights: np.ndarray
    context: np.ndarray
    so_far: np.ndarray


def softmax(scores: np.ndarray) -> np.ndarray:
    """Softmax of scores (tokens,) to weights (tokens,); NaN where the scores hold NaN or inf, as in torch."""
    with np.errstate(invalid="ignore"):
        exponentials = np.exp(scores - scores.max())
        return exponentials / exponentials.sum()


def follow_query(inputs: np.ndarray, query: int, sharpness: float = 1.0) -> QueryFlow:
    """Attention without trainable weights for one token of inputs (tokens, features).

    Sharpness multiplies the scores before softmax (it is 1 / temperature): 0 gives equal weights, 1 the plain
    softmax, a large value all weight to the largest score.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        scores = inputs @ inputs[query]  # (tokens, features) @ (features,) -> (tokens,)
        weights = softmax(sharpness * scores)
        context = weights @ inputs  # (tokens,) @ (tokens, features) -> (features,)
        so_far = np.cumsum(weights[:, None] * inputs, axis=0)  # (tokens, 1) * (tokens, features)
    return QueryFlow(query, sharpness, scores, weights, context, so_far)
