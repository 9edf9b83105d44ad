"""Collect students' regrade requests from the files that their feedback pages make, or from a list.

A file that a student submitted counts for that student alone, whatever it contains. A list of requests by
many students, such as a form's export, counts only if the instructor names it directly.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.classroom import gradebook_queries
from autograder.classroom.class_roster import Roster, person_of
from autograder.classroom.csv_tables import BadList, Table, read_list
from autograder.classroom.platforms.protocol import HandedFile, Platform
from autograder.classroom.submission_archives import BadArchive, entries
from autograder.classroom.unpacking import TAR, UNOPENED, ZIP
from autograder.grading import graded_results
from autograder.grading.class_folder import Class
from autograder.grading.graded_results import Asked
from autograder.words.phrases import listed
from autograder.words.sanitize import visible

LESSON, TASK, TEXT = COLUMNS = ("lesson", "task", "request")
MOST_TEXT = 2000
# Of a student's own file, of a list that the instructor names, and of one student in one run.
MOST_OWN, MOST_LISTED = (100, 200_000), (5_000, 5_000_000)  # rows and bytes
MOST_EACH = 100
LINES_EACH = 20  # ends of lines in one row
# What a student's page calls the file that it makes, before whose it is, the lesson and the task.
PAGE_PREFIX = "request-"
COPY = re.compile(r" *\(\d+\)$")  # what a browser adds to the name of a file that is there already


@dataclass
class Intake:
    """The outcome of collecting requests: new ones, the number of known ones, a sentence for each refusal."""

    new: list[Asked] = field(default_factory=list)
    known: int = 0
    odd: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Source:
    """A file with requests.

    Attributes:
        name: what messages call it.
        path: where it can be read.
        owners: the students in whose name it came; None for a list of many.
    """

    name: str
    path: Path
    owners: frozenset[str] | None


def collect_requests(
    course: Class, paths: Iterable[Path], platforms: Mapping[str, Platform], people: Roster
) -> Intake:
    """Store the regrade requests in files, folders and archives. Requests already stored stay unchanged.

    A file that cannot be used is refused by itself, with a sentence in the outcome.

    Args:
        course: the class.
        paths: the files, folders and archives.
        platforms: the platforms from which archives may come, by name.
        people: the class's roster.

    Raises:
        BadBook: the gradebook cannot be used.
    """
    outcome = Intake()
    with gradebook_queries.opened(course.database) as book:
        lessons: dict[tuple[str, str], list[str]] = {}
        for mark in book.of():
            lessons.setdefault((mark.student, mark.task), []).append(mark.lesson)
    asked: list[Asked] = []
    for path in paths:
        before = len(asked) + len(outcome.odd)
        try:
            for source in _sources(path, platforms, people, outcome.odd):
                try:
                    asked += _requests(source, platforms, people, lessons, outcome.odd)
                except BadList as problem:
                    outcome.odd.append(str(problem))
        except (BadArchive, BadList) as problem:
            outcome.odd.append(str(problem))
        if len(asked) + len(outcome.odd) == before:
            outcome.odd.append(f"{path}: no request was found in it.")
    each = Counter[str]()
    with graded_results.opened(course.database) as store:
        for request in asked:
            each[request.student] += 1
            if each[request.student] > MOST_EACH:
                continue
            if store.ask(request):
                outcome.new.append(request)
            else:
                outcome.known += 1
    outcome.odd += [
        f"{student} asks {number} times: only the first {MOST_EACH} are taken in"
        for student, number in each.items()
        if number > MOST_EACH
    ]
    return outcome


def _sources(
    path: Path, platforms: Mapping[str, Platform], people: Roster, odd: list[str]
) -> Iterator[_Source]:
    """Yield the files with requests that are meant by a path, and note which are of nobody or no lists.

    Raises:
        BadArchive: it is an archive that cannot be opened.
    """
    if not path.is_dir() and not path.name.lower().endswith((*ZIP, *TAR, *UNOPENED)):
        owners = _named(HandedFile("", path.name, file=path.name), people)
        yield _Source(path.name, path, frozenset(owners) or None)
        return
    of_platform, unread_entries = False, []
    with tempfile.TemporaryDirectory() as scratch:
        for number, entry in enumerate(entries(path, platforms.values(), _is_list)):
            owners = _owners(entry, platforms, people)
            of_platform = of_platform or bool(entry.lms)
            if entry.refused:
                odd.append(f"{entry.path}: {entry.refused}")
            elif not _is_list(entry.path):
                if not entry.noise:
                    unread_entries.append(entry)
            elif len(owners) != 1:
                who = f"it could be {listed(sorted(owners), 'or')}" if owners else "its name is nobody's"
                odd.append(
                    f"{entry.path}: {who}. A list of many is named by itself: autograder requests FILE"
                )
            else:
                copy = Path(scratch) / str(number)
                copy.write_bytes(entry.content)
                yield _Source(entry.path, copy, frozenset(owners))
    # What lies beside the folders of a platform is its own page.
    unread = [each.path for each in unread_entries if each.lms or "/" in each.path or not of_platform]
    if unread:
        odd.append(f"{path.name}: not read, since requests are CSV files: {listed(unread)}.")


def _is_list(name: str) -> bool:
    return name.lower().endswith(".csv")


def _owners(entry: HandedFile, platforms: Mapping[str, Platform], people: Roster) -> set[str]:
    """Return in whose name a file came: the platform says it, else its folders and its name."""
    platform = platforms.get(entry.lms)
    if platform and platform.numbers_listed and (person := people.of_lms(entry.user)):
        return person
    return people.called(entry.labels, entry.by_name) if entry.lms else _named(entry, people)


def _named(entry: HandedFile, people: Roster) -> set[str]:
    """Return whom a file's own folders and name name."""
    stem = COPY.sub("", entry.file.rpartition(".")[0])  # an id may hold numbers after hyphens
    labels = [*entry.path.split("/")[:-1], stem]
    if stem.startswith(PAGE_PREFIX):
        words = stem.removeprefix(PAGE_PREFIX).split("-")
        # An id may hold hyphens: the longest beginning that is somebody counts.
        labels += ["-".join(words[:count]) for count in range(len(words), 0, -1)]
    return people.called(labels)


def _table(source: _Source, platforms: Mapping[str, Platform]) -> Table:
    """Return the rows of a file.

    Raises:
        BadList: it cannot be read, is too large, or lacks a column.
    """
    rows, size = MOST_LISTED if source.owners is None else MOST_OWN
    try:
        with source.path.open("rb") as file:
            content = file.read(size + 1)
    except OSError as problem:
        raise BadList(f"{source.name} cannot be read: {problem.strerror}.") from problem
    if len(content) > size:
        raise BadList(f"{source.name} is larger than {size // 1000} KB, so nothing of it was taken in.")
    ends = content.count(b"\n") + content.count(b"\r")
    if ends > rows * LINES_EACH:
        raise BadList(f"{source.name} has more than {rows} rows, so nothing of it was taken in.")
    table = Table(
        read_list(source.path, source.name).text, [kind.lists for kind in platforms.values()], source.name
    )
    if len(table.rows) > rows:
        raise BadList(f"{source.name} has more than {rows} rows, so nothing of it was taken in.")
    missing = [name for name in COLUMNS if name not in table.header]
    if missing:
        columns = ", ".join(COLUMNS)
        raise BadList(f"{source.name} has no column {missing[0]}. It needs who asks, and: {columns}.")
    return table


def _requests(
    source: _Source,
    platforms: Mapping[str, Platform],
    people: Roster,
    lessons: Mapping[tuple[str, str], list[str]],
    odd: list[str],
) -> list[Asked]:
    """Return what a file asks, and note the rows that nobody can be answered.

    Raises:
        BadList: the file cannot be used.
    """
    table = _table(source, platforms)
    requests = []
    for number, (row, entry) in enumerate(zip(table.rows, table.entries, strict=True), 2):
        cells = dict(zip(table.header, row, strict=False))
        if not entry or not cells[TEXT].strip():
            continue
        request = _request_in(cells, people.find(person_of(entry)), source.owners, lessons)
        if isinstance(request, Asked):
            requests.append(request)
        else:
            odd.append(f"{source.name}, line {number}: {request}")
    return requests


def _request_in(
    cells: Mapping[str, str],
    students: set[str],
    owners: frozenset[str] | None,
    lessons: Mapping[tuple[str, str], list[str]],
) -> Asked | str:
    """Return what a row asks, or why nobody can be answered."""
    if not students:
        return "the gradebook knows nobody of that name"
    if owners is not None and not students & owners:
        whose, asks = listed(sorted(owners), "or"), listed(sorted(students), "or")
        return f"it asks in the name of {asks}, and came in the name of {whose}"
    students = students & owners if owners is not None else students
    if len(students) != 1:
        return f"could be {listed(sorted(students), 'or')}"
    (student,) = students
    lesson, task = (visible(cells[name].strip()) for name in (LESSON, TASK))
    names = lessons.get((student, task), [])
    number = lesson.zfill(2)  # a spreadsheet makes 1 of 01
    matches = [name for name in names if lesson == name or number == name.partition("-")[0]]
    if not matches:
        return f"{student} has no score for the task {task or '(none)'} of {lesson or '(no lesson)'}"
    text = " ".join(visible(line) for line in cells[TEXT].split())[:MOST_TEXT]
    return Asked(matches[0], student, task, graded_results.now(), text)
