"""Choose one of three attentions and a query token: which keys are visible, and why the others are not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visuals.lessons.encoder_decoder.combining import visible_keys
from visuals.lessons.encoder_decoder.encoder_decoder import PADDING, sentence
from visuals.live import Explorer
from visuals.not_ready import when_ready

KINDS = ("Encoder self-attention", "Decoder self-attention", "Cross-attention")
CROSS = 2


@when_ready
def explore_three_attentions(source: Sequence[str], target: Sequence[str]) -> Explorer:
    """Explore which keys are visible in encoder, decoder and cross-attention.

    source, target: one string per token; "<pad>" is padding.

    Raises TypeError for one string in place of a list, ValueError for an empty list.
    """
    keys, queries = sentence(source, "source"), sentence(target, "target")
    query = min(1, len(queries) - 1)
    seen = np.tile([key != PADDING for key in keys], (len(queries), 1))  # (queries, keys)
    return Explorer(
        "lessons/encoder_decoder/three_attentions.js",
        shows={"kinds": list(KINDS), "source": keys, "target": queries},
        chosen={"kind": CROSS, "query": query},
        picture=lambda: visible_keys(seen, keys, queries, title=f"{KINDS[CROSS]}: which keys are visible"),
    )
