"""Choose d_k, what the scores are divided by and a temperature, and watch softmax sharpen or flatten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from visuals.arrays import listed, token_names
from visuals.lessons.trainable.scaling import DIVISORS, matching, saturation, scores_of_width
from visuals.live import Explorer
from visuals.not_ready import when_ready

STOPS = 200  # of the temperature, from 0.05 to 20; in the middle stands 1


@when_ready
def explore_scale(queries: Any, keys: Any, tokens: Sequence[str]) -> Explorer:
    """Explore what d_k, the divisor of the scores and the temperature do to softmax.

    queries (queries, d_k) and keys (keys, d_k): the first dimensions of both are used, as many as chosen;
    tokens: one string per key.

    Raises ValueError for another number of axes, widths that differ, what is not finite or tokens that do not
    fit, TypeError for what holds no numbers.
    """
    first, second = matching(queries, keys)
    most = first.shape[1]
    widths = [2**power for power in range(most.bit_length()) if 2**power <= most]
    scores = [listed(scores_of_width(first, second, width)) for width in widths]
    names = token_names(tokens, len(second), "keys", "keys")
    return Explorer(
        "lessons/trainable/scale.js",
        shows={"widths": widths, "scores": scores, "tokens": names},
        chosen={"width": len(widths) - 1, "divisor": 0, "temperature": STOPS // 2},
        picture=lambda: saturation(
            first, second, [width for width in (2, 8, 32, 128, 512) if width <= most] or [1], list(DIVISORS)
        ),
    )
