"""The scores of a class, and how they come into a workbook or a list that a learning platform exported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.classroom import marks
from autograder.classroom.marks import HandedIn, Mark
from autograder.classroom.people import Person, Roster, person_of
from autograder.classroom.tables import BadList, Table, number_in
from autograder.grading.class_folder import Class

# Puts a student's scores into a row; whether there were any.
Fill = Callable[[list[str], str], bool]


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


def scores(course: Class) -> Scores:
    """Read what counts from the gradebook."""
    with marks.opened(course.database) as book:
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


def write_workbook(known: Scores, path: Path) -> None:
    """Write all scores as an Excel workbook: one sheet of lessons, and one of tasks for each lesson."""
    from openpyxl import Workbook
    from openpyxl.styles import Font

    book = Workbook()
    book.remove(book.active)

    def sheet(name: str, header: Iterable[object], rows: Iterable[Iterable[object]]) -> None:
        page = book.create_sheet(name[:31])
        page.append(list(header))
        for cell in page[1]:
            cell.font = Font(bold=True)
        for row in rows:
            page.append(list(row))
            for cell in page[page.max_row]:
                if cell.data_type == "f":  # a name that begins with "=" is no formula
                    cell.data_type = "s"
        page.freeze_panes = "D2"

    who = {person.id: (person.id, person.last_name, person.first_name) for person in known.people}
    titles = ("student", "last name", "first name")
    sheet(
        "scores",
        (*titles, *(f"{lesson} ({known.possible[lesson]:g})" for lesson in known.lessons), "total"),
        (
            (*name, *row, sum(score for score in row if score is not None))
            for student, name in who.items()
            for row in [[known.scores.get((student, lesson)) for lesson in known.lessons]]
        ),
    )
    for lesson in known.lessons:
        some = [mark for mark in known.marks if mark.lesson == lesson]
        tasks = list(dict.fromkeys(mark.task for mark in some))
        points = {(mark.student, mark.task): mark.score for mark in some}
        penalties = {handed.student: handed.penalty for handed in known.handed_in if handed.lesson == lesson}
        sheet(
            lesson,
            (*titles, *tasks, "penalty", "score"),
            (
                (
                    *name,
                    *(points.get((student, task)) for task in tasks),
                    penalties.get(student, 0.0),
                    known.scores[student, lesson],
                )
                for student, name in who.items()
                if (student, lesson) in known.scores
            ),
        )
    book.save(path)


def factor(known: Scores, lesson: str, maximum: str, scale: bool) -> float:
    """Return what a lesson's scores are multiplied by for a platform that says how much can be earned.

    Raises:
        BadList: the platform's maximum is another one than ours, or no number, and nobody asked to scale.
    """
    if maximum.strip() in ("", "-"):
        return 1.0
    platforms = number_in(maximum)
    if platforms is None:
        raise BadList(f"{lesson}: the platform's maximum, “{maximum}”, is no number. Nothing was written.")
    if platforms != known.possible[lesson] and not scale:
        ours = known.possible[lesson]
        raise BadList(
            f"{lesson} has {ours:g} points here and {platforms:g} on the platform. Change its maximum there, "
            f"or say --scale to multiply each score by {platforms:g}/{ours:g}."
        )
    return platforms / known.possible[lesson]


def merged(known: Scores, table: Table, fill: Fill, lessons: Sequence[str]) -> Merged:
    """Return a platform's list, into whose rows `fill` has put the scores of some lessons."""
    roster = Roster(known.people)
    strangers = []
    filled = set()
    for row, values in zip(table.rows, table.entries, strict=True):
        if not values:
            continue
        person = person_of(values)
        students = roster.find(person)
        if len(students) != 1:
            which = f"could be {' or '.join(sorted(students))}" if students else "not in the gradebook"
            strangers.append(f"{person.name} ({which})")
        elif fill(row, (student := next(iter(students)))):
            filled.add(student)
    scored = {student for student, lesson in known.scores if lesson in lessons}
    return Merged(table.text, len(filled), strangers, sorted(scored - filled))
