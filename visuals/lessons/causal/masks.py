"""Which query may look at which key, and where an attention that should hide the future does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, label_width
from visuals.language import N_, _
from visuals.not_ready import when_ready
from visuals.picture import Picture

# Cells and words in CSS pixels: a whole mask fits the height of a screen, and words need some room.
WIDEST, NARROWEST, ROOM = 58.0, 12.0, 460.0
WORDY = 40.0
LETTER = 8.6

OPEN = 0.45  # on the scale of colours


@when_ready
def causal_pattern(tokens: Sequence[str]) -> Picture:
    """Draw what causal attention allows: each query looks at itself and at what came before.

    tokens: one string per token.

    Raises ValueError when there are no tokens, TypeError for one string in place of a list.
    """
    names = token_names(tokens, len(tokens), "tokens", "tokens")
    if not names:
        raise ValueError("tokens is empty: there is nobody to look at anything.")
    hidden = np.triu(np.ones((len(names), len(names)), dtype=bool), k=1)
    return _draw_mask(hidden, names, names, N_("Who may look at whom"))


SDPA = "scaled_dot_product_attention\n(…, attn_mask=visible)"


@when_ready
def two_masks(hidden: Any, tokens: Sequence[str]) -> Picture:
    """Draw one mask in both conventions: in `hidden` True is hidden, in `visible` True may be seen.

    hidden (tokens, tokens), True where the query (row) must not look at the key (column); tokens: one string
    per token.

    Raises ValueError for another number of axes, for entries other than 0 and 1, or for tokens that do not
    fit, TypeError for what holds no numbers.
    """
    shut = _booleans(hidden, "hidden", ("queries", "keys"))
    names = token_names(tokens, shut.shape[1], "hidden", "keys")
    token_names(tokens, shut.shape[0], "hidden", "queries")
    cell = float(np.clip(300 / len(names), NARROWEST, 44))
    left = MARGIN + label_width(names) + 8
    side = cell * len(names) + left + 14
    above = 0.71 * LETTER * max(len(words.shortened(name)) for name in names) + 150
    panels = (
        ("hidden", _("True: hidden from the query"), "scores.masked_fill(hidden, -torch.inf)", shut),
        ("visible = ~hidden", _("True: the query may look"), SDPA, ~shut),
    )
    with style.look():
        board = Board(round(2 * side + MARGIN), round(above + cell * len(names) + MARGIN))
        board.title(MARGIN, 28, _("One mask, two ways to write it"))
        for index, (name, meaning, use, mask) in enumerate(panels):
            x = left + index * side
            board.text(x, 62, name, weight="bold")
            board.text(x, 84, meaning, size=style.SMALL_SIZE)
            board.text(x, 108, use, size=11.5, color=style.MUTED, linespacing=1.3)
            _name_tokens(board, (x, above), cell, names)
            for (row, column), true in np.ndenumerate(mask):
                seen = bool(true) == (index == 1)
                face, hatch = (style.sequential()(OPEN), None) if seen else (style.CARD, "////")
                _cell(board, (x, above), cell, (row, column), face, "", f"{index} {row} {column}", hatch)
                if cell >= WORDY:
                    back = {"facecolor": face, "edgecolor": "none", "pad": 1}
                    board.text(
                        x + (column + 0.5) * cell,
                        above + (row + 0.5) * cell,
                        str(bool(true)),
                        size=11.5,
                        ha="center",
                        color=style.text_on(face),
                        weight="bold" if true else "normal",
                        bbox=back,
                    )
    in_words = _mask_in_words(shut, names, names)
    return Picture(
        board.figure,
        _(
            "One mask, two ways to write it. {told} In `hidden`, for masked_fill, the hidden places are "
            "True. In `visible`, for scaled_dot_product_attention, all other places are True.",
            told=in_words,
        ),
    )


def _name_tokens(board: Board, corner: tuple[float, float], cell: float, names: Sequence[str]) -> None:
    """Write the tokens above the columns of a grid and before its rows."""
    (x, above), small = corner, min(style.SMALL_SIZE, cell * 0.8)
    for index, token in enumerate(names):
        middle = (index + 0.5) * cell
        text = words.shortened(token)
        board.text(
            x + middle - 4, above - 8, text, size=small, rotation=45,
            rotation_mode="anchor", va="bottom",
        )  # fmt: skip
        board.text(x - 8, above + middle, text, size=small, ha="right")


@when_ready
def leak_map(leaks: Any, tokens: Sequence[str]) -> Picture:
    """Draw which later token reaches which output: rows are outputs, columns are tokens that were changed.

    leaks (tokens, tokens), booleans; tokens: one string per token.

    Raises ValueError for another number of axes, for entries other than 0 and 1, or for tokens that do not
    fit, TypeError for what holds no numbers.
    """
    leaking = _booleans(leaks, "leaks", ("outputs", "tokens"))
    names = token_names(tokens, leaking.shape[1], "leaks", "tokens")
    token_names(tokens, leaking.shape[0], "leaks", "outputs")
    later = np.triu(np.ones(leaking.shape, dtype=bool), k=1)
    title = N_("Leaks: {leaks} of {count} future places")
    counts = {"leaks": int((leaking & later).sum()), "count": int(later.sum())}
    with style.look():
        board, corner, cell = _sheet(
            names, names, _(title, **counts), (_("changed token →"), _("output ↓")), below=82
        )
        for (row, column), leak in np.ndenumerate(leaking):
            if leak:
                _cell(board, corner, cell, (row, column), style.WARNING, "leak", f"leak {row} {column}")
            elif later[row, column]:
                _cell(board, corner, cell, (row, column), style.CARD, "", f"tight {row} {column}")
            else:
                _cell(board, corner, cell, (row, column), style.LINE, "", f"past {row} {column}")
        keys = (
            (style.WARNING, _("output changes with this later token")),
            (style.CARD, _("later token, no effect")),
            (style.LINE, _("past and present: not asked")),
        )
        _legend(board, corner[1] + cell * len(names) + 20, keys)
    return Picture(board.figure, f"{_(title, **counts)}. {_leaks_in_words(leaking, names)}")


def _leaks_in_words(leaking: np.ndarray, names: Sequence[str]) -> str:
    lines = [
        _(
            "output {name!r} sees {seen}",
            name=name,
            seen=", ".join(repr(names[column]) for column in np.flatnonzero(row).tolist()),
        )
        for name, row in zip(names, leaking, strict=True)
        if row.any()
    ]
    if not lines:
        return _("No output changes with a later token.")
    more = "; " + _("and {count} more", count=len(lines) - words.LISTED) if len(lines) > words.LISTED else ""
    sentence = "; ".join(lines[: words.LISTED]) + more
    return f"{sentence[0].upper()}{sentence[1:]}."


def _booleans(value: Any, name: str, axes: tuple[str, str]) -> np.ndarray:
    """Return a matrix of True and False, also where it came as ones and zeros."""
    array = with_axes(value, name, axes)
    if not np.isin(array, (0.0, 1.0)).all():
        other = array[~np.isin(array, (0.0, 1.0))][0]
        raise ValueError(f"{name} holds {words.number(other)}; it needs True and False, or 1 and 0.")
    return array.astype(bool)


def _draw_mask(hidden: np.ndarray, query_names: list[str], key_names: list[str], title: str) -> Picture:
    with style.look():
        board, corner, cell = _sheet(query_names, key_names, _(title), ("key →", "query ↓"), below=56)
        for (row, column), shut in np.ndenumerate(hidden):
            if shut:
                _cell(board, corner, cell, (row, column), style.CARD, "", f"hidden {row} {column}", "////")
            else:
                _cell(
                    board, corner, cell, (row, column), style.sequential()(OPEN), "✓", f"open {row} {column}"
                )
        keys = ((style.sequential()(OPEN), _("the query looks here")), (style.CARD, _("hidden from it")))
        _legend(board, corner[1] + cell * len(query_names) + 20, keys, hatched=1)
    return Picture(board.figure, f"{_(title)}. {_mask_in_words(hidden, query_names, key_names)}")


def _mask_in_words(hidden: np.ndarray, query_names: Sequence[str], key_names: Sequence[str]) -> str:
    size = _(
        "{queries} queries (rows) by {keys} keys (columns), {hidden} hidden.",
        queries=len(query_names),
        keys=len(key_names),
        hidden=int(hidden.sum()),
    )
    causal = np.triu(np.ones(hidden.shape, dtype=bool), k=1)
    if hidden.shape[0] == hidden.shape[1] and (hidden == causal).all():
        return _(
            "{size} Each query looks at itself and at the tokens before it, at nothing later.", size=size
        )
    rows = []
    for name, row in zip(query_names, hidden, strict=True):
        seen = ", ".join(repr(key) for key, shut in zip(key_names, row, strict=True) if not shut)
        rows.append(_("{name!r} looks at {seen}", name=name, seen=seen or _("nothing")))
    more = "; " + _("and {count} more", count=len(rows) - words.LISTED) if len(rows) > words.LISTED else ""
    return f"{size} {'; '.join(rows[: words.LISTED])}{more}."


def _sheet(
    row_names: Sequence[str], column_names: Sequence[str], title: str, axes: tuple[str, str], below: float
) -> tuple[Board, tuple[float, float], float]:
    """Return a board with a title and token names.

    The top left corner of its grid, and the size of a cell.
    """
    cell = float(np.clip(ROOM / max(len(row_names), len(column_names)), NARROWEST, WIDEST))
    size = min(style.TEXT_SIZE, cell * 0.8)
    longest = LETTER * max(len(words.shortened(name)) for name in column_names)
    slanted = longest > cell - 4
    above = 0.71 * longest + 20 if slanted else 30.0
    left = MARGIN + max(label_width(row_names), LETTER * len(axes[1]), LETTER * len(axes[0])) + 8
    corner = (left, 48 + above)
    overhang = 0.71 * longest if slanted else 0.0
    width = max(left + cell * len(column_names) + overhang + MARGIN, 9.8 * len(title) + 2 * MARGIN, 420)
    board = Board(round(width), round(corner[1] + cell * len(row_names) + below))
    board.title(MARGIN, 28, title)
    for text, rise in ((axes[0], 30), (axes[1], 12)):
        board.text(left - 8, corner[1] - rise, text, size=style.SMALL_SIZE, color=style.MUTED, ha="right")
    for index, name in enumerate(column_names):
        middle = left + (index + 0.5) * cell
        board.text(
            middle - (4 if slanted else 0),
            corner[1] - 8,
            words.shortened(name),
            size=size,
            rotation=45 if slanted else 0,
            rotation_mode="anchor",
            ha="left" if slanted else "center",
            va="bottom",
        )
    for index, name in enumerate(row_names):
        board.text(left - 8, corner[1] + (index + 0.5) * cell, words.shortened(name), size=size, ha="right")
    return board, corner, cell


def _cell(
    board: Board,
    corner: tuple[float, float],
    cell: float,
    at: tuple[int, int],
    face: Any,
    label: str,
    name: str,
    hatch: str | None = None,
) -> None:
    """One cell of a grid; its word only where it fits."""
    x, y = corner[0] + at[1] * cell, corner[1] + at[0] * cell
    edge = style.LINE if cell >= 16 else "none"
    board.axes.add_patch(
        mpl.Rectangle(
            (x, y), cell, cell, facecolor=face, edgecolor=edge, hatch=hatch, linewidth=0.8, gid=name
        )
    )
    fits = cell >= WORDY if len(label) > 1 else cell >= 20
    if label and fits:
        board.text(
            x + cell / 2,
            y + cell / 2,
            label,
            size=style.SMALL_SIZE,
            ha="center",
            color=style.text_on(face),
            weight="bold",
        )


def _legend(board: Board, top: float, keys: Sequence[tuple[Any, str]], hatched: int | None = None) -> None:
    """Draw what the cells' colours mean, side by side where there are two, else one below the other."""
    side_by_side = len(keys) == 2
    for index, (face, meaning) in enumerate(keys):
        x = MARGIN + (200 * index if side_by_side else 0)
        y = top + (0 if side_by_side else 19 * index)
        board.axes.add_patch(
            mpl.Rectangle(
                (x, y - 7),
                14,
                14,
                facecolor=face,
                edgecolor=style.MUTED,
                linewidth=0.8,
                hatch="////" if index == hatched else None,
            )
        )
        board.text(x + 22, y, meaning, size=style.SMALL_SIZE)
