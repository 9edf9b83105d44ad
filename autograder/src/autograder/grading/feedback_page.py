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
from nbgrader.api import Assignment, Comment, Grade, Student, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import Connection, select
from traitlets import Unicode
from traitlets.config import Config

from autograder.grading.graded_results import Store, TaskResult, connected
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
    state: str = ""  # a digest of points, comments and times, by which an outdated page is recognised


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
    first, last, time = row or (None, None, None)
    policy = Policy.read(course.root, course.lessons)
    due = policy.due_for(lesson, student)
    by_a_moment = bool(time and due and is_guess(time) and time > due)
    time_text = policy.local_time(time) if time and not is_guess(time) else ""
    return About(" ".join(filter(None, (first, last))) or student, time_text, by_a_moment, results, state)


def states(connection: Connection, lesson: str, student: str = "") -> dict[str, str]:
    """Return, by student, a digest of the gradebook's scores, comments and times for a lesson.

    It covers data that nbgrader or a person wrote, too.

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
    return {name: digest.hexdigest()[:16] for name, digest in digests.items()}


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
        resources["about"] = about(course, *which)
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
