"""Step through the tiles of attention; watch the running maximum, sum and output of the queries at work."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ipywidgets
import numpy as np

from visuals import style, words
from visuals.arrays import token_names, with_axes
from visuals.board import Board
from visuals.explorers.explorer import WIDE, Explorer
from visuals.figures.layout import MARGIN
from visuals.language import N_, _
from visuals.not_ready import when_ready
from visuals.picture import Picture

ALL, MASKED, SKIPPED = N_("no mask"), N_("causal, every tile made"), N_("causal, future skipped")
MOST_TOKENS = 12
# How a tile stands, and how it is drawn: its background, its words.
LOOKS = {
    "at work": (style.QUERY, N_("▶ at work")),
    "done": (style.SCORE, N_("done")),
    "to come": (style.CARD, N_("to come")),
    "skipped": (style.LINE, N_("skipped")),
}


@dataclass(frozen=True)
class Visit:
    """One tile: its place in the grid, and the state of its queries afterwards.

    `largest` and `total` are (queries,), `output` (queries, d_v); `held` counts the numbers held meanwhile.
    """

    row: int
    column: int
    largest: np.ndarray
    total: np.ndarray
    output: np.ndarray
    held: int


def visits(q: np.ndarray, k: np.ndarray, v: np.ndarray, tile: int, mode: str) -> list[Visit]:
    """All tiles in their order, for q and k (tokens, head_dim) and v (tokens, d_v)."""
    count = len(q)
    tiles = []
    for start in range(0, count, tile):
        rows = np.arange(start, min(start + tile, count))
        largest, total = np.full(len(rows), -np.inf), np.zeros(len(rows))
        output = np.zeros((len(rows), v.shape[1]))
        for first in range(0, start + 1 if mode == SKIPPED else count, tile):
            columns = np.arange(first, min(first + tile, count))
            scores = q[rows] @ k[columns].T / np.sqrt(q.shape[1])  # (queries, keys)
            if mode != ALL:
                scores = np.where(columns > rows[:, None], -np.inf, scores)
            new = np.maximum(largest, scores.max(axis=1))
            rescale, weights = np.exp(largest - new), np.exp(scores - new[:, None])
            total = total * rescale + weights.sum(axis=1)
            output = output * rescale[:, None] + weights @ v[columns]
            largest = new
            held = scores.size + largest.size + total.size + output.size
            tiles.append(Visit(start // tile, first // tile, largest, total, output, held))
    return tiles


class TilesExplorer(Explorer):
    """Choose a tile's size, a mask and a step; see the grid of tiles and the state of the queries at work.

    `tile`, `mode` and `step` are the controls; `visit` is the tile at work.
    """

    def __init__(self, q: np.ndarray, k: np.ndarray, v: np.ndarray, tokens: list[str]) -> None:
        self._arrays = q, k, v
        self._tokens = tokens
        sizes = [size for size in (1, 2, 3, 4, 6) if size <= len(tokens)]
        self.tile = ipywidgets.Dropdown(
            options=sizes, value=sizes[min(1, len(sizes) - 1)], description="Tile", style=WIDE
        )
        self.mode = ipywidgets.Dropdown(
            options=[(_(mode), mode) for mode in (ALL, MASKED, SKIPPED)],
            value=SKIPPED,
            description="Mask",
            style=WIDE,
        )
        self.step = ipywidgets.BoundedIntText(min=1, max=1, value=1, description=_("Step"), style=WIDE)
        self._visits: list[Visit] = []
        super().__init__(self.tile, self.mode, self.step)

    def show(self, change: Any = None) -> None:
        if change is None or change["owner"] is not self.step:
            self._visits = visits(*self._arrays, self.tile.value, self.mode.value)
            self.step.max = len(self._visits)
        super().show(change)

    @property
    def visit(self) -> Visit:
        """The tile at work, for the controls as they stand."""
        return self._visits[min(self.step.value, len(self._visits)) - 1]

    @property
    def grid(self) -> list[list[str]]:
        """How each tile stands: "done", "at work", "to come" or "skipped"."""
        across = -(-len(self._tokens) // self.tile.value)
        standing = [["skipped"] * across for _ in range(across)]
        for number, visit in enumerate(self._visits, start=1):
            stage = "done" if number < self.step.value else "to come"
            standing[visit.row][visit.column] = "at work" if number == self.step.value else stage
        return standing

    @property
    def alt(self) -> str:
        visit, count = self.visit, len(self._tokens)
        queries, keys = (self._names(place) for place in (visit.row, visit.column))
        step_in_words = _(
            "step {step} of {steps}: queries {queries} meet keys {keys}; {held} numbers are held, the whole "
            "matrix has {numbers}",
            step=self.step.value,
            steps=len(self._visits),
            queries=queries,
            keys=keys,
            held=visit.held,
            numbers=count * count,
        )
        total = len(self.grid) ** 2
        skipped = _(
            "; {skipped} of {total} tiles are skipped", skipped=total - len(self._visits), total=total
        )
        return step_in_words + skipped if self.mode.value == SKIPPED else step_in_words

    def _names(self, place: int) -> str:
        tile = self.tile.value
        own = self._tokens[place * tile : (place + 1) * tile]
        if len(own) == 1:
            return repr(own[0])
        return _("{first!r} to {last!r}", first=own[0], last=own[-1])

    def _state(self) -> list[tuple[str, str, str, str]]:
        """For each query at work: its token, m, l, and the output so far as it would be returned."""
        visit, tile = self.visit, self.tile.value
        rows = []
        for name, largest, total, output in zip(
            self._tokens[visit.row * tile :], visit.largest, visit.total, visit.output, strict=False
        ):
            so_far = words.vector(output / total if total else output)
            rows.append((name, words.number(largest), words.number(total), so_far))
        return rows

    @property
    def html(self) -> str:
        places = range(len(self.grid))
        heads = "".join(f'<th scope="col">{html.escape(self._names(place))}</th>' for place in places)
        body = ""
        for place, row in enumerate(self.grid):
            cells = "".join(_cell(standing) for standing in row)
            body += f'<tr><th scope="row">{html.escape(self._names(place))}</th>{cells}</tr>'
        state = "".join(
            f'<tr><th scope="row">{html.escape(name)}</th>'
            + "".join(f'<td class="number">{value}</td>' for value in values)
            + "</tr>"
            for name, *values in self._state()
        )
        visit, count = self.visit, len(self._tokens) ** 2
        bars = "".join(
            f'<tr><th scope="row">{label}</th><td><span class="track"><span class="bar" '
            f'style="left: 0; width: {100 * min(held, count) // count}%; background: {color}"></span></span>'
            f'<span class="number">{held}</span></td></tr>'
            for label, held, color in (
                (_("this tile, m, l and o"), visit.held, "var(--context)"),
                (_("the whole matrix"), count, "var(--score)"),
            )
        )
        tiles, queries = _("Tiles; rows are queries, columns keys"), _("Queries at work, after this tile")
        so_far, numbers = _("o / l so far"), _("Numbers held")
        return (
            '<div class="attention-explorer" style="display: flex; flex-wrap: wrap; gap: 8px 40px;">'
            f"<table><caption>{tiles}</caption>"
            f"<tr><td></td>{heads}</tr>{body}</table>"
            f"<div><table><caption>{queries}</caption>"
            '<tr><th scope="col">query</th><th scope="col">m</th><th scope="col">l</th>'
            f'<th scope="col">{so_far}</th></tr>'
            f"{state}</table><table><caption>{numbers}</caption>{bars}</table></div></div>"
        )

    @property
    def picture(self) -> Picture:
        size, grid = 92, self.grid
        height = max(112 + 40 * len(grid), 150 + 26 * len(self._state()))
        with style.look():
            board = Board(2 * MARGIN + 550 + size * len(grid), height)
            board.title(MARGIN, 28, f"Tiles of {self.tile.value}, {self.mode.value}")
            for column in range(len(grid)):
                board.text(
                    MARGIN + 130 + (column + 0.5) * size,
                    66,
                    _short(self._names(column)),
                    ha="center",
                    size=11,
                )
            for row, line in enumerate(grid):
                top = 84 + 40 * row
                board.text(MARGIN + 120, top + 18, _short(self._names(row)), ha="right", size=11)
                for column, standing in enumerate(line):
                    color, look = LOOKS[standing]
                    board.block(
                        MARGIN + 130 + column * size, top, size - 3, 37, color, look, f"tile {row} {column}"
                    )
            left = MARGIN + 160 + size * len(grid)
            for x, heading in zip((0, 90, 170, 250), ("query", "m", "l", "o / l so far"), strict=True):
                board.text(left + x, 66, heading, weight="bold", size=style.SMALL_SIZE)
            for index, values in enumerate(self._state()):
                for x, value in zip((0, 90, 170, 250), values, strict=True):
                    board.text(left + x, 96 + 26 * index, words.shortened(value, 18), size=style.SMALL_SIZE)
            held = f"held: {self.visit.held} numbers, whole matrix: {len(self._tokens) ** 2}"
            board.text(left, 108 + 26 * len(self._state()), held, size=style.SMALL_SIZE, color=style.MUTED)
        return Picture(board.figure, self.alt)


def _short(names: str) -> str:
    return names.replace("'", "").replace(" to ", " … ")


def _cell(standing: str) -> str:
    look = {
        "at work": "background: var(--chosen); color: var(--jp-layout-color1, #FCFCFA); font-weight: 600",
        "skipped": "opacity: 0.75; font-style: italic",
    }.get(standing, "")
    frame = "padding: 6px 14px; border: 1px solid var(--jp-border-color2, #C9CED6);"
    return f'<td style="{frame} {look}">{_(LOOKS[standing][1])}</td>'


@when_ready
def explore_tiles(queries: Any, keys: Any, values: Any, tokens: Sequence[str]) -> TilesExplorer:
    """Explore tiled attention: choose the tiles' size and the mask, and go from tile to tile.

    queries, keys (tokens, head_dim); values (tokens, d_v); tokens: one string per token, 12 at most.

    Raises ValueError when the shapes or the tokens do not fit, TypeError for what holds no numbers.
    """
    q = with_axes(queries, "queries", ("tokens", "head_dim"))
    k = with_axes(keys, "keys", ("tokens", "head_dim"))
    v = with_axes(values, "values", ("tokens", "d_v"))
    if q.shape != k.shape or len(q) != len(v):
        raise ValueError(
            f"queries, keys and values must fit; their shapes are {q.shape}, {k.shape} and {v.shape}."
        )
    if len(q) > MOST_TOKENS:
        raise ValueError(f"{len(q)} tokens make too large a grid; at most {MOST_TOKENS} can be shown.")
    return TilesExplorer(q, k, v, token_names(tokens, len(q), "queries", "tokens"))
