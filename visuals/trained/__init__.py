"""A small trained model, so that a lesson can show attention that means something.

`trained_words()` loads it: 27 words, a vector of 16 numbers for each, and the weights of one attention head
and of two. `python -m visuals.trained.train` makes the file again (seeded, under a minute on two cores). In a
lesson:

    small = trained_words()
    x = small.embed("the girl walked to the bank because she needed cash")  # (tokens, 16)
    attention = SelfAttention_v2(d_in=16, d_out=16)
    attention.load_state_dict(small.one_head)
    small.read(x + attention(x))  # what each token means now: "bank of money", "girl" for "she", …

`two_heads` fits a `MultiHeadAttention(16, 16, …, num_heads=2)` with `out_proj`: its first head finds the
person for "she" and "he", its second the word that says which bank is meant. `plane` gives the words as
points with two numbers, which are made by hand, for lesson 01.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor

from visuals.trained.corpus import MEANINGS, PLANE, WORDS

FILE = Path(__file__).parent / "weights.safetensors"


@dataclass(frozen=True)
class TrainedWords:
    """Words with vectors, and the weights of the attention that was trained on them.

    `embeddings` (words, 16), `readout` (meanings, 16), `one_head` and `two_heads` as state dicts.
    """

    embeddings: Tensor
    readout: Tensor
    one_head: Mapping[str, Tensor]
    two_heads: Mapping[str, Tensor]
    words: tuple[str, ...] = WORDS

    def tokens(self, sentence: str) -> list[str]:
        """Return the words of a sentence, in lower case and without its punctuation.

        Raises:
            ValueError: it is empty, or a word of it is not known; the message names the words that are.
        """
        cleaned = [word.strip(".,;:!?“”\"'").lower() for word in sentence.split()]
        cleaned = [word for word in cleaned if word]
        unknown = [word for word in cleaned if word not in self.words]
        if not cleaned:
            raise ValueError("The sentence is empty. Type some words.")
        if unknown:
            near = difflib.get_close_matches(unknown[0], self.words, n=1)
            ask = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"{unknown[0]!r} is not known.{ask} Known words: {', '.join(self.words)}.")
        return cleaned

    def embed(self, sentence: str) -> Tensor:
        """Return the vectors of a sentence: (tokens, 16). Raises what `tokens` raises."""
        return self.embeddings[[self.words.index(word) for word in self.tokens(sentence)]]

    def plane(self, sentence: str) -> Tensor:
        """Return the sentence as points with two numbers, about water and about money: (tokens, 2)."""
        return torch.tensor([PLANE[word] for word in self.tokens(sentence)])

    def read(self, vectors: Tensor) -> list[str]:
        """Return what vectors (tokens, 16) mean: the nearest meaning of each."""
        return [MEANINGS[int(index)] for index in (vectors.detach() @ self.readout.T).argmax(dim=-1)]


@lru_cache(maxsize=1)
def trained_words() -> TrainedWords:
    """Load the small trained model that comes with the course."""
    stored = load_file(FILE)

    def part(name: str) -> dict[str, Tensor]:
        return {
            key.removeprefix(f"{name}."): tensor
            for key, tensor in stored.items()
            if key.startswith(f"{name}.")
        }

    return TrainedWords(stored["embeddings"], stored["readout"], part("one_head"), part("two_heads"))
