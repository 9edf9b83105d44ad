"""Choose a query token and see the weights of several heads: side by side, or laid over one another."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import ipywidgets
import numpy as np

from visuals import words
from visuals.arrays import token_names, with_axes
from visuals.explorers.explorer import COLORS, WIDE, Explorer
from visuals.figures.maps import attention_map
from visuals.language import N_, _
from visuals.lessons.multi_head.heads import MOST_HEADS
from visuals.not_ready import when_ready
from visuals.picture import Picture

SIDE_BY_SIDE, SUPERPOSED = N_("side by side"), N_("superposed")


def favourite(weights: np.ndarray, tokens: Sequence[str]) -> str:
    """Where a row of weights (tokens,) is largest, in words: one token, or how many share the first place."""
    extremes = words.extremes(weights)
    if extremes is None:
        return _("to nothing (no finite weight)")
    largest = weights[extremes[0]]
    shared = int(np.isclose(weights, largest).sum())
    if shared > 1:
        return _("evenly to {shared} tokens ({weight} each)", shared=shared, weight=words.number(largest, 2))
    return _("most to '{token}' ({weight})", token=tokens[extremes[0]], weight=words.number(largest, 2))


def sentence(weights: np.ndarray, query: int, view: str, tokens: Sequence[str], names: Sequence[str]) -> str:
    """Say in words where each head attends for one query; superposed, where their mean attends too."""
    rows = weights[:, query]  # (heads, tokens, tokens) -> (heads, tokens)
    favourites = ", ".join(
        _("{name} attends {where}", name=name, where=favourite(row, tokens))
        for name, row in zip(names, rows, strict=True)
    )
    if view == SUPERPOSED:
        mean = favourite(rows.mean(axis=0), tokens)
        favourites += _("; the mean of all heads attends {where}", where=mean)
    return _("query '{query}', {view}: {told}", query=tokens[query], view=_(view), told=favourites)


def table(weights: np.ndarray, query: int, view: str, tokens: Sequence[str], names: Sequence[str]) -> str:
    """Return the heads' weights for one query as an HTML table: one column for each head, or one for all."""
    rows = weights[:, query]  # (heads, tokens, tokens) -> (heads, tokens)
    mean = rows.mean(axis=0)  # (heads, tokens) -> (tokens,)
    heads = range(len(rows))
    if view == SIDE_BY_SIDE:
        columns = [_heading(head, name) for head, name in enumerate(names)]
    else:
        legend = " ".join(
            f'<span style="color: var({COLORS[head % len(COLORS)]})">■</span> {html.escape(name)}'
            for head, name in enumerate(names)
        )
        columns = [legend, _("mean of all heads")]
    body = []
    for index, token in enumerate(tokens):
        if view == SIDE_BY_SIDE:
            cells = [_bars([rows[head, index]], [head]) for head in heads]
        else:
            cells = [_bars(rows[:, index], heads, numbers=False), _bars([mean[index]], [None])]
        chosen, mark = (' class="chosen"', " (query)") if index == query else ("", "")
        body.append(
            f'<tr{chosen}><th scope="row">{html.escape(token)}{mark}</th>'
            + "".join(f"<td>{cell}</td>" for cell in cells)
            + "</tr>"
        )
    headings = "".join(f'<th scope="col">{column}</th>' for column in columns)
    caption = _(
        "Where {heads} heads attend for the query “{query}”, {view}",
        heads=len(rows),
        query=html.escape(tokens[query]),
        view=_(view),
    )
    return (
        '<div class="attention-explorer"><table>'
        f"<caption>{caption}</caption>"
        f'<tr><th scope="col">token</th>{headings}</tr>{"".join(body)}</table></div>'
    )


def _heading(head: int, name: str) -> str:
    return f'<span style="color: var({COLORS[head % len(COLORS)]})">{html.escape(name)}</span>'


def _bars(weights: Sequence[float] | np.ndarray, heads: Sequence[int | None], numbers: bool = True) -> str:
    """Bars in one track, one below the other, from 0 to 1; a head's are in its colour, a mean's are grey."""
    share = 100 / len(weights)
    bars = "".join(
        f'<span class="bar" style="left: 0%; width: {100 * float(np.nan_to_num(weight)):.2f}%; '
        f"top: {lane * share:.2f}%; bottom: {100 - (lane + 1) * share:.2f}%; "
        f'background: {"currentColor" if head is None else f"var({COLORS[head % len(COLORS)]})"};"></span>'
        for lane, (weight, head) in enumerate(zip(weights, heads, strict=True))
    )
    weights_shown = ", ".join(words.number(weight, 2) for weight in weights)
    marked = f'<span class="number">{weights_shown}</span>'
    return f'<span class="track" aria-hidden="true" style="width: 90px">{bars}</span>' + (
        # Side by side the number stands beside its bar; superposed it would crowd the view.
        marked if numbers else f'<span class="number" style="font-size: 11.5px">{weights_shown}</span>'
    )


class HeadsExplorer(Explorer):
    """Choose a query token and a view; see where every head attends.

    `query` and `view_of` are the controls.
    """

    def __init__(self, weights: np.ndarray, tokens: list[str], names: list[str]) -> None:
        self._weights = weights
        self._tokens = tokens
        self._names = names
        labels = [
            f"{token} (token {index})" if tokens.count(token) > 1 else token
            for index, token in enumerate(tokens)
        ]
        self.query = ipywidgets.Dropdown(
            options=[(label, index) for index, label in enumerate(labels)],
            value=min(2, len(tokens) - 1),
            description=_("Query token"),
            style=WIDE,
        )
        self.view_of = ipywidgets.Dropdown(
            options=[(_(view), view) for view in (SIDE_BY_SIDE, SUPERPOSED)],
            value=SIDE_BY_SIDE,
            description=_("Heads"),
            style=WIDE,
        )
        super().__init__(self.query, self.view_of)

    @property
    def alt(self) -> str:
        return sentence(self._weights, self.query.value, self.view_of.value, self._tokens, self._names)

    @property
    def html(self) -> str:
        return table(self._weights, self.query.value, self.view_of.value, self._tokens, self._names)

    @property
    def picture(self) -> Picture:
        title = f"{len(self._weights)} heads, side by side"
        picture = attention_map(self._weights, self._tokens, title=title, names=self._names)
        assert isinstance(picture, Picture)  # weights and tokens were checked when the explorer was made
        return picture


@when_ready
def explore_heads(weights: Any, tokens: Sequence[str], names: Sequence[str] | None = None) -> HeadsExplorer:
    """Explore where several heads attend: choose the query token, and heads side by side or superposed.

    weights (heads, tokens, tokens), as from one sentence; tokens: one string per token; names: one string per
    head, in place of its number.

    Raises ValueError for another number of axes, a map that is not square, more than 8 heads, tokens or names
    that do not fit, TypeError for what holds no numbers.
    """
    values = with_axes(weights, "weights", ("heads", "tokens", "tokens"))
    heads, queries, keys = values.shape
    if queries != keys:
        raise ValueError(f"weights needs one row per key; its shape is {values.shape}.")
    if heads > MOST_HEADS:
        raise ValueError(f"weights has {heads} heads; at most {MOST_HEADS} are shown.")
    named = [f"head {head}" for head in range(heads)] if names is None else names
    return HeadsExplorer(
        values, token_names(tokens, keys, "weights", "tokens"), token_names(named, heads, "weights", "heads")
    )
