"""The bank that grades count by: with hidden probes where the instructor has made a secret."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from autograder import bank
from autograder.authoring import load_faults, load_lesson
from autograder.bank import LessonBank
from autograder.build import draws, hidden
from autograder.build.answers import make_bank, run_solution
from autograder.build.pipeline import Course
from autograder.build.source import read_source
from autograder.grading.digests import bank_digest, file_digest

# Where the secret lies instead of the user's own data folder.
PLACE = "ATTENTION_SECRET"
NAME = "secret"
MADE_FROM = "made-from.txt"
# The modules whose change makes hidden probes anew.
DRAWN_BY = (Path(draws.__file__), Path(hidden.__file__))


@dataclass(frozen=True)
class Answers:
    """A lesson's bank for grading; `hidden` is whether it holds hidden probes, `note` why not."""

    lesson: LessonBank
    folder: Path
    hidden: bool
    note: str = ""


@dataclass(frozen=True)
class Kept:
    """Where a lesson's bank with hidden probes lies.

    `left_out` are the probes that have no twin, because none was fair to every right answer: task and probe.
    """

    folder: Path
    left_out: tuple[tuple[str, str], ...]


def folder() -> Path:
    """The folder of the secret and of the banks made from it: outside the course, of this user alone."""
    chosen = os.environ.get(PLACE)
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir("attention-course")) / NAME


def answers(lesson: str) -> Answers:
    """The bank to grade a lesson by."""
    place = folder() / "bank"
    public = bank.load(lesson)
    try:
        made_from = (place / lesson / MADE_FROM).read_text(encoding="utf-8")
    except OSError:
        note = "visible probes only: `autograder secret` makes hidden ones"
        return Answers(public, bank.BANK_FOLDER, hidden=False, note=note)
    if made_from != public_fingerprint(lesson):
        note = "visible probes only: the hidden ones are out of date; `autograder secret` makes new ones"
        return Answers(public, bank.BANK_FOLDER, hidden=False, note=note)
    return Answers(bank.load(lesson, place / lesson), place / lesson, hidden=True)


def make(course: Course, lesson: str) -> Kept:
    """Make a lesson's bank with hidden probes, and the secret itself where there is none yet.

    Raises:
        AuthoringError: the lesson's source does not yield them.
    """
    place = folder()
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    secret = _secret(place)
    source = course.source / lesson
    described = load_lesson(source)
    notebook = read_source(source / f"{lesson}.py")
    seeds = [
        hidden.seed_from(secret, lesson, f"givens-{number}") % 2**31
        for number in range(1, described.redraws + 1)
    ]
    runs = run_solution(described, notebook, lesson, seeds)
    chosen = draws.choose_draws(described, runs, secret)
    made = make_bank(
        hidden.with_hidden_probes(described, secret, chosen), runs, lesson, load_faults(course.source)
    )
    kept = place / "bank" / lesson
    kept.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as temporary:
        fresh = Path(temporary) / lesson
        bank.save(made, fresh)
        (fresh / MADE_FROM).write_text(public_fingerprint(lesson), encoding="utf-8")
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


def public_fingerprint(lesson: str) -> str:
    """What hidden probes are made from beside the secret: a lesson's public bank, and how they are drawn."""
    digest = hashlib.sha256(bank_digest(bank.BANK_FOLDER, lesson).encode())
    for module in DRAWN_BY:
        digest.update(file_digest(module))
    return digest.hexdigest()
