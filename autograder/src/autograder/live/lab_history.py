"""Store the history of labs in an SQLite file: the rooms, their codes, and all events received in them."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from autograder.records.authoring_errors import UserError
from autograder.records.live_event import LETTERS, What

MOST_WAITING = 10_000  # events that are kept until they can be written
TABLES = """
CREATE TABLE IF NOT EXISTS rooms (name TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, token TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS heard (
    room TEXT NOT NULL, at REAL NOT NULL, learner TEXT NOT NULL, task TEXT NOT NULL, verdict TEXT NOT NULL,
    mistakes TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS heard_by_room ON heard (room);
"""


@dataclass(frozen=True)
class LabRoom:
    """The room of a lab: its name, the code that learners join with, and the token of its board."""

    name: str
    code: str
    token: str


@dataclass(frozen=True)
class ReceivedEvent:
    """An event and the time at which it happened, by the server's clock."""

    at: float
    learner: str
    task: str
    verdict: What
    mistakes: tuple[str, ...]


class History:
    """The open history file. Only its owner can read it, since it contains the boards' tokens.

    Raises:
        UserError: the file is not a history, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: deque[tuple[object, ...]] = deque(maxlen=MOST_WAITING)
        with self._usable():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            # One thread uses it at a time: who opens it, and then the server's.
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            # An event a second or two must not wait for the disk; a crash of the machine may lose the last.
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.executescript(TABLES)

    @contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as problem:
            raise UserError(f"{self._path} cannot hold the history of live rooms: {problem}.") from problem

    def room(self, name: str) -> LabRoom:
        """Return the room of a name, and create it if there is none.

        Raises:
            UserError: the file cannot be used.
        """
        code = "".join(secrets.choice(LETTERS) for _ in range(8))
        row = (name, code, secrets.token_urlsafe(32))
        with self._usable():
            self._connection.execute("INSERT OR IGNORE INTO rooms VALUES (?, ?, ?)", row)
            rows = self._connection.execute("SELECT name, code, token FROM rooms WHERE name = ?", (name,))
            return LabRoom(*rows.fetchone())

    def add(self, room: str, heard: ReceivedEvent) -> None:
        """Store an event of a room. If the file cannot be written now, the event is stored with the next one.

        It does not wait while another program has locked the file, because the whole room would have to wait
        too.
        """
        row = (room, heard.at, heard.learner, heard.task, heard.verdict, " ".join(heard.mistakes))
        self._waiting.append(row)
        with suppress(sqlite3.Error):  # a full disk costs the history, and nobody the lab
            self._connection.execute("PRAGMA busy_timeout = 0")
            while self._waiting:
                self._connection.execute("INSERT INTO heard VALUES (?, ?, ?, ?, ?, ?)", self._waiting[0])
                self._waiting.popleft()

    def heard(self, room: str) -> Iterator[ReceivedEvent]:
        """Yield all events of a room, in order.

        Raises:
            UserError: the file is damaged.
        """
        rows = "SELECT at, learner, task, verdict, mistakes FROM heard WHERE room = ? ORDER BY rowid"
        with self._usable(), closing(self._connection.execute(rows, (room,))) as rows_heard:
            for at, learner, task, verdict, mistakes in rows_heard:
                yield ReceivedEvent(at, learner, task, verdict, tuple(mistakes.split()))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
