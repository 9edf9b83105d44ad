"""A class graded by `autograder grade`: what is graded, what is written, what is said.

Every different notebook is run once, in one sandbox for the whole file: grading it again recalls the result.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import nbgrader.api
import pytest
from autograder.author.parse_source import read_source
from autograder.author.preprocessors import MarkRelease
from autograder.classroom import score_export as exports
from autograder.classroom.desk import free_text_page, task_page
from autograder.classroom.desk.page_data import read
from autograder.command import app as cli
from autograder.command import grading_run as command
from autograder.command.grading_run import GradeOptions, Summary
from autograder.grading import grade_notebook as grading
from autograder.grading import grade_submission, gradebook_writer, graded_results
from autograder.grading import nbgrader_autograde as preprocessors
from autograder.grading.class_folder import Class
from autograder.grading.feedback_page import about
from autograder.grading.graded_results import TaskResult
from autograder.grading.grading_banks import Banks
from autograder.grading.notebook_evidence import GraderFault
from autograder.grading.notebook_runners import KernelRunner, SandboxRunner
from autograder.grading.sandbox import bubblewrap
from autograder.records import bank
from autograder.records.authoring_errors import BadBook
from autograder.records.course import Course
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from sqlalchemy import Engine, event
from support.class_course import FULL, LESSON, NAME, OTHER, class_folder
from typer.testing import CliRunner

POINTS = {"by-hand": 1, "convolve": 2, "convolution": 2}
RIGHT = "def convolve(signal, kernel):\n    return signal.unfold(0, len(kernel), 1) @ kernel"
FORBIDDEN = (
    "def convolve(signal, kernel):\n    return torch.conv1d(signal[None, None], kernel[None, None])[0, 0]"
)
TURNED = RIGHT.replace("@ kernel", "@ kernel.flip(0)")
STUDENTS = {"ada": FULL, "bob": 0.0, "cleo": 2.0, "dan": 0.0}

# The fixture below puts one for all in its place.
RUNNER_OF_A_THREAD = grade_submission.runner_for

# SQLAlchemy warns of the way in which nbgrader itself adds a submission.
NBGRADERS = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")


class Here(Executor):
    """Runs what it is given at once, in this thread."""

    def submit(self, run: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(run(*args, **kwargs))
        return done


@pytest.fixture(scope="module", autouse=True)
def runner(sandbox: SandboxRunner) -> Iterator[SandboxRunner]:
    patch = pytest.MonkeyPatch()
    remembered: dict[str, Any] = {}
    really = grade_submission.grade

    def grade(notebook: NotebookNode, lesson: Any, run: Any, notes: tuple[str, ...], *how: Any) -> Any:
        key = hashlib.sha256(repr((notebook, notes)).encode()).hexdigest()
        if key not in remembered:
            remembered[key] = really(notebook, lesson, sandbox, notes, *how)
        return deepcopy(remembered[key])

    patch.setattr(grade_submission, "grade", grade)
    patch.setattr(grade_submission, "runner_for", lambda banks, sandboxed=True: sandbox)
    # Another process would know nothing of these.
    patch.setattr(command, "Processes", lambda number, _: ThreadPoolExecutor(number))
    patch.setattr(preprocessors, "run_limited", lambda _, function, *given: function(*given))
    yield sandbox
    patch.undo()


@pytest.fixture(scope="module")
def solved(class_course: Course) -> NotebookNode:
    return read_source(class_course.source / LESSON / f"{LESSON}.py")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, class_course: Course, solved: NotebookNode) -> Path:
    """A class of four: all right, nothing done, one task, a file that is no notebook."""
    folder = tmp_path_factory.mktemp("class") / "my course"
    class_folder(class_course, folder, LESSON)
    release = nbformat.read(folder / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    item = deepcopy(release)
    answer(item, "convolve", RIGHT)
    for student, result in {"ada": solved, "bob": release, "cleo": item}.items():
        hand_in(folder, student, result)
    hand_in(folder, "dan", "my dog ate the brackets {")
    with command.GradebookWriter(Class(folder)) as opened:  # making a gradebook takes nbgrader seconds
        opened.enter_lesson(LESSON)
    return folder


@pytest.fixture
def folder(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "my course"))


@pytest.fixture(scope="module")
def graded_template(
    template: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Summary, list[str]]:
    folder = Path(shutil.copytree(template, tmp_path_factory.mktemp("graded") / "my course"))
    summary, output = grade(folder)
    return folder, summary, output


@pytest.fixture
def graded(graded_template: tuple[Path, Summary, list[str]], tmp_path: Path) -> Path:
    """The class of four, graded once."""
    return Path(shutil.copytree(graded_template[0], tmp_path / "graded"))


def answer(notebook: NotebookNode, task: str, source: str) -> None:
    next(cell for cell in notebook.cells if cell["id"] == f"{task}-answer").source = source


def file_of(folder: Path, student: str) -> Path:
    return folder / "submitted" / student / LESSON / f"{LESSON}.ipynb"


def hand_in(place: Path, student: str, result: NotebookNode | str) -> Path:
    path = file_of(place, student)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(result if isinstance(result, str) else nbformat.writes(result), encoding="utf-8")
    return path


def grade(folder: Path, **asked: Any) -> tuple[Summary, list[str]]:
    output: list[str] = []
    executor = asked.pop("executor", None) or Here()
    order = GradeOptions(Class(folder), [LESSON], **asked)
    summary = command.grade_class(order, output.append, lambda *_: None, executor)
    return summary, output


def book(folder: Path) -> Gradebook:
    return Gradebook(f"sqlite:///{folder / 'gradebook.db'}", NAME)


def scores(place: Path) -> dict[str, float]:
    with book(place) as opened:
        return {item.student.id: item.score for item in opened.assignment_submissions(LESSON)}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Passing unrecognized arguments")  # nbgrader misspells one of its own
def test_feedback_is_released_as_nbgrader_does_it(graded, tmp_path):
    key = "submission_secret.txt"
    for student in STUDENTS:
        (file_of(graded, student).parent / key).write_text(f"secret of {student}")
        (file_of(graded, student).parent / "timestamp.txt").write_text("2026-01-11 12:00:00 UTC")
    grade(graded, force=True)
    course = Class(graded)
    course.config.Exchange.root = str(tmp_path)
    api = NbGraderAPI(course.directory, config=course.config)
    assert api.generate_feedback(LESSON)["success"]
    done = api.release_feedback(LESSON)
    assert done["success"], done
    assert len(list((tmp_path / NAME / "feedback").iterdir())) == len(STUDENTS)


def test_a_page_gives_no_time_where_the_platform_says_only_that_it_was_late(graded):
    (graded / "class.toml").write_text(f"[due]\n{LESSON} = 2026-03-01T12:00:00Z\n")
    stamps = {"ada": "12:00:01.000001", "bob": "12:00:01.000000"}
    for student, stamp in stamps.items():
        (file_of(graded, student).parent / "timestamp.txt").write_text(f"2026-03-01 {stamp} UTC")
    grade(graded)
    database = Class(graded).database
    reported = {who: about(Course.read(graded), database, LESSON, who) for who in stamps}
    times = [(item.time[:16], item.by_a_moment) for item in reported.values()]
    assert times == [("", True), ("2026-03-01 12:00", False)]
    run = ["extend", "ada", "01", "2d", "--course", str(graded)]
    assert CliRunner().invoke(cli.app, run).exit_code == 0
    grade(graded)
    # Nor where it is in time by what was granted: the time that stands for the mark is nobody's.
    (work,) = [work for work in read(Class(graded)).works["ada"] if work.lesson == LESSON]
    assert (about(Course.read(graded), database, LESSON, "ada").time, work.handed_in.at) == ("", None)


def test_a_guessed_time_follows_a_due_date_that_moves(graded):
    (file_of(graded, "ada").parent / "timestamp.txt").write_text("2026-03-08 12:00:01.000001 UTC")
    (graded / "class.toml").write_text(f"penalty_per_day = 0.1\n[due]\n{LESSON} = 2026-03-01T12:00:00Z\n")
    grade(graded)
    assert exports.scores(Class(graded)).scores["ada", LESSON] == FULL - FULL / 10
    # As `collect` does for a mark that was taken back.
    (file_of(graded, "ada").parent / "timestamp.txt").unlink()
    grade(graded)
    assert exports.scores(Class(graded)).scores["ada", LESSON] == FULL


def test_a_page_has_what_a_person_gave_even_for_a_file_that_could_not_be_read(graded):
    with book(graded) as opened:
        opened.find_grade("convolve", LESSON, LESSON, "dan").manual_score = 1.0
        opened.find_comment("convolve-answer", LESSON, LESSON, "dan").manual_comment = "Hand it in again."
        opened.db.commit()
    assert CliRunner().invoke(cli.app, ["feedback", LESSON, "--course", str(graded)]).exit_code == 0
    pages = {who: graded / "feedback" / who / LESSON / f"{LESSON}.html" for who in ("bob", "dan")}
    texts = {who: page.read_text(encoding="utf-8") for who, page in pages.items()}
    assert "Your file could not be read" in texts["dan"]
    assert "1 of 5 points" in texts["dan"]
    assert "Hand it in again." in texts["dan"]
    # Nobody wrote what nbgrader says below an answer that is as it was handed out.
    assert "No response." in texts["bob"]
    assert "with a comment" not in texts["bob"]


@pytest.mark.parametrize("what", ["a comment", "points in the formgrader", "nothing"])
def test_a_page_is_old_once_a_person_has_given_something_wherever_they_did(graded, what):
    words = ["feedback", LESSON, "--course", str(graded)]
    assert CliRunner().invoke(cli.app, words).output.startswith(f"{len(STUDENTS)} pages made")
    with book(graded) as opened:
        if what == "a comment":
            comment = opened.find_comment("convolve-answer", LESSON, LESSON, "bob")
            comment.manual_comment = "Turn it once more."
        elif what != "nothing":
            opened.find_grade("convolve", LESSON, LESSON, "bob").manual_score = 1.0
        opened.db.commit()
    returned = CliRunner().invoke(cli.app, ["return", LESSON, "--folder", "--course", str(graded)])
    made = CliRunner().invoke(cli.app, words).output
    expected = (0, "0 pages made") if what == "nothing" else (2, "1 page made")
    assert (returned.exit_code, made.partition(":")[0]) == expected
    page = graded / "feedback" / "bob" / LESSON / f"{LESSON}.html"
    assert ("Turn it once more." in page.read_text(encoding="utf-8")) == (what == "a comment")


def test_a_page_tells_first_what_was_found_and_a_damaged_file_s_nothing_else(graded):
    words = ["feedback", LESSON, "--course", str(graded)]
    result, again = (CliRunner().invoke(cli.app, words) for _ in range(2))
    assert (result.exit_code, again.exit_code) == (0, 0), result.output
    assert result.output.startswith(f"{len(STUDENTS)} pages made")
    assert again.output.startswith("0 pages made")
    pages = {
        student: (graded / "feedback" / student / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
        for student in STUDENTS
    }
    first, _, folded = pages["bob"].partition('<details id="notebook">')
    assert 'class="found"' in first
    assert 'href="#convolve"' in first
    assert 'id="convolve"' in folded
    assert "could not be read" in pages["dan"]
    assert not [part for part in ("<details", "<form", 'href="#convolve') if part in pages["dan"]]


@pytest.mark.filterwarnings("ignore:Passing unrecognized arguments")
def test_feedback_speaks_the_language_of_the_notebook_that_was_handed_in(folder, class_course):
    bengali = Path("notebooks", "bn", LESSON)
    shutil.copytree(class_course.root / bengali, folder / bengali)
    result = nbformat.read(folder / bengali / f"{LESSON}.ipynb", as_version=4)
    answer(result, "convolve", TURNED)
    hand_in(folder, "cleo", result)
    grade(folder, students=frozenset({"bob", "cleo"}))
    course = Class(folder)
    api = NbGraderAPI(course.directory, config=course.config)
    pages = {}
    for student in ("bob", "cleo"):
        assert api.generate_feedback(LESSON, student)["success"]
        page = folder / "feedback" / student / LESSON / f"{LESSON}.html"
        pages[student] = page.read_text(encoding="utf-8")
    assert '<html lang="bn">' in pages["cleo"]
    assert "তোমার উত্তর" in pages["cleo"]
    assert "যেকোনো signal, যেকোনো kernel" in pages["cleo"]
    assert "তোমার kernel উল্টে গেছে" in pages["cleo"].partition('<details id="notebook">')[0]
    assert "Your answer" not in pages["cleo"]
    assert '<html lang="en">' in pages["bob"]
    assert "Your answer" in pages["bob"]


def test_an_answer_in_words_that_nobody_has_read_is_no_zero_on_its_page_and_is_named(class_course, tmp_path):
    place, task = class_folder(class_course, tmp_path / "words", OTHER), "why-in-words"
    path = place / "submitted" / "ada" / OTHER / f"{OTHER}.ipynb"
    path.parent.mkdir(parents=True)
    item = nbformat.read(place / "notebooks" / OTHER / f"{OTHER}.ipynb", as_version=4)

    def grade_with(words: str) -> None:
        next(cell for cell in item.cells if cell["id"] == task).source = words
        nbformat.write(item, path)
        order = GradeOptions(Class(place), [OTHER], force=True)
        command.grade_class(order, lambda _: None, lambda *_: None, Here())

    def done(*words: str) -> tuple[int, str]:
        result = CliRunner().invoke(cli.app, [*words, "--course", str(place)])
        return result.exit_code, " ".join(result.output.split())

    def page() -> str:
        text = (place / "feedback" / "ada" / OTHER / f"{OTHER}.html").read_text(encoding="utf-8")
        return " ".join(text.partition("<main")[2].split())

    def points_by_hand(points: float) -> None:
        with book(place) as opened:  # as the formgrader does
            mark = opened.find_grade(task, OTHER, OTHER, "ada")
            mark.manual_score, mark.needs_manual_grade = points, False
            opened.db.commit()

    grade_with("The scores spread.")
    possible = exports.scores(Class(place)).possible[OTHER]
    for words in (("feedback", OTHER), ("return", OTHER, "--folder")):
        code, output = done(*words)
        assert (code, f"{OTHER}: 1 answer is still to be read: ada." in output) == (0, True)
    assert f"<strong>0 of {possible - 3:g} points</strong>" in page()
    assert "so far: 1 written answer, worth 3, is not read yet." in page()
    assert page().count("not read yet") == 3
    assert page().count("0/3") == 1  # of another task
    shown = page().partition(f'id="{task}"')[2].partition("</section>")[0]
    assert ("not read yet" in shown, "of 3 points" in shown) == (True, False)
    points_by_hand(0)
    assert done("return", OTHER, "--folder")[0] == 2
    assert "to be read" not in done("feedback", OTHER)[1]
    assert (page().count("0/3"), page().count("not read yet")) == (2, 0)
    assert f"<strong>0 of {possible:g} points</strong>" in page()
    points_by_hand(1)
    grade_with("In other words.")  # which nobody has read
    assert done("feedback", OTHER)[0] == 0
    assert ("1/3" in page(), "before the answer changed" in page()) == (True, True)


def test_a_call_that_a_task_forbids_is_named_as_something_to_look_at(folder, solved):
    item = deepcopy(solved)
    answer(item, "convolve", FORBIDDEN)
    hand_in(folder, "bob", item)
    output = grade(folder, students=frozenset({"bob"}))[1]
    assert f"bob {LESSON}: look at convolve: it makes a call that the task forbids" in output


def test_grading_again_to_the_same_result_leaves_pages_that_can_be_returned(graded):
    words = ["feedback", LESSON, "--course", str(graded)]
    with book(graded) as opened:
        opened.find_grade("convolve", LESSON, LESSON, "bob").manual_score = 1.0
        opened.db.commit()
    assert CliRunner().invoke(cli.app, words).exit_code == 0
    grade(graded, force=True)
    page = task_page.on_page(read(Class(graded)), LESSON, "convolve")
    (group,) = [group for group in page["groups"] if group.again]
    task_page.keep_points(read(Class(graded)), LESSON, "convolve", group.key)
    returned = ["return", LESSON, "--folder", "--course", str(graded)]
    assert CliRunner().invoke(cli.app, returned).exit_code == 0
    unchanged = CliRunner().invoke(cli.app, [*returned, "--changed"])
    assert (unchanged.exit_code, "Nothing was packed: no page" in unchanged.output) == (0, True)
    again = nbformat.read(file_of(graded, "bob"), as_version=4)
    answer(again, "convolve", TURNED)  # as many points, by another mistake
    hand_in(graded, "bob", again)
    grade(graded)
    assert CliRunner().invoke(cli.app, returned).exit_code == 2


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def autograded(folder: Path, student: str) -> Path:
    return folder / "autograded" / student / LESSON / f"{LESSON}.ipynb"


# Connections that a test left open.
KEPT_OPEN: list[sqlite3.Connection] = []

# A first run


def test_everyone_gets_the_score_they_earned(graded_template):
    folder, summary, _ = graded_template
    assert scores(folder) == STUDENTS
    assert summary.text == "4 submissions graded."
    for student in STUDENTS:  # where nbgrader looks for it, and so that nobody edits it by accident
        assert autograded(folder, student).stat().st_mode & 0o777 == 0o444
    assert not list((folder / "autograded").rglob("*.new"))


def test_a_person_is_told_of_visible_probes_and_of_a_file_that_cannot_be_read(graded_template):
    _, _, output = graded_template
    assert output[0] == f"{LESSON}: visible probes only: `autograder secret {LESSON}` makes hidden ones"
    assert [line for line in output[1:] if "dan" not in line] == []
    assert any("could not be read: the file is not JSON" in line for line in output)


@NBGRADERS
def test_scores_and_comments_are_those_of_nbgraders_own_autograde(graded_template, template, tmp_path):
    folder = Path(shutil.copytree(template, tmp_path / "nbgrader"))
    course = Class(folder)
    with command.GradebookWriter(course) as opened:
        opened.enter_lesson(LESSON)
    api = NbGraderAPI(course.directory, config=course.config)
    for student in STUDENTS:
        done = api.autograde(LESSON, student)
        assert done["success"], done
    assert details(graded_template[0]) == details(folder)
    assert kept(graded_template[0]) == kept(folder)


def kept(folder: Path) -> list[TaskResult]:
    with graded_results.opened(Class(folder).database) as store:
        return sorted(store.read(TaskResult, LESSON), key=lambda item: (item.student, item.task))


def test_what_was_found_of_each_task_is_kept_as_data(folder, solved):
    wrong = deepcopy(solved)
    answer(wrong, "convolve", TURNED)
    answer(wrong, "by-hand", "while True:\n    pass")
    hand_in(folder, "ada", wrong)
    grade(folder, students=frozenset({"ada", "bob"}))
    actual = {(item.student, item.task): item for item in kept(folder)}
    assert {item.points for (who, _), item in actual.items() if who == "bob"} == {0}
    turned, stub, endless = (
        actual[which] for which in (("ada", "convolve"), ("bob", "convolve"), ("ada", "by-hand"))
    )
    assert turned.faults == ("kernel-reversed",)
    assert turned.answer == TURNED
    assert not stub.answered
    assert endless.flags == ("stopped",)


def details(place: Path) -> dict[str, Any]:
    with book(place) as opened:
        return {
            item.student.id: [
                item.max_score,
                item.needs_manual_grade,
                sorted(
                    (g.name, g.auto_score, g.max_score, g.needs_manual_grade)
                    for n in item.notebooks
                    for g in n.grades
                ),
                sorted((c.name, c.auto_comment) for n in item.notebooks for c in n.comments),
                [n.late_submission_penalty for n in item.notebooks],
            ]
            for item in opened.assignment_submissions(LESSON)
        }


# The next runs


def test_a_second_run_grades_nothing_and_writes_nothing(graded):
    before = everything(graded)
    summary, output = grade(graded)
    assert summary.text == "0 submissions graded, 4 submissions had not changed."
    assert output == [f"{LESSON}: visible probes only: `autograder secret {LESSON}` makes hidden ones"]
    after = everything(graded)
    assert {name: text for name, (_, text) in after.items()} == {n: text for n, (_, text) in before.items()}


def test_a_changed_submission_is_graded_again_and_the_difference_is_said(graded, solved):
    worse = deepcopy(solved)
    answer(worse, "convolution", "class Convolution:\n    pass")
    hand_in(graded, "ada", worse)
    summary, output = grade(graded)
    assert summary.text == (
        "1 submission graded, 3 submissions had not changed, 1 score changed since the last time."
    )
    points = POINTS["convolution"]
    assert f"ada {LESSON}: convolution {points} -> 0" in output
    assert scores(graded) == {**STUDENTS, "ada": FULL - points}


def test_a_changed_release_makes_a_grade_old(graded):
    path = graded / "notebooks" / LESSON / f"{LESSON}.ipynb"
    release = nbformat.read(path, as_version=4)
    release.cells[0].source += "\n\nOne more sentence."
    nbformat.write(release, path)
    assert grade(graded, dry_run=True, students=frozenset({"dan"}))[0].graded == 1


def marked(folder: Path, task: str) -> tuple[Path, NotebookNode, NotebookNode]:
    """The release, where it lies, and the test cell of a task in it."""
    path = folder / "notebooks" / LESSON / f"{LESSON}.ipynb"
    release = nbformat.read(path, as_version=4)
    return path, release, next(cell for cell in release.cells if cell["id"] == task)


def test_a_release_with_other_points_reaches_the_gradebook(graded):
    path, release, cell = marked(graded, "convolve")
    cell.metadata.nbgrader["points"] += 5
    nbformat.write(release, path)
    grade(graded, students=frozenset({"dan"}))
    with book(graded) as opened:
        assert opened.find_grade_cell("convolve", LESSON, LESSON).max_score == cell.metadata.nbgrader.points


def without(place: Path, task: str) -> bytes:
    """Release the lesson without one task; the release as it was."""
    path, release, _ = marked(place, task)
    before = path.read_bytes()
    release.cells = [cell for cell in release.cells if cell["id"] not in (task, f"{task}-answer")]
    nbformat.write(MarkRelease().preprocess(release, {})[0], path)
    return before


def drop(place: Path, student: str, task: str) -> None:
    """Take a task out of what was handed in, as if it had come from a release without it."""
    if student != "dan":
        result = nbformat.read(file_of(place, student), as_version=4)
        result.cells = [cell for cell in result.cells if cell["id"] not in (task, f"{task}-answer")]
        hand_in(place, student, MarkRelease().preprocess(result, {})[0])


def test_a_task_that_is_new_is_excused_for_those_who_never_had_it_and_grades_stay(folder, solved):
    later = without(folder, "convolution")
    for student in STUDENTS:
        drop(folder, student, "convolution")
    grade(folder)
    with book(folder) as opened:
        mark = opened.find_grade("convolve", LESSON, LESSON, "bob")
        mark.manual_score = 1.5
        opened.find_comment("convolve-answer", LESSON, LESSON, "bob").manual_comment = "Nearly."
        opened.find_submission(LESSON, "bob").extension = timedelta(days=2)
        opened.db.commit()
    (folder / "notebooks" / LESSON / f"{LESSON}.ipynb").write_bytes(later)
    hand_in(folder, "eve", solved)
    summary, output = grade(folder)
    assert summary.faults == [], output
    points = POINTS["convolution"]
    reported = f"came from, so {FULL - points:g} points rest on visible probes alone"
    assert f"ada {LESSON}: graded by the earlier release that it {reported}" in output
    assert not [line for line in output if "eve" in line]
    assert {name: scores(folder)[name] for name in ("ada", "eve")} == {"ada": FULL, "eve": FULL}
    with book(folder) as opened:
        assert opened.find_grade("convolution", LESSON, LESSON, "ada").auto_score == points
        share = pytest.approx(points * 2 / (FULL - points))
        assert opened.find_grade("convolution", LESSON, LESSON, "cleo").auto_score == share
        assert opened.find_grade("convolve", LESSON, LESSON, "bob").score == 1.5
        assert opened.find_comment("convolve-answer", LESSON, LESSON, "bob").comment == "Nearly."
        assert opened.find_submission(LESSON, "bob").extension == timedelta(days=2)
    (folder / "class.toml").write_text('missing_tasks = "zero"')
    grade(folder)
    assert {name: scores(folder)[name] for name in ("ada", "eve")} == {"ada": FULL - points, "eve": FULL}
    course = Class(folder)
    api = NbGraderAPI(course.directory, config=course.config)
    assert api.generate_feedback(LESSON)["success"]
    reported = api.autograde(LESSON, "ada", force=True)
    assert "comes from an earlier release" in f"{reported.get('error')}{reported.get('log')}"
    # Answers that another version of the tool kept: what was graded by them stays.
    for saved in (folder / "releases" / LESSON).glob(f"*/{LESSON}.json"):
        saved.write_text(saved.read_text().replace(f'"format": {bank.FORMAT}', '"format": 0'))
    before = scores(folder)
    summary, output = grade(folder, students=frozenset({"ada"}))
    assert summary.faults == [f"ada {LESSON}"]
    assert any("no score was written: it comes from an earlier release" in line for line in output)
    assert scores(folder) == before


# Points by hand and extra points, and the total that they make: cleo has 2 of 3 points by the checks, and
# has never seen a task of 2 points, which counts as the rest does.
BY_HAND = {
    "nothing": ({}, {}, 2 + 2 * 2 / 3),
    "a task raised to full": ({"by-hand": 1.0}, {}, 3 + 2 * 3 / 3),
    "a task lowered": ({"convolve": 1.0}, {}, 1 + 2 * 1 / 3),
    "a task raised beyond its points": ({"convolve": 3.0}, {}, 3 + 2 * 3 / 3),
    "extra points": ({}, {"by-hand": 1.0}, 2 + 1 + 2 * 2 / 3),
    "the excused task itself": ({"convolution": 0.5}, {}, 2 + 0.5),
    "both, the excused one to nothing": ({"by-hand": 1.0, "convolution": 0.0}, {}, 3 + 0),
}


def test_points_by_hand_count_for_excused_tasks_and_in_every_export(folder):
    later = without(folder, "convolution")
    drop(folder, "cleo", "convolution")
    grade(folder)
    (folder / "notebooks" / LESSON / f"{LESSON}.ipynb").write_bytes(later)
    grade(folder)
    course = Class(folder)

    def by_hand(given: dict[str, float], extra: dict[str, float]) -> None:
        with book(folder) as opened:
            for task in POINTS:
                mark = opened.find_grade(task, LESSON, LESSON, "cleo")
                mark.manual_score, mark.extra_credit = given.get(task), extra.get(task)
            opened.db.commit()

    def total() -> float:
        return exports.scores(course).scores["cleo", LESSON]

    actual = {}
    for kind, (given, extra, _) in BY_HAND.items():
        by_hand(given, extra)
        gradebook_writer.follow(course)
        actual[kind] = total()
        assert scores(folder)["cleo"] == actual[kind]
    assert actual == pytest.approx({kind: meant for kind, (*_, meant) in BY_HAND.items()})
    by_hand({"convolve": 1.0}, {})
    summary, _ = grade(folder)  # nothing is run again
    assert (summary.graded, summary.settled, total()) == (0, 1, pytest.approx(1 + 2 * 1 / 3))
    for rule, points in (("zero", 1.0), ("excuse", 1 + 2 * 1 / 3)):
        (folder / "class.toml").write_text(f'missing_tasks = "{rule}"')
        gradebook_writer.follow(Class(folder))
        assert total() == pytest.approx(points), rule
        assert grade(folder)[0].graded == 0, rule


def test_who_had_the_newer_release_cannot_go_back_to_the_earlier_one(folder, solved):
    later = without(folder, "convolution")
    grade(folder)  # which keeps the release
    (folder / "notebooks" / LESSON / f"{LESSON}.ipynb").write_bytes(later)
    three = frozenset({"eve", "finn", "gina"})
    for student in three:
        hand_in(folder, student, solved)
    grade(folder, students=frozenset({"eve"}))
    before = folder / "collected" / "earlier" / "finn" / LESSON
    before.mkdir(parents=True)
    shutil.copy(file_of(folder, "finn"), before / "0123456789ab.ipynb")
    record = {"had": {LESSON: {"gina": ["convolution"]}}}
    (folder / "collected" / "record.json").write_text(json.dumps(record))
    for student in three:
        drop(folder, student, "convolution")
    _, output = grade(folder, students=three)
    points = POINTS["convolution"]
    assert {scores(folder)[name] for name in three} == {FULL - points}
    assert sum("what it lacks counts 0" in line for line in output) == 3


DAMAGE = {
    "a stray folder": lambda folder: (folder / "notes").mkdir(),
    "a stray file": lambda folder: (folder / "notes.txt").write_text("x"),
    "answers that are none": lambda folder: (
        (folder / "abc").mkdir() or (folder / "abc" / "answers.json").write_text("{")
    ),
    "answers of another form": lambda folder: [
        path.write_text("[1, 2]") for path in folder.glob("*/answers.json")
    ],
    "no text": lambda folder: [
        path.write_bytes(b"\xff\xfe\x00") for path in folder.glob(f"*/{LESSON}.ipynb")
    ],
    "a notebook of another form": lambda folder: [
        path.write_text("[]") for path in folder.glob(f"*/{LESSON}.ipynb")
    ],
    "a link to itself": lambda folder: (folder / "loop").symlink_to("loop"),
    "nested": lambda folder: [path.write_text("[" * 90_000) for path in folder.glob("*/answers.json")],
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_in_releases_is_named_and_the_rest_goes_on(folder, kind):
    later = without(folder, "convolution")
    grade(folder, students=frozenset({"bob"}))
    (folder / "notebooks" / LESSON / f"{LESSON}.ipynb").write_bytes(later)
    DAMAGE[kind](folder / "releases" / LESSON)
    summary, output = grade(folder, students=frozenset({"ada"}))
    assert summary.faults == []
    assert scores(folder)["ada"] == FULL
    assert len([line for line in output if "is no release that can be read" in line]) == 1


def test_a_task_that_is_gone_costs_no_other_grade_and_leaves_a_record(graded):
    with book(graded) as opened:
        opened.find_comment("convolve-answer", LESSON, LESSON, "cleo").manual_comment = "Well done."
        opened.db.commit()
    without(graded, "convolve")
    summary, output = grade(graded)
    assert summary.faults == [], output
    assert scores(graded) == {**STUDENTS, "ada": FULL - 2, "cleo": 0.0}
    with graded_results.opened(Class(graded).database) as store:
        reported = [
            (item.old, item.why)
            for item in store.read(graded_results.Change, LESSON, "cleo")
            if "removed" in item.why
        ]
    assert set(reported) == {(2.0, "task removed"), (None, "task removed, with the comment: Well done.")}
    course = Class(graded)
    assert NbGraderAPI(course.directory, config=course.config).generate_feedback(LESSON)["success"]


@pytest.mark.parametrize("whole", [True, False])
def test_a_release_is_not_removed_before_the_new_one_is_there(graded, solved, whole):
    path = graded / "notebooks" / LESSON / f"{LESSON}.ipynb"
    before = path.read_bytes()
    source = deepcopy(solved)
    new = deepcopy(next(cell for cell in source.cells if cell["id"] == "convolve"))
    new["id"] = new.metadata.nbgrader["grade_id"] = "one-more"
    source.cells.append(new)
    if not whole:
        source.cells.append(deepcopy(new))  # two cells of one name: nbgrader refuses that
    nbformat.write(source, graded / "source" / LESSON / f"{LESSON}.ipynb")
    course = Class(graded)
    done = NbGraderAPI(course.directory, config=course.config).generate_assignment(LESSON)
    assert done["success"] is whole, done
    assert (path.read_bytes() == before) is not whole
    assert [item.name for item in path.parent.iterdir()] == [path.name]  # and nothing of the source


def test_a_graded_notebook_that_was_lost_is_made_again(graded):
    autograded(graded, "bob").unlink()
    summary, _ = grade(graded)
    assert (summary.graded, summary.current) == (1, 3)
    assert autograded(graded, "bob").is_file()


def test_a_grade_that_a_person_gave_survives_and_waits_for_their_eye(graded):
    with book(graded) as opened:
        mark = opened.find_grade("convolve", LESSON, LESSON, "bob")
        mark.manual_score = 1.5
        mark.extra_credit = 0.5
        opened.db.commit()
    assert any(line.startswith(f"bob {LESSON}: graded again, and") for line in grade(graded, force=True)[1])
    with book(graded) as opened:
        mark = opened.find_grade("convolve", LESSON, LESSON, "bob")
        actual = mark.manual_score, mark.extra_credit, mark.auto_score, mark.score, mark.needs_manual_grade
    assert actual == (1.5, 0.5, 0.0, 2.0, True)
    reference = exports.scores(Class(graded))
    assert (reference.waiting[LESSON], reference.by_hand[LESSON]) == ([], ["convolve of bob"])
    page = task_page.on_page(read(Class(graded)), LESSON, "convolve")
    (group,) = [group for group in page["groups"] if group.again]
    assert group.again == ["bob"]
    assert task_page.keep_points(read(Class(graded)), LESSON, "convolve", group.key) == 1
    assert exports.scores(Class(graded)).by_hand[LESSON] == []
    with book(graded) as opened:
        assert opened.find_grade("convolve", LESSON, LESSON, "bob").manual_score == 1.5


def test_points_for_written_words_stay_read_until_the_words_change(class_course, tmp_path):
    place, task = class_folder(class_course, tmp_path / "words", OTHER), "why-in-words"
    path = place / "submitted" / "ada" / OTHER / f"{OTHER}.ipynb"
    path.parent.mkdir(parents=True)
    item = nbformat.read(place / "notebooks" / OTHER / f"{OTHER}.ipynb", as_version=4)

    def graded_with(words: str) -> tuple[Summary, exports.Scores]:
        next(cell for cell in item.cells if cell["id"] == task).source = words
        nbformat.write(item, path)
        summary = command.grade_class(
            GradeOptions(Class(place), [OTHER], force=True), lambda _: None, lambda *_: None, Here()
        )
        return summary, exports.scores(Class(place))

    def answers() -> list[free_text_page.WrittenAnswer]:
        return free_text_page.on_page(read(Class(place)), "", OTHER, task)["answers"]

    assert graded_with("The scores spread.")[0].written_answers == 1
    (shown,) = answers()
    free_text_page.give(read(Class(place)), OTHER, task, shown.key, "", [0], "Say why.", shown.state)
    for words, by_hand in (("The scores  spread.", 0), ("They do.", 1), ("They do.", 1)):
        summary, known = graded_with(words)
        assert (summary.written_answers, summary.by_hand) == (0, by_hand)
        assert (known.waiting[OTHER], known.by_hand[OTHER]) == ([], [f"{task} of ada"] * by_hand)
        (shown,) = answers()
        assert (shown.waiting, shown.again, shown.manual) == (bool(by_hand), by_hand, 1.0)
        assert (shown.ticked, shown.comment) == (() if by_hand else (0,), "Say why.")
    free_text_page.keep_points(read(Class(place)), OTHER, task, shown.key, "")
    (shown,) = answers()
    assert (shown.waiting, shown.ticked, shown.score) == (False, (0,), 1.0)
    assert exports.scores(Class(place)).by_hand[OTHER] == []
    for words, by_hand in (("Another attempt.", 1), ("The scores spread.", 0)):  # the first counts again
        assert graded_with(words)[0].by_hand == by_hand
    (shown,) = answers()
    assert (shown.waiting, shown.ticked, shown.score) == (False, (0,), 1.0)


def test_a_score_in_whose_place_a_person_s_counts_is_not_told_as_changed(graded, solved):
    with book(graded) as opened:
        opened.find_grade("convolve", LESSON, LESSON, "bob").manual_score = 1.5
        opened.db.commit()
    hand_in(graded, "bob", solved)
    summary, output = grade(graded)
    assert summary.changed == len(POINTS) - 1
    assert not [line for line in output if "convolve" in line]
    assert any(line.startswith(f"bob {LESSON}: graded again, and") for line in output)


# Which of several counts

# By the rule: the points, and what is said. The first, on time, has 2 points, the second all, the third none.
COUNTS = {
    "last": (0.0, None),
    "last on time": (2.0, "Attempt 1 of 3 counts, the last one on time."),
    "best": (FULL, "Attempt 2 of 3 counts, the best one."),
}


@pytest.mark.parametrize("rule", COUNTS)
def test_of_several_the_one_counts_that_the_class_agreed_on_and_student_and_instructor_are_told(
    folder, solved, rule
):
    points, reported = COUNTS[rule]
    release = nbformat.read(file_of(folder, "bob"), as_version=4)
    saved = folder / "collected" / "earlier" / "ada" / LESSON
    saved.mkdir(parents=True)
    scratch = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
    item = nbformat.read(file_of(folder, "cleo"), as_version=4)
    for name, result, day in (("f", item, "10"), ("a", solved, "20"), ("e", scratch, "11")):
        nbformat.write(result, saved / f"{name}.ipynb")
        (saved / f"{name}-timestamp.txt").write_text(f"2026-10-{day} 10:00:00 UTC")
    hand_in(folder, "ada", release)
    (file_of(folder, "ada").parent / "timestamp.txt").write_text("2026-10-30 10:00:00 UTC")
    (folder / "class.toml").write_text(
        f"[due]\n{LESSON} = 2026-10-15T00:00:00Z\n\n[attempts]\n{LESSON} = '{rule}'\n"
    )
    only_ada = frozenset({"ada"})
    _, output = grade(folder, students=only_ada)
    assert scores(folder)["ada"] == points
    assert [line for line in output if "Attempt" in line] == (
        [f"ada {LESSON}: {reported}"] if reported else []
    )
    first = nbformat.read(autograded(folder, "ada"), as_version=4).cells[0]
    assert (first.source == reported) is bool(reported)
    days = {"last": 30, "last on time": 10, "best": 20}
    with book(folder) as opened:
        assert opened.find_submission(LESSON, "ada").timestamp.day == days[rule]
    assert grade(folder, students=only_ada)[0].text == ("0 submissions graded, 1 submission had not changed.")
    with book(folder) as opened:
        assert opened.find_submission(LESSON, "ada").timestamp.day == days[rule]


def test_another_rule_is_told_of_until_it_is_graded_and_an_attempt_is_late_by_its_own_time_alone(
    folder, solved
):
    """The first, of which no time is known, has all points; the second is late and has 2."""
    saved = folder / "collected" / "earlier" / "ada" / LESSON
    saved.mkdir(parents=True)
    nbformat.write(solved, saved / "a.ipynb")
    hand_in(folder, "ada", nbformat.read(file_of(folder, "cleo"), as_version=4))
    (file_of(folder, "ada").parent / "timestamp.txt").write_text("2026-10-15 10:00:00 UTC")
    rules = f"penalty_per_day = 0.1\n[due]\n{LESSON} = 2026-10-15T00:00:00Z\n[attempts]\n{LESSON} = "
    say = ["export", "--xlsx", str(folder / "all.xlsx"), "--course", str(folder)]
    line = f"{LESSON}: another attempt may count now for ada: autograder grade {LESSON}\n"
    fell = (
        f"ada {LESSON}: {FULL:g} -> 1.8 points, 0.2 off for being late. The attempt that counts does so with "
        f'its own lateness: write `{LESSON} = "best"` below [attempts] in class.toml, and the best one counts'
    )
    for rule, points, changes, changed in (
        ("last", 1.8, False, []),
        ("last on time", FULL, True, [f"ada {LESSON}: 1.8 -> {FULL:g} points, nothing off for being late"]),
        ("best", FULL, True, []),
        ("last", 1.8, True, [fell]),
    ):
        (folder / "class.toml").write_text(f"{rules}'{rule}'\n")
        assert (line in CliRunner().invoke(cli.app, say).output) == changes, rule
        for dry_run in (True, False):
            output = grade(folder, students=frozenset({"ada"}), dry_run=dry_run)[1]
            assert [text for text in output if "off for being late" in text] == changed, rule
            assert fell not in output or fell == next(text for text in output if text.startswith("ada "))
        assert exports.scores(Class(folder)).scores["ada", LESSON] == points, rule
        assert line not in CliRunner().invoke(cli.app, say).output, rule


# Only some, and only looking


def test_a_dry_run_over_a_graded_class_tells_the_difference_and_writes_nothing(graded, solved):
    hand_in(graded, "bob", solved)
    before = everything(graded)
    summary, output = grade(graded, dry_run=True)
    assert summary.text == (
        "1 submission would be graded, 3 submissions had not changed, "
        f"{len(POINTS)} scores changed since the last time."
    )
    assert f"bob {LESSON}: convolve 0 -> 2" in output
    assert output[-len(POINTS) :] == [
        f"{LESSON}: {task}: 1 would rise, 0 would fall" for task in sorted(POINTS)
    ]
    assert everything(graded) == before


def test_what_was_timed_captured_and_debugged_costs_nothing(folder, solved):
    result = deepcopy(solved)
    for task, before, after in [
        ("by-hand", "%%time", "smoothed?\nbreakpoint()"),
        ("convolve", "%%capture out", "print(1)\n%timeit -n1 -r1 1 + 1"),
        ("convolution", "%precision 3", "exit()"),
    ]:
        cell = next(cell for cell in result.cells if cell["id"] == f"{task}-answer")
        answer(result, task, f"{before}\n{cell.source}\n{after}")
    hand_in(folder, "ada", result)
    grade(folder, students=frozenset({"ada"}))
    assert scores(folder)["ada"] == FULL


def test_one_student_is_graded_alone(folder):
    summary, _ = grade(folder, students=frozenset({"cleo"}))
    assert summary.text == "1 submission graded."
    assert scores(folder) == {"cleo": 2.0}
    assert not autograded(folder, "ada").exists()


# Files that are no submissions


def only(folder: Path, student: str) -> tuple[float, list[str]]:
    """The score of one student and what was said of them."""
    summary, output = grade(folder, students=frozenset({student}))
    assert summary.text == "1 submission graded."
    return scores(folder)[student], [line for line in output if student in line]


def test_a_student_who_handed_in_nothing_is_left_alone(folder):
    (folder / "submitted" / "eve").mkdir()
    (folder / "submitted" / "notes.txt").write_text("not a student")
    assert grade(folder)[0].graded == 4
    assert set(scores(folder)) == set(STUDENTS)


def pipe(place: Path) -> None:
    file_of(place, "eve").parent.mkdir(parents=True)
    os.mkfifo(file_of(place, "eve"))


def linked(levels: int) -> Callable[[Path], None]:
    """Make the notebook, or a folder above it, a link to what Ada handed in."""

    def link(place: Path) -> None:
        mine, theirs = file_of(place, "eve"), file_of(place, "ada")
        for _ in range(levels):
            mine, theirs = mine.parent, theirs.parent
        mine.parent.mkdir(parents=True, exist_ok=True)
        mine.symlink_to(theirs)

    return link


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda place: file_of(place, "eve").parent.mkdir(parents=True), f"there is no {LESSON}.ipynb"),
        (lambda place: hand_in(place, "eve", ""), "could not be read"),
        (linked(0), "a link to another place"),
        (linked(1), "a link to another place"),
        (linked(2), "a link to another place"),
        (pipe, "it is no ordinary file"),
    ],
    ids=["none", "empty", "a link", "a linked folder", "a linked student", "a pipe"],
)
def test_what_is_no_notebook_is_not_opened_scores_zero_and_says_so(folder, make, why):
    make(folder)
    score, output = only(folder, "eve")
    assert score == 0
    assert any(why in line for line in output)


def test_a_file_that_may_not_be_read_scores_zero_and_says_so(folder, monkeypatch):
    really = Path.read_bytes

    def read(path: Path) -> bytes:
        if path == file_of(folder, "ada"):
            raise PermissionError(13, "Permission denied")
        return really(path)

    monkeypatch.setattr(Path, "read_bytes", read)
    score, output = only(folder, "ada")
    assert score == 0
    assert any("the file cannot be opened (Permission denied)" in line for line in output)
    assert grade(folder, students=frozenset({"ada"}))[0].current == 1


# Late submissions


def due(folder: Path, penalty: str) -> None:
    config = folder / "nbgrader_config.py"
    config.write_text(config.read_text() + f'\nc.LateSubmissionPlugin.penalty_method = "{penalty}"\n')
    with command.GradebookWriter(Class(folder)) as opened:
        opened.enter_lesson(LESSON)
    with book(folder) as opened:
        opened.update_or_create_assignment(LESSON, duedate="2026-01-10 12:00:00")


@pytest.mark.parametrize("penalty", ["none", "zero"])
@NBGRADERS
def test_a_late_submission_is_handled_as_nbgrader_does(template, tmp_path, penalty):
    actual = {}
    for door in ("grade", "nbgrader"):
        folder = Path(shutil.copytree(template, tmp_path / door))
        due(folder, penalty)
        (file_of(folder, "ada").parent / "timestamp.txt").write_text("2026-01-11 12:00:00 UTC")
        if door == "grade":
            grade(folder, students=frozenset({"ada"}))
        else:
            course = Class(folder)
            assert NbGraderAPI(course.directory, config=course.config).autograde(LESSON, "ada")["success"]
        with book(folder) as opened:
            item = opened.find_submission(LESSON, "ada")
            penalties = [n.late_submission_penalty for n in item.notebooks]
            actual[door] = item.total_seconds_late, item.score, penalties
        assert (autograded(folder, "ada").parent / "timestamp.txt").read_text() == "2026-01-11 12:00:00 UTC"
    assert actual["grade"] == actual["nbgrader"]
    assert actual["grade"][0] == 24 * 3600


def test_a_penalty_goes_away_when_the_late_time_is_corrected(folder):
    due(folder, "zero")
    stamp = file_of(folder, "ada").parent / "timestamp.txt"
    stamp.write_text("2026-01-11 12:00:00 UTC")
    grade(folder, students=frozenset({"ada"}))
    stamp.write_text("2026-01-09 12:00:00 UTC")
    again = [grade(folder, students=frozenset({"ada"}))[0] for _ in range(2)]
    assert [(item.graded, item.settled, item.current) for item in again] == [(0, 1, 0), (0, 0, 1)]
    with book(folder) as opened:
        assert [n.late_submission_penalty for n in opened.find_submission(LESSON, "ada").notebooks] == [None]


def test_a_time_that_is_none_is_told_and_costs_nothing(folder):
    (file_of(folder, "ada").parent / "timestamp.txt").write_text("yesterday, I think")
    summary, output = grade(folder)
    assert (summary.faults, scores(folder)) == ([], STUDENTS)
    assert (
        f"ada {LESSON}: timestamp.txt beside the submission says no time, so it does not count as late"
        in output
    )


def test_a_penalty_follows_points_by_hand_before_anything_goes_out(folder):
    (file_of(folder, "bob").parent / "timestamp.txt").write_text("2026-01-11 12:00:00 UTC")
    agreed = f"timezone = 'UTC'\npenalty_per_day = 0.5\n[due]\n{LESSON} = 2026-01-11T11:00:00\n"
    (folder / "class.toml").write_text(agreed)
    grade(folder)
    for number, words in enumerate((["export", "--xlsx", "scores.xlsx"], ["feedback", LESSON]), start=1):
        with book(folder) as opened:  # as the formgrader does
            opened.find_grade("convolve", LESSON, LESSON, "bob").manual_score = float(number)
            opened.db.commit()
        words = [str(folder / word) if word.endswith(".xlsx") else word for word in words]
        result = CliRunner().invoke(cli.app, [*words, "--course", str(folder)])
        assert result.exit_code == 0
        assert f"-> {number / 2:g} points by another time, penalty or points by hand" in result.output
        assert exports.scores(Class(folder)).scores["bob", LESSON] == number / 2


def test_a_due_date_that_was_set_later_counts_without_running_anything_again(folder):
    (file_of(folder, "ada").parent / "timestamp.txt").write_text("2026-01-11 12:00:00 UTC")
    grade(folder)
    due(folder, "zero")
    assert grade(folder)[0].text == (
        "0 submissions graded, 3 submissions had not changed, "
        "1 submission with another time, another penalty or points by hand."
    )
    with book(folder) as opened:
        item = opened.find_submission(LESSON, "ada")
        assert item.notebooks[0].late_submission_penalty == FULL
        item.extension = timedelta(days=2)
        opened.db.commit()
    assert grade(folder)[0].settled == 1
    with book(folder) as opened:
        assert opened.find_submission(LESSON, "ada").notebooks[0].late_submission_penalty is None


def test_what_the_class_agreed_on_counts_without_running_anything_again(folder):
    (file_of(folder, "ada").parent / "timestamp.txt").write_text("2026-01-11 12:00:00 UTC")
    grade(folder)
    agreed = f"timezone = 'UTC'\npenalty_per_day = 0.5\n[due]\n{LESSON} = 2026-01-11T11:00:00\n"
    (folder / "class.toml").write_text(agreed)
    summary, output = grade(folder)
    assert summary.settled == 1
    told = f"ada {LESSON}: {FULL:g} -> {FULL / 2:g} points by another time, penalty or points by hand"
    assert told in output
    with book(folder) as opened:
        assert opened.find_submission(LESSON, "ada").notebooks[0].late_submission_penalty == FULL / 2
    (folder / "class.toml").write_text(f"{agreed}[extensions.{LESSON}]\nada = '2h'\n")
    assert grade(folder)[0].settled == 1
    with book(folder) as opened:
        assert opened.find_submission(LESSON, "ada").notebooks[0].late_submission_penalty is None
    with graded_results.opened(Class(folder).database) as store:
        changes = [(item.old, item.new) for item in store.read(graded_results.Change, LESSON)]
    assert changes == [(0, -FULL / 2), (-FULL / 2, 0)]
    assert CliRunner().invoke(cli.app, ["extend", "ada", "01", "0d", "--course", str(folder)]).exit_code == 0
    grade(folder)
    assert exports.scores(Class(folder)).scores["ada", LESSON] == FULL / 2  # what was granted is taken back


DUE = {day: f"[due]\n{LESSON} = 2026-01-{day}T13:00:00\n" for day in ("08", "09", "10")}
MORE_TIME = f"[extensions.{LESSON}]\nada = "
TENTH, QUARTER = "penalty_per_day = 0.1\n", "penalty_per_day = 0.25\n"
# What class.toml says, one after the other, and what the work of the 11th at noon then has of its points.
AGREED = {
    "a due date": (TENTH + DUE["10"], 0.9),
    "a due date that was moved": (TENTH + DUE["09"], 0.8),
    "another due date and another penalty": (QUARTER + DUE["10"], 0.75),
    "more time": (QUARTER + DUE["10"] + MORE_TIME + "'1d'", 1),
    "more time that was taken out again": (QUARTER + DUE["10"], 0.75),
    "time until a date, and another due date": (QUARTER + DUE["08"] + MORE_TIME + "2026-01-11", 1),
    "the same without the date": (QUARTER + DUE["08"], 0.25),
    "no due date any more": (QUARTER, 1),
    "a due date again": (QUARTER + DUE["10"], 0.75),
    "more time without a due date": (QUARTER + MORE_TIME + "'1d'", 1),
    "no penalty": (DUE["10"], 1),
}


@pytest.mark.parametrize("words", [["export", "--xlsx", "scores.xlsx"], ["feedback", LESSON], ["grade"]])
def test_what_class_toml_says_now_is_what_counts_and_whose_score_it_changes_is_said(
    graded, words, monkeypatch
):
    monkeypatch.chdir(graded)
    monkeypatch.setattr(bubblewrap, "why_not", lambda: "")
    (file_of(graded, "ada").parent / "timestamp.txt").write_text("2026-01-11 12:00:00 UTC")
    # Of the second, a platform says only that it is late: by a moment, whatever the due date.
    record = {"lessons": {LESSON: {"cleo": {"archive": "all.zip", "path": "cleo_LATE.ipynb", "late": True}}}}
    (graded / "collected").mkdir()
    (graded / "collected" / "record.json").write_text(json.dumps(record))
    grade(graded)
    before = {"ada": FULL, "cleo": 2.0}
    for what, (text, share) in AGREED.items():
        (graded / "class.toml").write_text(f"timezone = 'UTC'\n{text}")
        output = CliRunner().invoke(cli.app, words).output
        of_a_day = {TENTH: 0.9, QUARTER: 0.75}.get(text.partition("\n")[0] + "\n", 1)
        after = {"ada": FULL * share, "cleo": 2.0 * (of_a_day if "[due]" in text else 1)}
        actual = exports.scores(Class(graded)).scores
        assert {who: actual[who, LESSON] for who in after} == after, what
        changed = {who for who in after if f"{who} {LESSON}: {before[who]:g} -> {after[who]:g} " in output}
        assert changed == {who for who in after if before[who] != after[who]}, what
        before = after


@NBGRADERS
def test_a_class_that_asks_for_hidden_probes_is_not_graded_without_them(folder):
    (folder / "class.toml").write_text("require_secret = true\n")
    summary, output = grade(folder)
    assert (summary.graded, len(summary.faults)) == (0, 4)
    assert any("class.toml asks for hidden probes" in line for line in output)
    course = Class(folder)
    with command.GradebookWriter(course) as opened:
        opened.enter_lesson(LESSON)
    done = NbGraderAPI(course.directory, config=course.config).autograde(LESSON, "cleo")
    assert not done["success"]
    assert "class.toml asks for hidden probes" in f"{done['error']}{done['log']}"


# Faults and interruptions


def test_a_fault_of_ours_writes_no_score_and_is_counted(folder, monkeypatch):
    really = grade_submission.grade

    def faulty(notebook: NotebookNode, *rest: Any) -> Any:
        if any(RIGHT in cell.source for cell in notebook.cells if cell["id"] == "convolve-answer"):
            raise GraderFault("convolve: our own mistake")
        return really(notebook, *rest)

    monkeypatch.setattr(grade_submission, "grade", faulty)
    summary, output = grade(folder)
    assert "cleo" not in scores(folder)
    assert f"cleo {LESSON}" in summary.faults
    assert "could not be graded and needs a look" in summary.text
    assert any("no score was written: convolve: our own mistake" in line for line in output)
    assert not autograded(folder, "cleo").exists()


def test_an_interrupted_run_leaves_a_whole_book_and_the_next_one_goes_on(folder):
    class Stopped(Here):
        taken = 0

        def submit(self, run: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            self.taken += 1
            if self.taken == 4:
                raise KeyboardInterrupt
            return super().submit(run, *args, **kwargs)

    summary, _ = grade(folder, jobs=1, executor=Stopped())
    assert summary.interrupted
    assert summary.text.endswith("stopped before the end; the next run goes on from here.")
    assert 0 < summary.graded < 4
    assert len(scores(folder)) == summary.graded
    again, _ = grade(folder)
    assert (again.graded, again.current) == (4 - summary.graded, summary.graded)
    assert scores(folder) == STUDENTS


def test_what_an_interrupted_forced_run_did_not_reach_is_graded_by_the_next(graded):
    class Stopped(Here):
        def submit(self, run: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            raise KeyboardInterrupt

    assert grade(graded, force=True, executor=Stopped())[0].interrupted
    assert grade(graded)[0].graded == 4


@pytest.mark.parametrize(
    ("error", "reported"),
    [(KeyboardInterrupt, "stopped before the end"), (OSError, "4 submissions could not be graded")],
)
def test_what_fails_between_book_and_notebook_is_told_and_mended_by_the_next_run(
    folder, monkeypatch, error, reported
):
    def replace(*_: Any) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(gradebook_writer.os, "replace", replace)
        summary, output = grade(folder)
        assert reported in summary.text
        assert any("only scores were written: OSError" in line for line in output) == (error is OSError)
    assert grade(folder)[0].graded == 4
    assert scores(folder) == STUDENTS


MOMENTS = {
    "before a notebook is written": (gradebook_writer, "_written"),
    "before the book is changed": (gradebook_writer.GradebookWriter, "_penalty"),
    "before a notebook takes its place": (gradebook_writer.os, "replace"),
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs Unix: there is no SIGKILL here")
@pytest.mark.usefixtures("graded_template")  # so that what is killed needs no sandbox any more
@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_a_run_that_is_killed_loses_nothing_and_the_next_goes_on(folder, monkeypatch, moment):
    grading = os.fork()
    if grading == 0:
        calls = iter(range(10))

        def killed(*given: Any) -> Any:
            if next(calls) == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            return really(*given)

        really = getattr(*moment)
        monkeypatch.setattr(*moment, killed)
        grade(folder)
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(grading, 0)[1]) == signal.SIGKILL
    before = scores(folder)
    again, _ = grade(folder)
    assert (again.graded, again.current) == (2, 2)
    # What was only entered has no points yet.
    assert all(score in (0.0, STUDENTS[student]) for student, score in before.items())
    assert scores(folder) == STUDENTS
    assert all(autograded(folder, student).is_file() for student in STUDENTS)


def test_a_full_disk_is_told_and_the_next_run_goes_on(folder, monkeypatch):
    write = gradebook_writer.Path.write_text

    def full(path: Path, *words: Any, **more: Any) -> int:
        if folder in path.parents:  # a sandbox that starts meanwhile writes elsewhere
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, *words, **more)

    with monkeypatch.context() as patch:
        patch.setattr(gradebook_writer.Path, "write_text", full)
        summary, output = grade(folder)
    assert (summary.graded, len(summary.faults)) == (0, 4)
    assert sum("no score was written: No space left on device (4)" in line for line in output) == 1
    assert grade(folder)[0].graded == 4
    assert scores(folder) == STUDENTS


def test_a_gradebook_that_cannot_grow_is_told_and_the_next_run_goes_on(folder):
    def cannot_grow(connection: Any, _: Any) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(Engine, "connect", cannot_grow)
    try:
        summary, output = grade(folder)
    finally:
        event.remove(Engine, "connect", cannot_grow)
    assert summary.faults
    assert all(len(line.splitlines()) == 1 for line in output)
    grade(folder)
    assert scores(folder) == STUDENTS


def test_two_graders_at_once_are_one_and_a_line(folder):
    class Second(Here):
        told = ""

        def submit(self, run: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            with pytest.raises(BadBook) as refused:
                grade(folder)
            self.told = str(refused.value)
            return super().submit(run, *args, **kwargs)

    first = Second()
    assert grade(folder, executor=first)[0].graded == 4
    assert "another run grades this class" in first.told
    assert scores(folder) == STUDENTS
    assert grade(folder)[0].current == 4


@NBGRADERS
def test_nbgraders_own_autograde_waits_for_no_run_of_the_grader_but_says_so(graded):
    course = Class(graded)
    with gradebook_writer.gradebook_lock(course.database, graded):
        done = NbGraderAPI(course.directory, config=course.config).autograde(LESSON, "bob", force=True)
    assert not done["success"]
    assert "another run grades this class" in f"{done.get('error')}{done.get('log')}"


@pytest.mark.parametrize(
    "problem", [OSError(errno.ENOLCK, "No locks available"), NotImplementedError("no flock here")]
)
def test_where_no_file_can_be_locked_that_is_said_and_nothing_is_graded(folder, monkeypatch, problem):
    def refuse(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr(gradebook_writer.FileLock, "acquire", refuse)
    with pytest.raises(BadBook, match="lies where no file can be locked"):
        grade(folder)


def test_the_lock_lies_beside_the_gradebook_whatever_the_folder_for_temporary_files(folder, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(folder))
    database = Class(folder).database
    with gradebook_writer.gradebook_lock(database, folder):
        assert (folder / "gradebook.db.lock").exists()
        monkeypatch.chdir("/")
        with pytest.raises(BadBook), gradebook_writer.gradebook_lock(database, folder):
            pass
    with gradebook_writer.gradebook_lock("postgresql://book", folder):
        assert (folder / "gradebook.lock").exists()


def test_files_that_may_only_be_read_are_replaced_on_windows_too(graded, monkeypatch):
    stamp = "timestamp.txt"
    (file_of(graded, "bob").parent / stamp).write_text("2026-01-11 12:00:00 UTC")
    saved = autograded(graded, "bob")
    for path in (saved.parent / stamp, saved.with_name(f".{saved.name}.new")):
        path.write_text("of a run that was interrupted")
        path.chmod(0o444)

    def as_on_windows(path: Any, **where: Any) -> None:
        if not where and not os.stat(path).st_mode & stat.S_IWRITE:
            raise PermissionError(errno.EACCES, "Access is denied", str(path))
        really(path, **where)

    really = os.unlink
    for name in ("unlink", "remove"):
        monkeypatch.setattr(os, name, as_on_windows)
    monkeypatch.setattr("nbgrader.utils.sys", SimpleNamespace(platform="win32"))
    summary, output = grade(graded, force=True)
    assert (summary.graded, summary.faults) == (len(STUDENTS), []), output
    assert (saved.parent / stamp).read_text() == "2026-01-11 12:00:00 UTC"


def test_a_clock_that_was_put_back_changes_nothing(graded, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 0.0)
    monkeypatch.setattr(gradebook_writer, "now", lambda: "1970-01-01T00:00:00+00:00")
    hand_in(graded, "bob", file_of(graded, "ada").read_text(encoding="utf-8"))
    assert grade(graded)[0].graded == 1
    assert scores(graded)["bob"] == FULL
    assert grade(graded)[0].current == 4


@pytest.mark.parametrize("in_the_way", ["student", "notebook"])
def test_where_the_notebook_cannot_be_put_no_score_is_written(folder, in_the_way):
    if in_the_way == "student":
        autograded(folder, "ada").parents[1].mkdir(parents=True)
        autograded(folder, "ada").parent.write_text("")
    else:
        autograded(folder, "ada").mkdir(parents=True)
    _, output = grade(folder, students=frozenset({"ada"}))
    assert any("needs a look, no score was written" in line for line in output)
    assert scores(folder) == {}


def test_the_programs_of_this_interpreter_are_found_without_a_path(folder, monkeypatch):
    (folder / "gradebook.db").unlink()
    monkeypatch.setenv("PATH", "/usr/bin")
    assert grade(folder)[0].graded == 4


def test_a_gradebook_that_is_half_made_is_told(folder, monkeypatch):
    (folder / "gradebook.db").unlink()
    with monkeypatch.context() as patch:
        patch.setattr(nbgrader.api, "get_alembic_version", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            command.GradebookWriter(Class(folder))
    done = invoke("--course", str(folder))
    assert done.exit_code == 2
    assert "gradebook.db is half-made" in done.output


# The command line


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(cli.app, ["grade", *arguments])


@pytest.fixture
def without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "Processes", lambda *_, **__: Here())


@pytest.mark.usefixtures("without_threads")
def test_the_command_grades_and_says_what_it_did(folder):
    done = invoke("01", "--course", str(folder), "--jobs", "1")
    assert done.exit_code == 0, done.output
    assert "4 submissions graded." in done.output
    assert scores(folder) == STUDENTS


@pytest.mark.usefixtures("without_threads")
def test_the_command_fails_where_a_submission_could_not_be_graded(folder, monkeypatch):
    def faulty(*_: Any) -> Any:
        raise GraderFault("share: our own mistake")

    monkeypatch.setattr(grade_submission, "grade", faulty)
    done = invoke("--course", str(folder))
    assert done.exit_code == 1
    assert "4 submissions could not be graded and need a look." in " ".join(done.output.split())
    assert scores(folder) == {}


def test_without_a_sandbox_the_command_refuses_and_says_why(folder, monkeypatch):
    monkeypatch.setattr(command.bubblewrap, "why_not", lambda: "bubblewrap is not installed")
    done = invoke("--course", str(folder))
    assert done.exit_code == 2
    assert "there is none: bubblewrap is not installed." in done.output
    assert "To run them anyway, with your own rights: `autograder grade --no-sandbox`" in done.output
    assert isinstance(done.exception, SystemExit)
    assert scores(folder) == {}


@pytest.mark.usefixtures("without_threads")
def test_told_to_do_without_a_sandbox_the_command_grades_in_kernels_and_says_what_is_open(
    folder, monkeypatch
):
    monkeypatch.setattr(command.bubblewrap, "why_not", lambda: "bubblewrap is not installed")
    result = KernelRunner(Class(folder).banks)
    asked: list[bool] = []

    def runner(_: Banks, sandboxed: bool = True) -> SandboxRunner:
        asked.append(sandboxed)
        return result

    monkeypatch.setattr(grade_submission, "runner_for", runner)
    monkeypatch.setattr(grade_submission, "grade", grading.grade)
    done = invoke("--course", str(folder), "--no-sandbox", "--student", "cleo")
    result.close()
    assert done.exit_code == 0, done.output
    printed = " ".join(done.output.split())
    assert "Without a sandbox, submissions run with your own rights. Not protected are your files" in printed
    assert set(asked) == {False}
    assert scores(folder) == {"cleo": STUDENTS["cleo"]}


@NBGRADERS
def test_nbgraders_own_autograde_says_that_there_is_no_secret(folder):
    course = Class(folder)
    with command.GradebookWriter(course) as opened:
        opened.enter_lesson(LESSON)
    done = NbGraderAPI(course.directory, config=course.config).autograde(LESSON, "cleo")
    assert done["success"], done
    assert f"visible probes only: `autograder secret {LESSON}` makes hidden ones" in done["log"]


@pytest.mark.parametrize("sandboxed", [True, False])
def test_a_thread_runs_its_submissions_where_it_was_told_to(class_course, sandboxed):
    kind = SandboxRunner if sandboxed else KernelRunner
    asked = Banks.of(class_course)
    assert type(RUNNER_OF_A_THREAD(asked, sandboxed)) is kind
    assert RUNNER_OF_A_THREAD(asked, sandboxed) is RUNNER_OF_A_THREAD(asked, sandboxed)
    grade_submission.close_sandboxes()


@NBGRADERS
def test_nbgraders_own_autograde_does_without_a_sandbox_where_it_is_told_to(folder, monkeypatch, runner):
    monkeypatch.setattr(preprocessors.bubblewrap, "why_not", lambda: "bubblewrap is not installed")
    asked: list[bool] = []

    def shared(_: Banks, sandboxed: bool = True) -> SandboxRunner:
        asked.append(sandboxed)
        return runner

    monkeypatch.setattr(grade_submission, "runner_for", shared)
    course = Class(folder)
    with command.GradebookWriter(course) as opened:
        opened.enter_lesson(LESSON)
    assert not NbGraderAPI(course.directory, config=course.config).autograde(LESSON, "cleo")["success"]
    assert asked == []
    config = folder / "nbgrader_config.py"
    config.write_text(config.read_text() + "\nc.RunAndJudge.sandboxed = False\n")
    course = Class(folder)
    done = NbGraderAPI(course.directory, config=course.config).autograde(LESSON, "cleo")
    assert done["success"], done
    assert "submissions run with your own rights" in done["log"]
    assert asked == [False]
    assert scores(folder) == {"cleo": STUDENTS["cleo"]}


def lock(database: Path) -> None:
    """Write to a gradebook, as another program, and do not finish."""
    other = sqlite3.connect(database, isolation_level=None)
    KEPT_OPEN.append(other)
    other.execute("BEGIN EXCLUSIVE")


@pytest.mark.parametrize(
    ("make", "asked", "code", "says"),
    [
        (lambda folder: (folder / "course.toml").unlink(), (), 2, "There is no course.toml here"),
        (lambda folder: (folder / "nbgrader_config.py").unlink(), (), 2, "There is no nbgrader_config.py"),
        (lambda folder: (folder / "gradebook.db").write_text("a" * 4096), (), 2, "cannot be used"),
        (lambda folder: lock(folder / "gradebook.db"), (), 2, "gradebook.db is in use by another program"),
        (lambda folder: None, ("--student", "nobody"), 2, "has no folder for nobody"),
        (lambda folder: shutil.rmtree(folder / "submitted"), (), 1, f"Nothing was handed in for {LESSON}"),
        (
            lambda folder: file_of(folder, "ada").rename(folder / "submitted" / "ada" / f"{LESSON}.ipynb"),
            ("--student", "ada"),
            1,
            f"submitted/ada/{LESSON}.ipynb is not graded: its place is submitted/ada/{LESSON}/{LESSON}.ipynb",
        ),
        (
            lambda folder: file_of(folder, "ada").parent.rename(
                folder / "submitted" / "ada" / "01_convolution"
            ),
            (),
            1,
            f"ada/01_convolution is not graded: its place is submitted/ada/{LESSON}/{LESSON}.ipynb",
        ),
        (
            lambda folder: [
                file_of(folder, "ada").rename(file_of(folder, "ada").with_name("mine.ipynb")),
                (file_of(folder, "ada").with_name("other.ipynb")).write_text("{}"),
            ],
            ("--student", "ada"),
            1,
            "which of these counts? mine.ipynb, other.ipynb",
        ),
    ],
)
@pytest.mark.usefixtures("without_threads")
def test_what_cannot_be_graded_is_told_in_a_sentence_and_the_command_fails(folder, make, asked, code, says):
    make(folder)
    done = invoke("--course", str(folder), *asked)
    while KEPT_OPEN:
        KEPT_OPEN.pop().close()
    assert done.exit_code == code, done.output
    assert says in " ".join(done.output.split())
    assert isinstance(done.exception, SystemExit)


def test_the_only_notebook_counts_whatever_it_is_called(folder):
    file_of(folder, "ada").rename(file_of(folder, "ada").with_name(f"{LESSON} (1).ipynb"))
    _, output = grade(folder)
    assert scores(folder) == STUDENTS
    assert f"ada {LESSON}: there is no {LESSON}.ipynb, so {LESSON} (1).ipynb was taken" in output


@pytest.mark.usefixtures("without_threads")
def test_a_lesson_that_nobody_handed_in_is_not_in_the_gradebook(folder, class_course):
    class_folder(class_course, folder, OTHER)
    invoke("--course", str(folder))
    with book(folder) as opened:
        assert [item.name for item in opened.assignments] == [LESSON]


def test_a_lesson_that_is_not_there_is_named(folder):
    done = invoke("07", "--course", str(folder))
    assert done.exit_code == 2
    assert f"There is no lesson 07. There are: {LESSON}." in " ".join(done.output.split())


# The command with limits that no test lives to see reached. Whoever runs tests in the background of a shell
# has Control-C ignored, in what they start too.
PATIENT = """
import signal
from autograder.command.app import main
from autograder.grading import job_scheduling, notebook_runners
from autograder.grading.sandbox.resource_limits import Limits

signal.signal(signal.SIGINT, signal.default_int_handler)
job_scheduling.LIMITS = Limits(cell_seconds=3600, seconds=3600)
notebook_runners.CELL_SECONDS = 3600
main()
"""


def test_control_c_ends_the_command_and_the_run_in_hand_and_the_next_run_goes_on(folder, solved):
    endless = deepcopy(solved)
    answer(endless, "convolve", "import time\ntime.sleep(3600)")
    hand_in(folder, "bob", endless)
    running = subprocess.Popen(
        [sys.executable, "-c", PATIENT, "grade", "--jobs", "1"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    while not autograded(folder, "ada").exists() and running.poll() is None:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    output, _ = running.communicate()
    assert running.returncode == 1, output
    assert "Traceback" not in output
    assert "stopped before the end; the next run goes on from here." in " ".join(output.split())
    assert scores(folder) == {"ada": FULL}
    hand_in(folder, "bob", "{")
    again, _ = grade(folder)
    assert (again.graded, again.current) == (3, 1)
    assert scores(folder) == STUDENTS


# Words


@pytest.mark.parametrize(
    ("summary", "text"),
    [
        (Summary(), "0 submissions graded."),
        (Summary(graded=1), "1 submission graded."),
        (Summary(written_answers=1), "graded, 1 written answer to read at the desk: autograder desk."),
        (Summary(written_answers=2), "graded, 2 written answers to read at the desk: autograder desk."),
        (Summary(graded=3, dry_run=True, current=1), "would be graded, 1 submission had not changed."),
        (Summary(by_hand=1), "graded, 1 task with points given by hand, which stay: look at it again."),
        (Summary(changed=2), "graded, 2 scores changed since the last time."),
        (Summary(faults=["ada"]), "graded, 1 submission could not be graded and needs a look."),
    ],
)
def test_the_summary_says_in_words_what_was_done(summary, text):
    assert summary.text.endswith(text)
