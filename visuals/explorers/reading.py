"""Type a sentence of your own and see where your own attention, with trained weights, looks in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visuals.arrays import is_placeholder, with_axes
from visuals.explorers.maps import NUMBERED, attended, grid, image
from visuals.explorers.maps import sentence as attended_in_words
from visuals.explorers.own_sentence import OwnSentence
from visuals.figures.maps import attention_map
from visuals.not_ready import NotReady
from visuals.picture import Picture
from visuals.trained import trained_words

CASH = "the girl walked to the bank because she needed cash"


class ReadingExplorer(OwnSentence):
    """Type a sentence and choose a word; see the attention map and where the word looks.

    `map` (tokens, tokens) are the weights that are shown just now.
    """

    def __init__(self, weigh: Callable[[Any], Any], sentence: str, query: int) -> None:
        self._weigh = weigh
        super().__init__(sentence, query)

    @property
    def map(self) -> np.ndarray:
        weights = self._weigh(trained_words().embed(self.sentence))
        return with_axes(weights, "the weights", ("queries", "keys"))

    @property
    def alt(self) -> str:
        tokens, query = trained_words().tokens(self.sentence), self.query.value
        return self.trouble or attended_in_words(self.map[query], "", tokens[query], tokens)

    @property
    def html(self) -> str:
        tokens, query, values = trained_words().tokens(self.sentence), self.query.value, self.map
        numbered = len(tokens) <= NUMBERED
        whole = grid(values, query, tokens, tokens, 1.0) if numbered else image(values, query, 1.0)
        return (
            '<div class="attention-explorer" style="display: flex; flex-wrap: wrap; gap: 8px 28px;">'
            f"{whole}{attended(values[query], tokens, 1.0)}</div>"
        )

    @property
    def picture(self) -> Picture:
        picture = attention_map(self.map, trained_words().tokens(self.sentence))
        assert isinstance(picture, Picture)  # the weights were there when the explorer was made
        return picture


def explore_reading(
    weigh: Callable[[Any], Any], sentence: str = CASH, word: str = "bank"
) -> ReadingExplorer | NotReady:
    """Explore where an attention with trained weights looks in a sentence that you type.

    weigh: makes attention weights (tokens, tokens) of vectors (tokens, 16); sentence: of the words that
    `trained_words` knows; word: the query to start with.

    Raises ValueError for a word that is not known or does not stand in the sentence, and for weights of
    another shape; and what `weigh` raises.
    """
    small = trained_words()
    if is_placeholder(weigh(small.embed(sentence))):
        return NotReady()
    return ReadingExplorer(weigh, sentence, small.tokens(sentence).index(word))
