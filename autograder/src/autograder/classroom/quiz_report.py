"""Report the quiz of a class before and after the course: the difficulty of each question, and the gain.

The report names nobody, counts only students who agreed to it, and shows no figure of fewer than five people.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from rich.console import Console
from rich.table import Table

from autograder.classroom import quiz_statistics as statistics
from autograder.classroom.class_report import ENOUGH
from autograder.classroom.quiz_answers import read_answers
from autograder.classroom.quiz_statistics import Array
from autograder.grading.class_folder import Class
from autograder.lesson.placement_quiz import known_mistake
from autograder.records.quiz import FEWEST_PEOPLE, OCCASIONS, QuizQuestion, read_quiz
from autograder.words.language import _, translated

Choices = Mapping[str, Mapping[str, str]]  # by student and question


@dataclass(frozen=True)
class Figure:
    """A statistical figure with its 95 % interval, as a row of the exported table."""

    figure: str  # its name
    question: str  # the id of its question; "" for the whole class
    lesson: str
    occasion: str
    people: int
    value: float
    low: float
    high: float

    def shown(self, form: str) -> str:
        """Return the figure and its interval in words.

        Args:
            form: the format of its numbers, such as ".0%".
        """
        return f"{self.value:{form}} ({self.low:{form}} – {self.high:{form}})"


@dataclass(frozen=True)
class QuizReport:
    """The figures of a class's quiz."""

    people: Mapping[str, int]  # the number of participants, by occasion; 0 for too few
    figures: tuple[Figure, ...]
    mistakes: Mapping[str, str]  # the commonest mistake at the last occasion, by question
    unanswered: float  # the share of missing answers
    guessed: float  # the share that guessing alone gets right


def quiz_report(course: Class) -> QuizReport | None:
    """Return the report on a class's quiz; None if too few people agreed to be counted."""
    items = read_quiz(course.banks.course, whole=True)
    choices = {occasion: read_answers(course, occasion) for occasion in OCCASIONS}
    choices = {occasion: some if len(some) >= FEWEST_PEOPLE else {} for occasion, some in choices.items()}
    if not any(choices.values()) or not items:
        return None
    students = sorted(set().union(*choices.values()))
    right = {
        occasion: _right(items, [some.get(student, {}) for student in students], occasion)
        for occasion, some in choices.items()
    }
    people = {occasion: len(some) for occasion, some in choices.items()}
    last = "after" if choices["after"] else "before"
    answered = sum(np.isfinite(array).sum() for array in right.values())
    return QuizReport(
        people,
        tuple(_figures(items, right["before"], right["after"])),
        {item.id: _commonest_mistake(course, item, choices[last], last) for item in items},
        1 - answered / (sum(people.values()) * len(items)),
        float(np.mean([1 / len(item.on(last).choices) for item in items])),
    )


def _right(items: Sequence[QuizQuestion], choices: Sequence[Mapping[str, str]], occasion: str) -> Array:
    """Return an array (students, questions): 1 for right, 0 for not right or not known, NaN for no answer."""
    array = np.full((len(choices), len(items)), np.nan)
    for row, answers in zip(array, choices, strict=True):
        for number, item in enumerate(items):
            form = item.on(occasion)
            if (choice := answers.get(item.id)) in ("", *form.choices):
                row[number] = choice == form.right
    return array


def _figures(items: Sequence[QuizQuestion], before: Array, after: Array) -> Iterator[Figure]:
    """Yield the figures of each question, then those of the class, where enough people answered."""
    of_class = (QuizQuestion("", "", {}),)
    for name, estimates, of, occasion, fewest in (
        ("difficulty", statistics.difficulty(before), items, "before", FEWEST_PEOPLE),
        ("difficulty", statistics.difficulty(after), items, "after", FEWEST_PEOPLE),
        ("discrimination", statistics.discrimination(before), items, "before", ENOUGH),
        ("discrimination", statistics.discrimination(after), items, "after", ENOUGH),
        ("gain", statistics.gain(before, after), of_class, "", FEWEST_PEOPLE),
        ("normalised gain", statistics.normalised_gain(before, after), of_class, "", FEWEST_PEOPLE),
    ):
        for item, (people, value, low, high) in zip(of, estimates.each(), strict=True):
            if people >= fewest and np.isfinite((low, high)).all():
                yield Figure(name, item.id, item.lesson, occasion, int(people), value, low, high)


def _commonest_mistake(course: Class, item: QuizQuestion, choices: Choices, occasion: str) -> str:
    """Return the mistake that most of at least five people made in a question; "" where there is none."""
    form = item.on(occasion)
    faults = Counter(filter(None, (form.mistake(answers.get(item.id, "")) for answers in choices.values())))
    fault, times = next(iter(faults.most_common(1)), ("", 0))
    if times < FEWEST_PEOPLE:
        return ""
    about = known_mistake(course.banks.course, item.lesson, fault)
    return f"{times}× {translated(about.id, about.name) if about else fault}"


def as_csv(report: QuizReport) -> str:
    """Return all figures as a CSV table, in which no row is about one person."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(field.name for field in fields(Figure))
    for figure in report.figures:
        table.writerow(f"{each:.4f}" if isinstance(each, float) else each for each in vars(figure).values())
    return text.getvalue()


def print_quiz(report: QuizReport, console: Console) -> None:
    """Print the report in a terminal."""
    shown = {(each.figure, each.question, each.occasion): each for each in report.figures}
    table = Table(title=_("The quiz of the class"), title_style="bold")
    for name in (_("question"), _("right before"), _("right after"), _("discr."), _("commonest mistake")):
        table.add_column(name)
    last = "after" if report.people["after"] else "before"
    for question, mistake in report.mistakes.items():
        cells = [
            (shown.get(("difficulty", question, "before")), ".0%"),
            (shown.get(("difficulty", question, "after")), ".0%"),
            (shown.get(("discrimination", question, last)), ".2f"),
        ]
        table.add_row(question, *(each.shown(form) if each else "–" for each, form in cells), mistake)
    console.print(table)
    for line in _lines(report, shown):
        console.print(line, markup=False, highlight=False)


def _lines(report: QuizReport, shown: Mapping[tuple[str, str, str], Figure]) -> Iterator[str]:
    """Yield what the table does not show: the gain, and what was counted how."""
    both = shown.get(("gain", "", ""))
    people = {occasion: str(number or f"< {FEWEST_PEOPLE}") for occasion, number in report.people.items()}
    yield _(
        "People who agreed to be counted: {before} before the course, {after} after it.",
        before=people["before"],
        after=people["after"],
    )
    if both:
        yield _(
            "Gain: {gain} of the questions, from {number} people who answered both times.",
            gain=both.shown(".0%"),
            number=both.people,
        )
    if normalised := shown.get(("normalised gain", "", "")):
        yield _(
            "Normalised gain, as a part of what was not right before: {gain}.", gain=normalised.shown(".2f")
        )
    yield _(
        "In brackets: confidence intervals (95 %). {missing} of the answers are missing and count nowhere; "
        "“I do not know yet” counts as not right. Someone who only guesses gets {guessed} right.",
        missing=f"{report.unanswered:.0%}",
        guessed=f"{report.guessed:.0%}",
    )
