"""Curves of a training, and beside them where the model looked at one moment of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from visuals import mpl, style, words
from visuals.figures.layout import titled_figure
from visuals.language import _
from visuals.not_ready import NotReady
from visuals.picture import Picture

COLORS = (style.SCORE, style.QUERY, style.CONTEXT, style.WEIGHT, style.INK, style.WARNING, style.MUTED)
DASHES = ("-", "--", "-.", ":")
# Up to so many tokens stand beside a map, each with its name.
NAMED = 34

# So many panels of single curves stand beside each other.
IN_A_ROW = 3

# Names of curves lie so far apart at least, as a share of the height of the panel.
APART = 0.1

# Steps, and what was measured after each.
Curve = tuple[Sequence[float], Sequence[float]]


def training_curves(
    curves: Mapping[str, Curve | Literal[False] | None], title: str, unit: str = "loss", along: str = "steps"
) -> Picture | NotReady:
    """Draw what was measured in several trainings, one curve for each.

    A line between two numbers says more than was measured, so they are bars. More curves than there are
    colours get a panel each, with the first of them beside it in grey.

    curves: by name, the steps (measured,) and the numbers measured after them (measured,); unit: what was
    measured; along: what is counted in place of steps.

    Raises ValueError where there is no curve, or one is empty.
    """
    ready: Mapping[str, Curve] = {name: curve for name, curve in curves.items() if curve}
    if len(ready) < len(curves):
        return NotReady()
    if not ready or any(not len(steps) or len(steps) != len(values) for steps, values in ready.values()):
        raise ValueError("Each curve needs as many numbers as steps, and at least one.")
    with style.look():
        many = len(ready) > len(COLORS)
        figure = titled_figure(740, 520 if many else 330, title, (0.03, 0.94))
        if many:
            _panels(figure, ready, unit, along)
        else:
            axes = figure.add_axes((0.1, 0.17, 0.565, 0.66))
            if all(len(steps) == 2 for steps, _values in ready.values()):
                _bars(axes, ready)
                figure.legend(loc="center left", bbox_to_anchor=(0.68, 0.5), frameon=False)
            else:
                _draw(axes, ready)
                name_at_the_end(axes, ready)
            axes.set_xlabel(along)
            axes.set_ylabel(unit)
    highest = max(max(values) for _steps, values in ready.values())
    ends = "; ".join(
        _(
            "{name} from {first} to {last}",
            name=name,
            first=_level(values[0] / highest),
            last=_level(values[-1] / highest),
        )
        for name, (_steps, values) in ready.items()
    )
    return Picture(
        figure,
        _(
            "{title}. Curves of the {unit} over the {along}: {told}.",
            title=title,
            unit=unit,
            along=along,
            told=ends,
        ),
    )


def training_moments(
    curves: Mapping[str, Curve], steps: int, maps: Sequence[np.ndarray], tokens: Sequence[str], title: str
) -> Picture:
    """Draw the curves of one training so far, and under them the maps at three of its moments.

    curves: the first is the loss, the others are shares from 0 to 1; steps: how many there are in all;
    maps: a map (queries, keys) for each moment of the curves, with one of the tokens for each query and key.
    """
    with style.look():
        figure = titled_figure(760, 540, title, (0.03, 0.94))
        loss, *shares = curves
        axes = figure.add_axes((0.1, 0.66, 0.36, 0.19))
        _draw(axes, {loss: curves[loss]}, steps)
        beside = figure.add_axes((0.56, 0.66, 0.385, 0.19))
        _draw(beside, {name: curves[name] for name in shares}, steps, offset=1)
        beside.set_ylim(-0.05, 1.05)
        size = style.points(style.SMALL_SIZE)
        for panel in (axes, beside):
            panel.legend(loc="lower left", bbox_to_anchor=(0, 0.97), ncols=3, frameon=False, fontsize=size)
        taken, losses = curves[loss]
        for index, moment in enumerate(_told(losses)):
            picture = figure.add_axes((0.1 + 0.285 * index, 0.02, 0.255, 0.36))
            drawn = picture.imshow(maps[moment], cmap=style.sequential(), vmin=0, vmax=1)
            picture.set_title(
                f"after {taken[moment]} steps",
                fontsize=size,
                pad=26,
                loc="center",
                weight="normal",
            )
            names = tokens if len(tokens) <= NAMED else ()
            small = style.points(min(style.SMALL_SIZE, 175 / max(1, len(names))))
            picture.set_xticks(range(len(names)), names, fontsize=small)
            picture.set_yticks(range(len(names)), names, fontsize=small)
            picture.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
            for text, rise in (("key →", 1.09), ("query ↓", 1.01)) if not index else ():
                where = picture.transAxes
                picture.text(-0.03, rise, text, transform=where, fontsize=size, color=style.MUTED, ha="right")
        scale = figure.add_axes((0.945, 0.05, 0.012, 0.3))
        figure.colorbar(drawn, cax=scale, ticks=(0, 0.5, 1)).ax.tick_params(labelsize=size, length=0)
    return Picture(figure, moment_in_words(curves, steps, maps[-1], title))


def _told(losses: Sequence[float]) -> list[int]:
    """Choose the moments whose maps tell most: the first, where the loss has half fallen, and the last."""
    half = (losses[0] + losses[-1]) / 2
    fallen = next((moment for moment, loss in enumerate(losses) if loss <= half), 0)
    return sorted({0, fallen, len(losses) - 1})


def moment_in_words(curves: Mapping[str, Curve], steps: int, map_: np.ndarray, title: str) -> str:
    """Say how far the curves of a training are after a step, and where the map at that step looks."""
    ends = ", ".join(f"{name} {words.number(values[-1], 2)}" for name, (_steps, values) in curves.items())
    return _(
        "{title}, after {step} of {steps} steps: {told}. Beside the curves, {looks}",
        title=title,
        step=next(iter(curves.values()))[0][-1],
        steps=steps,
        told=ends,
        looks=_looks(map_),
    )


def _level(share: float) -> str:
    """How high a curve stands, in words that do not hang on the last digits of a training."""
    return _("near 0") if share < 0.15 else _("near the top") if share > 0.8 else _("between")


def _looks(map_: np.ndarray) -> str:
    """Where a map (queries, keys) looks, in words that do not hang on its last digits."""
    back = np.arange(len(map_)) - map_.argmax(axis=1)
    distances, counts = np.unique(back[1:], return_counts=True)
    most = int(counts.argmax())
    if counts[most] > 0.7 * counts.sum():
        nearest = (
            _("the map: most queries look at their own token."),
            _("the map: most queries look one token back."),
        )
        further = _("the map: most queries look {back} tokens back.", back=distances[most])
        return nearest[distances[most]] if distances[most] < len(nearest) else further
    turned = np.arange(len(map_)) + map_.argmax(axis=1)
    counts = np.unique(turned, return_counts=True)[1]
    if counts.max() >= 0.4 * len(map_):
        return _("the map: many queries look along an anti-diagonal.")
    return _("the map of its attention weights.")


def _bars(axes: mpl.Axes, curves: Mapping[str, Curve]) -> None:
    """Draw a group of bars for each place, one for each of the curves in it."""
    wide = 0.8 / len(curves)
    for index, (name, (_steps, values)) in enumerate(curves.items()):
        places = np.arange(len(values)) + (index - (len(curves) - 1) / 2) * wide
        axes.bar(places, values, 0.9 * wide, color=COLORS[index], label=name, gid=name)
    steps = next(iter(curves.values()))[0]
    axes.set_xticks(range(len(steps)), [f"{step:g}" for step in steps])


def _panels(figure: mpl.Figure, curves: Mapping[str, Curve], unit: str, along: str) -> None:
    """Draw each curve but the first in a panel of its own, a few in a row, beside the first in grey."""
    (first, usual), *others = curves.items()
    rows = -(-len(others) // IN_A_ROW)
    panels = figure.subplots(rows, IN_A_ROW, sharex=True, sharey=True, squeeze=False)
    figure.subplots_adjust(left=0.085, right=0.985, top=0.83, bottom=0.1, wspace=0.12, hspace=0.4)
    for axes in panels.flat[len(others) :]:
        axes.remove()
    for index, (axes, (name, (steps, values))) in enumerate(zip(panels.flat, others, strict=False)):
        axes.plot(*usual, color=style.MUTED, linestyle=":", linewidth=2.2, gid=first)
        axes.plot(steps, values, color=style.SCORE, linewidth=2.2, gid=name)
        axes.set_title(name, fontsize=style.points(style.SMALL_SIZE))
        axes.tick_params(labelbottom=index + IN_A_ROW >= len(others))
        axes.set_xlabel(along if index + IN_A_ROW >= len(others) else "")
        axes.set_ylabel("" if index % IN_A_ROW else unit)
    last = max(usual[0])
    panels[0, 0].set_xticks((0, last / 2, last), [f"{step:g}" for step in (0, last / 2, last)])
    panels[0, 0].set_ylim(bottom=0)
    figure.text(0.985, 0.94, _("dotted: {name}", name=first), ha="right", va="center", color=style.MUTED)


def name_at_the_end(axes: mpl.Axes, curves: Mapping[str, Curve]) -> None:
    """Write the name of each curve beside its end, in its colour, and keep the names apart."""
    colors = {str(line.get_gid()): line.get_color() for line in axes.lines}
    ends = {
        name: float(axes.transAxes.inverted().transform(axes.transData.transform((steps[-1], values[-1])))[1])
        for name, (steps, values) in curves.items()
    }
    names = sorted(ends, key=lambda name: ends[name])
    # As near to the ends as names that lie apart can be: a group that collides is spread around its middle.
    groups: list[list[str]] = []
    for name in names:
        groups.append([name])
        while len(groups) > 1 and _lowest(groups[-1], ends) < _lowest(groups[-2], ends) + APART * len(
            groups[-2]
        ):
            last = groups.pop()
            groups[-1] += last
    for group in groups:
        lowest = _lowest(group, ends)
        for index, name in enumerate(group):
            axes.text(
                *(1.02, lowest + APART * index),
                name,
                transform=axes.transAxes,
                color=colors[name],
                va="center",
            )


def _lowest(group: Sequence[str], ends: Mapping[str, float]) -> float:
    """Where the lowest name of a group belongs: all lie in the panel, around the middle of their ends."""
    middle = sum(ends[name] for name in group) / len(group)
    return min(max(0.0, middle - APART * (len(group) - 1) / 2), 1 - APART * (len(group) - 1))


def _draw(axes: mpl.Axes, curves: Mapping[str, Curve], last: float | None = None, offset: int = 0) -> None:
    for index, (name, (steps, values)) in enumerate(curves.items(), start=offset):
        color, dash = COLORS[index % len(COLORS)], DASHES[index % len(DASHES)]
        axes.plot(steps, values, color=color, linestyle=dash, linewidth=2.2, label=name, gid=name)
    axes.set_xlim(0, last)
    if min(min(values) for _steps, values in curves.values()) >= 0:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(_("steps"))
    axes.xaxis.set_major_locator(mpl.MaxNLocator(5, integer=True))
