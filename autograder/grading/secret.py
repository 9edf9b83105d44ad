"""What grades count by: the public banks, and hidden questions that every grading run draws anew.

They are drawn from a secret of the instructor's and from a word of the run's own. So nothing that one run
asked is worth remembering for the next, whoever saw it. The word is kept with what was handed in: the same
file is asked the same again.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import platformdirs

from autograder import bank
from autograder.bank import AS_SEEN, BankError, LessonBank, Task
from autograder.course import FILE, Course
from autograder.files import file_digest

# Where the secret lies instead of the user's own data folder.
OWN_FOLDER = "AUTOGRADER_SECRET"
NAME = "secret"
# Beside it: for each file that was handed in, the word that its questions were drawn by.
WORDS = "words"

Files = Mapping[str, bytes]
NONE: Files = MappingProxyType({})


@dataclass(frozen=True)
class Banks:
    """The public banks that a run grades by: found once, then passed to whatever needs them."""

    course: Course
    folders: Mapping[str, Path]  # where each lesson's bank lies
    notes: Mapping[str, str]  # why nothing hidden is asked, by lesson

    @classmethod
    def of(cls, course: Course) -> Banks:
        """Return the banks of all of a course's lessons."""
        why = {lesson: _why_none(course, lesson) for lesson in course.banked()}
        return cls(course, dict.fromkeys(why, course.bank), {name: one for name, one in why.items() if one})

    def lesson(self, name: str, drawn: Files = NONE) -> LessonBank:
        """Return a lesson's bank; with what was drawn for a submission, that is asked as well.

        Raises:
            BankError: there is none, or it is damaged.
        """
        if name not in self.folders:
            raise BankError(f"{self.course.name} has no answers for lesson {name}.")
        public = bank.load(name, self.folders[name], self.course.forbidden)
        return _together(public, self._drawn(name, drawn)) if drawn else public

    def only(self, lessons: Collection[str]) -> Banks:
        """Return the banks of some lessons: a sandbox gets all of them ready, which takes its time."""
        folders = {name: place for name, place in self.folders.items() if name in lessons}
        return replace(self, folders=folders)

    def described(self, name: str) -> LessonBank:
        """Return what a lesson's tasks and their mistakes are called.

        Raises:
            BankError: it has no bank, or that is damaged.
        """
        return bank.described(name, self.folders.get(name, self.course.bank))

    def questions(self, name: str, drawn: Files) -> Files:
        """Return what was drawn for a submission, without answers, where its own process can read it."""
        if not drawn:
            return {}
        asked = bank.files(bank.without_answers(self._drawn(name, drawn)))
        return {**asked, FILE: (self.course.root / FILE).read_bytes()}

    def _drawn(self, name: str, drawn: Files) -> LessonBank:
        text, numbers = (drawn[str(path)] for path in bank.paths(name, Path()))
        return bank.read(name, text, numbers, self.course.forbidden)

    def digest(self, lesson: str) -> bytes:
        """Return what a lesson is graded by at this moment, but for what is drawn.

        Raises:
            OSError: it has no bank.
        """
        kind = b"public" if lesson in self.notes else b"hidden"
        return hashlib.sha256(_digest(lesson, self.folders.get(lesson, self.course.bank)) + kind).digest()

    def write_questions(self, folder: Path) -> None:
        """Write every lesson's questions, without answers, where a submission's own process can read them."""
        for name in self.folders:
            bank.save(bank.without_answers(self.lesson(name)), folder)
        shutil.copyfile(self.course.root / FILE, folder / FILE)


def folder(course: Course) -> Path:
    """Return the folder of the secret: outside the course, of this user alone."""
    chosen = os.environ.get(OWN_FOLDER)
    return Path(chosen) if chosen else platformdirs.user_data_path(course.name) / NAME


def _why_none(course: Course, lesson: str) -> str:
    if not (folder(course) / NAME).is_file():
        return "visible probes only: `autograder secret` makes hidden ones"
    if not (course.source / lesson / f"{lesson}.py").is_file():
        return "visible probes only: its source is not there, and hidden ones are drawn with it"
    return ""


def make(course: Course, lesson: str) -> tuple[tuple[str, str], ...]:
    """Make the secret where there is none yet, and try it on a lesson.

    Returns:
        The probes that have no twin, because none was fair to every right answer: task and probe.

    Raises:
        AuthoringError: the lesson's source does not yield hidden questions.
    """
    place = folder(course)
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not (place / NAME).exists():
        descriptor = os.open(place / NAME, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(32))
    return _drawn(course, lesson, new_word())[1]


def new_word() -> str:
    """Return a word for a grading run."""
    return secrets.token_hex(8)


class Draws:
    """The hidden questions of one grading run, which are drawn by its word."""

    def __init__(self, banks: Banks, word: str) -> None:
        self._banks = banks
        self._word = word

    def of(self, lesson: str, handed_in: bytes) -> Files:
        """Return what is drawn for a file that was handed in, for the same file the same again; or nothing.

        Raises:
            AuthoringError: the lesson's source does not yield hidden questions.
        """
        if lesson in self._banks.notes:
            return {}
        course = self._banks.course
        name = hashlib.sha256(lesson.encode() + b"/" + handed_in).hexdigest()
        kept = folder(course) / WORDS / name
        word = kept.read_text(encoding="utf-8") if kept.is_file() else ""
        if len(word) != len(self._word):  # there is none, or a run was interrupted while it wrote
            word = self._word
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(word, encoding="utf-8")
        return _drawn(course, lesson, word)[0]


def _drawn(course: Course, lesson: str, word: str) -> tuple[Files, tuple[tuple[str, str], ...]]:
    """Return a lesson's hidden questions with their answers, as a bank's files; and which probes have none.

    What a word draws is the same every time, as long as secret and public bank are.
    """
    secret = (folder(course) / NAME).read_text(encoding="utf-8").strip()
    return _draw(course, lesson, f"{secret}/{word}", _digest(lesson, course.bank))


@lru_cache(maxsize=32)
def _draw(
    course: Course, lesson: str, secret: str, public: bytes
) -> tuple[Files, tuple[tuple[str, str], ...]]:
    from autograder.authoring import load_lesson
    from autograder.build import draws, hidden
    from autograder.build.answers import make_task, run_solution
    from autograder.build.source import read_source

    described = load_lesson(course.source / lesson)
    notebook = read_source(course.source / lesson / f"{lesson}.py")
    seeds = [
        hidden.seed_from(secret, lesson, f"givens-{number}") % 2**31
        for number in range(1, max(described.redraws, 1) + 1)
    ]
    runs = run_solution(described, notebook, lesson, seeds, course.forbidden)
    chosen = draws.choose_draws(described, runs, secret)
    tasks = {task.id: make_task(task, runs) for task in hidden.hidden_tasks(described, secret, chosen)}
    left_out = tuple(twin for twin, draw in chosen.items() if draw is None)
    return bank.files(LessonBank(lesson, described.title, runs.givens, tasks)), left_out


def _together(public: LessonBank, drawn: LessonBank) -> LessonBank:
    """Return a public bank that asks what was drawn, too, in place of the givens that it redraws itself."""
    tasks = {
        name: _both(task, drawn.tasks[name]) if name in drawn.tasks else task
        for name, task in public.tasks.items()
    }
    return replace(public, tasks=tasks, givens={AS_SEEN: public.givens[AS_SEEN], **drawn.givens})


def _both(task: Task, drawn: Task) -> Task:
    visible = {name: probe for name, probe in task.probe.items() if task.kind != "tensor" or name == AS_SEEN}
    added = (probe for probe in drawn.probes if probe.id not in visible)
    return replace(task, probes=(*visible.values(), *added), checks=drawn.checks)


def _digest(lesson: str, place: Path) -> bytes:
    parts = [file_digest(path) for path in bank.paths(lesson, place)]
    return hashlib.sha256(b"".join(parts)).digest()
