"""A small picture of a wrong result: yours, expected, difference, as one SVG made from text.

Matplotlib would take longer to draw it than the whole check takes; a learner should not wait.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable

from torch import Tensor

from autograder.words.language import _
from autograder.words.phrases import number_text

Colour = tuple[int, int, int]
# What fits side by side in a notebook without scrolling.
MAX_ROWS, MAX_COLUMNS = 8, 8
CELL_WIDTH, CELL_HEIGHT, GAP, TITLE = 44, 22, 26, 22

# Ends of scales that stay apart for colour-blind readers: white to blue, and orange over white to blue.
BLUE, ORANGE, WHITE = (33, 102, 172), (204, 92, 20), (247, 247, 247)
NOT_A_NUMBER = (120, 120, 120)


def difference_picture(obtained: Tensor, expected: Tensor, index: tuple[int, ...]) -> str:
    """SVG of the part of two tensors of one shape around `index`; empty for a single number."""
    if obtained.ndim == 0:
        return ""
    yours, right, label = _window(obtained.double(), expected.double(), index)
    difference = yours - right
    finite = [
        value for value in [*yours.flatten().tolist(), *right.flatten().tolist()] if math.isfinite(value)
    ]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    widest = max((abs(value) for value in difference.flatten().tolist() if math.isfinite(value)), default=1.0)
    panels = [
        _panel(_("yours"), yours, lambda value: _sequential(value, low, high)),
        _panel(_("expected"), right, lambda value: _sequential(value, low, high)),
        _panel(_("difference"), difference, lambda value: _diverging(value, widest)),
    ]
    rows, columns = yours.shape
    panel_width = columns * CELL_WIDTH
    width = 3 * panel_width + 2 * GAP
    height = TITLE + rows * CELL_HEIGHT + (18 if label else 2)
    body = "".join(
        f'<g transform="translate({position * (panel_width + GAP)},0)">{panel}</g>'
        for position, panel in enumerate(panels)
    )
    if label:
        body += f'<text x="0" y="{height - 4}" class="ag-note">{html.escape(label)}</text>'
    alt = _(
        "Your result, the expected one and their difference side by side. "
        "First difference at index {index}: {obtained} instead of {expected}.",
        index=list(index),
        obtained=number_text(float(obtained[index])),
        expected=number_text(float(expected[index])),
    )
    return (
        f'<svg role="img" aria-label="{html.escape(alt, quote=True)}" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" style="max-width:100%;height:auto" '
        f'xmlns="http://www.w3.org/2000/svg">{body}</svg>'
    )


def _window(yours: Tensor, right: Tensor, index: tuple[int, ...]) -> tuple[Tensor, Tensor, str]:
    """Return the 2-D part to show: the last two axes at the first difference, and no more than fits."""
    label = ""
    if yours.ndim > 2:
        label = _("slice [{place}, :, :]", place=", ".join(map(str, index[:-2])))
        yours, right = yours[index[:-2]], right[index[:-2]]  # (rows, columns)
    if yours.ndim == 1:
        yours, right = yours[None], right[None]  # (1, columns)
        index = (0, *index)
    spans = []
    for size, most, position in zip(yours.shape, (MAX_ROWS, MAX_COLUMNS), index[-2:], strict=True):
        start = min(max(0, position - most // 2), max(0, size - most))
        spans.append(slice(start, min(size, start + most)))
    rows, columns = spans
    if rows.stop - rows.start < yours.shape[0] or columns.stop - columns.start < yours.shape[1]:
        part = _(
            "rows {top} to {bottom}, columns {left} to {right}",
            top=rows.start,
            bottom=rows.stop - 1,
            left=columns.start,
            right=columns.stop - 1,
        )
        label = f"{label} {part}".strip()
    return yours[rows, columns], right[rows, columns], label


def _panel(title: str, values: Tensor, colour: Callable[[float], Colour]) -> str:
    parts = [f'<text x="0" y="14" class="ag-title">{title}</text>']
    for row, line in enumerate(values.tolist()):
        for column, value in enumerate(line):
            red, green, blue = colour(value)
            ink = "#000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#fff"
            x, y = column * CELL_WIDTH, TITLE + row * CELL_HEIGHT
            parts.append(
                f'<rect x="{x}" y="{y}" width="{CELL_WIDTH - 1}" height="{CELL_HEIGHT - 1}" '
                f'fill="rgb({red},{green},{blue})"/>'
                f'<text x="{x + CELL_WIDTH / 2:g}" y="{y + 15}" text-anchor="middle" class="ag-number" '
                f'fill="{ink}">{_brief(value)}</text>'
            )
    return "".join(parts)


def _brief(value: float) -> str:
    """Return a number in at most six characters."""
    if not math.isfinite(value):
        return str(value)
    if value == 0:
        return "0"
    if 0.005 <= abs(value) < 1000:
        return f"{value:.2f}" if abs(value) < 99.995 else f"{value:.0f}"
    return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def _sequential(value: float, low: float, high: float) -> Colour:
    if not math.isfinite(value):
        return NOT_A_NUMBER
    span = high / 2 - low / 2  # halves, because the whole span of two huge numbers may overflow
    return _tint(BLUE, (value / 2 - low / 2) / span if span > 0 else 0.0)


def _diverging(value: float, widest: float) -> Colour:
    if not math.isfinite(value):
        return NOT_A_NUMBER
    share = value / widest if widest else 0.0
    return _tint(BLUE if share > 0 else ORANGE, abs(share))


def _tint(colour: Colour, share: float) -> Colour:
    red, green, blue = (
        round(white + (own - white) * share) for white, own in zip(WHITE, colour, strict=True)
    )
    return red, green, blue
