"""A small checkpoint in GPT-2's form, for lesson 10: what it is read with.

`weights.safetensors` was trained on the documentation that Python 3.11.7 carries in `pydoc_data.topics`,
character by character. `held_out.txt` holds topics that it was not trained on, `curve.json` how the training
went, and `python -m visuals.checkpoint.train` makes all three again. The text is copyright 2001-2023 Python
Software Foundation, under the licence that lies beside it.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

FOLDER = Path(__file__).parent
FILE, CURVE, HELD_OUT = FOLDER / "weights.safetensors", FOLDER / "curve.json", FOLDER / "held_out.txt"
# A token is one character; its id is its place in here.
VOCABULARY = "\n" + "".join(map(chr, range(32, 127)))
NUM_LAYERS, NUM_HEADS, CONTEXT_LENGTH = 2, 4, 128


def encode(text: str) -> Tensor:
    """Return the ids of a text's characters: (tokens,).

    Raises:
        ValueError: a character is not in the vocabulary.
    """
    unknown = sorted(set(text) - set(VOCABULARY))
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not in the vocabulary, which is ASCII without tabs.")
    return torch.tensor([VOCABULARY.index(character) for character in text], dtype=torch.long)


def decode(ids: Tensor) -> str:
    """Return the text of ids (tokens,)."""
    return "".join(VOCABULARY[index] for index in ids.tolist())


def windows(text: str, length: int = CONTEXT_LENGTH) -> Tensor:
    """Return a text's ids, cut into windows of one length: (windows, length).

    What is left over is dropped.
    """
    ids = encode(text)
    return ids[: len(ids) // length * length].view(-1, length)
