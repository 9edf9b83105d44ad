"""Measures that the pictures with one row per token share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from visuals import mpl, style, words
from visuals.board import Board

MARGIN = 22
# A vector takes at most this much width, however many dimensions it has.
VECTOR_ROOM = 216


def titled_figure(
    width: float, height: float, title: str, at: tuple[float, float] = (0.03, 0.93)
) -> mpl.Figure:
    """Return a figure of so many CSS pixels, with a headline at this share of its width and height."""
    pixels = style.PIXELS_PER_INCH
    figure = mpl.Figure(figsize=(width / pixels, height / pixels), dpi=pixels)
    figure.text(*at, title, fontsize=style.points(style.TITLE_SIZE), weight="bold", va="center")
    return figure


@dataclass(frozen=True)
class Rows:
    """Where the rows of tokens lie: `middles` are the vertical centres of their cells, in CSS pixels."""

    top: float
    height: float
    count: int

    @property
    def thickness(self) -> float:
        """The height of a cell, which leaves a gap to the row below."""
        return self.height - min(4, self.height * 0.12)

    @property
    def tops(self) -> np.ndarray:
        return self.top + self.height * np.arange(self.count)

    @property
    def middles(self) -> np.ndarray:
        return self.tops + self.thickness / 2

    @property
    def bottom(self) -> float:
        return self.top + self.height * self.count


def rows_below(top: float, count: int) -> Rows:
    """Rows for `count` tokens, which shrink when there are many so that the picture still fits a screen."""
    return Rows(top, float(np.clip(620 / count, 13, 34)), count)


def text_size(rows: Rows) -> float:
    """Return the largest text that does not touch the row above."""
    return min(style.TEXT_SIZE, rows.height * 0.8)


def label_width(tokens: Sequence[str]) -> float:
    """Room for the longest token name."""
    return max(50, 9.2 * max(len(words.shortened(token)) for token in tokens) + 8)


def cell_width(dimensions: int, widest: float = 54) -> float:
    """Return the width of one cell of a vector."""
    return min(widest, VECTOR_ROOM / dimensions)


def write_tokens(
    board: Board, right: float, rows: Rows, tokens: Sequence[str], query: int | None = None
) -> None:
    """Write the token names, flush right, the query's in its own colour and bold."""
    for index, (y, token) in enumerate(zip(rows.middles, tokens, strict=True)):
        chosen = index == query
        board.text(
            right,
            y,
            words.shortened(token),
            ha="right",
            size=text_size(rows),
            color=style.QUERY if chosen else style.INK,
            weight="bold" if chosen else "normal",
            gid=f"token {index}",
        )


def apart(heights: np.ndarray, step: float) -> np.ndarray:
    """Heights moved upwards just so far that no two are nearer than `step`."""
    moved = heights.copy()
    # Heights equal but for rounding stay in the order given, on every machine.
    order = np.argsort(np.round(heights / step, 3), kind="stable")
    for lower, upper in pairwise(order):
        moved[upper] = max(moved[upper], moved[lower] + step)
    return moved
