"""Small models in the form of published ones, and a tokenizer, for lessons 12, 13 and 15.

The numbers in them are random. Each folder is what `save_pretrained` of the `transformers` library makes,
with the logits that the library computes for some ids beside it; `granite-swa` has parts of the library's
own file, too. `tokenizer.safetensors` holds merges that the `tokenizers` library learned from
`visuals/checkpoint/held_out.txt`, and the ids that it gives some texts. `today.safetensors` holds what single
layers of newer models are given and what they make of it. `python -m benchmarks.published` makes all of it
again.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
TOKENIZER = FOLDER / "tokenizer.safetensors"
TODAY = FOLDER / "today.safetensors"
# Texts whose ids are kept beside the merges.
TEXTS = (
    "the for statement",
    "  two spaces,\n\ttabs and the end of a line\n",
    "It's 2026: they've re-read §3, haven't they?",
    "a smile 😀 and a family 👩‍👩‍👧",
    "মনোযোগই যথেষ্ট",
    "aaaaaaa   the the",
)
# How GPT-2 cuts a text into pieces, as far as `re` can say it: a space belongs to the word after it.
PIECES = r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"
