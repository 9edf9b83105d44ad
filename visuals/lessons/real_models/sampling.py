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
    kept = with_axes(drawn, "drawn", ("ways", "vocab"))
    names = token_names(tokens, len(values), "logits", "vocab")
    titles = token_names(ways, len(kept), "drawn", "ways")
    if kept.shape[1] != len(values):
        raise ValueError(f"drawn needs {len(values)} columns, one per logit; its shape is {kept.shape}.")
    says = softmax(values)
    labels = label_width(names)
    pixels = ROOM / max(says.max(), np.nan_to_num(kept).max())
    height = 66 + ROW * len(names)
    panels = -(-len(kept) // IN_A_ROW)
    told = []
    with style.look():
        width = max(MARGIN + labels + STEP * min(IN_A_ROW, len(kept)), LEGEND)
        board = Board(round(width), round(98 + height * panels))
        board.title(MARGIN, 28, _("What the next token is drawn from"))
        for index, (title, row) in enumerate(zip(titles, kept, strict=True)):
            down, across = divmod(index, IN_A_ROW)
            left, top = MARGIN + labels + STEP * across, 66 + height * down
            share = _(
                "{count} of {all} tokens, {mass} in the model",
                count=int((row > 0).sum()),
                all=len(names),
                mass=words.number(says[row > 0].sum(), 2),
            )
            left_over = [name for name, chance in zip(names, row, strict=True) if chance > 0]
            told.append(f"{title}: {share} ({words.by_token(left_over, row[row > 0], 2)})")
            board.text(left, top, title, weight="bold")
            board.text(left, top + 20, share, size=11.5, color=style.MUTED)
            for place, (name, before, after) in enumerate(zip(names, says, row, strict=True)):
                y = top + 44 + ROW * place
                _bar(board, (left, y), before * pixels, after > 0, f"says {index} {place}")
                solid = mpl.Rectangle(
                    (left, y - 4), after * pixels, 8, facecolor=style.CONTEXT, gid=f"drawn {index} {place}"
                )
                board.axes.add_artist(solid)
                end = left + max(before, np.nan_to_num(after)) * pixels + 6
                number = words.number(after, 2) if after > 0 else _("cut")
                board.text(end, y, number, size=11.5, color=style.INK if after > 0 else style.MUTED)
                if not across:
                    board.text(left - 8, y, words.shortened(name), ha="right", size=style.SMALL_SIZE)
            board.line((left, top + 32), (left, top + 34 + ROW * len(names)), style.MUTED)
        _legend(board, 66 + height * panels + 6)
    alt = _(
        "What the next token is drawn from, in {count} ways. The model says: {says}. {told}.",
        count=len(kept),
        says=words.by_token(names, says, 2),
        told="; ".join(told),
    )
    return Picture(board.figure, alt + words.not_finite(kept))


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
