"""Gather the scores of a class, and write them into a list that a learning platform exported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from autograder.classroom import gradebook_queries
from autograder.classroom.class_roster import Person, Roster, person_of
from autograder.classroom.csv_tables import BadList, Table, number_in
from autograder.classroom.gradebook_queries import HandedIn, Mark
from autograder.grading import unscaled_scores
from autograder.grading.class_folder import Class

# Puts a student's scores into a row; returns whether there were any, and what the platform keeps for itself.
Fill = Callable[[list[str], str], tuple[bool, str]]


@dataclass(frozen=True)
class Scores:
    """The scores that count, by student and lesson, after penalties for lateness."""

    people: Sequence[Person]
    lessons: Sequence[str]
    possible: Mapping[str, float]
    scores: Mapping[tuple[str, str], float]
    waiting: Mapping[str, int]  # the number of answers still to read, by lesson
    # Code tasks with manual points that were graded again since, with their students, by lesson.
    by_hand: Mapping[str, Sequence[str]]
    marks: Sequence[Mark]
    handed_in: Sequence[HandedIn]


@dataclass(frozen=True)
class Merged:
    """A platform's file with scores filled in, and the rows and scores that could not be matched."""

    text: str
    filled: int
    strangers: Sequence[str]  # rows of nobody in the gradebook, or of several possible people
    missing: Sequence[str]  # students with a score but without a row
    left_out: Sequence[str] = ()  # graded lessons without a column
    kept_back: Sequence[str] = ()  # the reasons why no score of a lesson was written
    untouched: Sequence[
        str
    ] = ()  # students with a cell that the platform has excused or locked, and with what


def scores(course: Class) -> Scores:
    """Return the scores in the gradebook."""
    with gradebook_queries.opened(course.database) as book:
        all_marks, possible, people, handed_in = book.of(), book.possible(), book.members(), book.handed_in()
    totals: dict[tuple[str, str], float] = defaultdict(float)
    waiting: dict[str, int] = defaultdict(int)
    by_hand: dict[str, list[str]] = defaultdict(list)
    for mark in all_marks:
        totals[mark.student, mark.lesson] += mark.score
        waiting[mark.lesson] += mark.to_read
        if mark.waiting and not mark.to_read:
            by_hand[mark.lesson].append(f"{mark.task} of {mark.student}")
    for each in handed_in:
        if (each.student, each.lesson) in totals:
            totals[each.student, each.lesson] = max(0.0, totals[each.student, each.lesson] - each.penalty)
    lessons = [lesson for lesson in course.banks.course.lessons if lesson in possible]
    return Scores(people, lessons, possible, totals, waiting, by_hand, all_marks, handed_in)


def factor(
    class_scores: Scores, lesson: str, maximum: str, scale: bool, where: str = unscaled_scores.PLATFORM
) -> float:
    """Return the factor by which a lesson's scores are multiplied for a platform's file.

    Args:
        class_scores: the scores of the class.
        lesson: the lesson's name.
        maximum: the maximum in the file, as text; "" or "-" if it states none.
        scale: whether scores may be scaled to the file's maximum.
        where: the place of the maximum, for messages.

    Raises:
        BadList: the maximum is not a number.
        OtherMaximum: the maximum is not ours, and `scale` is false.
    """
    there = maximum.strip() not in ("", "-")
    theirs = number_in(maximum) if there else None
    if there and theirs is None:
        raise BadList(f"{lesson}: the maximum {where}, “{maximum}”, is no number. Nothing was written.")
    return unscaled_scores.factor(lesson, class_scores.possible[lesson], theirs, scale, where)


def merged(class_scores: Scores, table: Table, fill: Fill, lessons: Sequence[str]) -> Merged:
    """Return a platform's list with scores in its rows.

    Args:
        class_scores: the scores of the class.
        table: the list.
        fill: writes a student's scores into a row. It tells whether it wrote any, and why it left a cell
            unchanged.
        lessons: the lessons' names.
    """
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
