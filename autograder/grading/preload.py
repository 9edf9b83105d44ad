"""What a sandbox has ready before the first notebook runs."""

from __future__ import annotations

from typing import Any

from autograder.bank import LessonBank
from autograder.collect import collect
from autograder.course import Course
from autograder.transport import pack


def read_questions() -> list[LessonBank]:
    """Read all questions that are there, so that the checks have them."""
    course = Course.find()
    return [course.load(lesson) for lesson in dict.fromkeys(course.lesson_of().values())]


def try_all_checks() -> None:
    """Check a wrong answer to every task, so that whatever this imports is there."""
    for lesson in read_questions():
        for task in lesson.tasks.values():
            pack(collect(task, lesson, {task.name: _first}))


def _first(*given: Any) -> Any:
    return given[0] * 1.0
