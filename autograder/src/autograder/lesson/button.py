"""Buttons below the card of a check: one gives a hint after another, one shows where the answer goes wrong.

They are native buttons above a region whose new words a screen reader reads out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograder.words.feedback import Notice
from autograder.words.language import _

# The region's role has to be there before its words are.
READY = """
box?.querySelector('.ag-said')?.setAttribute('role', 'status');
box?.querySelectorAll('button').forEach((one) => one.setAttribute('data-lm-suppress-shortcuts', 'true'));"""
STYLE = ".ag-more button:focus-visible{outline:2px solid var(--jp-brand-color1,#1976d2)}"


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
    page = ipywidgets.HTML(f'<style onload="{script}">{style}</style>', layout={"display": "none"})
    box.children = [*box.children, page]
    box.add_class(name)


def buttons(next_hint: Callable[[], Notice], where: Notice | None) -> dict[str, Any]:
    """Return a button that shows what `next_hint` gives, and one that shows `where`, as data of an output."""
    # Not before somebody sees it: the import takes longer than a check.
    import ipywidgets

    button = ipywidgets.Button(description=_("Hint"), tooltip=_("Show the next hint for this task"))
    said = ipywidgets.HTML()
    said.add_class("ag-said")
    row = [button]
    if where is not None:
        place = ipywidgets.Button(description=_("Where?"), tooltip=_("Show what each of your lines makes"))
        place.on_click(lambda _change: setattr(said, "value", where.html()))
        row.append(place)
    box = ipywidgets.VBox([ipywidgets.HBox(row), said])
    in_page(box, "ag-more", READY, STYLE)

    def pressed(_change: Any) -> None:
        said.value = next_hint().html()
        button.description = _("Next hint")

    button.on_click(pressed)
    # A reader without a kernel sees nothing here: the card names the call that does the same.
    return {**box._repr_mimebundle_(), "text/plain": "", "text/html": ""}
