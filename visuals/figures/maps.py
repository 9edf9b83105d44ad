"""Attention maps: every query's weights on every key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import to_array, token_index, token_names
from visuals.language import N_, _
from visuals.not_ready import when_ready
from visuals.picture import Picture

# Numbers in the cells while there are at most this many keys; beyond, a colour bar says what a colour means.
NUMBERED = 12
# A page of more maps than this shows nothing; the learner picks some by indexing.
MOST_MAPS = 32
# Up to which largest weight a map would be nearly white on a scale from 0 to 1.
PALE = 0.5
# Cells of a map that are drawn one by one; the colours of a larger one are an image in the drawing.
MOST_DRAWN = 400
# Widths in CSS pixels: of one letter of a token name, and of the narrowest small map (its title needs it).
LETTER = 9.0
NARROWEST_MAP = 136
# Names of tokens in cells this small are still written for each of them.
SMALLEST = 9.5
# How far a row may be from 1 before it is marked: float16 weights stay within it.
ROW_TOLERANCE = 2e-3
# Where cells are outlined, colours say most of it: cells are small, and small numbers are left out.
OUTLINED_CELL, FAINT = 46.0, 0.05
# From one line of notes below a map to the next.
LINE = 22


@when_ready
def attention_map(
    weights: Any,
    tokens: Sequence[str],
    query_tokens: Sequence[str] | None = None,
    title: str | None = None,
    row_sums: bool | None = None,
    names: Sequence[str] | None = None,
    expected: Sequence[int | None] | None = None,
) -> Picture:
    """Draw attention weights (or scores): rows are queries, columns are keys.

    weights (queries, keys), or (batch, queries, keys), or (batch, heads, queries, keys), of which every map
    is drawn with its index as title; tokens: one string per key; query_tokens: one string per query, the same
    as tokens when left out; row_sums: whether to write each row's sum beside a single map, by default where
    all values lie between 0 and 1. A sum that is not 1 is marked. Negative values get a scale centred at 0;
    NaN, inf and -inf are hatched. A single map of at most 12 keys is coloured on a scale from 0 to 1 where
    its rows have sums and a weight is above a half; other maps up to their largest value, which is written
    below where nothing else says it. names: one title per map, in place of its index. expected: of a single
    map, for each query the key that should have its largest weight, or None; these cells are outlined, with
    dashes where another key has more.

    Raises ValueError for another number of axes, tokens, names or expected keys that do not fit or more than
    32 maps, TypeError for what holds no numbers.
    """
    values, query_names, key_names = readable(weights, tokens, query_tokens)
    queries, keys = values.shape[-2:]
    # A title of one's own is a head's; an index may be a sentence's, whose tokens need more room.
    columns = 1 if values.ndim == 2 else min(values.shape[-3], 4 if values.ndim == 4 or names else 3)
    maps = values.reshape(-1, queries, keys)  # (…, queries, keys) -> (maps, queries, keys)
    if len(maps) > MOST_MAPS:
        raise ValueError(
            f"weights holds {len(maps)} maps (shape {values.shape}); at most {MOST_MAPS} are drawn at once. "
            "Draw one with weights[0], say, or choose among them with explore_map."
        )
    finite = values[np.isfinite(values)]
    shares = bool(finite.size and finite.min() >= 0 and finite.max() <= 1 + ROW_TOLERANCE)
    if row_sums is None:
        row_sums = shares and finite.size == values.size
    if title is None:
        title = N_("Attention: who looks at whom") if shares else N_("Attention scores: who matches whom")
    titles = _map_names(values) if names is None else token_names(names, len(maps), "weights", "maps")
    hits = {} if expected is None else _hits(values, expected)
    figure = _draw(maps, columns, query_names, key_names, titles, title, row_sums, hits)
    alt = _in_words(maps, query_names, key_names, titles, title, row_sums)
    return Picture(figure, alt + _hits_in_words(hits, query_names))


def _hits(values: np.ndarray, expected: Sequence[int | None]) -> dict[tuple[int, int], bool]:
    """Return each expected cell (query, key), and whether it has the largest weight of its row.

    Raises ValueError for more than one map, or what is not one key for each query.
    """
    if len(expected) != len(values) or values.ndim != 2:
        raise ValueError(
            "expected needs a key or None for each query of one map: it has "
            f"{len(expected)} entries, weights has the shape {values.shape}."
        )
    cells = [
        (query, token_index(key, values.shape[1])) for query, key in enumerate(expected) if key is not None
    ]
    return {cell: bool(values[cell] >= values[cell[0]].max()) for cell in cells}


def _hits_in_words(hits: Mapping[tuple[int, int], bool], query_names: Sequence[str]) -> str:
    if not hits:
        return ""
    missed = [
        _("row {row} ({query!r})", row=query, query=query_names[query])
        for (query, _key), hit in hits.items()
        if not hit
    ]
    parts = [
        _(
            "The expected key has the largest weight in {hits} of {all} rows",
            hits=sum(hits.values()),
            all=len(hits),
        )
    ]
    if missed:
        parts.append(_("elsewhere in {rows}", rows=", ".join(missed)))
    return f" {'; '.join(parts)}."


def readable(
    weights: Any, tokens: Sequence[str], query_tokens: Sequence[str] | None
) -> tuple[np.ndarray, list[str], list[str]]:
    """Weights with 2 to 4 axes, the last two (queries, keys), and the names of its queries and its keys.

    Raises ValueError for other axes or tokens that do not fit, TypeError for what holds no numbers.
    """
    values = to_array(weights, "weights")
    if values.ndim not in (2, 3, 4):
        raise ValueError(
            "weights needs the axes (queries, keys), (batch, queries, keys) or (batch, heads, queries, keys)"
            f"; its shape is {values.shape}."
        )
    if 0 in values.shape:
        raise ValueError(f"weights is empty: its shape is {values.shape}.")
    queries, keys = values.shape[-2:]
    key_names = token_names(tokens, keys, "weights", "keys")
    if query_tokens is None:
        if queries != keys:
            raise ValueError(
                f"weights has {queries} queries and {keys} keys: pass query_tokens, one for each query, too."
            )
        query_names = key_names
    else:
        query_names = token_names(query_tokens, queries, "weights", "queries")
    return values, query_names, key_names


def _map_names(values: np.ndarray) -> list[str]:
    """Return a title for each small map: its index, as a learner would write it."""
    if values.ndim == 2:
        return [""]
    if values.ndim == 3:
        return [f"weights[{index}]" for index in range(len(values))]
    return [
        f"batch {batch}, head {head}" for batch in range(values.shape[0]) for head in range(values.shape[1])
    ]


@dataclass(frozen=True)
class _Plan:
    """Where everything lies, in CSS pixels; `names_every` thins out the token names that would touch."""

    cell: float
    left: float
    head: float
    above: float
    columns: int
    step: tuple[float, float]
    sheet: tuple[int, int]
    names_every: int
    name_size: float
    slanted: bool
    numbered: bool

    def origin(self, index: int) -> tuple[float, float]:
        """Return the top left corner of the map with this index."""
        row, column = divmod(index, self.columns)
        return self.left + column * self.step[0], self.head + self.above + row * self.step[1]


def _plan(
    count: int,
    columns: int,
    query_names: Sequence[str],
    key_names: Sequence[str],
    title: str,
    row_sums: bool,
    notes: Sequence[tuple[str, bool | None]],
) -> _Plan:
    queries, keys = len(query_names), len(key_names)
    single, outlined = count == 1, any(outline is not None for _note, outline in notes)
    numbered = single and keys <= NUMBERED
    left = 30 + max(58, LETTER * max(len(words.shortened(name)) for name in query_names))
    # A single map is as large as its numbers need; small multiples share the width of a notebook.
    room = 460.0 if single else max((740 - left) / columns - 28, NARROWEST_MAP)
    least, most = (60 if keys <= 6 else 42) if numbered else 2, 74.0
    cell = float(np.clip(room / keys, *((2, OUTLINED_CELL) if outlined else (least, most))))
    names_every = max(1, int(np.ceil(SMALLEST / cell)))
    size = style.TEXT_SIZE if cell >= 20 else min(style.SMALL_SIZE, cell * names_every * 0.95)
    longest = LETTER * size / style.TEXT_SIZE * max(len(words.shortened(name)) for name in key_names)
    slanted = longest > cell * names_every - min(4, cell * 0.3)
    # Names at 45 degrees take 0.71 of their length upwards.
    above = max(46.0, 0.71 * longest + 24 if slanted else 0)
    head = 44.0 if single else 66.0
    step = (max(cell * keys, NARROWEST_MAP) + 28, cell * queries + 44)
    beside = 96.0 if row_sums and single else 20.0
    if single and not numbered:
        beside += 84
    width = left + step[0] * (columns - 1) + max(cell * keys, 0 if single else NARROWEST_MAP) + beside
    rows = int(np.ceil(count / columns))
    below = max(44, 22 + LINE * len(notes)) if single else 70
    height = head + above + step[1] * (rows - 1) + cell * queries + below
    longest_note = 7.6 * max((len(note) for note, _outline in notes), default=0)
    sheet = (round(max(width, 9.2 * len(title) + 44, left + longest_note + 50)), round(height))
    return _Plan(cell, left, head, above, columns, step, sheet, names_every, size, slanted, numbered)


def _draw(
    maps: np.ndarray,
    columns: int,
    query_names: Sequence[str],
    key_names: Sequence[str],
    names: Sequence[str],
    title: str,
    row_sums: bool,
    hits: Mapping[tuple[int, int], bool],
) -> mpl.Figure:
    queries, keys = maps.shape[-2:]
    single = len(maps) == 1
    scale = style.color_scale(maps)
    largest = float(scale[1].vmax or 0.0)
    with style.look():
        notes = _notes(hits)
        if single and keys <= NUMBERED and row_sums:
            if largest > PALE:
                scale = style.sequential(), mpl.Normalize(0.0, 1.0)
            else:
                notes.append((_("darkest: {largest}", largest=words.number(largest, 4)), None))
        plan = _plan(len(maps), columns, query_names, key_names, title, row_sums, notes)
        width, height = plan.sheet
        inches = (width / style.PIXELS_PER_INCH, height / style.PIXELS_PER_INCH)
        figure = mpl.Figure(figsize=inches, dpi=style.PIXELS_PER_INCH)
        figure.text(
            22 / width,
            1 - 28 / height,
            _(title),
            weight="bold",
            fontsize=style.points(style.TITLE_SIZE),
            va="center",
        )
        for index, (values, name) in enumerate(zip(maps, names, strict=True)):
            x, y = plan.origin(index)
            across, deep = plan.cell * keys, plan.cell * queries
            axes = figure.add_axes((x / width, 1 - (y + deep) / height, across / width, deep / height))
            _draw_map(axes, values, scale, plan, FAINT if hits else 0.0)
            for (query, key), hit in hits.items():
                _outline(axes, (key - 0.5, query - 0.5), (1, 1), hit, f"expected {query} {key}")
            first_row, first_column = index < columns, index % columns == 0
            _name_tokens(axes, query_names if first_column else None, key_names if first_row else None, plan)
            if name:
                # Above the token names in the first row, right above the map in the others.
                rise = plan.above + 4 if first_row else 16
                figure.text(x / width, 1 - (y - rise) / height, name, weight="bold", va="center")
            if row_sums and single:
                _write_row_sums(axes, values, plan.cell)
        _write_notes(figure, notes, plan)
        _add_color_bars(figure, scale, plan, single, queries)
    return figure


def _add_color_bars(
    figure: mpl.Figure,
    scale: tuple[mpl.Colormap, mpl.Normalize],
    plan: _Plan,
    single: bool,
    queries: int,
) -> None:
    """Add what the colours mean: beside a single map without numbers, or below several."""
    width, height = plan.sheet
    if single and not plan.numbered:
        _x, y = plan.origin(0)
        box = (
            (width - 78) / width,
            1 - (y + plan.cell * queries) / height,
            12 / width,
            plan.cell * queries / height,
        )
        _add_color_bar(figure, scale, box, "vertical")
    if not single:
        box = (plan.left / width, 34 / height, min(280, width - plan.left - 30) / width, 12 / height)
        _add_color_bar(figure, scale, box, "horizontal")


def _write_notes(figure: mpl.Figure, notes: Sequence[tuple[str, bool | None]], plan: _Plan) -> None:
    """Write notes below the maps, each beside the outline that it explains."""
    width, height = plan.sheet
    for line, (note, outline) in enumerate(reversed(notes)):
        y = (20 + LINE * line) / height
        if outline is not None:
            swatch = (plan.left / width, y - 7 / height), (20 / width, 14 / height)
            _outline(figure, *swatch, outline, f"swatch {outline}")
        figure.text(
            (plan.left + (0 if outline is None else 30)) / width,
            y,
            note,
            fontsize=style.points(style.SMALL_SIZE),
            color=style.MUTED,
            va="center",
        )


def _notes(hits: Mapping[tuple[int, int], bool]) -> list[tuple[str, bool | None]]:
    """Return what is written below a map, and beside which kind of outline; None for neither."""
    count = sum(hits.values())
    meanings: list[tuple[str, bool | None]] = [
        (_("expected key, largest weight of its row: {count}", count=count), True),
        (_("expected key, another key has more: {count}", count=len(hits) - count), False),
    ]
    return meanings if hits else []


def _outline(
    parent: mpl.Axes | mpl.Figure,
    corner: tuple[float, float],
    size: tuple[float, float],
    solid: bool,
    name: str,
) -> None:
    """Draw a rectangle that can be seen on light and on dark cells."""
    for color, thick, dash in ((style.CARD, 5.0, "-"), (style.QUERY, 2.4, "-" if solid else (0, (2, 1.4)))):
        parent.add_artist(
            mpl.Rectangle(
                corner,
                *size,
                fill=False,
                edgecolor=color,
                linewidth=thick,
                linestyle=dash,
                clip_on=False,
                zorder=3,
                gid=name,
            )
        )


def _hatch_not_finite(axes: mpl.Axes, values: np.ndarray) -> None:
    """Hatch the cells that hold no number."""
    for query, key in np.argwhere(~np.isfinite(values)):
        hatched = mpl.Rectangle(
            (key - 0.5, query - 0.5),
            1,
            1,
            facecolor=style.CARD,
            edgecolor=style.LINE,
            hatch="////",
            linewidth=0,
            gid=f"not finite {query} {key}",
        )
        axes.add_artist(hatched)


def _draw_map(
    axes: mpl.Axes,
    values: np.ndarray,
    scale: tuple[mpl.Colormap, mpl.Normalize],
    plan: _Plan,
    faint: float,
) -> None:
    queries, keys = values.shape
    colormap, norm = scale
    # Not imshow, which first makes an image of as many pixels as the map is shown with.
    axes.pcolormesh(
        np.arange(keys + 1) - 0.5,
        np.arange(queries + 1) - 0.5,
        np.ma.masked_invalid(values),
        cmap=colormap,
        norm=norm,
        rasterized=values.size > MOST_DRAWN,
    )
    axes.set(xlim=(-0.5, keys - 0.5), ylim=(queries - 0.5, -0.5))
    axes.spines[:].set_visible(False)
    if plan.cell >= 12:
        # Thin gaps keep neighbouring cells apart where their colours are alike.
        axes.hlines(np.arange(1, queries) - 0.5, -0.5, keys - 0.5, color=style.CARD, linewidth=1)
        axes.vlines(np.arange(1, keys) - 0.5, -0.5, queries - 0.5, color=style.CARD, linewidth=1)
    outline = mpl.Rectangle(
        (-0.5, -0.5), keys, queries, fill=False, edgecolor=style.LINE, linewidth=1, clip_on=False
    )
    axes.add_artist(outline)
    _hatch_not_finite(axes, values)
    if not plan.numbered:
        return
    decimals, faces = 4 if plan.cell >= 58 else 2, style.fills(values, scale)
    for (query, key), value in np.ndenumerate(values):
        if 0 <= value < faint:
            continue
        good = bool(np.isfinite(value))
        # -inf is how a mask is written; only nan and inf are alarming.
        alarm = style.MUTED if np.isneginf(value) else style.WARNING
        axes.text(
            key,
            query,
            words.number(value, decimals),
            ha="center",
            va="center",
            fontsize=style.points(style.SMALL_SIZE),
            color=style.text_on(tuple(faces[query, key])) if good else alarm,
            weight="normal" if good else "bold",
            bbox=None if good else {"facecolor": style.CARD, "edgecolor": "none", "pad": 0.8},
            gid=f"weight {query} {key}",
        )


def _name_tokens(
    axes: mpl.Axes, query_names: Sequence[str] | None, key_names: Sequence[str] | None, plan: _Plan
) -> None:
    """Write the token names on the axes that show them, and in the corner which axis is which."""
    size = style.points(plan.name_size)
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    every = plan.names_every
    if key_names is None:
        axes.set_xticks([])
    else:
        axes.set_xticks(
            range(0, len(key_names), every),
            [words.shortened(name) for name in key_names[::every]],
            rotation=45 if plan.slanted else 0,
            ha="left" if plan.slanted else "center",
            rotation_mode="anchor",
            fontsize=size,
        )
    if query_names is None:
        axes.set_yticks([])
    else:
        labels = [words.shortened(name) for name in query_names[::every]]
        axes.set_yticks(range(0, len(query_names), every), labels, fontsize=size)
    if query_names is not None and key_names is not None:
        corner: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
        for text, rise in (("key →", 30), ("query ↓", 12)):
            offset = (-style.points(6 if plan.cell >= 20 else 16), style.points(rise))
            axes.annotate(
                text,
                (0, 1),
                offset,
                color=style.MUTED,
                fontsize=style.points(style.SMALL_SIZE),
                ha="right",
                va="center",
                **corner,
            )


def _write_row_sums(axes: mpl.Axes, values: np.ndarray, cell: float) -> None:
    """Write each row's sum beside it: small and grey while it is 1, bold and marked when it is not.

    Where rows are too thin for all, only the wrong ones are written.
    """
    keys = values.shape[1]
    roomy = cell >= 15
    size = style.points(style.SMALL_SIZE if roomy else 10)
    offset = keys - 0.5 + 12 / cell
    if roomy:
        axes.text(offset, -0.5 - 12 / cell, _("row sum"), fontsize=size, color=style.MUTED, va="center")
    for query, total in enumerate(values.sum(axis=1)):
        right = abs(total - 1) <= ROW_TOLERANCE
        if right and not roomy:
            continue
        axes.text(
            offset,
            query,
            words.number(total, 2) if right else f"{words.number(total)} ≠ 1",
            fontsize=size,
            color=style.MUTED if right else style.WARNING,
            weight="normal" if right else "bold",
            va="center",
            gid=f"row sum {query}",
        )


def _add_color_bar(
    figure: mpl.Figure,
    scale: tuple[mpl.Colormap, mpl.Normalize],
    box: tuple[float, float, float, float],
    orientation: Literal["vertical", "horizontal"],
) -> None:
    """Say what a colour means where the cells carry no numbers."""
    colormap, norm = scale
    axes = figure.add_axes(box, label="colour bar")
    bar = figure.colorbar(mpl.ScalarMappable(norm, colormap), cax=axes, orientation=orientation)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=style.points(style.SMALL_SIZE), length=3)


def _in_words(
    maps: np.ndarray,
    query_names: Sequence[str],
    key_names: Sequence[str],
    names: Sequence[str],
    title: str,
    row_sums: bool,
) -> str:
    queries, keys = maps.shape[-2:]
    count = _("Map") if len(maps) == 1 else _("{count} maps", count=len(maps))
    parts = [
        _(
            "{title}. {count} of {queries} queries (rows) by {keys} keys (columns).",
            title=_(title),
            count=count,
            queries=queries,
            keys=keys,
        )
    ]
    for values, name in zip(maps, names, strict=True):
        prefix = f"{name}: " if name else ""
        if len(maps) == 1 and queries <= words.LISTED:
            parts += [f"{query_names[query]}: {_peak(values[query], key_names)}." for query in range(queries)]
        extremes = words.extremes(values)
        if extremes is not None:
            (query, key), low = divmod(extremes[0], keys), extremes[1]
            parts.append(
                _(
                    "{prefix}largest {largest} (query {query!r}, key {key!r}), smallest {smallest}.",
                    prefix=prefix,
                    largest=words.number(values.flat[extremes[0]]),
                    query=query_names[query],
                    key=key_names[key],
                    smallest=words.number(values.flat[low]),
                )
            )
        wrong = np.flatnonzero(np.abs(values.sum(axis=1) - 1) > ROW_TOLERANCE)
        if row_sums:
            parts.append(
                _("{prefix}every row adds up to 1.", prefix=prefix)
                if wrong.size == 0
                else _(
                    "{prefix}{wrong} of {queries} rows do not add up to 1:",
                    prefix=prefix,
                    wrong=wrong.size,
                    queries=queries,
                )
                + " "
                + ", ".join(
                    f"{query_names[row]} {words.number(values[row].sum())}" for row in wrong[: words.LISTED]
                )
                + "."
            )
        sentence = words.not_finite(values)
        if sentence:
            parts.append(prefix + sentence.strip())
    return " ".join(parts)


def _peak(row: np.ndarray, key_names: Sequence[str]) -> str:
    extremes = words.extremes(row)
    return (
        _("nothing finite")
        if extremes is None
        else _("most on {key} {weight}", key=key_names[extremes[0]], weight=words.number(row[extremes[0]]))
    )
