"""Type a sentence of your own and see how its words move the meaning of one of them."""

from __future__ import annotations

from visuals.lessons.dot_product.meaning import in_plane, word_arrows
from visuals.live import Explorer
from visuals.trained import trained_words
from visuals.trained.corpus import PLANE


def explore_meaning(
    sentence: str = "the boy saw a fish and a boat by the bank", word: str = "bank"
) -> Explorer:
    """Explore how the words of a sentence move the context vector of one of them; type another sentence.

    sentence: of the words that `trained_words` knows; word: one of them.

    Raises ValueError for a word that is not known or does not stand in the sentence.
    """
    in_plane(sentence, word)
    return Explorer(
        "lessons/dot_product/meaning.js",
        shows={"points": {name: list(PLANE[name]) for name in trained_words().words}},
        chosen={"text": sentence, "query": trained_words().tokens(sentence).index(word), "sharpness": 1.0},
        picture=lambda: word_arrows([sentence], word),
    )
