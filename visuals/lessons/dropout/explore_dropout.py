"""Choose p, draw dropout masks, and watch what one draw does and what many average to."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ipywidgets
import numpy as np

from visuals import words
from visuals.arrays import token_names, with_axes
from visuals.explorers.explorer import WIDE, Explorer
from visuals.explorers.states import Knob
from visuals.language import _, ngettext
from visuals.lessons.dropout.dropping import MOST_TOKENS, dropout_steps
from visuals.not_ready import when_ready
from visuals.picture import Picture

# At 1 nothing would be kept and nothing could make up for it.
LARGEST_P = 0.9
# How many masks one press of the button draws.
AT_ONCE = (1, 10, 100, 1000)
# Where no kernel answers, so many draws can be chosen.
DRAWN = (1, 2, 3, 4, 5, 10, 100, 1000)
SEED = 123
# Two tables side by side in a notebook's width; the text stays readable on the strongest shade (in per cent).
NEAR = "padding: 2px 5px; text-align: right"
SHADE = 40.0


@dataclass
class Draws:
    """Draws of dropout on weights (queries, keys): the last mask, and the sum of all results so far."""

    weights: np.ndarray
    p: float
    kept: np.ndarray
    total: np.ndarray
    count: int = 0

    @property
    def last(self) -> np.ndarray:
        """The weights after the last draw (queries, keys)."""
        return self.weights * self.kept / (1 - self.p)

    @property
    def average(self) -> np.ndarray:
        """The mean over all draws so far (queries, keys)."""
        return self.total / self.count

    def draw(self, generator: np.random.Generator, times: int) -> None:
        """Draw `times` new masks; each weight is kept with probability 1 - p."""
        kept = generator.random((times, *self.weights.shape)) >= self.p  # (times, queries, keys)
        self.kept = kept[-1]
        self.total = self.total + kept.sum(axis=0) * self.weights / (1 - self.p)
        self.count += times


def first_draw(weights: np.ndarray, p: float, generator: np.random.Generator) -> Draws:
    """Draws that begin with one mask."""
    draws = Draws(weights, p, np.ones(weights.shape, dtype=bool), np.zeros(weights.shape))
    draws.draw(generator, 1)
    return draws


def sentence(draws: Draws) -> str:
    """Say in words what the last draw did, and how near the average of all has come."""
    there = draws.weights != 0
    kept = int((draws.kept & there).sum())
    last = _(
        "p {p:g}: the last draw keeps {kept} of {there} weights, each times {factor:.2f}; they add up to "
        "{last}, before dropout to {before}.",
        p=draws.p,
        kept=kept,
        there=int(there.sum()),
        factor=1 / (1 - draws.p),
        last=words.number(draws.last.sum(), 2),
        before=words.number(draws.weights.sum(), 2),
    )
    average = _(
        "{average}: adds up to {total}, farthest from its weight by {farthest}",
        average=_averaged(draws),
        total=words.number(draws.average.sum(), 2),
        farthest=words.number(np.abs(draws.average - draws.weights).max(), 2),
    )
    return f"{last} {average}"


def _averaged(draws: Draws) -> str:
    return ngettext("Average of {number} draw", "Average of {number} draws", draws.count)


def tables(draws: Draws, tokens: Sequence[str]) -> str:
    """Return the last draw and the average of all draws as two HTML tables side by side."""
    shown = (
        (_("Last draw (✗ dropped)"), draws.last, draws.kept),
        (_averaged(draws), draws.average, None),
        (_("Weights before dropout"), draws.weights, None),
    )
    parts = "".join(_table(caption, values, kept, tokens) for caption, values, kept in shown)
    side_by_side = "display: flex; flex-wrap: wrap; gap: 8px 20px;"
    return f'<div class="attention-explorer" style="{side_by_side}">{parts}</div>'


def _table(caption: str, values: np.ndarray, kept: np.ndarray | None, tokens: Sequence[str]) -> str:
    heads = "".join(
        f'<th scope="col" style="{NEAR}">{html.escape(words.shortened(token, 8))}</th>' for token in tokens
    )
    rows = []
    for index, token in enumerate(tokens):
        cells = []
        for column, value in enumerate(values[index]):
            dropped = kept is not None and not kept[index, column]
            # Nothing stands above the diagonal, before dropout or after.
            text = "" if column > index and value == 0 else "✗" if dropped else words.number(value, 2)
            strength = SHADE * min(max(float(value), 0.0), 1.0)
            back = f"background: color-mix(in srgb, var(--weight) {strength:.0f}%, transparent)"
            cells.append(f'<td class="number" style="{NEAR}; {back}">{text}</td>')
        total = f'<td class="number" style="{NEAR}"><b>{words.number(values[index].sum(), 2)}</b></td>'
        rows.append(f'<tr><th scope="row">{html.escape(token)}</th>{"".join(cells)}{total}</tr>')
    total = _("sum")
    return (
        f'<table style="font-size: 12.5px"><caption>{html.escape(caption)}</caption>'
        f'<tr><th scope="col">token</th>{heads}<th scope="col" style="{NEAR}">{total}</th></tr>'
        f"{''.join(rows)}</table>"
    )


class DropoutExplorer(Explorer):
    """Choose p and draw masks; see the last draw and the average of all.

    `p`, `at_once` and `again` are the controls; `draws` is what is shown just now.
    """

    def __init__(self, weights: np.ndarray, tokens: list[str]) -> None:
        self._weights = weights
        self._tokens = tokens
        self._generator = np.random.default_rng(SEED)
        self.p = ipywidgets.BoundedFloatText(
            value=0.5, min=0.0, max=LARGEST_P, step=0.1, description=_("p (0 to 0.9)"), style=WIDE
        )
        self.at_once = ipywidgets.Dropdown(
            options=[(str(times), times) for times in AT_ONCE], description=_("Draws at once"), style=WIDE
        )
        self.again = ipywidgets.Button(description=_("Draw again"))
        self.draws = first_draw(weights, self.p.value, self._generator)
        # Before the base class observes it, so that what it shows is already the new p's.
        self.p.observe(self._start_over, names="value")
        self.again.on_click(self._draw)
        super().__init__(self.p, self.at_once, self.again)

    def _start_over(self, change: Any) -> None:
        """Draws for another p say nothing about this one."""
        self.draws = first_draw(self._weights, self.p.value, self._generator)

    @property
    def knobs(self) -> list[Knob]:
        """p, and how often is drawn: of a button that may be pressed for ever, some numbers of draws."""

        def draw(times: int) -> None:
            self._generator = np.random.default_rng(SEED)
            self.draws = first_draw(self._weights, self.p.value, self._generator)
            if times > 1:
                self.draws.draw(self._generator, times - 1)

        stops = [(str(times), times) for times in DRAWN]
        return [
            Knob.of(self.p, [place / 10 for place in range(10)]),
            Knob(_("Draws"), "range", lambda: stops, draw, lambda: self.draws.count),
        ]

    def _draw(self, button: ipywidgets.Button) -> None:
        self.draws.draw(self._generator, self.at_once.value)
        self.show()

    @property
    def alt(self) -> str:
        return sentence(self.draws)

    @property
    def html(self) -> str:
        return tables(self.draws, self._tokens)

    @property
    def picture(self) -> Picture:
        picture = dropout_steps(self._weights, self.draws.kept, self.draws.p, self._tokens)
        assert isinstance(picture, Picture)  # weights and tokens were checked when the explorer was made
        return picture


@when_ready
def explore_dropout(weights: Any, tokens: Sequence[str]) -> DropoutExplorer:
    """Explore dropout on attention weights: choose p, draw again, and compare the average with the weights.

    weights (queries, keys), as many queries as keys, at most 8; tokens: one string per key.

    Raises ValueError for another shape or number of tokens, TypeError for what holds no numbers.
    """
    values = with_axes(weights, "weights", ("queries", "keys"))
    if values.shape[0] != values.shape[1] or len(values) > MOST_TOKENS:
        raise ValueError(
            f"weights needs the shape (tokens, tokens) with at most {MOST_TOKENS} tokens; "
            f"its shape is {values.shape}."
        )
    return DropoutExplorer(values, token_names(tokens, len(values), "weights", "keys"))
