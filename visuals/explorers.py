"""Explorers: turn a knob and see what attention does with it.

Which control: of ipywidgets' own, the sliders have no accessible name and ToggleButtons do not say which one
is pressed, while Dropdown and BoundedFloatText are a native select and a native number field with a bound
label, which every browser and screen reader knows. So the explorers are made of those two. JupyterLab takes
the arrow keys from a select in an output to move to the next cell; PAGE gives them back.

The live view is HTML, not a redrawn matplotlib figure: it is made in well under a millisecond, is a real
table for a screen reader and takes its colours from JupyterLab's theme.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import ipywidgets
import numpy as np

from visuals import words
from visuals.arrays import token_names, with_axes
from visuals.figures.context import scores_to_context
from visuals.flow import QueryFlow, follow_query
from visuals.not_ready import NotReady, when_ready
from visuals.picture import Picture

MOST_SHARP = 20.0

# What only the page can do (ipywidgets sets no attributes from Python), run when the style sheet has loaded.
# Lumino leaves keys alone below an element with this attribute (without it a select still opens with Enter or
# Space). A screen reader reads a status region when words change inside it, so the region has to be there
# before they do: it is the widget around the words, not the words.
PAGE = (
    "const box = this.closest('.attention-box'); "
    "box?.addEventListener('focusin', event => { "
    "box.querySelector('.attention-status')?.setAttribute('role', 'status'); "
    "if (event.target.matches('select')) event.target.setAttribute('data-lm-suppress-shortcuts', 'true'); })"
)

# Bars keep a contrast of 3 with the page in both themes, text one of 4.5.
STYLE = (
    f'<style onload="{PAGE}">'
    + """
.attention-explorer { --score: #0B5CAD; --weight: #8A1C6B; --context: #00806A; --chosen: #B34700;
  background: var(--jp-layout-color1, #FCFCFA); color: var(--jp-content-font-color1, #1F2328);
  font: 14px/1.5 var(--jp-content-font-family, sans-serif); padding: 4px 8px; }
[data-jp-theme-light="false"] .attention-explorer { --score: #6CB4FF; --weight: #E58AC8; --context: #4CCBB0;
  --chosen: #FFA25E; }
.attention-explorer table { border-collapse: collapse; margin: 4px 0; }
.attention-explorer caption { text-align: left; padding-bottom: 2px; }
.attention-explorer th { text-align: left; font-weight: 600; padding: 2px 14px 2px 0; }
.attention-explorer td { padding: 2px 14px 2px 0; }
.attention-explorer tr.chosen th { color: var(--chosen); }
.attention-explorer .track { display: inline-block; position: relative; width: 150px; height: 16px;
  vertical-align: middle; margin-right: 8px; }
.attention-explorer .bar { position: absolute; top: 0; bottom: 0; }
.attention-explorer .number { font-variant-numeric: tabular-nums; }
.attention-explorer .context { color: var(--context); font-weight: 600; }
</style>"""
)


def sentence(flow: QueryFlow, tokens: Sequence[str]) -> str:
    """Say in words what one query does: its sharpness, its largest weight and its context."""
    found = words.extremes(flow.weights)
    peak = "no finite weight"
    if found is not None:
        peak = f"largest weight {words.number(flow.weights[found[0]])} on '{tokens[found[0]]}'"
    return (
        f"query '{tokens[flow.query]}', sharpness {flow.sharpness:g}: {peak}; "
        f"context {words.vector(flow.context)}"
    )


def table(flow: QueryFlow, tokens: Sequence[str]) -> str:
    """The scores and weights of one query as an HTML table with bars, and the context below."""
    score_bars = _bars(flow.scores, "score")
    # The weights' full width is always 1, so that sharpening is seen as growth and not only as a ratio.
    weight_bars = _bars(flow.weights, "weight", low=0.0, high=1.0)
    rows = []
    for index, token in enumerate(tokens):
        chosen = ' class="chosen"' if index == flow.query else ""
        mark = " (query)" if index == flow.query else ""
        rows.append(
            f'<tr{chosen}><th scope="row">{html.escape(token)}{mark}</th>'
            f"<td>{score_bars[index]}</td><td>{weight_bars[index]}</td></tr>"
        )
    return (
        f'<div class="attention-explorer"><table>'
        f"<caption>Scores and weights of the query “{html.escape(tokens[flow.query])}”</caption>"
        '<tr><th scope="col">token</th><th scope="col">score</th><th scope="col">weight</th></tr>'
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


class QueryExplorer:
    """Choose a query token and how sharp softmax is; see its scores, weights and context.

    `query` and `sharpness` are the controls, `view` and `status` the HTML below them, `widget` all together;
    `flow` is what is shown just now. Where there is no kernel, `picture` is shown instead.
    """

    def __init__(self, inputs: np.ndarray, tokens: list[str]) -> None:
        self._inputs = inputs
        self._tokens = tokens
        # The same word twice would be the same option twice; its position tells the two apart.
        labels = [
            f"{token} (token {index})" if tokens.count(token) > 1 else token
            for index, token in enumerate(tokens)
        ]
        wide = {"description_width": "initial"}
        self.query = ipywidgets.Dropdown(
            options=[(label, index) for index, label in enumerate(labels)],
            value=min(1, len(tokens) - 1),
            description="Query token",
            style=wide,
        )
        self.sharpness = ipywidgets.BoundedFloatText(
            value=1.0, min=0.0, max=MOST_SHARP, step=0.5, description="Sharpness (0 to 20)", style=wide
        )
        self.view = ipywidgets.HTML()
        self.status = ipywidgets.HTML()
        controls = ipywidgets.HBox([self.query, self.sharpness], layout={"flex_flow": "row wrap"})
        look = ipywidgets.HTML(STYLE, layout={"display": "none"})
        self.widget = ipywidgets.VBox([controls, self.status, self.view, look])
        self.widget.add_class("attention-box")
        self.status.add_class("attention-status")
        self.query.observe(self._show, names="value")
        self.sharpness.observe(self._show, names="value")
        self._show()

    @property
    def flow(self) -> QueryFlow:
        """Scores, weights and context for the controls as they stand."""
        return follow_query(self._inputs, self.query.value, self.sharpness.value)

    @property
    def alt(self) -> str:
        """What the explorer says just now."""
        return sentence(self.flow, self._tokens)

    @property
    def picture(self) -> Picture | NotReady:
        """The static picture of the chosen query, for readers without a kernel."""
        return scores_to_context(self._inputs, self._tokens, self.query.value)

    def _show(self, change: Any = None) -> None:
        flow = self.flow
        self.view.value = table(flow, self._tokens)
        self.status.value = (
            '<div style="color: var(--jp-content-font-color1, #1F2328); padding: 4px 8px;">'
            f"{html.escape(sentence(flow, self._tokens), quote=False)}</div>"
        )

    def __repr__(self) -> str:
        return self.alt

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        picture = self.picture
        assert isinstance(picture, Picture)  # inputs and tokens were checked when the explorer was made
        data, metadata = picture._repr_mimebundle_()
        return {**self.widget._repr_mimebundle_(), **data}, metadata


@when_ready
def explore_query(inputs: Any, tokens: Sequence[str]) -> QueryExplorer:
    """Explore attention without trainable weights: choose the query token and the sharpness of softmax.

    inputs (tokens, dimensions); tokens: one string per row.

    Raises ValueError for another number of axes or of tokens, TypeError for what holds no numbers.
    """
    values = with_axes(inputs, "inputs", ("tokens", "dimensions"))
    return QueryExplorer(values, token_names(tokens, len(values), "inputs", "tokens"))
