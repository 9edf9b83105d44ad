"""The review questions of the course."""

from pathlib import Path

import pytest
from autograder.records.course import Course
from autograder.records.review_items import QUIZ, read_review

ROOT = Path(__file__).resolve().parents[1]
COURSE = Course.read(ROOT)

ITEMS = [item for item in read_review(COURSE) if not item.id.startswith(QUIZ)]
KNOWN = {
    lesson: {wrong.id for task in COURSE.load(lesson).tasks.values() for wrong in task.known_wrong}
    for lesson in COURSE.lessons
}


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_every_draw_gives_a_question_with_one_right_answer(item):
    for day in range(100):
        asked = item.asked(day)
        saved = [choice for _shown, choice in asked.choices]
        assert saved.count(asked.right) == 1
        assert "{" not in asked.text


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_every_wrong_answer_is_a_mistake_that_this_lesson_or_an_earlier_one_explains(item):
    earlier = COURSE.lessons[: COURSE.lessons.index(item.lesson) + 1]
    assert item.faults <= set().union(*(KNOWN[lesson] for lesson in earlier))


def test_every_lesson_is_asked_about_and_every_id_is_used_once():
    assert {item.lesson for item in read_review(COURSE)} == set(COURSE.lessons) - {COURSE.capstone}
    ids = [item.id for item in read_review(COURSE)]
    assert sorted(set(ids)) == sorted(ids)


@pytest.mark.parametrize("item", [item for item in ITEMS if item.task], ids=lambda item: item.id)
def test_an_answer_that_takes_the_codes_place_is_to_a_task_of_that_lesson(item):
    assert item.task in COURSE.load(item.lesson).tasks
