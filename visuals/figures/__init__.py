"""The figures of the lessons, one idea per module; each function returns a `Picture`."""

from visuals.figures.context import scores_to_context, weights_and_context
from visuals.figures.maps import attention_map
from visuals.figures.normalising import sum_versus_softmax
from visuals.figures.overflowing import overflow
from visuals.figures.vectors import query_scores, token_vectors

__all__ = [
    "attention_map",
    "overflow",
    "query_scores",
    "scores_to_context",
    "sum_versus_softmax",
    "token_vectors",
    "weights_and_context",
]
