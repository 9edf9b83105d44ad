"""The scores of a class, and how they come into a workbook or a list that a learning platform exported."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from autograder.classroom import gradebook_queries
from autograder.classroom.class_roster import Person, Roster, person_of
from autograder.classroom.csv_tables import BadList, Table, number_in
from autograder.classroom.gradebook_queries import HandedIn, Mark
from autograder.grading import unscaled_scores
from autograder.grading.class_folder import Class
from autograder.records.file_digests import write_whole
from autograder.words.sanitize import visible

if TYPE_CHECKING:
    from openpyxl import Workbook

# Puts a student's scores into a row; returns whether there were any, and what the platform keeps for itself.
Fill = Callable[[list[str], str], tuple[bool, str]]


@dataclass(frozen=True)
class Scores:
    """What counts for each student and lesson, after penalties."""

    people: Sequence[Person]
    lessons: Sequence[str]
    possible: Mapping[str, float]
    scores: Mapping[tuple[str, str], float]
    waiting: Mapping[str, int]  # answers that a person has yet to read, by lesson
    by_hand: Mapping[str, int]  # tasks of code with points by hand that were graded again since, by lesson
    marks: Sequence[Mark]
    handed_in: Sequence[HandedIn]


@dataclass(frozen=True)
class Merged:
    """A platform's file with scores in it, and what did not come together."""

    text: str
    filled: int
    strangers: Sequence[str]  # rows that are nobody's in the gradebook, or that several people could be
    missing: Sequence[str]  # students with a score and without a row
    left_out: Sequence[str] = ()  # lessons that are graded and without a column
    kept_back: Sequence[str] = ()  # why no score of a lesson was written
    untouched: Sequence[
        str
    ] = ()  # students with a cell that the platform has excused or locked, and with what


def scores(course: Class) -> Scores:
    """Read what counts from the gradebook."""
    with gradebook_queries.opened(course.database) as book:
        all_marks, possible, people, handed_in = book.of(), book.possible(), book.members(), book.handed_in()
    totals: dict[tuple[str, str], float] = defaultdict(float)
    waiting: dict[str, int] = defaultdict(int)
    by_hand: dict[str, int] = defaultdict(int)
    for mark in all_marks:
        totals[mark.student, mark.lesson] += mark.score
        (waiting if mark.auto is None else by_hand)[mark.lesson] += mark.waiting
    for each in handed_in:
        if (each.student, each.lesson) in totals:
            totals[each.student, each.lesson] = max(0.0, totals[each.student, each.lesson] - each.penalty)
    lessons = [lesson for lesson in course.banks.course.lessons if lesson in possible]
    return Scores(people, lessons, possible, totals, waiting, by_hand, all_marks, handed_in)


def write_workbook(class_scores: Scores, path: Path, scale: bool = False) -> None:
    """Write all scores as an Excel workbook: one sheet of lessons, and one of tasks for each lesson.

    Raises:
        BadList: another file than such a workbook is there.
        OtherMaximum: such a workbook is there with another maximum than ours, and nobody asked to scale.
    """
    from openpyxl import Workbook

    there = _maxima_in(path)
    factors = {
        lesson: factor(class_scores, lesson, there.get(lesson, ""), scale, f"in {path.name}")
        for lesson in class_scores.lessons
    }
    counts = {
        (student, lesson): round(score * factors[lesson], 2)
        for (student, lesson), score in class_scores.scores.items()
        if lesson in factors
    }
    book = Workbook()
    book.remove(book.active)
    names = {person.id: (person.id, person.last_name, person.first_name) for person in class_scores.people}
    titles = ("student", "last name", "first name")
    _add_sheet(
        book,
        "scores",
        (
            *titles,
            *(f"{name} ({class_scores.possible[name] * times:g})" for name, times in factors.items()),
            "total",
        ),
        (
            (*name, *row, sum(score for score in row if score is not None))
            for student, name in names.items()
            for row in [[counts.get((student, lesson)) for lesson in class_scores.lessons]]
        ),
    )
    for lesson in class_scores.lessons:
        _add_tasks(book, class_scores, lesson, titles, names)
    whole = BytesIO()
    book.save(whole)
    write_whole(path, whole.getvalue())


def _add_tasks(
    book: Workbook,
    class_scores: Scores,
    lesson: str,
    titles: Sequence[str],
    names: Mapping[str, Sequence[str]],
) -> None:
    """Add the sheet of one lesson: the points of each task, the penalty and the score."""
    marks = [mark for mark in class_scores.marks if mark.lesson == lesson]
    tasks = list(dict.fromkeys(mark.task for mark in marks))
    points = {(mark.student, mark.task): mark.score for mark in marks}
    penalties = {
        handed.student: handed.penalty for handed in class_scores.handed_in if handed.lesson == lesson
    }
    _add_sheet(
        book,
        lesson,
        (*titles, *tasks, "penalty", "score"),
        (
            (
                *name,
                *(points.get((student, task)) for task in tasks),
                penalties.get(student, 0.0),
                class_scores.scores[student, lesson],
            )
            for student, name in names.items()
            if (student, lesson) in class_scores.scores
        ),
    )


def _add_sheet(book: Workbook, name: str, header: Iterable[object], rows: Iterable[Iterable[object]]) -> None:
    from openpyxl.styles import Font  # 40 ms, which only this command needs

    sheet = book.create_sheet(name[:31])
    sheet.append(list(header))
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for row in rows:
        sheet.append([visible(cell) if isinstance(cell, str) else cell for cell in row])
        for cell in sheet[sheet.max_row]:
            if cell.data_type == "f":  # a name that begins with "=" is no formula
                cell.data_type = "s"
    sheet.freeze_panes = "D2"


def _maxima_in(path: Path) -> dict[str, str]:
    """Return what can be earned for each lesson, as a workbook says that was written earlier."""
    from openpyxl import load_workbook

    if not path.exists():
        return {}
    try:
        with path.open("rb") as file:
            titles = next(load_workbook(file, read_only=True)["scores"].iter_rows(values_only=True))
    except (BadZipFile, KeyError, ValueError, StopIteration):
        raise BadList(f"{path} is no workbook of scores, so nothing was written into its place.") from None
    matches = (re.fullmatch(r"(.+) \((.+)\)", str(title)) for title in titles)
    return {match[1]: match[2] for match in matches if match}


def factor(
    class_scores: Scores, lesson: str, maximum: str, scale: bool, where: str = unscaled_scores.PLATFORM
) -> float:
    """Return what a lesson's scores are multiplied by for a file that says how much can be earned.

    Raises:
        BadList: that is no number.
        OtherMaximum: it is another maximum than ours, and nobody asked to scale.
    """
    there = maximum.strip() not in ("", "-")
    theirs = number_in(maximum) if there else None
    if there and theirs is None:
        raise BadList(f"{lesson}: the maximum {where}, “{maximum}”, is no number. Nothing was written.")
    return unscaled_scores.factor(lesson, class_scores.possible[lesson], theirs, scale, where)


def merged(class_scores: Scores, table: Table, fill: Fill, lessons: Sequence[str]) -> Merged:
    """Return a platform's list, into whose rows `fill` has put the scores of some lessons."""
    roster = Roster(class_scores.people)
    strangers, untouched = [], []
    filled, with_row = set(), set()
    for row, values in zip(table.rows, table.entries, strict=True):
        if not values:
            continue
        person = person_of(values)
        students = roster.find(person)
        if len(students) != 1:
            reason = f"could be {' or '.join(sorted(students))}" if students else "not in the gradebook"
            strangers.append(f"{person.name} ({reason})")
            continue
        (student,) = students
        with_row.add(student)
        any_written, why_not = fill(row, student)
        if any_written:
            filled.add(student)
        if why_not:
            untouched.append(f"{roster.people[student].who}: {why_not}")
    scored = {student for student, lesson in class_scores.scores if lesson in lessons}
    return Merged(table.text, len(filled), strangers, sorted(scored - with_row), untouched=untouched)
