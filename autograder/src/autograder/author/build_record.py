"""Find the stale stages of a build by comparing digests with a record of the last builds.

The record is `.built.json`: digests of the files that each build read and wrote, committed with the written
files. So a fresh clone knows without a build which lessons are up to date, and a build skips those.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder.author.build_inputs import Inputs, files_digest
from autograder.records import serialization
from autograder.records.course import FILE, Course
from autograder.records.file_digests import write_whole

RECORD = ".built.json"
# What a lesson's build writes, each in a folder of its own; beside these, each language.
BANK, NOTEBOOKS, SOLUTIONS = "bank", "notebooks", "solutions"
# The stage that tries the untouched release, and all stages that make the banks of tasks, together.
RELEASE, BANKS = "release", "bank"


@dataclass
class Stages:
    """The stages of one lesson's build, with digests of their inputs.

    Attributes:
        last: the digest of each stage's inputs in the last build, for stages whose results still exist.
        anew: whether to run every stage, even if its inputs have not changed.
        now: the digest of each stage's inputs in this build.
        done: the stages that this build has run, in order.
    """

    last: Mapping[str, str] = field(default_factory=dict)
    anew: bool = False
    now: dict[str, str] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)

    @property
    def before(self) -> Mapping[str, str]:
        """The digest of each stage's inputs in the last build, for stages that may be skipped."""
        return {} if self.anew else self.last

    def reads_another(self, stage: str) -> bool:
        """Tell whether a stage's inputs have changed since the last build.

        If they have, no difference in its results is put down to rounding.
        """
        return stage in self.last and self.last[stage] != self.now[stage]

    def is_current(self, stage: str, key: str) -> bool:
        """Tell whether a stage can be skipped, and note its digest; a stage that cannot is noted as done.

        Args:
            stage: the stage's name.
            key: the digest of its inputs now.
        """
        self.now[stage] = key
        if self.before.get(stage) == key:
            return True
        self.done.append(stage)
        return False

    def __str__(self) -> str:
        banks = [stage.partition("/")[2] for stage in self.done if stage.startswith("bank/")]
        tasks = sum(stage.startswith("bank/") for stage in self.now)
        tried = "all" if banks and len(banks) == tasks else ", ".join(banks) or "none"
        run = [stage.partition("/")[2] or "as written" for stage in self.done if stage.startswith("solution")]
        return f"tasks tried: {tried}; solutions run: {', '.join(run) or 'none'}"


def of_bank(task: str) -> str:
    """Return the name of the stage that makes a task's bank."""
    return f"bank/{task}"


def of_solution(language: str = "") -> str:
    """Return the name of the stage that executes a solution in a language; "" for the course's first."""
    return f"solution/{language}" if language else "solution"


@dataclass(frozen=True)
class LessonRecord:
    """The record of a lesson's last build."""

    read: str = ""  # the digest of all its inputs
    uses: Mapping[str, str] = field(default_factory=dict)  # the versions of its packages
    stages: Mapping[str, str] = field(default_factory=dict)  # the digest of each stage's inputs
    written: Mapping[str, str] = field(default_factory=dict)  # the digests of its outputs


class BuildRecord:
    """The records of the last builds of some lessons, read when this object is made.

    Attributes:
        unchanged: the lessons whose inputs and outputs are as a build, on any machine, read and wrote them.
        current: the unchanged lessons that were built with the package versions that are installed here.
    """

    def __init__(self, course: Course, lessons: Sequence[str]) -> None:
        self._course = course
        self._inputs = Inputs(course)
        self._read = {lesson: self._inputs.read(lesson) for lesson in lessons}
        self._records = _records(course)
        self._written = {lesson: _written(course, lesson) for lesson in lessons}
        self.unchanged = tuple(lesson for lesson in lessons if self._is_unchanged(lesson))

    @cached_property
    def current(self) -> tuple[str, ...]:
        return tuple(lesson for lesson in self.unchanged if self._has_versions(lesson))

    def stages(self, lesson: str) -> dict[str, str]:
        """Return the digest of each stage's inputs in the last build, if the stage's results still exist."""
        record = self._records.get(lesson, LessonRecord())
        same = {path for path, digest in self._written[lesson].items() if record.written.get(path) == digest}
        return {stage: key for stage, key in record.stages.items() if _places(stage) <= same}

    def keep(self, lesson: str, stages: Mapping[str, str]) -> None:
        """Record that a lesson was built from the inputs that existed when this object was made.

        If the record cannot be written, the lesson is built again next time.

        Args:
            lesson: the lesson's name.
            stages: the digest of each stage's inputs.
        """
        record = LessonRecord(
            self._read[lesson], self._inputs.uses(lesson), stages, _written(self._course, lesson)
        )
        # Another build may have kept its own in the meantime.
        records = {**_records(self._course), lesson: record}
        in_order = {name: records[name] for name in self._course.lessons if name in records}
        plain, _ = serialization.encode(in_order)
        with suppress(OSError):
            write_whole(self._course.root / RECORD, (json.dumps(plain, indent=1) + "\n").encode())

    def _is_unchanged(self, lesson: str) -> bool:
        record = self._records.get(lesson)
        return (
            record is not None
            and record.read == self._read[lesson]
            and record.written == self._written[lesson]
        )

    def _has_versions(self, lesson: str) -> bool:
        """Tell whether what a lesson was built with is installed here, as far as it is installed at all."""
        installed = self._inputs.uses(lesson)
        used = self._records[lesson].uses
        return all(version in ("", used.get(name)) for name, version in installed.items())


def _records(course: Course) -> dict[str, LessonRecord]:
    """Return the records of a course's builds; none where they cannot be read."""
    with suppress(OSError, ValueError, AttributeError):
        kind: Any = Mapping[str, LessonRecord]
        return dict(serialization.decode(kind, json.loads((course.root / RECORD).read_bytes())))
    return {}


def _places(stage: str) -> set[str]:
    """Return what a stage wrote."""
    kind, _, language = stage.partition("/")
    return {{"bank": BANK, "release": NOTEBOOKS}.get(kind, language or SOLUTIONS)}


def _written(course: Course, lesson: str) -> dict[str, str]:
    """Return the digests of what the build of a lesson writes."""
    root = course.root
    places = {
        BANK: [course.bank / f"{lesson}.{ending}" for ending in ("json", "safetensors")],
        **{name: [root / name / lesson] for name in (NOTEBOOKS, SOLUTIONS)},
    }
    for language in course.languages[1:]:
        places[language] = [root / name / language / lesson for name in (NOTEBOOKS, SOLUTIONS)]
        places[language] += [course.bank / language / f"{lesson}.mo"]
    return {stage: files_digest(root, paths) for stage, paths in places.items()}


def without_source(course: Course) -> list[str]:
    """Return a line for each generated file of a lesson that `course.toml` does not name."""
    lessons = set(course.lessons)
    stale = []
    for folder in ("notebooks", "solutions"):
        for path in sorted((course.root / folder).glob("*/")):
            if path.name not in lessons | set(course.languages) and not path.name.startswith("."):
                stale.append(f"{folder}/{path.name}: has no source")
    for path in sorted(course.bank.glob("*.json")):
        if path.stem not in lessons:
            stale.append(f"{shown_path(course.bank / path.stem, course)}: has no source")
    for path in sorted(course.source.glob("*/tasks.py")):
        if path.parent.name not in lessons:
            stale.append(f"{shown_path(path.parent, course)}: {FILE} does not name it")
    return stale


def shown_path(path: Path, course: Course) -> str:
    """Return a file's path relative to the course, for messages."""
    return os.path.relpath(path, course.root).replace(os.sep, "/")
