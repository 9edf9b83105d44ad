"""When something was handed in, by the list of times, the platform, or its mark for what is late."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from dateutil import tz

from autograder.classroom.collection import Collected, Request, read_record, submitted_path
from autograder.classroom.platforms.protocol import HandedFile
from autograder.grading.class_folder import STAMP, Class
from autograder.grading.late_policy import A_MOMENT
from autograder.grading.read_submission import beside, moment
from autograder.records.file_digests import write_whole
from autograder.words.phrases import listed


def tell_of_useless_times(request: Request, outcome: Collected) -> None:
    """Note the rows of the list of times that count for nobody, and that there is no time in it at all."""
    times = request.times or ()
    people = [(time.who, request.roster.find(time)) for time in times if time.lms_user_id not in request.who]
    strangers = [who for who, students in people if not students]
    if strangers:
        outcome.useless.append(
            f"The list of times names people whom the gradebook does not: {listed(strangers)}"
        )
    outcome.useless += [
        f"The list of times names {who}, who could be {listed(sorted(students), 'or')}"
        for who, students in people
        if len(students) > 1
    ]
    if request.times is not None and not any(time.time for time in times):
        outcome.useless.append(
            "The list of times has no time that can be read: make a CSV file with the columns email (or id) "
            "and time, and times such as 2026-03-01 22:24."
        )


def handed_in_at(request: Request, lesson: str, student: str, entry: HandedFile) -> datetime | None:
    """Return the time at which it was handed in, if anything says so."""
    for submitted in request.times or ():
        by_number = entry.user and submitted.lms_user_id == entry.user
        if submitted.time and (by_number or request.roster.find(submitted) == {student}):
            return submitted.time.astimezone(UTC)
    if entry.time:
        return time_by_platform(request.course, entry)
    return _a_moment_late(request.course, lesson, student) if entry.late else None


def time_by_platform(course: Class, entry: HandedFile) -> datetime | None:
    """Return when something was handed in, as its platform says."""
    time = entry.time
    if time and not time.tzinfo:
        time = time.replace(tzinfo=course.policy.zone or tz.tzlocal())
    return time and time.astimezone(UTC)


def tell_of_two_times(request: Request, outcome: Collected) -> None:
    """Note where the list of times says something else than the platform's mark, or than was known."""
    for placed in outcome.placed:
        if placed.time is None:
            continue
        late = _a_moment_late(request.course, placed.lesson, placed.student)
        others = (
            ["the platform marks it as late"] if placed.entry.late and late and placed.time < late else []
        )
        on_platform = time_by_platform(request.course, placed.entry)
        if on_platform and abs(on_platform - placed.time) >= timedelta(minutes=1):
            others.append(f"the platform says {_time_text(on_platform)}")
        stamp = submitted_path(request.course, placed.lesson, placed.student).parent / STAMP
        before = moment(beside(stamp)) if placed.state == "as before" else None
        if before and before.replace(tzinfo=UTC) != placed.time:
            others.append(f"it had {_time_text(before)}")
        if others:
            which = f"{_time_text(placed.time)} counts; {listed(others)}"
            outcome.notes.append(f"{placed.student}, {placed.lesson}: two times: {which}")


def _time_text(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"


def stamp_late(course: Class) -> None:
    """Write a time for what a platform marked as late, where the class said only later when it was due."""
    for lesson, students in read_record(course).lessons.items():
        for student, entry in students.items():
            path = submitted_path(course, lesson, student)
            stamp, time = path.parent / STAMP, _a_moment_late(course, lesson, student)
            if entry.late and time and path.is_file() and not stamp.exists():
                write_whole(stamp, stamped(time))


def stamped(time: datetime) -> bytes:
    """Return a time as nbgrader reads it from a file."""
    return f"{time:%Y-%m-%d %H:%M:%S.%f} UTC".encode()


def _a_moment_late(course: Class, lesson: str, student: str) -> datetime | None:
    due = course.policy.due_for(lesson, student)
    return due and (due + A_MOMENT).replace(tzinfo=UTC)


def tell_of_late_ones(request: Request, outcome: Collected) -> None:
    """Note whom a platform marks as late without saying by how much."""
    marked = [placed for placed in outcome.placed if placed.entry.late]
    late = [
        placed
        for placed in marked
        if placed.time == _a_moment_late(request.course, placed.lesson, placed.student)
    ]
    if not late:
        return
    who = listed([placed.student for placed in late])
    if all(placed.time for placed in late):
        how = "Each counts as late by a moment, so by the smallest penalty"
    else:
        how = (
            "class.toml has no due date for the lesson yet; once it has one, each counts as late by a moment"
        )
    outcome.notes.append(
        f"The platform marks {len(late)} as late and does not say by how much: {who}. {how}. "
        "--times FILE.csv gives the real times."
    )
