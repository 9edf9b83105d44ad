"""Dropout on attention weights: what one draw does, and what many draws average to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, label_width, titled_figure
from visuals.language import _
from visuals.not_ready import when_ready
from visuals.picture import Picture

AXES = ("queries", "keys")
# More cells than this on a side leave no room for the numbers in them.
MOST_TOKENS = 8
# The width of the longest heading over a map, in CSS pixels.
HEADING = 190.0


def drop_share(p: Any) -> float:
    """Return the share to drop as a float. Raises ValueError where it does not lie in 0 ≤ p < 1."""
    share = float(p)
    if not 0 <= share < 1:
        raise ValueError(f"p is the share that is dropped, from 0 to below 1, not {p}.")
    return share


@when_ready
def dropout_steps(weights: Any, kept: Any, p: float, tokens: Sequence[str]) -> Picture:
    """Draw one draw of dropout: the weights, which of them are kept, and what becomes of them.

    weights (queries, keys) with as many queries as keys; kept: the same shape, true where a weight stays;
    p: the share that is dropped; tokens: one string per key. A weight of 0 is drawn as an empty cell: there
    is nothing to drop.

    Raises ValueError for shapes or a p that do not fit, TypeError for what holds no numbers.
    """
    values = with_axes(weights, "weights", AXES)
    mask = with_axes(kept, "kept", AXES) != 0
    share = drop_share(p)
    count = len(values)
    if values.shape != (count, count) or mask.shape != values.shape:
        raise ValueError(
            "weights and kept need one and the same shape (tokens, tokens); "
            f"their shapes are {values.shape} and {mask.shape}."
        )
    if count > MOST_TOKENS:
        raise ValueError(f"weights has {count} tokens; at most {MOST_TOKENS} are drawn.")
    names = token_names(tokens, count, "weights", "keys")
    factor = 1 / (1 - share)
    after = np.where(mask, values * factor, 0.0)

    with style.look():
        figure = _StepsDrawing(values, mask, after, share, names).draw()
    there = values != 0
    alt = _(
        "One draw of dropout on a {count} by {count} matrix of attention weights, p = {share:g}. {kept} "
        "of {there} weights are kept and multiplied by {factor:g}, the others become 0.",
        count=count,
        share=share,
        kept=int((mask & there).sum()),
        there=int(there.sum()),
        factor=factor,
    ) + "".join(
        " "
        + _(
            "{name} keeps {kept}; its row adds up to {total}.",
            name=name,
            kept=_kept_of(values[row], mask[row], names),
            total=words.number(after[row].sum(), 2),
        )
        for row, name in enumerate(names)
    )
    return Picture(figure, alt + words.not_finite(values))


class _StepsDrawing:
    """The sheet of `dropout_steps`: three maps side by side, with the tokens before and the sums after them.

    Args:
        values: the weights, (queries, keys).
        mask: which of them are kept, of the same shape.
        after: what becomes of them, of the same shape.
        share: the share that is dropped.
        names: one for each token.
    """

    CELL, GAP, TOP = 32.0, 28.0, 148.0

    def __init__(
        self, values: np.ndarray, mask: np.ndarray, after: np.ndarray, share: float, names: Sequence[str]
    ) -> None:
        self.values, self.mask, self.after, self.share, self.names = values, mask, after, share, names
        self.side = self.CELL * len(values)
        panel = max(self.side, HEADING)
        self.lefts = [MARGIN + label_width(names) + (panel + self.GAP) * index for index in range(3)]
        right = self.lefts[2] + max(self.side + 78, HEADING)
        self.board = Board(round(right), round(self.TOP + self.side + MARGIN))

    def draw(self) -> mpl.Figure:
        """Draw all of it."""
        board, top, lefts = self.board, self.TOP, self.lefts
        board.title(MARGIN, 28, _("One draw of dropout, p = {share:g}", share=self.share))
        self._draw_headings()
        self._draw_rows()
        scale = style.color_scale(np.vstack([self.values, self.after]))
        for row, column in np.ndindex(self.values.shape):
            if self.values[row, column] != 0:
                self._draw_entry(row, column, scale)
        for left in lefts:
            outline = mpl.Rectangle((left, top), self.side, self.side, fill=False, edgecolor=style.LINE)
            board.axes.add_patch(outline)
        middle = top + self.side / 2
        for left in lefts[1:]:
            board.arrow((left - self.GAP + 6, middle), (left - 6, middle), style.MUTED)
        return board.figure

    def _draw_headings(self) -> None:
        """Write what each map holds, and above each column whose it is."""
        factor = 1 / (1 - self.share)
        headings = (
            ("weights", _("before dropout")),
            (_("kept ✓  dropped ✗"), _("each dropped with probability {share:g}", share=self.share)),
            (f"kept × {factor:g}", f"1 / (1 − {self.share:g}) = {factor:g}"),
        )
        for left, (heading, detail) in zip(self.lefts, headings, strict=True):
            self.board.text(left, 64, heading, weight="bold", color=style.WEIGHT)
            self.board.text(left, 84, detail, size=11.5, color=style.MUTED)
            for column, name in enumerate(self.names):
                self.board.text(
                    left + self.CELL * (column + 0.5) - 4,
                    self.TOP - 6,
                    words.shortened(name, 8),
                    size=11,
                    color=style.MUTED,
                    rotation=45,
                    ha="left",
                    va="bottom",
                    rotation_mode="anchor",
                )

    def _draw_rows(self) -> None:
        """Write each row's token before the maps, and after them what it adds up to."""
        x = self.lefts[2] + self.side + 10
        for row, name in enumerate(self.names):
            y = self.TOP + self.CELL * (row + 0.5)
            self.board.text(self.lefts[0] - 8, y, words.shortened(name), ha="right", gid=f"token {row}")
            total, gid = words.number(self.after[row].sum(), 2), f"row sum {row}"
            self.board.text(x, y, total, size=style.SMALL_SIZE, color=style.MUTED, gid=gid)
        self.board.text(x, self.TOP - 14, _("row sum"), size=11, color=style.MUTED)

    def _draw_entry(self, row: int, column: int, scale: tuple[mpl.Colormap, mpl.Normalize]) -> None:
        """Draw one weight in all three maps."""
        board, y, side = self.board, self.TOP + self.CELL * row, self.CELL
        before, sign, after = (left + side * column for left in self.lefts)
        dropped = not self.mask[row, column]
        weight, result = float(self.values[row, column]), float(self.after[row, column])
        _cell(board, before, y, side, weight, scale, f"weight {row} {column}")
        _sign(board, sign, y, side, dropped, f"sign {row} {column}")
        if dropped:
            _sign(board, after, y, side, True, f"after {row} {column}", "0")
        else:
            _cell(board, after, y, side, result, scale, f"after {row} {column}")


def _kept_of(row: np.ndarray, mask: np.ndarray, names: Sequence[str]) -> str:
    """Return the tokens whose weight is kept, or 'nothing'."""
    staying = [name for name, weight, stays in zip(names, row, mask, strict=True) if weight != 0 and stays]
    return ", ".join(staying) or _("nothing")


def _cell(
    board: Board,
    x: float,
    y: float,
    side: float,
    value: float,
    scale: tuple[mpl.Colormap, mpl.Normalize],
    name: str,
) -> None:
    colormap, norm = scale
    face = colormap(norm(value)) if np.isfinite(value) else style.CARD
    board.axes.add_patch(
        mpl.Rectangle((x, y), side, side, facecolor=face, edgecolor=style.LINE, linewidth=0.8, gid=name)
    )
    color = style.text_on(face) if np.isfinite(value) else style.WARNING
    board.text(x + side / 2, y + side / 2, words.number(value, 2), size=11, ha="center", color=color)


def _sign(
    board: Board, x: float, y: float, side: float, dropped: bool, name: str, mark: str | None = None
) -> None:
    board.axes.add_patch(
        mpl.Rectangle(
            (x, y),
            side,
            side,
            facecolor=style.CARD,
            edgecolor=style.LINE,
            hatch="////" if dropped else None,
            linewidth=0.8,
            gid=name,
        )
    )
    board.text(
        x + side / 2,
        y + side / 2,
        mark or ("✗" if dropped else "✓"),
        ha="center",
        color=style.WARNING if dropped else style.CONTEXT,
        weight="bold",
        bbox={"facecolor": style.CARD, "edgecolor": "none", "pad": 0.8} if dropped else None,
    )


@when_ready
def dropout_averages(weights: Any, rescaled: Any, plain: Any, draws: int) -> Picture:
    """Draw, for each weight, its average over many draws of dropout against the weight itself.

    weights: any shape; rescaled, plain: of the same shape, the averages with and without the factor
    1 / (1 - p); draws: over how many draws they were taken. Weights of 0 are left out.

    Raises ValueError where the shapes differ or no weight is left, TypeError for what holds no numbers.
    """
    before, good, bare = (
        with_axes(value, name, AXES)
        for value, name in ((weights, "weights"), (rescaled, "rescaled"), (plain, "plain"))
    )
    if not before.shape == good.shape == bare.shape:
        raise ValueError(
            "weights, rescaled and plain need one and the same shape; "
            f"their shapes are {before.shape}, {good.shape} and {bare.shape}."
        )
    there = before != 0
    if not there.any():
        raise ValueError("weights holds nothing but zeros: there is nothing to average.")
    x, series = before[there], (good[there], bare[there])
    ratios = [float((y / x).mean()) for y in series]
    with style.look():
        figure = _draw_averages(x, series, ratios, draws)
    alt = _(
        "Scatter plot: the average of {draws} draws of dropout against the weight before, for {there} "
        "weights from {smallest} to {largest}. Divided by 1 - p, the averages are {rescaled} times the "
        "weights{equal}; not rescaled, they are {plain} times the weights.",
        draws=draws,
        there=int(there.sum()),
        smallest=words.number(x.min()),
        largest=words.number(x.max()),
        rescaled=words.number(ratios[0], 2),
        equal=_(", on the line of equal values") if abs(ratios[0] - 1) < 0.05 else "",
        plain=words.number(ratios[1], 2),
    )
    return Picture(figure, alt)


def _draw_averages(
    x: np.ndarray, series: tuple[np.ndarray, np.ndarray], ratios: Sequence[float], draws: int
) -> mpl.Figure:
    """Draw averages after dropout over weights before, beside what they are on average of these."""
    figure = titled_figure(740, 400, _("The average of {draws} draws of dropout", draws=draws))
    axes = figure.add_axes((0.11, 0.15, 0.5, 0.68))
    top = float(max(x.max(), *(y.max() for y in series))) * 1.08
    axes.set_xlim(0, top)
    axes.set_ylim(0, top)
    ticks = [tick for tick in axes.get_yticks() if tick <= top]
    axes.set_xticks(ticks)
    axes.set_yticks(ticks)
    axes.set_xlabel(_("weight before dropout"))
    axes.set_ylabel(_("average after dropout"))
    axes.plot([0, top], [0, top], color=style.LINE, linewidth=1.5, gid="equal")
    axes.text(top * 0.7, top * 0.76, "equal", ha="right", color=style.MUTED, va="center")
    looks = (("o", style.CONTEXT, "rescaled"), ("^", style.WARNING, "plain"))
    for y, (marker, color, gid) in zip(series, looks, strict=True):
        axes.scatter(x, y, s=44, marker=marker, color=color, gid=gid, zorder=3, clip_on=False)
    notes = (
        (_("● kept ÷ (1 − p)"), style.CONTEXT, ratios[0]),
        (_("▲ kept, not rescaled"), style.WARNING, ratios[1]),
    )
    for y_at, (label, color, ratio) in zip((0.66, 0.42), notes, strict=True):
        figure.text(0.66, y_at, label, color=color, weight="bold", va="center")
        figure.text(
            0.66,
            y_at - 0.075,
            _("average ÷ weight = {ratio}", ratio=words.number(ratio, 2)),
            va="center",
            fontsize=10,
        )
    return figure
