"""What a learner has done so far, kept on their own machine: one small file for each task.

A file each means that two notebooks open at once cannot lose each other's progress. Nothing here is ever
graded; a learner may edit or delete it as they like.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

# Set to a folder to keep progress there, or to "off" to keep none.
PLACE = "AUTOGRADER_PROGRESS"


@dataclass(frozen=True)
class Record:
    """One task's progress: whether it was ever solved, the best points, how often checked, hints seen."""

    solved: bool = False
    points: int = 0
    checks: int = 0
    hints: int = 0


def folder(course: str) -> Path | None:
    """Where progress in a course is kept, or None where the learner turned it off."""
    place = os.environ.get(PLACE, "")
    if place == "off":
        return None
    return Path(place) if place else platformdirs.user_data_path(course) / "progress"


def read(course: str, task: str) -> Record:
    """The task's record; an empty one where there is none or it cannot be read."""
    place = folder(course)
    if place is None:
        return Record()
    try:
        stored = json.loads((place / f"{task}.json").read_text(encoding="utf-8"))
        return Record(
            solved=bool(stored["solved"]),
            points=max(0, int(stored["points"])),
            checks=max(0, int(stored["checks"])),
            hints=max(0, int(stored["hints"])),
        )
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return Record()


def write(course: str, task: str, record: Record) -> str:
    """Store the task's record; returns why it could not be stored, or nothing."""
    place = folder(course)
    if place is None:
        return ""
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=place, prefix=".writing-", suffix=".json", delete=False
        ) as file:
            json.dump(asdict(record), file)
        try:
            os.replace(file.name, place / f"{task}.json")
        except OSError:
            os.unlink(file.name)
            raise
    except OSError as problem:
        return f"Your progress cannot be saved in {place}: {problem.strerror or problem}."
    return ""
