"""Choose d_k, what the scores are divided by and a temperature, and watch softmax sharpen or flatten."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import ipywidgets
import numpy as np

from visuals import words
from visuals.arrays import token_names
from visuals.explorers.explorer import WIDE, Explorer
from visuals.language import _
from visuals.lessons.trainable.scaling import (
    DIVISORS,
    Sharing,
    matching,
    saturation,
    scores_of_width,
    share_out,
)
from visuals.not_ready import when_ready
from visuals.picture import Picture

HOTTEST = 20.0
COLDEST = 0.05
# Where the curves of entropy are measured.
TEMPERATURES = np.geomspace(COLDEST, HOTTEST, 17)
# How the curve of each divisor is drawn.
DASHES = {"nothing": "", "√d_k": "7 4", "d_k": "2 3"}


class ScaleExplorer(Explorer):
    """Choose d_k, the divisor of the scores and a temperature; see weights, entropy and slope.

    `width`, `divisor` and `temperature` are the controls; `scores` (queries, keys) and `sharing` are what is
    shown just now.
    """

    STOPS: ClassVar[Mapping[str, Sequence[Any]]] = {"temperature": (COLDEST, 0.2, 0.5, 1, 2, 5, HOTTEST)}

    def __init__(self, queries: np.ndarray, keys: np.ndarray, tokens: list[str]) -> None:
        self._queries = queries
        self._keys = keys
        self._tokens = tokens
        most = queries.shape[1]
        widths = [2**power for power in range(most.bit_length()) if 2**power <= most]
        self.width = ipywidgets.Dropdown(
            options=[(str(width), width) for width in widths],
            value=widths[-1],
            description="d_k",
            style=WIDE,
        )
        self.divisor = ipywidgets.Dropdown(
            options=[(_(name), name) for name in DIVISORS],
            value="nothing",
            description=_("Scores divided by"),
            style=WIDE,
        )
        self.temperature = ipywidgets.BoundedFloatText(
            value=1.0,
            min=COLDEST,
            max=HOTTEST,
            step=0.5,
            description=_("Temperature ({coldest:g} to {hottest:g})", coldest=COLDEST, hottest=HOTTEST),
            style=WIDE,
        )
        self._entropies: dict[int, dict[str, np.ndarray]] = {}
        super().__init__(self.width, self.divisor, self.temperature)

    @property
    def scores(self) -> np.ndarray:
        """The scores (queries, keys) as softmax gets them, for the controls as they stand."""
        plain = scores_of_width(self._queries, self._keys, self.width.value)
        return plain / (DIVISORS[self.divisor.value](self.width.value) * self.temperature.value)

    @property
    def sharing(self) -> Sharing:
        """How softmax shares those scores out."""
        return share_out(self.scores)

    @property
    def entropies(self) -> dict[str, np.ndarray]:
        """The average entropy at each of `TEMPERATURES`, for every divisor, at the chosen d_k."""
        d_k = self.width.value
        if d_k not in self._entropies:
            plain = scores_of_width(self._queries, self._keys, d_k)
            self._entropies[d_k] = {
                divisor: np.array(
                    [share_out(plain / (divide(d_k) * warmth)).entropy for warmth in TEMPERATURES]
                )
                for divisor, divide in DIVISORS.items()
            }
        return self._entropies[d_k]

    @property
    def alt(self) -> str:
        sharing = self.sharing
        return _(
            "d_k {d_k}, scores divided by {divisor}, temperature {temperature:g}: scores spread by {spread}; "
            "average of {count} queries: largest weight {largest}, entropy {entropy} of at most {most:.2f}, "
            "slope {slope}",
            d_k=self.width.value,
            divisor=_(self.divisor.value),
            temperature=self.temperature.value,
            spread=words.number(sharing.spread, 2),
            count=len(self._queries),
            largest=words.number(sharing.largest, 2),
            entropy=words.number(sharing.entropy, 2),
            most=np.log(len(self._keys)),
            slope=words.number(sharing.slope, 3),
        )

    @property
    def html(self) -> str:
        scores, sharing = self.scores, self.sharing
        rows = "".join(
            f'<tr><th scope="row">{html.escape(token)}</th>'
            f'<td class="number">{words.number(score)}</td><td>{_bar(weight, "weight")}</td></tr>'
            for token, score, weight in zip(self._tokens, scores[0], sharing.weights[0], strict=True)
        )
        highest = np.log(len(self._keys)) or 1.0
        steepest = (1 - 1 / len(self._keys)) / len(self._keys) or 1.0
        measures = (
            (_("largest weight"), sharing.largest, sharing.largest, 2),
            ("entropy", sharing.entropy, sharing.entropy / highest, 2),
            (_("slope w (1 − w)"), sharing.slope, sharing.slope / steepest, 3),
        )
        averages = "".join(
            f'<tr><th scope="row">{name}</th><td>{_bar(share, "context", value, decimals)}</td></tr>'
            for name, value, share, decimals in measures
        )
        first = _("The first query: its scores and weights")
        every = _("On average over {count} queries", count=len(self._queries))
        measure, average = _("measure"), _("average")
        return (
            '<div class="attention-explorer" style="display: flex; flex-wrap: wrap; gap: 4px 28px;"><table>'
            f"<caption>{first}</caption>"
            '<tr><th scope="col">token</th><th scope="col">score</th><th scope="col">weight</th></tr>'
            f"{rows}</table>"
            f"{curves(self.entropies, self.divisor.value, self.temperature.value, sharing.entropy, highest)}"
            f"<table><caption>{every}</caption>"
            f'<tr><th scope="col">{measure}</th><th scope="col">{average}</th></tr>'
            f"{averages}</table></div>"
        )

    @property
    def picture(self) -> Picture:
        most = int(self.width.options[-1][1])
        widths = [width for width in (2, 8, 32, 128, 512) if width <= most] or [1]
        picture = saturation(self._queries, self._keys, widths, list(DIVISORS))
        assert isinstance(picture, Picture)  # queries and keys were checked when the explorer was made
        return picture


def curves(
    entropies: dict[str, np.ndarray], divisor: str, temperature: float, entropy: float, highest: float
) -> str:
    """Entropy against temperature as an SVG drawing: a curve for each divisor, a dot for the controls."""
    wide, high, left, top = 250, 130, 34, 22

    def x(warmth: float) -> float:
        return float(left + wide * np.log(warmth / COLDEST) / np.log(HOTTEST / COLDEST))

    def y(value: float) -> float:
        return top + high * (1 - value / highest)

    lines, names, falls = [], [], []
    for row, (name, values) in enumerate(entropies.items()):
        chosen = name == divisor
        stroke, width = ("var(--chosen)", 3) if chosen else ("currentColor", 1.5)
        path = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in zip(TEMPERATURES, values, strict=True))
        look = f'stroke="{stroke}" stroke-width="{width}" stroke-dasharray="{DASHES[name]}"'
        lines.append(f'<polyline points="{path}" fill="none" {look}/>')
        at, label = left + wide + 12, top + 14 + 22 * row
        names.append(
            f'<line x1="{at}" x2="{at + 26}" y1="{label - 4}" y2="{label - 4}" {look}/>'
            f'<text x="{at + 32}" y="{label}" fill="{stroke}" font-weight="{700 if chosen else 400}">'
            f"÷ {_(name)}</text>"
        )
        first, last = (words.number(value, 2) for value in (values[0], values[-1]))
        falls.append(
            _("divided by {divisor} from {first} to {last}", divisor=_(name), first=first, last=last)
        )
    spoken = _(
        "Average entropy against temperature from {coldest:g} to {hottest:g}: {told}; now {entropy} at "
        "{temperature:g}",
        coldest=COLDEST,
        hottest=HOTTEST,
        told="; ".join(falls),
        entropy=words.number(entropy, 2),
        temperature=temperature,
    )
    return (
        f'<svg role="img" width="{left + wide + 140}" height="{top + high + 40}" '
        'style="display: block; flex: none; overflow: visible; '
        'font: 12.5px var(--jp-content-font-family, sans-serif)" '
        f'aria-label="{html.escape(spoken)}">'
        f'<text x="0" y="12" fill="currentColor">entropy</text>'
        f'<text x="{left - 6}" y="{top + 6}" text-anchor="end" fill="currentColor">{highest:.2f}</text>'
        f'<text x="{left - 6}" y="{top + high + 4}" text-anchor="end" fill="currentColor">0</text>'
        f'<path d="M{left} {top} V{top + high} H{left + wide}" fill="none" stroke="currentColor"/>'
        f"{''.join(lines)}{''.join(names)}"
        f'<circle cx="{x(temperature):.1f}" cy="{y(entropy):.1f}" r="5.5" fill="var(--chosen)"/>'
        + "".join(
            f'<text x="{x(tick):.1f}" y="{top + high + 16}" text-anchor="middle" fill="currentColor">{tick:g}'
            "</text>"
            for tick in (0.05, 0.2, 1, 5, 20)
        )
        + f'<text x="{left + wide / 2}" y="{top + high + 34}" text-anchor="middle" fill="currentColor">'
        "temperature</text></svg>"
    )


def _bar(share: float, kind: str, value: float | None = None, decimals: int = 4) -> str:
    """Return a bar as long as a share of 1, and the number after it."""
    width = 100 * min(max(share, 0.0), 1.0)
    return (
        '<span class="track" aria-hidden="true"><span class="bar" '
        f'style="left: 0.00%; width: {width:.2f}%; background: var(--{kind});"></span></span>'
        f'<span class="number">{words.number(share if value is None else value, decimals)}</span>'
    )


@when_ready
def explore_scale(queries: Any, keys: Any, tokens: Sequence[str]) -> ScaleExplorer:
    """Explore what d_k, the divisor of the scores and the temperature do to softmax.

    queries (queries, d_k) and keys (keys, d_k): the first dimensions of both are used, as many as chosen;
    tokens: one string per key.

    Raises ValueError for another number of axes, widths that differ, what is not finite or tokens that do not
    fit, TypeError for what holds no numbers.
    """
    first, second = matching(queries, keys)
    return ScaleExplorer(first, second, token_names(tokens, len(second), "keys", "keys"))
