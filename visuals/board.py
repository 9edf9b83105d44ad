"""A blank sheet for pictures made of cells, bars and words, measured in the pixels a learner sees."""

from __future__ import annotations

from typing import Any

import numpy as np

from visuals import mpl, style, words

# Cells narrower than this carry no number and are drawn all at once.
NARROW = 12


class Board:
    """One axes over the whole figure; x grows to the right and y downwards, both in CSS pixels.

    Every artist can carry a name (matplotlib's gid), by which tests and curious learners find it.
    Patches are added as plain artists: nothing here scales itself to what it holds, and working out the
    limits of each patch takes a tenth of a drawing.
    """

    def __init__(self, width: float, height: float) -> None:
        size = (width / style.PIXELS_PER_INCH, height / style.PIXELS_PER_INCH)
        self.figure = mpl.Figure(figsize=size, dpi=style.PIXELS_PER_INCH)
        self.axes: mpl.Axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_xlim(0, width)
        self.axes.set_ylim(height, 0)
        self.axes.axis("off")

    def text(
        self, x: float, y: float, content: str, *, size: float = style.TEXT_SIZE, **options: Any
    ) -> mpl.Text:
        """Write text, vertically centred on y and starting at x unless told otherwise."""
        options = {"ha": "left", "va": "center", "color": style.INK, **options}
        return self.axes.text(x, y, content, fontsize=style.points(size), **options)

    def title(self, x: float, y: float, content: str) -> mpl.Text:
        """Write the picture's headline."""
        return self.text(x, y, content, size=style.TITLE_SIZE, weight="bold")

    def cells(
        self,
        x: float,
        y: float,
        values: np.ndarray,
        size: tuple[float, float],
        scale: tuple[mpl.Colormap, mpl.Normalize],
        *,
        decimals: int,
        name: str,
        frame: str | None = None,
        down: bool = False,
    ) -> None:
        """Draw a vector as coloured cells, side by side or going down, with numbers where they fit."""
        width, height = size
        colormap, norm = scale
        if width < NARROW and not down:
            # Hundreds of patches would take seconds; a mesh of the same colours takes none.
            edges = x + width * np.arange(len(values) + 1)
            colors = np.ma.masked_invalid(values[None])  # (features,) -> (1, features)
            self.axes.pcolormesh(edges, [y, y + height], colors, cmap=colormap, norm=norm, gid=name)
            self._frame(x, y, len(values) * width, height, style.LINE if frame is None else frame, name)
            return
        faces = style.fills(values, scale)
        for index, value in enumerate(values):
            left, top = (x, y + index * height) if down else (x + index * width, y)
            finite = bool(np.isfinite(value))
            face = tuple(faces[index]) if finite else style.CARD
            patch = mpl.Rectangle(
                (left, top),
                width,
                height,
                facecolor=face,
                edgecolor=style.LINE,
                linewidth=0.8,
                hatch=None if finite else "////",
                gid=f"{name} {index}",
            )
            self.axes.add_artist(patch)
            label = words.number(value, decimals)
            if width >= 7.6 * len(label) and height >= 16:
                color = style.text_on(face) if finite else style.WARNING
                weight = "normal" if finite else "bold"
                back = None if finite else {"facecolor": style.CARD, "edgecolor": "none", "pad": 0.8}
                self.text(
                    left + width / 2,
                    top + height / 2,
                    label,
                    size=style.SMALL_SIZE,
                    ha="center",
                    color=color,
                    weight=weight,
                    bbox=back,
                )
        if frame is not None:
            across, deep = (1, len(values)) if down else (len(values), 1)
            self._frame(x, y, across * width, deep * height, frame, name)

    def _frame(self, x: float, y: float, width: float, height: float, color: str, name: str) -> None:
        thickness = 0.8 if color == style.LINE else 2
        self.axes.add_artist(
            mpl.Rectangle(
                (x, y), width, height, fill=False, edgecolor=color, linewidth=thickness, gid=f"{name} frame"
            )
        )

    def block(
        self, x: float, y: float, width: float, height: float, color: str, content: str, name: str
    ) -> None:
        """Draw a filled rectangle with a word on it."""
        self.axes.add_artist(
            mpl.Rectangle((x, y), width, height, facecolor=color, edgecolor="none", gid=name)
        )
        self.text(
            x + width / 2,
            y + height / 2,
            content,
            size=style.SMALL_SIZE,
            ha="center",
            color=style.text_on(color),
        )

    def bars(
        self,
        x: float,
        rows: np.ndarray,
        values: np.ndarray,
        room: float,
        thickness: float,
        *,
        color: str,
        name: str,
        decimals: int = 4,
        size: float = style.TEXT_SIZE,
        scale: np.ndarray | None = None,
    ) -> None:
        """Draw one bar per row within `room` pixels, all on one scale, with its number after it.

        Negative values run to the left of a common zero line and are striped. NaN and infinities get their
        name in place of a bar. `scale` are the values that the scale has to hold, where other bars share it.
        """
        held = values if scale is None else scale
        finite = held[np.isfinite(held)]
        low, high = min(0.0, finite.min(initial=0.0)), max(0.0, finite.max(initial=0.0))
        pixels = room / ((high - low) or 1.0)
        zero = x - low * pixels
        for index, (y, value) in enumerate(zip(rows, values, strict=True)):
            good = bool(np.isfinite(value))
            length = value * pixels if good else 0.0
            patch = mpl.Rectangle(
                (zero, y - thickness / 2),
                length,
                thickness,
                facecolor=color if value >= 0 else style.CARD,
                edgecolor=color,
                hatch=None if value >= 0 else "////",
                linewidth=1,
                gid=f"{name} {index}",
            )
            self.axes.add_artist(patch)
            self.text(
                zero + max(length, 0.0) + 6,
                y,
                words.number(value, decimals),
                size=size,
                color=style.INK if good else style.WARNING,
                weight="normal" if good else "bold",
            )
        top, bottom = rows[0] - thickness, rows[-1] + thickness
        self.axes.plot([zero, zero], [top, bottom], color=style.MUTED, linewidth=1)

    def arrow(self, start: tuple[float, float], end: tuple[float, float], color: str = style.MUTED) -> None:
        """Draw a plain arrow."""
        self.axes.add_artist(
            mpl.FancyArrowPatch(
                start,
                end,
                arrowstyle="-|>",
                mutation_scale=14,
                color=color,
                linewidth=1.6,
                shrinkA=0,
                shrinkB=0,
            )
        )

    def line(self, start: tuple[float, float], end: tuple[float, float], color: str = style.LINE) -> None:
        """Draw a thin straight line."""
        self.axes.plot([start[0], end[0]], [start[1], end[1]], color=color, linewidth=1.2)
