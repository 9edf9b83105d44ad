"""The results of grading as records, for reports, exports, marking by hand and comparisons.

The records are in a separate table of nbgrader's database: they are written together with the scores, in one
transaction, and a copy of the gradebook contains both.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    delete,
    insert,
    make_url,
    select,
)
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session, scoped_session

from autograder.records import serialization
from autograder.records.answer_findings import StillStub
from autograder.records.authoring_errors import BadBook
from autograder.words.sanitize import one_line

RECORDS = Table(
    "autograder_records",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("kind", String(20), nullable=False, index=True),
    Column("lesson", String(255), nullable=False, index=True),
    Column("student", String(255), nullable=False, index=True),
    Column("record", Text, nullable=False),
)
UNANSWERED = StillStub.__name__
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TaskResult:
    """The result of grading one task in one submission."""

    lesson: str
    student: str
    task: str  # the id of the cell of a check or of a written answer
    points: float | None  # the checks' points; None for a written answer, which a person grades
    possible: float
    faults: tuple[str, ...] = ()  # the ids of the recognised mistakes, clearest first
    finding: str = ""  # the class name of the first finding; "" if all is right
    says: str = ""  # the finding in words, as the student reads it; some may be the student's own text
    error: str = ""  # the class of the error that was raised; "" for none
    probe: str = ""  # the id of the finding's probe
    unfinished: tuple[str, ...] = ()  # earlier answers that this one builds on and that are not right
    stood_in: tuple[str, ...] = ()  # those of them that were replaced by the course's own answers
    # Why a person should look: "stopped" (its cell did not end by itself), "forbidden" (it makes a call that
    # the task forbids), "may-hide" (such a call may have gone unseen), "program" (it starts another one).
    flags: tuple[str, ...] = ()
    release: str = ""  # the id of the release by which the submission was graded, see `release_id`
    answer: str = ""  # the answer's text

    @property
    def right(self) -> bool:
        return not self.finding

    @property
    def answered(self) -> bool:
        """Whether the student changed the answer cell."""
        return self.finding != UNANSWERED


@dataclass(frozen=True)
class Grading:
    """The time of a submission's grading, the digests of its inputs, and the notes for the instructor."""

    lesson: str
    student: str
    at: str
    # A digest of each thing that the grade depends on; empty if it must be graded anew.
    made_from: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()  # the tasks that are not in its release


@dataclass(frozen=True)
class Change:
    """A score that has changed after grading again: the old one, the new one, and the reason."""

    lesson: str
    student: str
    task: str
    at: str
    old: float | None
    new: float | None
    why: str
    by: str = ""  # the person who gave manual points; "" for a change by grading again
    by_hand_before: float | None = None  # the manual points before, which replace the checks' points
    by_hand: float | None = None
    action: str = ""  # an id shared by all changes that a person made at one time


@dataclass(frozen=True)
class Ticked:
    """The lines of a marking scheme that a person ticked for a written answer, counted from 0."""

    lesson: str
    student: str
    task: str
    lines: tuple[int, ...]
    answer: str = ""  # the words that they were ticked for


@dataclass(frozen=True)
class Asked:
    """A student's question about a score, in their own words, and the answer to it."""

    lesson: str
    student: str
    task: str
    at: str
    text: str
    answer: str = ""
    by: str = ""  # the person who answered
    answered: str = ""  # the time of the answer; "" without one


@dataclass(frozen=True)
class InSection:
    """A student's section of the class, as the class list names it; nbgrader has no field for it."""

    student: str
    name: str
    lesson: str = ""  # always "", since it belongs to no lesson
    group: str = ""  # the group that submits together


@dataclass(frozen=True)
class Identifiers:
    """A student's further identifiers on lists and platforms, beside nbgrader's id, address and number."""

    student: str
    values: tuple[str, ...] = ()
    lesson: str = ""  # always "", since it belongs to no lesson


@dataclass(frozen=True)
class RosterChange:
    """A change to the class list, with the data to undo it: the added students and the previous entries."""

    at: str
    added: tuple[str, ...] = ()
    before: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # nbgrader's columns, by student
    identifiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by student
    student: str = ""  # always "", like the lesson, since it is about all students
    lesson: str = ""
    source: str = ""  # the list's name, or what else changed the class


Stored = TaskResult | Grading | Change | Ticked | Asked | InSection | Identifiers | RosterChange
_Kind = TypeVar("_Kind", TaskResult, Grading, Change, Ticked, Asked, InSection, Identifiers, RosterChange)


class Store:
    """The records of a class, read and written through a connection that the caller commits."""

    def __init__(self, connection: Connection | scoped_session[Session]) -> None:
        self._connection = connection

    def read(self, kind: type[_Kind], lesson: str = "", student: str = "") -> list[_Kind]:
        """Return all records of a kind, the oldest first, and results in the order of the lesson.

        A damaged record is reported and left out: grading again replaces it.

        Args:
            kind: the records' class.
            lesson: the name of a single lesson; all by default.
            student: the id of a single student; all by default.
        """
        columns = RECORDS.c.record, RECORDS.c.lesson, RECORDS.c.student
        statement = select(*columns).where(RECORDS.c.kind == kind.__name__).order_by(RECORDS.c.id)
        if lesson:
            statement = statement.where(RECORDS.c.lesson == lesson)
        if student:
            statement = statement.where(RECORDS.c.student == student)
        field_names = {column.name for column in fields(kind)}
        records = []
        for text, of_lesson, of_student in self._connection.execute(statement):
            try:
                plain = json.loads(text)
                # A later version may have written more.
                records.append(
                    serialization.decode(kind, {name: plain[name] for name in field_names & plain.keys()})
                )
            except (ValueError, TypeError, AttributeError, RecursionError) as problem:
                damaged = f"{kind.__name__} of {of_student} {of_lesson}"
                log.warning(
                    "The record %s cannot be read, and is left out: %s",
                    *map(one_line, (damaged, str(problem))),
                )
        return records

    def write(self, grading: Grading, results: Sequence[TaskResult]) -> None:
        """Store the results of a graded submission in place of earlier ones, and record changed scores."""
        which = grading.lesson, grading.student
        before = {result.task: result.points for result in self.read(TaskResult, *which)}
        earlier = next(iter(self.read(Grading, *which)), None)
        why = _why(earlier.made_from if earlier else {}, grading.made_from)
        after = {result.task: result.points for result in results}
        changed = [
            Change(*which, task, grading.at, before.get(task), after.get(task), why)
            for task in dict.fromkeys((*before, *after))
            if before and before.get(task) != after.get(task)
        ]
        self._forget(TaskResult, *which)
        self._forget(Grading, *which)
        self.add((grading, *results, *changed))

    def tick(self, ticked: Ticked) -> None:
        """Store the ticked lines of a written answer in place of earlier ones."""
        others = [
            marks for marks in self.read(Ticked, ticked.lesson, ticked.student) if marks.task != ticked.task
        ]
        self._forget(Ticked, ticked.lesson, ticked.student)
        self.add((*others, ticked))

    def ask(self, asked: Asked) -> bool:
        """Store a student's question, or the answer to one, and return whether it is new."""
        requests = self.read(Asked, asked.lesson, asked.student)
        same = [request for request in requests if (request.task, request.text) == (asked.task, asked.text)]
        if not same or asked.answered:
            self._forget(Asked, asked.lesson, asked.student)
            self.add((*(request for request in requests if request not in same), asked))
        return not same

    def replace(self, record: InSection | Identifiers | RosterChange) -> None:
        """Store a record of which each student has only one, in place of an earlier one."""
        self._forget(type(record), record.lesson, record.student)
        self.add([record])

    def forget_student(self, student: str) -> None:
        """Delete all records of a student; "" for the last change of the class list."""
        self._connection.execute(delete(RECORDS).where(RECORDS.c.student == student))

    def forget_submission(self, lesson: str, student: str) -> list[TaskResult]:
        """Delete the records of a submission, and return the results of its tasks."""
        results = self.read(TaskResult, lesson, student)
        for kind in (TaskResult, Grading, Ticked):
            self._forget(kind, lesson, student)
        return results

    def outdate(self, gradings: Iterable[Grading]) -> None:
        """Mark submissions as outdated, so that the next run grades them again."""
        for grading in gradings:
            self._forget(Grading, grading.lesson, grading.student)
            self.add([replace(grading, made_from={})])

    def _forget(self, kind: type[Stored], lesson: str, student: str) -> None:
        where = RECORDS.c.kind == kind.__name__, RECORDS.c.lesson == lesson, RECORDS.c.student == student
        self._connection.execute(delete(RECORDS).where(*where))

    def add(self, records: Iterable[Stored]) -> None:
        """Store records in addition to earlier ones, such as changed scores."""
        rows = [
            {
                "kind": type(record).__name__,
                "lesson": record.lesson,
                "student": record.student,
                "record": json.dumps(serialization.encode(record)[0]),
            }
            for record in records
        ]
        if rows:
            self._connection.execute(insert(RECORDS), rows)


def make_table(engine: Engine) -> None:
    """Create the table of records in a gradebook that has none yet."""
    RECORDS.metadata.create_all(engine)


@contextmanager
def readable(database: str) -> Iterator[None]:
    """Turn an error of the database into a `BadBook` with one sentence.

    Raises:
        BadBook: the database cannot be used.
    """
    try:
        yield
    except DatabaseError as problem:
        if "locked" in str(problem.orig):
            why = "is in use by another program: close the formgrader and other graders, then start again"
        elif "disk is full" in str(problem.orig):
            why = "cannot be written: the disk is full"
        else:
            why = f"cannot be used ({problem.orig})"
        raise BadBook(database, why) from problem


@contextmanager
def connected(database: str) -> Iterator[Connection]:
    """Yield a connection to a gradebook, given its address; changes are committed at the end of the block.

    A missing gradebook is read as an empty one and is not created. Nothing is written to a file that has lost
    its content.

    Raises:
        BadBook: the database cannot be used.
    """
    address = make_url(database)
    file = Path(address.database or "")
    if address.get_backend_name() == "sqlite" and not (file.is_file() and file.stat().st_size):
        address = make_url("sqlite://")  # in memory: to connect would make the file
    engine = create_engine(address)
    try:
        with readable(database):
            make_table(engine)
            with engine.begin() as connection:
                yield connection
    finally:
        engine.dispose()


@contextmanager
def opened(database: str) -> Iterator[Store]:
    """Open a gradebook for a `with` block, as `connected` does, and give the `Store` of its records."""
    with connected(database) as connection:
        yield Store(connection)


def now() -> str:
    """Return the present time in the records' format."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def release_id(release: str) -> str:
    """Return a release's short id, a digest of its notebook's text."""
    return hashlib.sha256(release.encode("utf-8")).hexdigest()[:12]


def _why(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    changed = [name for name in after if before and before.get(name) != after[name]]
    return f"{' and '.join(changed)} changed" if changed else "graded again"
