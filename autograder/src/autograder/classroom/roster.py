"""The class list, as nbgrader's gradebook has it."""

from __future__ import annotations

from collections.abc import Iterable

from nbgrader.api import Student

from autograder.classroom import marks
from autograder.classroom.people import Person, Roster
from autograder.grading.class_folder import Class
from autograder.grading.gradebook import Book
from autograder.grading.verdicts import InSection, readable

KEPT_BY_NBGRADER = ("first_name", "last_name", "email", "lms_user_id")


def class_list(course: Class) -> Roster:
    """Everybody in the gradebook."""
    with marks.opened(course.database) as book:
        return Roster(book.members())


def enrol(course: Class, people: Iterable[Person], dry: bool = False) -> tuple[list[Person], list[Person]]:
    """Put people into the gradebook, unless `dry`; nobody is ever taken out of it.

    Who is known by another id already, by their address or the platform's number, keeps the id.

    Returns:
        Who is new, and of whom something changed.
    """
    new, changed = [], []
    roster = class_list(course)
    with Book(course, dry=dry) as book, readable(course.database):
        rows = {student.id: student for student in book.nbgrader.students}
        for listed in people:
            person = roster.merged(listed)
            values = {key: getattr(person, key) or None for key in KEPT_BY_NBGRADER}
            old = roster.people.get(person.id)
            if old is None:
                new.append(person)
            elif any(getattr(old, key) != getattr(person, key) for key in (*KEPT_BY_NBGRADER, "section")):
                changed.append(person)
            row = rows.setdefault(person.id, Student(id=person.id))
            for key, value in values.items():
                setattr(row, key, value)
            book.nbgrader.db.add(row)
            if person.section != (old.section if old else ""):
                book.verdicts.place(InSection(person.id, person.section))
        book.nbgrader.db.commit()  # all of them, or nobody
    return new, changed
