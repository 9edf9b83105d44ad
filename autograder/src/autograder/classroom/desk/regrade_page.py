"""Show students' regrade requests, and answer them with a comment and, if needed, with points."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from autograder.classroom.desk import manual_grades
from autograder.classroom.desk.page_data import Data, NotThere, Outdated, cell_of
from autograder.grading.gradebook_writer import GradebookWriter
from autograder.grading.graded_results import Asked, now, readable
from autograder.words.language import _


def key_of(asked: Asked) -> str:
    """Return a key that identifies a request on a page."""
    which = asked.lesson, asked.student, asked.task, asked.text
    return hashlib.sha256("\0".join(which).encode()).hexdigest()[:16]


def on_page(data: Data) -> dict[str, Any]:
    """Return the template variables of the page of requests. Unanswered requests come first, oldest first."""
    by_task = {(result.lesson, result.student, result.task): result for result in data.results}
    rows = [
        (key_of(asked), asked, data.marks.get(which), by_task.get(which))
        for which, asked in (
            ((asked.lesson, asked.student, asked.task), asked)
            for asked in sorted(data.asked, key=lambda asked: (bool(asked.answered), asked.at))
        )
    ]
    return {"rows": rows, "waiting": sum(not asked.answered for _, asked, *_ in rows)}


def answer(data: Data, key: str, text: str, before: str, value: object, was: object, by: str) -> None:
    """Answer a request with a comment on the student's answer, and with new points if they differ.

    Args:
        data: the class.
        key: the request's key on the page.
        text: the comment, which the student reads.
        before: the answer to the request that the page showed.
        value: the points that the page sent.
        was: the points by hand that the page showed.
        by: the name of the person who answers.

    Raises:
        NotThere: there is no such request, the comment is empty, or somebody else has changed the points.
        Outdated: somebody else has answered the request since the page was loaded.
    """
    asked = next((request for request in data.asked if key_of(request) == key), None)
    mark = data.marks.get((asked.lesson, asked.student, asked.task)) if asked else None
    if asked is None or mark is None:
        raise NotThere(_("There is no such request."))
    if asked.answer != before:
        raise Outdated({"comment": asked.answer})
    if not text:
        raise NotThere(_("Say something: the student reads it."))
    points, shown = manual_grades.points(value, mark.possible), manual_grades.points(was, mark.possible)
    which = asked.lesson, asked.task
    results = [result for result in data.tasks.get(which, []) if result.student == asked.student]
    cell = cell_of(results[0]) if results else asked.task
    with GradebookWriter(data.course) as book, readable(data.course.database):
        if points != shown and manual_grades.give(book, *which, [asked.student], points, shown, by)[1]:
            raise NotThere(_("Somebody has given this answer other points meanwhile: load the page again."))
        comment = book.nbgrader.find_comment(cell, asked.lesson, asked.lesson, asked.student)
        earlier = [
            line for line in (comment.manual_comment or "").split("\n\n") if line and line != asked.answer
        ]
        comment.manual_comment = "\n\n".join([*earlier, text])
        book.verdicts.ask(replace(asked, answer=text, by=by, answered=now()))
        book.nbgrader.db.commit()
