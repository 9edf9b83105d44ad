"""The class at a glance, one student, and every score that changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from autograder.desk.data import Data, NotThere
from autograder.exchange.people import Person
from autograder.grading.marks import HandedIn
from autograder.grading.verdicts import Change


@dataclass(frozen=True)
class Cell:
    """One student's work for one lesson; `flags` say why a person should look, by task."""

    score: float
    late: bool
    waiting: int
    flags: Sequence[str]


@dataclass(frozen=True)
class Row:
    """One task of a student's: its points, what was found, what a person wrote, and the answer itself."""

    task: str
    title: str
    points: float
    possible: float
    written: bool
    waiting: bool
    says: str
    flags: Sequence[str]
    comment: str
    answer: str


@dataclass(frozen=True)
class Work:
    """What a student handed in for a lesson; `until` is when it was due for them, in UTC."""

    lesson: str
    score: float
    possible: float
    handed_in: HandedIn
    until: datetime | None
    rows: Sequence[Row]


@dataclass(frozen=True)
class StudentPage:
    """A student's whole work, what they did not hand in, and their scores that changed."""

    person: Person
    works: Sequence[Work]
    missing: Sequence[str]
    changes: Sequence[Change]


def cells(data: Data) -> Mapping[tuple[str, str], Cell]:
    """What is there, by student and lesson."""
    flags: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in data.results:
        flags[one.student, one.lesson] += [f"{one.task}: {flag}" for flag in one.flags]
    waiting: dict[tuple[str, str], int] = defaultdict(int)
    for mark in data.known.marks:
        waiting[mark.student, mark.lesson] += mark.waiting
    return {
        (which := (one.student, one.lesson)): Cell(
            data.known.scores.get(which, 0.0), one.late, waiting[which], flags[which]
        )
        for one in data.known.handed_in
    }


def student(data: Data, name: str) -> StudentPage:
    """A student's page.

    Raises:
        NotThere: the gradebook does not know them.
    """
    if name not in data.people:
        raise NotThere(f"The gradebook knows no student {name}.")
    handed_in = {one.lesson: one for one in data.known.handed_in if one.student == name}
    works = [_work(data, handed_in[lesson]) for lesson in data.known.lessons if lesson in handed_in]
    missing = [lesson for lesson in data.known.lessons if lesson not in handed_in]
    changes = [one for one in data.changes if one.student == name]
    return StudentPage(data.people[name], works, missing, changes[::-1])


def _work(data: Data, handed_in: HandedIn) -> Work:
    lesson, who = handed_in.lesson, handed_in.student
    words, policy = data.words(lesson), data.course.policy
    rows = [
        Row(
            mark.task,
            words.title(mark.task),
            mark.score,
            mark.possible,
            written=one is not None and one.points is None,
            waiting=mark.waiting,
            says=words.says(one) if one else "the release that they worked on does not have this task",
            flags=one.flags if one else (),
            comment=data.comment(one) if one else "",
            answer=one.answer if one else "",
        )
        for mark, one in data.works.get((lesson, who), {}).values()
    ]
    order = [name for of, name in data.tasks if of == lesson]
    rows.sort(key=lambda row: order.index(row.task) if row.task in order else len(order))
    more = policy.extensions.get((lesson, who))
    due = policy.due.get(lesson)
    until = due + more if due and more else due
    return Work(
        lesson, data.known.scores.get((who, lesson), 0.0), data.known.possible[lesson], handed_in, until, rows
    )
