"""The cache and the time of one more token over the length of a text, for several forms of attention."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from matplotlib.ticker import FuncFormatter, NullFormatter

from visuals import style
from visuals.figures.layout import titled_figure
from visuals.figures.training import COLORS, DASHES, name_at_the_end
from visuals.language import _
from visuals.not_ready import when_ready
from visuals.picture import Picture

# What `python -m benchmarks.lengths --keep` has measured.
STORED = Path(__file__).with_name("lengths.json")


@when_ready
def length_curves(names: Sequence[str], kept: Sequence[Sequence[int]]) -> Picture:
    """Draw bytes that were counted beside times that the benchmark measured, for one layer.

    kept: for each form of `names` the bytes of its cache at each length of the stored run.

    Raises ValueError where a form was not measured, or not as many lengths are given.
    """
    run = json.loads(STORED.read_text())
    lengths, times = run["lengths"], run["times"]
    if set(names) - set(times) or any(len(row) != len(lengths) for row in kept):
        raise ValueError(f"There are times of {', '.join(times)}, each at {len(lengths)} lengths.")
    panels = (
        ([[size / 2**20 for size in row] for row in kept], "MiB of cache, one layer"),
        ([times[name] for name in names], f"one more token; plain at {lengths[0]:,} tokens is 1"),
    )
    with style.look():
        figure = titled_figure(860, 400, "What longer texts cost", (0.02, 0.95))
        note = f"both axes are logarithmic; times: {run['machine']}"
        figure.text(0.02, 0.88, note, va="center", color=style.MUTED)
        for index, (rows, label) in enumerate(panels):
            axes = figure.add_axes((0.07 + 0.49 * index, 0.14, 0.34, 0.62))
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            for name, row, color, dash in zip(names, rows, COLORS, DASHES * 2, strict=False):
                axes.plot(lengths, row, color=color, linestyle=dash, linewidth=2.2, gid=name)
            axes.set_xticks(lengths[::2])
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(FuncFormatter(lambda value, at: f"{value:g}"))
                axis.set_minor_formatter(NullFormatter())
            axes.set_xlabel("tokens")
            axes.set_title(label, fontsize=style.points(style.TEXT_SIZE), fontweight="normal")
            name_at_the_end(axes, {name: (lengths, row) for name, row in zip(names, rows, strict=True)})
    sizes, relative = (
        "; ".join(
            _("{name} from {first} to {last}", name=name, first=f"{row[0]:.3g}", last=f"{row[-1]:.3g}")
            for name, row in zip(names, rows, strict=True)
        )
        for rows, _label in panels
    )
    alt = _(
        "Cache and time of one more token over the length of the text, on logarithmic axes. MiB of cache for "
        "{first} and for {last} tokens: {sizes}. Times beside that of plain for {first} tokens: {times}. "
        "They were measured once: {machine}.",
        first=lengths[0],
        last=lengths[-1],
        sizes=sizes,
        times=relative,
        machine=run["machine"],
    )
    return Picture(figure, alt)
