"""Whoever sits before the notebook: whether somebody does, and a word to them while torch is being loaded.

This is imported before torch, so it imports nothing that needs it.
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
    """Tell whether a person runs this cell, in JupyterLab say: who only executes a notebook names no cell."""
    return "cellId" in _said_of_cell()


def deleted_cells() -> list[str]:
    """Return the ids of the cells that were deleted since one was run last, as far as that is told."""
    deleted = _said_of_cell().get("deletedCells")
    return [cell for cell in deleted if isinstance(cell, str)] if isinstance(deleted, list) else []


def tell_cells(cells: list[str]) -> None:
    """Take note of which cells the notebook has, from top to bottom; its page tells it before each run."""
    global _cells
    _cells = tuple(cells)


def cells() -> tuple[str, ...]:
    """Return the ids of the notebook's cells from top to bottom; none where no page tells them."""
    return _cells


def running_cell() -> str:
    """Return the id of the cell that is running; "" where the front end names none."""
    return str(_said_of_cell().get("cellId", ""))


def _said_of_cell() -> dict[str, Any]:
    """Return what the front end says of the cell that it has run."""
    request = getattr(shell(), "parent_header", None)
    metadata = request.get("metadata") if isinstance(request, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def page() -> str:
    """Return what shows this cell: "jupyter" for JupyterLab and Notebook, "other", or "" for nothing."""
    if "google.colab" in sys.modules:
        return "other"
    if not has_front_end():
        return ""
    return "other" if "vscode" in running_cell() else "jupyter"


@contextmanager
def told_of_loading() -> Iterator[None]:
    """Say that torch is being loaded, at once and until it is, if nothing has loaded it yet."""
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
