"""A figure together with the words that say the same: what every figure function returns."""

from __future__ import annotations

import base64
import html
import io
from functools import cached_property
from pathlib import Path
from typing import IO, Any, cast

from visuals import mpl, style
from visuals.palette import indexed

# Wherever a notebook is shown (JupyterLab and the site, VS Code, Colab), a dark theme turns light into dark.
STYLE = (
    '<style>:is([data-jp-theme-light="false"], .vscode-dark, html[theme="dark"]) .attention-picture '
    "{ filter: invert(1) hue-rotate(180deg); }</style>"
)

# Rendered at twice the size it is shown at, so that it stays crisp on dense screens and when zoomed.
DENSITY = 2


class _Kept(io.RawIOBase):
    """A file that keeps a view of what is written to it: copies of all pixels would cost memory and time."""

    pixels: memoryview

    def write(self, pixels: Any) -> int:
        self.pixels = pixels
        return pixels.nbytes


class Picture:
    """A matplotlib figure with its alternative text.

    `figure` is the matplotlib Figure, for a learner who wants to change it; `save` writes it to a file; `alt`
    says what it shows.
    In a notebook the last expression of a cell displays it. JupyterLab ignores the `alt` metadata of an image
    output, as does nbconvert's default template; so the bundle holds an HTML img that carries the text, and
    the plain image/png for whatever takes no HTML (LaTeX, Markdown and others).
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
    def png(self) -> bytes:
        """The picture as PNG: the same bytes for the same data, without date or version."""
        kept = _Kept()
        with style.look():
            self.figure.savefig(cast("IO[bytes]", kept), format="rgba", dpi=style.PIXELS_PER_INCH * DENSITY)
        width, height = (
            round(side) for side in self.figure.get_size_inches() * style.PIXELS_PER_INCH * DENSITY
        )
        packed = io.BytesIO()
        indexed(kept.pixels, width, height).save(packed, format="PNG", compress_level=6)
        return packed.getvalue()

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
        data = base64.b64encode(self.png).decode()
        return (
            f'{STYLE}<img src="data:image/png;base64,{data}" alt="{html.escape(self.alt)}" '
            f'width="{width}" height="{height}" class="attention-picture" '
            'style="max-width: 100%; height: auto; border-radius: 6px;">'
        )

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        width, height = self.size
        data = {
            "text/html": self.to_html(),
            "image/png": base64.b64encode(self.png).decode(),
            "text/plain": self.alt,
        }
        return data, {"image/png": {"alt": self.alt, "width": width, "height": height}}
