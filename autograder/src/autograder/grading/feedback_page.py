"""The page that a student gets back: the score, the findings for each task, and the notebook."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment
from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import Connection, select
from traitlets import Unicode
from traitlets.config import Config

from autograder.grading.graded_results import RECORDS, Grading, Store, TaskResult, connected
from autograder.grading.late_policy import ATTEMPT, Policy, is_guess
from autograder.grading.read_submission import NOTES_CELL, UNREADABLE
from autograder.grading.sanitize_html import MarkingScheme
from autograder.records.course import Course
from autograder.words.feedback_card import inline
from autograder.words.language import ON_PAGES, SPOKEN, speaking

# A sandbox knows nothing of what the student has solved before.
PROGRESS = re.compile(r"^progress\(", re.MULTILINE)


@dataclass(frozen=True)
class About:
    """The gradebook's data on a submission, for its feedback page."""

    name: str = ""
    time: str = ""  # the time of submission
    by_a_moment: bool = False  # whether it was late by an amount that the platform does not state
    found: Mapping[str, TaskResult] = field(default_factory=dict)  # by task
    state: str = ""  # a digest of all that was given and found, by which an outdated page is recognised
    # The written answers that nobody has read; True for those with points that were given to earlier words.
    unread: Mapping[str, bool] = field(default_factory=dict)


def about(course: Course, database: str, lesson: str, student: str) -> About:
    """Return the gradebook's data on a student's submission for a lesson.

    Args:
        course: the course.
        database: the gradebook's address.
        lesson: the lesson's name.
        student: the student's id.
    """
    asked = (
        select(Student.first_name, Student.last_name, SubmittedAssignment.timestamp)
        .join(SubmittedAssignment, SubmittedAssignment.student_id == Student.id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .where(Assignment.name == lesson, Student.id == student)
    )
    with connected(database) as connection:
        row = connection.execute(asked).first()
        results = {result.task: result for result in Store(connection).read(TaskResult, lesson, student)}
        state = states(connection, lesson, student).get(student, "")
        unread = _unread(connection, lesson, student).get(student, {})
    first, last, time = row or (None, None, None)
    policy = Policy.read(course.root, course.lessons)
    due = policy.due_for(lesson, student)
    by_a_moment = bool(time and due and is_guess(time) and time > due)
    time_text = policy.local_time(time) if time and not is_guess(time) else ""
    name = " ".join(filter(None, (first, last))) or student
    return About(name, time_text, by_a_moment, results, state, unread)


def states(connection: Connection, lesson: str, student: str = "") -> dict[str, str]:
    """Return, by student, a digest of what the gradebook says of a lesson: all that a page tells of it.

    That is scores, comments and times, those too that nbgrader or a person wrote, what was found of each
    answer, and which answers nobody has read. A submission that is graded again to the same result keeps it.

    Args:
        connection: an open connection to the gradebook.
        lesson: the lesson's name.
        student: the id of a single student; all by default.
    """
    digests: dict[str, Any] = defaultdict(hashlib.sha256)
    whose = [SubmittedAssignment.student_id == student] if student else []
    given = (Grade.auto_score, Grade.manual_score, Grade.extra_credit)
    for kind, columns in ((Grade, given), (Comment, (Comment.auto_comment, Comment.manual_comment))):
        handed_in = SubmittedAssignment.timestamp, SubmittedNotebook.late_submission_penalty
        asked = (
            select(SubmittedAssignment.student_id, *handed_in, kind.cell_id, *columns)
            .join_from(kind, SubmittedNotebook, SubmittedNotebook.id == kind.notebook_id)
            .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
            .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
            .where(Assignment.name == lesson, *whose)
            .order_by(kind.cell_id)
        )
        for of_student, *row in connection.execute(asked):
            digests[of_student].update(repr(row).encode())
    for of_student, tasks in _unread(connection, lesson, student).items():
        digests[of_student].update(repr(sorted(tasks.items())).encode())
    of_results = (
        select(RECORDS.c.student, RECORDS.c.record)
        .where(RECORDS.c.kind == TaskResult.__name__, RECORDS.c.lesson == lesson)
        .order_by(RECORDS.c.id)
    )
    if student:
        of_results = of_results.where(RECORDS.c.student == student)
    for of_student, record in connection.execute(of_results):
        digests[of_student].update(record.encode())
    for grading in Store(connection).read(Grading, lesson, student):
        digests[grading.student].update(repr([str(note) for note in grading.notes]).encode())
    return {name: digest.hexdigest()[:16] for name, digest in digests.items()}


def _unread(connection: Connection, lesson: str, student: str = "") -> dict[str, dict[str, bool]]:
    """Return, by student, the written answers that nobody has read; see `About.unread`."""
    asked = (
        select(SubmittedAssignment.student_id, BaseCell.name, Grade.manual_score)
        .join_from(Grade, SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .join(BaseCell, BaseCell.id == Grade.cell_id)
        .where(Assignment.name == lesson, Grade.needs_manual_grade, Grade.auto_score.is_(None))
    )
    if student:
        asked = asked.where(SubmittedAssignment.student_id == student)
    unread: dict[str, dict[str, bool]] = {}
    for of_student, task, manual in connection.execute(asked):
        unread.setdefault(of_student, {})[task] = manual is not None
    return unread


class FeedbackExporter(HTMLExporter):
    """nbconvert's HTML exporter with the tool's template, which names the tasks and needs no network.

    The page is in the language in which the notebook was written.
    """

    root = Unicode("", help="The course's folder.").tag(config=True)

    def __init__(self, config: Config | None = None, **kw: Any) -> None:
        own_config = Config(config or {})  # in which nbgrader names its own template
        steps = own_config.HTMLExporter.get("preprocessors", [])
        own_config.HTMLExporter.preprocessors = [
            step for step in steps if not step.endswith(MarkingScheme.__name__)
        ]
        own_config.HTMLExporter.template_name = "feedback-page"
        own_config.HTMLExporter.extra_template_basedirs = [str(Path(__file__).parent / "templates")]
        super().__init__(config=own_config, **kw)

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        course, resources = Course.read(Path(self.root)), resources or {}
        marks = resources.get("nbgrader", {})
        which = (str(marks.get(key, "")) for key in ("db_url", "assignment", "student"))
        told = (NOTES_CELL, ATTEMPT)
        shown = deepcopy(nb)
        shown.cells = [
            cell for cell in nb.cells if cell.get("id") not in told and not PROGRESS.search(cell.source)
        ]
        resources["about"] = gathered = about(course, *which)
        marked = [cell.metadata.nbgrader for cell in nb.cells if "nbgrader" in cell.metadata]
        # What the score leaves open, by task.
        resources["unread"] = {
            mark.grade_id: float(mark.points)
            for mark in marked
            if mark.get("grade") and gathered.unread.get(mark.grade_id) is False
        }
        resources["told"] = [cell.source for cell in nb.cells if cell.get("id") in told]
        resources["unreadable"] = str(nb.metadata.get(UNREADABLE, ""))
        with speaking(course.bank, nb.metadata.get(SPOKEN, "")):
            page: tuple[str, dict[str, Any]] = super().from_notebook_node(shown, resources, **kw)
        return page

    def _create_environment(self) -> Environment:
        environment: Environment = super()._create_environment()
        environment.globals.update(ON_PAGES)
        environment.filters["inline"] = inline
        return environment
