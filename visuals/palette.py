"""Reduces a rendered figure to 256 colours: a third of the bytes in the notebook, and nothing that one sees.

A figure is flat fills and text. Its most frequent colours, which are the fills, keep their exact value, since
neighbouring weights must not get one colour. Only the many rare ones, at the edges of letters and lines, are
cut to a few. Pillow's own median cut, over all pixels at once, takes three to four times as long; its faster
methods give neighbouring fills one colour.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

COLORS = 256
# So many of the most frequent colours stay exact; what a figure fills areas with are far fewer.
EXACT = 200


def indexed(pixels: bytes | memoryview, width: int, height: int) -> Image.Image:
    """Return an image of at most 256 colours from the RGBA bytes of a figure, whose alpha is left out.

    Each pixel gets the nearest colour of the palette, or its own where the palette holds it.
    """
    codes = np.frombuffer(pixels, dtype="<u4")  # (height * width,), red in the lowest byte
    # Most neighbours are alike: from here on one entry stands for a whole run of them.
    new = np.ones(len(codes), dtype=bool)
    np.not_equal(codes[1:], codes[:-1], out=new[1:])
    starts = np.flatnonzero(new)  # (runs,)
    lengths = np.diff(starts, append=len(codes))
    codes = codes[starts] & 0xFFFFFF  # (height * width,) -> (runs,)
    colors, which = np.unique(codes, return_inverse=True)  # (colours,), (runs,)
    rgb = np.stack((colors & 255, colors >> 8 & 255, colors >> 16), axis=1).astype(np.uint8)  # (colours, 3)
    palette, nearest = rgb, np.arange(len(colors))
    if len(colors) > COLORS:
        palette = _palette(rgb, np.bincount(which, weights=lengths, minlength=len(colors)))
        nearest = _nearest(rgb, palette)
    index = np.repeat(nearest.astype(np.uint8)[which], lengths)  # (runs,) -> (height * width,)
    image = Image.fromarray(index.reshape(height, width))
    image.putpalette(palette.tobytes())
    return image


def _palette(rgb: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """256 colours (256, 3) for the colours rgb (colours, 3), each of which fills so many pixels."""
    order = np.argsort(-counts, kind="stable")
    rare = Image.fromarray(rgb[order[EXACT:]][None])  # (rare, 3) -> (1, rare, 3)
    few = rare.quantize(COLORS - EXACT, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    cut = np.array(few.getpalette(), dtype=np.uint8).reshape(-1, 3)[: COLORS - EXACT]
    return np.concatenate((rgb[order[:EXACT]], cut))


def _nearest(rgb: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """For each colour (colours, 3) the place of the nearest one in the palette (256, 3): (colours,)."""
    # |a - b|² without |a|², which is the same for every b. Sums below 2**24 are exact in float32.
    wanted, offered = rgb.astype(np.float32), palette.astype(np.float32)
    return ((offered**2).sum(axis=1) - 2 * wanted @ offered.T).argmin(axis=1)
