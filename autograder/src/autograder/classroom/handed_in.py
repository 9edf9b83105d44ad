"""Put what a learning platform collected where nbgrader looks for it, and lose nothing on the way.

Everything is decided before anything is written. Archives are kept as they came, and so is every version of a
notebook that another one takes the place of.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
from dateutil import tz

from autograder.classroom.archives import BadArchive, entries, handed_in_by_name
from autograder.classroom.people import Person, Roster, normalize_name
from autograder.classroom.platforms.protocol import HandedFile, Platform
from autograder.grading.class_folder import STAMP, Class
from autograder.grading.kept import READING, LimitReached, within
from autograder.grading.releases import known_ids
from autograder.grading.submission import beside, moment
from autograder.records import codec
from autograder.records.cells import tasks_of
from autograder.records.files import file_digest, folder_digest, write_whole
from autograder.words.phrases import listed

# Beside submitted/: the archives as they came, versions that were replaced, and what was found out.
COLLECTED = "collected"
RECORD = "record.json"
READABLE = 0o644  # whoever grades may be another user than who collected
# What a record is called that cannot be read, when a new one takes its place.
DAMAGED = ".damaged"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Request:
    """What to collect."""

    course: Class
    lessons: tuple[str, ...]
    roster: Roster
    platforms: Mapping[str, Platform]  # that they may come from, by name
    lesson: str = ""  # that the archives are of; found out where empty
    who: Mapping[str, str] = field(default_factory=dict)  # ids, by a number, folder or file of the platform's
    # Who handed in when, and which of the platform's numbers is whose; None where no list was given.
    times: tuple[Person, ...] | None = None
    dry: bool = False  # write nothing


@dataclass(frozen=True)
class Placed:
    """A notebook and where it goes. `before` are the same student's that it takes the place of."""

    lesson: str
    student: str
    entry: HandedFile
    before: tuple[HandedFile, ...] = ()
    time: datetime | None = None
    state: str = "new"


@dataclass(frozen=True)
class Record:
    """What archives said of everybody so far, by lesson and student, and whom the instructor named."""

    lessons: Mapping[str, Mapping[str, HandedFile]] = field(default_factory=dict)
    who: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # files that are no notebooks, by student
    # The tasks that any version of theirs had: which release they were given.
    had: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


UNKNOWN = HandedFile("", "")
# States in which the notebook that is there already counts.
STAYS = ("a later one is there", "the earlier one stays")


@dataclass
class Collected:
    """What was found: notebooks in their places, and what belongs nowhere, each with the reason."""

    placed: list[Placed] = field(default_factory=list)
    unplaced: list[tuple[HandedFile, str]] = field(default_factory=list)
    # No notebooks: nothing that is graded.
    others: list[HandedFile] = field(default_factory=list)
    missing: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    useless: list[str] = field(default_factory=list)  # what of the list of times counts for nobody


def take_in(request: Request, archives: Iterable[Path]) -> Collected:
    """Find out whose everything is, then put it into `submitted/`.

    Raises:
        BadArchive: an archive cannot be opened, or is no archive; nothing was written.
    """
    archives = [path.resolve() for path in archives]
    for path in archives:
        if folder_of(request.course).is_relative_to(path):
            raise BadArchive(f"{path} holds the course itself: name the folder of what was handed in.")
    record = read_record(request.course)
    request = replace(request, who={**record.who, **request.who})
    outcome = Collected()
    by_student: dict[tuple[str, str], list[HandedFile]] = {}
    had: dict[tuple[str, str], frozenset[str]] = {}
    for path in archives:
        for lesson, entry, tasks in _with_lessons(
            request, entries(path, request.platforms.values()), outcome
        ):
            students = _whose(request, lesson, entry)
            if len(students) == 1:
                (student,) = students
                by_student.setdefault((lesson, student), []).append(entry)
                had[lesson, student] = had.get((lesson, student), frozenset()) | tasks
            else:
                outcome.unplaced.append((entry, _unclear(request, entry, students)))
    for (lesson, student), several in sorted(by_student.items()):
        numbers = {file.user for file in several if file.user}
        known = record.lessons.get(lesson, {}).get(student, UNKNOWN)
        if known.user and several[0].lms == known.lms:
            numbers.add(known.user)
        if len(numbers) > 1 and not numbers & request.who.keys():
            reason = f"two people of the platform's ({listed(sorted(numbers))}) would both be {student}"
            outcome.unplaced += [(entry, reason) for entry in several]
            continue
        outcome.placed.append(_chosen(request, lesson, student, several, known))
    for lesson in sorted({notebook.lesson for notebook in outcome.placed}):
        there = {notebook.student for notebook in outcome.placed if notebook.lesson == lesson}
        outcome.missing[lesson] = [
            student
            for student in request.roster.people
            if student not in there and not _place(request.course, lesson, student).is_file()
        ]
    _tell_of_late_ones(request, outcome)
    _tell_of_odd_ones(request, outcome)
    _tell_of_useless_times(request, outcome)
    _tell_of_two_times(request, outcome)
    for one in outcome.placed:
        if other := _contradicts(request, one):
            outcome.notes.append(f"{one.entry.path}: handed in by {one.student}, and its name says {other}")
    if not request.dry:
        _keep(request, archives)
        for placed in outcome.placed:
            _put(request.course, placed)
        _remember(request, outcome, record, had)
    return outcome


def _with_lessons(
    request: Request, files: Iterable[HandedFile], outcome: Collected
) -> Iterator[tuple[str, HandedFile, frozenset[str]]]:
    """Yield the notebooks of an archive, their lessons and tasks; the rest goes into the outcome."""
    tasks = {
        lesson: tasks_of(nbformat.read(request.course.release(lesson), as_version=4))
        for lesson in request.lessons
    }
    notebooks: list[tuple[HandedFile, str, frozenset[str]]] = []
    for entry in files:
        name = entry.file.lower() or entry.path.lower()
        looks = ".ipynb" in name or (entry.refused and name.endswith(".zip"))
        try:
            ids = frozenset().union(*tasks.values())
            cells = frozenset() if entry.refused else entry.share.within(known_ids, entry.content, ids)
        except LimitReached as problem:
            entry, cells = replace(entry, refused=str(problem)), frozenset()
        best = max(tasks, key=lambda lesson: len(tasks[lesson] & cells), default="")
        by_content = best if best and tasks[best] & cells else ""
        if not (looks or by_content):
            outcome.others.append(entry)
        elif entry.refused:
            outcome.unplaced.append((entry, entry.refused))
        else:
            notebooks.append((entry, by_content, cells))
    # On a platform, an archive is of one assignment. A notebook of another lesson got there by mistake.
    counts = Counter(lesson for entry, lesson, _ in notebooks if entry.lms and lesson)
    usual = request.lesson or next((lesson for lesson, _ in counts.most_common(1)), "")
    for entry, lesson, cells in notebooks:
        expected = usual if entry.lms else request.lesson
        by_name = next(
            (lesson for lesson in request.lessons if normalize_name(lesson) in normalize_name(entry.file)), ""
        )
        meant = lesson or by_name or expected
        if not meant:
            outcome.unplaced.append((entry, "neither its name nor what is in it says which lesson it is"))
        elif expected and meant != expected:
            outcome.unplaced.append((entry, f"it is of {meant}, and the archive of {expected}"))
        else:
            yield meant, replace(entry, cells=len(tasks[meant] & cells)), tasks[meant] & cells


def _whose(request: Request, lesson: str, entry: HandedFile) -> set[str]:
    """Return the students who may have handed it in: one, if all is well."""
    for called in (entry.user, entry.folder, entry.path, entry.file):
        if called and called in request.who:
            return {request.who[called]}
    if entry.user:
        listed = [time for time in request.times or () if time.lms_user_id == entry.user]
        if listed:
            known = request.roster.find(listed[0])
            if len(known) == 1:
                return known
    platform = request.platforms.get(entry.lms)
    if platform and platform.numbers_listed and (known := request.roster.of_lms(entry.user)):
        return known
    # Where a platform says who it is, what the file is called says nothing.
    own = () if entry.lms else handed_in_by_name(entry.file, lesson)
    return request.roster.called((*entry.labels, *own))


def _contradicts(asked: Request, placed: Placed) -> str:
    """Return whom else a file's name names, where a platform says who handed it in."""
    entry = placed.entry
    if not entry.lms:
        return ""
    parts = [part.rpartition(".")[0] or part for part in entry.file.split("/")]
    words = [*parts, *handed_in_by_name(entry.file, placed.lesson), *re.split(r"[_ ]", entry.file)]
    others = asked.roster.called(words)
    return listed(sorted(others)) if others and placed.student not in others else ""


def _unclear(request: Request, entry: HandedFile, students: set[str]) -> str:
    solution = f"--who {shlex.quote(entry.user or entry.path)}=STUDENT"
    if students:
        name = request.roster.people[min(students)].name
        return f"{len(students)} students are called {name} ({listed(sorted(students))}): {solution}"
    if entry.lms and not entry.user:
        return "it was handed in anonymously; switch that off on the platform and download it again"
    called = f" {entry.labels[0]}" if entry.lms and entry.labels else " that"
    return f"nobody in the roster is called{called}: {solution}"


def _chosen(
    request: Request, lesson: str, student: str, several: list[HandedFile], known: HandedFile
) -> Placed:
    """Return the last of a student's notebooks for one lesson."""
    # A file without one of the lesson's cells, such as notes, never takes the place of one that has some.
    ordered = sorted(several, key=lambda entry: (entry.cells > 0, entry.rank, entry.modified, entry.path))
    last = ordered[-1]
    earlier = tuple(file for file in ordered[:-1] if file.content != last.content)
    time = _handed_in(request, lesson, student, last)
    there = _place(request.course, lesson, student)
    old = there.read_bytes() if there.is_file() else None
    if old is None:
        state = "new"
    elif old == last.content:
        state = "as before"
    elif not last.cells and _has_any(old, _cells_of(request, lesson)):
        return Placed(
            lesson, student, replace(last, content=old), (*earlier, last), None, "the earlier one stays"
        )
    elif known.lms == last.lms and known.rank > last.rank:
        return Placed(
            lesson, student, replace(last, content=old), (*earlier, last), None, "a later one is there"
        )
    else:
        state = "replaces an earlier one"
    return Placed(lesson, student, last, earlier, time, state)


def _has_any(handed_in: bytes, ids: frozenset[str]) -> bool:
    try:
        return bool(within(READING, known_ids, handed_in, ids))
    except LimitReached:
        return False


def _cells_of(request: Request, lesson: str) -> frozenset[str]:
    """Return the ids of a lesson's own cells, as they are released."""
    return tasks_of(nbformat.read(request.course.release(lesson), as_version=4))


def _tell_of_odd_ones(request: Request, outcome: Collected) -> None:
    """Note what a person would not see: notebooks without the lesson's cells, and times that are nobody's."""
    for one in outcome.placed:
        wanted = len(_cells_of(request, one.lesson))
        odd = [file.path for file in one.before if not file.cells and one.entry.cells]
        if odd:
            outcome.notes.append(f"{one.student}: not of {one.lesson}, and kept beside: {listed(odd)}")
        elif one.state == "the earlier one stays" or not one.entry.cells:
            what = "; the earlier one stays" if one.state in STAYS else ""
            path = one.before[-1].path if one.state in STAYS else one.entry.path
            outcome.notes.append(f"{path}: it has no cell of {one.lesson}{what}")
        elif one.entry.cells < wanted and one.state not in STAYS:
            lost = wanted - one.entry.cells
            outcome.notes.append(f"{one.entry.path}: cells that are missing: {lost} of {wanted}")


def _tell_of_useless_times(request: Request, outcome: Collected) -> None:
    """Note the rows of the list of times that count for nobody, and that there is no time in it at all."""
    times = request.times or ()
    found = [(time.who, request.roster.find(time)) for time in times if time.lms_user_id not in request.who]
    strangers = [who for who, students in found if not students]
    if strangers:
        outcome.useless.append(
            f"The list of times names people whom the gradebook does not: {listed(strangers)}"
        )
    outcome.useless += [
        f"The list of times names {who}, who could be {listed(sorted(students), 'or')}"
        for who, students in found
        if len(students) > 1
    ]
    if request.times is not None and not any(time.time for time in times):
        outcome.useless.append(
            "The list of times has no time that can be read: make a CSV file with the columns email (or id) "
            "and time, and times such as 2026-03-01 22:24."
        )


def _handed_in(request: Request, lesson: str, student: str, entry: HandedFile) -> datetime | None:
    """When it was handed in, as far as anybody says."""
    for submitted in request.times or ():
        by_number = entry.user and submitted.lms_user_id == entry.user
        if submitted.time and (by_number or request.roster.find(submitted) == {student}):
            return submitted.time.astimezone(UTC)
    if entry.time:
        return _by_platform(request.course, entry)
    return _a_moment_late(request.course, lesson, student) if entry.late else None


def _by_platform(course: Class, entry: HandedFile) -> datetime | None:
    """Return when something was handed in, as its platform says."""
    time = entry.time
    if time and not time.tzinfo:
        time = time.replace(tzinfo=course.policy.zone or tz.tzlocal())
    return time and time.astimezone(UTC)


def _tell_of_two_times(request: Request, outcome: Collected) -> None:
    """Note where the list of times says something else than the platform's mark, or than was known."""
    for one in outcome.placed:
        if one.time is None:
            continue
        late = _a_moment_late(request.course, one.lesson, one.student)
        others = ["the platform marks it as late"] if one.entry.late and late and one.time < late else []
        by_platform = _by_platform(request.course, one.entry)
        if by_platform and abs(by_platform - one.time) >= timedelta(minutes=1):
            others.append(f"the platform says {_told(by_platform)}")
        stamp = _place(request.course, one.lesson, one.student).parent / STAMP
        before = moment(beside(stamp)) if one.state == "as before" else None
        if before and before.replace(tzinfo=UTC) != one.time:
            others.append(f"it had {_told(before)}")
        if others:
            which = f"{_told(one.time)} counts; {listed(others)}"
            outcome.notes.append(f"{one.student}, {one.lesson}: two times: {which}")


def _told(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"


def stamp_late(course: Class) -> None:
    """Write a time for what a platform marked as late, where the class said only later when it was due."""
    for lesson, students in read_record(course).lessons.items():
        for student, entry in students.items():
            place = _place(course, lesson, student)
            stamp, time = place.parent / STAMP, _a_moment_late(course, lesson, student)
            if entry.late and time and place.is_file() and not stamp.exists():
                write_whole(stamp, _stamped(time), READABLE)


def _stamped(time: datetime) -> bytes:
    return f"{time:%Y-%m-%d %H:%M:%S.%f} UTC".encode()


def _a_moment_late(course: Class, lesson: str, student: str) -> datetime | None:
    due = course.policy.due_for(lesson, student)
    return due and (due + timedelta(seconds=1)).replace(tzinfo=UTC)


def _tell_of_late_ones(request: Request, outcome: Collected) -> None:
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


def _put(course: Class, placed: Placed) -> None:
    """Write one notebook and its time, and keep what was there."""
    for earlier in placed.before:
        time = _by_platform(course, earlier)
        _aside(course, placed, earlier.content, _stamped(time) if time else b"")
    place = _place(course, placed.lesson, placed.student)
    stamp = place.parent / STAMP
    if placed.state in STAYS:
        return
    if placed.state == "replaces an earlier one":
        _aside(course, placed, place.read_bytes(), stamp.read_bytes() if stamp.is_file() else b"")
        stamp.unlink(missing_ok=True)
    if placed.time:
        write_whole(stamp, _stamped(placed.time), READABLE)
    if placed.state != "as before":
        write_whole(place, placed.entry.content, READABLE)


def _aside(course: Class, placed: Placed, content: bytes, stamp: bytes = b"") -> None:
    digest = hashlib.sha256(content).hexdigest()[:12]
    folder = folder_of(course) / "earlier" / placed.student / placed.lesson
    write_whole(folder / f"{digest}.ipynb", content, READABLE)
    if stamp:
        write_whole(folder / f"{digest}-{STAMP}", stamp, READABLE)


def _keep(request: Request, archives: Iterable[Path]) -> None:
    """Keep the archives themselves: they hold what could not be placed as well."""
    folder = folder_of(request.course) / "archives"
    folder.mkdir(parents=True, exist_ok=True)
    for path in archives:
        digest = folder_digest(path) if path.is_dir() else file_digest(path).hex()
        kept = folder / f"{digest[:12]}-{path.name}"
        if path.is_dir():
            shutil.copytree(path, kept, dirs_exist_ok=True, symlinks=True)
        elif not kept.exists():
            shutil.copyfile(path, kept)


def _remember(
    request: Request, outcome: Collected, record: Record, had: Mapping[tuple[str, str], frozenset[str]]
) -> None:
    """Note what the platform calls everybody, for feedback and the next archive, and which tasks they had."""
    lessons = {lesson: dict(students) for lesson, students in record.lessons.items()}
    for placed in outcome.placed:
        if placed.state not in STAYS:
            lessons.setdefault(placed.lesson, {})[placed.student] = placed.entry
    others = {**record.others, **_of_whom(request, outcome)}
    known = {lesson: dict(students) for lesson, students in record.had.items()}
    for (lesson, student), tasks in had.items():
        of_lesson = known.setdefault(lesson, {})
        of_lesson[student] = tuple(sorted(tasks.union(of_lesson.get(student, ()))))
    plain, _ = codec.encode(Record(lessons, request.who, others, known))
    text = json.dumps(plain, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    path = folder_of(request.course) / RECORD
    if _record_in(path) is None:
        path.rename(path.with_name(RECORD + DAMAGED))
    write_whole(path, text.encode(), READABLE)


def _of_whom(request: Request, outcome: Collected) -> dict[str, tuple[str, ...]]:
    """Return the files that are no notebooks of those who handed in nothing else, by student."""
    there = {placed.student for placed in outcome.placed}
    files: dict[str, tuple[str, ...]] = {}
    for entry in outcome.others:
        students = _whose(request, "", entry)
        if len(students) == 1 and not students & there:
            (student,) = students
            files[student] = (*files.get(student, ()), entry.file or entry.path)
    return files


def read_record(course: Class) -> Record:
    """Return what earlier archives said of everybody, and whom the instructor named; named if damaged."""
    path = folder_of(course) / RECORD
    record = _record_in(path)
    if record is None:
        log.warning(
            "%s cannot be read, so nothing is known of what was collected before: collect those archives "
            "again, which are kept beside it",
            path,
        )
    return record or Record()


def _record_in(path: Path) -> Record | None:
    """Return a record; an empty one where there is no file, and none where it cannot be read."""
    try:
        return codec.decode(Record, json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Record()
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def folder_of(course: Class) -> Path:
    """Where archives, earlier versions and the record lie."""
    return Path(course.directory.root) / COLLECTED


def _place(course: Class, lesson: str, student: str) -> Path:
    return course.place(course.directory.submitted_directory, student, lesson) / f"{lesson}.ipynb"
