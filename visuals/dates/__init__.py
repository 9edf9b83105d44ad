"""A small trained encoder and decoder, for lesson 06: it writes dates that come in many ways in one way.

"Monday, November 23, 2026" and "23. November 2026" both become 2026-11-23. `trained_dates()` loads it:
vectors for the tokens and their places, and the weights of three attentions, each for a
`MultiHeadAttention(32, heads)` with the layers `query`, `key`, `value` and `fc`.
`python -m visuals.dates.train` makes the file again. In a lesson:

    dates = trained_dates()
    source, lengths = dates.read(["23 november 2026"])  # (b, source, 32), (b,)
    attention = MultiHeadAttention(32, dates.heads["encoder"])
    attention.load_state_dict(dates.weights["encoder"])
    memory = source + attention(source, source, source, visible)
    …
    dates.logits(context)  # (b, target, 12)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor

from visuals.dates.corpus import START, TARGET, cut, origins, pairs, source_ids, target_ids

FILE = Path(__file__).parent / "weights.safetensors"
SIZE, HEADS = 32, {"encoder": 2, "decoder": 2, "cross": 1}
# The longest text that is read has 12 tokens; a date that is written has 10.
READ, WRITTEN = 12, 10


@dataclass(frozen=True)
class TrainedDates:
    """Vectors of tokens and places, and three attentions' weights as state dicts, by `HEADS`' names."""

    source: Tensor  # (tokens known, 32)
    source_places: Tensor  # (READ, 32)
    target: Tensor  # (12, 32)
    target_places: Tensor  # (WRITTEN, 32)
    readout: Tensor  # (12, 32)
    weights: Mapping[str, Mapping[str, Tensor]]

    @property
    def heads(self) -> Mapping[str, int]:
        """How many heads each of the three attentions has."""
        return HEADS

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text: words, digits and marks."""
        return cut(text)

    def origins(self, text: str, date: str) -> list[int | None]:
        """Return the token that each character of a date is written from; None where there is none."""
        return origins(text, date)

    def read(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Return the vectors of texts, filled up with padding (b, source, 32), and their lengths (b,).

        Raises:
            ValueError: a token of a text is not known, or a text is too long.
        """
        ids, lengths = source_ids(texts)
        if ids.shape[1] > READ:
            raise ValueError(f"A text of {ids.shape[1]} tokens is too long: {READ} are the most.")
        return self.source[ids] + self.source_places[: ids.shape[1]], lengths

    def written(self, dates: Sequence[str]) -> Tensor:
        """Return the vectors of what has been written, with the start in front: (b, target, 32)."""
        ids = target_ids([[START, *date][:WRITTEN] for date in dates])
        return self.target[ids] + self.target_places[: ids.shape[1]]

    def logits(self, context: Tensor) -> Tensor:
        """Return one number for each character that can come next: (b, target, 32) -> (b, target, 12)."""
        return context @ self.readout.T

    def characters(self, ids: Tensor) -> list[str]:
        """Return the character of each id of (tokens,)."""
        return [TARGET[index] for index in ids.tolist()]

    def examples(self, count: int, seed: int) -> list[tuple[str, str]]:
        """Return random dates, each in a random way and as it is to be written, drawn under a seed."""
        return pairs(count, torch.Generator().manual_seed(1_000_000 + seed))


@lru_cache(maxsize=1)
def trained_dates() -> TrainedDates:
    """Load the small encoder and decoder that come with the course."""
    stored = load_file(FILE)
    weights = {
        name: {
            key.removeprefix(f"{name}."): tensor
            for key, tensor in stored.items()
            if key.startswith(f"{name}.")
        }
        for name in HEADS
    }
    own = ("source", "source_places", "target", "target_places", "readout")
    return TrainedDates(**{name: stored[name] for name in own}, weights=weights)
