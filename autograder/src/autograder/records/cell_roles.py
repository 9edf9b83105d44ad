"""The roles of a notebook's cells, read from their metadata: answers, tests, example data, figures."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Collection, Iterable
from importlib.util import find_spec

from nbformat import NotebookNode

from autograder.records.parse_cells import names_of, parsed

NEEDS = "needs-"
# In a lesson's first cell: what stands after a line's first bold words, up to the end of the sentence.
TIME = re.compile(r"^\*\*[^*\n]+:\*\*\s*([^.।\n]+)[.।]", re.MULTILINE)
HEADING = re.compile(r"^#{1,6} +(.*?) *$", re.MULTILINE)


# In a released notebook's metadata: which release it is.
OF_RELEASE, RELEASE = "autograder", "release"
# There in an answer's cell: the text that it was released with.
STUB_OF = "stub"
# Where a learner's own cell came from is kept in its id, and one id may stand on one cell only.
ADDED = "added-by-learner-"
# There in such a cell that holds a part of an answer: of which.
PART_OF = "part_of"
# There in an answer's cell that holds the course's own answer in the place of a learner's.
STANDS_IN = "stands_in"
# Folded where notebooks can be: in JupyterLab and VS Code, and in Colab.
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}


def tasks_of(notebook: NotebookNode) -> frozenset[str]:
    """Return the ids of a notebook's graded cells and answer cells."""
    marks = (cell.metadata.get("nbgrader", {}) for cell in notebook.cells)
    return frozenset(mark["grade_id"] for mark in marks if mark.get("grade") or mark.get("solution"))


def release_of(tasks: Collection[str]) -> str:
    """Return the id of a release, which depends on the ids of its tasks' cells."""
    return hashlib.sha256(json.dumps(sorted(tasks)).encode()).hexdigest()[:12]


def claimed_release(notebook: NotebookNode) -> str:
    """Return the id of the release that a notebook's metadata names; "" if it names none."""
    about = notebook.metadata.get(OF_RELEASE, {})
    release = about.get(RELEASE, "") if isinstance(about, dict) else ""
    return release if isinstance(release, str) else ""


def stated_time(text: str) -> str:
    """Return the time that a lesson takes, as the text of its first cell says; "" if it says nothing."""
    time = TIME.search(text)
    return time[1] if time else ""


def is_answer(cell: NotebookNode) -> bool:
    """Tell whether a cell is one in which the learner writes an answer."""
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def is_learners(cell: NotebookNode) -> bool:
    """Tell whether a cell of a rebuilt notebook has a learner's text: an answer, or a cell they added."""
    return cell["id"].startswith(ADDED) or (is_answer(cell) and not cell.metadata.get(STANDS_IN))


def is_test(cell: NotebookNode) -> bool:
    """Tell whether a cell is a task's check."""
    marks = cell.metadata.get("nbgrader", {})
    return bool(marks.get("grade")) and not marks.get("solution") and cell.cell_type == "code"


def is_given(cell: NotebookNode) -> bool:
    """Tell whether a cell defines a lesson's example data."""
    return "given" in cell.metadata.get("tags", ())


def is_measured(cell: NotebookNode) -> bool:
    """Tell whether a cell's output is a measurement, and so differs between machines and runs."""
    return "measured" in cell.metadata.get("tags", ())


def package_missing(cell: NotebookNode) -> str:
    """Return the package that a cell tagged `needs-NAME` requires if it is not installed; else ""."""
    needed = (tag.removeprefix(NEEDS) for tag in cell.metadata.get("tags", ()) if tag.startswith(NEEDS))
    return next((name for name in needed if not find_spec(name)), "")


def is_figure(cell: NotebookNode) -> bool:
    """Tell whether a cell's last expression displays a picture of the course's."""
    return "figure" in cell.metadata.get("tags", ())


def is_shown_only(cell: NotebookNode) -> bool:
    """Tell whether a cell of the course's only displays something."""
    return "shown" in cell.metadata.get("tags", ())


def copied(notebook: NotebookNode, cells: Iterable[NotebookNode] | None = None) -> NotebookNode:
    """Return a copy of a notebook whose cells' texts and outputs can be changed.

    Deeper values are shared with the original: a full copy takes as long as running a short cell.

    Args:
        notebook: the notebook.
        cells: the cells to copy; all of the notebook's by default.
    """
    copy = NotebookNode(notebook)
    copy.metadata = NotebookNode(notebook.metadata)
    copy.cells = [NotebookNode(cell) for cell in (notebook.cells if cells is None else cells)]
    return copy


def undrawn(notebook: NotebookNode, instead: str = "None") -> NotebookNode:
    """Return a copy of the notebook in which other code replaces the code that only displays something.

    Drawing takes most of a run's time. In a figure's cell, the last expression is replaced; the statements
    before it remain, since an answer may use the names that they assign. A cell that only displays something
    is replaced as a whole, unless a later cell uses a name that it assigns.

    Args:
        notebook: the notebook.
        instead: the code that takes the place.
    """
    copy = copied(notebook)
    needed: frozenset[str] = frozenset()
    for cell in reversed([cell for cell in copy.cells if cell.cell_type == "code"]):
        bound, used = names_of(cell.source)
        if is_shown_only(cell) and not bound & needed:
            cell.source = instead
            continue
        needed = needed - bound | used
        if is_figure(cell):
            lines = cell.source.splitlines()
            for last in parsed(cell.source).body[-1:]:
                if isinstance(last, ast.Expr):
                    cell.source = "\n".join([*lines[: last.lineno - 1], instead])
    return copy


def headings(notebook: NotebookNode) -> dict[str, tuple[str, str]]:
    """Return the prose and the heading of each cell, by its id.

    The prose is the id of the nearest cell of prose: the cell itself, or one above it. The heading is that of
    its section.
    """
    headings_of: dict[str, tuple[str, str]] = {}
    under = prose = ""
    for cell in notebook.cells:
        inside = HEADING.findall(cell.source) if cell.cell_type == "markdown" else []
        begins = bool(inside) and cell.source.lstrip().startswith("#")
        prose = cell["id"] if cell.cell_type == "markdown" else prose
        headings_of[cell["id"]] = prose, inside[0] if begins else under
        under = inside[-1] if inside else under
    return headings_of
