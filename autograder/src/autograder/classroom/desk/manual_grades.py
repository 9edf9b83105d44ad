"""Give points by hand, record who gave them to whom, and take them back."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nbgrader.api import Grade, MissingEntry

from autograder.classroom.desk.page_data import Data, NotThere
from autograder.grading.gradebook_writer import GradebookWriter
from autograder.grading.graded_results import Change, Ticked, now, readable
from autograder.words.language import _

# Times that the page shows, the last first.
MOST_SHOWN = 20


@dataclass(frozen=True)
class ManualGrade:
    """Points that a person gave in one action, to one or several students."""

    action: str
    at: str
    by: str
    lesson: str
    task: str
    points: float | None  # None if the manual points were taken back
    students: Sequence[str]


def last_given(data: Data) -> list[ManualGrade]:
    """Return the latest actions of giving points by hand, newest first."""
    actions: dict[str, list[Change]] = {}
    for change in data.changes:
        if change.action:
            actions.setdefault(change.action, []).append(change)
    given = [
        ManualGrade(
            action,
            some[0].at,
            some[0].by,
            some[0].lesson,
            some[0].task,
            some[0].by_hand,
            [change.student for change in some],
        )
        for action, some in actions.items()
    ]
    return given[::-1][:MOST_SHOWN]


def points(number: object, possible: float) -> float | None:
    """Return the points that a page sent as a number; None if the field was empty.

    Args:
        number: the content of the field.
        possible: the maximum.

    Raises:
        NotThere: the content is not a number from 0 to the maximum.
    """
    text = str(number if number is not None else "").strip().replace(",", ".")
    try:
        value = float(text) if text else None
    except ValueError:
        value = -1.0
    if value is not None and not 0 <= value <= possible:
        raise NotThere(_("Points are a number from 0 to {most}.", most=f"{possible:g}"))
    return value


def give(
    book: GradebookWriter,
    lesson: str,
    task: str,
    students: Iterable[str],
    value: float | None,
    was: float | None,
    by: str,
    why: str = "points by hand",
) -> tuple[list[str], list[str]]:
    """Give some students these points for a task, except those whose points by hand have changed meanwhile.

    Args:
        book: the gradebook; the caller commits.
        lesson: the lesson's name.
        task: the task's id.
        students: the students' ids.
        value: the points; None to take points by hand back.
        was: the points by hand that the page showed.
        by: the name of the person who gives them.
        why: the reason that is recorded.

    Returns:
        The students who now have these points, and those who keep other points.
    """
    have, keep, changes, action = [], [], [], secrets.token_hex(6)
    for student in students:
        grade = book.nbgrader.find_grade(task, lesson, lesson, student)
        if grade.manual_score not in (None, was, value):
            keep.append(student)
            continue
        have.append(student)
        changes += _set(grade, lesson, task, student, value, by, why, action)
    book.verdicts.add(changes)
    for student in have:
        book.recount(lesson, student)
    return have, keep


def keep(data: Data, lesson: str, task: str, students: Iterable[str]) -> None:
    """Confirm the points by hand of some students after their answers were graded again."""
    with GradebookWriter(data.course) as book, readable(data.course.database):
        for student in students:
            grade = book.nbgrader.find_grade(task, lesson, lesson, student)
            grade.needs_manual_grade = grade.needs_manual_grade and grade.manual_score is None
        book.nbgrader.db.commit()


def take_back(data: Data, action: str, by: str) -> tuple[int, int]:
    """Undo one action of giving points, except for students whose points by hand have changed since.

    Args:
        data: the class.
        action: the id of the action.
        by: the name of the person who takes them back.

    Returns:
        The number of students whose earlier points were restored, and the number of those who keep other
        points.

    Raises:
        NotThere: there is no such action.
    """
    given = [change for change in data.changes if change.action == action and action]
    if not given:
        raise NotThere(_("There is nothing of that kind to take back."))
    unchanged, changes, again = 0, [], secrets.token_hex(6)
    with GradebookWriter(data.course) as book, readable(data.course.database):
        for change in given:
            try:
                grade = book.nbgrader.find_grade(change.task, change.lesson, change.lesson, change.student)
            except MissingEntry:  # the notebook turned out to be somebody else's
                unchanged += 1
                continue
            if grade.manual_score != change.by_hand:
                unchanged += 1
                continue
            which = change.lesson, change.task, change.student
            changes += _set(grade, *which, change.by_hand_before, by, "points by hand taken back", again)
            if grade.auto_score is None:
                book.verdicts.tick(Ticked(change.lesson, change.student, change.task, ()))
        book.verdicts.add(changes)
        for change in changes:
            book.recount(change.lesson, change.student)
        graded = {(grading.lesson, grading.student) for grading in data.gradings}
        for change in changes:
            if (change.lesson, change.student) not in graded:
                _restore_empty(book, change.lesson, change.student)
        book.nbgrader.db.commit()
    return len(given) - unchanged, unchanged


def _restore_empty(book: GradebookWriter, lesson: str, student: str) -> None:
    """Remove the entry of a student who has handed in nothing, once a person has given nothing there."""
    book.enter(lesson, student)
    notebook = book.nbgrader.find_submission_notebook(lesson, lesson, student)
    points = [score for grade in notebook.grades for score in (grade.auto_score, grade.manual_score)]
    if not any(comment.manual_comment for comment in notebook.comments) and set(points) <= {None}:
        book.withdraw(lesson, student, "points by hand taken back")


def _set(
    grade: Grade, lesson: str, task: str, student: str, value: float | None, by: str, why: str, action: str
) -> list[Change]:
    """Set the points by hand of one grade; what that changes, if it does."""
    before = grade.manual_score
    grade.manual_score = value
    grade.needs_manual_grade = value is None and grade.auto_score is None
    if before == value:
        return []
    old, new = (_score(grade, points_by_hand) for points_by_hand in (before, value))
    return [Change(lesson, student, task, now(), old, new, why, by, before, value, action)]


def _score(grade: Grade, by_hand: float | None) -> float | None:
    """Return what a grade is with these points by hand; None where nobody has judged it then."""
    first = grade.auto_score if by_hand is None else by_hand
    return None if first is None else float(first + (grade.extra_credit or 0.0))
