"""Dropout on attention weights: what one draw does, and what many draws average to."""

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

    cell, gap = 32.0, 28.0
    labels = label_width(names)
    panel = max(cell * count, HEADING)
    lefts = [MARGIN + labels + (panel + gap) * index for index in range(3)]
    top = 148.0
    scale = style.color_scale(np.vstack([values, after]))
    with style.look():
        board = Board(round(lefts[2] + max(cell * count + 78, HEADING)), round(top + cell * count + MARGIN))
        board.title(MARGIN, 28, _("One draw of dropout, p = {share:g}", share=share))
        headings = (
            ("weights", _("before dropout")),
            (_("kept ✓  dropped ✗"), _("each dropped with probability {share:g}", share=share)),
            (f"kept × {factor:g}", f"1 / (1 − {share:g}) = {factor:g}"),
        )
        for left, (heading, detail) in zip(lefts, headings, strict=True):
            board.text(left, 64, heading, weight="bold", color=style.WEIGHT)
            board.text(left, 84, detail, size=11.5, color=style.MUTED)
            for column, name in enumerate(names):
                board.text(
                    left + cell * (column + 0.5) - 4,
                    top - 6,
                    words.shortened(name, 8),
                    size=11,
                    color=style.MUTED,
                    rotation=45,
                    ha="left",
                    va="bottom",
                    rotation_mode="anchor",
                )
        for row, name in enumerate(names):
            y = top + cell * (row + 0.5)
            board.text(lefts[0] - 8, y, words.shortened(name), ha="right", gid=f"token {row}")
            total = after[row].sum()
            board.text(
                lefts[2] + cell * count + 10,
                y,
                words.number(total, 2),
                size=style.SMALL_SIZE,
                color=style.MUTED,
                gid=f"row sum {row}",
            )
        board.text(lefts[2] + cell * count + 10, top - 14, _("row sum"), size=11, color=style.MUTED)
        for row, column in np.ndindex(count, count):
            if values[row, column] == 0:
                continue
            y = top + cell * row
            across = [left + cell * column for left in lefts]
            dropped = not mask[row, column]
            _cell(board, across[0], y, cell, float(values[row, column]), scale, f"weight {row} {column}")
            _sign(board, across[1], y, cell, dropped, f"sign {row} {column}")
            if dropped:
                _sign(board, across[2], y, cell, True, f"after {row} {column}", "0")
            else:
                _cell(board, across[2], y, cell, float(after[row, column]), scale, f"after {row} {column}")
        for left in lefts:
            outline = mpl.Rectangle((left, top), cell * count, cell * count, fill=False, edgecolor=style.LINE)
            board.axes.add_patch(outline)
        for left in lefts[1:]:
            board.arrow(
                (left - gap + 6, top + cell * count / 2), (left - 6, top + cell * count / 2), style.MUTED
            )
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
    return Picture(board.figure, alt + words.not_finite(values))


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
    pixels = style.PIXELS_PER_INCH
    with style.look():
        figure = mpl.Figure(figsize=(740 / pixels, 400 / pixels), dpi=pixels)
        axes = figure.add_axes((0.11, 0.15, 0.5, 0.68))
        figure.text(
            0.03,
            0.93,
            _("The average of {draws} draws of dropout", draws=draws),
            fontsize=style.points(style.TITLE_SIZE),
            weight="bold",
            va="center",
        )
        top = float(max(x.max(), good.max(), bare.max())) * 1.08
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
