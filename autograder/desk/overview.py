"""The class at a glance: lessons against students, what needs a person, and every score that changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.desk import written
from autograder.grading import export, verdicts
from autograder.grading.course import Class
from autograder.grading.verdicts import Change, TaskResult

MOST_CHANGES = 200


@dataclass(frozen=True)
class Cell:
    """One student's work for one lesson."""

    score: float
    late: bool
    waiting: int
    flags: Sequence[str]


@dataclass(frozen=True)
class Overview:
    """The class.

    Attributes:
        lessons: those that somebody handed in, with their points.
        students: every student's id and name.
        cells: what is there, by student and lesson.
        questions: written questions: lesson, task, and how many answers are yet to be read.
        flagged: tasks that a person should look at.
        changes: scores that changed when they were graded again, the newest first.
    """

    lessons: Mapping[str, float]
    students: Sequence[tuple[str, str]]
    cells: Mapping[tuple[str, str], Cell]
    questions: Sequence[tuple[str, str, int]]
    flagged: Sequence[TaskResult]
    changes: Sequence[Change]


def overview(course: Class) -> Overview:
    """The class as the gradebook and the stored verdicts have it."""
    known = export.scores(course)
    with verdicts.opened(course.database) as store:
        flagged = [one for one in store.results() if one.flags]
        changes = store.changes()
    flags: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in flagged:
        flags[one.student, one.lesson] += [f"{one.task}: {flag}" for flag in one.flags]
    waiting: dict[tuple[str, str], int] = defaultdict(int)
    for mark in known.marks:
        waiting[mark.student, mark.lesson] += mark.waiting
    cells = {
        (one.student, one.lesson): Cell(
            known.scores.get((one.student, one.lesson), 0.0),
            one.late,
            waiting[one.student, one.lesson],
            flags[one.student, one.lesson],
        )
        for one in known.handed_in
    }
    return Overview(
        {lesson: known.possible[lesson] for lesson in known.lessons},
        [(one.id, one.name) for one in known.people],
        cells,
        written.questions(course),
        flagged,
        changes[::-1][:MOST_CHANGES],
    )
