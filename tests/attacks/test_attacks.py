"""Every attack is run for real, in one class with honest students.

Nothing unearned, the honest unharmed, a reason written down, the machine as it was.
"""

import contextlib
import hashlib
import os
import subprocess
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from autograder.author.parse_source import read_source
from autograder.command import grading_run as command
from autograder.grading import grade_submission, job_scheduling
from autograder.grading.class_folder import Class
from autograder.grading.gradebook_writer import GradebookWriter
from autograder.grading.hidden_tests import secret
from autograder.grading.sandbox.resource_limits import MEBIBYTE, Limits
from autograder.records.course import Course
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config import PyFileConfigLoader

from tests.attacks.answers import ATTACKS, MARK, PRIVATE, answer
from tests.classes import class_folder, full_points, without_figures

ROOT = Path(__file__).parents[2]
LESSON = "01-dot-product"
TASKS = Course.read(ROOT).load(LESSON).tasks
FULL = full_points(LESSON)
HONEST = ("aaa-honest", "mmm-honest", "zzz-honest")
# Folders are named by whoever collects: a name must reach neither a terminal nor a shell as more than that.
ODD_NAMES = (
    "ruth\n2 submissions graded",
    "zz-\u202etxt.exe",
    "zz-רות",
    "zz-<img src=x onerror=alert(1)>",
    "zz-$(id)",
)
# Short, so that what never ends is ended soon. What waits for a processor is not a run's own time.
LIMITS = Limits(cell_seconds=2, seconds=60, memory_bytes=400 * MEBIBYTE)
# Both doors lead to the same sandbox and judge. By nbgrader's own, which is slow, go those for which the way
# there makes a difference, or all of them with ATTACKS=all. ATTACKS=exits,sleeps tries these alone.
BY_NBGRADER = (
    *("brings-settings", "blames-the-course", "edits-metadata", "exits", "forges-a-fault", "is-30-gigabytes"),
    *("is-a-link-to-the-honest", "is-a-pipe", "learnt-by-heart", "nested-json", "opens-machine-settings"),
    *("scripts", "surrogates", "warns-on-stderr", "a-time-of-nines", "beside-it-a-hole", "many-axes"),
    *("many-magics", "leases", "a-name-that-writes", "holds-all-it-can", "clears-the-list", "a-long-sum"),
)
NAMES = {"grade": tuple(ATTACKS), "nbgrader": BY_NBGRADER}
if chosen := os.environ.get("ATTACKS"):
    NAMES = (
        {**NAMES, "nbgrader": tuple(ATTACKS)}
        if chosen == "all"
        else dict.fromkeys(NAMES, tuple(chosen.split(",")))
    )


pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("walls"),
    pytest.mark.timeout(1800),
    # SQLAlchemy warns of the way in which nbgrader itself adds a submission.
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
]


@pytest.fixture(scope="module")
def notes():
    return {}


@pytest.fixture(scope="module", params=NAMES)
def course(request, tmp_path_factory, notes):
    """A class graded through one door: every attack, and honest students before, among and after them."""
    patch = pytest.MonkeyPatch()
    patch.setattr(job_scheduling, "LIMITS", LIMITS)
    patch.setenv(secret.OWN_FOLDER, str(tmp_path_factory.mktemp("secret")))
    folder = tmp_path_factory.mktemp(request.param) / "course"
    class_folder(folder, LESSON)
    secret.make(Course.read(ROOT), LESSON)
    solved = without_figures(read_source(ROOT / "source" / LESSON / f"{LESSON}.py"))
    released = folder / "notebooks" / LESSON / f"{LESSON}.ipynb"
    release = without_figures(nbformat.read(released, as_version=4))
    nbformat.write(release, released)
    for student in students(request.param):
        hand_in(folder, student, honest(solved))
    for name in NAMES[request.param]:
        attack = ATTACKS[name]
        notebook = deepcopy(release)
        result = attack.make(notebook) or notebook
        hand_in(folder, name, result, attack.beside, attack.hand_in)
    before = fingerprints(folder), processes()
    if request.param == "grade":
        output = []
        wanted = command.GradeOptions(Class(folder), [LESSON], jobs=2)
        summary = command.grade_class(wanted, output.append, lambda *_: None)
        asked = {f"{name} {LESSON}" for name in NAMES["grade"] if ATTACKS[name].attention}
        may_be = {f"{name} {LESSON}" for name in NAMES["grade"] if ATTACKS[name].attention is None}
        assert set(summary.faults) - may_be == asked, output
    else:
        output = through_nbgrader(folder)
    notes[request.param] = output
    yield folder, request.param, before
    grade_submission.close_sandboxes()
    patch.undo()


def students(door):
    """The honest ones; nbgrader's own commands do not take every name."""
    return (*HONEST, *ODD_NAMES) if door == "grade" else HONEST


def through_nbgrader(course_folder):
    config = PyFileConfigLoader("nbgrader_config.py", path=str(course_folder)).load_config()
    config.CourseDirectory.root = str(course_folder)
    with GradebookWriter(Class(course_folder)) as book:
        book.enter_lesson(LESSON)
    api = NbGraderAPI(CourseDirectory(config=config), config=config)
    output = []
    for folder in sorted((course_folder / "submitted").iterdir()):
        done = api.autograde(LESSON, folder.name)
        attention = folder.name in ATTACKS and ATTACKS[folder.name].attention
        if attention or (attention is None and not done["success"]):
            assert not done["success"]
            output.append(f"{folder.name}: needs a look")
            continue
        assert done["success"], (folder.name, done.get("error"), done.get("log"))
        output += [f"{folder.name}: {line}" for line in done["log"].splitlines() if "WARNING" in line]
    return output


def honest(solved):
    """The solution, with a comment in it that is nobody else's business."""
    notebook = deepcopy(solved)
    source = next(cell.source for cell in notebook.cells if cell["id"] == "dot-product-answer")
    answer(notebook, "dot-product", f"{source}\n# {PRIVATE}")
    return notebook


def hand_in(root, student, notebook, beside=(), instead=None):
    folder = root / "submitted" / student / LESSON
    folder.mkdir(parents=True)
    path = folder / f"{LESSON}.ipynb"
    if instead is not None:
        instead(path)
    elif isinstance(notebook, str):
        path.write_text(notebook, encoding="utf-8")
    else:
        nbformat.write(notebook, path)
    for name, text in beside:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def fingerprints(root):
    """Every file of the course that grading has no business changing."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in ("source", "notebooks", "submitted", "nbgrader_config.py")
        for path in sorted([root / folder, *(root / folder).rglob("*")])
        if path.is_file()
        and not path.is_symlink()
        and path.stat().st_size < 100_000_000
        and (folder, path.suffix) != ("source", ".ipynb")  # which is made of its source where it is missing
    }


def processes():
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if MARK in line]


def scores(folder, student):
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        notebook = book.find_submission_notebook(LESSON, LESSON, student)
        return {grade.name: grade.auto_score for grade in notebook.grades}


def graded(folder, student):
    return (folder / "autograded" / student / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")


def attacks(door, attention=False):
    """Names of the attacks that came through a door; apart, those for which a person is asked."""
    return [name for name in NAMES[door] if ATTACKS[name].attention == attention]


def test_an_attack_earns_what_it_has_earned_and_no_more(course):
    place, door, *_ = course
    actual = {name: scores(place, name) for name in attacks(door)}
    assert {name: len(tasks) for name, tasks in actual.items()} == dict.fromkeys(actual, len(TASKS))
    earned = {name: sum(tasks.values()) for name, tasks in actual.items()}
    assert earned == {name: ATTACKS[name].earns for name in actual}


def test_an_attack_reaches_nothing(course):
    folder, door, *_ = course
    for name in attacks(door):
        notebook = nbformat.reads(graded(folder, name), as_version=4)
        nbformat.validate(notebook)  # the grader writes what it was told without asking the schema
        printed = "".join(
            str(output.get("text", ""))
            for cell in notebook.cells
            if cell.cell_type == "code"
            for output in cell.outputs
        )
        assert MARK not in printed, name
        assert MARK not in str(notebook.metadata), name
        assert all(MARK not in cell.source for cell in notebook.cells if cell.id == "grading-notes"), name


def test_where_the_checks_were_made_to_fail_a_person_is_asked_and_nothing_is_earned(course):
    folder, door, *_ = course
    for name in attacks(door, attention=True):
        assert not (folder / "autograded" / name / LESSON / f"{LESSON}.ipynb").exists()
        with contextlib.suppress(MissingEntry):
            assert not sum(score or 0 for score in scores(folder, name).values())


def test_the_instructor_is_told_why(course, notes):
    _, door, *_ = course
    for name in NAMES[door]:
        word = ATTACKS[name].notes
        assert any(name in line and word in line for line in notes[door]) or not word, name


def test_the_honest_are_graded_as_if_alone(course):
    place, door, *_ = course
    for student in students(door):
        assert sum(scores(place, student).values()) == FULL, student


def test_nothing_that_a_terminal_would_act_on_is_said(course, notes):
    _, door, *_ = course
    assert all(line.isprintable() for line in notes[door])


def test_nobody_else_has_a_grade_of_their_own_making(course):
    folder, *_ = course
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        handed_in = book.assignment_submissions(LESSON)
        assert {item.student.id for item in handed_in} - {*students(course[1]), *ATTACKS} == set()
        grades = [grade for item in handed_in for notebook in item.notebooks for grade in notebook.grades]
        assert {grade.manual_score for grade in grades} == {None}
        assert {grade.extra_credit for grade in grades} == {None}


def test_the_machine_is_as_it_was(course):
    place, _, (files, running) = course
    assert fingerprints(place) == files
    assert processes() == running
    assert not (Path("/tmp") / MARK).exists()
    assert not (Path("/dev/shm") / MARK).exists()


def test_a_graded_notebook_stays_small(course):
    folder, door, *_ = course
    for name in attacks(door):
        assert len(graded(folder, name)) < 8_000_000, name


def test_nothing_beside_a_notebook_is_copied_whole(course):
    folder, *_ = course
    held = {path: path.stat().st_size for path in (folder / "autograded").rglob("*.txt")}
    assert max(held.values(), default=0) <= 200
