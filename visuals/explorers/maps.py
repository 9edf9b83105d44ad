"""Choose a sequence, a head and a query of your own attention weights, and see where it attends."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from typing import Any

import ipywidgets
import numpy as np
from PIL import Image

from visuals import style, words
from visuals.explorers.explorer import WIDE, Explorer
from visuals.figures.maps import ROW_TOLERANCE, attention_map, readable
from visuals.language import _
from visuals.not_ready import when_ready
from visuals.picture import Picture

# Up to this many queries and keys the map is a table of numbers; a larger one is an image.
NUMBERED = 12
# Up to so many maps stand side by side in the static picture; of more, the chosen one.
MOST_STILL = 8
# So many keys of a long row are listed, those with the largest weights.
LISTED = 10
# The longer side of the image, and the largest square of one weight in it, in CSS pixels.
IMAGE, SQUARE = 420, 24
SHADE = 40.0
NEAR = "padding: 2px 5px; text-align: right"


def sentence(row: np.ndarray, place: str, query: str, keys: Sequence[str]) -> str:
    """Say in words where one query attends: its largest weight, its row sum, and the entropy of a share."""
    start = place + _("query '{query}'", query=query)
    extremes = words.extremes(row)
    if extremes is None:
        return _("{start}: nothing finite in its row", start=start)
    peak = _(
        "{start}: largest {weight} on '{key}'",
        start=start,
        weight=words.number(row[extremes[0]]),
        key=keys[extremes[0]],
    )
    if not np.isfinite(row).all():
        return f"{peak}.{words.not_finite(row)}"
    total = float(row.sum())
    if row.min() < 0:
        low, key = words.number(row[extremes[1]]), keys[extremes[1]]
        return _("{told}, smallest {weight} on '{key}'", told=peak, weight=low, key=key)
    if abs(total - 1) > ROW_TOLERANCE:
        return _("{told}; its row adds up to {total}, not to 1", told=peak, total=words.number(total))
    return _(
        "{told}; its row adds up to {total}, entropy {entropy} of at most {most:.2f}",
        told=peak,
        total=words.number(total, 2),
        entropy=words.number(entropy(row), 2),
        most=np.log(len(row)),
    )


def entropy(row: np.ndarray) -> float:
    """Return the entropy of one row of weights (keys,), from 0 (all on one key) to log(keys)."""
    # 0 log 0 is 0: a weight that has vanished adds nothing.
    return float(np.abs((row * np.log(row, out=np.zeros_like(row), where=row > 0)).sum()))


def grid(values: np.ndarray, query: int, names: Sequence[str], keys: Sequence[str], largest: float) -> str:
    """One map (queries, keys) as an HTML table with shaded numbers, the chosen query's row marked."""
    heads = "".join(
        f'<th scope="col" style="{NEAR}">{html.escape(words.shortened(key, 9))}</th>' for key in keys
    )
    rows = []
    for index, name in enumerate(names):
        cells = []
        for value in values[index]:
            strength = SHADE * min(abs(value) / largest, 1.0) if np.isfinite(value) else 0.0
            color = "score" if value >= 0 else "chosen"
            back = f"background: color-mix(in srgb, var(--{color}) {strength:.0f}%, transparent)"
            cells.append(f'<td class="number" style="{NEAR}; {back}">{words.number(value, 2)}</td>')
        chosen, mark = (' class="chosen"', "▸ ") if index == query else ("", "")
        rows.append(f'<tr{chosen}><th scope="row">{mark}{html.escape(name)}</th>{"".join(cells)}</tr>')
    caption = _("All queries (rows) and keys (columns)")
    return (
        f"<table><caption>{caption}</caption>"
        f'<tr><th scope="col">query</th>{heads}</tr>{"".join(rows)}</table>'
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


def image(values: np.ndarray, query: int, largest: float) -> str:
    """One map (queries, keys) as an image of one pixel for each weight, the chosen query's row marked."""
    queries, keys = values.shape
    square = min(IMAGE / max(queries, keys), SQUARE)
    wide, high = square * keys, square * queries
    mark = max(square, 3)
    return (
        f'<div style="position: relative; width: {wide:.0f}px; margin: 4px 20px 4px 0">'
        f'<img src="{pixels(values, largest)}" width="{wide:.0f}" height="{high:.0f}" '
        f'style="image-rendering: pixelated; display: block" alt="{image_in_words(queries, keys)}">'
        '<span aria-hidden="true" style="position: absolute; left: -2px; right: -2px; '
        f"top: {(query + 0.5) * square - mark / 2 - 2:.1f}px; height: {mark:.1f}px; "
        'border: 2px solid var(--chosen)"></span></div>'
    )


def attended(row: np.ndarray, keys: Sequence[str], largest: float) -> str:
    """One query's row as an HTML table with bars; of a long row the keys with the largest weights."""
    shown = range(len(row))
    caption = _("Where the query attends")
    if len(row) > NUMBERED:
        order = np.argsort(-np.where(np.isfinite(row), row, -np.inf), kind="stable")
        shown = [int(index) for index in order[:LISTED]]  # type: ignore[assignment]
        caption += _(": its {listed} largest of {count}", listed=LISTED, count=len(row))
    rows = "".join(
        f'<tr><th scope="row">{html.escape(keys[index])}</th><td>{_bar(row[index], largest)}</td></tr>'
        for index in shown
    )
    return (
        f'<table><caption>{caption}</caption><tr><th scope="col">key</th>'
        f'<th scope="col">value</th></tr>{rows}</table>'
    )


def _bar(value: float, largest: float) -> str:
    share = min(abs(value) / largest, 1.0) if np.isfinite(value) else 0.0
    fill = "var(--weight)"
    if value < 0:
        fill = f"repeating-linear-gradient(45deg, {fill} 0 3px, transparent 3px 6px)"
    return (
        '<span class="track" aria-hidden="true" style="width: 110px"><span class="bar" '
        f'style="left: 0%; width: {100 * share:.2f}%; background: {fill};"></span></span>'
        f'<span class="number">{words.number(value)}</span>'
    )


class MapExplorer(Explorer):
    """Choose a sequence, a head and a query; see the map and where the query attends.

    `first`, `head` and `query` are the controls; the first two are None where the weights have no such axis.
    `map` (queries, keys) is what is shown just now.
    """

    def __init__(self, values: np.ndarray, queries: list[str], keys: list[str], title: str | None) -> None:
        self._values = values
        self._queries = queries
        self._keys = keys
        self._title = title
        # One scale for all maps, so that two heads can be compared.
        self._largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
        sizes = values.shape[:-2]
        # What a single axis before the queries counts, sequences or heads, only the learner knows.
        self.first = _numbers(_("Sequence") if len(sizes) == 2 else "weights[…]", sizes[0]) if sizes else None
        self.head = _numbers("Head", sizes[1]) if len(sizes) == 2 else None
        labels = [
            f"{name} (token {index})" if queries.count(name) > 1 else name
            for index, name in enumerate(queries)
        ]
        self.query = ipywidgets.Dropdown(
            options=[(label, index) for index, label in enumerate(labels)],
            value=0,
            description=_("Query token"),
            style=WIDE,
        )
        super().__init__(*(control for control in (self.first, self.head, self.query) if control is not None))

    @property
    def map(self) -> np.ndarray:
        chosen = tuple(control.value for control in (self.first, self.head) if control is not None)
        return self._values[chosen]

    @property
    def _place(self) -> str:
        if self.first is None:
            return ""
        if self.head is None:
            return f"weights[{self.first.value}], "
        return _("sequence {sequence}, head {head}, ", sequence=self.first.value, head=self.head.value)

    @property
    def alt(self) -> str:
        query = self.query.value
        return sentence(self.map[query], self._place, self._queries[query], self._keys)

    @property
    def html(self) -> str:
        values, query = self.map, self.query.value
        if max(values.shape) <= NUMBERED:
            whole = grid(values, query, self._queries, self._keys, self._largest)
        else:
            whole = image(values, query, self._largest)
        return (
            '<div class="attention-explorer" style="display: flex; flex-wrap: wrap; gap: 8px 28px;">'
            f"{whole}{attended(values[query], self._keys, self._largest)}</div>"
        )

    @property
    def picture(self) -> Picture:
        few = self._values.size // self.map.size <= MOST_STILL
        shown = self._values if few else self.map
        picture = attention_map(shown, self._keys, self._queries, self._title)
        assert isinstance(picture, Picture)  # weights and tokens were checked when the explorer was made
        return picture


def _numbers(name: str, count: int) -> ipywidgets.Dropdown:
    return ipywidgets.Dropdown(
        options=[(str(index), index) for index in range(count)], value=0, description=name, style=WIDE
    )


@when_ready
def explore_map(
    weights: Any,
    tokens: Sequence[str],
    query_tokens: Sequence[str] | None = None,
    title: str | None = None,
) -> MapExplorer:
    """Explore attention weights (or scores) of your own: choose a sequence, a head and a query by keyboard.

    weights (queries, keys), (batch, queries, keys) or (batch, heads, queries, keys); tokens: one string per
    key; query_tokens: one string per query, the same as tokens when left out; title: of the static picture.

    Raises ValueError for another number of axes or tokens that do not fit, TypeError for what holds no
    numbers.
    """
    values, queries, keys = readable(weights, tokens, query_tokens)
    return MapExplorer(values, queries, keys, title)
