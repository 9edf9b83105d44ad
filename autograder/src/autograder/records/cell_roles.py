"""What the marks of a notebook's cells say: which are a learner's, which test, which only show something."""

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
    """Return the ids of a notebook's graded and of its answer cells."""
    marks = (cell.metadata.get("nbgrader", {}) for cell in notebook.cells)
    return frozenset(mark["grade_id"] for mark in marks if mark.get("grade") or mark.get("solution"))


def release_of(tasks: Collection[str]) -> str:
    """Return the id of a release: it is another one where its tasks are others."""
    return hashlib.sha256(json.dumps(sorted(tasks)).encode()).hexdigest()[:12]


def claimed_release(notebook: NotebookNode) -> str:
    """Return the release that a notebook says it is; "" where it says none."""
    about = notebook.metadata.get(OF_RELEASE, {})
    release = about.get(RELEASE, "") if isinstance(about, dict) else ""
    return release if isinstance(release, str) else ""


def stated_time(text: str) -> str:
    """Return the time that a lesson's first cell says it takes; "" where it says none."""
    time = TIME.search(text)
    return time[1] if time else ""


def is_answer(cell: NotebookNode) -> bool:
    """Tell whether a cell is a learner's to write in."""
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def is_learners(cell: NotebookNode) -> bool:
    """Tell whether a rebuilt notebook's cell holds a learner's text: an answer, or a cell of theirs."""
    return cell["id"].startswith(ADDED) or (is_answer(cell) and not cell.metadata.get(STANDS_IN))


def is_test(cell: NotebookNode) -> bool:
    """Tell whether a cell is a task's check."""
    marks = cell.metadata.get("nbgrader", {})
    return bool(marks.get("grade")) and not marks.get("solution") and cell.cell_type == "code"


def is_given(cell: NotebookNode) -> bool:
    """Tell whether a cell holds a lesson's example data."""
    return "given" in cell.metadata.get("tags", ())


def is_measured(cell: NotebookNode) -> bool:
    """Tell whether what a cell shows was measured, and so is other on each machine and in each run."""
    return "measured" in cell.metadata.get("tags", ())


def package_missing(cell: NotebookNode) -> str:
    """Return the package that a cell tagged `needs-NAME` runs with, where it is not installed; else ""."""
    needed = (tag.removeprefix(NEEDS) for tag in cell.metadata.get("tags", ()) if tag.startswith(NEEDS))
    return next((name for name in needed if not find_spec(name)), "")


def is_figure(cell: NotebookNode) -> bool:
    """Tell whether a cell's last expression shows a picture of the course's."""
    return "figure" in cell.metadata.get("tags", ())


def is_shown_only(cell: NotebookNode) -> bool:
    """Tell whether a cell of the course's only shows something."""
    return "shown" in cell.metadata.get("tags", ())


def copied(notebook: NotebookNode, cells: Iterable[NotebookNode] | None = None) -> NotebookNode:
    """Return a copy of a notebook, with some of its cells or all, whose cells can get other text and outputs.

    What lies deeper is shared: a full copy takes as long as running a short cell.
    """
    copy = NotebookNode(notebook)
    copy.metadata = NotebookNode(notebook.metadata)
    copy.cells = [NotebookNode(cell) for cell in (notebook.cells if cells is None else cells)]
    return copy


def undrawn(notebook: NotebookNode, instead: str = "None") -> NotebookNode:
    """Return a copy of the notebook in which other code stands in the place of what the course only shows.

    Drawing takes most of a run's time. It is the last expression of a figure's cell; what stands before it
    runs, since an answer may use the names that it gives a value to. A cell that only shows something does
    not run at all, unless a later one uses a name of it.
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
    """For each cell's id, the cell of prose that it is or follows, and the heading that this stands under."""
    headings_of: dict[str, tuple[str, str]] = {}
    under = prose = ""
    for cell in notebook.cells:
        inside = HEADING.findall(cell.source) if cell.cell_type == "markdown" else []
        begins = bool(inside) and cell.source.lstrip().startswith("#")
        prose = cell["id"] if cell.cell_type == "markdown" else prose
        headings_of[cell["id"]] = prose, inside[0] if begins else under
        under = inside[-1] if inside else under
    return headings_of
