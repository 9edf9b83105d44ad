"""Where exp leaves float32, and what that does to a softmax written naively."""

from __future__ import annotations

from typing import Any

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import with_axes
from visuals.figures.layout import titled_figure
from visuals.language import _
from visuals.not_ready import when_ready
from visuals.picture import Picture

# The largest x whose exp is still a float32.
LIMIT = float(np.log(np.finfo(np.float32).max))
# So many scores fit beside the curve.
MOST_SCORES = 4


@when_ready
def overflow(scores: Any = (0.0, 60.0, 120.0), largest: float = 120.0) -> Picture:
    """Draw exp(x) in float32 for x from 0 to `largest`, where it becomes inf, and what that does to softmax.

    scores (tokens,): up to four scores, whose softmax is written out beside the curve.

    Raises ValueError when `largest` is not a positive, finite number, or scores has not exactly one axis;
    TypeError for scores that hold no numbers.
    """
    largest = float(largest)
    if not (np.isfinite(largest) and largest > 0):
        raise ValueError(f"largest must be a positive, finite number, not {largest}.")
    x = np.linspace(0, largest, 481, dtype=np.float32)  # (481,)
    values = with_axes(scores, "scores", ("tokens",)).astype(np.float32)
    if len(values) > MOST_SCORES:
        raise ValueError(f"scores holds {len(values)} numbers; at most {MOST_SCORES} fit beside the curve.")
    with np.errstate(over="ignore", invalid="ignore"):
        y = np.exp(x)  # (481,) -> (481,)
        exponentials = np.exp(values)  # (tokens,) -> (tokens,)
        naive = exponentials / exponentials.sum()  # (tokens,) / () -> (tokens,)
    overflows = largest > LIMIT
    finite = np.isfinite(y)
    return _draw(largest, x[finite], y[finite], values, exponentials, naive, overflows)


def _mark_limit(axes: mpl.Axes, largest: float) -> None:
    """Mark from where on exp(x) is inf."""
    axes.axvspan(
        LIMIT,
        largest,
        facecolor=style.CARD,
        edgecolor=style.WARNING,
        hatch="//",
        linewidth=0,
        alpha=0.6,
    )
    axes.axvline(LIMIT, color=style.WARNING, linewidth=2, gid="limit")
    axes.set_title(
        _("inf from x = {limit:.2f} on", limit=LIMIT),
        color=style.WARNING,
        fontsize=style.points(style.TEXT_SIZE),
        loc="right",
        weight="bold",
    )


def _draw(
    largest: float,
    x: np.ndarray,
    y: np.ndarray,
    scores: np.ndarray,
    exponentials: np.ndarray,
    naive: np.ndarray,
    overflows: bool,
) -> Picture:
    with style.look():
        figure = titled_figure(740, 370, _("exp(x) outgrows float32"), (0.03, 0.925))
        axes = figure.add_axes((0.1, 0.16, 0.5, 0.64))
        axes.plot(x, y, color=style.SCORE, linewidth=2.4, label="exp(x) in float32")
        axes.set_yscale("log")
        axes.set_xlim(0, largest)
        axes.set_ylim(1, 1e42 if overflows else max(float(y.max()) * 10, 10))
        axes.set_xlabel("x")
        # Powers of ten written out: a raised exponent needs mathtext, which the look turns off.
        ticks = [10.0**power for power in (0, 10, 20, 30, 38) if 10.0**power <= axes.get_ylim()[1]]
        axes.set_yticks(ticks, [f"1e{round(np.log10(tick)):+d}" if tick > 1 else "1" for tick in ticks])
        axes.minorticks_off()
        axes.text(
            min(largest, LIMIT) * 0.42,
            float(np.exp(min(largest, LIMIT) * 0.5)),
            "exp(x)",
            ha="right",
            color=style.SCORE,
            weight="bold",
        )
        if overflows:
            _mark_limit(axes, largest)
        _write_table(figure, scores, exponentials, naive)
    finite = _(
        "exp(x) stays finite: {value} at x = {largest:g}",
        value=words.number(float(exponentials[-1])),
        largest=largest,
    )
    blown = _("a red line at x = {limit:.2f}, beyond which exp(x) is inf", limit=LIMIT)
    alt = _(
        "Curve of exp(x) in float32 for x from 0 to {largest:g}, rising on a logarithmic axis: {end}. "
        "Naive softmax of the scores {scores}: exp gives {exponentials}, their sum {total}, so the "
        "weights are {weights}.",
        largest=largest,
        end=blown if overflows else finite,
        scores=_row(scores),
        exponentials=_row(exponentials),
        total=_short(exponentials.sum()),
        weights=_row(naive),
    )
    return Picture(figure, alt)


def _write_table(figure: mpl.Figure, scores: np.ndarray, exponentials: np.ndarray, naive: np.ndarray) -> None:
    """Write the three steps of a naive softmax beside the curve, one line per score."""
    write = figure.text
    small = style.points(style.SMALL_SIZE)
    write(
        0.66,
        0.84,
        _("naive softmax of {count} scores", count=len(scores)),
        fontsize=small,
        weight="bold",
        va="center",
    )
    columns = (0.715, 0.845, 0.965)
    for x, heading in zip(columns, ("x", "exp(x)", "÷ sum"), strict=True):
        write(x, 0.74, heading, ha="right", va="center", color=style.MUTED, fontsize=small)
    for index, cells in enumerate(zip(scores, exponentials, naive, strict=True)):
        for x, value in zip(columns, cells, strict=True):
            bad = not np.isfinite(value)
            write(
                x,
                0.64 - 0.1 * index,
                _short(value),
                ha="right",
                va="center",
                color=style.WARNING if bad else style.INK,
                weight="bold" if bad else "normal",
            )
    total = exponentials.sum()
    below = 0.62 - 0.1 * len(scores)
    write(0.715, below, "sum", ha="right", va="center", color=style.MUTED, fontsize=small)
    write(
        0.845,
        below,
        _short(total),
        ha="right",
        va="center",
        color=style.INK if np.isfinite(total) else style.WARNING,
        weight="normal" if np.isfinite(total) else "bold",
    )
    if not np.isfinite(total):
        write(
            0.66,
            below - 0.12,
            _("inf ÷ inf is not a number: nan"),
            va="center",
            color=style.WARNING,
            fontsize=small,
        )


def _short(value: float) -> str:
    """Return a number in at most seven characters."""
    return (
        f"{value:g}" if not np.isfinite(value) or 1e-3 <= abs(value) < 1e5 or value == 0 else f"{value:.1e}"
    )


def _row(values: np.ndarray) -> str:
    return ", ".join(_short(float(value)) for value in values)
