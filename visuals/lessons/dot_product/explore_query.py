"""Choose a query token and how sharp softmax is, and watch scores, weights and context."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import ipywidgets
import numpy as np

from visuals import words
from visuals.arrays import token_names, with_axes
from visuals.explorers.explorer import WIDE, Explorer
from visuals.flow import QueryFlow, follow_query
from visuals.language import _
from visuals.lessons.dot_product.scores import scores_to_context
from visuals.not_ready import when_ready
from visuals.picture import Picture

MOST_SHARP = 20.0
# Vectors of so many numbers fit beside the bars.
SHOWN_FEATURES = 4
# Where no kernel answers, these can be chosen.
SHARP = (0, 0.5, 1, 2, 5, 10, 20)


def sentence(flow: QueryFlow, tokens: Sequence[str]) -> str:
    """Say in words what one query does: its sharpness, its largest weight and its context."""
    extremes = words.extremes(flow.weights)
    peak = _("no finite weight")
    if extremes is not None:
        weight = words.number(flow.weights[extremes[0]])
        peak = _("largest weight {weight} on '{token}'", weight=weight, token=tokens[extremes[0]])
    return _(
        "query '{query}', sharpness {sharpness:g}: {peak}; context {context}",
        query=tokens[flow.query],
        sharpness=flow.sharpness,
        peak=peak,
        context=words.vector(flow.context),
    )


def table(flow: QueryFlow, tokens: Sequence[str]) -> str:
    """Return the scores and weights of one query as an HTML table with bars, and how they build the context.

    Each row's last column is the context so far: the weight times the token's vector added to the row above.
    """
    building = flow.so_far.shape[1] <= SHOWN_FEATURES
    last = '<th scope="col">' + _("context so far") + "</th>" if building else ""
    score_bars = _bars(flow.scores, "score")
    # The weights' full width is always 1, so that sharpening is seen as growth and not only as a ratio.
    weight_bars = _bars(flow.weights, "weight", low=0.0, high=1.0)
    rows = []
    for index, token in enumerate(tokens):
        chosen = ' class="chosen"' if index == flow.query else ""
        mark = " (query)" if index == flow.query else ""
        rows.append(
            f'<tr{chosen}><th scope="row">{html.escape(token)}{mark}</th>'
            f"<td>{score_bars[index]}</td><td>{weight_bars[index]}</td>"
            + (
                f'<td class="number" style="white-space: nowrap">{words.vector(flow.so_far[index], 2)}</td>'
                if building
                else ""
            )
            + "</tr>"
        )
    caption = _("Scores and weights of the query “{query}”", query=html.escape(tokens[flow.query]))
    return (
        f'<div class="attention-explorer"><table>'
        f"<caption>{caption}</caption>"
        '<tr><th scope="col">token</th><th scope="col">score</th><th scope="col">weight</th>'
        f"{last}</tr>"
        f'{"".join(rows)}</table><div><span class="context">context</span> '
        f'<span class="number">{words.vector(flow.context)}</span></div></div>'
    )


def _bars(values: np.ndarray, kind: str, low: float | None = None, high: float | None = None) -> list[str]:
    """One bar with its number for each value, all on one scale that contains 0."""
    finite = values[np.isfinite(values)]
    low = min(0.0, finite.min(initial=0.0)) if low is None else low
    high = max(0.0, finite.max(initial=0.0)) if high is None else high
    span = (high - low) or 1.0
    bars = []
    for value in values:
        start, end = sorted((0.0, float(value) if np.isfinite(value) else 0.0))
        fill = (
            f"var(--{kind})"
            if value >= 0
            else f"repeating-linear-gradient(45deg, var(--{kind}) 0 3px, transparent 3px 6px)"
        )
        bars.append(
            '<span class="track" aria-hidden="true"><span class="bar" '
            f'style="left: {100 * (start - low) / span:.2f}%; width: {100 * (end - start) / span:.2f}%; '
            f'background: {fill};"></span></span>'
            f'<span class="number">{words.number(value)}</span>'
        )
    return bars


class QueryExplorer(Explorer):
    """Choose a query token and how sharp softmax is; see its scores, weights and context.

    `query` and `sharpness` are the controls; `flow` is what is shown just now.
    """

    STOPS: ClassVar[Mapping[str, Sequence[Any]]] = {"sharpness": SHARP}

    def __init__(self, inputs: np.ndarray, tokens: list[str]) -> None:
        self._inputs = inputs
        self._tokens = tokens
        # The same word twice would be the same option twice; its position tells the two apart.
        labels = [
            f"{token} (token {index})" if tokens.count(token) > 1 else token
            for index, token in enumerate(tokens)
        ]
        self.query = ipywidgets.Dropdown(
            options=[(label, index) for index, label in enumerate(labels)],
            value=min(1, len(tokens) - 1),
            description=_("Query token"),
            style=WIDE,
        )
        self.sharpness = ipywidgets.BoundedFloatText(
            value=1.0, min=0.0, max=MOST_SHARP, step=0.5, description=_("Sharpness (0 to 20)"), style=WIDE
        )
        super().__init__(self.query, self.sharpness)

    @property
    def flow(self) -> QueryFlow:
        """Scores, weights and context for the controls as they stand."""
        return follow_query(self._inputs, self.query.value, self.sharpness.value)

    @property
    def alt(self) -> str:
        return sentence(self.flow, self._tokens)

    @property
    def html(self) -> str:
        return table(self.flow, self._tokens)

    @property
    def picture(self) -> Picture:
        picture = scores_to_context(self._inputs, self._tokens, self.query.value)
        assert isinstance(picture, Picture)  # inputs and tokens were checked when the explorer was made
        return picture


@when_ready
def explore_query(inputs: Any, tokens: Sequence[str]) -> QueryExplorer:
    """Explore attention without trainable weights: choose the query token and the sharpness of softmax.

    inputs (tokens, dimensions); tokens: one string per row.

    Raises ValueError for another number of axes or of tokens, TypeError for what holds no numbers.
    """
    values = with_axes(inputs, "inputs", ("tokens", "dimensions"))
    return QueryExplorer(values, token_names(tokens, len(values), "inputs", "tokens"))
