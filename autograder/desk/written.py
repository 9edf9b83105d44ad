"""One written question over all students: what each wrote, the marking scheme, and what a person gives."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from autograder.build.source import answers_in
from autograder.grading import verdicts
from autograder.grading.course import Class
from autograder.grading.gradebook import Book
from autograder.grading.safe_html import markdown2html
from autograder.grading.verdicts import Ticked

LINE = re.compile(r"^- (\d+(?:\.\d+)?) points?: (.*(?:\n {2}.*)*)", re.MULTILINE)


@dataclass(frozen=True)
class Line:
    """A line of a marking scheme."""

    points: float
    text: Markup


@dataclass(frozen=True)
class Written:
    """What one student wrote, and what they were given; `key` stands for who it is."""

    key: str
    text: Markup
    ticked: tuple[int, ...]
    comment: str
    score: float | None
    waiting: bool


@dataclass(frozen=True)
class Question:
    """A written question: its scheme, all answers in an order that tells nothing, comments given so far."""

    lesson: str
    task: str
    possible: float
    lines: tuple[Line, ...]
    answers: tuple[Written, ...]
    comments: tuple[str, ...]


class NoAnswer(Exception):
    """There is no such written answer, or what is to be given for it makes no sense."""


def questions(course: Class) -> list[tuple[str, str, int]]:
    """The written questions that were answered: lesson, task, and how many answers are yet to be read."""
    with verdicts.opened(course.database) as store:
        asked = dict.fromkeys((one.lesson, one.task) for one in store.results() if one.points is None)
    with Book(course) as book:
        found = []
        for lesson, task in asked:
            some = book.nbgrader.assignment_submissions(lesson)
            grades = (grade for one in some for notebook in one.notebooks for grade in notebook.grades)
            found.append((lesson, task, sum(one.needs_manual_grade for one in grades if one.name == task)))
    return found


def question(course: Class, lesson: str, task: str, token: str) -> Question:
    """A question with all its answers.

    Args:
        course: the class.
        lesson: the lesson's name.
        task: the id of the cell with the answer.
        token: what the keys of answers are made from.

    Raises:
        NoAnswer: nobody has answered such a question.
    """
    with verdicts.opened(course.database) as store:
        results = [one for one in store.results(lesson) if one.task == task and one.points is None]
        ticked = {one.student: one for one in store.ticked(lesson) if one.task == task}
    if not results:
        raise NoAnswer(f"{lesson} has no written answer {task}.")
    answers = []
    with Book(course) as book:
        for one in results:
            where = task, lesson, lesson, one.student
            grade, comment = book.nbgrader.find_grade(*where), book.nbgrader.find_comment(*where)
            given = ticked.get(one.student)
            answers.append(
                Written(
                    key_of(one.student, token),
                    shown(one.answer) if one.answered else Markup(""),
                    given.lines if given else (),
                    comment.manual_comment or "",
                    grade.score if grade.manual_score is not None or not grade.needs_manual_grade else None,
                    grade.needs_manual_grade,
                )
            )
    answers.sort(key=lambda one: one.key)
    comments = Counter(one.comment for one in answers if one.comment)
    return Question(
        lesson,
        task,
        results[0].possible,
        scheme(course, lesson, task),
        tuple(answers),
        tuple(text for text, _ in comments.most_common()),
    )


def give(
    course: Class, lesson: str, task: str, key: str, token: str, lines: Sequence[int], comment: str
) -> float:
    """Give an answer the points of some lines of the scheme, in nbgrader's gradebook; returns the points.

    Raises:
        NoAnswer: there is no such answer or line.
    """
    with verdicts.opened(course.database) as store:
        students = [one.student for one in store.results(lesson) if one.task == task and one.points is None]
    student = next((one for one in students if key_of(one, token) == key), None)
    known = scheme(course, lesson, task)
    if student is None or not all(0 <= place < len(known) for place in lines):
        raise NoAnswer("There is no such answer, or no such line in its marking scheme.")
    score = sum(known[place].points for place in sorted(set(lines)))
    with Book(course) as book:
        where = task, lesson, lesson, student
        grade, said = book.nbgrader.find_grade(*where), book.nbgrader.find_comment(*where)
        grade.manual_score, grade.needs_manual_grade = score, False
        said.manual_comment = comment.strip() or None
        book.verdicts.tick(Ticked(lesson, student, task, tuple(sorted(set(lines)))))
        book.nbgrader.db.commit()
    return score


def scheme(course: Class, lesson: str, task: str) -> tuple[Line, ...]:
    """The lines of a question's marking scheme; none where the lesson's source is not there."""
    source = course.place(course.directory.source_directory, ".", lesson)
    text = answers_in(source, lesson, "markdown").get(task, "")
    return tuple(Line(float(points), shown(what)) for points, what in LINE.findall(text))


def shown(text: str) -> Markup:
    """What a student wrote, as a page may show it."""
    return Markup(markdown2html(None, text))  # type: ignore[arg-type]  # noqa: S704


def key_of(student: str, token: str) -> str:
    """What stands for a student on a page without names."""
    return hashlib.sha256(f"{token} {student}".encode()).hexdigest()[:16]
