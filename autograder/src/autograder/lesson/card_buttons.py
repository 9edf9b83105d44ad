"""Buttons below the card of a check: a hint after another, where the answer goes wrong, and the stub again.

They are native buttons above a region whose new words a screen reader reads out.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from autograder.words.feedback_card import Notice
from autograder.words.language import _

# The region's role has to be there before its words are.
READY = """
box?.querySelector('.ag-said')?.setAttribute('role', 'status');
box?.querySelectorAll('button').forEach((one) => one.setAttribute('data-lm-suppress-shortcuts', 'true'));"""
STYLE = (
    ".ag-more button:focus-visible{outline:2px solid var(--jp-brand-color1,#1976d2)}"
    ".ag-again button{margin:0 2px}.ag-again [role=status]{margin-left:.6em}"
)


def in_page(box: Any, name: str, ready: str, style: str) -> None:
    """Do in the page what ipywidgets cannot set from Python for a box: roles, and who gets the keys.

    JupyterLab would take Enter from a control to edit the cell.

    Args:
        box: a widget that holds others.
        name: the class that it gets.
        ready: the statements that set what the page lacks, for the element `box`.
        style: its style sheet.
    """
    import ipywidgets

    script = (
        f"const box = this.closest('.{name}'); const ready = () => {{{ready}}}; "
        "ready(); box?.addEventListener('focusin', ready)"
    )
    page = ipywidgets.HTML(
        f'<style onload="{html.escape(script)}">{style}</style>', layout={"display": "none"}
    )
    box.children = [*box.children, page]
    box.add_class(name)


@cache
def again_script() -> str:
    """Return the statements that put the buttons of `restore_button` into the page."""
    return (files(__package__) / "again.js").read_text(encoding="utf-8")


def restore_button(task: str = "") -> Any:
    """Return the place of a button that puts back the stub of a task; without one, of all in the notebook.

    The page puts it there, since only JupyterLab itself can change a cell: elsewhere, nothing is shown.
    """
    import ipywidgets

    kept = _("Your text is kept, and a button brings it back.")
    question = _("Put this task's cell back as it was at first?")
    every = _("Put the cells of all tasks back as they were at first?")
    said = {
        "task": task,
        "start": _("Start over") if task else _("Start this lesson over"),
        "asks": f"{question if task else every} {kept}",
        "yes": _("Yes, start over"),
        "no": _("No"),
        "back": _("Bring my text back"),
        "done": _("The cell is as it was at first.") if task else _("All tasks are as they were at first."),
        "undone": _("Your text is back."),
    }
    marks = " ".join(f'data-{name}="{html.escape(text)}"' for name, text in said.items())
    return ipywidgets.HTML(f'<div class="ag-again" {marks}></div>')


def start_over() -> dict[str, Any]:
    """Return a button that puts all stubs of a notebook back, as data of an output."""
    import ipywidgets

    box = ipywidgets.VBox([restore_button()])
    in_page(box, "ag-more", again_script(), STYLE)
    return {**box._repr_mimebundle_(), "text/plain": "", "text/html": ""}


def buttons(task: str, next_hint: Callable[[], tuple[Notice, int]], where: Notice | None) -> dict[str, Any]:
    """Return a row of buttons that show the next hint, show `where`, and put a task's stub back.

    Args:
        task: the task's id.
        next_hint: gives the next hint, and how many are left after it.
        where: what each line of the answer makes; None where that is not known.
    """
    # Not before somebody sees it: the import takes longer than a check.
    import ipywidgets

    whole = {"width": "auto"}  # for its words, in whatever language
    button = ipywidgets.Button(
        description=_("Hint"), tooltip=_("Show the next hint for this task"), layout=whole
    )
    said = ipywidgets.HTML()
    said.add_class("ag-said")
    row = [button]
    if where is not None:
        hint_button = ipywidgets.Button(
            description=_("Where?"), tooltip=_("Show what each of your lines makes"), layout=whole
        )
        hint_button.on_click(lambda _change: setattr(said, "value", where.html()))
        row.append(hint_button)
    box = ipywidgets.VBox([ipywidgets.HBox([*row, restore_button(task)]), said])
    in_page(box, "ag-more", READY + again_script(), STYLE)

    def pressed(_change: Any) -> None:
        hint, left = next_hint()
        said.value = hint.html()
        button.disabled = not left
        button.description = (
            _("Next hint ({number} left)", number=left) if left else _("That was the last one.")
        )

    button.on_click(pressed)
    # A reader without a kernel sees nothing here: the card names the call that does the same.
    return {**box._repr_mimebundle_(), "text/plain": "", "text/html": ""}
