"""What a sandbox has ready before the first notebook runs."""

from __future__ import annotations

from typing import Any

from autograder.collect import collect
from autograder.course import Course
from autograder.transport import pack


def try_all_checks() -> None:
    """Check a wrong answer to every task, so that whatever this imports is there."""
    course = Course.find()
    for lesson in map(course.load, course.banked()):
        for task in lesson.tasks.values():
            pack(collect(task, lesson, {task.name: _first}))


def _first(*given: Any) -> Any:
    return given[0] * 1.0
