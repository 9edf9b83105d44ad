"""Four classic bugs side by side: what each does to weights, entropy, gradients and training."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import Normalize

from visuals import style, words
from visuals.board import Board
from visuals.faulty import BUGS, HEADS, STEPS, Moment, Training
from visuals.figures.layout import MARGIN
from visuals.picture import Picture

# Widths and heights in CSS pixels: of a column and the gap to the next, of a map, of the curves.
PANEL, GAP = 124, 16
MAP, CURVE = 120, 96
LABELS = 118
LINE = 20
# The names of the bugs in two lines each.
HEADINGS = {
    "unscaled": ("no √d_k", ""),
    "columns": ("softmax over", "the queries"),
    "late": ("mask after", "softmax"),
    "untransposed": ("heads without", "transpose"),
}
FACTS = ("rows add up to", "entropy of a row", "gradient at scores", "outputs that leak")


def row_sums(moment: Moment) -> str:
    """What the rows of weights add up to: '1.00', or '0.11 to 2.64', the smallest and the largest."""
    low, high = (words.number(value, 2) for value in (moment.sums.min(), moment.sums.max()))
    return low if low == high else f"{low} to {high}"


def leaking(moment: Moment) -> str:
    """How many outputs change with a later token: '5 of 5'; the last token has none after it."""
    return f"{int(moment.leaks.sum())} of {len(moment.leaks)}"


def facts(moment: Moment, right: Moment) -> tuple[str, ...]:
    """Row sums, entropy, the gradient at the scores beside the right class's, and leaks: as in `FACTS`."""
    gradient = float(moment.at_scores.mean() / right.at_scores.mean())
    return (
        row_sums(moment),
        words.number(float(moment.entropy.mean()), 2),
        f"{words.number(gradient, 2)} × right",
        leaking(moment),
    )


def striking(moment: Moment, right: Moment) -> tuple[bool, ...]:
    """Which of those facts differ so much from the right class's that they are a symptom."""
    entropy = float(moment.entropy.mean() / right.entropy.mean())
    gradient = float(moment.at_scores.mean() / right.at_scores.mean())
    return (
        bool(np.abs(moment.sums - 1).max() > 0.005),
        not 0.8 < entropy < 1.25,
        not 0.5 < gradient < 2,
        bool(moment.leaks.any()),
    )


def bugs_side_by_side(right: Training, broken: Sequence[Training], tokens: Sequence[str]) -> Picture:
    """Draw the right class and classes with one bug each: before training, and how they train.

    right, broken: trained on stories of as many tokens as are named.
    """
    every = [right, *broken]
    first = MARGIN + LABELS + 8
    cell = MAP / len(tokens)
    top = 122
    below = top + MAP + 32
    floor = below + len(FACTS) * LINE + 8 + CURVE
    highest = max(float(training.errors.max()) for training in every)
    scale = style.SEQUENTIAL, Normalize(0.0, 1.0)
    with style.look():
        board = Board(first + len(every) * (PANEL + GAP) - GAP + MARGIN, floor + 50)
        board.title(MARGIN, 28, "The same class, right and with one bug each")
        board.text(
            MARGIN,
            52,
            "weights of head 0 before training (rows are queries; blue is 1), and the error while it trains",
            size=style.SMALL_SIZE,
            color=style.MUTED,
        )
        for index, token in enumerate(tokens):
            _label(
                board, top + (index + 0.5) * cell, words.shortened(token), min(style.SMALL_SIZE, cell * 0.8)
            )
        for index, fact in enumerate(FACTS):
            _label(board, below + index * LINE, fact)
        _label(board, floor - CURVE / 2 - 9, "error over")
        _label(board, floor - CURVE / 2 + 9, f"{STEPS} steps")
        for column, training in enumerate(every):
            name = "+".join(sorted(training.bugs)) or "right"
            left = first + column * (PANEL + GAP)
            color = style.WARNING if training.bugs else style.CONTEXT
            heading = HEADINGS[name] if training.bugs else ("right", "")
            for line, text in enumerate(heading):
                y = 84 + 18 * line if heading[1] else 102
                board.text(left, y, text, weight="bold", color=color)
            for row, values in enumerate(training.before.weights[0]):
                place = (left, top + row * cell)
                board.cells(*place, values, (cell, cell), scale, decimals=2, name=f"{name} {row}")
            if "untransposed" in training.bugs:
                note = f"rows are 1/{HEADS} of a token"
                board.text(left, top + MAP + 11, note, size=10.5, color=color)
            for line, text in enumerate(facts(training.before, right.before)):
                wrong = striking(training.before, right.before)[line]
                board.text(
                    left,
                    below + line * LINE,
                    text,
                    size=style.SMALL_SIZE,
                    weight="bold" if wrong else "normal",
                    color=color if wrong else style.INK,
                    gid=f"fact {name} {line}",
                )
            _draw_curves(board, (left, floor), training, right, highest, name)
    return Picture(board.figure, _in_words(right, broken))


def _label(board: Board, y: float, text: str, size: float = 11.5) -> None:
    color = style.INK if size == style.SMALL_SIZE else style.MUTED
    board.text(MARGIN + LABELS, y, text, ha="right", size=size, color=color)


def _draw_curves(
    board: Board, corner: tuple[float, float], training: Training, right: Training, highest: float, name: str
) -> None:
    """The error over the steps, beside the right class's, in a panel whose lower left corner is given."""
    left, floor = corner
    board.line((left, floor), (left + PANEL, floor), style.MUTED)
    color = style.WARNING if training.bugs else style.CONTEXT
    curves = [(right, style.CONTEXT, "--", 1.4)] if training.bugs else []
    for one, stroke, dashes, width in [*curves, (training, color, "-", 2.4)]:
        board.axes.plot(
            left + PANEL * one.steps / STEPS,
            floor - CURVE * one.errors / highest,
            color=stroke,
            linestyle=dashes,
            linewidth=width,
            gid=f"error {name}" if one is training else f"error right beside {name}",
        )
    board.text(
        left + PANEL,
        floor + 18,
        f"{words.number(training.error, 2)} at the end",
        ha="right",
        size=style.SMALL_SIZE,
        weight="bold",
        color=color,
    )


def _in_words(right: Training, broken: Sequence[Training]) -> str:
    parts = []
    for training in (right, *broken):
        sums, entropy, gradient, leaks = facts(training.before, right.before)
        name = BUGS[next(iter(training.bugs))] if training.bugs else "right"
        told = f"gradient at the scores {gradient}, " if training.bugs else ""
        parts.append(
            f"{name}: rows add up to {sums}, entropy {entropy}, {told}"
            f"{leaks} outputs change with a later token, "
            f"error from {words.number(float(training.errors[0]), 2)} to {words.number(training.error, 2)}"
        )
    return (
        "The same class right and with one bug each, before training and while it trains for "
        f"{STEPS} steps. {'; '.join(parts)}."
    )
