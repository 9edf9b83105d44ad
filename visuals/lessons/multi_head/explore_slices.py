"""Choose a head and see which rows of the fused class's wide matrix are its own."""

from __future__ import annotations

from typing import Any

from visuals.arrays import listed, with_axes
from visuals.lessons.multi_head.heads import MOST_HEADS, matrix_slices
from visuals.live import Explorer
from visuals.not_ready import when_ready


@when_ready
def explore_slices(narrow: Any, name: str = "W_query") -> Explorer:
    """Explore how the narrow matrices of a stack of heads become the rows of one wide matrix.

    narrow (heads, head_dim, d_in), each head's matrix as `nn.Linear` keeps it; name: what it is called.

    Raises ValueError for another number of axes or more than 8 heads, TypeError for what holds no numbers.
    """
    matrices = with_axes(narrow, "narrow", ("heads", "head_dim", "d_in"))
    if len(matrices) > MOST_HEADS:
        raise ValueError(f"narrow has {len(matrices)} heads; at most {MOST_HEADS} are shown.")
    return Explorer(
        "lessons/multi_head/slices.js",
        shows={"matrices": listed(matrices), "name": name},
        chosen={"head": 0, "kind": 0},
        picture=lambda: matrix_slices(matrices, name),
    )
