"""A report of what a class misunderstood, from records as grading leaves them: nothing is run here."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from autograder.classroom.class_report import Report, Words, as_csv, as_html, report, without_names
from autograder.command import app as cli
from autograder.grading import graded_results
from autograder.grading.class_folder import Class
from autograder.grading.graded_results import Grading, TaskResult
from autograder.grading.read_submission import unreadable
from autograder.grading.rebuild_submission import rebuild
from autograder.records.course import Course
from autograder.words import language
from nbformat.v4 import new_notebook
from nbgrader.api import Base, Gradebook
from sqlalchemy import create_engine
from support.class_course import LESSON as FIRST
from support.class_course import OTHER as LESSON
from support.class_course import class_folder
from typer.testing import CliRunner

# What its tasks are worth.
POINTS = {"strided": 3, "pooled": 2}
TASKS = list(POINTS)
WRITTEN = "why-in-words"
# What a student does at a task, by its place in the lesson and their own number.
Answers = Callable[[int, int], TaskResult | None]


def of(student: int, task: str, **actual: object) -> TaskResult:
    possible = POINTS.get(task, 3)
    plain = {"points": possible, "possible": possible, "answer": "answer = 1", **actual}
    return TaskResult(LESSON, f"student-{student}", task, **plain)  # type: ignore[arg-type]


def wrong(student: int, task: str, *faults: str, answer: str = "answer = 0") -> TaskResult:
    return of(student, task, points=0, faults=faults, finding="MatchesKnownWrong", answer=answer)


@pytest.fixture
def course(class_course: Course, tmp_path: Path) -> Class:
    folder = Class(class_folder(class_course, tmp_path / "course", LESSON))
    Base.metadata.create_all(create_engine(folder.database))
    return folder


def made(course: Class, students: int, answers: Answers) -> Report:
    with graded_results.opened(course.database) as store:
        for student in range(students):
            actual = [answers(student, position) for position in range(len(TASKS))]
            store.write(
                Grading(LESSON, f"student-{student}", graded_results.now()), [item for item in actual if item]
            )
    return report(course, LESSON)


def only(*chosen: Callable[[int], TaskResult]) -> Answers:
    """Answers to a few tasks."""
    return lambda student, position: chosen[position](student) if position < len(chosen) else None


def test_a_task_says_how_many_were_right_and_what_was_lost(course):
    def first(student: int) -> TaskResult:
        kinds = (
            of(student, "strided"),
            of(student, "strided", points=1, finding="WrongValues"),
            wrong(student, "strided"),
            of(student, "strided", points=0, finding="StillStub"),
        )
        return kinds[student % 4]

    (task,) = made(course, 8, only(first)).tasks
    possible = POINTS["strided"]
    assert (task.right, task.partly, task.wrong, task.empty) == (2, 2, 2, 2)
    assert task.difficulty == pytest.approx((possible + 1) / (4 * possible))
    assert task.lost == 2 * (possible - 1) + 4 * possible


def test_a_mistake_is_counted_once_for_a_student_and_named_with_its_tasks_and_section(course):
    actual = made(
        course, 6, only(*(lambda s, t=t: wrong(s, t, "no-stride") if s < 4 else of(s, t) for t in TASKS))
    )
    (mistake,) = actual.mistakes
    assert (mistake.students, len(mistake.tasks)) == (4, 2)
    assert mistake.section.endswith(f"in {LESSON}")
    assert actual.say[0].startswith("4 of 6: the windows overlap, in 2 tasks.")


def test_a_lesson_that_comes_later_explains_nothing(class_course, tmp_path):
    folder = Class(class_folder(class_course, tmp_path / "course", FIRST, LESSON))
    reported = [Words(folder, lesson).section(f"{LESSON}#{TASKS[0]}") for lesson in (FIRST, LESSON)]
    assert [bool(section) for section in reported] == [False, True]


@pytest.mark.parametrize(("students", "reported"), [(14, False), (15, True)])
def test_discrimination_needs_enough_students(course, students, reported):
    first, second = TASKS
    good = [student % 3 > 0 for student in range(students)]
    answers = only(*(lambda s, t=t: of(s, t) if good[s] else wrong(s, t) for t in (first, second)))
    actual = made(course, students, answers).tasks[0].discrimination
    assert actual == (pytest.approx(1.0) if reported else None)


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of nbgrader's own way to add a submission
def test_an_answer_that_a_person_has_read_counts_with_their_points(course):
    results = only(lambda s: of(s, WRITTEN, points=None))
    assert [(item.waiting, item.difficulty) for item in made(course, 2, results).tasks] == [(2, None)]
    with Gradebook(course.database, course.directory.course_id) as book:
        book.add_assignment(LESSON)
        book.add_notebook(LESSON, LESSON)
        book.add_grade_cell(WRITTEN, LESSON, LESSON, max_score=3, cell_type="markdown")
        book.add_student("student-0")
        book.add_submission(LESSON, "student-0")
        mark = book.find_grade(WRITTEN, LESSON, LESSON, "student-0")
        mark.manual_score, mark.needs_manual_grade = 3, False
        book.db.commit()
    (task,) = report(course, LESSON).tasks
    assert (task.waiting, task.right, task.difficulty) == (1, 1, 1.0)


def test_what_nobody_has_read_is_no_share_of_0_where_somebody_wrote_nothing(course):
    results = only(lambda s: of(s, WRITTEN, points=None, finding="" if s else "StillStub"))
    (task,) = made(course, 3, results).tasks
    assert (task.empty, task.waiting, task.difficulty) == (1, 2, None)


def test_who_answered_nothing_at_all_was_stopped_by_no_single_task(course):
    def answers(student: int, position: int) -> TaskResult:
        empty = student < 2 or (student < 4 and position == 0)
        return of(student, TASKS[position], **({"points": 0, "finding": "StillStub"} if empty else {}))

    said = [line for line in made(course, 6, answers).say if "wrote nothing" in line]
    assert [line.split(" wrote")[0] for line in said] == ["2 of 4"]


def test_a_file_that_could_not_be_read_is_said_beside_what_it_counts_as(course, tmp_path):
    empty = only(lambda s: of(s, TASKS[0], points=0, finding="StillStub"))
    assert made(course, 2, empty).about_unreadable == ""
    note = rebuild(new_notebook(), unreadable("it is no ordinary file")).notes
    with graded_results.opened(course.database) as store:
        store.write(Grading(LESSON, "student-1", graded_results.now(), {}, tuple(note)), [empty(1, 0)])
    said = "The file of 1 student could not be read: it counts as not answered in every task."
    assert report(course, LESSON).about_unreadable == said
    assert said in as_html(report(course, LESSON))
    where = ["--course", str(course.directory.root)]
    assert said in " ".join(CliRunner().invoke(cli.app, ["report", LESSON, *where]).output.split())


def test_a_question_is_called_without_its_number_as_tasks_of_code_are(course, monkeypatch):
    monkeypatch.setattr(Words, "_heading", lambda *_: "কাজ ৬ · In your own words")
    assert Words(course, LESSON).title(WRITTEN) == "In your own words"


def test_examples_hold_no_names_and_the_same_code_is_shown_once(course):
    task = TASKS[0]
    texts = (
        'def f(x):\n    """By Ada."""\n    return x  # Ada',
        "def f( x ):\n\n    return x",
        "broken( # Ada\n",
    )
    actual = made(course, 3, only(lambda s: wrong(s, task, "no-stride", answer=texts[s])))
    assert actual.tasks[0].mistakes[0].examples == ("def f(x):\n    return x", "broken(")
    assert without_names("class A:\n    '''Ada'''") == "class A:\n    pass"


def test_the_page_needs_no_other_file_and_shows_strange_text_as_text(course):
    task = TASKS[0]
    evil = "<script>alert(1)</script>"
    actual = made(
        course,
        3,
        only(lambda s: of(s, task, points=0, finding="BrokenProperty", says=evil, answer=f"x = '{evil}'")),
    )
    page = as_html(actual)
    assert evil not in page
    assert "&lt;script&gt;" in page
    assert "src=" not in page
    assert "http" not in page


def test_the_table_has_a_line_for_each_task_and_no_formula(course):
    tasks = TASKS
    answers = only(
        lambda s: wrong(s, tasks[0], "no-stride"),
        lambda s: of(s, tasks[1], points=0, finding="BrokenProperty", says="=1+1"),
    )
    rows = list(csv.DictReader(io.StringIO(as_csv(made(course, 2, answers)))))
    assert [row["task"] for row in rows] == tasks
    assert [row["mistakes"] for row in rows] == ["no-stride: 2", "'=1+1: 2"]


def test_a_report_loads_no_torch():
    """Most of what a command's start takes; `benchmarks/report.py` times the whole."""
    code = "import sys, autograder.command.report_command; print('torch' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


def test_the_command_shows_and_writes_the_report_and_refuses_where_nothing_is_graded(course, tmp_path):
    where = ("report", "02", "--course", str(course.directory.root))
    refused = CliRunner().invoke(cli.app, where)
    assert refused.exit_code == 2
    assert "Nothing of 02-strides is graded yet" in " ".join(refused.output.split())
    made(course, 2, only(lambda s: wrong(s, TASKS[0], "no-stride")))
    done = CliRunner().invoke(
        cli.app, [*where, "--html", str(tmp_path / "r.html"), "--csv", str(tmp_path / "r.csv")]
    )
    assert done.exit_code == 0, done.output
    assert "For the next lecture" in done.output
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (tmp_path / "r.csv").is_file()
    (course.banks.course.root / "class.toml").write_text('left = ["student-0"]')
    assert report(Class(course.banks.course.root), LESSON).students == 1


def test_the_report_speaks_the_language_that_is_asked_for(course, tmp_path, monkeypatch):
    monkeypatch.setattr(language, "_spoken", language._spoken)  # so that the next test speaks English again
    monkeypatch.setenv(language.LANGUAGE, "bn")
    made(course, 2, only(lambda s: wrong(s, TASKS[0], "no-stride")))
    page = tmp_path / "r.html"
    done = CliRunner().invoke(
        cli.app, ["report", "02", "--course", str(course.directory.root), "--html", str(page)]
    )
    assert "পরের ক্লাসে যা বলার" in done.output
    shown = page.read_text(encoding="utf-8")
    assert '<html lang="bn">' in shown
    assert "2 জনের মধ্যে 2 জন" in shown
    assert "2 জন শিক্ষার্থী" in shown
