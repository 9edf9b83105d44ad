"""A small picture of a wrong result as SVG text: the learner's tensor, the expected one and the difference.

Matplotlib would take longer to draw it than the whole check takes; a learner should not wait.
"""

from __future__ import annotations

import html
import itertools
import math

from torch import Tensor

from autograder.records.tensor_comparison import close
from autograder.words.language import _
from autograder.words.phrases import number_text

Colour = tuple[int, int, int]
# What fits side by side in a notebook without scrolling.
MAX_ROWS, MAX_COLUMNS = 8, 8
CELL_WIDTH, CELL_HEIGHT, GAP, TITLE = 44, 22, 26, 22

# Ends of scales that stay apart for colour-blind readers: white to blue, and orange over white to blue.
BLUE, ORANGE, WHITE = (33, 102, 172), (204, 92, 20), (247, 247, 247)
NOT_A_NUMBER = (120, 120, 120)
RIGHT = "✓"  # where there is no difference, or nothing but rounding
# What stands at one place of the three is one group, so that all of it is framed.
FRAMED = "<style>.ag-place:hover rect,.ag-first rect{stroke:#c8102e;stroke-width:2}</style>"


def difference_picture(obtained: Tensor, expected: Tensor, index: tuple[int, ...]) -> str:
    """Return the SVG of two tensors and their difference, cut to the part around an entry.

    Args:
        obtained: the answer's result.
        expected: the right result, of the same shape.
        index: the entry in the middle of the part.

    Returns:
        The SVG; "" if the tensors are single numbers.
    """
    if obtained.ndim == 0:
        return ""
    same = close(obtained, expected)
    (yours, right, same), first, label = _window((obtained.double(), expected.double(), same), index)
    difference = yours - right
    finite = [
        value for value in [*yours.flatten().tolist(), *right.flatten().tolist()] if math.isfinite(value)
    ]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    widest = max((abs(value) for value in difference.flatten().tolist() if math.isfinite(value)), default=1.0)
    rows, columns = yours.shape
    across = columns * CELL_WIDTH + GAP  # from one of the three to the next
    width = 3 * across - GAP
    height = TITLE + rows * CELL_HEIGHT + (18 if label else 2)
    titles = (_("yours"), _("expected"), _("difference"))
    body = FRAMED + "".join(
        f'<text x="{number * across}" y="14" class="ag-title">{title}</text>'
        for number, title in enumerate(titles)
    )
    for row, column in itertools.product(range(rows), range(columns)):
        own_value, wanted, apart = (float(values[row, column]) for values in (yours, right, difference))
        shown = (
            (_sequential(own_value, low, high), _brief(own_value)),
            (_sequential(wanted, low, high), _brief(wanted)),
            (WHITE, RIGHT) if same[row, column] else (_diverging(apart, widest), _brief(apart)),
        )
        cells = "".join(
            _cell(number * across + column * CELL_WIDTH, TITLE + row * CELL_HEIGHT, *values)
            for number, values in enumerate(shown)
        )
        body += f'<g class="ag-place{" ag-first" if (row, column) == first else ""}">{cells}</g>'
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


def _window(
    tensors: tuple[Tensor, ...], index: tuple[int, ...]
) -> tuple[tuple[Tensor, ...], tuple[int, int], str]:
    """Return the 2-D part to show: the last two axes at the first difference, and no more than fits.

    With it, where the first difference stands in this part, and what to say of the part.
    """
    label = ""
    if len(index) > 2:
        label = _("slice [{place}, :, :]", place=", ".join(map(str, index[:-2])))
        tensors = tuple(tensor[index[:-2]] for tensor in tensors)  # (rows, columns)
    if len(index) == 1:
        tensors = tuple(tensor[None] for tensor in tensors)  # (1, columns)
        index = (0, *index)
    shape, spans = tensors[0].shape, []
    for size, most, position in zip(shape, (MAX_ROWS, MAX_COLUMNS), index[-2:], strict=True):
        start = min(max(0, position - most // 2), max(0, size - most))
        spans.append(slice(start, min(size, start + most)))
    rows, columns = spans
    if rows.stop - rows.start < shape[0] or columns.stop - columns.start < shape[1]:
        part = _(
            "rows {top} to {bottom}, columns {left} to {right}",
            top=rows.start,
            bottom=rows.stop - 1,
            left=columns.start,
            right=columns.stop - 1,
        )
        label = f"{label} {part}".strip()
    first = index[-2] - rows.start, index[-1] - columns.start
    return tuple(tensor[rows, columns] for tensor in tensors), first, label


def _cell(x: int, y: int, colour: Colour, text: str) -> str:
    red, green, blue = colour
    ink = "#000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#fff"
    return (
        f'<rect x="{x}" y="{y}" width="{CELL_WIDTH - 1}" height="{CELL_HEIGHT - 1}" '
        f'fill="rgb({red},{green},{blue})"/>'
        f'<text x="{x + CELL_WIDTH / 2:g}" y="{y + 15}" text-anchor="middle" class="ag-number" '
        f'fill="{ink}">{text}</text>'
    )


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
        round(white + (channel - white) * share) for white, channel in zip(WHITE, colour, strict=True)
    )
    return red, green, blue
