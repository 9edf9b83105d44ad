"""Spaced review: `review()` asks questions on earlier lessons again. It is never graded."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from autograder.lesson import interactive_session, page_outputs, progress_store
from autograder.lesson.check_calls import find_course
from autograder.lesson.placement_quiz import Sentence, mistake_sentence
from autograder.lesson.review_schedule import AFTER_RIGHT, AFTER_WRONG, ReviewRecord, due
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course
from autograder.records.review_items import AskedItem, ReviewItem, read_review
from autograder.words.feedback_card import Notice
from autograder.words.language import _, ngettext, translated


@dataclass(frozen=True)
class Review:
    """The review questions that are due on a day."""

    course: Course
    day: int
    items: tuple[ReviewItem, ...]

    def asked(self) -> list[AskedItem]:
        """Return the questions with the numbers drawn for this day."""
        return [_asked(self.course, item, self.day) for item in self.items]

    def _intro(self) -> str:
        return ngettext(
            "Review: {number} question on earlier lessons. Nobody grades it.",
            "Review: {number} questions on earlier lessons. Nobody grades them.",
            len(self.items),
        )

    def __repr__(self) -> str:
        return "\n".join([self._intro(), *(f"  {asked.text}" for asked in self.asked())])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        still = {"text/plain": self._intro(), "text/html": Notice(self._intro())._repr_html_()}
        if not interactive_session.page():
            return still
        shows = {
            "intro": self._intro(),
            "day": self.day,
            "right": _("Right."),
            "wrong": _("Not quite. The answer is: {answer}", answer="{answer}"),
            "unsure": _("I do not know"),
            "next": _("Next question"),
            "result": _("{right} of {number} right.", right="{right}", number="{number}"),
            "again": _again(),
            "questions": [self._question(number, item) for number, item in enumerate(self.asked(), start=1)],
        }
        module = page_outputs.page_module("review.js")
        return page_outputs.in_page(module, {"shows": shows, "chosen": {}}, still, name=f"review {self.day}")

    def _question(self, number: int, asked: AskedItem) -> dict[str, Any]:
        return {
            "id": asked.item.id,
            "head": _("Question {number}", number=number),
            "asked": asked.text,
            "choices": asked.choices,
            "right": asked.right,
            "weights": asked.weights,
            "isCode": asked.is_code,
        }


def _again() -> str:
    return _(
        "A wrong answer comes back after {wrong} day, a right one after {right}.",
        wrong=AFTER_WRONG,
        right=AFTER_RIGHT,
    )


def _asked(course: Course, item: ReviewItem, day: int) -> AskedItem:
    own_code = progress_store.read_code(course.name, item.task) if item.task else ""
    return item.asked(day, translated, own_code)


def review(lesson: str = "") -> Review | Notice:
    """Ask the review questions on earlier lessons that are due today. It is never graded.

    Args:
        lesson: the name of a lesson, to ask only about lessons before it; all lessons if empty.
    """
    try:
        course = find_course()
        items = read_review(course)
    except AuthoringError as problem:
        return Notice(_("There is nothing to review here."), (str(problem),))
    lessons = list(course.lessons)
    earlier = lessons[: lessons.index(lesson)] if lesson in lessons else lessons
    solved, met = _worked_on(course)
    open_items = [item for item in items if item.lesson in earlier and item.lesson in solved]
    open_items.sort(key=lambda item: lessons.index(item.lesson))
    day = datetime.date.today().toordinal()
    records = {item.id: progress_store.read_review(course.name, item.id) for item in open_items}
    if questions := due(open_items, records, day, met):
        return Review(course, day, questions)
    why = (
        _again()
        if any(record.days for record in records.values())
        else _("It begins once you have solved a task of an earlier lesson.")
    )
    return Notice(_("No review question is due today."), (why,))


def _worked_on(course: Course) -> tuple[frozenset[str], frozenset[str]]:
    """Return the lessons of which a task was solved, and the mistakes that were made."""
    lessons = course.lesson_of()
    records = {
        task: progress_store.read(course.name, task) for task in progress_store.tasks(course.name, lessons)
    }
    solved = frozenset(lessons[task] for task, record in records.items() if record.solved)
    return solved, frozenset(fault for record in records.values() for fault in record.mistakes)


def keep(item_id: str, day: int, choice: str) -> Sentence:
    """Store the answer to a review question, and return the sentence that explains its mistake, if any.

    A page calls this in its kernel. An answer given on a later day than the question was asked counts for
    that day.

    Args:
        item_id: the question's id.
        day: the day on which the question was asked, as `date.toordinal` counts.
        choice: the chosen answer.
    """
    course = find_course()
    (item,) = (item for item in read_review(course) if item.id == item_id)
    asked = _asked(course, item, day)
    record = progress_store.read_review(course.name, item_id)
    today = datetime.date.today().toordinal()
    trouble = ""
    if today not in record.days:
        updated = ReviewRecord((*record.days, today), choice == asked.right)
        trouble = progress_store.write_review(course.name, item_id, updated)
    fault = asked.mistake(choice)
    return Sentence(trouble or (mistake_sentence(course, item.lesson, fault) if fault else ""))
