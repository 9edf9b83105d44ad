"""Masking after the softmax: the four pictures of its three steps, and one row of them as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import token_index, token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, label_width
from visuals.flow import softmax
from visuals.language import _
from visuals.not_ready import when_ready
from visuals.picture import Picture

ROW = 27.0
# How far a sum may be from 1 before it is marked.
TOLERANCE = 2e-3


def rows_of(scores: np.ndarray, d_k: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights, weights with the future at 0, and those divided by their row sums; each (tokens, tokens)."""
    weights = np.stack([softmax(row) for row in scores / d_k**0.5])
    masked = np.tril(weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        return weights, masked, masked / masked.sum(axis=1, keepdims=True)


@when_ready
def masking_steps(scores: Any, tokens: Sequence[str], d_k: float = 1.0) -> Picture:
    """Draw the way from scores to causal weights with the mask after the softmax, and what rows add up to.

    scores (tokens, tokens), rows are queries; tokens: one string per token; d_k: the size of a key, by whose
    square root the scores are divided first.

    Raises ValueError when scores is not square, has more than 8 tokens, or d_k is not positive, TypeError for
    what holds no numbers.
    """
    values = with_axes(scores, "scores", ("queries", "keys"))
    names = token_names(tokens, len(values), "scores", "queries")
    count = len(values)
    if values.shape[1] != count:
        raise ValueError(f"scores must be square, one key for each query; its shape is {values.shape}.")
    if count > 8:
        raise ValueError(f"scores has {count} tokens; at most 8 fit four pictures side by side.")
    if not d_k > 0:
        raise ValueError(f"d_k must be positive, not {d_k}.")
    weights, masked, divided = rows_of(values, d_k)
    panels = (
        ("scores", _("1 · scores"), "queries @ keys.T", values, style.SCORE),
        ("weights", _("2 · weights"), "softmax of scores ÷ √d_k", weights, style.WEIGHT),
        ("masked", _("3 · future set to 0"), _("rows fall short of 1"), masked, style.WEIGHT),
        ("divided", _("4 · causal weights"), _("each row ÷ its sum"), divided, style.WEIGHT),
    )
    cell = min(46.0, 290 / count)
    labels = label_width(names)
    step = cell * count + 72
    lefts = [MARGIN + labels, MARGIN + labels + step + 34]
    height = 62 + ROW * count + 30
    shades = {"scores": style.color_scale(values), "other": style.color_scale(np.array([0.0, 1.0]))}
    with style.look():
        board = Board(round(lefts[1] + step + 4), round(48 + 2 * height + 14))
        board.title(MARGIN, 28, _("Weights first, mask afterwards"))
        for index, (name, heading, detail, matrix, color) in enumerate(panels):
            left, top = lefts[index % 2], 48 + height * (index // 2)
            board.text(left, top + 20, heading, weight="bold", color=color)
            board.text(left, top + 42, detail, size=style.SMALL_SIZE, color=style.MUTED)
            shade = shades.get(name, shades["other"])
            _draw_matrix(board, (left, top), cell, matrix, shade, name, names if index % 2 == 0 else ())
        for index in (0, 1):
            y = 48 + height * index + 20
            board.arrow((lefts[1] - 74, y), (lefts[1] - 12, y))
    alt = _(
        "Four matrices of {count} by {count}, rows are queries. Scores, then weights after softmax, "
        "whose rows add up to 1. Then everything above the diagonal is set to 0, and the rows add up to "
        "{sums}. Then each row is divided by its sum. Last, row by row: {rows}.",
        count=count,
        sums=words.by_token(names, masked.sum(axis=1)),
        rows=_rows_in_words(divided, names),
    )
    return Picture(board.figure, alt)


def _draw_matrix(
    board: Board,
    corner: tuple[float, float],
    cell: float,
    matrix: np.ndarray,
    shade: tuple[mpl.Colormap, mpl.Normalize],
    name: str,
    labels: Sequence[str],
) -> None:
    """Draw one matrix below its heading, what is hidden in it hatched, and what its rows add up to."""
    (left, top), count = corner, len(matrix)
    for row in range(count):
        y = top + 58 + ROW * row
        if labels:
            board.text(left - 8, y + ROW / 2 - 1, words.shortened(labels[row]), ha="right")
        hidden = row + 1 if name in ("masked", "divided") else count
        board.cells(
            left,
            y,
            matrix[row, :hidden],
            (cell, ROW - 2),
            shade,
            decimals=2,
            name=f"{name} {row}",
        )
        for key in range(hidden, count):
            _hidden(board, left + key * cell, y, cell, f"{name} {row} {key}")
        if name != "scores":
            _row_sum(board, left + cell * count + 8, y + ROW / 2 - 1, matrix[row].sum(), name, row)


def _hidden(board: Board, x: float, y: float, width: float, name: str) -> None:
    board.axes.add_patch(
        mpl.Rectangle(
            (x, y),
            width,
            ROW - 2,
            facecolor=style.CARD,
            edgecolor=style.LINE,
            hatch="////",
            linewidth=0.8,
            gid=f"hidden {name}",
        )
    )
    board.text(
        x + width / 2,
        y + ROW / 2 - 1,
        "0",
        size=style.SMALL_SIZE,
        ha="center",
        color=style.MUTED,
        bbox={"facecolor": style.CARD, "edgecolor": "none", "pad": 0.8},
    )


def _row_sum(board: Board, x: float, y: float, total: float, name: str, row: int) -> None:
    whole = abs(total - 1) <= TOLERANCE
    board.text(
        x,
        y,
        # A sum that is not 1 is not written as 1.00.
        f"= {words.number(total, 2 if whole or round(total, 2) != 1 else 3)}",
        size=style.SMALL_SIZE,
        color=style.MUTED if whole else style.WARNING,
        weight="normal" if whole else "bold",
        gid=f"{name} sum {row}",
    )


def _rows_in_words(matrix: np.ndarray, names: Sequence[str]) -> str:
    return "; ".join(f"{name} {words.vector(matrix[row, : row + 1])}" for row, name in enumerate(names))


@when_ready
def cut_and_stretch(scores: Any, tokens: Sequence[str], query: int = 2) -> Picture:
    """Draw one query's weights as bars: over all tokens, cut after the query, stretched back to 1.

    Below that stands softmax over the visible tokens alone, which is the same.

    scores (tokens, tokens), ready for the softmax; tokens: one string per token; query: the query's position.

    Raises ValueError when scores is not square or the query is no token, TypeError for what holds no numbers.
    """
    values = with_axes(scores, "scores", ("queries", "keys"))
    names = token_names(tokens, len(values), "scores", "queries")
    if values.shape[1] != len(values):
        raise ValueError(f"scores must be square, one key for each query; its shape is {values.shape}.")
    query = token_index(query, len(values))
    seen = query + 1
    weights = softmax(values[query])  # (tokens,)
    remaining = weights[:seen].sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        stretched = weights[:seen] / remaining  # (seen,)
    alone = softmax(values[query, :seen])  # (seen,)
    bars = (
        ("all", _("1 · softmax over all tokens"), weights),
        ("cut", _("2 · future cut off: {kept} is left", kept=words.number(remaining)), weights[:seen]),
        (
            "stretched",
            _("3 · each ÷ {kept}: stretched to the full width", kept=words.number(remaining)),
            stretched,
        ),
        ("alone", _("4 · softmax over the first {seen} alone", seen=seen), alone),
    )
    room, high, step = 560.0, 42.0, 86.0
    with style.look():
        board = Board(round(room + 2 * MARGIN), round(58 + step * len(bars) + 34))
        board.title(MARGIN, 28, _("One row: the weights of “{token}”", token=words.shortened(names[query])))
        for index, (name, heading, shares) in enumerate(bars):
            top = 58 + step * index
            board.text(MARGIN, top + 10, heading, weight="bold", color=style.WEIGHT)
            _stack(board, top + 24, high, room, shares, names, seen, name)
        same = float(np.abs(stretched - alone).max()) < 1e-6
        _write_verdict(board, 58 + step * len(bars) + 8, same)
    alt = _(
        "The weights of {query!r} as bars. Softmax over all {count} tokens: {weights}. With the future "
        "cut off, {kept} is left. Each divided by that: {stretched}. Softmax over the first {seen} "
        "alone: {alone}{same}.",
        query=names[query],
        count=len(names),
        weights=words.by_token(names, weights),
        kept=words.number(remaining),
        stretched=words.by_token(names[:seen], stretched),
        seen=seen,
        alone=words.by_token(names[:seen], alone),
        same=_(", the same") if same else "",
    )
    return Picture(board.figure, alt)


def _write_verdict(board: Board, y: float, same: bool) -> None:
    """Write whether the two last bars are the same."""
    verdict = _("✓ bars 3 and 4 are the same") if same else _("✗ bars 3 and 4 differ")
    board.text(
        MARGIN,
        y,
        verdict,
        weight="bold",
        color=style.CONTEXT if same else style.WARNING,
    )


def _stack(
    board: Board,
    top: float,
    high: float,
    room: float,
    shares: np.ndarray,
    names: Sequence[str],
    seen: int,
    name: str,
) -> None:
    """One bar of `room` pixels for a sum of 1, made of the shares side by side."""
    board.axes.add_patch(
        mpl.Rectangle(
            (MARGIN, top), room, high, fill=False, edgecolor=style.MUTED, linestyle=":", linewidth=1
        )
    )
    x = float(MARGIN)
    for index, share in enumerate(shares):
        good = bool(np.isfinite(share))
        width = room * float(share) if good else 0.0
        later = index >= seen
        face = style.CARD if later else style.sequential()(0.18 + 0.2 * (index % 2))
        board.axes.add_patch(
            mpl.Rectangle(
                (x, top),
                width,
                high,
                facecolor=face,
                edgecolor=style.MUTED,
                hatch="////" if later else None,
                linewidth=1,
                gid=f"{name} {index}",
            )
        )
        label = words.shortened(names[index])
        if width >= max(8.4 * len(label), 52):
            back = {"facecolor": style.CARD, "edgecolor": "none", "pad": 0.8} if later else None
            color = style.MUTED if later else style.text_on(face)
            for text, y in ((label, top + 13), (words.number(share), top + 30)):
                board.text(x + width / 2, y, text, size=style.SMALL_SIZE, ha="center", color=color, bbox=back)
        x += width
