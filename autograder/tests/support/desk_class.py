"""A class that has answered a question in words and one in code, as grading leaves it for the desk."""

from __future__ import annotations

from pathlib import Path

from autograder.grading import graded_results
from autograder.grading.class_folder import Class
from autograder.grading.graded_results import Grading, TaskResult
from autograder.records.course import Course
from nbgrader.api import Base, Gradebook
from sqlalchemy import create_engine, text
from support.class_course import OTHER, class_folder

LESSON, TASK, CODE = OTHER, "why-in-words", "strided"
TEXTS = {"ada": "The scores **spread**: $s$.", "bob": "<script>alert(1)</script>no idea", "cleo": ""}


def answered(class_course: Course, folder: Path) -> Class:
    """A class of three who have answered one question in words and one in code, two with the same mistake."""
    return answered_in(class_folder(class_course, folder / "course", LESSON), LESSON, TASK, CODE, "no-stride")


def answered_in(folder: Path, lesson: str, task: str, code: str, fault: str) -> Class:
    """The same in the folder of any class: a question in words, a task, and a mistake in its answer."""
    course = Class(folder)
    Base.metadata.create_all(create_engine(course.database))
    with Gradebook(course.database, course.directory.course_id) as book:
        book.db.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32))"))
        book.add_assignment(lesson)
        book.add_notebook(lesson, lesson)
        book.add_grade_cell(task, lesson, lesson, max_score=3, cell_type="markdown")
        book.add_solution_cell(task, lesson, lesson)
        book.add_grade_cell(code, lesson, lesson, max_score=4, cell_type="code")
        book.add_solution_cell(f"{code}-answer", lesson, lesson)
        for student in TEXTS:
            book.add_student(student)
            book.add_submission(lesson, student)
        book.db.commit()
    with graded_results.opened(course.database) as store:
        for student, output in TEXTS.items():
            finding = "" if output else "StillStub"
            actual = TaskResult(lesson, student, task, None, 3, finding=finding, answer=output)
            mistake = {} if student == "cleo" else {"faults": (fault,), "finding": "MatchesKnownWrong"}
            written = {"answer": f"v1 = 1  # by {student}", **mistake}
            for points in (0, 2):  # graded twice
                both = [actual, TaskResult(lesson, student, code, points, 4, **written)]
                store.write(Grading(lesson, student, graded_results.now(), {"checks": str(points)}), both)
    return course
