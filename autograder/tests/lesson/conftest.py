"""Fixtures of lessons that ask a learner something."""

from dataclasses import replace

import pytest
from autograder.records import bank


@pytest.fixture
def add_questions(bank_folder, lesson):
    """Give the tiny course a table of questions, and its lesson's mistake a name."""

    def add(key: str, questions: str) -> None:
        task = lesson.tasks["share"]
        wrong = tuple(replace(reference, name="the largest divides") for reference in task.known_wrong)
        bank.save(
            replace(lesson, tasks={**lesson.tasks, "share": replace(task, known_wrong=wrong)}), bank_folder
        )
        (bank_folder / f"{key}.toml").write_text(questions)
        described = (bank_folder / "course.toml").read_text()
        (bank_folder / "course.toml").write_text(f'{key} = "{key}.toml"\n{described}')

    return add
