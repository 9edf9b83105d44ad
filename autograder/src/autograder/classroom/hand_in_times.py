"""Find the time of a submission: from a list of times, from the platform, or from a mark for late ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from dateutil import tz

from autograder.classroom.collection import Collected, Request, StudentFiles, read_record
from autograder.classroom.platforms.protocol import HandedFile
from autograder.grading.class_folder import Class
from autograder.grading.late_policy import LAST, best_instead, is_guess
from autograder.grading.read_submission import beside, moment
from autograder.records.file_digests import write_whole
from autograder.words.phrases import listed


def tell_of_useless_times(request: Request, outcome: Collected) -> None:
    """Note the rows of the list of times that match nobody, or that the list contains no times."""
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


def handed_in_at(
    request: Request, work: StudentFiles, entry: HandedFile, before: HandedFile | None
) -> tuple[datetime | None, bool]:
    """Return the time of a submission if it is known, and whether a list of times states it.

    Args:
        request: the request, with the list of times.
        work: the student's notebooks for the lesson.
        entry: the file.
        before: the same notebook in an earlier collection. A time from a list stays, and so does any time
            that was not guessed.
    """
    for submitted in request.times or ():
        by_number = entry.user and submitted.lms_user_id == entry.user
        if submitted.time and (by_number or request.roster.find(submitted) == {work.student}):
            return submitted.time.astimezone(UTC), True
    by_platform = time_by_platform(request.course, entry)
    time_before = _recorded_time(work) if before else None
    if before and time_before and (before.listed or not by_platform):
        return time_before.replace(tzinfo=UTC), before.listed
    return by_platform or (_a_moment_late(request.course, work.lesson) if entry.late else None), False


def _recorded_time(work: StudentFiles) -> datetime | None:
    """Return the time beside a notebook that was collected earlier; none for a guess."""
    time = moment(beside(work.stamp))
    return None if is_guess(time) else time


def time_by_platform(course: Class, entry: HandedFile) -> datetime | None:
    """Return the time of a submission that its platform states; None if it states none."""
    time = entry.time
    if time and not time.tzinfo:
        time = time.replace(tzinfo=course.policy.zone or tz.tzlocal())
    return time and time.astimezone(UTC)


def tell_of_two_times(request: Request, outcome: Collected) -> None:
    """Note submissions whose time in the list differs from the platform's or from the recorded one."""
    in_class_zone = request.course.policy.local_time
    for placed in outcome.placed:
        if placed.time is None:
            continue
        late = _a_moment_late(request.course, placed.lesson)
        others = (
            ["the platform marks it as late"] if placed.entry.late and late and placed.time < late else []
        )
        on_platform = time_by_platform(request.course, placed.entry)
        if on_platform and abs(on_platform - placed.time) >= timedelta(minutes=1):
            others.append(f"the platform says {in_class_zone(on_platform)}")
        as_before = placed.state == "as before"
        work = StudentFiles(request.course, placed.lesson, placed.student)
        before = _recorded_time(work) if as_before else None
        if before and before.replace(tzinfo=UTC) != placed.time:
            others.append(f"it had {in_class_zone(before)}")
        if others:
            counting = f"{in_class_zone(placed.time)} counts; {listed(others)}"
            outcome.notes.append(f"{placed.student}, {placed.lesson}: two times: {counting}")


def tell_of_later_attempts(request: Request, outcome: Collected) -> None:
    """Note the students whose late notebook counts in place of an earlier one, by which they may lose."""
    policy = request.course.policy
    later: dict[str, list[str]] = {}
    for placed in outcome.placed:
        due = policy.due_for(placed.lesson, placed.student)
        is_late = bool(due and placed.time and placed.time > due.replace(tzinfo=UTC))
        is_last = policy.attempts.get(placed.lesson, LAST) == LAST
        if is_late and is_last and policy.penalty_per_day and placed.state == "replaces an earlier one":
            later.setdefault(placed.lesson, []).append(placed.student)
    outcome.notes += [
        f"{lesson}: a late attempt replaces an earlier one, and counts with its own lateness: {listed(who)}. "
        f"They may lose by it: {best_instead(lesson)}."
        for lesson, who in later.items()
    ]


def stamp_late(course: Class) -> None:
    """Write a time for submissions that a platform marked as late before the class had a due date."""
    for lesson, students in read_record(course).lessons.items():
        for student, entry in students.items():
            work, time = StudentFiles(course, lesson, student), _a_moment_late(course, lesson)
            if entry.late and time and work.submitted.is_file() and not work.stamp.exists():
                write_whole(work.stamp, stamped(time))


def stamped(time: datetime) -> bytes:
    """Return the content of the timestamp file from which nbgrader reads this hand-in time."""
    return f"{time:%Y-%m-%d %H:%M:%S.%f} UTC".encode()


def _a_moment_late(course: Class, lesson: str) -> datetime | None:
    time = course.policy.guessed(lesson)
    return time and time.replace(tzinfo=UTC)


def tell_of_late_ones(request: Request, outcome: Collected) -> None:
    """Note the students whom a platform marks as late without stating a time."""
    marked = [placed for placed in outcome.placed if placed.entry.late]
    late = [placed for placed in marked if placed.time == _a_moment_late(request.course, placed.lesson)]
    if not late:
        return
    several = len({placed.lesson for placed in late}) > 1
    who = listed([f"{placed.student} {placed.lesson}" if several else placed.student for placed in late])
    if all(placed.time for placed in late):
        how = "Each counts as late by a moment: by the smallest penalty, or in time with an extension"
    else:
        how = (
            "class.toml has no due date for the lesson yet; once it has one, each counts as late by a moment"
        )
    outcome.notes.append(
        f"The platform marks {len(late)} as late and does not say by how much: {who}. {how}. "
        "--times FILE.csv gives the real times."
    )


def tell_of_unread_times(outcome: Collected) -> None:
    """Note the students of whom a platform states a time in a form that is not known."""
    unread = [placed for placed in outcome.placed if placed.entry.unread_time and not placed.time]
    if unread:
        outcome.notes.append(
            f"The platform's times of {len(unread)} are in a form that is not known, such as "
            f"“{unread[0].entry.unread_time}”: {listed([placed.student for placed in unread])}. Each "
            "counts as handed in on time. --times FILE.csv gives the times."
        )
