"""Wrong answers on a page: which of a task's are shown, and what of each."""

from __future__ import annotations

import re
from dataclasses import replace

from autograder.author.lesson_source import read_lesson
from autograder.author.pipeline import current_bank
from autograder.author.site.wrong_answers import chips, wrong_answers
from autograder.records.bank import save

from ..conftest import NAME


def built(course):
    save(current_bank(read_lesson(course, NAME)), course.bank)
    return course


def test_each_task_shows_one_small_change_for_each_of_its_mistakes(course_with):
    whole = "        by-count: x.sum() → len(x)\n"
    course = built(course_with(tasks=((whole, f"{whole}        by-count: = x / x.numel()\n"),)))
    shown = wrong_answers(course, NAME)
    assert [(item.fault, item.removed, item.added) for item in shown["share"]] == [
        ("by-largest", ("    return x / x.sum()",), ("    return x / x.max()",)),
        ("by-count", ("    return x / x.sum()",), ("    return x / len(x)",)),
    ]
    # The comment is about the right line.
    assert shown["row-sums"][0].added == ("row_sums = table.sum(dim=0)",)


def test_a_wrong_answer_is_shown_with_its_line_its_numbers_and_the_card_that_a_check_gives(course_with):
    course = built(course_with())
    (name, shown), _ = chips(course, NAME, wrong_answers(course, NAME))["share"]
    assert name == "Divided by the largest"
    assert "<del>−     return x / x.sum()</del>\n<ins>+     return x / x.max()</ins>" in shown
    assert "Divide by the sum." in shown
    numbers = re.findall(r'class="ag-number"[^>]*>([^<]*)<', shown)
    # Of 1, 2, 5: divided by 5, by their sum, and the difference.
    assert numbers[:3] == ["0.20", "0.12", "0.08"]
    # What a page shows is not read out once more by itself.
    assert 'role="status"' not in shown


def test_a_task_that_is_not_built_yet_shows_none(course_with):
    course = built(course_with())
    saved = course.load(NAME)
    save(replace(saved, tasks={"share": saved.tasks["share"]}), course.bank)
    assert list(wrong_answers(course, NAME)) == ["share"]


def test_a_lesson_without_tasks_shows_none(course_with):
    course = course_with()
    (course.source / NAME / "tasks.py").unlink()
    assert wrong_answers(course, NAME) == {}
