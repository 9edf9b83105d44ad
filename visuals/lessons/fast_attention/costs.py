"""Costs over the length of a text, on logarithmic axes, where a power is a straight line."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from visuals import mpl, style
from visuals.figures.layout import titled_figure
from visuals.language import N_, _
from visuals.lessons.fast_attention.measure import Cost
from visuals.not_ready import when_ready
from visuals.picture import Picture

LOOKS = (
    (style.SCORE, "o", "-"),
    (style.QUERY, "s", "--"),
    (style.CONTEXT, "^", "-."),
    (style.WEIGHT, "D", ":"),
)
PANELS = (("seconds", 1e3, N_("milliseconds")), ("bytes", 2**-20, N_("MiB of tensors")))


def slope(sizes: np.ndarray, values: np.ndarray) -> float:
    """Return the exponent of the power that fits the last three values (sizes,) best: 2 for a square."""
    return float(np.polyfit(np.log(sizes[-3:]), np.log(values[-3:]), 1)[0])


@when_ready
def cost_curves(costs: Mapping[str, Mapping[int, Cost]], title: str = N_("What it costs")) -> Picture:
    """Draw seconds and bytes over the length, with the slope of each curve at its end.

    costs: for each name, what `measured` returned for each length, two lengths or more.

    Raises ValueError where there is no curve, more than 4, or one of fewer than two lengths.
    """
    if not 0 < len(costs) <= len(LOOKS) or min(len(curve) for curve in costs.values()) < 2:
        raise ValueError(f"costs needs 1 to {len(LOOKS)} curves of at least two lengths each.")
    lengths = sorted({size for curve in costs.values() for size in curve})
    plain = mpl.FuncFormatter(lambda value, position: f"{value:g}")
    with style.look():
        figure = titled_figure(860, 440, _(title), (0.02, 0.95))
        note = _("both axes are logarithmic; a straight line of slope 2 is a square")
        figure.text(0.02, 0.89, note, va="center", color=style.MUTED)
        for index, (field, unit, label) in enumerate(PANELS):
            axes = figure.add_axes((0.09 + 0.5 * index, 0.13, 0.39, 0.68))
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            for (name, curve), (color, marker, dashes) in zip(costs.items(), LOOKS, strict=False):
                sizes = np.array(sorted(curve), dtype=float)
                values = np.array([max(getattr(curve[int(size)], field), 1e-9) for size in sizes]) * unit
                said = _("{name}: slope {slope:.1f}", name=name, slope=slope(sizes, values))
                axes.plot(
                    sizes, values, color=color, marker=marker, linestyle=dashes, linewidth=2, label=said
                )
            axes.set_xticks(lengths)
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(plain)
                axis.set_minor_formatter(mpl.NullFormatter())
            low, high = axes.get_ylim()
            # Room above the curves, so that the legend hides none of them.
            axes.set_ylim(low, high * (high / low) ** (0.12 * len(costs)))
            axes.set_xlabel("tokens")
            axes.set_title(_(label), fontsize=style.points(style.TEXT_SIZE), fontweight="normal")
            axes.legend(loc="upper left", frameon=False, fontsize=style.points(style.SMALL_SIZE))
    names = ", ".join(repr(name) for name in costs)
    alt = _(
        "{title}: time and memory of {names} for {lengths} tokens, on logarithmic axes, measured on the "
        "machine that ran this cell. The slope of each curve is in the legend.",
        title=_(title),
        names=names,
        lengths=", ".join(map(str, lengths)),
    )
    return Picture(figure, alt)
