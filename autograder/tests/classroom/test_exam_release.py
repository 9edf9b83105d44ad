"""An exam for a class: what students get says only that an answer is received, and it is graded as always."""

import csv
import os
import subprocess
import sys
import zipfile

import nbformat
import pytest
from autograder.classroom.bundle_wheels import CannotBundle
from autograder.classroom.exam_release import GIVEN, write_releases
from autograder.command import app as cli
from autograder.records.cell_roles import is_test
from autograder.records.course import Course
from nbgrader.api import Base, Gradebook
from sqlalchemy import create_engine
from support.class_course import LESSON, OTHER, class_folder
from support.handing_in import run
from typer.testing import CliRunner

# Of nbgrader's own way of adding.
pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")

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
    said = run(folder, "bundle", LESSON, "--exam", "--out", tmp_path / "exam")
    assert "It asks convolve, convolution." in said
    assert f"create an assignment that is called {LESSON} exam and has 4 points" in said
    return tmp_path / "exam"


def test_an_exam_asks_its_tasks_alone_and_teaches_nothing(given):
    notebook = nbformat.read(given / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    assert [cell["id"] for cell in notebook.cells if is_test(cell)] == ["convolve", "convolution"]
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    headings = [text.splitlines()[0] for text in prose]
    asks = "`convolve` is asked in this exam as well: what you write there is yours to use here."
    assert headings == [
        "# 01 · Convolution",
        "## Any signal, any kernel",
        "## A kernel that is learned",
        asks,
    ]
    assert not [cell for cell in notebook.cells if cell["id"] == GIVEN]


def test_what_a_task_builds_on_is_given_and_told_unless_the_bundle_asks_it(folder):
    described = (folder / "course.toml").read_text(encoding="utf-8")
    (folder / "course.toml").write_text(described.replace("convolve = 10\n", ""), encoding="utf-8")
    assert write_releases(Course.read(folder), LESSON) == ["convolution"]
    notebook = nbformat.read(folder / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    cells = {cell["id"]: cell.source for cell in notebook.cells}
    assert cells[GIVEN].startswith("# Given in this exam: convolve\n\n\ndef convolve(signal, kernel):\n")
    assert "windows = [" in cells[GIVEN]
    assert "SOLUTION" not in cells[GIVEN]
    assert cells["convolution-given"] == (
        "**Given:** `convolve`. The cell at the top of this exam defines it; you need not write it."
    )
    write_releases(Course.read(folder), LESSON)
    assert nbformat.read(folder / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4) == notebook


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


@pytest.fixture
def scored(folder, given):
    """The class's folder with a score in the exam."""
    database = f"sqlite:///{folder}/gradebook.db"
    Base.metadata.create_all(create_engine(database))
    with Gradebook(database) as book:
        book.add_assignment(LESSON)
        book.add_notebook(LESSON, LESSON)
        book.add_grade_cell("convolve", LESSON, LESSON, max_score=4, cell_type="code")
        book.add_student("ada", first_name="Ada", last_name="Lovelace", lms_user_id="71")
        book.add_submission(LESSON, "ada")
        grade = book.find_grade("convolve", LESSON, LESSON, "ada")
        grade.auto_score, grade.needs_manual_grade = 3, False
        book.db.commit()
    return folder


def export(folder, *arguments):
    """What `export` says, and why it refuses."""
    result = CliRunner().invoke(cli.app, ["export", *map(str, arguments), "--course", str(folder)])
    return " ".join(f"{result.output} {result.exception or ''}".split())


def exported(folder, *columns, options=()):
    """What is said of a Canvas gradebook of such columns, names and maxima, and what Ada has there then."""
    names = ",".join(f"{name} ({number})" for number, (name, _) in enumerate(columns, 991))
    most = ",".join(str(maximum) for _, maximum in columns)
    sheet, out = folder / "canvas.csv", folder / "filled.csv"
    sheet.write_text(
        f"Student,ID,SIS Login ID,Section,{names}\nPoints Possible,,,,{most}\n"
        f'"Lovelace, Ada",71,ada,A,{",".join("1" for _ in columns)}\n',
        encoding="utf-8",
    )
    out.unlink(missing_ok=True)
    said = export(folder, "--canvas", sheet, "--out", out, *options)
    row = list(csv.reader(out.open(encoding="utf-8")))[2][4:] if out.exists() else None
    return said, row


@pytest.mark.parametrize("options", [(), ("--scale",)])
def test_an_exams_scores_go_into_its_own_column_and_never_into_the_homeworks(scored, options):
    for name in (f"{LESSON} exam", f"{LESSON} (Exam)"):
        said, row = exported(scored, (LESSON, 20), (name, 4), options=options)
        assert (row, "say --scale" in said) == (["1", "3"], False)
    said, row = exported(scored, (LESSON, 20), ("Exam", 4), options=options)
    assert (row, "say --scale" in said) == (None, False)
    assert f"No column is called as a lesson that is graded: {LESSON} exam." in said
    said, row = exported(scored, (LESSON, 4), options=options)
    assert row is None


@pytest.mark.parametrize("options", [(), ("--scale",)])
def test_of_columns_of_one_name_only_that_with_our_maximum_is_filled(scored, options):
    said, row = exported(scored, (f"{LESSON} exam", 20), (f"{LESSON} exam", 4), options=options)
    assert (row, "say --scale" in said) == (["1", "3"], False)
    assert f"left as it was: the column called {LESSON} exam whose maximum is 20" in said
    said, row = exported(scored, (f"{LESSON} exam", 20), (f"{LESSON} exam", 10), options=options)
    assert (row, "say --scale" in said) == (None, False)
    assert f"2 columns are called {LESSON} exam, and none has 4 points." in said


def test_a_moodle_worksheet_of_another_maximum_is_taken_for_the_homeworks(scored):
    sheet = scored / "moodle.csv"
    sheet.write_text(
        "Identifier,Full name,Email address,Grade,Maximum Grade\n"
        "Participant 71,Ada Lovelace,ada@uni.example,9,20\n",
        encoding="utf-8",
    )
    said = export(scored, LESSON, "--moodle", sheet)
    assert f"Take the worksheet of the assignment {LESSON} exam" in said
    assert "--scale" not in said


def test_who_handed_in_the_lesson_is_graded_by_the_lesson(folder):
    (folder / "submitted" / "ada" / LESSON).mkdir(parents=True)
    with pytest.raises(CannotBundle, match="was handed in here"):
        write_releases(Course.read(folder), LESSON)
    with pytest.raises(CannotBundle, match="has no task"):
        write_releases(Course.read(folder), OTHER)
