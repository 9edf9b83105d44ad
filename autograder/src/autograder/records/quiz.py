"""A quiz: questions on each lesson, in which each wrong answer reveals a named mistake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autograder.records.course import Course
from autograder.records.serialization import read_toml

# What a class is asked: the last form before the course, and after it the first one. Review asks the last
# form again and again, so after the course nobody could say what its answers are worth.
OCCASIONS = {"before": -1, "after": 0}
# Figures are shown of so many people at least.
FEWEST_PEOPLE = 5


@dataclass(frozen=True)
class QuizForm:
    """A question as one form of the quiz words it."""

    text: str
    right: str
    wrong: Mapping[str, str]  # the wrong answers by mistake

    @property
    def choices(self) -> tuple[str, ...]:
        """The possible answers, sorted so that their order reveals nothing."""
        return tuple(sorted((self.right, *self.wrong.values())))

    def mistake(self, choice: str) -> str:
        """Return the id of the mistake that an answer reveals; "" for none."""
        return next((fault for fault, answer in self.wrong.items() if answer == choice), "")


@dataclass(frozen=True)
class QuizQuestion:
    """A question on a lesson, with one wording in each form of the quiz."""

    id: str
    lesson: str
    asked: Mapping[str, QuizForm]

    @property
    def context(self) -> str:
        """The context of its texts in the translation files."""
        return f"quiz: {self.id}"

    def on(self, occasion: str) -> QuizForm:
        """Return the form in which the question is asked to a class, before or after the course."""
        return list(self.asked.values())[OCCASIONS[occasion]]


@dataclass(frozen=True)
class QuizAnswers:
    """One learner's answers to a class's quiz, as they are handed in."""

    course: str = ""
    occasion: str = ""
    agreed: bool = False  # whether the learner agrees that they are counted
    choices: Mapping[str, str] = field(default_factory=dict)  # by question; "" for "not known yet"


def file_of(occasion: str) -> str:
    """Return the name of the file in which learners hand in their answers."""
    return f"quiz-{occasion}.json"


@dataclass(frozen=True)
class _Table:
    item: tuple[QuizQuestion, ...]


def read_quiz(course: Course, whole: bool = False) -> tuple[QuizQuestion, ...]:
    """Return the questions of a course's quiz on lessons that it has, in the order of these lessons.

    Args:
        course: the course.
        whole: whether to return all questions in their own order instead, even those on lessons that the
            course does not have yet.

    Raises:
        AuthoringError: the file is missing or not valid.
    """
    items = read_toml(_Table, course.root / course.quiz).item if course.quiz else ()
    if whole:
        return items
    here = [item for item in items if item.lesson in course.lessons]
    return tuple(sorted(here, key=lambda item: course.lessons.index(item.lesson)))


def first_lesson(items: Sequence[QuizQuestion], form: str, choices: Mapping[str, str]) -> str:
    """Return the name of the lesson to begin with; "" if every answer is right.

    Each lesson builds on those before it. So the first gap decides: the earliest lesson with a question that
    is not answered correctly, even if later answers are right. A question without an answer counts as a gap.
    One wrong answer is enough, because a guess is right one time in three or four.

    Args:
        items: the questions, in the order of the lessons.
        form: the name of the form that was answered.
        choices: the chosen answer by question id.
    """
    return next((item.lesson for item in items if choices.get(item.id) != item.asked[form].right), "")
