"""The context vector as a weighted sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import to_array, token_index, token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, cell_width, label_width, rows_below, text_size, write_tokens
from visuals.language import _
from visuals.not_ready import when_ready
from visuals.picture import Picture


@when_ready
def weights_and_context(weights: Any, inputs: Any, tokens: Sequence[str], query: int = 1) -> Picture:
    """Draw the context vector of one query: every token's vector times its weight, added up.

    weights (tokens,), or (tokens, tokens) of which the query's row is drawn; inputs (tokens, dimensions);
    tokens: one string per row; query: the position of the query token.

    Raises ValueError when the shapes do not fit one another or the query is no token, TypeError for what
    holds no numbers.
    """
    values = with_axes(inputs, "inputs", ("tokens", "dimensions"))
    count, dimensions = values.shape
    names = token_names(tokens, count, "inputs", "tokens")
    query = token_index(query, count)
    row = _weights_of(weights, query, count)
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = row[:, None] * values  # (tokens, 1) * (tokens, dimensions) -> (tokens, dimensions)
        context = scaled.sum(axis=0)  # (tokens, dimensions) -> (dimensions,)

    decimals = words.decimals_of(values)
    width = cell_width(dimensions)
    wide = cell_width(dimensions, 66)
    labels = label_width(names)
    bar_room = 100
    bars = MARGIN + labels
    second = bars + bar_room + 98
    third = second + width * dimensions + 40
    rows = rows_below(98, count)
    with style.look():
        board = Board(round(third + wide * dimensions + MARGIN), round(rows.bottom + 84))
        board.title(
            MARGIN, 28, _("The context of “{token}”: a weighted sum", token=words.shortened(names[query]))
        )
        board.text(bars, 76, "weight", weight="bold", color=style.WEIGHT)
        board.text(second, 76, _("× vector"), weight="bold")
        board.text(third, 76, _("= scaled vector"), weight="bold")
        write_tokens(board, bars - 8, rows, names, query)
        board.bars(
            bars,
            rows.middles,
            row,
            bar_room,
            rows.height * 0.6,
            color=style.WEIGHT,
            name="weight",
            size=text_size(rows),
        )
        # The scaled vectors share the vectors' colours: how pale they get is what the weights do.
        scale = style.color_scale(np.vstack([values, scaled, context]))
        high = rows.thickness
        for index, (top, y) in enumerate(zip(rows.tops, rows.middles, strict=True)):
            board.cells(
                second, top, values[index], (width, high), scale, decimals=decimals, name=f"vector {index}"
            )
            board.cells(third, top, scaled[index], (wide, high), scale, decimals=4, name=f"scaled {index}")
            board.text(second - 14, y, "×", ha="center", color=style.MUTED)
            board.text(third - 20, y, "=", ha="center", color=style.MUTED)
        _draw_sum(board, third, rows.bottom, context, wide, scale)
    alt = _in_words(names, query, row, context)
    return Picture(board.figure, alt + words.not_finite(context))


def _in_words(names: Sequence[str], query: int, weights: np.ndarray, context: np.ndarray) -> str:
    """Say what the weights of a query and its context are."""
    return _(
        "The context of {query!r} as a weighted sum: each token's vector times its weight, added up. "
        "Weights: {weights}; they add up to {total}. Context: {context}.",
        query=names[query],
        weights=words.by_token(names, weights),
        total=words.number(weights.sum()),
        context=words.vector(context),
    )


def _draw_sum(
    board: Board,
    x: float,
    bottom: float,
    context: np.ndarray,
    width: float,
    scale: tuple[mpl.Colormap, mpl.Normalize],
) -> None:
    """Draw below the scaled vectors what they add up to."""
    board.line((x - 26, bottom + 8), (x + width * len(context), bottom + 8), style.INK)
    board.cells(
        x,
        bottom + 20,
        context,
        (width, 38),
        scale,
        decimals=4,
        name="context",
        frame=style.CONTEXT,
    )
    board.text(
        x - 12,
        bottom + 39,
        _("added up: the context"),
        ha="right",
        weight="bold",
        color=style.CONTEXT,
    )


def _weights_of(weights: Any, query: int, count: int) -> np.ndarray:
    """Return the query's weights (tokens,), also out of a whole matrix (tokens, tokens)."""
    array = to_array(weights, "weights")
    if array.shape == (count, count):
        return array[query]  # (tokens, tokens) -> (tokens,)
    if array.shape != (count,):
        raise ValueError(
            f"weights needs the shape ({count},), one weight per token, or ({count}, {count}), "
            f"one row per query; its shape is {array.shape}."
        )
    return array
