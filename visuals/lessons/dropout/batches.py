"""A batch: several sentences in one tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, label_width
from visuals.language import _
from visuals.not_ready import when_ready
from visuals.picture import Picture

# More sentences than this do not fit beside one another.
MOST_SENTENCES = 3


@when_ready
def batch_stack(batch: Any, sentences: Sequence[Sequence[str]]) -> Picture:
    """Draw a batch as cards, one for each sentence, and name its three axes.

    batch (sentences, tokens, dimensions); sentences: for each sentence, one string per token.

    Raises ValueError for another number of axes, of sentences or of tokens, TypeError for what holds no
    numbers.
    """
    values = with_axes(batch, "batch", ("sentences", "tokens", "dimensions"))
    count, length, dimensions = values.shape
    if count > MOST_SENTENCES:
        raise ValueError(
            f"batch holds {count} sentences; at most {MOST_SENTENCES} are drawn: batch[:2], say."
        )
    if len(sentences) != count:
        raise ValueError(f"{len(sentences)} lists of tokens do not fit: batch holds {count} sentences.")
    names = [token_names(sentence, length, "batch", "tokens") for sentence in sentences]
    decimals = words.decimals_of(values)
    labels = max(label_width(sentence) for sentence in names)
    cell, row = (50.0 if decimals == 2 else 62.0), 32.0
    card = (labels + cell * dimensions + 30, row * length + 56)
    step = (card[0] + 26, -22.0)
    top = 104.0 - step[1] * (count - 1)
    scale = style.color_scale(values)
    with style.look():
        width = MARGIN * 2 + 84 + step[0] * (count - 1) + card[0]
        board = Board(round(width), round(top + card[1] + 66))
        shape = ", ".join(str(size) for size in values.shape)
        board.title(MARGIN, 28, _("A batch of {count} sentences: shape ({shape})", count=count, shape=shape))
        for index in range(count):
            left, y = MARGIN + 84 + step[0] * index, top + step[1] * index
            _draw_card(board, (left, y), card, f"sentence {index}")
            board.text(left + 14, y + 22, f"batch[{index}]", weight="bold", color=style.QUERY)
            look = {"scale": scale, "decimals": decimals}
            _draw_vectors(
                board, (left + labels, y + 46), (cell, row), values[index], names[index], index, look
            )
        _name_axes(board, values.shape, card, top, step, labels)
    same = count > 1 and all(np.array_equal(values[0], other) for other in values[1:])
    alt = (
        _(
            "A batch of {count} sentences drawn as cards side by side: shape ({shape}). Axis 0 counts "
            "the sentences ({count}), axis 1 the tokens ({length}), axis 2 the dimensions "
            "({dimensions}). ",
            count=count,
            shape=shape,
            length=length,
            dimensions=dimensions,
        )
        + " ".join(f"batch[{index}]: {' '.join(sentence)}." for index, sentence in enumerate(names))
        + (" " + _("All sentences hold the same numbers.") if same else "")
    )
    return Picture(board.figure, alt + words.not_finite(values))


def _draw_card(board: Board, corner: tuple[float, float], size: tuple[float, float], name: str) -> None:
    """Draw the card that a sentence is written on."""
    board.axes.add_patch(
        mpl.FancyBboxPatch(
            corner,
            *size,
            boxstyle="round,pad=0,rounding_size=6",
            facecolor=style.CARD,
            edgecolor=style.MUTED,
            linewidth=1.4,
            gid=name,
        )
    )


def _draw_vectors(
    board: Board,
    corner: tuple[float, float],
    size: tuple[float, float],
    values: np.ndarray,
    names: Sequence[str],
    index: int,
    look: Mapping[str, Any],
) -> None:
    """Draw the vectors of a sentence below one another, each after its token."""
    (x, top), (cell, row) = corner, size
    for position, token in enumerate(names):
        y = top + row * position
        board.text(x + 4, y + (row - 3) / 2, words.shortened(token), ha="right", size=13)
        name = f"vector {index} {position}"
        board.cells(x + 14, y, values[position], (cell, row - 3), name=name, **look)


def _name_axes(
    board: Board,
    shape: tuple[int, ...],
    card: tuple[float, float],
    top: float,
    step: tuple[float, float],
    labels: float,
) -> None:
    """Draw an arrow for each axis, along which it counts, with its name and size."""
    count, length, dimensions = shape
    left = MARGIN + 84
    board.arrow((left - 14, top + 46), (left - 14, top + card[1] - 8), style.MUTED)
    board.text(
        left - 24,
        top + 40 + card[1] / 2,
        fill(_("axis 1: {length} tokens", length=length), 7),
        ha="right",
        linespacing=1.3,
    )
    below = top + card[1] + 16
    board.arrow((left + labels + 14, below), (left + card[0] - 12, below), style.MUTED)
    board.text(left + labels + 14, below + 22, _("axis 2: {dimensions} dimensions", dimensions=dimensions))
    over = 70.0
    board.text(left, over, _("axis 0: {count} sentences", count=count), color=style.QUERY)
    if count > 1:
        start = left + 180
        board.arrow((start, over), (max(left + step[0] * (count - 1) + 40, start + 40), over), style.QUERY)
