"""The bank that is committed: all of it can be read, and written again it is the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from autograder.records import bank
from autograder.records.course import Course

COURSE = Course.read(Path(__file__).parents[1])


def test_every_lesson_has_its_tasks_in_order():
    assert COURSE.banked() == list(COURSE.lessons)
    for lesson in COURSE.lessons:
        assert list(COURSE.load(lesson).tasks) == [
            task for task, name in COURSE.lesson_of().items() if name == lesson
        ]


@pytest.mark.parametrize("lesson", COURSE.lessons)
def test_reading_and_writing_changes_nothing(lesson):
    for name, content in bank.files(COURSE.load(lesson)).items():
        assert content == (COURSE.bank / name).read_bytes()
