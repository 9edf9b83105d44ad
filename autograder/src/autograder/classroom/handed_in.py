"""Put what a learning platform collected where nbgrader looks for it, and lose nothing on the way.

Everything is decided before anything is written. Archives are kept as they came, and so is every version of a
notebook that another one takes the place of.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat

from autograder.classroom.archives import BadArchive, entries, handed_in_by_name
from autograder.classroom.people import Person, Roster, squashed
from autograder.classroom.platforms.protocol import HandedFile, Platform
from autograder.grading.class_folder import STAMP, Class
from autograder.grading.kept import READING, LimitReached, within
from autograder.grading.releases import known_ids, tasks_of
from autograder.records import codec
from autograder.records.files import file_digest, folder_digest, write_whole
from autograder.words.phrases import listed

# Beside submitted/: the archives as they came, versions that were replaced, and what was found out.
COLLECTED = "collected"
RECORD = "record.json"
READABLE = 0o644  # whoever grades may be another user than who collected


@dataclass(frozen=True)
class Request:
    """What to collect."""

    course: Class
    lessons: tuple[str, ...]
    roster: Roster
    platforms: Mapping[str, Platform]  # that they may come from, by name
    lesson: str = ""  # that the archives are of; found out where empty
    who: Mapping[str, str] = field(default_factory=dict)  # ids, by a number, folder or file of the platform's
    times: tuple[Person, ...] = ()  # who handed in when, and which of the platform's numbers is whose
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


UNKNOWN = HandedFile("", "")


@dataclass
class Collected:
    """What was found: notebooks in their places, and what belongs nowhere, each with the reason."""

    placed: list[Placed] = field(default_factory=list)
    unplaced: list[tuple[HandedFile, str]] = field(default_factory=list)
    # No notebooks: nothing that is graded.
    others: list[HandedFile] = field(default_factory=list)
    missing: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


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
    for path in archives:
        for lesson, entry in _with_lessons(request, entries(path, request.platforms.values()), outcome):
            students = _whose(request, lesson, entry)
            if len(students) == 1:
                by_student.setdefault((lesson, *students), []).append(entry)  # type: ignore[arg-type]
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
    for one in outcome.placed:
        if other := _contradicts(request, one):
            outcome.notes.append(f"{one.entry.path}: handed in by {one.student}, and its name says {other}")
    if not request.dry:
        _keep(request, archives)
        for placed in outcome.placed:
            _put(request.course, placed)
        _remember(request, outcome, record)
    return outcome


def _with_lessons(
    request: Request, files: Iterable[HandedFile], outcome: Collected
) -> Iterator[tuple[str, HandedFile]]:
    """Yield the notebooks of an archive with their lessons; the rest goes into the outcome."""
    tasks = {
        lesson: tasks_of(nbformat.read(request.course.release(lesson), as_version=4))
        for lesson in request.lessons
    }
    notebooks: list[tuple[HandedFile, str]] = []
    for entry in files:
        name = entry.file.lower() or entry.path.lower()
        looks = ".ipynb" in name or (entry.refused and name.endswith(".zip"))
        try:
            ids = frozenset().union(*tasks.values())
            cells = frozenset() if entry.refused else within(READING, known_ids, entry.content, ids)
        except LimitReached as problem:
            entry, cells = replace(entry, refused=str(problem)), frozenset()
        best = max(tasks, key=lambda lesson: len(tasks[lesson] & cells), default="")
        by_content = best if best and tasks[best] & cells else ""
        if not (looks or by_content):
            outcome.others.append(entry)
        elif entry.refused:
            outcome.unplaced.append((entry, entry.refused))
        else:
            notebooks.append((entry, by_content))
    # On a platform, an archive is of one assignment. A notebook of another lesson got there by mistake.
    counts = Counter(lesson for entry, lesson in notebooks if entry.lms and lesson)
    usual = request.lesson or next((lesson for lesson, _ in counts.most_common(1)), "")
    for entry, lesson in notebooks:
        expected = usual if entry.lms else request.lesson
        by_name = next((lesson for lesson in request.lessons if squashed(lesson) in squashed(entry.file)), "")
        meant = lesson or by_name or expected
        if not meant:
            outcome.unplaced.append((entry, "neither its name nor what is in it says which lesson it is"))
        elif expected and meant != expected:
            outcome.unplaced.append((entry, f"it is of {meant}, and the archive of {expected}"))
        else:
            yield meant, entry


def _whose(request: Request, lesson: str, entry: HandedFile) -> set[str]:
    """Return the students who may have handed it in: one, if all is well."""
    for called in (entry.user, entry.folder, entry.path, entry.file):
        if called and called in request.who:
            return {request.who[called]}
    if entry.user:
        listed = [time for time in request.times if time.lms_user_id == entry.user]
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
    return f"nobody in the roster is called that: {solution}"


def _chosen(
    request: Request, lesson: str, student: str, several: list[HandedFile], known: HandedFile
) -> Placed:
    """Return the last of a student's notebooks for one lesson."""
    ordered = sorted(several, key=lambda entry: (entry.rank, entry.modified, entry.path))
    last = ordered[-1]
    earlier = tuple(file for file in ordered[:-1] if file.content != last.content)
    time = _handed_in(request, lesson, student, last)
    there = _place(request.course, lesson, student)
    old = there.read_bytes() if there.is_file() else None
    if old is None:
        state = "new"
    elif old == last.content:
        state = "as before"
    elif known.lms == last.lms and known.rank > last.rank:
        return Placed(
            lesson, student, replace(last, content=old), (*earlier, last), None, "a later one is there"
        )
    else:
        state = "replaces an earlier one"
    return Placed(lesson, student, last, earlier, time, state)


def _handed_in(request: Request, lesson: str, student: str, entry: HandedFile) -> datetime | None:
    """When it was handed in, as far as anybody says."""
    for submitted in request.times:
        by_number = entry.user and submitted.lms_user_id == entry.user
        if submitted.time and (by_number or request.roster.find(submitted) == {student}):
            return submitted.time.astimezone(UTC)
    return _a_moment_late(request, lesson, student) if entry.late else None


def _a_moment_late(request: Request, lesson: str, student: str) -> datetime | None:
    due = request.course.policy.due_for(lesson, student)
    return due and (due + timedelta(seconds=1)).replace(tzinfo=UTC)


def _tell_of_late_ones(request: Request, outcome: Collected) -> None:
    marked = [placed for placed in outcome.placed if placed.entry.late]
    late = [
        placed for placed in marked if placed.time == _a_moment_late(request, placed.lesson, placed.student)
    ]
    if not late:
        return
    who = listed([placed.student for placed in late])
    if all(placed.time for placed in late):
        how = "Each counts as late by a moment, so by the smallest penalty"
    else:
        how = "class.toml has no due date for the lesson, so nothing is counted"
    outcome.notes.append(
        f"The platform marks {len(late)} as late and does not say by how much: {who}. {how}. "
        "--times FILE.csv gives the real times."
    )


def _put(course: Class, placed: Placed) -> None:
    """Write one notebook and its time, and keep what was there."""
    for earlier in placed.before:
        _aside(course, placed, earlier.content)
    place = _place(course, placed.lesson, placed.student)
    stamp = place.parent / STAMP
    if placed.state == "a later one is there":
        return
    if placed.state == "replaces an earlier one":
        _aside(course, placed, place.read_bytes(), stamp.read_bytes() if stamp.is_file() else b"")
        stamp.unlink(missing_ok=True)
    if placed.time:
        write_whole(stamp, f"{placed.time:%Y-%m-%d %H:%M:%S.%f} UTC".encode(), READABLE)
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


def _remember(request: Request, outcome: Collected, record: Record) -> None:
    """Note what the platform calls everybody, for returning feedback and for the next archive."""
    lessons = {lesson: dict(students) for lesson, students in record.lessons.items()}
    for placed in outcome.placed:
        if placed.state != "a later one is there":
            lessons.setdefault(placed.lesson, {})[placed.student] = placed.entry
    plain, _ = codec.encode(Record(lessons, request.who))
    text = json.dumps(plain, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    write_whole(folder_of(request.course) / RECORD, text.encode(), READABLE)


def read_record(course: Class) -> Record:
    """Return what earlier archives said of everybody, and whom the instructor named."""
    try:
        return codec.decode(Record, json.loads((folder_of(course) / RECORD).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return Record()


def folder_of(course: Class) -> Path:
    """Where archives, earlier versions and the record lie."""
    return Path(course.directory.root) / COLLECTED


def _place(course: Class, lesson: str, student: str) -> Path:
    return course.place(course.directory.submitted_directory, student, lesson) / f"{lesson}.ipynb"
