"""Two ways to turn scores into weights, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np

from visuals import style, words
from visuals.arrays import token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, label_width, rows_below, text_size, write_tokens
from visuals.flow import softmax
from visuals.language import N_, _
from visuals.not_ready import when_ready
from visuals.picture import Picture

# What is said of both ways.
GOOD, NOT_FINITE = N_("all from 0 to 1,\nadds up to 1"), N_("no weights: the scores\nare not finite")


@when_ready
def sum_versus_softmax(scores: Any, tokens: Sequence[str] | None = None) -> Picture:
    """Draw scores divided by their sum beside softmax of the same scores, and say what is wrong with either.

    scores (tokens,): any numbers, negative ones and ones that add up to zero included; tokens: one string per
    score, "score 0", "score 1", … when left out.

    Raises ValueError when scores has not exactly one axis or the tokens do not fit, TypeError for what holds
    no numbers.
    """
    values = with_axes(scores, "scores", ("tokens",))
    names = [_("score {index}", index=index) for index in range(len(values))]
    if tokens is not None:
        names = token_names(tokens, len(values), "scores", "tokens")
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = values / values.sum()  # (tokens,) / () -> (tokens,)
    weights = softmax(values)
    verdicts = [_verdict_on_sum(values, shares), _verdict_on_softmax(weights)]

    labels = label_width(names)
    room, after = 120, 86
    rows = rows_below(112, len(values))
    lefts = [MARGIN + labels + (room + after) * column + 10 * column for column in range(3)]
    # One scale for all three, so that the length of a bar means the same number everywhere.
    together = np.concatenate((values, shares, weights))
    with style.look():
        columns = (
            (_("the scores"), "", values, style.SCORE),
            (_("÷ their sum"), _("sum {value}", value=words.number(values.sum())), shares, style.MUTED),
            ("softmax", "exp(score) ÷ sum of all exp", weights, style.WEIGHT),
        )
        board = Board(round(lefts[-1] + room + after + MARGIN), round(rows.bottom + 84))
        board.title(MARGIN, 28, _("From scores to weights, two ways at one scale"))
        write_tokens(board, MARGIN + labels - 8, rows, names)
        for left, (heading, detail, column, color), name in zip(
            lefts, columns, ("score", "share", "weight"), strict=True
        ):
            board.text(left, 68, heading, weight="bold", color=color)
            board.text(left, 90, detail, size=style.SMALL_SIZE, color=style.MUTED)
            board.bars(
                left,
                rows.middles,
                column,
                room,
                rows.height * 0.6,
                color=color,
                name=name,
                size=text_size(rows),
                scale=together,
            )
        for left, (good, verdict, size) in zip(lefts[1:], verdicts, strict=True):
            _write_verdict(board, left, rows.bottom + 40, good, _(verdict, size=size))
    alt = _in_words(names, (values, shares, weights), verdicts)
    return Picture(board.figure, alt)


def _in_words(
    names: Sequence[str],
    columns: tuple[np.ndarray, np.ndarray, np.ndarray],
    verdicts: Sequence[tuple[bool, str, str]],
) -> str:
    """Say what the scores are, what both ways make of them, and what is to be said of each."""
    values, shares, weights = columns
    return _(
        "The same {count} scores turned into weights in two ways. Scores: {scores}; their sum {total}. "
        "Divided by the sum: {shares} ({first}). Softmax: {weights} ({second}).",
        count=len(values),
        scores=words.by_token(names, values),
        total=words.number(values.sum()),
        shares=words.by_token(names, shares),
        first=_on_one_line(_(verdicts[0][1], size=verdicts[0][2])),
        weights=words.by_token(names, weights),
        second=_on_one_line(_(verdicts[1][1], size=verdicts[1][2])),
    )


def _write_verdict(board: Board, x: float, y: float, good: bool, verdict: str) -> None:
    """Write what is to be said of one of the two ways, in green or red."""
    board.text(
        x,
        y,
        "\n".join(fill(line, 27) for line in f"{'✓' if good else '✗'} {verdict}".splitlines()),
        size=style.SMALL_SIZE,
        color=style.CONTEXT if good else style.WARNING,
        weight="bold",
        linespacing=1.3,
    )


def _verdict_on_sum(scores: np.ndarray, shares: np.ndarray) -> tuple[bool, str, str]:
    """Tell whether dividing by the sum gave weights, in a few words what it gave, and the {size} in them."""
    if not np.isfinite(shares).all():
        if np.isfinite(scores).all():
            return False, N_("no weights: the sum is 0"), ""
        return False, NOT_FINITE, ""
    if (scores <= 0).all():
        # Negative divided by negative: the shares look fine but are ranked the wrong way round.
        return False, N_("upside down: the smallest\nscore weighs most"), ""
    if (shares < 0).any():
        largest = float(np.abs(shares).max())
        if largest > 2:
            return False, N_("sum close to 0: a weight\nof size {size}"), words.number(largest, 1)
        if scores.sum() < 0:
            return False, N_("negative sum: every\nsign is turned round"), ""
        return False, N_("a weight below 0\nis no share"), ""
    return True, GOOD, ""


def _verdict_on_softmax(weights: np.ndarray) -> tuple[bool, str, str]:
    if not np.isfinite(weights).all():
        return False, NOT_FINITE, ""
    return True, GOOD, ""


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
