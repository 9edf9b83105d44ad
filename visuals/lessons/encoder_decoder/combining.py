"""Masks as grids of what is visible, and two of them joined into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import to_array, token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, apart, label_width
from visuals.language import N_, _
from visuals.not_ready import when_ready
from visuals.picture import Picture

WIDEST_CELL = 44.0
# A grid takes at most this much width, however many keys it has.
GRID_ROOM = 320.0


@when_ready
def combined_masks(causal: Any, padding: Any, tokens: Sequence[str]) -> Picture:
    """Draw a causal mask and a padding mask side by side, and what is visible in both.

    causal (queries, keys) and padding (keys,): 1 or True = visible; tokens: one string per key, which are
    the queries too.

    Raises ValueError for shapes that do not fit or values other than 0 and 1, TypeError for what holds none.
    """
    first = _permissions(with_axes(causal, "causal", ("queries", "keys")), "causal")
    count = first.shape[1]
    names = token_names(tokens, count, "causal", "keys")
    if first.shape[0] != count:
        raise ValueError(f"causal needs as many queries as keys; its shape is {first.shape}.")
    row = _permissions(to_array(padding, "padding"), "padding")
    if row.shape != (count,):
        raise ValueError(f"padding needs the shape ({count},), one value per key; its shape is {row.shape}.")
    second = np.broadcast_to(row, first.shape)  # (keys,) -> (queries, keys)
    both = first & second
    cell = min(WIDEST_CELL, 190 / count)
    labels = label_width(names)
    gap = 58.0
    top = 126.0
    lefts = [MARGIN + labels + index * (cell * count + gap) for index in range(3)]
    bottom = top + cell * count
    with style.look():
        board = Board(round(lefts[-1] + cell * count + _overhang(names) + MARGIN / 2), round(bottom + 40))
        board.title(MARGIN, 28, _("A key is visible if it is visible in both masks"))
        board.text(
            MARGIN,
            52,
            _("1 = visible, 0 = hidden; rows are queries, columns are keys"),
            size=style.SMALL_SIZE,
        )
        for index, (left, grid, heading) in enumerate(
            zip(lefts, (first, second, both), (_("not later"), _("no padding"), _("both")), strict=True)
        ):
            board.text(left, 82, heading, weight="bold", color=style.CONTEXT if index == 2 else style.INK)
            _draw_grid(board, left, top, cell, grid, names, name=("causal", "padding", "both")[index])
        for left, sign in zip(lefts[1:], ("and", "="), strict=True):
            board.text(
                left - gap / 2, (top + bottom) / 2, sign, ha="center", weight="bold", color=style.MUTED
            )
        _name_rows(board, lefts[0] - 8, top, cell, names)
        board.text(
            lefts[0],
            bottom + 20,
            _("{seen} of {all} pairs are visible", seen=int(both.sum()), all=both.size),
            size=style.SMALL_SIZE,
            color=style.MUTED,
        )
    alt = _joined_in_words(first, second, names)
    return Picture(board.figure, alt)


def _joined_in_words(causal: np.ndarray, padding: np.ndarray, names: Sequence[str]) -> str:
    """Say which keys two masks leave visible together."""
    both = causal & padding
    rows = "; ".join(f"{name}: {_listed(both[index], names)}" for index, name in enumerate(names))
    return _(
        "Three grids of {count} queries by {count} keys, 1 where a key is visible: the causal mask "
        "({causal} ones), the padding mask ({padding} ones), and both joined with and ({both} ones). "
        "Joined, row by row, the visible positions: {rows}.",
        count=len(names),
        causal=int(causal.sum()),
        padding=int(padding.sum()),
        both=int(both.sum()),
        rows=rows,
    )


@when_ready
def visible_keys(
    mask: Any,
    tokens: Sequence[str],
    query_tokens: Sequence[str] | None = None,
    title: str | None = None,
    frames: Mapping[str, tuple[int, int]] | None = None,
) -> Picture:
    """Draw one mask: rows are queries, columns are keys.

    mask (queries, keys): 1 or True = visible; tokens: one string per key; query_tokens: one string per
    query, the same as tokens when left out; frames: by name, the first position and the one after the last of
    the queries and keys to outline, as those of a document.

    Raises ValueError for shapes that do not fit or values other than 0 and 1, TypeError for what holds none.
    """
    allowed = _permissions(with_axes(mask, "mask", ("queries", "keys")), "mask")
    queries, keys = allowed.shape
    key_names = token_names(tokens, keys, "mask", "keys")
    query_names = token_names(key_names if query_tokens is None else query_tokens, queries, "mask", "queries")
    parts = frames or {}
    for name, (first, end) in parts.items():
        if not 0 <= first < end <= min(queries, keys):
            raise ValueError(f"{name!r} must lie between 0 and {min(queries, keys)}, not {first} to {end}.")
    title = N_("Which keys are visible") if title is None else title
    cell = min(WIDEST_CELL, GRID_ROOM / max(queries, keys))
    left, top = MARGIN + label_width(query_names) + 6, 122.0
    right, beside = left + cell * keys, label_width(list(parts)) if parts else 0.0
    with style.look():
        board = Board(
            round(max(right + max(_overhang(key_names), beside) + MARGIN / 2, 500)),
            round(top + cell * queries + MARGIN),
        )
        board.title(MARGIN, 28, _(title))
        board.text(
            MARGIN,
            52,
            _("1 = visible, 0 = hidden; rows are queries, columns are keys"),
            size=style.SMALL_SIZE,
        )
        _draw_grid(board, left, top, cell, allowed, key_names, name="mask")
        _name_rows(board, left - 8, top, cell, query_names)
        _draw_frames(board, (left, top), right, cell, parts)
    rows = "; ".join(
        f"{name}: {_listed(allowed[index], key_names)}" for index, name in enumerate(query_names)
    )
    alt = _(
        "{title}. Grid of {queries} queries (rows) by {keys} keys (columns), 1 where a key is visible: "
        "{visible} of {pairs}. Row by row, the visible positions: {rows}.",
        title=_(title),
        queries=queries,
        keys=keys,
        visible=int(allowed.sum()),
        pairs=allowed.size,
        rows=rows,
    )
    if parts:
        outlined = "; ".join(f"{name}: {first}–{end - 1}" for name, (first, end) in parts.items())
        alt += " " + _("Outlined, by positions: {frames}.", frames=outlined)
    return Picture(board.figure, alt)


def _draw_frames(
    board: Board,
    corner: tuple[float, float],
    right: float,
    cell: float,
    frames: Mapping[str, tuple[int, int]],
) -> None:
    """Outline squares of queries and keys, and name them beside the grid; one within another is dashed."""
    middles = np.array([corner[1] + cell * (first + end) / 2 for first, end in frames.values()])
    heights = apart(middles, 20.0) if frames else middles
    for index, ((name, (first, end)), y) in enumerate(zip(frames.items(), heights, strict=True)):
        within = sum(low <= first and end <= high for low, high in frames.values()) - 1
        color, inset = style.APART[index % len(style.APART)], 1.5 + 4.5 * within
        for shade, thick, dash in ((style.CARD, 6.0, "-"), (color, 3.0, "--" if within else "-")):
            frame = mpl.Rectangle(
                (corner[0] + cell * first + inset, corner[1] + cell * first + inset),
                cell * (end - first) - 2 * inset,
                cell * (end - first) - 2 * inset,
                fill=False,
                edgecolor=shade,
                linewidth=thick,
                linestyle=dash,
                gid=f"frame {name}",
            )
            board.axes.add_artist(frame)
        board.text(right + 12, y, words.shortened(name), color=color, weight="bold")


def _overhang(names: Sequence[str]) -> float:
    """How far the slanted name of the last key may reach beyond its column."""
    return max(6.6 * len(words.shortened(names[-1], 8)), 12.0)


def _permissions(values: np.ndarray, name: str) -> np.ndarray:
    """Return a mask of 0 and 1 as bool.

    Raises ValueError for any other value, as a mask of 0 and -inf would hold.
    """
    if not np.isin(values, (0, 1)).all():
        raise ValueError(
            f"{name} must hold 1 or True for visible and 0 or False for hidden, and nothing else."
        )
    return values.astype(bool)


def _listed(row: np.ndarray, names: Sequence[str]) -> str:
    """Return the visible keys of one row, by position and name."""
    visible = [f"{index} {names[index]}" for index in np.flatnonzero(row).tolist()]
    if len(visible) > words.LISTED:
        visible = [*visible[: words.LISTED], _("and {count} more", count=len(visible) - words.LISTED)]
    return ", ".join(visible) if visible else "none"


def _draw_grid(
    board: Board, left: float, top: float, cell: float, grid: np.ndarray, keys: Sequence[str], *, name: str
) -> None:
    """Draw the cells of a mask and the names of its keys above them."""
    for (row, column), allowed in np.ndenumerate(grid):
        x, y = left + column * cell, top + row * cell
        board.axes.add_patch(
            mpl.Rectangle(
                (x, y),
                cell,
                cell,
                facecolor=style.SCORE if allowed else style.CARD,
                edgecolor=style.LINE,
                hatch=None if allowed else "////",
                linewidth=0.8,
                gid=f"{name} {row} {column}",
            )
        )
        if cell >= 18:
            board.text(
                x + cell / 2,
                y + cell / 2,
                "1" if allowed else "0",
                ha="center",
                size=style.SMALL_SIZE,
                color=style.text_on(style.SCORE) if allowed else style.MUTED,
                bbox=None if allowed else {"facecolor": style.CARD, "edgecolor": "none", "pad": 0.8},
                gid=f"{name} label {row} {column}",
            )
    for column, key in enumerate(keys):
        board.text(
            left + (column + 0.5) * cell,
            top - 6,
            words.shortened(key, 8),
            ha="left",
            va="bottom",
            rotation=40,
            rotation_mode="anchor",
            size=min(style.SMALL_SIZE, cell * 0.8),
            gid=f"{name} key {column}",
        )


def _name_rows(board: Board, right: float, top: float, cell: float, names: Sequence[str]) -> None:
    for row, token in enumerate(names):
        board.text(
            right,
            top + (row + 0.5) * cell,
            words.shortened(token),
            ha="right",
            size=min(style.TEXT_SIZE, cell * 0.8),
            gid=f"query {row}",
        )
