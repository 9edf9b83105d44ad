"""nbgrader's own commands on a course that was just cloned: nothing was built, and there is no gradebook."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import nbformat
import pytest
from autograder.author.source import read_source
from autograder.grading.class_folder import Class
from nbgrader.api import Gradebook
from nbgrader.utils import get_username
from support.class_course import FULL, LESSON, class_folder

pytestmark = pytest.mark.slow


@pytest.fixture
def clone(class_course, tmp_path):
    """The course as git has it: without the notebooks that a build leaves beside its sources."""
    place = class_folder(class_course, tmp_path / "clone", LESSON)
    for made in (*place.glob("source/*/*.ipynb"), *place.glob("gradebook.db*")):
        made.unlink()
    return place


def nbgrader(folder: Path, *words: object) -> str:
    """Run one of nbgrader's commands, in a folder and with a home of its own; what it said."""
    home = folder.with_name(f"home of {folder.name}")
    home.mkdir(exist_ok=True)
    # nbgrader runs `alembic` by its name.
    path = os.pathsep.join((sysconfig.get_path("scripts"), os.environ.get("PATH", "")))
    known = {"HOME": str(home), "JUPYTER_DATA_DIR": str(home), "PATH": path}
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *map(str, words)],
        cwd=folder,
        env=os.environ | known,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def score(place: Path, student: str) -> float:
    course = Class(place)
    with Gradebook(course.database, course.directory.course_id) as book:
        return float(book.find_submission(LESSON, student).score)


def hand_in(solved: nbformat.NotebookNode, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(solved, folder / f"{LESSON}.ipynb")


def test_a_release_is_made_of_the_lesson_and_comes_out_as_it_was_built(clone):
    release = clone / "notebooks" / LESSON / f"{LESSON}.ipynb"
    before = release.read_bytes()
    release.unlink()
    nbgrader(clone, "generate_assignment", LESSON)
    assert release.read_bytes() == before


def test_what_was_handed_in_is_graded_though_no_release_was_made_here(clone, walls):
    hand_in(read_source(clone / "source" / LESSON / f"{LESSON}.py"), clone / "submitted" / "ada" / LESSON)
    nbgrader(clone, "autograde", LESSON)
    assert score(clone, "ada") == FULL


def test_the_exchange_takes_a_release_to_a_student_and_the_feedback_back(clone, walls, tmp_path):
    ada = get_username()  # nbgrader knows who hands in by the account, so both are one here
    course = Class(clone).directory.course_id
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    student = tmp_path / "student"
    student.mkdir()
    shared = f"--Exchange.root={exchange}", f"--course={course}"

    nbgrader(clone, "generate_assignment", LESSON)
    nbgrader(clone, "release_assignment", LESSON, *shared)
    assert LESSON in nbgrader(student, "list", *shared)
    nbgrader(student, "fetch_assignment", LESSON, *shared)
    assert [path.name for path in (student / LESSON).iterdir()] == [f"{LESSON}.ipynb"]
    hand_in(read_source(clone / "source" / LESSON / f"{LESSON}.py"), student / LESSON)
    nbgrader(student, "submit", LESSON, *shared)
    nbgrader(clone, "collect", LESSON, *shared)
    nbgrader(clone, "autograde", LESSON)
    assert score(clone, ada) == FULL
    nbgrader(clone, "generate_feedback", LESSON)
    nbgrader(clone, "release_feedback", LESSON, *shared)
    nbgrader(student, "fetch_feedback", LESSON, *shared)
    (page,) = (student / LESSON / "feedback").rglob("*.html")
    assert f"{FULL:g}" in page.read_text(encoding="utf-8")
    # A second release, after the first was taken back and the gradebook was lost.
    nbgrader(clone, "list", "--remove", LESSON, *shared)
    for kept in clone.glob("gradebook.db*"):
        kept.unlink()
    shutil.rmtree(clone / "autograded")
    nbgrader(clone, "autograde", LESSON)
    nbgrader(clone, "release_assignment", LESSON, *shared)
    assert score(clone, ada) == FULL
