"""Tokens as vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from visuals import style, words
from visuals.arrays import token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, label_width, rows_below, write_tokens
from visuals.language import _, ngettext
from visuals.not_ready import when_ready
from visuals.picture import Picture

# Beyond this many dimensions their names no longer fit above the columns.
NAMED_DIMENSIONS = 8
# From one line above the columns to the next.
LINE = 18
MUTED: dict[str, Any] = {"size": style.SMALL_SIZE, "color": style.MUTED}  # how what stands beside is written


@when_ready
def token_vectors(
    inputs: Any,
    tokens: Sequence[str],
    row: str = "token",
    column: str = "dimension",
    heads: Mapping[str, Sequence[Any]] | None = None,
    title: str | None = None,
) -> Picture:
    """Draw a sentence as numbers: one row per token, one column per dimension.

    inputs (tokens, dimensions); tokens: one string per row; row, column: what each is, in one word; heads:
    lines above the columns, each by its name with one entry per column. Where cells are too narrow for
    numbers, the largest is written below.

    Raises ValueError for another number of axes, tokens or entries, TypeError for what holds no numbers.
    """
    values = with_axes(inputs, "inputs", ("tokens", "dimensions"))
    count, dimensions = values.shape
    names = token_names(tokens, count, "inputs", "tokens")
    lines = {
        name: token_names(line, dimensions, "inputs", "dimensions") for name, line in (heads or {}).items()
    }
    decimals = words.decimals_of(values)
    width = 92.0 if dimensions <= 5 else min(92.0, 640 / dimensions)
    labels = max(label_width(names), label_width(list(lines)) if lines else 0)
    rows = rows_below(104 + LINE * max(len(lines) - 1, 0), count)
    narrow = width < 7.6 * (decimals + 2)
    with style.look():
        headline = (
            _(title)
            if title
            else _(
                "{count}, {dimensions} each",
                count=_counted(count, row),
                dimensions=_counted(dimensions, column),
            )
        )
        right = MARGIN + labels + width * dimensions + MARGIN
        board = Board(
            round(max(right, 330, 9.2 * len(headline) + 44)), round(rows.bottom + (44 if narrow else MARGIN))
        )
        board.title(MARGIN, 28, headline)
        own = (
            _("one row is one {row}'s vector", row=row)
            if column == "dimension"
            else _("one row is one {row}", row=row)
        )
        board.text(MARGIN, 52, own, **MUTED)
        left = MARGIN + labels
        _name_columns(board, left + (np.arange(dimensions) + 0.5) * width, lines, column, width)
        write_tokens(board, left - 8, rows, names)
        scale = style.color_scale(values)
        for index, (top, vector) in enumerate(zip(rows.tops, values, strict=True)):
            size = (width, rows.thickness)
            board.cells(left, top, vector, size, scale, decimals=decimals, name=f"vector {index}")
        if narrow:
            darkest = _("darkest: {largest}", largest=words.number(float(scale[1].vmax or 0.0), 4))
            board.text(left, rows.bottom + 20, darkest, **MUTED)
    return Picture(board.figure, _vectors_in_words(values, names, decimals, row, column, title))


def _name_columns(
    board: Board, middles: np.ndarray, lines: Mapping[str, Sequence[str]], column: str, width: float
) -> None:
    """Write above the columns the lines that there are for them, or else which columns they are."""
    for index, (name, line) in enumerate(lines.items()):
        y = 88 + LINE * index
        board.text(middles[0] - width / 2 - 8, y, name, ha="right", **MUTED)
        for x, entry in zip(middles, line, strict=True):
            board.text(x, y, entry, ha="center", size=style.SMALL_SIZE)
    if lines:
        return
    dimensions = len(middles)
    for index in range(dimensions) if dimensions <= NAMED_DIMENSIONS else (0, dimensions - 1):
        label = _("dimension {index}", index=index) if column == "dimension" else f"{column} {index}"
        board.text(middles[index], 88, label if width >= 90 else str(index), ha="center", **MUTED)


def _vectors_in_words(
    values: np.ndarray, names: Sequence[str], decimals: int, row: str, column: str, title: str | None
) -> str:
    count, dimensions = values.shape
    in_dimensions = column == "dimension"
    counted = ngettext("{number} dimension", "{number} dimensions", dimensions)
    alt = _(
        "Table of {count} with {dimensions} each, one row per {row}, coloured by value.",
        count=_counted(count, row),
        row=row,
        dimensions=counted if in_dimensions else _counted(dimensions, column),
    )
    if count <= words.LISTED and dimensions <= NAMED_DIMENSIONS:
        alt += (
            " "
            + "; ".join(
                f"{name} {words.vector(row, decimals)}" for name, row in zip(names, values, strict=True)
            )
            + "."
        )
    if title:
        alt = f"{_(title)}. {alt}"
    extremes = words.extremes(values)
    if extremes is not None:
        spots = []
        for position in extremes:
            token, dimension = divmod(position, dimensions)
            value = words.number(values.flat[position], decimals)
            if in_dimensions:
                location = _(
                    "{value} ({token}, dimension {dimension})",
                    value=value,
                    token=names[token],
                    dimension=dimension,
                )
            else:
                location = f"{value} ({names[token]}, {column} {dimension})"
            spots.append(location)
        alt += _(" Largest value {largest}, smallest {smallest}.", largest=spots[0], smallest=spots[1])
    return alt + words.not_finite(values)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
