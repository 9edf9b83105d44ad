"""The releases of a lesson that were handed out, each kept with the answers that it is graded by.

A release is another one where its tasks are others. What changes beside that, prose or a check that was
repaired, reaches every submission.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.grading.banks import Banks
from autograder.records import bank

FOLDER = "releases"
ANSWERS = "answers.json"
OLDER = "visible probes only: this release is an earlier one"


@dataclass(frozen=True)
class Release:
    """A release of a lesson: its notebook as text, what it is graded by, and the course's own answers."""

    lesson: str
    text: str
    banks: Banks
    solution: Mapping[str, str]

    @cached_property
    def tasks(self) -> frozenset[str]:
        """The ids of its graded and of its answer cells."""
        return tasks_of(nbformat.reads(self.text, as_version=4))

    @cached_property
    def id(self) -> str:
        return hashlib.sha256(json.dumps(sorted(self.tasks)).encode()).hexdigest()[:12]


def tasks_of(notebook: NotebookNode) -> frozenset[str]:
    """Return the ids of a notebook's graded and of its answer cells."""
    marks = (cell.metadata.get("nbgrader", {}) for cell in notebook.cells)
    return frozenset(mark["grade_id"] for mark in marks if mark.get("grade") or mark.get("solution"))


def ids_in(notebook: NotebookNode) -> set[str]:
    """Return the ids of a notebook's cells, their own and those by which nbgrader knows them."""
    found = {cell.get("id") for cell in notebook.cells}
    return found | {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells}


def keep(release: Release) -> None:
    """Keep a release as it is now, in the place of an earlier state of the same tasks."""
    course = release.banks.course
    place = course.root / FOLDER / release.lesson / release.id
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as temporary:
        fresh = Path(temporary) / release.id
        fresh.mkdir()
        (fresh / f"{release.lesson}.ipynb").write_text(release.text, encoding="utf-8", newline="\n")
        (fresh / ANSWERS).write_text(json.dumps(dict(release.solution)), encoding="utf-8")
        for path in bank.paths(release.lesson, course.bank):
            shutil.copyfile(path, fresh / path.name)
        shutil.rmtree(place, ignore_errors=True)
        fresh.rename(place)


def earlier(current: Release) -> list[Release]:
    """Return the kept releases of a lesson whose tasks are others than the current ones, the oldest first."""
    releases = []
    kept = (current.banks.course.root / FOLDER / current.lesson).glob("[!.]*")
    for place in sorted(kept, key=lambda path: path.stat().st_mtime):
        if place.name == current.id:
            continue
        folders = {**current.banks.folders, current.lesson: place}
        releases.append(
            Release(
                current.lesson,
                (place / f"{current.lesson}.ipynb").read_text(encoding="utf-8"),
                replace(current.banks, folders=folders, notes={current.lesson: OLDER}),
                json.loads((place / ANSWERS).read_text(encoding="utf-8")),
            )
        )
    return releases


def origin(submitted: NotebookNode, current: Release, older: Sequence[Release]) -> Release:
    """Return the release that a submission came from, by its tasks; the current one if that is open."""
    known = current.tasks.union(*(release.tasks for release in older)) & ids_in(submitted)
    # The fewest tasks that it lacks, and that it has beside the release's own; of equals, the first.
    return min((current, *reversed(older)), key=lambda release: len(known ^ release.tasks))
