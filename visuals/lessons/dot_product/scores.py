"""The scores of one query, and the whole way from them to its context vector."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np

from visuals import style, words
from visuals.arrays import token_index, token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, Rows, cell_width, label_width, rows_below, text_size, write_tokens
from visuals.flow import QueryFlow, follow_query
from visuals.language import _, ngettext
from visuals.not_ready import when_ready
from visuals.picture import Picture


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
        board.title(
            MARGIN, 28, _("How well does each token match “{token}”?", token=words.shortened(names[query]))
        )
        scale = style.color_scale(np.vstack([values, products]))

        for x, step, lines in (
            (left, "1", fill(_("take each token's vector"), 14)),
            (second, "2", fill(_("multiply it with the query, pair by pair"), 21)),
            (third, "3", fill(_("add up: the score"), 9)),
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
    extremes = words.extremes(scores)
    if extremes is not None:
        alt += _(
            " Largest {largest!r}, smallest {smallest!r}.",
            largest=names[extremes[0]],
            smallest=names[extremes[1]],
        )
    return alt + words.not_finite(scores)


@when_ready
def scores_to_context(inputs: Any, tokens: Sequence[str], query: int = 1) -> Picture:
    """Draw the whole way of one query token: scores, weights, context.

    inputs (tokens, dimensions); tokens: one string per row; query: the position of the query token.

    Raises ValueError for another number of axes or of tokens or a query that is no token, TypeError for what
    holds no numbers.
    """
    values = with_axes(inputs, "inputs", ("tokens", "dimensions"))
    count, dimensions = values.shape
    names = token_names(tokens, count, "inputs", "tokens")
    query = token_index(query, count)
    flow = follow_query(values, query)

    decimals = words.decimals_of(values)
    width = cell_width(dimensions, 46)
    wide = cell_width(dimensions, 66)
    labels = label_width(names)
    room, after, gap = 84, 62, 34
    first = MARGIN + labels
    second = first + width * dimensions + gap
    third = second + room + after + gap
    fourth = third + room + after + gap
    rows = rows_below(122, count)
    with style.look():
        board = Board(round(fourth + max(wide * dimensions, 112) + MARGIN), round(rows.bottom + MARGIN))
        board.title(
            MARGIN, 28, _("From scores to context for “{token}”", token=words.shortened(names[query]))
        )
        _head_columns(board, (first, second, third, fourth), gap)
        write_tokens(board, first - 8, rows, names, query)
        scale = style.color_scale(np.vstack([values, flow.context]))
        for index, top in enumerate(rows.tops):
            board.cells(
                first,
                top,
                values[index],
                (width, rows.thickness),
                scale,
                decimals=decimals,
                name=f"vector {index}",
                frame=style.QUERY if index == query else None,
            )
        _draw_bars(board, rows, (second, third), (flow.scores, flow.weights), room)
        board.cells(
            fourth,
            (rows.top + rows.bottom - 38) / 2,
            flow.context,
            (wide, 38),
            scale,
            decimals=4,
            name="context",
            frame=style.CONTEXT,
        )
    alt = _way_in_words(flow, names, query)
    return Picture(board.figure, alt + words.not_finite(flow.context))


def _head_columns(board: Board, lefts: Sequence[float], gap: float) -> None:
    """Write what each of the four columns holds, with an arrow from one to the next."""
    headings = (
        (lefts[0], _("vectors"), _("query in orange"), style.INK),
        (lefts[1], "scores", _("dot product with query"), style.SCORE),
        (lefts[2], "weights", _("softmax of the scores"), style.WEIGHT),
        (lefts[3], "context", fill(_("weighted sum of the vectors"), 14), style.CONTEXT),
    )
    for x, heading, detail, color in headings:
        board.text(x, 70, heading, weight="bold", color=color)
        board.text(x, 82, detail, size=11.5, color=style.MUTED, va="top", linespacing=1.2)
    for left, before, after in zip(lefts[1:], (6, 2, 2), (6, 10, 10), strict=True):
        board.arrow((left - gap + before, 70), (left - after, 70))


def _draw_bars(
    board: Board, rows: Rows, lefts: Sequence[float], columns: Sequence[np.ndarray], room: float
) -> None:
    """Draw scores and weights as bars."""
    looks = ((style.SCORE, "score"), (style.WEIGHT, "weight"))
    for left, column, (color, name) in zip(lefts, columns, looks, strict=True):
        board.bars(
            left,
            rows.middles,
            column,
            room,
            rows.height * 0.6,
            color=color,
            name=name,
            size=text_size(rows),
        )


def _way_in_words(flow: QueryFlow, names: Sequence[str], query: int) -> str:
    """Say what a query token's scores, weights and context are."""
    extremes = words.extremes(flow.weights)
    return (
        _(
            "From scores to context for the query {query!r}. Scores: {scores}. Weights after softmax: "
            "{weights}.",
            query=names[query],
            scores=words.by_token(names, flow.scores),
            weights=words.by_token(names, flow.weights),
        )
        + " "
        + (_("The largest weight is on {key!r}.", key=names[extremes[0]]) + " " if extremes else "")
        + _("Context: {context}.", context=words.vector(flow.context))
    )
