"""The one look of all pictures: colours, fonts and colour scales.

A picture stands on its own light card, because a PNG cannot follow a theme; where it is shown, a dark theme
turns light into dark and keeps hues. A test holds every text colour to WCAG's contrast of 4.5 on the card in
both, and the four role colours apart for each kind of colour blindness.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np

from visuals import mpl
from visuals.fonts import families
from visuals.language import drawing

CARD = "#FCFCFA"
INK = "#1F2328"
MUTED = "#59616B"
LINE = "#C9CED6"
WARNING = "#A3162B"

# One colour per role, the same in every picture. No meaning hangs on colour alone: a label stands beside it.
QUERY = "#B34700"
SCORE = "#0B5CAD"
WEIGHT = "#8A1C6B"
CONTEXT = "#00806A"
# Heads, and other things that only have to be told apart: none of the colours of the roles.
APART = ("#00707F", "#6B3FA0", "#8A6D00", "#5E1F3D")

# CSS pixels per inch: figures are laid out in the pixels a learner sees at 100 % zoom.
PIXELS_PER_INCH = 96
TITLE_SIZE = 16
TEXT_SIZE = 14
SMALL_SIZE = 12.5


@lru_cache(maxsize=1)
def sequential() -> mpl.Colormap:
    """Return the colours from 0, white, to the largest value, dark blue."""
    return mpl.LinearSegmentedColormap.from_list(
        "attention_sequential", ["#FFFFFF", "#CFE1F2", "#6FA8DC", SCORE, "#08305C"]
    )


@lru_cache(maxsize=1)
def diverging() -> mpl.Colormap:
    """Return the colours from the lowest value, orange, over a white 0 to the largest, blue."""
    return mpl.LinearSegmentedColormap.from_list(
        "attention_diverging", ["#7A3000", "#D98A4E", "#F7F7F5", "#6FA8DC", "#08305C"]
    )


def points(pixels: float) -> float:
    """Font size in points for a height in CSS pixels."""
    return pixels * 72 / PIXELS_PER_INCH


LOOK: dict[Any, Any] = {
    "figure.facecolor": CARD,
    "savefig.facecolor": CARD,
    "axes.facecolor": CARD,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": points(TITLE_SIZE),
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": points(TEXT_SIZE),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.size": points(TEXT_SIZE),
    "text.color": INK,
    # A token may be a dollar sign, which must stay one instead of starting a formula.
    "text.parse_math": False,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": points(TEXT_SIZE),
    "ytick.labelsize": points(TEXT_SIZE),
    "hatch.linewidth": 0.6,
}


@contextmanager
def look() -> Iterator[None]:
    """Draw in the course's look, whatever a learner has set in matplotlib, and leave those settings alone.

    Of a letter that no font has, matplotlib draws a box and warns: the box says it, the warning only puzzles.
    """
    with mpl.rc_context(), drawing(), warnings.catch_warnings(action="ignore", category=UserWarning):
        # Past matplotlib's checks, which every setting has been through: they take as long as a small figure.
        dict.update(mpl.rcParams, _settings())
        mpl.rcParams["font.family"] = families()
        yield


@lru_cache(maxsize=1)
def _settings() -> dict[Any, Any]:
    """Every setting of matplotlib in the course's look, but for the backend, which no context puts back."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(LOOK)
        settings = dict(mpl.rcParams.copy())
    del settings["backend"]
    return settings


@lru_cache(maxsize=1024)
def luminance(color: Any) -> float:
    """Relative luminance of a colour (a name or a tuple) as WCAG defines it, from 0 (black) to 1 (white)."""
    channels: np.ndarray = np.array(mpl.to_rgb(color))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(first: Any, other: Any) -> float:
    """WCAG contrast ratio of two colours, from 1 (the same) to 21 (black on white)."""
    darker, lighter = sorted((luminance(first), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def text_on(background: Any) -> str:
    """Black or white, whichever reads better on the background."""
    return "#000000" if contrast("#000000", background) >= contrast("#FFFFFF", background) else "#FFFFFF"


def color_scale(values: np.ndarray) -> tuple[mpl.Colormap, mpl.Normalize]:
    """Return the colormap and its range for some values.

    Values of one sign run from white (0) to dark blue (the largest); as soon as one value is negative, the
    scale is symmetric around a white 0, so that orange is negative and blue positive. NaN and infinities do
    not count.
    """
    finite = values[np.isfinite(values)]
    largest = float(np.abs(finite).max(initial=0.0)) or 1.0
    if (finite < 0).any():
        return diverging(), mpl.Normalize(-largest, largest)
    return sequential(), mpl.Normalize(0.0, largest)


def fills(values: np.ndarray, scale: tuple[mpl.Colormap, mpl.Normalize]) -> np.ndarray:
    """Return the colour of each value on a scale: its red, green, blue and alpha in one more axis at the end.

    Looked up all at once: for a single value, matplotlib takes nearly as long as for a thousand.
    """
    colormap, norm = scale
    return np.asarray(colormap(norm(np.ma.masked_invalid(values))))  # (...) -> (..., 4)
