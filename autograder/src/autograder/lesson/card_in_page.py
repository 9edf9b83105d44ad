"""A card in a page, with what can be done below it: hints, where it goes wrong, the stub again.

All of it travels in the output of the cell, so the buttons work on any later day.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autograder.lesson import page_outputs
from autograder.words.language import _


def card_in_page(name: str, shown: str, still: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return the output of a card with more below it, where a person sees it in a page.

    Args:
        name: what a choice is kept by in the notebook.
        shown: the card's HTML.
        still: the output by its types, for readers whose page runs nothing.
        more: what `card.js` shows besides, by name.
    """
    module = page_outputs.page_module("card.js")
    return page_outputs.in_page(module, {"shows": {"card": shown, **more}, "chosen": {}}, still, name=name)


def start_over(task: str = "") -> dict[str, str]:
    """Return what a button says that puts back the stub of a task; without one, of all in the notebook."""
    question = _("Put this task's cell back as it was at first?")
    every = _("Put the cells of all tasks back as they were at first?")
    back = _("Your text is kept, and a button brings it back.")
    return {
        "task": task,
        "start": _("Start over") if task else _("Start this lesson over"),
        "asks": f"{question if task else every} {back}",
        "yes": _("Yes, start over"),
        "no": _("No"),
        "back": _("Bring my text back"),
        "done": _("The cell is as it was at first.") if task else _("All tasks are as they were at first."),
        "undone": _("Your text is back."),
    }
