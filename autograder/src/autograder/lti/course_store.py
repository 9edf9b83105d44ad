"""What must outlast a launch: where a course's services are, who is who there, and what was sent.

It lies beside the gradebook, in a file that only its owner reads. Whether a score must be sent is decided by
what the platform is known to have.
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


class BadMemory(UserError):
    """The file cannot be used; says why."""


@dataclass(frozen=True)
class PlatformContext:
    """A course on a platform, and the addresses of its services; "" where it offers none."""

    issuer: str
    client: str
    deployment: str
    context: str
    title: str = ""
    memberships: str = ""
    lineitems: str = ""
    scopes: str = ""  # with a space between


@dataclass(frozen=True)
class SentScore:
    """A score as the platform has it."""

    student: str
    user: str
    score: float
    most: float
    progress: str
    comment: str = ""


class StateStore:
    """The file, open."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def keep(self, context: PlatformContext, lesson: str, lineitem: str, decides: bool) -> None:
        """Keep where a course's services are, and the column of a lesson's scores there.

        Who `decides`, a teacher that opens the tool, also replaces what is known: a platform need not tell
        learners of every service, and a lesson may stand in a course twice.
        """
        how = "REPLACE" if decides else "IGNORE"
        with self._connection as change:
            places = f"INSERT OR {how} INTO places VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
            change.execute(places, astuple(context))
            if lesson and lineitem:
                row = (context.issuer, context.client, context.context, lesson, lineitem)
                change.execute(f"INSERT OR {how} INTO links VALUES (?, ?, ?, ?, ?)", row)  # noqa: S608

    def places(self) -> list[PlatformContext]:
        """Return the courses from which somebody came."""
        return [
            PlatformContext(*row) for row in self._connection.execute("SELECT * FROM places ORDER BY 1, 2, 4")
        ]

    def lineitem(self, context: PlatformContext, lesson: str) -> str:
        """Return the address of a lesson's column of scores; "" where no launch told it."""
        asked = "SELECT lineitem FROM links WHERE issuer = ? AND client = ? AND context = ? AND lesson = ?"
        row = self._connection.execute(
            asked, (context.issuer, context.client, context.context, lesson)
        ).fetchone()
        return str(row[0]) if row else ""

    def people(self, context: PlatformContext) -> dict[str, str]:
        """Return who is who in a course: students by the platform's ids."""
        asked = "SELECT user, student FROM people WHERE issuer = ? AND context = ?"
        return dict(self._connection.execute(asked, (context.issuer, context.context)))

    def know(self, context: PlatformContext, people: Mapping[str, str]) -> None:
        """Keep who is who in a course; nobody is forgotten."""
        rows = [(context.issuer, context.context, user, student) for user, student in people.items()]
        with self._connection as change:
            change.executemany("INSERT OR REPLACE INTO people VALUES (?, ?, ?, ?)", rows)

    def sent(self, context: PlatformContext, lineitem: str) -> dict[str, SentScore]:
        """Return what a column of scores was sent last, by student."""
        names = ", ".join(column.name for column in fields(SentScore))
        asked = f"SELECT {names} FROM sent WHERE issuer = ? AND lineitem = ?"  # noqa: S608
        rows = self._connection.execute(asked, (context.issuer, lineitem))
        return {row[0]: SentScore(*row) for row in rows}

    def last(self, context: PlatformContext, lineitem: str, student: str) -> str:
        """Return when a score was sent, as it was told the platform; "" where none was."""
        asked = "SELECT at FROM sent WHERE issuer = ? AND lineitem = ? AND student = ?"
        row = self._connection.execute(asked, (context.issuer, lineitem, student)).fetchone()
        return str(row[0]) if row else ""

    def record(self, context: PlatformContext, lineitem: str, scores: Sequence[SentScore], at: str) -> None:
        """Keep what was sent."""
        rows = [(context.issuer, lineitem, *astuple(score), at) for score in scores]
        with self._connection as change:
            change.executemany("INSERT OR REPLACE INTO sent VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)


@contextmanager
def remembered(root: Path) -> Iterator[StateStore]:
    """Yield what a class's folder remembers of its platforms.

    Raises:
        BadMemory: the file is damaged, or somebody else is writing to it.
    """
    path = root / FILE
    path.touch(0o600)
    try:
        with closing(sqlite3.connect(path, timeout=10)) as connection:
            connection.executescript(TABLES)
            yield StateStore(connection)
    except sqlite3.Error as problem:
        raise BadMemory(f"{path} cannot be used: {problem}.") from problem
