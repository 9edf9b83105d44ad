"""Where the numbers of a tensor lie in memory, and how its transpose walks through the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN
from visuals.language import _
from visuals.not_ready import when_ready
from visuals.picture import Picture

MOST_NUMBERS = 12
CELL = (66.0, 60.0)
STRIP = 40.0


@when_ready
def memory_layout(x: Any) -> Picture:
    """Draw a contiguous tensor and its transpose above one another's memory: the same numbers, other strides.

    x (rows, columns), at most 12 numbers.

    Raises ValueError for another number of axes or more numbers, TypeError for what holds no numbers.
    """
    values = with_axes(x, "x", ("rows", "columns"))
    if values.size > MOST_NUMBERS:
        raise ValueError(f"x holds {values.size} numbers; at most {MOST_NUMBERS} can be drawn side by side.")
    rows, columns = values.shape
    addresses = np.arange(values.size).reshape(rows, columns)
    width, height = CELL
    grid_top = 246.0
    wide = max(columns * width, 270)
    second = MARGIN + wide + 60
    bottom = grid_top + max(rows, columns) * height
    with style.look():
        right = max(second + max(rows * width, 296), MARGIN + values.size * width)
        board = Board(round(right + MARGIN), round(bottom + 86))
        board.title(MARGIN, 28, _("One memory, two ways to read it"))
        board.text(
            MARGIN, 60, _("memory: one long row of numbers, with their places below"), color=style.MUTED
        )
        scale = style.color_scale(values)
        board.cells(MARGIN, 78, values.ravel(), (width, STRIP), scale, decimals=4, name="memory")
        for address in range(values.size):
            board.text(
                MARGIN + (address + 0.5) * width,
                78 + STRIP + 12,
                str(address),
                ha="center",
                size=style.SMALL_SIZE,
                color=style.QUERY,
                weight="bold",
                gid=f"place {address}",
            )
        _write_view(board, MARGIN, grid_top, "x", values, addresses, scale)
        _write_view(board, second, grid_top, "x.transpose(0, 1)", values.T, addresses.T, scale)
    alt = _(
        "Memory holds {count} numbers in a row: {numbers}, at places 0 to {last}. {first} {second}",
        count=values.size,
        numbers=words.vector(values.ravel()),
        last=values.size - 1,
        first=_in_words("x", addresses),
        second=_in_words("x.transpose(0, 1)", addresses.T),
    )
    return Picture(board.figure, alt)


def _strides(addresses: np.ndarray) -> tuple[int, int]:
    """How many places to walk for one step down and for one step to the right."""
    rows, columns = addresses.shape
    # An axis of size 1 is never walked along; torch gives it a stride all the same.
    down = int(addresses[1, 0] - addresses[0, 0]) if rows > 1 else columns
    across = int(addresses[0, 1] - addresses[0, 0]) if columns > 1 else 1
    return down, across


def _places(stride: int) -> str:
    return f"{stride} place" if stride == 1 else f"{stride} places"


def _in_order(addresses: np.ndarray) -> bool:
    return bool((np.diff(addresses.ravel()) == 1).all())


def _in_words(name: str, addresses: np.ndarray) -> str:
    down, across = _strides(addresses)
    order = ", ".join(str(address) for address in addresses.ravel())
    verdict = _("in order, contiguous") if _in_order(addresses) else _("it jumps, not contiguous")
    return _(
        "{name} has the shape {shape} and the strides ({down}, {across}); read row by row it visits the "
        "places {order}: {verdict}.",
        name=name,
        shape=addresses.shape,
        down=down,
        across=across,
        order=order,
        verdict=verdict,
    )


def _write_view(
    board: Board, left: float, top: float, name: str, values: np.ndarray, addresses: np.ndarray, scale: Any
) -> None:
    """Draw one tensor as a grid whose cells say from which place in memory they come."""
    width, height = CELL
    down, across = _strides(addresses)
    board.text(left, top - 66, name, weight="bold")
    board.text(left, top - 44, f"shape {values.shape}, strides ({down}, {across})", size=style.SMALL_SIZE)
    board.text(
        left,
        top - 24,
        _("one step down: {down}; to the right: {across}", down=_places(down), across=_places(across)),
        size=style.SMALL_SIZE,
        color=style.MUTED,
    )
    for row, (numbers, places) in enumerate(zip(values, addresses, strict=True)):
        y = top + row * height
        board.cells(left, y, numbers, (width, height), scale, decimals=4, name=f"{name} {row}")
        for column, address in enumerate(places):
            x = left + column * width
            board.axes.add_patch(
                mpl.Rectangle((x + 2, y + 2), 15, 14, facecolor=style.CARD, edgecolor="none")
            )
            board.text(
                x + 9.5,
                y + 9,
                str(address),
                ha="center",
                size=11,
                color=style.QUERY,
                weight="bold",
                gid=f"{name} place {row} {column}",
            )
    bottom = top + len(values) * height
    order = " ".join(str(address) for address in addresses.ravel())
    good = _in_order(addresses)
    board.text(
        left,
        bottom + 20,
        _("row by row: {order}", order=order),
        color=style.QUERY,
        weight="bold",
        gid=f"{name} order",
    )
    board.text(
        left,
        bottom + 44,
        _("✓ in order: contiguous") if good else _("✗ it jumps: not contiguous"),
        color=style.CONTEXT if good else style.WARNING,
        weight="bold",
    )
