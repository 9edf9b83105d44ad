"""The interactive session: whether a person runs the notebook, and the message while torch is being loaded.

This module is imported before torch, so it imports nothing that needs torch.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autograder.words import language
from autograder.words.language import _

_cells: tuple[str, ...] = ()


def shell() -> Any:
    """Return IPython's shell; None outside a notebook."""
    # IPython is imported already wherever there is a notebook to look into.
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None


def has_front_end() -> bool:
    """Tell whether a front end such as JupyterLab runs this cell.

    Programs that only execute a notebook send no cell id.
    """
    return "cellId" in _said_of_cell()


def deleted_cells() -> list[str]:
    """Return the ids of the cells deleted since the last run of a cell; none if the front end sends none."""
    deleted = _said_of_cell().get("deletedCells")
    return [cell for cell in deleted if isinstance(cell, str)] if isinstance(deleted, list) else []


def tell_cells(cells: list[str]) -> None:
    """Store the ids of the notebook's cells, from top to bottom. The page calls this before each run."""
    global _cells
    _cells = tuple(cells)


def cells() -> tuple[str, ...]:
    """Return the ids of the notebook's cells from top to bottom; none if no page has stored them."""
    return _cells


def running_cell() -> str:
    """Return the id of the cell that is running; "" if the front end does not tell it."""
    return str(_said_of_cell().get("cellId", ""))


def _said_of_cell() -> dict[str, Any]:
    """Return what the front end says of the cell that it has run."""
    request = getattr(shell(), "parent_header", None)
    metadata = request.get("metadata") if isinstance(request, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def page() -> str:
    """Return the kind of page that displays this cell's output.

    Returns "jupyter" for JupyterLab and Notebook, "other" for VS Code and Colab, and "" if there is no page.
    """
    if "google.colab" in sys.modules:
        return "other"
    if not has_front_end():
        return ""
    return "other" if "vscode" in running_cell() else "jupyter"


@contextmanager
def told_of_loading() -> Iterator[None]:
    """Display a message while the block loads torch; display none if torch is loaded already."""
    if "torch" in sys.modules or not has_front_end():
        yield
        return
    from IPython.display import display  # not above: the grader has no use for it

    language.speak()  # the course is not known before torch is there

    def data(text: str) -> dict[str, str]:
        return {"text/plain": text, "text/html": f'<p role="status" style="margin: 0">{text}</p>'}

    loading = _("PyTorch is being loaded: about 3 seconds, longer on a busy machine …")
    handle = display(data(loading), raw=True, display_id=True)
    yield
    handle.update(data(_("Ready.")), raw=True)
