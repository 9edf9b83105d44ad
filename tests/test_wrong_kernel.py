"""A released notebook in a kernel without the course says which to choose, and shows no traceback."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from autograder.author.preprocessors import WRONG_KERNEL
from autograder.records.course import Course
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
LESSONS = Course.read(ROOT).lessons
# The kernel's own Python, as another one has it: with ipykernel, and without what this course is.
OTHER = (
    "import sys, pathlib",
    "names = ('autograder', 'visuals')",
    "own = lambda path: any(pathlib.Path(path, name, '__init__.py').is_file() for name in names)",
    "sys.path[:] = [path for path in sys.path if not own(path)]",
)


def run(path):
    """All cells of a notebook, run in a kernel without the course."""
    notebook = nbformat.read(path, as_version=4)
    options = {"allow_errors": True, "coalesce_streams": True}  # what is printed may arrive in pieces
    client = NotebookClient(notebook, resources={"metadata": {"path": str(path.parent)}}, **options)
    client.extra_arguments = [f"--IPKernelApp.exec_lines={line}" for line in OTHER]
    client.execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_a_kernel_without_the_course_says_what_to_choose_and_nothing_else():
    for cell in run(ROOT / "notebooks/03-causal/03-causal.ipynb"):  # whose stubs would be printed
        assert [output.get("text", "").strip() for output in cell.outputs] == [WRONG_KERNEL], cell.source


@pytest.mark.parametrize("spoken", ["bn", "hi_Latn"])
def test_it_is_said_in_the_notebooks_language(spoken):
    path = ROOT / "notebooks" / spoken / LESSONS[0] / f"{LESSONS[0]}.ipynb"
    first = next(cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
    assert "set_custom_exc" in first.source
    assert WRONG_KERNEL not in first.source
