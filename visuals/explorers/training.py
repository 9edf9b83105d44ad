"""Train a model and watch: a progress bar, curves and a map, live; afterwards, choose any moment."""

from __future__ import annotations

import html
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import ipywidgets
import numpy as np

from visuals import words
from visuals.arrays import to_array, token_names
from visuals.explorers.explorer import WIDE, Explorer
from visuals.explorers.heads import COLORS
from visuals.explorers.maps import image
from visuals.figures.training import Curve, moment_in_words, training_moment
from visuals.language import _
from visuals.not_ready import NotReady, when_ready
from visuals.picture import Picture

# So many moments of a training are kept, the first and the last among them.
MOMENTS = 16
# How curves differ, beside their colours.
DASHES = ("", "7 4", "2 3")


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
        return {name: (self.steps[:end], found[:end]) for name, found in self.values.items()}

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
        map_ = self.maps[self.moment.value]
        loss, *shares = self.curves.items()
        highest = max(self.values[loss[0]])
        tokens = html.escape(" ".join(self._tokens))
        return (
            '<div class="attention-explorer" style="display: flex; flex-wrap: wrap; gap: 8px 28px;"><div>'
            f"{drawn([loss], self.steps[-1], highest)}{drawn(shares, self.steps[-1], 1.0)}</div>"
            f"<div>{image(map_, None, 1.0)}<p>{_('Tokens:')} {tokens}</p></div></div>"
        )


def drawn(curves: Sequence[tuple[str, Curve]], steps: int, highest: float) -> str:
    """Curves over the steps as an SVG drawing, from 0 to the highest value; `alt` says the same."""
    wide, high = 300, 96
    parts = [f'<path d="M6 8 V{high + 8} H{wide + 6}" fill="none" stroke="currentColor"/>']
    for place, (name, (at, values)) in enumerate(curves):
        color, dash = f"var({COLORS[place % len(COLORS)]})", DASHES[place % len(DASHES)]
        line = f'stroke="{color}" stroke-width="2.5" stroke-dasharray="{dash}"'
        ends = [
            (6 + wide * step / steps, 8 + high * (1 - value / highest))
            for step, value in zip(at, values, strict=True)
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in ends)
        x, y, row = *ends[-1], 20 + 20 * place
        parts += [
            f'<polyline points="{path}" fill="none" {line}/>',
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>',
            f'<line x1="{wide + 18}" x2="{wide + 44}" y1="{row - 4}" y2="{row - 4}" {line}/>',
            f'<text x="{wide + 50}" y="{row}" fill="currentColor">{html.escape(name)} '
            f"{words.number(values[-1], 2)}</text>",
        ]
    return (
        f'<svg aria-hidden="true" width="{wide + 240}" height="{high + 26}" style="display: block; '
        f'font: 13px var(--jp-content-font-family, sans-serif)">{"".join(parts)}'
        f'<text x="{wide + 6}" y="{high + 23}" text-anchor="end" fill="currentColor">'
        f"{_('{steps} steps', steps=steps)}</text></svg>"
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
        live.show(step, {name: (steps, found) for name, found in values.items()}, maps[-1], names)

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
