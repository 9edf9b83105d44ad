"""What a class learned, by its quiz before the course and after: how hard each question is, and the gain.

It names nobody, counts only those who agreed to it, and shows no figure of fewer than five people.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from autograder.classroom import quiz_statistics as statistics
from autograder.classroom.class_report import ENOUGH
from autograder.classroom.quiz_answers import read_answers
from autograder.classroom.quiz_statistics import Array
from autograder.grading.class_folder import Class
from autograder.lesson.placement_quiz import known_mistake
from autograder.records.quiz import FEWEST_PEOPLE, OCCASIONS, QuizQuestion, read_whole_quiz
from autograder.words.language import _, translated

Choices = Mapping[str, Mapping[str, str]]  # by student and question


@dataclass(frozen=True)
class Figure:
    """A figure with its 95 % interval."""

    name: str
    people: int
    value: float
    low: float
    high: float
    question: str = ""  # the id of the question that it is of
    lesson: str = ""
    occasion: str = ""

    def shown(self, form: str) -> str:
        """Return it in words; `form` says how its numbers are written, ".0%" say."""
        return f"{self.value:{form}} ({self.low:{form}} – {self.high:{form}})"


@dataclass(frozen=True)
class QuizReport:
    """What the quiz of a class says."""

    people: Mapping[str, int]  # who handed it in, by occasion
    figures: tuple[Figure, ...]
    mistakes: Mapping[str, str]  # by question: the commonest one at the last occasion
    unanswered: float  # the share of answers that are missing
    guessed: float  # the share that somebody gets right who only guesses


def quiz_report(course: Class) -> QuizReport | None:
    """Return the report on a class's quiz; None where too few people agreed to any."""
    items = read_whole_quiz(course.banks.course)
    choices = {occasion: read_answers(course, occasion) for occasion in OCCASIONS}
    choices = {occasion: some for occasion, some in choices.items() if len(some) >= FEWEST_PEOPLE}
    if not choices or not items:
        return None
    right = {occasion: _right(items, some, occasion) for occasion, some in choices.items()}
    last = list(choices)[-1]
    widths = [len(item.on(last).choices) for item in items]
    return QuizReport(
        {occasion: len(some) for occasion, some in choices.items()},
        (*_of_questions(items, right), *_of_class(choices, right)),
        {item.id: _commonest_mistake(course, item, choices[last], last) for item in items},
        float(np.mean([np.isnan(array).mean() for array in right.values()])),
        float(np.mean([1 / width for width in widths])),
    )


def _right(items: tuple[QuizQuestion, ...], choices: Choices, occasion: str) -> Array:
    """Return an array (students, questions): 1 for right, 0 for not right or not known, NaN for no answer."""
    array = np.full((len(choices), len(items)), np.nan)
    for row, answers in zip(array, choices.values(), strict=True):
        for number, item in enumerate(items):
            form = item.on(occasion)
            if (choice := answers.get(item.id)) in ("", *form.choices):
                row[number] = choice == form.right
    return array


def _of_questions(items: tuple[QuizQuestion, ...], right: Mapping[str, Array]) -> Iterator[Figure]:
    for occasion, array in right.items():
        for name, estimates, fewest in (
            ("difficulty", statistics.difficulty(array), FEWEST_PEOPLE),
            ("discrimination", statistics.discrimination(array), ENOUGH),
        ):
            for item, (people, value, low, high) in zip(items, estimates.each(), strict=True):
                if people >= fewest and np.isfinite((low, high)).all():
                    yield Figure(name, int(people), value, low, high, item.id, item.lesson, occasion)


def _of_class(choices: Mapping[str, Choices], right: Mapping[str, Array]) -> Iterator[Figure]:
    if len(choices) < len(OCCASIONS):
        return
    students = [list(some) for some in choices.values()]
    both = sorted(set.intersection(*map(set, students)))
    before, after = (
        array[[some.index(student) for student in both]]
        for some, array in zip(students, right.values(), strict=True)
    )
    for name, estimates in (
        ("gain", statistics.gain(before, after)),
        ("normalised gain", statistics.normalised_gain(before, after)),
    ):
        ((people, value, low, high),) = estimates.each()
        if people >= FEWEST_PEOPLE:
            yield Figure(name, int(people), value, low, high)


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
    """Return all figures as a table, in which no line is about one person."""
    text = io.StringIO()
    names = ("figure", "question", "lesson", "occasion", "people", "value", "low", "high")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(names)
    for figure in report.figures:
        row = vars(figure) | {"figure": figure.name}
        numbers = (f"{row[name]:.4f}" for name in names[5:])
        table.writerow([*(row[name] for name in names[:5]), *numbers])
    return text.getvalue()


def print_quiz(report: QuizReport, console: Console) -> None:
    """Show the report in a terminal."""
    shown = {(each.name, each.question, each.occasion): each for each in report.figures}
    table = Table(title=_("The quiz of the class"), title_style="bold")
    for name in (_("question"), _("right before"), _("right after"), _("discr."), _("commonest mistake")):
        table.add_column(name)
    last = list(report.people)[-1]
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
    people = {occasion: str(report.people.get(occasion, f"< {FEWEST_PEOPLE}")) for occasion in OCCASIONS}
    yield _("People who agreed to be counted: {before} before the course, {after} after it.", **people)
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
