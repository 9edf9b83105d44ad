"""Review questions, with which a course asks about earlier lessons again, with new numbers each time."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from autograder.records.course import Course
from autograder.records.quiz import read_quiz
from autograder.records.serialization import read_toml

QUIZ = "quiz-"  # begins the id of an item that is a question of the quiz in its other form
MOST_LINES = 20  # of a learner's own answer, to look for a mistake in
DRAWS = 50  # how often numbers are drawn until no two choices are the same


@dataclass(frozen=True)
class AskedItem:
    """A review question with its numbers drawn, as one learner sees it on one day."""

    item: ReviewItem
    text: str
    choices: tuple[tuple[str, str], ...]  # the displayed choices, each with its stored form
    right: str  # the stored form of the right choice
    weights: tuple[tuple[float, ...], ...] = ()  # the displayed map: (rows, columns)
    is_code: bool = False  # whether the choices are the lines of a function

    def mistake(self, choice: str) -> str:
        """Return the id of the mistake that a choice reveals; "" for none."""
        return "" if choice == self.right else self.item.fault or choice


@dataclass(frozen=True)
class ReviewItem:
    """A question on a lesson; `text`, `right` and `wrong` contain placeholders for numbers in braces."""

    id: str
    lesson: str
    text: str
    right: str = ""
    wrong: Mapping[str, str] = field(default_factory=dict)  # the wrong answers by mistake
    draw: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # lowest and highest of each number
    also: Mapping[str, str] = field(default_factory=dict)  # numbers computed from these, as Python
    map: str = ""  # the weights to show, (rows, columns), as Python; `scores` are drawn
    code: str = ""  # right code, in which `slip` puts a mistake on one line
    slip: tuple[str, ...] = ()  # the replaced text, and its replacement
    task: str = ""  # the learner's own right answer to it takes the place of `code` where `slip` fits
    fault: str = ""  # the mistake that `slip` or `map` shows
    context: str = ""  # the context of its texts in the translation files

    @property
    def faults(self) -> frozenset[str]:
        """The ids of the mistakes that the question can reveal."""
        return frozenset(filter(None, (self.fault, *self.wrong)))

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts to translate."""
        return tuple(dict.fromkeys(filter(None, (self.text, self.right, *self.wrong.values()))))

    def asked(self, seed: int, say: Any = lambda _context, text: text, own_code: str = "") -> AskedItem:
        """Return the question with its numbers drawn.

        Args:
            seed: the seed of the draw, such as the number of a day.
            say: translates a text, given its context in the translation files and its English.
            own_code: the learner's right answer to `task`; empty if there is none.

        Raises:
            ValueError: two choices are equal in every draw, or the slip does not fit exactly one line.
        """
        numbers, drawn = random.Random(f"{self.id} {seed}"), {}
        for _try in range(DRAWS):
            drawn = {name: numbers.randint(*bounds) for name, bounds in self.draw.items()}
            for name, expression in self.also.items():
                drawn[name] = _value(expression, drawn)
            kept = {"": self.right, **self.wrong}
            shown = {fault: say(self.context, text).format(**drawn) for fault, text in kept.items()}
            if len(set(shown.values())) == len(shown):
                break
        else:
            raise ValueError(f"{self.id}: two of its choices are the same")
        text = say(self.context, self.text).format(**drawn)
        if self.code:
            fits = own_code.count(self.slip[0]) == 1 and own_code.count("\n") < MOST_LINES
            lines = (own_code if fits else self.code).strip("\n").split("\n")
            broken = [number for number, line in enumerate(lines) if self.slip[0] in line]
            if len(broken) != 1:
                raise ValueError(f"{self.id}: its slip fits {len(broken)} lines")
            lines[broken[0]] = lines[broken[0]].replace(self.slip[0], self.slip[1])
            choices = tuple((line, str(number)) for number, line in enumerate(lines, start=1) if line.strip())
            return AskedItem(self, text, choices, str(broken[0] + 1), is_code=True)
        choices = tuple(sorted((words, fault) for fault, words in shown.items()))
        weights = _weights(self.map, numbers.random()) if self.map else ()
        return AskedItem(self, text, choices, "", weights)


@dataclass(frozen=True)
class _Table:
    item: tuple[ReviewItem, ...]


def read_review(course: Course) -> tuple[ReviewItem, ...]:
    """Return a course's review questions on lessons that it has: its own, then those of its quiz.

    Raises:
        AuthoringError: the file is missing or not valid.
    """
    written = read_toml(_Table, course.root / course.review).item if course.review else ()
    items = [ReviewItem(**{**vars(item), "context": f"review: {item.id}"}) for item in written]
    for question in read_quiz(course):
        form = list(question.asked.values())[-1]
        items.append(
            ReviewItem(
                f"{QUIZ}{question.id}", question.lesson, _literal(form.text), _literal(form.right),
                {fault: _literal(answer) for fault, answer in form.wrong.items()}, context=question.context,
            )
        )  # fmt: skip
    return tuple(item for item in items if item.lesson in course.lessons)


def _literal(text: str) -> str:
    """Return a text in which a brace is a brace."""
    return text.replace("{", "{{").replace("}", "}}")


def _value(expression: str, names: Mapping[str, Any]) -> Any:
    return eval(_compiled(expression), {}, dict(names))  # noqa: S307 -- written by the course's author


def _compiled(expression: str) -> CodeType:
    return compile(expression, "<review>", "eval")


def _weights(expression: str, seed: float) -> tuple[tuple[float, ...], ...]:
    # Not before a map is asked for: who only wants to know what is due waits for no torch.
    import torch

    scores = torch.randn(4, 4, generator=torch.Generator().manual_seed(int(seed * 2**31)))
    values: Sequence[Sequence[float]] = _value(expression, {"torch": torch, "scores": scores}).tolist()
    return tuple(tuple(round(value, 2) for value in row) for row in values)
