"""The bank that grades count by: with hidden probes where the instructor has made a secret."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from autograder import bank
from autograder.authoring import load_faults, load_lesson
from autograder.bank import BankError, LessonBank
from autograder.build import draws, hidden
from autograder.build.answers import make_bank, run_solution
from autograder.build.source import read_source
from autograder.course import FILE, Course
from autograder.digests import file_digest

# Where the secret lies instead of the user's own data folder.
PLACE = "AUTOGRADER_SECRET"
NAME = "secret"
MADE_FROM = "made-from.txt"
# The modules whose change makes hidden probes anew.
DRAWN_BY = (Path(draws.__file__), Path(hidden.__file__))


@dataclass(frozen=True)
class Banks:
    """The banks that a run grades by: found once, then passed to whatever needs them.

    Attributes:
        course: the course.
        folders: where each lesson's bank lies.
        notes: why a lesson's bank holds no hidden probes, by lesson.
    """

    course: Course
    folders: Mapping[str, Path]
    notes: Mapping[str, str]

    @classmethod
    def of(cls, course: Course) -> Banks:
        """The banks of all of a course's lessons, with hidden probes where the instructor has made them."""
        found = {lesson: _bank_of(course, lesson) for lesson in course.banked()}
        return cls(
            course,
            {lesson: place for lesson, (place, _) in found.items()},
            {lesson: note for lesson, (_, note) in found.items() if note},
        )

    def lesson(self, name: str) -> LessonBank:
        """A lesson's bank.

        Raises:
            BankError: there is none, or it is damaged.
        """
        if name not in self.folders:
            raise BankError(f"{self.course.name} has no answers for lesson {name}.")
        return bank.load(name, self.folders[name], self.course.forbidden)

    def digest(self, lesson: str) -> bytes:
        """What a lesson's bank holds at this moment.

        Raises:
            OSError: there is none.
        """
        return _digest(lesson, self.folders.get(lesson, self.course.bank))

    def write_questions(self, folder: Path) -> None:
        """Write every lesson's questions, without answers, where a submission's own process can read them."""
        for name in self.folders:
            bank.save(bank.without_answers(self.lesson(name)), folder)
        shutil.copyfile(self.course.root / FILE, folder / FILE)


@dataclass(frozen=True)
class Kept:
    """Where a lesson's bank with hidden probes lies.

    `left_out` are the probes that have no twin, because none was fair to every right answer: task and probe.
    """

    folder: Path
    left_out: tuple[tuple[str, str], ...]


def folder(course: Course) -> Path:
    """The folder of the secret and of the banks made from it: outside the course, of this user alone."""
    chosen = os.environ.get(PLACE)
    return Path(chosen) if chosen else platformdirs.user_data_path(course.name) / NAME


def _bank_of(course: Course, lesson: str) -> tuple[Path, str]:
    """The folder of the bank to grade a lesson by, and why it holds no hidden probes; empty where it does."""
    place = folder(course) / "bank" / lesson
    try:
        made_from = (place / MADE_FROM).read_text(encoding="utf-8")
    except OSError:
        return course.bank, "visible probes only: `autograder secret` makes hidden ones"
    if made_from != public_fingerprint(course, lesson):
        why = "visible probes only: the hidden ones are out of date; `autograder secret` makes new ones"
        return course.bank, why
    return place, ""


def make(course: Course, lesson: str) -> Kept:
    """Make a lesson's bank with hidden probes, and the secret itself where there is none yet.

    Raises:
        AuthoringError: the lesson's source does not yield them.
    """
    place = folder(course)
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    secret = _secret(place)
    source = course.source / lesson
    described = load_lesson(source)
    notebook = read_source(source / f"{lesson}.py")
    seeds = [
        hidden.seed_from(secret, lesson, f"givens-{number}") % 2**31
        for number in range(1, described.redraws + 1)
    ]
    runs = run_solution(described, notebook, lesson, seeds, course.forbidden)
    chosen = draws.choose_draws(described, runs, secret)
    made = make_bank(
        hidden.with_hidden_probes(described, secret, chosen), runs, lesson, load_faults(course.source)
    )
    kept = place / "bank" / lesson
    kept.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as temporary:
        fresh = Path(temporary) / lesson
        bank.save(made, fresh)
        (fresh / MADE_FROM).write_text(public_fingerprint(course, lesson), encoding="utf-8")
        shutil.rmtree(kept, ignore_errors=True)
        fresh.rename(kept)
    return Kept(kept, tuple(twin for twin, draw in chosen.items() if draw is None))


def _secret(place: Path) -> str:
    path = place / NAME
    if not path.exists():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(32))
    return path.read_text(encoding="utf-8").strip()


def _digest(lesson: str, place: Path) -> bytes:
    parts = [file_digest(path) for path in bank.paths(lesson, place)]
    return hashlib.sha256(b"".join(parts)).digest()


def public_fingerprint(course: Course, lesson: str) -> str:
    """What hidden probes are made from beside the secret: a lesson's public bank, and how they are drawn."""
    digest = hashlib.sha256(_digest(lesson, course.bank))
    for module in DRAWN_BY:
        digest.update(file_digest(module))
    return digest.hexdigest()
