"""Store a course's state on its platforms: addresses of services, students' ids and sent scores.

The store is a file beside the gradebook that only its owner can read. A score is sent only if it differs from
the score that the store has recorded as sent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from autograder.records.authoring_errors import UserError

FILE = "lti.db"
TABLES = """
CREATE TABLE IF NOT EXISTS places (issuer, client, deployment, context, title, memberships, lineitems, scopes,
    PRIMARY KEY (issuer, client, context));
CREATE TABLE IF NOT EXISTS links (issuer, client, context, lesson, lineitem,
    PRIMARY KEY (issuer, client, context, lesson));
CREATE TABLE IF NOT EXISTS people (issuer, context, user, student,
    PRIMARY KEY (issuer, context, user), UNIQUE (issuer, context, student));
CREATE TABLE IF NOT EXISTS sent (issuer, lineitem, student, user, score, most, progress, comment, at,
    PRIMARY KEY (issuer, lineitem, student));
"""


class BadStore(UserError):
    """The store's file cannot be used. The message says why."""


@dataclass(frozen=True)
class PlatformContext:
    """A course on a platform, with the addresses of the services there; "" for one that is not offered."""

    issuer: str
    client: str
    deployment: str
    context: str
    title: str = ""
    memberships: str = ""
    lineitems: str = ""
    scopes: str = ""  # separated by spaces


@dataclass(frozen=True)
class SentScore:
    """A score as it was last sent to a platform."""

    student: str
    user: str
    score: float
    most: float
    progress: str
    comment: str = ""


class StateStore:
    """The open store."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def keep(self, context: PlatformContext, lesson: str, lineitem: str, decides: bool) -> None:
        """Record the addresses of a course's services, and of the column for a lesson's scores.

        Args:
            context: the course on the platform.
            lesson: the lesson's name; "" if the launch named none.
            lineitem: the address of the lesson's column; "" if the launch named none.
            decides: whether to replace addresses that are already known. Only a launch by a teacher does: a
                platform need not name every service to learners, and a course may contain a lesson twice.
        """
        how = "REPLACE" if decides else "IGNORE"
        with self._connection as change:
            places = f"INSERT OR {how} INTO places VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
            change.execute(places, astuple(context))
            if lesson and lineitem:
                row = (context.issuer, context.client, context.context, lesson, lineitem)
                change.execute(f"INSERT OR {how} INTO links VALUES (?, ?, ?, ?, ?)", row)  # noqa: S608

    def contexts(self) -> list[PlatformContext]:
        """Return the courses from which somebody has launched the tool."""
        return [
            PlatformContext(*row) for row in self._connection.execute("SELECT * FROM places ORDER BY 1, 2, 4")
        ]

    def lineitem(self, context: PlatformContext, lesson: str) -> str:
        """Return the address of the column for a lesson's scores; "" if no launch has named it."""
        asked = "SELECT lineitem FROM links WHERE issuer = ? AND client = ? AND context = ? AND lesson = ?"
        row = self._connection.execute(
            asked, (context.issuer, context.client, context.context, lesson)
        ).fetchone()
        return str(row[0]) if row else ""

    def people(self, context: PlatformContext) -> dict[str, str]:
        """Return the class's student id for each user id of the platform."""
        asked = "SELECT user, student FROM people WHERE issuer = ? AND context = ?"
        return dict(self._connection.execute(asked, (context.issuer, context.context)))

    def save_people(self, context: PlatformContext, people: Mapping[str, str]) -> None:
        """Record the class's student id for each user id of the platform. Earlier entries stay."""
        rows = [(context.issuer, context.context, user, student) for user, student in people.items()]
        with self._connection as change:
            change.executemany("INSERT OR REPLACE INTO people VALUES (?, ?, ?, ?)", rows)

    def sent(self, context: PlatformContext, lineitem: str) -> dict[str, SentScore]:
        """Return the last score of each student that was sent to a column, by student id."""
        names = ", ".join(column.name for column in fields(SentScore))
        asked = f"SELECT {names} FROM sent WHERE issuer = ? AND lineitem = ?"  # noqa: S608
        rows = self._connection.execute(asked, (context.issuer, lineitem))
        return {row[0]: SentScore(*row) for row in rows}

    def last(self, context: PlatformContext, lineitem: str, student: str) -> str:
        """Return the timestamp with which a student's score was last sent; "" if none was."""
        asked = "SELECT at FROM sent WHERE issuer = ? AND lineitem = ? AND student = ?"
        row = self._connection.execute(asked, (context.issuer, lineitem, student)).fetchone()
        return str(row[0]) if row else ""

    def record(self, context: PlatformContext, lineitem: str, scores: Sequence[SentScore], at: str) -> None:
        """Record scores that were sent to a column.

        Args:
            context: the course on the platform.
            lineitem: the address of the column.
            scores: the scores.
            at: the timestamp with which they were sent, in ISO 8601.
        """
        rows = [(context.issuer, lineitem, *astuple(score), at) for score in scores]
        with self._connection as change:
            change.executemany("INSERT OR REPLACE INTO sent VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)


@contextmanager
def open_store(root: Path) -> Iterator[StateStore]:
    """Open the store in a class's folder, and create it if there is none.

    Raises:
        BadStore: the file is damaged, or another process is writing to it.
    """
    path = root / FILE
    path.touch(0o600)
    try:
        with closing(sqlite3.connect(path, timeout=10)) as connection:
            connection.executescript(TABLES)
            yield StateStore(connection)
    except sqlite3.Error as problem:
        raise BadStore(f"{path} cannot be used: {problem}.") from problem
