"""An exam for a class: what students get says only that an answer is received, and it is graded as always."""

import os
import subprocess
import sys
import zipfile

import nbformat
import pytest
from autograder.classroom.bundle_wheels import CannotBundle
from autograder.classroom.exam_release import write_releases
from autograder.records.cell_roles import is_test
from autograder.records.course import Course
from nbgrader.api import Gradebook
from support.class_course import LESSON, OTHER, class_folder
from support.handing_in import run

RIGHT = "def convolve(signal, kernel):\n    return signal.unfold(0, len(kernel), 1) @ kernel"
WRONG = RIGHT.replace("@ kernel", "@ kernel.flip(0)")


@pytest.fixture
def folder(class_course, tmp_path):
    """A class's folder, in whose course two tasks can be asked in an exam."""
    folder = class_folder(class_course, tmp_path / "class", LESSON, OTHER)
    with (folder / "course.toml").open("a", encoding="utf-8") as described:
        described.write("\n[exam]\nconvolve = 10\nconvolution = 15\n")
    return folder


@pytest.fixture
def given(folder, tmp_path):
    """What students get."""
    assert "It asks convolve, convolution." in run(
        folder, "bundle", LESSON, "--exam", "--out", tmp_path / "exam"
    )
    return tmp_path / "exam"


def test_an_exam_asks_its_tasks_alone_and_teaches_nothing(given):
    notebook = nbformat.read(given / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    assert [cell["id"] for cell in notebook.cells if is_test(cell)] == ["convolve", "convolution"]
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    headings = [text.splitlines()[0] for text in prose]
    assert headings == ["# 01 · Convolution", "## Any signal, any kernel", "## A kernel that is learned"]


def test_its_checks_say_received_and_its_notebook_needs_no_course(given, tmp_path):
    notebook = nbformat.read(given / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    cells = {cell["id"]: cell.source for cell in notebook.cells}
    setup = cells["install-the-checks"].replace("if wanted:", "if False:")
    code = "\n".join([setup, cells["setup"], WRONG, f"print({cells['convolve']})"])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AUTOGRADER")}
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=given, env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == ["Received."]


def test_it_holds_the_tool_and_nothing_of_the_course(given):
    (wheel,) = given.glob("*.whl")
    assert wheel.name.startswith("lesson_autograder-")
    with zipfile.ZipFile(wheel) as packed:
        assert not [name for name in packed.namelist() if name.endswith(".safetensors")]
    assert not (given / "course.toml").exists()
    assert f"({LESSON}/{LESSON}.ipynb)" in (given / "notebooks" / "welcome.md").read_text(encoding="utf-8")


def test_what_is_handed_in_is_graded_as_always_out_of_the_exams_points(folder, given, walls):
    notebook = nbformat.read(given / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    for student, answer in (("ada", RIGHT), ("bob", WRONG)):
        for cell in notebook.cells:
            if cell["id"] == "convolve-answer":
                cell.source = answer
        path = folder / "submitted" / student / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    run(folder, "grade", LESSON)
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        graded = [book.find_submission(LESSON, student) for student in ("ada", "bob")]
        assert [(each.score, each.max_score) for each in graded] == [(2.0, 4.0), (0.0, 4.0)]
    feedback = (folder / "autograded" / "bob" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    assert "Your kernel is turned round." in feedback
    assert "put back" not in feedback


def test_who_handed_in_the_lesson_is_graded_by_the_lesson(folder):
    (folder / "submitted" / "ada" / LESSON).mkdir(parents=True)
    with pytest.raises(CannotBundle, match="was handed in here"):
        write_releases(Course.read(folder), LESSON)
    with pytest.raises(CannotBundle, match="has no task"):
        write_releases(Course.read(folder), OTHER)
