"""Make the feedback pages of a lesson, and pack them so that a platform returns each to its student."""

from __future__ import annotations

import json
import re
import time
import zipfile
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbgrader.converters import GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory

from autograder.classroom.collection import UNKNOWN, read_record
from autograder.classroom.gradebook_roster import class_list
from autograder.classroom.platforms.protocol import HandedFile, Platform
from autograder.grading.class_folder import Class, Submission
from autograder.grading.feedback_page import states
from autograder.grading.graded_results import connected
from autograder.records.file_digests import beside, write_whole

# In so much of a page stands from what it was made.
HEAD_BYTES = 500
# As the exporter writes it, which puts the attributes of the template's tag into an order of its own.
STATE = re.compile(rb'<meta content="(\w+)" name="state"/>')
# What was returned: each page's state, by lesson, platform and student.
RETURNED = "returned.json"


@dataclass
class Packed:
    """The packed pages by student, and the students whose page is missing, out of date or unassignable."""

    files: dict[str, str] = field(default_factory=dict)
    without: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    as_before: list[str] = field(default_factory=list)  # whose page was returned before as it is now


def give_back(
    course: Class,
    lesson: str,
    platform: Platform,
    out: Path,
    anyway: bool = False,
    changed_only: bool = False,
) -> Packed:
    """Pack the feedback pages of all students who submitted a lesson, into a zip file or a folder.

    Files are named like the platform's own, so that it recognises their owners: in Moodle's `Upload multiple
    feedback files in a zip`, for example, or Canvas's `Upload submissions`.

    Args:
        course: the class.
        lesson: the lesson's name.
        platform: the platform.
        out: the path of the zip file or the folder.
        anyway: whether to pack pages that are older than their grades. If not, one such page means that
            nothing is packed.
        changed_only: whether to leave out pages that were returned before as they are now.
    """
    packed = Packed()
    returned = _read_returned(course)
    before = returned.get(lesson, {}).get(platform.name, {})
    now: dict[str, str] = {}
    with connected(course.database) as connection:
        state = states(connection, lesson)
    collected = read_record(course).lessons.get(lesson, {})
    people = class_list(course).people
    pages: dict[str, Path] = {}  # by the name that each gets
    for submission in course.submissions(lesson):
        student = submission.student
        if student in course.policy.left:
            continue
        page = course.place(course.directory.feedback_directory, student, lesson) / f"{lesson}.html"
        handed_in = collected.get(student, UNKNOWN)
        if not page.is_file():
            packed.without.append(student)
            continue
        if platform.knows_pages and handed_in.of_group:
            numbered = platform.numbers_listed and student in people
            handed_in = _as_their_own(handed_in, people[student].lms_user_id if numbered else "")
        if platform.knows_pages and handed_in.lms != platform.name:
            packed.unknown.append(student)
            continue
        name = platform.page_name(student, handed_in, lesson)
        if _is_stale(page, submission, state.get(student, "")):
            packed.stale.append(student)
        if state_then := _state_of(page):
            now[student] = state_then
        if student in now and now[student] == before.get(student):
            packed.as_before.append(student)
            if changed_only:
                continue
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
    if pages:
        returned.setdefault(lesson, {})[platform.name] = {**before, **now}
        write_whole(_returned_file(course), json.dumps(returned, indent=1).encode())
    return packed


def _returned_file(course: Class) -> Path:
    return Path(course.directory.root) / "returned" / RETURNED


def _read_returned(course: Class) -> dict[str, dict[str, dict[str, str]]]:
    """Return what was returned before; nothing if the file is not there or damaged."""
    try:
        plain = json.loads(_returned_file(course).read_text(encoding="utf-8"))
        return {
            str(lesson): {str(platform): dict(pages) for platform, pages in platforms.items()}
            for lesson, platforms in plain.items()
        }
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def _as_their_own(group_file: HandedFile, number: str) -> HandedFile:
    """Return a group's file as if this member had handed it in; one of no platform without their number.

    A platform's name for it has the number of whoever handed it in, and each member's page is another one.
    """
    before, uploader, after = group_file.folder.rpartition(f"_{group_file.user}_")
    if not (number and uploader):
        return UNKNOWN
    return replace(group_file, user=number, folder=f"{before}_{number}_{after}")


def make_pages(course: Class, lesson: str, anew: bool = False) -> tuple[list[str], list[str]]:
    """Make the feedback pages of a lesson that are missing or older than the grades.

    Args:
        course: the class.
        lesson: the lesson's name.
        anew: whether to make all pages again.

    Returns:
        The students whose pages were made, and those whose pages could not be made.
    """
    with connected(course.database) as connection:
        state = states(connection, lesson)
    wanted: dict[str, Path] = {}
    current: list[str] = []
    for submission in course.submissions(lesson):
        page = (
            course.place(course.directory.feedback_directory, submission.student, lesson) / f"{lesson}.html"
        )
        if not submission.graded.is_file():
            continue
        if anew or not page.is_file() or _is_old(page, submission, state.get(submission.student, "")):
            wanted[submission.student] = page
        else:
            current.append(submission.student)
    if wanted:
        config = deepcopy(course.config)
        config.CourseDirectory.assignment_id = lesson
        config.CourseDirectory.student_id_exclude = ",".join(current)
        begun = time.time()
        step = GenerateFeedback(coursedir=CourseDirectory(config=config), config=config)
        step.force = True
        with suppress(NbGraderException):  # which of them failed, their pages tell
            step.start()
        written = [
            who for who, page in wanted.items() if page.is_file() and page.stat().st_mtime >= begun - 1
        ]
        return written, sorted(wanted.keys() - set(written))
    return [], []


def _is_old(page: Path, submission: Submission, state: str) -> bool:
    """Tell whether a page was made before its notebook was graded, or says something that is not so now."""
    return _is_before_grading(page, submission) or _is_stale(page, submission, state)


def _is_stale(page: Path, submission: Submission, state: str) -> bool:
    """Tell whether a page says something of scores, findings, comments or times that is not so now.

    Grading again to the same result makes none stale. Where the gradebook says nothing, the files' times do.
    """
    if not state:
        return _is_before_grading(page, submission)
    return state != _state_of(page)


def _state_of(page: Path) -> str:
    """Return the state that a page was made from; "" if it does not say so."""
    with page.open("rb") as file:
        match = STATE.search(file.read(HEAD_BYTES))
    return match[1].decode() if match else ""


def _is_before_grading(page: Path, submission: Submission) -> bool:
    graded = submission.graded
    return graded.is_file() and graded.stat().st_mtime > page.stat().st_mtime
