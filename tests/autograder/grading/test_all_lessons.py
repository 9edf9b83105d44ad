"""Every lesson goes through nbgrader, from release to feedback and export, with nbgrader's own steps.

One class, one gradebook: a student who did nothing, one who hands in the solution, and one who answers each
find-the-bug task and each first task wrongly in a known way.
"""

import csv
import os
import shutil
import sys
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config import PyFileConfigLoader

from autograder.bank import load
from autograder.build.preprocessors import faulty_code
from autograder.build.release import write_notebook
from autograder.build.source import is_answer, read_source

ROOT = Path(__file__).parents[3]
LESSONS = sorted(path.parent.name for path in (ROOT / "source").glob("*/tasks.py"))
WRITTEN = "I think it is because of the numbers."

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]


def written(notebook):
    return [cell for cell in notebook.cells if is_answer(cell) and cell.cell_type == "markdown"]


def faulty_tasks(solved):
    return {cell["id"].removesuffix("-answer") for cell in solved.cells if faulty_code(cell.source)}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    place = tmp_path_factory.mktemp("course") / "course"
    place.mkdir()
    shutil.copy(ROOT / "nbgrader_config.py", place)
    return place


@pytest.fixture(scope="module")
def nbgrader(course):
    config = PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    config.CourseDirectory.root = str(course)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{before}"
    yield NbGraderAPI(CourseDirectory(config=config), config=config)
    os.environ["PATH"] = before


@pytest.fixture(scope="module", params=LESSONS)
def lesson(request, course, nbgrader):
    """A lesson released, handed in three times, graded, and with feedback; its solved source."""
    name = request.param
    solved = read_source(ROOT / "source" / name / f"{name}.py")
    write_notebook(solved, course / "source" / name / f"{name}.ipynb")
    succeeded(nbgrader.generate_assignment(name))
    release = nbformat.read(course / "notebooks" / name / f"{name}.ipynb", as_version=4)
    faulty = deepcopy(solved)
    released = {cell["id"]: cell.source for cell in release.cells}
    for cell in faulty.cells:
        if faulty_code(cell.source):
            cell.source = released[cell["id"]] + "\n# looked at it for an hour"
    for cell in written(faulty):
        cell.source = WRITTEN
    for student, made in {"idle": release, "perfect": solved, "puzzled": faulty}.items():
        path = course / "submitted" / student / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(made, path)
        succeeded(nbgrader.autograde(name, student))
    succeeded(nbgrader.generate_feedback(name))
    return name, solved


def succeeded(result):
    assert result["success"], result.get("error") or result.get("log")


def grades(course, student, lesson):
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        notebook = book.find_submission_notebook(lesson, lesson, student)
        return {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in notebook.grades}


def test_the_committed_release_is_what_nbgrader_makes(course, lesson):
    name, _ = lesson
    made = course / "notebooks" / name / f"{name}.ipynb"
    assert nbformat.read(made, 4) == nbformat.read(ROOT / "notebooks" / name / f"{name}.ipynb", 4)


def test_nothing_done_earns_nothing(course, lesson):
    assert {score for score, _ in grades(course, "idle", lesson[0]).values()} == {0}


def test_the_solution_earns_every_point_that_checks_give(course, lesson):
    name, _ = lesson
    found = grades(course, "perfect", name)
    for task in load(name).tasks.values():
        assert found[task.id] == (task.points, False), task.id


def test_written_answers_wait_for_a_person(course, lesson):
    name, solved = lesson
    questions = [cell["id"] for cell in written(solved)]
    found = grades(course, "puzzled", name)
    assert {question: found[question] for question in questions} == dict.fromkeys(questions, (None, True))


def test_faulty_code_left_as_it_was_earns_nothing_and_costs_nothing_else(course, lesson):
    name, solved = lesson
    found = grades(course, "puzzled", name)
    kept = faulty_tasks(solved)
    for task in load(name).tasks.values():
        if task.id in kept:
            assert found[task.id][0] == 0, task.id
        elif not kept & set(task.needs):
            assert found[task.id][0] == task.points, task.id


def test_feedback_says_what_was_earned_and_shows_the_written_answer(course, lesson):
    name, solved = lesson
    for student in ("idle", "perfect", "puzzled"):
        page = (course / "feedback" / student / name / f"{name}.html").read_text(encoding="utf-8")
        assert all(task.title in page for task in load(name).tasks.values())
        if student == "puzzled" and written(solved):
            assert WRITTEN in page


def test_the_export_has_a_row_for_every_student_and_lesson(course, lesson, nbgrader):
    from nbgrader.plugins import CsvExportPlugin

    place = course / "grades.csv"
    plugin = CsvExportPlugin(to=str(place))
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        plugin.export(book)
    rows = list(csv.DictReader(place.open(encoding="utf-8")))
    name, _ = lesson
    most = sum(task.points for task in load(name).tasks.values())
    scores = {row["student_id"]: float(row["score"]) for row in rows if row["assignment"] == name}
    assert scores["idle"] == 0
    assert scores["perfect"] == most
