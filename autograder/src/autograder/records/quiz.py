"""A quiz: questions on each lesson, whose wrong answers come of mistakes that have names."""

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
    """A question as one form of the quiz asks it."""

    text: str
    right: str
    wrong: Mapping[str, str]  # by mistake: the answer that comes of it

    @property
    def choices(self) -> tuple[str, ...]:
        """What to choose from, in an order that tells nothing."""
        return tuple(sorted((self.right, *self.wrong.values())))

    def mistake(self, choice: str) -> str:
        """Return the mistake that an answer comes of; "" of none."""
        return next((fault for fault, answer in self.wrong.items() if answer == choice), "")


@dataclass(frozen=True)
class QuizQuestion:
    """A question on a lesson, asked once in each form."""

    id: str
    lesson: str
    asked: Mapping[str, QuizForm]

    @property
    def context(self) -> str:
        """Where its texts stand, for translators."""
        return f"quiz: {self.id}"

    def on(self, occasion: str) -> QuizForm:
        """Return the form in which a class is asked it."""
        return list(self.asked.values())[OCCASIONS[occasion]]


@dataclass(frozen=True)
class QuizAnswers:
    """The answers of one learner of a class, as they are handed in."""

    course: str = ""
    occasion: str = ""
    agreed: bool = False  # to their being counted
    choices: Mapping[str, str] = field(default_factory=dict)  # by question; "" where it is not known yet


def file_of(occasion: str) -> str:
    """Return the name of the file in which a learner's answers are handed in."""
    return f"quiz-{occasion}.json"


@dataclass(frozen=True)
class _Table:
    item: tuple[QuizQuestion, ...]


def read_whole_quiz(course: Course) -> tuple[QuizQuestion, ...]:
    """Return the questions of a course's quiz, those on lessons that are not here yet among them.

    Raises:
        AuthoringError: the file is missing or not as it must be.
    """
    return read_toml(_Table, course.root / course.quiz).item if course.quiz else ()


def read_quiz(course: Course) -> tuple[QuizQuestion, ...]:
    """Return the questions of a course's quiz on the lessons that are here, in the order of these.

    Raises:
        AuthoringError: the file is missing or not as it must be.
    """
    items = read_whole_quiz(course)
    here = [item for item in items if item.lesson in course.lessons]
    return tuple(sorted(here, key=lambda item: course.lessons.index(item.lesson)))


def first_lesson(items: Sequence[QuizQuestion], form: str, choices: Mapping[str, str]) -> str:
    """Return the lesson to begin with; "" where every answer is right.

    Each lesson builds on those before it. So the first gap decides: the earliest lesson with a question that
    is not answered rightly, whatever is right after it. A question that is left out counts as not known yet.
    One wrong answer is enough, because a guess is right one time in three or four.

    Args:
        items: the questions, in the order of the lessons.
        form: which form was answered.
        choices: the answers, by question.
    """
    return next((item.lesson for item in items if choices.get(item.id) != item.asked[form].right), "")
