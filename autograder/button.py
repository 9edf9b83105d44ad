"""A button below the card of a check that gives one hint after another.

It is a native button, and a region whose new words a screen reader reads out. What ipywidgets cannot set
from Python, LOOK does in the page: the region's role has to be there before its words are, and JupyterLab
would take Enter from the button to edit the cell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograder.feedback import Notice
from autograder.language import _

LOOK = (
    '<style onload="'
    "const box = this.closest('.ag-more'); "
    "const ready = () => { "
    "box?.querySelector('.ag-said')?.setAttribute('role', 'status'); "
    "box?.querySelector('button')?.setAttribute('data-lm-suppress-shortcuts', 'true'); }; "
    "ready(); box?.addEventListener('focusin', ready)"
    '">.ag-more button:focus-visible{outline:2px solid var(--jp-brand-color1,#1976d2)}</style>'
)


def hint_button(next_hint: Callable[[], Notice]) -> dict[str, Any]:
    """Return a button that shows what `next_hint` gives, as the data of a cell's output."""
    # Not before somebody sees it: the import takes longer than a check.
    import ipywidgets

    button = ipywidgets.Button(description=_("Hint"), tooltip=_("Show the next hint for this task"))
    said = ipywidgets.HTML()
    look = ipywidgets.HTML(LOOK, layout={"display": "none"})
    said.add_class("ag-said")
    box = ipywidgets.VBox([button, said, look])
    box.add_class("ag-more")

    def pressed(_change: Any) -> None:
        said.value = next_hint().html()
        button.description = _("Next hint")

    button.on_click(pressed)
    # A reader without a kernel sees nothing here: the card names the call that does the same.
    return {**box._repr_mimebundle_(), "text/plain": "", "text/html": ""}
