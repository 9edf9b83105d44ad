"""Train a model and watch: a progress bar, curves and a map, live; afterwards, choose any moment."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from visuals.arrays import listed, to_array, token_names
from visuals.figures.training import NAMED, Curve, moment_in_words, training_moments
from visuals.live import Explorer
from visuals.not_ready import NotReady, when_ready

# So many moments of a training are kept, the first and the last among them.
MOMENTS = 16
# While a training runs, its picture is drawn anew after so many seconds: drawing takes longer than a step.
REDRAWN = 1.0


@when_ready
def explore_training(
    train: Callable[[Iterable[Any]], Any],
    batches: Sequence[Any],
    measures: Mapping[str, Callable[[], float]],
    look: Callable[[], Any],
    tokens: Sequence[str],
    title: str = "Training",
) -> Explorer | NotReady:
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
        live.show(step, {name: (steps, numbers) for name, numbers in values.items()}, maps, names)

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
    names = list(map(str, tokens))

    def until(moment: int) -> tuple[dict[str, Curve], int, np.ndarray]:
        end = moment + 1
        curves: dict[str, Curve] = {name: (steps[:end], numbers[:end]) for name, numbers in values.items()}
        return curves, steps[-1], maps[moment]

    last = len(steps) - 1
    says = [moment_in_words(*until(moment), title) for moment in range(len(steps))]
    return Explorer(
        "explorers/training.js",
        shows=_shown(steps, values, maps, names, says),
        chosen={"moment": last},
        picture=lambda: training_moments(until(last)[0], steps[-1], maps, names, title),
    )


def _shown(
    steps: Sequence[int],
    values: Mapping[str, Sequence[float]],
    maps: Sequence[np.ndarray],
    names: Sequence[str],
    says: Sequence[str],
) -> dict[str, Any]:
    """Return what the explorer's module draws: curves, the maps of the moments, and a sentence for each."""
    return {
        "steps": steps,
        # A list: a page may put the names of an object in another order, and the loss comes first.
        "curves": [[name, listed(np.asarray(numbers))] for name, numbers in values.items()],
        "maps": listed(np.stack(maps).round(3)),
        "tokens": names if len(names) <= NAMED else [],
        "says": says,
    }


class _Live:
    """The progress bar with the curves and the map under it, where a person is there to see it."""

    def __init__(self, steps: int, title: str) -> None:
        self._steps, self._title = steps, title
        self._handle: Any = None
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        self._display: Any = None
        self._drawn = -REDRAWN
        if getattr(shell, "kernel", None) is not None:
            from IPython.display import display

            self._display = display

    def show(self, step: int, curves: Any, maps: Sequence[np.ndarray], tokens: Sequence[str]) -> None:
        if self._display is None or time.monotonic() < self._drawn + REDRAWN:
            return
        picture = training_moments(curves, self._steps, maps, tokens, self._title)
        bar = (
            f'<label>{step} of {self._steps} steps <progress max="{self._steps}" value="{step}" '
            f'style="width: 300px"></progress></label><br>{picture.to_html()}'
        )
        self._put({"text/html": bar, "text/plain": html.unescape(picture.alt)})
        self._drawn = time.monotonic()

    def close(self) -> None:
        if self._handle is not None:
            self._put({"text/html": "", "text/plain": ""})

    def _put(self, data: dict[str, str]) -> None:
        if self._handle is None:
            self._handle = self._display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)
