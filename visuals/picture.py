"""A figure together with the words that say the same: what every figure function returns."""

from __future__ import annotations

import html
import io
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from autograder.records.javascript_modules import PICTURE_MIME
from PIL import Image

from visuals import mpl, style
from visuals.drawn import drawn

# Wherever a notebook is shown (JupyterLab and the site, VS Code, Colab), a dark theme turns light into dark.
STYLE = (
    '<style>:is([data-jp-theme-light="false"], .vscode-dark, html[theme="dark"]) .ag-picture '
    "{ filter: invert(1) hue-rotate(180deg); }</style>"
)


# Pixels of the PNG for each CSS pixel, and its colours.
DENSITY, COLOURS = 1.5, 128


class Picture:
    """A matplotlib figure with its alternative text.

    `figure` is the matplotlib Figure, for a learner who wants to change it; `save` writes it to a file; `alt`
    says what it shows.
    In a notebook the last expression of a cell displays it, as a PNG: GitHub leaves out pictures inside HTML
    and spoils SVG, and JupyterLab shows no SVG of a notebook that it does not trust. The tool's extension and
    a site show the drawing, with its text.
    """

    def __init__(self, figure: mpl.Figure, alt: str) -> None:
        self.figure = figure
        self.alt = alt

    def __repr__(self) -> str:
        return self.alt

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in CSS pixels, as shown at 100 % zoom."""
        width, height = self.figure.get_size_inches() * style.PIXELS_PER_INCH
        return round(width), round(height)

    @cached_property
    def svg(self) -> str:
        """The picture as SVG with real text: the same bytes for the same data, without date or version."""
        return drawn(self.figure, *self.size)

    @cached_property
    def png(self) -> bytes:
        """The picture for readers that show no SVG, in few colours."""
        written, small = io.BytesIO(), io.BytesIO()
        with style.look():
            self.figure.savefig(written, format="png", dpi=DENSITY * self.figure.dpi)
        few = Image.open(written).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(small, format="png")
        return small.getvalue()

    def save(self, path: str | Path, *, dpi: int = 300, background: str = "white") -> Path:
        """Write the picture to a file, for a paper or a slide, and return its path.

        path: its ending chooses the format: .pdf and .svg are drawings, sharp at any size, .png an image of
        `dpi` dots per inch. A PDF embeds its fonts as TrueType, as publishers ask; an SVG holds its
        letters as outlines. Both carry the alternative text. background: a colour, or "none". The same data
        gives the same bytes.

        Raises ValueError for another ending.
        """
        path = Path(path)
        notes: dict[str, dict[str, Any]] = {
            ".pdf": {"Subject": self.alt, "CreationDate": None},
            ".svg": {"Description": self.alt, "Date": None},
            ".png": {"Description": self.alt, "Software": None},
        }
        ending = path.suffix.lower()
        if ending not in notes:
            raise ValueError(f"The file's name must end in {', '.join(notes)}, not in {ending!r}.")
        with style.look(), mpl.rc_context({"pdf.fonttype": 42, "svg.hashsalt": "attention"}):
            self.figure.savefig(path, dpi=dpi, facecolor=background, metadata=notes[ending])
        return path

    def to_html(self) -> str:
        """Return the picture as an HTML img with its alternative text, data included."""
        width, height = self.size
        # What an attribute and an address keep for themselves; a page's gzip likes the rest better plain.
        data = quote(self.svg, safe=" !$'()*+,/:;=?@[]{}|~")
        return (
            f'{STYLE}<img src="data:image/svg+xml,{data}" alt="{html.escape(self.alt)}" '
            f'width="{width}" height="{height}" class="ag-picture" '
            'style="max-width: 100%; height: auto; border-radius: 6px;">'
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], Any]:
        width, height = self.size
        marks = {"image/png": {"alt": self.alt, "width": width, "height": height}}
        return {PICTURE_MIME: {"svg": self.svg}, "image/png": self.png, "text/plain": self.alt}, marks
