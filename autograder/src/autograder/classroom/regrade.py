"""What students ask about their scores: read from the files that their pages make, or from a list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.classroom import marks
from autograder.classroom.people import Roster, person_of
from autograder.classroom.tables import BadList, Lists, Table, read_list
from autograder.grading import verdicts
from autograder.grading.class_folder import Class
from autograder.grading.verdicts import Asked
from autograder.words.visible import visible

LESSON, TASK, TEXT = COLUMNS = ("lesson", "task", "request")
MOST_TEXT = 2000


@dataclass
class Outcome:
    """How many ask something new, how many had asked it before, and which rows nobody can be answered."""

    new: list[Asked] = field(default_factory=list)
    known: int = 0
    odd: list[str] = field(default_factory=list)


def take_in(course: Class, paths: Iterable[Path], lists: Sequence[Lists], people: Roster) -> Outcome:
    """Keep what the rows of some lists ask, or of all lists in a folder; what is known stays as it is.

    Raises:
        BadList: a file has no column that says who asks, or what.
        BadBook: the gradebook cannot be used.
    """
    outcome = Outcome()
    with marks.opened(course.database) as book:
        known = {(mark.lesson, mark.student, mark.task) for mark in book.of()}
    tables = {file: _table(file, lists) for path in paths for file in _files(path)}
    with verdicts.opened(course.database) as store:
        for path, table in tables.items():
            for number, (row, entry) in enumerate(zip(table.rows, table.entries, strict=True), 2):
                asked = dict(zip(table.header, row, strict=False))
                if not entry or not asked[TEXT].strip():
                    continue
                found = _asked(asked, people.find(person_of(entry)), known)
                if isinstance(found, str):
                    outcome.odd.append(f"{path.name}, line {number}: {found}")
                elif store.ask(found):
                    outcome.new.append(found)
                else:
                    outcome.known += 1
    return outcome


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.csv")) if path.is_dir() else [path]


def _table(path: Path, lists: Sequence[Lists]) -> Table:
    table = Table(read_list(path), lists, path)
    missing = [name for name in COLUMNS if name not in table.header]
    if missing:
        raise BadList(f"{path} has no column {missing[0]}. It needs who asks, and: {', '.join(COLUMNS)}.")
    return table


def _asked(said: Mapping[str, str], students: set[str], known: set[tuple[str, str, str]]) -> Asked | str:
    """Return what a row asks, or why nobody can be answered."""
    if len(students) != 1:
        return (
            f"could be {' or '.join(sorted(students))}"
            if students
            else "the gradebook knows nobody of that name"
        )
    (student,) = students
    lesson, task = (visible(said[name].strip()) for name in (LESSON, TASK))
    names = [name for name, *whose in known if whose == [student, task]]
    which = [name for name in names if lesson in (name, name.partition("-")[0])]
    if not which:
        return f"{student} has no score for the task {task or '(none)'} of {lesson or '(no lesson)'}"
    text = " ".join(visible(line) for line in said[TEXT].split())[:MOST_TEXT]
    return Asked(which[0], student, task, verdicts.now(), text)
