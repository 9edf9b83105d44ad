"""Choose a head and see which rows of the fused class's wide matrix are its own."""

from __future__ import annotations

from typing import Any

import ipywidgets
import numpy as np

from visuals import words
from visuals.arrays import with_axes
from visuals.explorers.explorer import COLORS, WIDE, Explorer
from visuals.language import N_, _
from visuals.lessons.multi_head.heads import MOST_HEADS, matrix_slices, row_range
from visuals.not_ready import when_ready
from visuals.picture import Picture

STACK, FUSED = N_("the stack"), N_("the fused class")
# About how large things are drawn, in pixels: a row slides from about where it stood.
ROW, FIRST_COLUMN, COLUMN = 25, 150, 75


def sentence(matrices: np.ndarray, head: int, kind: str, name: str) -> str:
    """Say in words where a head's matrix stands: as one of its own, or as rows of the wide one."""
    heads, head_dim, d_in = matrices.shape
    matrix = f"heads.{head}.{name}.weight"
    first, last = head * head_dim, (head + 1) * head_dim - 1
    if kind == STACK:
        place = _("{own} ({rows}, {d_in}) is a matrix of its own", own=matrix, rows=head_dim, d_in=d_in)
    else:
        wide = f"{name}.weight ({heads * head_dim}, {d_in})"
        rows = row_range(head, head_dim)
        is_own = _("{rows} of {wide} is {own}", rows=rows, wide=wide, own=matrix)
        are_own = _("{rows} of {wide} are {own}", rows=rows, wide=wide, own=matrix)
        place = is_own if first == last else are_own
    makes = (
        _("it makes column {column} of what comes out", column=first)
        if first == last
        else _("it makes columns {first} to {last} of what comes out", first=first, last=last)
    )
    return _("{kind}, head {head}: {place}; {makes}", kind=_(kind), head=head, place=place, makes=makes)


def table(matrices: np.ndarray, head: int, kind: str, name: str, slides: bool = False) -> str:
    """Return the matrices as HTML tables: one for each head, or one for all.

    The chosen head's rows are marked.

    Where it `slides`, every row comes from its place among the other kind of matrices.
    """
    heads, head_dim, d_in = matrices.shape
    # From one table to the next, and from one head's rows to the next.
    across, down = FIRST_COLUMN + d_in * COLUMN, head_dim * ROW
    if kind == STACK:
        across, down = -across, -down
        captions = [f"heads.{place}.{name}.weight" for place in range(heads)]
        groups = [[(place, row) for row in range(head_dim)] for place in range(heads)]
    else:
        captions = [f"{name}.weight"]
        groups = [[(place, row) for place in range(heads) for row in range(head_dim)]]
    parts = []
    for caption, rows in zip(captions, groups, strict=True):
        headings = "".join(f'<th scope="col">input {column}</th>' for column in range(d_in))
        body = "".join(
            _row(matrices[at, row], index, at, at == head, (at * across, -at * down) if slides else None)
            for index, (at, row) in enumerate(rows)
        )
        parts.append(
            f"<table><caption>{caption} ({len(rows)}, {d_in})</caption>"
            f'<tr><th scope="col">row</th>{headings}</tr>{body}</table>'
        )
    side_by_side = "display: flex; flex-wrap: wrap; gap: 8px 40px;"
    return f'<div class="attention-explorer" style="{side_by_side}">{"".join(parts)}</div>'


def _row(values: np.ndarray, index: int, head: int, chosen: bool, comes_from: tuple[int, int] | None) -> str:
    color = f"var({COLORS[head % len(COLORS)]})"
    # Marked by an arrow and a bold face as well, so that nothing hangs on colour alone.
    look = f"border-left: 4px solid {color}; padding-left: 8px;" + (" font-weight: 700;" if chosen else "")
    mark = "▸ " if chosen else ""
    faded = "" if chosen else ' style="opacity: 0.75"'
    cells = "".join(f'<td class="number"{faded}>{words.number(value)}</td>' for value in values)
    slide = ""
    if comes_from is not None:
        x, y = comes_from
        slide = f' class="slides" style="--from-x: {x}px; --from-y: {y}px"'
    return f'<tr{slide}><th scope="row" style="{look}">{mark}{index}, head {head}</th>{cells}</tr>'


class SlicesExplorer(Explorer):
    """Choose a head and a class; see where that head's matrix stands.

    `head` and `kind` are the controls. With another kind, rows slide to their new places.
    """

    def __init__(self, matrices: np.ndarray, name: str) -> None:
        self._matrices = matrices
        self._name = name
        self.head = ipywidgets.Dropdown(
            options=[(f"head {head}", head) for head in range(len(matrices))],
            value=0,
            description="Head",
            style=WIDE,
        )
        self.kind = ipywidgets.Dropdown(
            options=[(_(kind), kind) for kind in (STACK, FUSED)],
            value=STACK,
            description=_("Matrices of"),
            style=WIDE,
        )
        self._slides = False
        super().__init__(self.head, self.kind)

    def show(self, change: Any = None) -> None:
        self._slides = change is not None and change["owner"] is self.kind
        super().show(change)

    @property
    def alt(self) -> str:
        return sentence(self._matrices, self.head.value, self.kind.value, self._name)

    @property
    def html(self) -> str:
        return table(self._matrices, self.head.value, self.kind.value, self._name, self._slides)

    @property
    def picture(self) -> Picture:
        picture = matrix_slices(self._matrices, self._name)
        assert isinstance(picture, Picture)  # the matrices were checked when the explorer was made
        return picture


@when_ready
def explore_slices(narrow: Any, name: str = "W_query") -> SlicesExplorer:
    """Explore how the narrow matrices of a stack of heads become the rows of one wide matrix.

    narrow (heads, head_dim, d_in), each head's matrix as `nn.Linear` keeps it; name: what it is called.

    Raises ValueError for another number of axes or more than 8 heads, TypeError for what holds no numbers.
    """
    matrices = with_axes(narrow, "narrow", ("heads", "head_dim", "d_in"))
    if len(matrices) > MOST_HEADS:
        raise ValueError(f"narrow has {len(matrices)} heads; at most {MOST_HEADS} are shown.")
    return SlicesExplorer(matrices, name)
