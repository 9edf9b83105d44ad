"""The policy of a class: due dates, extensions and late penalties, written in its `class.toml`."""

from __future__ import annotations

import contextlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from math import ceil
from pathlib import Path
from typing import Literal, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import tomlkit
from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Unicode

from autograder.records.authoring_errors import AuthoringError, UserError
from autograder.records.file_digests import write_whole
from autograder.records.serialization import read_toml

FILE = "class.toml"
# What a task counts that the release did not have on which a submission was written.
EXCUSE: Literal["excuse"] = "excuse"
# Which of several notebooks counts that a student handed in for one lesson.
Rule = Literal["last", "last on time", "best"]
LAST: Rule = "last"
ON_TIME: Rule = "last on time"
BEST: Rule = "best"
# The cell of a graded notebook that tells its student which of several attempts counts.
ATTEMPT = "attempt-that-counts"
LENGTH = re.compile(r"\+?(\d+)\s*([dh])")
# How late counts what a platform marks as late without saying by how much. By its microsecond, such a time
# is known for a guess wherever it is kept.
A_MOMENT = timedelta(seconds=1, microseconds=1)
# A date in a person's own form, and the one that is read.
DATE_LIKE = re.compile(r"""=\s*["']?\d{1,4}[-./]\d{1,2}[-./]\d""")
DATE = "2026-10-19T23:59:59"
UNITS = {"d": timedelta(days=1), "h": timedelta(hours=1)}


# What a `class.toml` is begun with.
BEGINNING = """\
# What this class has agreed on. A line that begins with # says nothing: take the # away where it should.
# timezone = "Europe/Berlin"     # of the times below
# penalty_per_day = 0.1          # what each day begun costs, of the points that were earned
# require_secret = true          # refuse to grade a lesson without hidden probes
# left = ["jdoe"]                # has points and is no longer here: left out of reports, exports and returns
# missing_tasks = "zero"         # what a task counts that a student's release did not have; else "excuse"

[due]
{due}

# [extensions.{first}]
# jdoe = "3d"

[attempts]                       # which of several counts: last, last on time or best
# {first} = "best"
"""


@dataclass(frozen=True)
class Policy:
    """The settings in a `class.toml`."""

    due: Mapping[str, datetime] = field(default_factory=dict)  # in UTC without a time zone, as in nbgrader
    extensions: Mapping[tuple[str, str], timedelta] = field(default_factory=dict)  # by lesson and student
    # The share of a submission's points that each day begun costs; None to leave it to nbgrader's setting.
    penalty_per_day: float | None = None
    require_secret: bool = False  # whether to refuse to grade a lesson without hidden probes
    # The score of a task that a submission's own release did not have: that of the rest of the submission
    # ("excuse"), or nothing ("zero").
    missing_tasks: str = EXCUSE
    attempts: Mapping[str, Rule] = field(default_factory=dict)  # the rule by lesson; "last" by default
    left: tuple[str, ...] = ()  # ids of students who have left the class, and whose points stay
    zone: tzinfo | None = None  # the time zone of displayed times; None for this machine's
    written: bool = False  # whether there is a file; else due dates and extensions are nbgrader's own

    @classmethod
    def read(cls, root: Path, lessons: tuple[str, ...]) -> Policy:
        """Return the policy of a class; the default policy if there is no file.

        Raises:
            AuthoringError: the file is not valid.
        """
        path = root / FILE
        if not path.is_file():
            return cls()
        written = _read(path)
        named = (*written.due, *written.extensions, *written.attempts)
        unknown = [name for name in dict.fromkeys(named) if name not in lessons]
        if unknown:
            raise AuthoringError([f"{path}: there is no lesson {name}" for name in unknown])
        zone = ZoneInfo(written.timezone) if written.timezone else None
        due = {lesson: _utc(moment, zone) for lesson, moment in written.due.items()}
        return cls(
            due,
            {
                (lesson, student): length(value)
                if isinstance(value, str)
                else max(_utc(value, zone) - due[lesson], timedelta())  # it may be due later by now
                for lesson, given in written.extensions.items()
                for student, value in given.items()
            },
            written.penalty_per_day,
            written.require_secret,
            written.missing_tasks,
            written.attempts,
            written.left,
            zone,
            True,
        )

    def due_for(self, lesson: str, student: str) -> datetime | None:
        """Return the due date of a lesson for a student, in UTC."""
        due = self.due.get(lesson)
        return due and due + self.extensions.get((lesson, student), timedelta())

    def terms(
        self, lesson: str, student: str, due: datetime | None, extension: timedelta | None
    ) -> tuple[datetime | None, timedelta | None]:
        """Return the due date of a lesson and a student's extension; without a file, the gradebook's.

        With a file, what it does not say does not count, whoever put it into the gradebook.
        """
        if not self.written:
            return due, extension
        due = self.due.get(lesson)
        return due, self.extensions.get((lesson, student)) if due else None

    def guessed(self, lesson: str) -> datetime | None:
        """Return a time of submission for work that a platform only marks as late; None without a due date.

        It is just after the lesson's own due date, since the mark does not consider a student's extension.
        """
        due = self.due.get(lesson)
        return due and due + A_MOMENT

    def time_of(self, lesson: str, time: datetime | None) -> datetime | None:
        """Return a time of submission, moved to the present due date if it is a guess; see `guessed`."""
        return (self.guessed(lesson) or time) if is_guess(time) else time

    def until(self, lesson: str, text: str) -> date:
        """Return the day or moment at which an extension ends, from a text such as "2026-03-09T18:00".

        Raises:
            ValueError: the text is no date.
            UserError: the lesson has no due date, or the moment is not after it.
        """
        try:
            given: date = date.fromisoformat(text)
        except ValueError:
            given = datetime.fromisoformat(text)
        due = self.due.get(lesson)
        if due is None:
            raise UserError(f"{lesson} has no due date in class.toml: say how much later, as 3d or 12h.")
        if _utc(given, self.zone) <= due:
            raise UserError(f"{lesson} is due {self.local_time(due)}, and {text} is no later.")
        return given

    def local_time(self, moment: datetime, clock: str = "%H:%M") -> str:
        """Return a moment as text, to the minute, in the class's time zone; one without a zone is in UTC."""
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return f"{moment.astimezone(self.zone):%Y-%m-%d {clock} %Z}"


@dataclass(frozen=True)
class _Written:
    """A `class.toml`, as it is written."""

    due: Mapping[str, date] = field(default_factory=dict)
    extensions: Mapping[str, Mapping[str, str | date]] = field(default_factory=dict)
    missing_tasks: Literal["excuse", "zero"] = EXCUSE
    attempts: Mapping[str, Rule] = field(default_factory=dict)
    penalty_per_day: float | None = None
    require_secret: bool = False
    left: tuple[str, ...] = ()
    timezone: str = ""

    def __post_init__(self) -> None:
        if not 0 <= (self.penalty_per_day or 0) <= 1:
            raise ValueError("`penalty_per_day` is a share, from 0 to 1")
        for lesson, given in self.extensions.items():
            for value in given.values():
                if isinstance(value, str):
                    length(value)
                elif lesson not in self.due:
                    raise ValueError(f"{lesson} has no due date, so nobody has more time until a date")
        try:
            ZoneInfo(self.timezone or "UTC")
        except (ZoneInfoNotFoundError, ValueError):
            raise ValueError(f"`timezone`: there is no {self.timezone}; write Europe/Berlin, say") from None


def _read(path: Path) -> _Written:
    """Return a `class.toml` as it is written.

    Raises:
        AuthoringError: the file is not valid; the message says the line of a date in another form.
    """
    try:
        return read_toml(_Written, path)
    except AuthoringError as problem:
        with contextlib.suppress(OSError, UnicodeDecodeError):
            dates = [
                f"{path}, line {number}: write a date as {DATE}, without quotes: {line.strip()}"
                for number, line in enumerate(_text(path).splitlines(), start=1)
                if DATE_LIKE.search(line) and not _holds_date(line)
            ]
            if dates:
                raise AuthoringError(dates) from problem
        raise


def _holds_date(line: str) -> bool:
    """Tell whether a line of TOML holds a date, or only a comment."""
    try:
        values = tomllib.loads(line).values()
    except tomllib.TOMLDecodeError:
        return False
    return all(isinstance(value, date) for value in values)


class LatePenalty(LateSubmissionPlugin):
    """The late penalty by the rule in `class.toml`, or else by nbgrader's own setting."""

    root = Unicode("", help="The course's folder.").tag(config=True)

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        path = Path(self.root) / FILE
        share = _read(path).penalty_per_day if self.root and path.is_file() else None
        if share is None:
            return cast(
                "float | None", super().late_submission_penalty(student_id, score, total_seconds_late)
            )
        return late_by(share, total_seconds_late, score)


def late_by(share: float, seconds: float, score: float) -> float:
    """Return the points that a late submission loses.

    Args:
        share: the share of the score that each day costs; a day that has begun counts as a whole.
        seconds: how late it is.
        score: its score.
    """
    days = ceil(max(0.0, seconds) / UNITS["d"].total_seconds())
    return round(min(1.0, share * days) * score, 2)


def best_instead(lesson: str) -> str:
    """Return a clause that says how the best of several attempts counts in place of the last one."""
    return f'write `{lesson} = "{BEST}"` below [attempts] in {FILE}, and the best one counts'


def is_guess(time: datetime | None) -> bool:
    """Tell whether a time of submission was derived from a platform's mark for late work."""
    return time is not None and time.microsecond == A_MOMENT.microseconds


def begin(root: Path, lessons: Sequence[str]) -> Path:
    """Write a first `class.toml`, in which every setting is a comment, and return its path."""
    due = "\n".join(f"# {lesson} = 2026-03-01T23:59:59" for lesson in lessons)
    write_whole(root / FILE, BEGINNING.format(due=due, first=lessons[0]).encode())
    return root / FILE


def extend(root: Path, lesson: str, student: str, by: timedelta | date) -> str:
    """Write a student's extension into `class.toml`, without changing its other lines and comments.

    Args:
        root: the class's folder.
        lesson: the lesson's name.
        student: the student's id.
        by: the additional time, or the new due date; zero cancels the extension.

    Returns:
        The previous extension as text; empty if there was none.
    """
    path = root / FILE
    table = tomlkit.parse(_text(path))
    extensions = table.setdefault("extensions", tomlkit.table(is_super_table=True)).setdefault(
        lesson, tomlkit.table()
    )
    before = str(extensions.get(student, ""))
    # A zero is written, too: whoever reads the file sees that something was taken back.
    extensions[student] = length_text(by) if isinstance(by, timedelta) else by
    write_whole(path, tomlkit.dumps(table).encode())
    return before


def length(text: str) -> timedelta:
    """Return a length of time, from a text such as "3d" or "12h".

    Raises:
        ValueError: the text is no length of time.
    """
    match = LENGTH.fullmatch(text.strip())
    if not match:
        raise ValueError(f"“{text}” is no length of time: write 3d or 12h, or a date such as 2026-03-09")
    return int(match[1]) * UNITS[match[2]]


def length_text(by: timedelta) -> str:
    """Return a length of time as text that `length` can read."""
    days, rest = divmod(by, UNITS["d"])
    return f"{days}d" if not rest else f"{by // UNITS['h']}h"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _utc(moment: date, zone: tzinfo | None) -> datetime:
    """Return a moment as nbgrader keeps it; one without a time is the end of that day."""
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time(23, 59, 59))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone) if zone else moment.astimezone()
    return moment.astimezone(UTC).replace(tzinfo=None)
