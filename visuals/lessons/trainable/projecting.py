"""One token, three projections: its query, its key and its value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, cell_width
from visuals.language import N_, _
from visuals.not_ready import when_ready
from visuals.picture import Picture

# What each projection is for, and its colour.
ROLES = (
    ("query", N_("what it looks for"), style.QUERY),
    ("key", N_("what it is found by"), style.SCORE),
    ("value", N_("what it passes on"), style.CONTEXT),
)


@when_ready
def query_key_value(x: Any, W_query: Any, W_key: Any, W_value: Any, token: str = "journey") -> Picture:
    """Draw how one token's vector becomes its query, its key and its value.

    x (d_in,): the token's vector; W_query, W_key and W_value (d_in, columns); token: its name.

    Raises ValueError for another number of axes or a matrix whose rows are not as many as the token's
    numbers, TypeError for what holds no numbers.
    """
    vector = with_axes(x, "x", ("d_in",))
    matrices = {
        name: with_axes(value, f"W_{name}", ("d_in", "d_out"))
        for name, value in (("query", W_query), ("key", W_key), ("value", W_value))
    }
    for name, matrix in matrices.items():
        if len(matrix) != len(vector):
            raise ValueError(
                f"W_{name} needs {len(vector)} rows, one for each number of x; its shape is {matrix.shape}."
            )
    with np.errstate(invalid="ignore", over="ignore"):
        results = {name: vector @ matrix for name, matrix in matrices.items()}  # (d_in,) @ (d_in, d_out)

    decimals = words.decimals_of(vector)
    columns = max(matrix.shape[1] for matrix in matrices.values())
    width, wide = cell_width(len(vector), 48), cell_width(columns, 64)
    height = min(27.0, 150 / len(vector))
    block = max(height * len(vector), 34)
    second = MARGIN + width * len(vector) + 40
    third = second + wide * columns + 40
    last = third + wide * columns + 18
    top = 106
    with style.look():
        board = Board(round(last + 168 + MARGIN), round(top + 3 * (block + 46) - 20))
        board.title(MARGIN, 28, _("One token, three projections: “{token}”", token=words.shortened(token)))
        for left, heading in (
            (MARGIN, _("the token")),
            (second, _("@ a matrix of weights")),
            (third, _("= its projection")),
        ):
            board.text(left, 64, heading, size=style.SMALL_SIZE, color=style.MUTED)
        scale = style.color_scale(np.concatenate([vector, *(m.ravel() for m in matrices.values())]))
        outcome = style.color_scale(np.concatenate(list(results.values())))
        for index, (name, purpose, color) in enumerate(ROLES):
            y = top + index * (block + 46)
            middle = y + block / 2
            name_cells, size = f"token {name}", (width, 34)
            board.cells(MARGIN, middle - 17, vector, size, scale, decimals=decimals, name=name_cells)
            board.text(second - 20, middle, "@", ha="center", color=style.MUTED)
            _draw_matrix(board, (second, y), (wide, height), matrices[name], scale, (f"W_{name}", color))
            board.text(third - 20, middle, "=", ha="center", color=style.MUTED)
            result, size = results[name], (wide, 34)
            board.cells(third, middle - 17, result, size, outcome, decimals=4, name=name, frame=color)
            board.text(last, middle - 9, name, weight="bold", color=color)
            board.text(last, middle + 10, purpose, size=style.SMALL_SIZE, color=style.MUTED)
    alt = _in_words(token, vector, results)
    return Picture(board.figure, alt + words.not_finite(np.concatenate(list(results.values()))))


def _in_words(token: str, vector: np.ndarray, results: Mapping[str, np.ndarray]) -> str:
    """Say what a token's query, key and value are."""
    parts = "; ".join(
        _(
            "its {name} ({purpose}) is {vector}",
            name=name,
            purpose=_(purpose),
            vector=words.vector(results[name]),
        )
        for name, purpose, _color in ROLES
    )
    return _(
        "The vector of {token!r}, {vector}, multiplied with three matrices of {rows} rows: {parts}.",
        token=token,
        vector=words.vector(vector, words.decimals_of(vector)),
        rows=len(vector),
        parts=parts,
    )


def _draw_matrix(
    board: Board,
    corner: tuple[float, float],
    size: tuple[float, float],
    matrix: np.ndarray,
    scale: tuple[mpl.Colormap, mpl.Normalize],
    look: tuple[str, str],
) -> None:
    """Draw a matrix of weights, row by row, below its name in its colour."""
    (x, y), (name, color) = corner, look
    board.text(x, y - 13, name, weight="bold", color=color)
    for row, numbers in enumerate(matrix):
        board.cells(x, y + row * size[1], numbers, size, scale, decimals=4, name=f"{name} {row}")
