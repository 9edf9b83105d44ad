"""Show one task for all students: answers grouped by verdict, and one comment or score for a whole group."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograder.classroom.class_report import without_names
from autograder.classroom.desk import manual_grades
from autograder.classroom.desk.free_text_page import as_markup, statement
from autograder.classroom.desk.page_data import Data, NotThere, cell_of
from autograder.grading.gradebook_writer import FOR_EVERYBODY, GradebookWriter
from autograder.grading.graded_results import TaskResult, readable
from autograder.words.language import _


@dataclass(frozen=True)
class Answer:
    """One answer and the students who gave it, apart from comments, file names and layout."""

    text: str
    students: Sequence[str]


@dataclass(frozen=True)
class Group:
    """The answers to a task with the same verdict."""

    key: str
    says: str  # the verdict, in words
    hint: str  # the hint for a learner with that mistake
    section: str  # the section of the lessons that explains it
    students: Sequence[str]
    points: Sequence[float]  # the points of its students, from the fewest to the most
    by_hand: float | None  # the most frequent manual points
    by_hand_others: int  # the number of students with other manual points
    again: Sequence[str]  # students who were graded again since they got manual points
    answers: Sequence[Answer]  # the commonest first
    comment: str  # the most frequent comment
    others: int  # the number of students with another comment


def on_page(data: Data, lesson: str, name: str) -> dict[str, Any]:
    """Return the template variables of a task's page: all its answers, the commonest wrong ones first.

    Raises:
        NotThere: nobody has answered such a task, or it is a written question.
    """
    results = _results(data, lesson, name)
    grouped = sorted(
        _grouped(data, results).items(),
        key=lambda each: (each[1][0].right, not each[1][0].answered, -len(each[1])),
    )
    return {
        "lesson": lesson,
        "task": name,
        "title": data.words(lesson).title(name),
        "statement": as_markup(statement(data.course, lesson, name)),
        "possible": results[0].possible,
        "groups": [_group(data, key, some) for key, some in grouped],
        "comments": [text for text, _ in data.counted_comments(results).most_common()],
    }


def comment_on(data: Data, lesson: str, name: str, key: str, comment: str, before: str) -> tuple[int, int]:
    """Write one comment on every answer of a group, in nbgrader's gradebook.

    Args:
        data: the class.
        lesson: the lesson's name.
        name: the task's id.
        key: the group's key on the page.
        comment: the comment; "" removes the comment.
        before: the comment that the page showed. Answers with any other comment keep theirs.

    Returns:
        The number of answers that now have the comment, and of those that keep their own.

    Raises:
        NotThere: there is no such group.
    """
    members = _grouped(data, _results(data, lesson, name)).get(key)
    if not members:
        raise NotThere(_("There is no such group of answers any more: load the page again."))
    commented = [result for result in members if data.comment(result) in ("", before, comment)]
    with GradebookWriter(data.course) as book, readable(data.course.database):
        for result in commented:
            existing = book.nbgrader.find_comment(cell_of(result), lesson, lesson, result.student)
            existing.manual_comment = comment or None
        book.nbgrader.db.commit()
    return len(commented), len(members) - len(commented)


def points_for(
    data: Data, lesson: str, name: str, key: str, value: object, was: object, by: str
) -> tuple[int, int]:
    """Give every answer of a group the same points by hand; "" removes points by hand.

    Args:
        data: the class.
        lesson: the lesson's name.
        name: the task's id.
        key: the group's key on the page.
        value: the points that the page sent.
        was: the points by hand that the page showed. Answers with other points by hand keep theirs.
        by: the name of the person who gives them.

    Returns:
        The number of answers that now have the points, and of those that keep other points by hand.

    Raises:
        NotThere: there is no such group, or the points are not valid.
    """
    results = _results(data, lesson, name)
    members = _grouped(data, results).get(key)
    if not members:
        raise NotThere(_("There is no such group of answers any more: load the page again."))
    given, shown = (manual_grades.points(number, results[0].possible) for number in (value, was))
    students = [result.student for result in members if (lesson, result.student, name) in data.marks]
    with GradebookWriter(data.course) as book, readable(data.course.database):
        have, keep = manual_grades.give(book, lesson, name, students, given, shown, by)
        book.nbgrader.db.commit()
    return len(have), len(keep)


def keep_points(data: Data, lesson: str, name: str, key: str) -> int:
    """Confirm the points by hand of a group after its answers were graded again.

    Returns:
        The number of answers whose points were waiting to be confirmed.

    Raises:
        NotThere: there is no such group.
    """
    members = _grouped(data, _results(data, lesson, name)).get(key)
    if not members:
        raise NotThere(_("There is no such group of answers any more: load the page again."))
    waiting = _group(data, key, members).again
    manual_grades.keep(data, lesson, name, waiting)
    return len(waiting)


def points_for_everybody(data: Data, lesson: str, name: str, value: object, by: str) -> tuple[int, int]:
    """Give the whole class the same points by hand for a task, including students without a submission.

    Students with other points by hand keep theirs. Grading again does not change the points.

    Args:
        data: the class.
        lesson: the lesson's name.
        name: the task's id.
        value: the points that the page sent.
        by: the name of the person who gives them.

    Returns:
        The number of students who now have the points, and of those who keep other points by hand.

    Raises:
        NotThere: there is no such task, or the points are not valid.
    """
    points = manual_grades.points(value, _results(data, lesson, name)[0].possible)
    if points is None:
        raise NotThere(_("Say how many points everybody gets."))
    with GradebookWriter(data.course) as book, readable(data.course.database):
        for student in data.people:
            if (lesson, student, name) not in data.marks:
                book.enter(lesson, student)
        everybody = list(data.people)
        have, keep = manual_grades.give(book, lesson, name, everybody, points, None, by, FOR_EVERYBODY)
        book.nbgrader.db.commit()
    return len(have), len(keep)


def _results(data: Data, lesson: str, name: str) -> list[TaskResult]:
    results = data.tasks.get((lesson, name), [])
    if not results or results[0].points is None:
        raise NotThere(_("Nobody has answered a task {name} of {lesson}.", name=name, lesson=lesson))
    return results


def _grouped(data: Data, results: Sequence[TaskResult]) -> dict[str, list[TaskResult]]:
    groups: dict[str, list[TaskResult]] = defaultdict(list)
    for result in results:
        text = " ".join(result.faults) or data.words(result.lesson).says(result)
        groups[hashlib.sha256(text.encode()).hexdigest()[:16]].append(result)
    return dict(groups)


def _group(data: Data, key: str, members: Sequence[TaskResult]) -> Group:
    first = members[0]
    words = data.words(first.lesson)
    mistake = words.known(first.task, first.faults[0]) if len(first.faults) == 1 else None
    same: dict[str, list[TaskResult]] = defaultdict(list)
    for result in members:
        same[without_names(result.answer)].append(result)
    answers = [Answer(some[0].answer, [result.student for result in some]) for some in same.values()]
    comments = data.counted_comments(members)
    comment, times = next(iter(comments.most_common(1)), ("", 0))
    marks = [
        mark
        for result in members
        if (mark := data.marks.get((result.lesson, result.student, result.task))) is not None
    ]
    by_hands = Counter(mark.manual for mark in marks if mark.manual is not None)
    given, often = next(iter(by_hands.most_common(1)), (None, 0))
    return Group(
        key,
        words.says(first) or _("right"),
        mistake.hint if mistake else "",
        words.section(mistake.section) if mistake else "",
        [result.student for result in members],
        sorted({mark.score for mark in marks}),
        given,
        by_hands.total() - often,
        [mark.student for mark in marks if mark.waiting and mark.manual is not None],
        sorted(answers, key=lambda answer: -len(answer.students)),
        comment,
        comments.total() - times,
    )
