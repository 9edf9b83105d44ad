"""nbgrader's own commands, for real, on a copy of this course: from release to grades and feedback.

One cycle runs for the whole file; each test looks at one part of what came out. What a class hands in
otherwise is graded in `test_class`.
"""

import csv
import os
import shutil
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.build.release import write_notebook
from autograder.build.source import read_source
from autograder.course import Course
from tests.autograder.grading.conftest import class_folder

ROOT = Path(__file__).parents[3]
COURSE = Course.read(ROOT)
LESSON = "01-dot-product"
HALF = ["dot-product", "softmax-naive", "softmax-stable", "scores-loops"]
TYPED = "attn_scores_2 = torch.tensor([0.95440, 1.49500, 1.47540, 0.84340, 0.70700, 1.08650])"

# One fixture holds the whole cycle.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]


def nbgrader(course, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A copy of the course, graded: release, two submissions, grades, feedback, solutions and an export."""
    place = tmp_path_factory.mktemp("class") / "my course"
    place.mkdir()
    class_folder(place, LESSON)
    shutil.copytree(ROOT / "solutions" / LESSON, place / "solutions" / LESSON)
    solved = read_source(ROOT / "source" / LESSON / f"{LESSON}.py")
    write_notebook(solved, place / "source" / LESSON / f"{LESSON}.ipynb")
    nbgrader(place, "generate_assignment", LESSON)
    half = deepcopy(nbformat.read(place / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4))
    right = {cell["id"]: cell.source for cell in solved.cells}
    for cell in half.cells:
        if cell["id"].removesuffix("-answer") in HALF:
            cell.source = right[cell["id"]]
        elif cell["id"] == "query-scores-answer":
            cell.source = TYPED
    for student, made in {"perfect": solved, "half": half}.items():
        path = place / "submitted" / student / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(made, path)
    for step in ("autograde", "generate_feedback", "generate_solution"):
        nbgrader(place, step, LESSON)
    nbgrader(place, "export")
    return place


def test_the_release_that_nbgrader_makes_is_the_one_that_is_committed(course):
    name = Path("notebooks") / LESSON / f"{LESSON}.ipynb"
    assert (course / name).read_bytes() == (ROOT / name).read_bytes()


def test_neither_the_release_nor_a_graded_copy_holds_the_lessons_source_or_tasks(course):
    for folder in ("notebooks", "autograded", "solutions"):
        found = [path.name for path in (course / folder).rglob("*") if path.is_file()]
        assert {Path(name).suffix for name in found} == {".ipynb"}


def test_each_task_earns_what_its_own_answer_deserves_and_the_export_says_so(course):
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "attention-step-by-step") as gradebook:
        grades = {
            one.student.id: {grade.name: grade.auto_score for part in one.notebooks for grade in part.grades}
            for one in gradebook.assignment_submissions(LESSON)
        }
    tasks = COURSE.load(LESSON).tasks
    points = {name: task.points for name, task in tasks.items()}
    assert grades["perfect"] == points
    # Numbers that were typed in earn nothing, though they are the right ones; what is built from them does.
    assert grades["half"] == {name: points[name] if name in HALF else 0 for name in tasks}
    with (course / "grades.csv").open() as file:
        rows = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert rows == {student: sum(scores.values()) for student, scores in grades.items()}


def test_the_feedback_of_a_perfect_submission_says_what_was_learned(course):
    text = (course / "feedback" / "perfect" / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
    assert COURSE.load(LESSON).tasks["all-weights"].learned.split("`")[0] in text


def test_the_solution_that_nbgrader_makes_is_executed_and_without_marks(course):
    solution = nbformat.read(course / "solutions" / LESSON / f"{LESSON}.ipynb", as_version=4)
    assert "SOLUTION" not in "".join(cell.source for cell in solution.cells)
    assert all(cell.outputs for cell in solution.cells if cell["id"] in COURSE.load(LESSON).tasks)


@pytest.mark.parametrize(
    ("student", "says"),
    [
        ("half", ["VALIDATION FAILED ON 5 CELL(S)", "`context_vec_2` is still waiting for you"]),
        ("perfect", ["Success! Your notebook passes all the tests."]),
    ],
)
def test_validate_tells_a_student_what_fails_before_they_submit(course, student, says):
    said = nbgrader(course, "validate", f"submitted/{student}/{LESSON}/{LESSON}.ipynb")
    assert all(words in said for words in says)
