"""Pack the feedback pages of a lesson so that a learning platform gives each to its student."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path


from autograder.classroom.collection import UNKNOWN, read_record
from autograder.classroom.platforms.protocol import Platform
from autograder.grading import verdicts
from autograder.grading.class_folder import Class
from autograder.grading.verdicts import Change
from autograder.records.file_digests import beside


@dataclass
class Packed:
    """The pages that were packed, by student, and whose are not there, older than the grades, or unknown."""

    files: dict[str, str] = field(default_factory=dict)
    without: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def give_back(course: Class, lesson: str, platform: Platform, out: Path, anyway: bool = False) -> Packed:
    """Pack the pages of everybody who handed the lesson in, into a zip file or a folder.

    Where a page is older than its grades, nothing is packed, unless that is wanted `anyway`.

    Files are named as the platform named what it collected, so that it knows whose they are: for Moodle's
    `Upload multiple feedback files in a zip`, say, and Canvas' `Upload submissions`.
    """
    packed = Packed()
    known = read_record(course).lessons.get(lesson, {})
    pages: dict[str, Path] = {}  # by the name that each gets
    with verdicts.opened(course.database) as store:  # points by hand change no graded notebook
        changed = {change.student: _seconds(change.at) for change in store.read(Change, lesson)}
    for submission in course.submissions(lesson):
        student = submission.student
        page = course.place(course.directory.feedback_directory, student, lesson) / f"{lesson}.html"
        handed_in = known.get(student, UNKNOWN)
        if not page.is_file():
            packed.without.append(student)
            continue
        if platform.knows_pages and handed_in.lms != platform.name:
            packed.unknown.append(student)
            continue
        name = platform.page_name(student, handed_in, lesson)
        graded = submission.graded.stat().st_mtime if submission.graded.is_file() else 0.0
        if max(graded, changed.get(student, 0.0)) > page.stat().st_mtime:
            packed.stale.append(student)
        packed.files[student] = name
        pages[name] = page
    if packed.stale and not anyway:
        return packed
    if not platform.knows_pages:
        for name, page in pages.items():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_bytes(page.read_bytes())
    elif pages:
        with beside(out) as fresh, zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, page in pages.items():
                archive.write(page, name)
    return packed


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
