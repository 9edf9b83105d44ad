"""A class's gradebook with scores that no grading made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from autograder.grading.class_folder import Class
from nbgrader.api import Base, Gradebook
from sqlalchemy import create_engine, text
from support.class_course import LESSON, OTHER


def graded(folder: Path, scores: Mapping[str, float]) -> Class:
    """Put scores of the first lesson into a class's gradebook, of 10 points; the second lesson has one."""
    course = Class(folder)
    Base.metadata.create_all(create_engine(course.database))
    with Gradebook(course.database, course.directory.course_id) as book:
        if not book.assignments:
            book.db.execute(text("CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32))"))
            for lesson in (LESSON, OTHER):
                book.add_assignment(lesson)
                book.add_notebook(lesson, lesson)
                book.add_grade_cell("task", lesson, lesson, max_score=10, cell_type="code")
                book.add_solution_cell("task-answer", lesson, lesson)
        for student, score in scores.items():
            book.update_or_create_student(student)
            book.update_or_create_submission(LESSON, student)
            grade = book.find_grade("task", LESSON, LESSON, student)
            grade.auto_score, grade.needs_manual_grade = score, False
        book.db.commit()
    return course
