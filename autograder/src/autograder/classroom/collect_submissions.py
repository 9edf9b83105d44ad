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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
from dateutil import tz

from autograder.classroom.archives import TAR, UNOPENED, ZIP, BadArchive, entries, handed_in_by_name
from autograder.classroom.class_roster import Person, Roster, normalize_name
from autograder.classroom.platforms.protocol import Guess, HandedFile, Platform
from autograder.grading.class_folder import STAMP, Class
from autograder.grading.read_submission import beside, moment
from autograder.grading.releases import known_ids_and_answers
from autograder.grading.worker_pool import READING, LimitReached, run_limited
from autograder.records import serialization
from autograder.records.cell_roles import is_answer, tasks_of
from autograder.records.file_digests import file_digest, folder_digest, write_whole
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
    copies: int = 0  # other files of the archives that hold the same


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
    """What became of each file: placed, kept as an earlier one, no notebook, not placed, or refused."""

    placed: list[Placed] = field(default_factory=list)
    unplaced: list[tuple[HandedFile, str]] = field(default_factory=list)
    # No notebooks: nothing that is graded.
    others: list[HandedFile] = field(default_factory=list)
    refused: list[HandedFile] = field(default_factory=list)  # by a limit, or since it cannot be read
    noise: int = 0  # files of programs, such as .git and __MACOSX
    missing: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    useless: list[str] = field(default_factory=list)  # what of the list of times counts for nobody

    @property
    def counts(self) -> dict[str, int]:
        """The number of files in each of the five lists."""
        stay = [placed.state in STAYS for placed in self.placed]
        return {
            "placed": sum(not stays for stays in stay),
            "earlier": sum(len(placed.before) + placed.copies for placed in self.placed),
            "no notebook": len(self.others) + self.noise,
            "not placed": len(self.unplaced),
            "refused": len(self.refused),
        }

    @property
    def needs_a_look(self) -> bool:
        """Tell whether a person has to do something about a file."""
        return bool(self.unplaced or self.useless or self.refused)


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
    released = {lesson: _released(request.course, lesson) for lesson in request.lessons}
    for path in archives:
        files = entries(path, request.platforms.values())
        for lesson, entry, tasks in _with_lessons(request, files, released, outcome):
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
        outcome.placed.append(_chosen(request, lesson, student, several, known, released[lesson]))
    for lesson in sorted({notebook.lesson for notebook in outcome.placed}):
        there = {notebook.student for notebook in outcome.placed if notebook.lesson == lesson}
        outcome.missing[lesson] = [
            student
            for student in request.roster.people
            if student not in there and not _place(request.course, lesson, student).is_file()
        ]
    _tell_of_late_ones(request, outcome)
    _tell_of_odd_ones(outcome, released)
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


@dataclass(frozen=True)
class _Released:
    """A lesson as it was given out: the ids of its cells, and the texts of its answer cells."""

    tasks: frozenset[str]
    texts: Mapping[str, frozenset[str]]


def _released(course: Class, lesson: str) -> _Released:
    """Return a lesson's release in all languages: a learner works in one of them."""
    texts: dict[str, set[str]] = {}
    release = nbformat.read(course.release(lesson), as_version=4)
    for language in (".", *course.banks.course.languages):
        path = course.release(lesson, language)
        said = nbformat.read(path, as_version=4) if path.is_file() else release
        for cell in filter(is_answer, said.cells):
            texts.setdefault(cell["id"], set()).add(cell.source.strip())
    return _Released(tasks_of(release), {name: frozenset(found) for name, found in texts.items()})


def _with_lessons(
    request: Request, files: Iterable[HandedFile], released: Mapping[str, _Released], outcome: Collected
) -> Iterator[tuple[str, HandedFile, frozenset[str]]]:
    """Yield the notebooks of an archive, their lessons and tasks; the rest goes into the outcome."""
    ids = frozenset().union(*(release.tasks for release in released.values()))
    texts = {name: text for release in released.values() for name, text in release.texts.items()}
    notebooks: list[tuple[HandedFile, str, frozenset[str]]] = []
    for entry in files:
        if entry.noise:
            outcome.noise += entry.noise
            continue
        cells, answers = frozenset[str](), frozenset[str]()
        if entry.content:
            try:
                cells, answers = entry.share.within(known_ids_and_answers, entry.content, ids, texts)
            except LimitReached as problem:
                entry = replace(entry, refused=str(problem))
        lesson = max(released, key=lambda name: len(released[name].tasks & cells), default="")
        by_content = lesson if lesson and released[lesson].tasks & cells else ""
        looks = ".ipynb" in (entry.file or entry.path).lower()
        if entry.refused:
            (outcome.refused if looks or _may_hold_work(entry) else outcome.others).append(entry)
        elif by_content or (looks and entry.content):
            worked_on = len(answers & released[by_content].texts.keys()) if by_content else 0
            notebooks.append((replace(entry, answers=worked_on), by_content, cells))
        else:
            outcome.others.append(entry)
    yield from _of_the_assignment(request, notebooks, released, outcome)


def _may_hold_work(entry: HandedFile) -> bool:
    return entry.path.lower().endswith((*ZIP, *TAR, *UNOPENED))


def _of_the_assignment(
    request: Request,
    notebooks: list[tuple[HandedFile, str, frozenset[str]]],
    released: Mapping[str, _Released],
    outcome: Collected,
) -> Iterator[tuple[str, HandedFile, frozenset[str]]]:
    """Yield the notebooks of the lesson that an archive is of.

    On a platform, an archive is of one assignment: that of the lesson which most of its notebooks were worked
    on for. What lies beside that is somebody's whole folder, or got there by mistake.
    """
    by_lesson = [(entry, lesson) for entry, lesson, _ in notebooks if entry.lms and lesson]
    counts = Counter(lesson for entry, lesson in by_lesson if entry.answers) or Counter(
        lesson for _, lesson in by_lesson
    )
    most = [lesson for lesson, count in counts.items() if count == max(counts.values())]
    usual = request.lesson or (most[0] if len(most) == 1 else "")
    with_usual = {(entry.archive, entry.folder) for entry, lesson in by_lesson if lesson == usual}
    for entry, lesson, cells in notebooks:
        expected = usual if entry.lms else request.lesson
        named = normalize_name(entry.file)
        by_name = next((name for name in request.lessons if normalize_name(name) in named), "")
        meant = lesson or by_name or expected
        if not meant:
            outcome.unplaced.append((entry, "neither its name nor what is in it says which lesson it is"))
        elif entry.lms and len(most) > 1 and not request.lesson:
            either = listed(sorted(most), "or")
            outcome.unplaced.append((entry, f"the archive may be of {either}: --lesson {sorted(most)[0]}"))
        elif expected and meant != expected and (entry.archive, entry.folder) in with_usual:
            outcome.others.append(replace(entry, what=f"of {meant}, beside their notebook of {expected}"))
        elif expected and meant != expected:
            outcome.unplaced.append((entry, f"it is of {meant}, and the archive of {expected}"))
        else:
            tasks = released[meant].tasks & cells
            yield meant, replace(entry, cells=len(tasks)), tasks


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
    return request.roster.called((*entry.labels, *own)) or _guessed(request.roster, entry.guesses)


def _guessed(roster: Roster, guesses: Sequence[Guess]) -> set[str]:
    """Return the people of a part of a name, where something else bears out that the rest is none of theirs.

    That is a number in it, a section of the class that is called so, or other files with the same prefix.
    """
    sections = {normalize_name(person.section) for person in roster.people.values() if person.section}
    borne_out = [
        guess
        for guess in guesses
        if guess.shared
        or (not guess.by_all and (re.search(r"\d", guess.prefix) or normalize_name(guess.prefix) in sections))
    ]
    return next((people for guess in borne_out if (people := roster.called([guess.label]))), set())


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
    solution = f"--who {shlex.quote(entry.user or entry.folder or entry.path)}=STUDENT"
    if students:
        name = request.roster.people[min(students)].name
        return f"{len(students)} students are called {name} ({listed(sorted(students))}): {solution}"
    if entry.anonymous:
        return (
            "it was handed in anonymously; switch that off on the platform (Moodle: reveal student "
            f"identities) and download it again, or {solution}"
        )
    called = f" {entry.labels[0]}" if entry.lms and entry.labels else " that"
    return f"nobody in the roster is called{called}: {solution}"


def _chosen(
    request: Request,
    lesson: str,
    student: str,
    several: list[HandedFile],
    known: HandedFile,
    released: _Released,
) -> Placed:
    """Return the notebook of a student's that counts for one lesson, with those that it takes the place of.

    Of several, one that was worked on counts before an untouched one, then the one that was handed in last:
    by the platform's time, then by the archive's, then by the number that a browser gave to a copy.
    """
    # A file without one of the lesson's cells, such as notes, never takes the place of one that has some.
    ordered = sorted(
        several,
        key=lambda file: (file.cells > 0, file.answers > 0, file.rank, file.modified, file.copy, file.path),
    )
    last = ordered[-1]
    earlier = tuple(file for file in ordered[:-1] if file.content != last.content)
    copies = len(several) - 1 - len(earlier)
    time = _handed_in(request, lesson, student, last)
    there = _place(request.course, lesson, student)
    old = there.read_bytes() if there.is_file() else None
    if old is None:
        state = "new"
    elif old == last.content:
        state = "as before"
    else:
        state = _state_beside(old, last, known, released)
    if state in STAYS:
        stays = replace(last, content=old or b"")
        return Placed(lesson, student, stays, (*earlier, last), None, state, copies)
    return Placed(lesson, student, last, earlier, time, state, copies)


def _state_beside(old: bytes, last: HandedFile, known: HandedFile, released: _Released) -> str:
    """Return what becomes of the notebook that is there already, beside one that was collected now."""
    try:
        cells, answers = run_limited(READING, known_ids_and_answers, old, released.tasks, released.texts)
    except LimitReached:
        cells = answers = frozenset()
    if (cells and not last.cells) or (answers and not last.answers):
        return "the earlier one stays"
    later = known.lms == last.lms and known.rank > last.rank
    # The times of files that no platform wrote are those of people's own machines.
    if last.lms and known.lms == last.lms and known.rank == last.rank and last.modified:
        later = known.modified > last.modified
    return "a later one is there" if later else "replaces an earlier one"


def _tell_of_odd_ones(outcome: Collected, released: Mapping[str, _Released]) -> None:
    """Note what a person would not see: notebooks that lack cells, and those that nobody worked on."""
    for placed in outcome.placed:
        wanted = len(released[placed.lesson].tasks)
        collected = placed.before[-1] if placed.state in STAYS else placed.entry
        others = [file for file in placed.before if file is not collected]
        odd = [file.path for file in others if not file.cells and collected.cells]
        untouched = [file.path for file in others if file.cells and not file.answers and collected.answers]
        stays = "; the earlier one stays" if placed.state in STAYS else ""
        if odd:
            outcome.notes.append(f"{placed.student}: not of {placed.lesson}, and kept beside: {listed(odd)}")
        if untouched:
            outcome.notes.append(
                f"{placed.student}: {collected.path} counts; nothing was changed in {listed(untouched)}"
            )
        if not collected.cells:
            outcome.notes.append(f"{collected.path}: it has no cell of {placed.lesson}{stays}")
        elif not collected.answers and placed.state != "a later one is there":
            outcome.notes.append(f"{collected.path}: no answer in it was changed{stays}")
        elif collected.cells < wanted and not stays:
            lost = wanted - collected.cells
            outcome.notes.append(f"{collected.path}: cells that are missing: {lost} of {wanted}")


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
    plain, _ = serialization.encode(Record(lessons, request.who, others, known))
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
        return serialization.decode(Record, json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Record()
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def folder_of(course: Class) -> Path:
    """Where archives, earlier versions and the record lie."""
    return Path(course.directory.root) / COLLECTED


def _place(course: Class, lesson: str, student: str) -> Path:
    return course.place(course.directory.submitted_directory, student, lesson) / f"{lesson}.ipynb"
