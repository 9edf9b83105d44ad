"""Hidden questions, drawn from a secret of the instructor's and from a word of the grading run's own.

So nothing that one run asked is worth remembering for the next, whoever saw it. The word is kept with what
was handed in: the same file is asked the same again.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from autograder.records import bank
from autograder.records.course import Course

# Where the secret lies instead of the user's own data folder.
OWN_FOLDER = "AUTOGRADER_SECRET"
NAME = "secret"
# Beside it: for each file that was handed in, the word that its questions were drawn by.
WORDS = "words"


def folder(course: Course) -> Path:
    """Return the folder of the secret: outside the course, of this user alone."""
    chosen = os.environ.get(OWN_FOLDER)
    return Path(chosen) if chosen else platformdirs.user_data_path(course.name) / NAME


def why_none(course: Course, lesson: str) -> str:
    """Return why nothing hidden is asked in a lesson; "" where it is."""
    if not (folder(course) / NAME).is_file():
        return f"visible probes only: `autograder secret {lesson}` makes hidden ones"
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
    path = folder(course)
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not (path / NAME).exists():
        descriptor = os.open(path / NAME, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(32))
    return drawn(course, lesson, new_word())[1]


def new_word() -> str:
    """Return a word for a grading run."""
    return secrets.token_hex(8)


def word_for(course: Course, lesson: str, handed_in: bytes, word: str) -> str:
    """Return the word that a file which was handed in is asked by: at first this one, then the same again."""
    name = hashlib.sha256(lesson.encode() + b"/" + handed_in).hexdigest()
    path = folder(course) / WORDS / name
    known = path.read_text(encoding="utf-8") if path.is_file() else ""
    if len(known) == len(word):
        return known
    # There is none, or a run was interrupted while it wrote.
    path.parent.mkdir(exist_ok=True)
    path.write_text(word, encoding="utf-8")
    return word


def drawn(course: Course, lesson: str, word: str) -> tuple[Mapping[str, bytes], tuple[tuple[str, str], ...]]:
    """Return a lesson's hidden questions with their answers, as a bank's files; and which probes have none.

    What a word draws is the same every time, as long as secret and public bank are.
    """
    # Not above: it loads torch, which a class without a secret has no use for.
    from autograder.grading.hidden_tests.lesson_draws import draw

    secret = (folder(course) / NAME).read_text(encoding="utf-8").strip()
    return draw(course, lesson, f"{secret}/{word}", bank.digest(lesson, course.bank))
