"""Letters that Matplotlib draws: its own font has Latin ones, and a font beside this module Bengali ones."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from autograder.words import language

BENGALI = Path(__file__).parent / "noto-sans-bengali.ttf"
# DejaVu comes with matplotlib, so that a picture has the same letters and bytes on every machine.
LATIN = "DejaVu Sans"


def families() -> list[str]:
    """Return the fonts of a picture in the spoken language."""
    return [LATIN, *filter(None, [_bengali() if language.spoken() == "bn" else ""])]


def can_draw(text: str) -> bool:
    """Whether a picture can show a text: other letters need a font, and a matplotlib that shapes them."""
    return text.isascii() or language.spoken() != "bn" or bool(_bengali())


@cache
def _bengali() -> str:
    """Make the font known to matplotlib, and return its name; nothing where it is of no use."""
    from matplotlib import font_manager, ft2font

    if not hasattr(ft2font, "__libraqm_version__") or not BENGALI.is_file():
        return ""
    known = font_manager.fontManager
    known.addfont(BENGALI)
    regular = known.ttflist[-1]
    known.ttflist.append(replace(regular, weight=700))  # it stands for bold letters, too
    return regular.name
