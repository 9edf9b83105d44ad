"""The learner's progress, stored on their own machine in one small file for each task, prediction or exam.

With separate files, two notebooks that are open at once cannot overwrite each other's progress. Nothing here
is ever graded; learners may edit or delete the files as they like.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import platformdirs

from autograder.lesson.review_schedule import ReviewRecord
from autograder.records import serialization
from autograder.records.file_digests import write_whole
from autograder.words.language import _

# Set to a folder to keep progress there, or to "off" to keep none.
PROGRESS = "AUTOGRADER_PROGRESS"
# Before a prediction's id in its file's name; no task's id begins so, because of its dot.
PREDICTION = "prediction."
ROOM = "room."  # and this before a live room's
REVIEW = "review."  # and this before a review question's
EXAM = "exam."  # and this before a task's that an exam asked
CODE = ".py"  # ends the name of a file with a right answer's code
OWN = 0o600  # what a learner has done is for their eyes
Kept = TypeVar("Kept", "ProgressRecord", "Prediction", "Joined", ReviewRecord, "ExamRecord")
UNREADABLE = (OSError, ValueError, RecursionError)


@dataclass(frozen=True)
class ProgressRecord:
    """A learner's progress on one task: solved or not, best points, checks run, hints seen, mistakes made."""

    solved: bool = False
    points: int = 0
    checks: int = 0
    hints: int = 0
    mistakes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prediction:
    """A prediction, and whether it came true; None until its outcome was shown."""

    said: str = ""
    true: bool | None = None


@dataclass(frozen=True)
class Joined:
    """A learner's membership of a live room: a random number, and whether they agree to send progress."""

    learner: str = ""
    agreed: bool = False


@dataclass(frozen=True)
class ExamRecord:
    """A learner's last exam on a task: how long it took, and the points earned."""

    seconds: float = 0.0
    earned: int = 0
    points: int = 0


def folder(course: str) -> Path | None:
    """Return the folder of a course's progress; None if the learner has turned progress off."""
    path = os.environ.get(PROGRESS, "")
    if path == "off":
        return None
    return Path(path) if path else platformdirs.user_data_path(course) / "progress"


def read(course: str, task: str) -> ProgressRecord:
    """Return the record of a task; an empty one if there is none or it cannot be read."""
    return read_as(course, task, ProgressRecord)


def read_prediction(course: str, name: str) -> Prediction:
    """Return a prediction; an empty one if there is none or it cannot be read."""
    return read_as(course, f"{PREDICTION}{name}", Prediction)


def read_review(course: str, item: str) -> ReviewRecord:
    """Return the record of a review question; an empty one if there is none or it cannot be read."""
    return read_as(course, f"{REVIEW}{item}", ReviewRecord)


def write_review(course: str, item: str, record: ReviewRecord) -> str:
    """Store the record of a review question; return a message if it cannot be stored, else ""."""
    return write(course, f"{REVIEW}{item}", record)


def read_exam(course: str, task: str) -> ExamRecord:
    """Return the record of the last exam on a task; an empty one if there is none or it cannot be read."""
    return read_as(course, f"{EXAM}{task}", ExamRecord)


def write_exam(course: str, task: str, record: ExamRecord) -> str:
    """Store the record of the last exam on a task; return a message if it cannot be stored, else ""."""
    return write(course, f"{EXAM}{task}", record)


def read_code(course: str, task: str) -> str:
    """Return the code of a learner's right answer; "" if none is stored or it cannot be read."""
    path = folder(course)
    try:
        return (path / f"{task}{CODE}").read_text(encoding="utf-8") if path else ""
    except UNREADABLE:
        return ""


def write_code(course: str, task: str, code: str) -> None:
    """Store the code of a right answer; do nothing if that fails, since only a review question uses it."""
    path = folder(course)
    if path is not None and code:
        with contextlib.suppress(OSError):
            write_whole(path / f"{task}{CODE}", code.encode(), OWN)


def tasks(course: str, names: Collection[str]) -> list[str]:
    """Return those of some tasks for which a record is stored."""
    path = folder(course)
    try:
        stored = {name.removesuffix(".json") for name in os.listdir(path)} if path else set()
    except OSError:
        stored = set()
    return [name for name in names if name in stored]


def rooms(course: str) -> list[str]:
    """Return the live rooms for which a record is stored."""
    stored_in = folder(course)
    return [path.stem for path in stored_in.glob(f"{ROOM}*.json")] if stored_in else []


def read_as(course: str, name: str, kind: type[Kept]) -> Kept:
    """Return the record of a kind under a name; an empty one if there is none or it cannot be read."""
    path = folder(course)
    if path is None:
        return kind()
    try:
        return serialization.decode(kind, json.loads((path / f"{name}.json").read_text(encoding="utf-8")))
    except UNREADABLE:
        return kind()


def write_prediction(course: str, name: str, prediction: Prediction) -> str:
    """Store a prediction; return a message if it cannot be stored, else ""."""
    return write(course, f"{PREDICTION}{name}", prediction)


def write(
    course: str, task: str, record: ProgressRecord | Prediction | Joined | ReviewRecord | ExamRecord
) -> str:
    """Store a record under a task's name; return a message if it cannot be stored, else ""."""
    path = folder(course)
    if path is None:
        return ""
    try:
        write_whole(path / f"{task}.json", json.dumps(serialization.encode(record)[0]).encode(), OWN)
    except OSError as problem:
        reason = problem.strerror or problem
        return _("Your progress cannot be saved in {place}: {reason}.", place=path, reason=reason)
    return ""
