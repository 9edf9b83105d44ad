"""Pictures and explorers of attention, for the lessons and for learners' own tensors."""

from visuals.explorers import explore_query
from visuals.figures import (
    attention_map,
    overflow,
    query_scores,
    scores_to_context,
    sum_versus_softmax,
    token_vectors,
    weights_and_context,
)

__all__ = [
    "attention_map",
    "explore_query",
    "overflow",
    "query_scores",
    "scores_to_context",
    "sum_versus_softmax",
    "token_vectors",
    "weights_and_context",
]
