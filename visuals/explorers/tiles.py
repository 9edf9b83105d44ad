"""Step through the tiles of attention; watch the running maximum, sum and output of the queries at work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visuals import style, words
from visuals.arrays import listed, token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN
from visuals.flow import softmax
from visuals.language import _
from visuals.live import Explorer
from visuals.not_ready import when_ready
from visuals.picture import Picture

SIZES = (1, 2, 3, 4, 6)
SKIPPED = 2  # of the masks: causal, and tiles that lie in the future are not made
MOST_TOKENS = 12


def first_tile(q: np.ndarray, k: np.ndarray, v: np.ndarray, size: int, tokens: list[str]) -> Picture:
    """Draw the grid of tiles while the first is at work, and the state of its queries afterwards."""
    across, count = -(-len(tokens) // size), min(size, len(tokens))
    scores = q[:count] @ k[:count].T / np.sqrt(q.shape[1])  # (queries, keys)
    scores = np.where(np.triu(np.ones_like(scores), k=1) > 0, -np.inf, scores)
    largest = scores.max(axis=1)
    total = np.exp(scores - largest[:, None]).sum(axis=1)
    output = np.stack([softmax(row) for row in scores]) @ v[:count]  # (queries, d_v)
    held = scores.size + 2 * count + output.size
    names = [
        f"{tokens[at]} … {tokens[min(at + size, len(tokens)) - 1]}" for at in range(0, len(tokens), size)
    ]
    wide, tiles = 92, across * (across + 1) // 2
    with style.look():
        height = max(112 + 40 * across, 150 + 26 * count)
        board = Board(2 * MARGIN + 550 + wide * across, height)
        board.title(MARGIN, 28, _("Tiles of {size}, causal, future skipped", size=size))
        for row, name in enumerate(names):
            top = 84 + 40 * row
            board.text(MARGIN + 130 + (row + 0.5) * wide, 66, words.shortened(name), ha="center", size=11)
            board.text(MARGIN + 120, top + 18, words.shortened(name), ha="right", size=11)
            for column in range(across):
                look = (style.LINE, "skipped") if column > row else (style.CARD, "to come")
                color, status = (style.QUERY, "at work") if row == column == 0 else look
                board.block(
                    MARGIN + 130 + column * wide, top, wide - 3, 37, color, status, f"tile {row} {column}"
                )
        left = MARGIN + 160 + wide * across
        state: list[tuple[str, ...]] = [("query", "m", "l", "o / l so far")]
        for token, *values, so_far in zip(tokens, largest, total, output, strict=False):
            state.append((words.shortened(token, 10), *map(words.number, values), words.vector(so_far)))
        for line, cells in enumerate(state):
            for x, cell in zip((0, 90, 170, 250), cells, strict=True):
                weight = "normal" if line else "bold"
                board.text(
                    left + x, 66 + 28 * line, words.shortened(cell, 18), weight=weight, size=style.SMALL_SIZE
                )
        summary = _("held: {held} numbers, whole matrix: {all}", held=held, all=len(tokens) ** 2)
        board.text(left, 108 + 26 * count, summary, size=style.SMALL_SIZE, color=style.MUTED)
    step = _(
        "step {step} of {steps}: queries {queries} meet keys {keys}; {held} numbers are held, the whole "
        "matrix has {numbers}",
        step=1,
        steps=tiles,
        queries=names[0],
        keys=names[0],
        held=held,
        numbers=len(tokens) ** 2,
    )
    return Picture(board.figure, step)


@when_ready
def explore_tiles(queries: Any, keys: Any, values: Any, tokens: Sequence[str]) -> Explorer:
    """Explore tiled attention: choose the tiles' size and the mask, and go from tile to tile.

    queries, keys (tokens, head_dim); values (tokens, d_v); tokens: one string per token, 12 at most.

    Raises ValueError when the shapes or the tokens do not fit, TypeError for what holds no numbers.
    """
    q = with_axes(queries, "queries", ("tokens", "head_dim"))
    k = with_axes(keys, "keys", ("tokens", "head_dim"))
    v = with_axes(values, "values", ("tokens", "d_v"))
    if q.shape != k.shape or len(q) != len(v):
        raise ValueError(
            f"queries, keys and values must fit; their shapes are {q.shape}, {k.shape} and {v.shape}."
        )
    if len(q) > MOST_TOKENS:
        raise ValueError(f"{len(q)} tokens make too large a grid; at most {MOST_TOKENS} can be shown.")
    names = token_names(tokens, len(q), "queries", "tokens")
    sizes = [size for size in SIZES if size <= len(names)]
    tile = min(1, len(sizes) - 1)
    return Explorer(
        "explorers/tiles.js",
        shows={"queries": listed(q), "keys": listed(k), "values": listed(v), "tokens": names, "sizes": sizes},
        chosen={"tile": tile, "mask": SKIPPED, "step": 1},
        picture=lambda: first_tile(q, k, v, sizes[tile], names),
    )
