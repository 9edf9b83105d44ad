"""Whether the words of a figure can be read: none cut off, none on another."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.text import Text


def assert_words_are_apart(figure: Figure) -> None:
    """Each text lies inside the sheet, and no two upright texts on one another."""
    figure.draw_without_rendering()
    texts = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
    boxes = [(text.get_text(), text.get_window_extent(), text.get_rotation()) for text in texts]
    for text, box, _ in boxes:
        inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.width and box.y1 <= figure.bbox.height
        assert inside, f"{text!r} is cut off"
    # The box around a slanted word is mostly empty and says nothing about its neighbours.
    upright = [(text, box) for text, box, rotation in boxes if rotation == 0]
    for index, (text, box) in enumerate(upright):
        for other, other_box in upright[index + 1 :]:
            apart = not box.padded(-1.5).overlaps(other_box.padded(-1.5))
            assert apart, f"{text!r} lies on {other!r}"
