"""Why scores are divided by √d_k: their spread grows with d_k, and softmax saturates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, titled_figure
from visuals.language import N_, _
from visuals.not_ready import when_ready
from visuals.picture import Picture

# What scores may be divided by before the softmax, and what becomes of a model that does.
DIVISORS: dict[str, Callable[[int], float]] = {
    N_("nothing"): lambda d_k: 1.0,
    "√d_k": lambda d_k: d_k**0.5,
    "d_k": float,
}
# Of the panels of `saturation`, in pixels: their width, the gap between them, room for labels, their height.
PANEL, GAP, LABELS, TALL = 118, 22, 150, 118


@dataclass(frozen=True)
class Sharing:
    """How softmax shares out the weights of many queries.

    Args:
        spread: standard deviation of the scores.
        weights: softmax of the scores, (queries, keys).
        largest: the largest weight of a query, on average.
        entropy: of a query's weights, on average, from 0 (all on one key) to log(keys) (all equal).
        slope: how far a weight moves when its own score does, w (1 - w), on average.
    """

    spread: float
    weights: np.ndarray
    largest: float
    entropy: float
    slope: float


class _Row(NamedTuple):
    """What becomes of the scores when they are divided by one thing: how softmax shares out at each width."""

    divisor: str
    title: str
    shared: Sequence[Sharing]


def share_out(scores: np.ndarray) -> Sharing:
    """Softmax over each row of scores (queries, keys), and how sharp it is."""
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)  # (queries, keys)
    # 0 log 0 is 0: a weight that has vanished adds nothing.
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return Sharing(
        spread=float(scores.std()),
        weights=weights,
        largest=float(weights.max(axis=1).mean()),
        entropy=float(-(weights * logs).sum(axis=1).mean()),
        slope=float((weights * (1 - weights)).mean()),
    )


def scores_of_width(queries: np.ndarray, keys: np.ndarray, d_k: int) -> np.ndarray:
    """Return the scores (queries, keys) that the first d_k dimensions of queries and keys make."""
    return queries[:, :d_k] @ keys[:, :d_k].T


def matching(queries: Any, keys: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return queries (queries, d_k) and keys (keys, d_k) as finite arrays of the same width.

    Raises ValueError for another number of axes, widths that differ or what is not finite, TypeError for what
    holds no numbers.
    """
    first = with_axes(queries, "queries", ("queries", "d_k"))
    second = with_axes(keys, "keys", ("keys", "d_k"))
    if first.shape[1] != second.shape[1]:
        raise ValueError(
            f"queries and keys need the same d_k; their shapes are {first.shape} and {second.shape}."
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("queries and keys must be finite: no nan and no inf.")
    return first, second


@when_ready
def saturation(
    queries: Any,
    keys: Any,
    widths: Sequence[int] = (2, 8, 32, 128, 512),
    divisors: Sequence[str] = ("nothing", "√d_k"),
) -> Picture:
    """Draw how softmax shares out the weights as d_k grows, one row for each thing the scores are divided by.

    queries (queries, d_k); keys (keys, d_k); widths: for each, the first so many dimensions of both are used;
    divisors: some of "nothing", "√d_k" and "d_k". The bars are a query's weights from the largest to the
    smallest, averaged over all queries.

    Raises ValueError for another number of axes, widths or divisors that do not fit or what is not finite,
    TypeError for what holds no numbers.
    """
    all_queries, all_keys = matching(queries, keys)
    widths = [int(width) for width in widths]
    most = all_queries.shape[1]
    if not widths or min(widths) < 1 or max(widths) > most:
        raise ValueError(f"widths must lie from 1 to {most}, the d_k of queries and keys, not {widths}.")
    unknown = [divisor for divisor in divisors if divisor not in DIVISORS]
    if unknown or not divisors:
        raise ValueError(f"divisors must be some of {', '.join(DIVISORS)}, not {list(divisors)}.")
    rows = [
        _Row(
            divisor,
            _("scores as they are") if divisor == "nothing" else _("scores ÷ {divisor}", divisor=divisor),
            [
                share_out(scores_of_width(all_queries, all_keys, d_k) / DIVISORS[divisor](d_k))
                for d_k in widths
            ],
        )
        for divisor in divisors
    ]
    count = len(all_keys)
    with style.look():
        board = Board(MARGIN * 2 + LABELS + len(widths) * (PANEL + GAP) - GAP, 104 + 176 * len(rows))
        board.title(MARGIN, 28, _("How softmax shares out, as d_k grows"))
        board.text(
            MARGIN,
            52,
            _(
                "a query's {count} weights, largest first, averaged over {all} random queries",
                count=count,
                all=len(all_queries),
            ),
            size=style.SMALL_SIZE,
            color=style.MUTED,
        )
        for index, row in enumerate(rows):
            _draw_row(board, 244 + index * 176, row, widths, index == 0)
    return Picture(board.figure, _rows_in_words(rows, widths, count, len(all_queries)))


def _rows_in_words(rows: Sequence[_Row], widths: Sequence[int], keys: int, queries: int) -> str:
    """Say how the largest weight and the entropy change as d_k grows."""
    spoken = " ".join(
        f"{row.title[0].upper()}{row.title[1:]}: "
        + ", ".join(
            _(
                "d_k {d_k} largest weight {largest} and entropy {entropy}",
                d_k=d_k,
                largest=words.number(sharing.largest, 2),
                entropy=words.number(sharing.entropy, 2),
            )
            for d_k, sharing in zip(widths, row.shared, strict=True)
        )
        + "."
        for row in rows
    )
    return _(
        "Bars of the softmax weights of a query on {count} keys, largest first, averaged over {queries} "
        "queries, as d_k grows. {told}",
        count=keys,
        queries=queries,
        told=spoken,
    )


def _draw_row(board: Board, floor: float, row: _Row, widths: Sequence[int], is_first: bool) -> None:
    """Draw the panels of one divisor; the first row bears the widths above them."""
    color = style.CONTEXT if row.divisor == "√d_k" else style.WARNING
    board.text(MARGIN, floor - TALL + 8, row.title, weight="bold", color=color)
    board.text(MARGIN, floor - TALL + 32, _("line on top: weight 1"), size=11.5, color=style.MUTED)
    for column, (d_k, sharing) in enumerate(zip(widths, row.shared, strict=True)):
        left = MARGIN + LABELS + column * (PANEL + GAP)
        if is_first:
            board.text(left + PANEL / 2, floor - TALL - 32, f"d_k = {d_k}", ha="center", weight="bold")
        _draw_panel(board, (left, floor), sharing, color, f"{row.divisor} {d_k}")


def _draw_panel(board: Board, corner: tuple[float, float], sharing: Sharing, color: str, name: str) -> None:
    """Draw the weights of one width from the largest to the smallest, as bars on a floor."""
    left, floor = corner
    board.line((left, floor), (left + PANEL, floor), style.MUTED)
    board.line((left, floor - TALL), (left + PANEL, floor - TALL), style.LINE)
    ranked = np.sort(sharing.weights, axis=1)[:, ::-1].mean(axis=0)  # (queries, keys) -> (keys,)
    step = PANEL / len(ranked)
    for index, share in enumerate(ranked):
        bar = mpl.Rectangle(
            (left + (index + 0.1) * step, floor),
            step * 0.8,
            -float(share) * TALL,
            facecolor=color,
            gid=f"{name} {index}",
        )
        board.axes.add_patch(bar)
    top = floor - float(ranked[0]) * TALL
    high = ranked[0] > 0.8  # no room above the bar: beside it there is
    board.text(
        left + (0.9 * step + 4 if high else 1),
        top + 8 if high else top - 10,
        words.number(float(ranked[0]), 2),
        size=style.SMALL_SIZE,
        weight="bold",
        color=color,
    )
    board.text(
        left + PANEL / 2,
        floor + 16,
        _("entropy {value}", value=words.number(sharing.entropy, 2)),
        ha="center",
        size=style.SMALL_SIZE,
        color=style.MUTED,
    )


@when_ready
def score_spreads(widths: Sequence[int], plain: Any, scaled: Any) -> Picture:
    """Draw the measured spread of scores against d_k, with and without the division by √d_k.

    widths: the values of d_k; plain and scaled: one measured standard deviation for each.

    Raises ValueError when the three differ in length or a number is not positive and finite, TypeError for
    what holds no numbers.
    """
    names = ("widths", "plain", "scaled")
    across, first, second = (
        with_axes(value, name, ("d_k",)) for name, value in zip(names, (widths, plain, scaled), strict=True)
    )
    for name, values in zip(names, (across, first, second), strict=True):
        if len(values) != len(across):
            raise ValueError(f"{name} needs {len(across)} numbers, one for each width; it has {len(values)}.")
        if not (np.isfinite(values).all() and (values > 0).all()):
            raise ValueError(f"{name} must hold positive, finite numbers, not {words.vector(values)}.")
    with style.look():
        figure = _draw_spreads(across, first, second)
    pairs = "; ".join(
        _(
            "d_k {d_k:g}: {one} as they are, {other} divided",
            d_k=width,
            one=words.number(spread, 2),
            other=words.number(divided, 2),
        )
        for width, spread, divided in zip(across, first, second, strict=True)
    )
    alt = _(
        "Measured standard deviation of the scores against d_k, beside the lines √d_k and 1. {pairs}.",
        pairs=pairs,
    )
    return Picture(figure, alt)


def _draw_spreads(across: np.ndarray, first: np.ndarray, second: np.ndarray) -> mpl.Figure:
    """Draw measured spreads over d_k, both axes logarithmic, with the lines that they should lie on."""
    figure = titled_figure(700, 380, _("How far scores spread"))
    axes = figure.add_axes((0.11, 0.16, 0.56, 0.66))
    curve = np.geomspace(across.min(), across.max(), 60)
    axes.plot(curve, np.sqrt(curve), color=style.MUTED, linewidth=1.2, linestyle="--", gid="root")
    axes.axhline(1.0, color=style.MUTED, linewidth=1.2, linestyle="--", gid="one")
    axes.plot(across, first, "o", color=style.WARNING, markersize=8, gid="plain")
    axes.plot(across, second, "s", color=style.CONTEXT, markersize=8, gid="scaled")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xlabel("d_k")
    axes.set_ylabel(_("standard deviation"))
    # Numbers written out: a raised exponent needs mathtext, which the look turns off.
    axes.set_xticks(across, [f"{value:g}" for value in across])
    top = max(first.max(), second.max(), np.sqrt(across.max()))
    ticks = [2.0**power for power in range(-10, 11) if min(first.min(), second.min(), 1) / 2 <= 2.0**power]
    ticks = [tick for tick in ticks if tick <= top * 2]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(ticks[0], ticks[-1])
    small = style.points(style.SMALL_SIZE)
    for y, label, detail, color in (
        (0.74, _("● as they are"), f"{first[-1]:.2f} at d_k = {across[-1]:g}", style.WARNING),
        (0.42, _("■ divided by √d_k"), f"{second[-1]:.2f} at d_k = {across[-1]:g}", style.CONTEXT),
    ):
        figure.text(0.7, y, label, color=color, weight="bold", va="center")
        figure.text(0.7, y - 0.06, detail, color=style.INK, fontsize=small, va="center")
    figure.text(0.7, 0.24, _("dashed: √d_k, and 1"), color=style.MUTED, fontsize=small, va="center")
    return figure
