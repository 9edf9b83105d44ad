"""Release a lesson as an exam: only the exam's tasks, without the prose that teaches them."""

from __future__ import annotations

import ast

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.classroom.bundle_wheels import CannotBundle
from autograder.records.cell_roles import (
    HEADING,
    OF_RELEASE,
    RELEASE,
    copied,
    is_answer,
    release_of,
    tasks_of,
)
from autograder.records.course import Course
from autograder.records.parse_cells import parsed


def write_releases(course: Course, lesson: str) -> list[str]:
    """Replace a lesson's release by its exam, in all languages. Submissions are then graded against the exam.

    Returns:
        The ids of the exam's tasks.

    Raises:
        CannotBundle: no task of the lesson is in the course's exam, or students have already submitted the
            lesson.
    """
    tasks = [
        task for task, of_lesson in course.lesson_of().items() if of_lesson == lesson and task in course.exam
    ]
    if not tasks:
        raise CannotBundle(f"{lesson} has no task that `exam` in course.toml names.")
    if any((course.root / "submitted").glob(f"*/{lesson}")):
        raise CannotBundle(
            f"{lesson} was handed in here. Clone the course anew, give it the class list again (autograder "
            "roster), and make the exam there."
        )
    for language in (".", *course.languages[1:]):
        path = course.root / "notebooks" / language / lesson / f"{lesson}.ipynb"
        if path.is_file():
            nbformat.write(_exam(nbformat.read(path, as_version=4), tasks, course), path)
    return tasks


def _exam(released: NotebookNode, tasks: list[str], course: Course) -> NotebookNode:
    """Return a released notebook with nothing but some tasks, and what they import."""
    title = next(iter(HEADING.findall(released.cells[0].source)), course.title)
    imports = dict.fromkeys(
        ast.unparse(statement)
        for cell in released.cells
        if cell.cell_type == "code" and not is_answer(cell)
        for statement in parsed(cell.source).body
        if isinstance(statement, ast.Import | ast.ImportFrom) and not _is_ours(statement, course)
    )
    setup = "\n".join(["from autograder import check", *imports])
    cells = [new_markdown_cell(f"# {title}", id="title"), new_code_cell(setup, id="setup")]
    for number, cell in enumerate(released.cells):
        task = cell["id"].removesuffix("-answer")
        if task in tasks:
            if is_answer(cell):
                cells.append(new_markdown_cell(_statement(released.cells[:number], task), id=f"{task}-task"))
            cells.append(cell)
    exam = copied(released, cells)
    exam.metadata[OF_RELEASE] = {**exam.metadata.get(OF_RELEASE, {}), RELEASE: release_of(tasks_of(exam))}
    return exam


def _is_ours(statement: ast.Import | ast.ImportFrom, course: Course) -> bool:
    """Tell whether a statement imports the tool or a package of the course's, which may hold an answer."""
    from_module = statement.module if isinstance(statement, ast.ImportFrom) else None
    names = [from_module] if from_module else [name.name for name in statement.names]
    return any(name.partition(".")[0] in {"autograder", *course.preload} for name in names)


def _statement(above: list[NotebookNode], task: str) -> str:
    """Return what a task asks: the prose that names it, or the last one, from the heading before that on."""
    prose: list[str] = [cell.source for cell in above if cell.cell_type == "markdown"]
    text = next((text for text in reversed(prose) if f"`{task}`" in text), prose[-1])
    end = text.find(f"`{task}`") % (len(text) + 1)
    starts = [match.start() for match in HEADING.finditer(text) if match.start() < end]
    return text[starts[-1] if starts else 0 :]
