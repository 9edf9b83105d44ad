"""A class that this course is given to: its folder, and what its lessons are worth."""

from __future__ import annotations

import shutil
from pathlib import Path

from autograder.records.course import Course
from nbformat import NotebookNode

ROOT = Path(__file__).parents[1]


def class_folder(folder: Path, *lessons: str) -> Path:
    """A class's folder: some of the course's lessons as they are released, and the course's own answers."""
    for lesson in lessons:
        for name in ("notebooks", "source"):
            shutil.copytree(ROOT / name / lesson, folder / name / lesson)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    described = (ROOT / "course.toml").read_text(encoding="utf-8")
    bank = f'"{(ROOT / "bank").as_posix()}"'
    (folder / "course.toml").write_text(described.replace('"bank"', bank), encoding="utf-8")
    course = Course.read(ROOT)
    for added in (course.adds.experiments, course.adds.mine, course.quiz, course.review):
        (folder / added).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / added, folder / added)
    return folder


def full_points(lesson: str) -> float:
    """What a lesson's tasks are worth together."""
    return float(sum(task.points for task in Course.read(ROOT).load(lesson).tasks.values()))


def without_figures(notebook: NotebookNode) -> NotebookNode:
    """A lesson for tests that are not about its figures: drawing them takes most of a run."""
    notebook.cells = [cell for cell in notebook.cells if "figure" not in cell.metadata.get("tags", ())]
    return notebook
