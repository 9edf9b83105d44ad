"""Train a model and watch: a progress bar, curves and a map, live; afterwards, choose any moment."""

from __future__ import annotations

import base64
import html
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import ipywidgets
import numpy as np
from PIL import Image

from visuals import style, words
from visuals.arrays import to_array, token_names
from visuals.explorers.explorer import COLORS, WIDE, Explorer
from visuals.figures.training import NAMED, Curve, moment_in_words, training_moment
from visuals.language import _
from visuals.not_ready import NotReady, when_ready
from visuals.picture import Picture

# So many moments of a training are kept, the first and the last among them.
MOMENTS = 16
# How curves differ, beside their colours.
DASHES = ("", "7 4", "2 3")
# The size of a drawing of curves, and the room for the numbers beside it, in CSS pixels.
WIDTH, HEIGHT, LEFT = 300, 96, 30
# The longer side of a map, and the largest square of one weight in it, in CSS pixels.
IMAGE, SQUARE = 420, 24


class TrainingExplorer(Explorer):
    """Choose a moment of a training; see the curves up to it, and where the model looked then.

    `moment` is the control; `steps` (measured,), `values` by name (measured,), and `maps`
    (measured, queries, keys) are what was measured.
    """

    def __init__(
        self,
        steps: Sequence[int],
        values: Mapping[str, Sequence[float]],
        maps: Sequence[np.ndarray],
        tokens: Sequence[str],
        title: str,
    ) -> None:
        self.steps, self.values, self.maps = steps, values, maps
        self._tokens, self._title = tokens, title
        self.moment = ipywidgets.Dropdown(
            options=[(_("after {steps} steps", steps=step), index) for index, step in enumerate(steps)],
            value=len(steps) - 1,
            description=_("Moment"),
            style=WIDE,
        )
        super().__init__(self.moment)

    @property
    def curves(self) -> dict[str, Curve]:
        """The curves up to the moment that is chosen."""
        end = self.moment.value + 1
        return {name: (self.steps[:end], numbers[:end]) for name, numbers in self.values.items()}

    @property
    def picture(self) -> Picture:
        map_ = self.maps[self.moment.value]
        return training_moment(self.curves, self.steps[-1], map_, self._tokens, self._title)

    @property
    def alt(self) -> str:
        map_ = self.maps[self.moment.value]
        return moment_in_words(self.curves, self.steps[-1], map_, self._title)

    @property
    def html(self) -> str:
        loss, *shares = self.curves.items()
        highest = max((value for value in self.values[loss[0]] if np.isfinite(value)), default=0.0) or 1.0
        return (
            '<div class="attention-explorer" style="display: flex; flex-wrap: wrap; gap: 8px 28px;">'
            f'<div aria-hidden="true">{drawn([loss], self.steps[-1], highest)}'
            f"{drawn(shares, self.steps[-1], 1.0, offset=1) if shares else ''}</div>"
            f"{named_map(self.maps[self.moment.value], self._tokens)}</div>"
        )


def pixels(values: np.ndarray, largest: float) -> str:
    """One map (queries, keys) as the address of an image that holds one pixel for each weight."""
    colormap, norm = style.color_scale(np.array([largest, values[np.isfinite(values)].min(initial=0.0)]))
    # Not finite is white, as nothing is.
    colors = colormap(norm(np.where(np.isfinite(values), values, 0.0)), bytes=True)[..., :3]
    packed = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(colors)).save(packed, format="PNG", compress_level=1)
    return f"data:image/png;base64,{base64.b64encode(packed.getvalue()).decode()}"


def image_in_words(queries: int, keys: int) -> str:
    """Say what an image of a map is."""
    return _(
        "Map of {queries} queries (rows) by {keys} keys (columns); darker blue is more.",
        queries=queries,
        keys=keys,
    )


def drawn(curves: Sequence[tuple[str, Curve]], steps: int, highest: float, offset: int = 0) -> str:
    """Curves over the steps, drawn from 0 to the highest value; the explorer's sentence says their ends.

    Values that are not finite are left out. offset: how many colours are taken.
    """
    legend, lines = [], []
    for place, (name, (at, values)) in enumerate(curves, start=offset):
        color, dash = f"var({COLORS[place % len(COLORS)]})", DASHES[place % len(DASHES)]
        line = f'fill="none" style="stroke: {color}; stroke-width: 2.5; stroke-dasharray: {dash or "none"}"'
        points = " ".join(
            f"{LEFT + WIDTH * step / max(steps, 1):.0f},{8 + HEIGHT * (1 - value / highest):.1f}"
            for step, value in zip(at, values, strict=True)
            if np.isfinite(value)
        )
        lines.append(f'<polyline points="{points}" {line}/>')
        if points:
            x, y = points.split(" ")[-1].split(",")
            lines.append(f'<circle cx="{x}" cy="{y}" r="3.5" style="fill: {color}"/>')
        legend.append(
            f'<span><svg width="30" height="10"><path d="M0 5 H26" {line}/></svg>'
            f'{html.escape(name)} <span class="number">{words.number(values[-1], 2)}</span></span>'
        )
    bottom, right = 8 + HEIGHT, LEFT + WIDTH
    along = _("{steps} steps", steps=steps)
    return (
        f'<div style="display: flex; flex-wrap: wrap; gap: 0 16px; max-width: {right}px">{"".join(legend)}'
        f'</div><svg viewBox="0 0 {right + 8} {bottom + 22}" width="{right + 8}" '
        'style="display: block; max-width: 100%; font-size: 12px; fill: currentColor">'
        f'<path d="M{LEFT} 4 V{bottom} H{right + 4}" fill="none" style="stroke: currentColor"/>'
        f'<g text-anchor="end"><text x="{LEFT - 5}" y="14">{words.number(highest, 1)}</text>'
        f'<text x="{LEFT - 5}" y="{bottom}">0</text>'
        f'<text x="{right}" y="{bottom + 16}">{along}</text></g>'
        f"{''.join(lines)}</svg>"
    )


def named_map(map_: np.ndarray, tokens: Sequence[str]) -> str:
    """One map (queries, keys) as an image, a token beside each row and above each column where they fit."""
    queries, keys = map_.shape
    square = min(IMAGE / keys, SQUARE)
    size = min(square, 13.0)
    named = len(tokens) <= NAMED
    left, top = (6 + 0.65 * size * max(map(len, tokens)), size + 4) if named else (0.0, 0.0)
    names = "".join(
        f'<text x="{left + (place + 0.5) * square:.1f}" y="{top - 4:.1f}" text-anchor="middle">{token}</text>'
        f'<text x="{left - 4:.1f}" y="{top + (place + 0.5) * square + size / 3:.1f}" text-anchor="end">'
        f"{token}</text>"
        for place, token in enumerate(map(html.escape, tokens if named else ()))
    )
    wide, high = left + square * keys, top + square * queries
    return (
        f'<svg role="img" aria-label="{image_in_words(queries, keys)}" viewBox="0 0 {wide:.1f} {high:.1f}" '
        f'width="{wide:.0f}" style="max-width: 100%; font-size: {size:.1f}px; fill: currentColor">{names}'
        f'<image href="{pixels(map_, 1.0)}" x="{left:.1f}" y="{top:.1f}" width="{square * keys:.1f}" '
        f'height="{square * queries:.1f}" preserveAspectRatio="none" '
        'style="image-rendering: pixelated"/>'
        f'<path d="M{left:.1f} {top:.1f} V{high:.1f} H{wide:.1f}" fill="none" '
        'style="stroke: currentColor"/></svg>'
    )


@when_ready
def explore_training(
    train: Callable[[Iterable[Any]], Any],
    batches: Sequence[Any],
    measures: Mapping[str, Callable[[], float]],
    look: Callable[[], Any],
    tokens: Sequence[str],
    title: str = "Training",
) -> TrainingExplorer | NotReady:
    """Train a model, show how it goes on, and explore the moments of the training afterwards.

    train: is called with the batches, and takes one step for each; measures: what is measured on the way, by
    name, the loss first and then shares from 0 to 1; look: the map at that moment, (queries, keys); tokens:
    one string per token of the map.

    Raises ValueError for tokens that do not fit, and what the functions raise.
    """
    at = {round(moment) for moment in np.linspace(0, len(batches), MOMENTS)}
    steps: list[int] = []
    values: dict[str, list[float]] = {name: [] for name in measures}
    maps: list[np.ndarray] = []
    live = _Live(len(batches), title)

    def note(step: int) -> None:
        steps.append(step)
        for name, measure in measures.items():
            values[name].append(float(to_array(measure(), name)))
        maps.append(to_array(look(), "look()"))
        names = token_names(tokens, maps[-1].shape[-1], "the map", "keys")
        live.show(step, {name: (steps, numbers) for name, numbers in values.items()}, maps[-1], names)

    def watched() -> Iterator[Any]:
        for step, batch in enumerate(batches):
            if step in at:
                note(step)
            yield batch
        # Asked for a next batch, the training has made its last step.
        note(len(batches))

    train(watched())
    live.close()
    if not steps or steps[-1] != len(batches):
        return NotReady()  # the training is not written yet
    return TrainingExplorer(steps, values, maps, list(map(str, tokens)), title)


class _Live:
    """The progress bar with the curves and the map under it, where a person is there to see it."""

    def __init__(self, steps: int, title: str) -> None:
        self._steps, self._title = steps, title
        self._handle: Any = None
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        self._display: Any = None
        if getattr(shell, "kernel", None) is not None:
            from IPython.display import display

            self._display = display

    def show(self, step: int, curves: Any, map_: np.ndarray, tokens: Sequence[str]) -> None:
        if self._display is None:
            return
        picture = training_moment(curves, self._steps, map_, tokens, self._title)
        bar = (
            f'<label>{step} of {self._steps} steps <progress max="{self._steps}" value="{step}" '
            f'style="width: 300px"></progress></label><br>{picture.to_html()}'
        )
        self._put({"text/html": bar, "text/plain": html.unescape(picture.alt)})

    def close(self) -> None:
        if self._handle is not None:
            self._put({"text/html": "", "text/plain": ""})

    def _put(self, data: dict[str, str]) -> None:
        if self._handle is None:
            self._handle = self._display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)
