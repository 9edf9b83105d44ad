"""A feedback card with controls below it: hints, the line that goes wrong, a button that restores the stub.

The output of the cell contains everything, so the buttons still work when the notebook is opened again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autograder.lesson import page_outputs
from autograder.words.language import _


def card_in_page(name: str, shown: str, still: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return a cell's output that shows a card, with controls below it wherever scripts can run.

    Args:
        name: the key under which the notebook stores the learner's choices.
        shown: the card's HTML.
        still: the output by MIME type, for front ends that run no scripts.
        more: what `card.js` shows below the card, by name.
    """
    module = page_outputs.page_module("card.js")
    return page_outputs.in_page(module, {"shows": {"card": shown, **more}, "chosen": {}}, still, name=name)


def start_over(task: str = "") -> dict[str, str]:
    """Return the texts of the button that restores a task's stub, or all stubs if no task is named."""
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
