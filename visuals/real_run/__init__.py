"""One real training for lesson 08: how its loss fell, and what the model wrote on the way.

`run.json` was made by `python -m benchmarks.real_run`, on the documentation that Python 3.11.7 carries.
That text is copyright 2001-2023 Python Software Foundation, under the licence in `visuals/checkpoint`.
"""

from __future__ import annotations

import math
from pathlib import Path

RUN = Path(__file__).parent / "run.json"
WARM_UP = 0.1  # the share of the steps


def learning_rate(step: int, steps: int, peak: float) -> float:
    """Return the learning rate of a step: up in a straight line, then down along half a cosine."""
    warm = WARM_UP * steps
    if step < warm:
        return peak * (step + 1) / warm
    return peak * (1 + math.cos(math.pi * (step - warm) / (steps - warm))) / 2
