"""Type a sentence of your own and see where your own attention, with trained weights, looks in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from visuals.arrays import is_placeholder, listed, with_axes
from visuals.figures.maps import attention_map
from visuals.live import Explorer
from visuals.not_ready import NotReady
from visuals.picture import Picture
from visuals.trained import trained_words

FISH = "the king sat by the bank because he wanted fish"


def explore_reading(
    weigh: Callable[[Any], Any], sentence: str = FISH, word: str = "bank"
) -> Explorer | Picture | NotReady:
    """Explore where an attention with trained weights looks in a sentence that you type.

    weigh: makes attention weights (tokens, tokens) of vectors (tokens, 16); sentence: of the words that
    `trained_words` knows; word: the query to start with. Where the weights are no softmax of a score for each
    two words, with the future hidden or not, the map of the sentence is all there is to see.

    Raises ValueError for a word that is not known or does not stand in the sentence, and for weights of
    another shape; and what `weigh` raises.
    """
    small = trained_words()
    first = weigh(small.embed(sentence))
    if is_placeholder(first):
        return NotReady()
    tokens = small.tokens(sentence)
    shown = torch.as_tensor(with_axes(first, "the weights", ("queries", "keys")))  # (tokens, tokens)
    query = tokens.index(word)
    scores, causal = _scores(weigh)
    places = [small.words.index(token) for token in tokens]
    again = scores[places][:, places]  # (tokens, tokens)
    if causal:
        again = again.masked_fill(torch.ones_like(again).triu(1).bool(), -torch.inf)

    def draw() -> Picture | NotReady:
        return attention_map(shown, tokens)

    if not torch.allclose(torch.softmax(again, dim=-1), shown, atol=1e-4):
        return draw()
    return Explorer(
        "explorers/reading.js",
        shows={"words": list(small.words), "scores": listed(scores), "causal": causal},
        chosen={"text": sentence, "query": query},
        picture=draw,
    )


def _scores(weigh: Callable[[Any], Any]) -> tuple[Tensor, bool]:
    """Return a score for each two words (words, words), and whether the future is hidden.

    Each row is short of one number, of which softmax takes no notice; so the scores of any sentence's words
    make its weights. In the words twice over, the second round sees the whole first one, even where the
    future is hidden.
    """
    vectors = trained_words().embeddings
    count = len(vectors)
    weights = with_axes(weigh(vectors.repeat(2, 1)), "the weights", ("queries", "keys"))
    whole = torch.as_tensor(weights)  # (2 words, 2 words)
    scores = whole[count:, :count].log().clamp(min=-100.0)
    return scores, bool((whole.triu(1) == 0).all())
