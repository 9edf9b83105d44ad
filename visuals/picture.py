"""A figure together with the words that say the same: what every figure function returns."""

from __future__ import annotations

import base64
import html
import io
from functools import cached_property
from typing import Any

from matplotlib.figure import Figure
from PIL import Image

from visuals import style

# Rendered at twice the size it is shown at, so that it stays crisp on dense screens and when zoomed.
DENSITY = 2


class Picture:
    """A matplotlib figure with its alternative text.

    `figure` is the matplotlib Figure, for a learner who wants to change or save it; `alt` says what it shows.
    In a notebook the last expression of a cell displays it. JupyterLab ignores the `alt` metadata of an image
    output, as does nbconvert's default template; so the bundle holds an HTML img that carries the text, and
    the plain image/png for whatever takes no HTML (LaTeX, Markdown and others).
    """

    def __init__(self, figure: Figure, alt: str) -> None:
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
        buffer = io.BytesIO()
        with style.look():
            self.figure.savefig(buffer, format="rgba", dpi=style.PIXELS_PER_INCH * DENSITY)
        width, height = (
            round(side) for side in self.figure.get_size_inches() * style.PIXELS_PER_INCH * DENSITY
        )
        image = Image.frombytes("RGBA", (width, height), buffer.getvalue()).convert("RGB")
        # 256 colours are plenty for flat fills and text, and a third of the size in the notebook.
        # The median cut keeps flat fills exact. Faster methods give neighbouring weights one colour.
        indexed = image.quantize(colors=256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        packed = io.BytesIO()
        indexed.save(packed, format="PNG", compress_level=6)
        return packed.getvalue()

    def to_html(self) -> str:
        """The picture as an HTML img with its alternative text, data included."""
        width, height = self.size
        data = base64.b64encode(self.png).decode()
        return (
            f'<img src="data:image/png;base64,{data}" alt="{html.escape(self.alt)}" '
            f'width="{width}" height="{height}" style="max-width: 100%; height: auto; border-radius: 6px;">'
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
