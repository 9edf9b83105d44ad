"""Let a text grow token by token, with the causal mask or without it, and see which rows move."""

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
from visuals.figures.maps import attention_map
from visuals.flow import softmax
from visuals.language import _, ngettext
from visuals.not_ready import when_ready
from visuals.picture import Picture

# A change smaller than this is rounding.
STILL = 1e-9


@dataclass(frozen=True)
class Growth:
    """A text of `count` tokens: its weights (count, count), and how far the newest token moved each row.

    `moved` (count,) is the largest change of a weight in each row since there was one token less, nan for the
    newest row; `ahead` (count,) the share of each row's attention that lies on later tokens.
    """

    count: int
    masked: bool
    weights: np.ndarray
    moved: np.ndarray
    ahead: np.ndarray


def grow(scores: np.ndarray, count: int, masked: bool) -> Growth:
    """Return the weights of the first `count` tokens of scores (tokens, tokens), ready for the softmax."""
    weights = _weights(scores, count, masked)
    moved = np.full(count, np.nan)
    before = _weights(scores, count - 1, masked)
    # Without the newest token its weight was not there: as good as 0.
    before = np.pad(before, ((0, 0), (0, 1)))  # (count - 1, count - 1) -> (count - 1, count)
    moved[: count - 1] = np.abs(weights[: count - 1] - before).max(axis=1)
    return Growth(count, masked, weights, moved, np.triu(weights, k=1).sum(axis=1))


def _weights(scores: np.ndarray, count: int, masked: bool) -> np.ndarray:
    """Softmax of the first `count` rows and columns, the future at -inf where it is masked."""
    part = scores[:count, :count]
    if masked:
        part = np.where(np.triu(np.ones((count, count)), k=1) > 0, -np.inf, part)
    return np.stack([softmax(row) for row in part]) if count else np.zeros((0, 0))


def sentence(growth: Growth, tokens: Sequence[str]) -> str:
    """Say in words what the newest token did to the rows before it."""
    last = growth.count - 1
    count = ngettext("{number} token", "{number} tokens", growth.count)
    start = f"{count}, {_masked(growth)}"
    if last == 0:
        return _("{start}: {token!r} is alone and looks at itself", start=start, token=tokens[0])
    earlier = growth.moved[:last]
    moved = int((earlier > STILL).sum())
    text = _(
        "{start}: the newest, {token!r}, moved {moved} of {last} earlier rows",
        start=start,
        token=tokens[last],
        moved=moved,
        last=last,
    )
    if moved:
        most = int(earlier.argmax())
        text += _(", {token!r} most, by {change}", token=tokens[most], change=words.number(earlier[most]))
    if growth.ahead.max() > STILL:
        first = int(growth.ahead.argmax())
        share = words.number(growth.ahead[first])
        looks = _("{token!r} puts {share} of its attention on later tokens", token=tokens[first], share=share)
    else:
        looks = _("no attention on later tokens")
    return f"{text}; {looks}"


def _masked(growth: Growth) -> str:
    return _("mask on") if growth.masked else _("mask left out")


def table(growth: Growth, tokens: Sequence[str]) -> str:
    """Return the weights as an HTML table, weights on later tokens marked, and how far each row moved."""
    last = growth.count - 1
    newest = html.escape(tokens[last])
    heads = "".join(f'<th scope="col">{html.escape(token)}</th>' for token in tokens[: growth.count])
    rows = []
    for row in range(growth.count):
        cells = "".join(_cell(growth, row, key) for key in range(growth.count))
        moved = _("new") if row == last else words.number(growth.moved[row])
        chosen = ' class="chosen"' if row == last else ""
        rows.append(
            f'<tr{chosen}><th scope="row">{html.escape(tokens[row])}</th>{cells}'
            f'<td class="number">{moved}</td></tr>'
        )
    leak = _("▲ marks attention on a later token: the leak")
    mark = "" if growth.masked else f"<div>{leak}</div>"
    caption = _("Weights, {mask}; rows are queries", mask=_masked(growth))
    moved_by = _("moved by “{token}”", token=newest)
    return (
        '<div class="attention-explorer"><table>'
        f"<caption>{caption}</caption>"
        f'<tr><th scope="col">query</th>{heads}<th scope="col">{moved_by}</th></tr>'
        f"{''.join(rows)}</table>{mark}</div>"
    )


def _cell(growth: Growth, row: int, key: int) -> str:
    if key <= row:
        return f'<td class="number">{words.number(growth.weights[row, key])}</td>'
    if growth.masked:
        return "<td>" + _("hidden") + "</td>"
    return (
        '<td class="number" style="color: var(--chosen); font-weight: 600;">'
        f"{words.number(growth.weights[row, key])} ▲</td>"
    )


class CausalExplorer(Explorer):
    """Choose how many tokens have been written and whether the future is hidden; see which rows move.

    `count` and `mask` are the controls; `growth` is what is shown just now.
    """

    def __init__(self, scores: np.ndarray, tokens: list[str]) -> None:
        self._scores = scores
        self._tokens = tokens
        self.count = ipywidgets.Dropdown(
            options=[(f"{index + 1}: … {token}", index + 1) for index, token in enumerate(tokens)],
            value=min(3, len(tokens)),
            description=_("Tokens so far"),
            style=WIDE,
        )
        self.mask = ipywidgets.Dropdown(
            options=[(_("on"), True), (_("left out"), False)],
            value=True,
            description=_("Causal mask"),
            style=WIDE,
        )
        super().__init__(self.count, self.mask)

    @property
    def growth(self) -> Growth:
        """Weights and what moved, for the controls as they stand."""
        return grow(self._scores, self.count.value, self.mask.value)

    @property
    def alt(self) -> str:
        return sentence(self.growth, self._tokens)

    @property
    def html(self) -> str:
        return table(self.growth, self._tokens)

    @property
    def picture(self) -> Picture:
        growth = self.growth
        title = f"Weights of {growth.count} tokens, mask {'on' if growth.masked else 'left out'}"
        picture = attention_map(growth.weights, self._tokens[: growth.count], title=title)
        assert isinstance(picture, Picture)  # scores and tokens were checked when the explorer was made
        return picture


@when_ready
def explore_causal_mask(scores: Any, tokens: Sequence[str]) -> CausalExplorer:
    """Explore the causal mask: choose how many tokens there are, and whether the future is hidden.

    scores (tokens, tokens), ready for the softmax; tokens: one string per token.

    Raises ValueError when scores is not square or the tokens do not fit, TypeError for what holds no numbers.
    """
    values = with_axes(scores, "scores", ("queries", "keys"))
    if values.shape[0] != values.shape[1]:
        raise ValueError(f"scores must be square, one key for each query; its shape is {values.shape}.")
    return CausalExplorer(values, token_names(tokens, len(values), "scores", "queries"))
