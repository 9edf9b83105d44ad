"""What sampling cuts from a model's probabilities, and what it draws the next token from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, label_width
from visuals.language import _
from visuals.not_ready import when_ready
from visuals.picture import Picture

# Panels beside each other, and widths in CSS pixels: of the longest bar, of a panel, of the legend.
IN_A_ROW, ROOM, STEP, LEGEND = 3, 130.0, 218.0, 460.0
ROW = 20.0


@when_ready
def sampling_bars(logits: Any, drawn: Any, tokens: Sequence[str], ways: Sequence[str]) -> Picture:
    """Draw what the next token is drawn from in several ways, beside what the model says.

    logits (vocab,); drawn (ways, vocab): the probabilities of each way, 0 for a token that it cuts; tokens:
    one string per logit; ways: one string per row of `drawn`.

    Raises ValueError for shapes that do not fit, TypeError for what holds no numbers.
    """
    values = with_axes(logits, "logits", ("vocab",))
    chances = with_axes(drawn, "drawn", ("ways", "vocab"))
    names = token_names(tokens, len(values), "logits", "vocab")
    titles = token_names(ways, len(chances), "drawn", "ways")
    if chances.shape[1] != len(values):
        raise ValueError(f"drawn needs {len(values)} columns, one per logit; its shape is {chances.shape}.")
    says = softmax(values)
    left = MARGIN + label_width(names)
    pixels = ROOM / max(says.max(), np.nan_to_num(chances).max())
    height = 66 + ROW * len(names)
    bottom = 66 + height * -(-len(chances) // IN_A_ROW)
    with style.look():
        board = Board(round(max(left + STEP * min(IN_A_ROW, len(chances)), LEGEND)), round(bottom + 32))
        board.title(MARGIN, 28, _("What the next token is drawn from"))
        for index, (title, row) in enumerate(zip(titles, chances, strict=True)):
            down, across = divmod(index, IN_A_ROW)
            corner = left + STEP * across, 66 + height * down
            board.text(*corner, title, weight="bold")
            board.text(corner[0], corner[1] + 20, _share(says, row), size=11.5, color=style.MUTED)
            _panel(board, (corner[0], corner[1] + 44), says, row, pixels, str(index))
            for place, name in enumerate(names if not across else ()):
                y = corner[1] + 44 + ROW * place
                board.text(left - 8, y, words.shortened(name), ha="right", size=style.SMALL_SIZE)
        _legend(board, bottom + 6)
    in_words = [
        f"{title}: {_share(says, row)} ({words.by_token(np.array(names)[row > 0], row[row > 0], 2)})"
        for title, row in zip(titles, chances, strict=True)
    ]
    alt = _(
        "What the next token is drawn from, in {count} ways. The model says: {says}. {ways}.",
        count=len(chances),
        says=words.by_token(names, says, 2),
        ways="; ".join(in_words),
    )
    return Picture(board.figure, alt + words.not_finite(chances))


def _share(says: np.ndarray, row: np.ndarray) -> str:
    """Say how many tokens are left, and how likely they are together as the model says."""
    mass = words.number(says[row > 0].sum(), 2)
    return _(
        "{count} of {all} tokens, {mass} in the model", count=int((row > 0).sum()), all=len(row), mass=mass
    )


def _panel(
    board: Board, corner: tuple[float, float], says: np.ndarray, row: np.ndarray, pixels: float, name: str
) -> None:
    """Draw two bars for each token: as the model says, and as it is drawn."""
    left, top = corner
    for place, (before, after) in enumerate(zip(says, row, strict=True)):
        y = top + ROW * place
        _bar(board, (left, y), before * pixels, after > 0, f"says {name} {place}")
        board.axes.add_artist(
            mpl.Rectangle(
                (left, y - 4), after * pixels, 8, facecolor=style.CONTEXT, gid=f"drawn {name} {place}"
            )
        )
        end = left + max(before, np.nan_to_num(after)) * pixels + 6
        number = words.number(after, 2) if after > 0 else _("cut")
        board.text(end, y, number, size=11.5, color=style.INK if after > 0 else style.MUTED)
    board.line((left, top - 12), (left, top - 10 + ROW * len(row)), style.MUTED)


def softmax(logits: np.ndarray) -> np.ndarray:
    """Return the probabilities (…, vocab) of some logits."""
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def _bar(board: Board, start: tuple[float, float], length: float, kept: bool, name: str) -> None:
    """Draw what the model says of a token: filled where it can be drawn, hatched where it is cut."""
    x, y = start
    bar = mpl.Rectangle(
        (x, y - 7),
        length,
        14,
        facecolor=style.sequential()(0.25) if kept else style.CARD,
        edgecolor=style.MUTED,
        hatch=None if kept else "////",
        linewidth=0.6,
        gid=name,
    )
    board.axes.add_artist(bar)


def _legend(board: Board, y: float) -> None:
    x = float(MARGIN)
    for kind, text in (("kept", _("as the model says")), ("cut", _("cut")), ("drawn", _("as it is drawn"))):
        if kind == "drawn":
            board.axes.add_artist(mpl.Rectangle((x, y - 4), 26, 8, facecolor=style.CONTEXT))
        else:
            _bar(board, (x, y), 26, kind == "kept", f"legend {kind}")
        written = board.text(x + 34, y, text, size=style.SMALL_SIZE)
        x += 34 + 8.2 * len(written.get_text()) + 18
