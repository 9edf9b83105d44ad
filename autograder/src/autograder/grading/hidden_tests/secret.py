"""The secret of hidden questions: they are drawn from the instructor's secret and a word of the grading run.

So nobody gains by remembering the questions of one run for the next. The word is stored for each submitted
file, so that the same file always gets the same questions.
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
    """Return the folder of the secret, which is outside the course, and readable only by its owner."""
    chosen = os.environ.get(OWN_FOLDER)
    return Path(chosen) if chosen else platformdirs.user_data_path(course.name) / NAME


def why_none(course: Course, lesson: str) -> str:
    """Return why a lesson has no hidden questions; "" if it has them."""
    if not (folder(course) / NAME).is_file():
        return f"visible probes only: `autograder secret {lesson}` makes hidden ones"
    if not (course.source / lesson / f"{lesson}.py").is_file():
        return "visible probes only: its source is not there, and hidden ones are drawn with it"
    return ""


def make(course: Course, lesson: str) -> tuple[tuple[str, str], ...]:
    """Create the secret if there is none yet, and try a draw for a lesson.

    Returns:
        The probes without a hidden one, because no draw was fair to every right answer: task and probe.

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
    """Return a new word for a grading run."""
    return secrets.token_hex(8)


def word_for(course: Course, lesson: str, handed_in: bytes, word: str) -> str:
    """Return the word stored for a submitted file; if there is none, store and return the given one."""
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
    """Return a lesson's hidden questions, which are the same for the same word, secret and public bank.

    Returns:
        The questions with their answers, as a bank's files, and the probes without a hidden one: task and
            probe.
    """
    # Not above: it loads torch, which a class without a secret has no use for.
    from autograder.grading.hidden_tests.lesson_draws import draw

    secret = (folder(course) / NAME).read_text(encoding="utf-8").strip()
    return draw(course, lesson, f"{secret}/{word}", bank.digest(lesson, course.bank))
