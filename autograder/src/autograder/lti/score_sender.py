"""Send scores to a platform: each once, and again only if it has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pylti1p3.assignments_grades import AssignmentsGradesService
from pylti1p3.exception import LtiException
from pylti1p3.grade import Grade
from pylti1p3.lineitem import LineItem

from autograder.classroom.score_export import Scores, factor
from autograder.lti.course_store import PlatformContext, SentScore, StateStore
from autograder.lti.platform_client import Connection, Unreachable
from autograder.lti.registrations import is_web

SCOPE = "https://purl.imsglobal.org/spec/lti-ags/scope/"
# What a platform is told of a score: that it counts, or that a person has yet to read an answer.
FINAL, WAITING = "FullyGraded", "PendingManual"
MOST_COMMENT = 10_000  # letters


@dataclass(frozen=True)
class Column:
    """A lesson's column of scores on a platform."""

    lesson: str
    address: str  # "" for a column that does not exist yet
    factor: float  # the factor of the scores
    most: float  # the maximum of the column


@dataclass(frozen=True)
class ScoreChange:
    """A score that is to be sent to a platform, or was."""

    lesson: str
    score: SentScore
    before: SentScore | None  # the platform's score
    failed: str = ""  # the reason why it could not be sent

    @property
    def description(self) -> str:
        """The change in words, for a person."""
        was = f" (it has {self.before.score:g})" if self.before else ""
        waits = ", still to be read" if self.score.progress == WAITING else ""
        comment = ", with a comment" if self.score.comment else ""
        failed = f": not sent: {self.failed}" if self.failed else ""
        points = f"{self.score.score:g} of {self.score.most:g}"
        return f"{self.score.student}, {self.lesson}: {points}{was}{waits}{comment}{failed}"


@dataclass(frozen=True)
class Plan:
    """The scores to send for one lesson to one course on a platform."""

    column: Column
    steps: Sequence[ScoreChange]
    same: int  # the number of scores that the platform has already


class GradebookColumns:
    """The columns for scores in a course's gradebook on a platform.

    Raises:
        Unreachable: the platform accepts no scores from this tool.
    """

    def __init__(self, connection: Connection, context: PlatformContext, memory: StateStore) -> None:
        self._place, self._memory = context, memory
        self._scopes = context.scopes.split()
        service = {"scope": [scope for scope in self._scopes if scope.startswith(SCOPE)]}
        self._service = AssignmentsGradesService(connection, {**service, "lineitems": context.lineitems})
        if not self._service.can_put_grade():
            raise Unreachable(
                f"{context.issuer} takes no scores from this tool: it does not offer that scope."
            )

    def column(self, class_scores: Scores, lesson: str, scale: bool, make: bool) -> Column:
        """Return a lesson's column: one that an LTI launch named, else one with its id, else a new one.

        Args:
            class_scores: the scores of the class.
            lesson: the lesson's name.
            scale: whether to scale scores if the column's maximum is not the lesson's.
            make: whether to create the column now, if it does not exist and the platform allows it.

        Raises:
            Unreachable: the column does not exist and cannot be created.
            OtherMaximum: the column's maximum is not the lesson's, and `scale` is false.
        """
        try:
            title = class_scores.title(lesson)
            address, most = self._found(lesson, title, class_scores.possible[lesson], make)
        except (LtiException, AttributeError, TypeError):  # what the library makes of an answer that is none
            address, most = None, None
        if address is None or (address and not is_web(address)):
            raise Unreachable(f"{self._place.issuer} does not tell its columns as the specification has it.")
        times = factor(class_scores, lesson, "" if most is None else f"{most}", scale)
        return Column(lesson, address, times, round(class_scores.possible[lesson] * times, 4))

    def _found(self, lesson: str, title: str, possible: float, make: bool) -> tuple[str | None, object]:
        """Return a column's address, "" where it is yet to be made, and what can be earned there."""
        address, most = self._memory.lineitem(self._place, lesson), None
        if self._service.can_read_lineitem():
            if address:
                item = self._service.get_lineitem(address)
            else:
                item = self._service.find_lineitem("resourceId", title) if self._place.lineitems else None
            address, most = (item.get_id() or address, item.get_score_maximum()) if item else (address, None)
        if address:
            return address, most
        if not (self._service.can_create_lineitem() and self._place.lineitems):
            raise Unreachable(f"{self._place.issuer} has no column for {title}, and none may be made.")
        if not make:
            return "", possible
        new = LineItem().set_label(title).set_resource_id(title).set_tag(title)
        lineitem = self._service.find_or_create_lineitem(new.set_score_maximum(possible))
        return lineitem.get_id(), lineitem.get_score_maximum() or possible

    def plan(self, class_scores: Scores, column: Column, comments: Mapping[str, str] | None) -> Plan:
        """Return the scores of a lesson that differ from those on the platform.

        Args:
            class_scores: the scores of the class.
            column: the column for the lesson's scores.
            comments: a comment for each student, by student id; None to leave all comments as they are.
        """
        users = {student: user for user, student in self._memory.people(self._place).items()}
        before = self._memory.sent(self._place, column.address) if column.address else {}
        unread = {
            mark.student for mark in class_scores.marks if mark.lesson == column.lesson and mark.to_read
        }
        steps, same = [], 0
        for (student, lesson), score in sorted(class_scores.scores.items()):
            if lesson != column.lesson or student not in users:
                continue
            last = before.get(student)
            comment = comments.get(student, "") if comments is not None else (last.comment if last else "")
            points = round(score * column.factor, 4)
            state = WAITING if student in unread else FINAL
            new = SentScore(student, users[student], points, column.most, state, comment[:MOST_COMMENT])
            if new == last:
                same += 1
            else:
                steps.append(ScoreChange(lesson, new, last))
        return Plan(column, steps, same)

    def send(self, plan: Plan, comments: bool) -> Iterator[ScoreChange]:
        """Send planned scores one by one, and record each that the platform has accepted.

        Args:
            plan: the scores.
            comments: whether to send the comments too.

        Yields:
            Each score that was tried; `failed` says why it was not accepted.

        Raises:
            Unreachable: the platform refused three scores in a row.
        """
        failed = 0
        for step in plan.steps:
            score = step.score
            now = _after(self._memory.last(self._place, plan.column.address, score.student))
            grade = Grade().set_user_id(score.user).set_timestamp(now).set_activity_progress("Completed")
            grade.set_score_given(score.score).set_score_maximum(score.most).set_grading_progress(
                score.progress
            )
            if comments:
                grade.set_comment(score.comment)
            try:
                self._service.put_grade(grade, LineItem({"id": plan.column.address}))
            except (Unreachable, LtiException) as problem:
                failed += 1
                yield ScoreChange(step.lesson, score, step.before, str(problem))
                if failed == 3:
                    raise Unreachable(
                        f"{plan.column.lesson}: three scores after each other were not taken."
                    ) from None
                continue
            failed = 0
            self._memory.record(self._place, plan.column.address, [score], now)
            yield step


def _after(last: str) -> str:
    """Return the time, but at least a second after a score was sent last, whatever this machine's clock says.

    A platform refuses a score that is not newer than the one it has, and some look at seconds only.
    """
    now = datetime.now(UTC)
    if last:
        now = max(now, datetime.fromisoformat(last) + timedelta(seconds=1))
    return now.isoformat(timespec="microseconds")
