"""Pack the feedback pages of a lesson so that a learning platform gives each to its student."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from autograder.exchange.handed_in import UNKNOWN, read_record
from autograder.grading.course import Class

Form = Literal["moodle", "canvas", "folder"]


@dataclass
class Packed:
    """The pages that were packed, by student, and whose are not there, older than the grades, or unknown."""

    files: dict[str, str] = field(default_factory=dict)
    without: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def give_back(course: Class, lesson: str, form: Form, out: Path) -> Packed:
    """Pack the pages of everybody who handed the lesson in, into a zip file or a folder.

    "moodle" and "canvas" name the files as the platform named what it collected, so that it knows whose they
    are: for Moodle's `Upload multiple feedback files in a zip`, and Canvas' `Upload submissions`. "folder"
    makes one folder for each student.
    """
    packed = Packed()
    known = read_record(course).lessons.get(lesson, {})
    pages: dict[str, Path] = {}  # by the name that each gets
    for submission in course.submissions(lesson):
        student = submission.student
        page = course.place(course.directory.feedback_directory, student, lesson) / f"{lesson}.html"
        told = known.get(student, UNKNOWN)
        if not page.is_file():
            packed.without.append(student)
            continue
        if form == "folder":
            name = f"{student}/{lesson}.html"
        elif told.lms != form:
            packed.unknown.append(student)
            continue
        else:
            name = told.folder + ("/" if form == "moodle" else "") + f"{lesson}.html"
        if submission.graded.is_file() and submission.graded.stat().st_mtime > page.stat().st_mtime:
            packed.stale.append(student)
        packed.files[student] = name
        pages[name] = page
    if form == "folder":
        for name, page in pages.items():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_bytes(page.read_bytes())
    elif pages:
        out.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, page in pages.items():
                archive.write(page, name)
    return packed
