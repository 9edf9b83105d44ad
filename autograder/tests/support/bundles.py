"""A bundle for students, made and taken apart."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from autograder.classroom.student_bundle import bundle
from autograder.records.course import Course


def wheels_in(files: Iterable[str]) -> tuple[str, str]:
    """The wheels among a bundle's files: the tool's and the course's."""
    wheels = [name for name in files if name.endswith(".whl")]
    tool, course = sorted(wheels, key=lambda name: not name.startswith("lesson_autograder"))
    return tool, course


def unpacked(course: Course, lesson: str, folders: pytest.TempPathFactory) -> Path:
    """A folder with the bundle of a lesson, of which one hint is shown."""
    out = folders.mktemp("bundle") / "all.zip"
    bundle(course, [lesson], out, hints=1)
    root = folders.mktemp("student")
    with zipfile.ZipFile(out) as archive:
        archive.extractall(root)
    (folder,) = root.iterdir()
    return folder


def opened_wheels(folder: Path) -> list[zipfile.ZipFile]:
    """The tool's wheel and the course's."""
    return [zipfile.ZipFile(folder / name) for name in wheels_in(path.name for path in folder.glob("*.whl"))]
