"""What an exam's bundle lets a student earn: each task's own solution, written into its answer cell alone."""

import re

import nbformat
import pytest
from autograder.author.parse_source import answers_in
from autograder.classroom.exam_release import write_releases
from autograder.classroom.student_bundle import bundle
from autograder.command import app as cli
from autograder.records.course import Course
from autograder.records.parse_cells import words_of
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from tests.classes import ROOT, class_folder

COURSE = Course.read(ROOT)
LESSON_OF = COURSE.lesson_of()
LESSONS = sorted({LESSON_OF[task] for task in COURSE.exam})
ONE = "05-multi-head"

pytestmark = [pytest.mark.timeout(900), pytest.mark.usefixtures("walls")]


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class's folder: Ada has handed in every exam with the solution alone, and Bob one that fails."""
    folder = class_folder(tmp_path_factory.mktemp("exam") / "class", *LESSONS)
    (folder / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    course = Course.read(folder)
    for lesson in LESSONS:
        write_releases(course, lesson, LESSONS)
    out = folder.parent / "exam"
    bundle(course, LESSONS, out, exam=True)
    for lesson in LESSONS:
        answers = answers_in(ROOT / "source" / lesson, lesson)
        for student in ("ada", "bob"):
            notebook = nbformat.read(out / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)
            for cell in notebook.cells:
                cell.source = answers.get(cell["id"], cell.source)
                if student == "bob":  # who calls what nothing defines
                    cell.source = cell.source.replace(" split_heads(", " split_into_heads(")
            path = folder / "submitted" / student / lesson / f"{lesson}.ipynb"
            if student == "ada" or lesson == ONE:
                path.parent.mkdir(parents=True)
                nbformat.write(notebook, path)
    result = CliRunner().invoke(cli.app, ["grade", *LESSONS, "--course", str(folder)])
    assert result.exit_code == 0, result.output
    return folder


@pytest.mark.parametrize("task_id", COURSE.exam)
def test_the_courses_own_solution_alone_earns_all_points(task_id, graded):
    lesson = LESSON_OF[task_id]
    with Gradebook(f"sqlite:///{graded}/gradebook.db") as book:
        grade = book.find_grade(task_id, lesson, lesson, "ada")
        points = COURSE.load(lesson).tasks[task_id].points
        assert (grade.auto_score, grade.max_score) == (points, points)


@pytest.mark.parametrize("lesson", LESSONS)
def test_all_that_a_statement_names_of_the_lesson_is_told_of(lesson, graded):
    notebook = nbformat.read(graded / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)
    cells = {cell["id"]: cell.source for cell in notebook.cells}
    bank = COURSE.load(lesson)
    for task in (bank.tasks[name] for name in bank.tasks if name in COURSE.exam):
        statement, told = cells[f"{task.id}-task"], cells.get(f"{task.id}-given", "")
        names = {other.name for other in bank.tasks.values() if other.id != task.id}
        named = names & set(re.findall(r"`(\w+)[`(]", statement)) - words_of(task.signature)
        needed = {bank.tasks[need].name for need in task.needs}
        assert {name for name in named | needed if f"`{name}`" not in told} == set()


def test_nobody_is_told_to_correct_what_was_never_asked(graded):
    page = (graded / "autograded" / "bob" / ONE / f"{ONE}.ipynb").read_text(encoding="utf-8")
    assert "split_into_heads" in page
    assert "not right yet" not in page
