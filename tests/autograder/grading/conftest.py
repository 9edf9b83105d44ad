"""A tiny release, and what a learner may hand in for it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from autograder.grading.banks import Banks
from autograder.grading.runner import SandboxRunner
from autograder.records.course import Course
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).parents[3]


def class_folder(place: Path, *lessons: str) -> Path:
    """A class's folder: some of the course's lessons as they are released, and the course's own answers."""
    for lesson in lessons:
        for name in ("notebooks", "source"):
            shutil.copytree(ROOT / name / lesson, place / name / lesson)
    shutil.copy(ROOT / "nbgrader_config.py", place)
    described = (ROOT / "course.toml").read_text(encoding="utf-8")
    bank = f'"{(ROOT / "bank").as_posix()}"'
    (place / "course.toml").write_text(described.replace('"bank"', bank), encoding="utf-8")
    added = Course.read(ROOT).adds.experiments
    (place / added).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / added, place / added)
    return place


def full_points(lesson: str) -> float:
    """What a lesson's tasks are worth together."""
    return float(sum(task.points for task in Course.read(ROOT).load(lesson).tasks.values()))


def marks(name: str, solution: bool, points: int = 0) -> dict[str, object]:
    made = {
        "cell_type": "code",
        "grade": not solution,
        "grade_id": name,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    return {"nbgrader": made if solution else {**made, "points": points}}


def without_figures(notebook: NotebookNode) -> NotebookNode:
    """A lesson for tests that are not about its figures: drawing them takes most of a run."""
    notebook.cells = [cell for cell in notebook.cells if "figure" not in cell.metadata.get("tags", ())]
    return notebook


@pytest.fixture(scope="session")
def sandbox(walls: None) -> Iterator[SandboxRunner]:
    """One sandbox of the course for all files, by its public banks: to start one takes many seconds."""
    made = SandboxRunner(Banks.of(Course.read(ROOT)))
    yield made
    made.close()


@pytest.fixture
def release() -> NotebookNode:
    """Prose, setup, a given, two tasks with their checks, a figure."""
    return new_notebook(
        cells=[
            new_markdown_cell("# A tiny lesson", id="title"),
            new_code_cell("import torch\nfrom autograder import check", id="setup"),
            new_code_cell("table = torch.tensor([[1.0]])", id="example-data", metadata={"tags": ["given"]}),
            new_code_cell("def share(x):\n    ...", id="share-answer", metadata=marks("share-answer", True)),
            new_code_cell('check("share")', id="share", metadata=marks("share", False, 3)),
            new_code_cell("draw(table)", id="figure", metadata={"tags": ["figure"]}),
            new_code_cell("row_sums = ...", id="row-sums-answer", metadata=marks("row-sums-answer", True)),
            new_code_cell('check("row-sums")', id="row-sums", metadata=marks("row-sums", False, 2)),
            new_code_cell("print(row_sums)", id="shown"),
        ]
    )


@pytest.fixture
def submission(release: NotebookNode) -> NotebookNode:
    """The release with both answers filled in."""
    from copy import deepcopy

    made = deepcopy(release)
    cells = {cell["id"]: cell for cell in made.cells}
    cells["share-answer"].source = "def share(x):\n    return x / x.sum()"
    cells["row-sums-answer"].source = "row_sums = table.sum(dim=1)"
    return made


@pytest.fixture
def cell_of() -> Callable[[NotebookNode, str], NotebookNode]:
    """The cell of that id."""
    return lambda notebook, name: next(cell for cell in notebook.cells if cell["id"] == name)
