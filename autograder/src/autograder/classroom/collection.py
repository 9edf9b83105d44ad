"""Define the data of a collection: the request, the outcome for each file, and the stored record."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from autograder.classroom.class_roster import Person, Roster
from autograder.classroom.platforms.protocol import HandedFile, Platform
from autograder.grading.class_folder import STAMP, Class
from autograder.records import serialization
from autograder.records.file_digests import write_whole
from autograder.words.phrases import listed

# Beside submitted/: the archives as they came, versions that were replaced, and what was found out.
COLLECTED = "collected"
RECORD = "record.json"
UNKNOWN = HandedFile("", "")
# States in which the notebook that is there already counts.
STAYS = ("a later one is there", "the earlier one stays")


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Request:
    """A request to collect submissions from archives."""

    course: Class
    lessons: tuple[str, ...]
    roster: Roster
    platforms: Mapping[str, Platform]  # the possible platforms, by name
    lesson: str = ""  # the lesson of the archives; "" to find it out
    who: Mapping[str, str] = field(default_factory=dict)  # ids, by a number, folder or file of the platform
    # The people of a list of times, with the platform's numbers; None without a list.
    times: tuple[Person, ...] | None = None
    dry: bool = False  # whether to write nothing
    # Lessons and students whose notebook in `submitted/` is another's.
    withdrawn: Collection[tuple[str, str]] = ()


@dataclass(frozen=True)
class Placed:
    """A notebook with the student and lesson to which it was matched, and the earlier files it replaces."""

    lesson: str
    student: str
    entry: HandedFile
    before: tuple[HandedFile, ...] = ()
    time: datetime | None = None
    state: str = "new"
    copies: tuple[HandedFile, ...] = ()  # other files of the archives with the same content


@dataclass(frozen=True)
class CollectionRecord:
    """All collected files, by lesson and student, and whom the instructor named as the owner of which."""

    lessons: Mapping[str, Mapping[str, HandedFile]] = field(default_factory=dict)
    who: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # files that are no notebooks, by student
    # The lessons that were collected with those files, by student, as far as it is known.
    instead_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The tasks in any version of a student's notebook, which show the release that they were given.
    had: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


@dataclass
class Collected:
    """The outcome for each file: placed, kept as an earlier one, not a notebook, not placed, or refused."""

    placed: list[Placed] = field(default_factory=list)
    unplaced: list[tuple[HandedFile, str]] = field(default_factory=list)
    # Files that are no notebooks, and are not graded.
    others: list[HandedFile] = field(default_factory=list)
    refused: list[HandedFile] = field(default_factory=list)  # files beyond a limit, or unreadable
    noise: int = 0  # files of programs, such as .git and __MACOSX
    missing: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    # Notes on files that cannot be used as they are, and on rows of the list of times.
    useless: list[str] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """The number of files with each of the five outcomes."""
        # A group's file is placed for each of its people, and is one file.
        placed = _distinct(placed.entry for placed in self.placed if placed.state not in STAYS)
        earlier = _distinct(file for placed in self.placed for file in (*placed.before, *placed.copies))
        return {
            "placed": len(placed),
            "earlier": len(earlier - placed),
            "no notebook": len(self.others) + self.noise,
            "not placed": len(self.unplaced),
            "refused": len(self.refused),
        }

    @property
    def needs_a_look(self) -> bool:
        """Whether a person has to do something about a file."""
        return bool(self.unplaced or self.useless or self.refused)


def _distinct(files: Iterable[HandedFile]) -> set[tuple[str, str]]:
    return {(file.archive, file.path) for file in files}


def read_record(course: Class) -> CollectionRecord:
    """Return the record of earlier collections. A damaged record is reported in the log and read as empty."""
    path = folder_of(course) / RECORD
    record = record_in(path)
    if record is None:
        log.warning(
            "%s cannot be read, so nothing is known of what was collected before: collect those archives "
            "again, which are kept beside it",
            path,
        )
    return record or CollectionRecord()


def why_without(course: Class, lesson: str, students: Iterable[str]) -> list[str]:
    """Return lines that say why some students have no score or page, each with those whom it is true of.

    Args:
        course: the class.
        lesson: the lesson; "" for all of them.
        students: the students.
    """
    record = read_record(course)
    reasons: dict[str, list[str]] = {}
    for student in students:
        instead = record.others.get(student, ())
        if lesson and StudentFiles(course, lesson, student).submitted.is_file():
            reason = f"handed in, and not graded yet (autograder grade {lesson})"
        elif instead and lesson in ("", *record.instead_of.get(student, (lesson,))):
            reason = f"handed in no notebook ({listed(instead)})"
        else:
            reason = "no notebook of theirs was placed"
        reasons.setdefault(reason, []).append(student)
    return [f"{reason}: {listed(who)}" for reason, who in reasons.items()]


def handed_in_together(course: Class, lesson: str) -> Callable[[Collection[str]], bool]:
    """Return a function that tells whether some students submitted a lesson as a group, in one file."""
    files = {
        student: (file.archive, file.path)
        for student, file in read_record(course).lessons.get(lesson, {}).items()
        if file.of_group
    }
    return lambda students: files.keys() >= set(students) and len({files[who] for who in students}) == 1


def record_in(path: Path) -> CollectionRecord | None:
    """Return the record in a file; an empty one if there is no file, and None if the file is damaged."""
    try:
        return serialization.decode(CollectionRecord, json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return CollectionRecord()
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def folder_of(course: Class) -> Path:
    """Return the folder of archives, earlier versions and the record."""
    return Path(course.directory.root) / COLLECTED


def digest_of(content: bytes) -> str:
    """Return the digest by which an earlier version of a notebook is named."""
    return hashlib.sha256(content).hexdigest()[:12]


@dataclass(frozen=True)
class StudentFiles:
    """A student's notebooks for one lesson: the submitted one, and the earlier versions that were kept."""

    course: Class
    lesson: str
    student: str

    @property
    def submitted(self) -> Path:
        """The path of the notebook in `submitted/`."""
        folder = self.course.place(self.course.directory.submitted_directory, self.student, self.lesson)
        return folder / f"{self.lesson}.ipynb"

    @property
    def stamp(self) -> Path:
        """The path of the notebook's time of submission."""
        return self.submitted.with_name(STAMP)

    @property
    def earlier(self) -> Path:
        """The folder of the earlier versions."""
        return folder_of(self.course) / "earlier" / self.student / self.lesson

    def keep_earlier(self, content: bytes, stamp: bytes = b"") -> None:
        """Write an earlier version, with its time if there is one."""
        digest = digest_of(content)
        write_whole(self.earlier / f"{digest}.ipynb", content)
        if stamp:
            write_whole(self.earlier / f"{digest}-{STAMP}", stamp)
