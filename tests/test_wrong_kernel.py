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
    client = NotebookClient(notebook, allow_errors=True, resources={"metadata": {"path": str(path.parent)}})
    client.extra_arguments = [f"--IPKernelApp.exec_lines={line}" for line in OTHER]
    client.execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_kernel_without_the_course_says_what_to_choose_and_shows_no_traceback(lesson):
    first, *rest = run(ROOT / "notebooks" / lesson / f"{lesson}.ipynb")
    assert [output.text.strip() for output in first.outputs] == [WRONG_KERNEL]
    shown = [output for cell in rest for output in cell.outputs]
    assert [output for output in shown if output.output_type == "error"] == []
    printed = {output.text.strip() for output in shown if output.output_type == "stream"}
    assert printed - {""} == {WRONG_KERNEL}


@pytest.mark.parametrize("spoken", ["bn", "hi_Latn"])
def test_it_is_said_in_the_notebooks_language(spoken):
    path = ROOT / "notebooks" / spoken / LESSONS[0] / f"{LESSONS[0]}.ipynb"
    first = next(cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
    assert "set_custom_exc" in first.source
    assert WRONG_KERNEL not in first.source
