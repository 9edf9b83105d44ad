"""Choose two words of a sentence and see what two others then take in, and so mean."""

from __future__ import annotations

from torch import Tensor

from visuals.arrays import listed
from visuals.figures.maps import attention_map
from visuals.live import Explorer
from visuals.trained import trained_words
from visuals.trained.corpus import MEANINGS

SENTENCE = "the girl and the king walked to the bank because she needed the boat"
PRONOUN, BANK, THING = 10, 8, 13  # places in it
DIGITS = 5


def explore_sentence() -> Explorer:
    """Explore whom "she" and which bank a sentence means, as the small trained model reads it.

    One word changes by itself after a moment, unless a reader wants no motion.
    """
    small = trained_words()
    tokens = small.tokens(SENTENCE)
    x = small.embed(SENTENCE)  # (tokens, 16)
    queries, keys = (x @ small.one_head[f"W_{part}.weight"].T for part in ("query", "key"))
    weights = (queries @ keys.T / keys.shape[-1] ** 0.5).softmax(dim=-1)  # (tokens, tokens)
    options = [("she", "he"), ("boat", "fish", "cash", "coins")]
    places = [PRONOUN, THING]
    used = sorted({*tokens, *(word for words in options for word in words)})
    rows = [small.words.index(word) for word in used]

    def short(tensor: Tensor) -> list[list[float]]:
        return [[round(value, DIGITS) for value in row] for row in listed(tensor)]

    vectors = small.embeddings[rows]  # (words, 16)
    return Explorer(
        "explorers/sentence.js",
        shows={
            "sentence": tokens,
            "slots": [
                {"place": index, "options": list(words)} for index, words in zip(places, options, strict=True)
            ],
            "asking": [PRONOUN, BANK],
            "changes": {"slot": 1, "word": "cash"},
            "words": used,
            "meanings": list(MEANINGS),
            "embeddings": short(vectors),
            "queries": short(vectors @ small.one_head["W_query.weight"].T),
            "keys": short(vectors @ small.one_head["W_key.weight"].T),
            "values": short(vectors @ small.one_head["W_value.weight"].T),
            "readout": short(small.readout),
        },
        chosen={"words": [tokens[index] for index in places]},
        picture=lambda: attention_map(weights, tokens),
    )
