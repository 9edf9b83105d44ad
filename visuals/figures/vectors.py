"""Tokens as vectors, and the dot product of one of them with all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visuals import style, words
from visuals.arrays import token_index, token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, cell_width, label_width, rows_below, text_size, write_tokens
from visuals.flow import follow_query
from visuals.language import _, ngettext
from visuals.not_ready import when_ready
from visuals.picture import Picture

# Beyond this many dimensions their names no longer fit above the columns.
NAMED_DIMENSIONS = 8


@when_ready
def token_vectors(inputs: Any, tokens: Sequence[str], row: str = "token") -> Picture:
    """Draw a sentence as numbers: one row per token, one column per dimension.

    inputs (tokens, dimensions); tokens: one string per row; row: what a row is, in one word.

    Raises ValueError for another number of axes or of tokens, TypeError for what holds no numbers.
    """
    values = with_axes(inputs, "inputs", ("tokens", "dimensions"))
    count, dimensions = values.shape
    names = token_names(tokens, count, "inputs", "tokens")
    decimals = words.decimals_of(values)
    named = dimensions <= NAMED_DIMENSIONS
    width = 92.0 if dimensions <= 5 else min(92.0, 640 / dimensions)
    labels = label_width(names)
    rows = rows_below(104, count)
    with style.look():
        right = MARGIN + labels + width * dimensions + MARGIN
        board = Board(round(max(right, 330)), round(rows.bottom + MARGIN))
        board.title(MARGIN, 28, f"{_counted(count, row)}, {_counted(dimensions, 'dimension')} each")
        board.text(MARGIN, 52, f"one row is one {row}'s vector", color=style.MUTED, size=style.SMALL_SIZE)
        left = MARGIN + labels
        for index in range(dimensions) if named else (0, dimensions - 1):
            label = f"dimension {index}" if width >= 90 else str(index)
            board.text(
                left + (index + 0.5) * width, 88, label, ha="center", size=style.SMALL_SIZE, color=style.MUTED
            )
        write_tokens(board, left - 8, rows, names)
        scale = style.color_scale(values)
        for index, (top, vector) in enumerate(zip(rows.tops, values, strict=True)):
            size = (width, rows.thickness)
            board.cells(left, top, vector, size, scale, decimals=decimals, name=f"vector {index}")
    return Picture(board.figure, _vectors_in_words(values, names, decimals, row))


def _vectors_in_words(values: np.ndarray, names: Sequence[str], decimals: int, row: str) -> str:
    count, dimensions = values.shape
    alt = _(
        "Table of {count} with {dimensions} each, one row per {row}, coloured by value.",
        count=_counted(count, row),
        row=row,
        dimensions=ngettext("{number} dimension", "{number} dimensions", dimensions),
    )
    if count <= words.LISTED and dimensions <= NAMED_DIMENSIONS:
        alt += (
            " "
            + "; ".join(
                f"{name} {words.vector(row, decimals)}" for name, row in zip(names, values, strict=True)
            )
            + "."
        )
    found = words.extremes(values)
    if found is not None:
        spots = []
        for position in found:
            token, dimension = divmod(position, dimensions)
            spots.append(
                _(
                    "{value} ({token}, dimension {dimension})",
                    value=words.number(values.flat[position], decimals),
                    token=names[token],
                    dimension=dimension,
                )
            )
        alt += _(" Largest value {largest}, smallest {smallest}.", largest=spots[0], smallest=spots[1])
    return alt + words.not_finite(values)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@when_ready
def query_scores(inputs: Any, tokens: Sequence[str], query: int = 1) -> Picture:
    """Draw the dot product of one query token with every token: multiply pair by pair, add up, get the score.

    inputs (tokens, dimensions); tokens: one string per row; query: the position of the query token.

    Raises ValueError for another number of axes or of tokens or a query that is no token, TypeError for what
    holds no numbers.
    """
    values = with_axes(inputs, "inputs", ("tokens", "dimensions"))
    count, dimensions = values.shape
    names = token_names(tokens, count, "inputs", "tokens")
    query = token_index(query, count)
    flow = follow_query(values, query)
    products = values * values[query]  # (tokens, dimensions) * (dimensions,) -> (tokens, dimensions)

    decimals = words.decimals_of(values)
    width = cell_width(dimensions)
    labels = max(label_width(names), 66)
    left = MARGIN + labels
    second = left + width * dimensions + 34
    third = second + max(width * dimensions, 118) + 36
    bar_room = 140
    rows = rows_below(158, count)
    with style.look():
        board = Board(round(third + bar_room + 70 + MARGIN), round(rows.bottom + MARGIN))
        board.title(MARGIN, 28, f"How well does each token match “{words.shortened(names[query])}”?")
        scale = style.color_scale(np.vstack([values, products]))

        for x, step, lines in (
            (left, "1", "take each\ntoken's vector"),
            (second, "2", "multiply it with the\nquery, pair by pair"),
            (third, "3", "add up:\nthe score"),
        ):
            board.text(x, 74, step, weight="bold", size=26, color=style.MUTED)
            board.text(x + 24, 75, lines, size=style.SMALL_SIZE, linespacing=1.25)
        # The query stands right above the products, so that each pair is one column.
        board.cells(
            second, 106, values[query], (width, 34), scale, decimals=decimals, name="query", frame=style.QUERY
        )
        board.text(second - 10, 123, "query  ×", ha="right", weight="bold", color=style.QUERY)
        write_tokens(board, left - 8, rows, names, query)
        size = (width, rows.thickness)
        for index, (top, y) in enumerate(zip(rows.tops, rows.middles, strict=True)):
            board.cells(left, top, values[index], size, scale, decimals=decimals, name=f"vector {index}")
            board.cells(second, top, products[index], size, scale, decimals=2, name=f"product {index}")
            board.text((left + width * dimensions + second) / 2, y, "→", ha="center", color=style.MUTED)
            board.text((second + width * dimensions + third) / 2, y, "=", ha="center", color=style.MUTED)
        board.bars(
            third,
            rows.middles,
            flow.scores,
            bar_room,
            rows.height * 0.6,
            color=style.SCORE,
            name="score",
            size=text_size(rows),
        )
    return Picture(board.figure, _scores_in_words(values, names, flow.scores, query, decimals))


def _scores_in_words(
    values: np.ndarray, names: Sequence[str], scores: np.ndarray, query: int, decimals: int
) -> str:
    alt = _(
        "Dot product of the query {query!r} {vector} with each of {count}: multiply pair by pair, add "
        "up. Scores: {scores}.",
        query=names[query],
        vector=words.vector(values[query], decimals),
        count=ngettext("{number} token", "{number} tokens", len(names)),
        scores=words.by_token(names, scores),
    )
    found = words.extremes(scores)
    if found is not None:
        alt += _(
            " Largest {largest!r}, smallest {smallest!r}.", largest=names[found[0]], smallest=names[found[1]]
        )
    return alt + words.not_finite(scores)
