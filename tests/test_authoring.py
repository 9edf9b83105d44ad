"""The authors' page's example of adding a task, followed to the letter."""

import shutil
from pathlib import Path

import pytest
from autograder.author.audit import audit_lesson
from autograder.author.lesson_source import read_lesson
from autograder.author.message_review import confirm, messages_of
from autograder.author.pipeline import current_bank
from autograder.records import bank
from autograder.records.course import Course

from benchmarks.authoring import add_task

ROOT = Path(__file__).parents[1]
LESSON = "01-dot-product"


@pytest.mark.slow
def test_the_task_that_the_page_adds_can_be_added_as_it_says(tmp_path):
    shutil.copytree(ROOT / "source" / LESSON, tmp_path / "source" / LESSON)
    for name in ("course.toml", "source/faults.py", "source/attention.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    add_task(tmp_path, LESSON)
    course = Course.read(tmp_path)
    assert confirm(course, LESSON, tuple(messages_of(course, LESSON, ["mean-vector"])))
    bank.save(current_bank(read_lesson(course, LESSON)), course.bank)
    row = next(row for row in audit_lesson(course, LESSON) if row.task == "mean-vector")
    # What `test_course.py` wants of every task: five wrong answers and three right ones.
    assert list(row.tried.values()) == [[True] * 5, [True] * 5, [True] * 3, []]
