"""Read scores and times of submission from nbgrader's gradebook, each with one SELECT."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from nbgrader.api import (
    Assignment,
    Base,
    BaseCell,
    Comment,
    Grade,
    GradeCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import Connection, Join, select

from autograder.classroom.class_roster import Person
from autograder.grading.graded_results import Identifiers, InSection, Store, connected
from autograder.grading.late_policy import is_guess

# What students handed in, with the lesson that each is of.
WORK = SubmittedNotebook.__table__.join(
    SubmittedAssignment.__table__, SubmittedAssignment.id == SubmittedNotebook.assignment_id
).join(Assignment.__table__, Assignment.id == SubmittedAssignment.assignment_id)


@dataclass(frozen=True)
class Mark:
    """One graded cell of a submission: the points of the checks, those by hand, and those that count."""

    lesson: str
    student: str
    task: str
    possible: float
    auto: float | None
    manual: float | None
    extra: float
    waiting: bool  # whether a person has yet to look at it

    @property
    def score(self) -> float:
        """The points that count."""
        first = self.auto if self.manual is None else self.manual
        return (first or 0.0) + self.extra

    @property
    def to_read(self) -> bool:
        """Whether only a person can judge the answer, and nobody has."""
        return self.waiting and self.auto is None


@dataclass(frozen=True)
class HandedIn:
    """A submission in the gradebook. `penalty` is the number of points that it loses for being late.

    If a platform only `marked` it as late, its time of submission is unknown.
    """

    lesson: str
    student: str
    at: datetime | None
    late: bool
    penalty: float
    marked: bool = False


class Marks:
    """The gradebook, open for reading."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of(self, lesson: str = "") -> list[Mark]:
        """Return the marks of a lesson, or of all lessons if none is named, sorted by student and task."""
        statement = select(
            Assignment.name,
            SubmittedAssignment.student_id,
            BaseCell.name,
            GradeCell.max_score,
            Grade.auto_score,
            Grade.manual_score,
            Grade.extra_credit,
            Grade.needs_manual_grade,
        ).select_from(_of_work(Grade).join(GradeCell.__table__, GradeCell.id == BaseCell.id))
        if lesson:
            statement = statement.where(Assignment.name == lesson)
        rows = self._connection.execute(statement)
        return [Mark(*row[:6], row[6] or 0.0, bool(row[7])) for row in rows]

    def comments(self) -> dict[tuple[str, str, str], str]:
        """Return the comments that people wrote on answers, by lesson, student and the answer's cell."""
        columns = Assignment.name, SubmittedAssignment.student_id, BaseCell.name, Comment.manual_comment
        asked = select(*columns).select_from(_of_work(Comment)).where(Comment.manual_comment.is_not(None))
        rows = self._connection.execute(asked)
        return {(lesson, student, cell): text for lesson, student, cell, text in rows}

    def handed_in(self) -> list[HandedIn]:
        """Return all submissions in the gradebook."""
        statement = select(
            Assignment.name,
            SubmittedAssignment.student_id,
            SubmittedAssignment.timestamp,
            SubmittedAssignment.extension,
            Assignment.duedate,
            SubmittedNotebook.late_submission_penalty,
        ).select_from(WORK)
        handed = []
        for name, student, at, extension, due, penalty in self._connection.execute(statement):
            until = due + extension if due and extension else due
            late = bool(at and until and at > until)
            handed.append(
                HandedIn(name, student, None if is_guess(at) else at, late, penalty or 0.0, is_guess(at))
            )
        return handed

    def possible(self) -> dict[str, float]:
        """Return the maximum score of each lesson in the gradebook."""
        rows = self._connection.execute(select(Assignment.name, Assignment.max_score))
        return {lesson: points for lesson, points in rows if points}

    def members(self) -> list[Person]:
        """Return the students in the gradebook, sorted by id, with their sections."""
        columns = Student.id, Student.first_name, Student.last_name, Student.email, Student.lms_user_id
        rows = self._connection.execute(select(*columns).order_by(Student.id))
        store = Store(self._connection)
        sections = {record.student: record for record in store.read(InSection)}
        others = {record.student: record.values for record in store.read(Identifiers)}
        return [
            Person(
                *(name, first or "", last or "", email or "", number or ""),
                other=tuple(others.get(name, ())),
                section=sections[name].name if name in sections else "",
                group=sections[name].group if name in sections else "",
            )
            for name, first, last, email, number in rows
        ]


def _of_work(kind: type[Grade | Comment]) -> Join:
    """Return what students handed in, with a record of each of its cells."""
    cells = kind.__table__.join(BaseCell.__table__, BaseCell.id == kind.cell_id)
    joined: Join = cells.join(WORK, SubmittedNotebook.id == kind.notebook_id)
    return joined


@contextmanager
def opened(database: str) -> Iterator[Marks]:
    """Open a gradebook for reading. One that does not exist is not created, and reads as empty.

    Args:
        database: the address of the gradebook's database, for SQLAlchemy.
    """
    with connected(database) as connection:
        if connection.engine.url.database is None:  # in memory, in the place of one that is not there
            Base.metadata.create_all(connection)
        yield Marks(connection)
