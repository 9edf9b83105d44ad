"""Read the data for all pages of the desk, once, from the gradebook and the stored verdicts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from statistics import fmean
from typing import Any

from autograder.classroom import gradebook_queries, score_export
from autograder.classroom.class_report import Words
from autograder.classroom.class_roster import Person, normalize_name
from autograder.classroom.collection import UNKNOWN, CollectionRecord, read_record
from autograder.classroom.gradebook_queries import HandedIn, Mark
from autograder.classroom.platforms.registry import platforms_of
from autograder.classroom.score_export import Scores
from autograder.grading import graded_results
from autograder.grading.class_folder import Class
from autograder.grading.graded_results import Asked, Change, Grading, TaskResult, Ticked
from autograder.records.authoring_errors import UserError
from autograder.words.language import _, ngettext


@dataclass(frozen=True)
class StudentWork:
    """A student's submission for a lesson, its score, and the mark and result of each task."""

    handed_in: HandedIn
    score: float
    rows: Sequence[tuple[Mark, TaskResult | None]]
    notes: Sequence[str] = ()  # notes from grading for a person, such as why nothing could be read
    by_hand_alone: bool = False  # whether nothing is graded, and there are only points that a person gave

    @property
    def lesson(self) -> str:
        """The lesson's name."""
        return self.handed_in.lesson

    @property
    def waiting(self) -> int:
        """The number of its answers that a person has still to read."""
        return sum(mark.to_read for mark, _ in self.rows)

    @property
    def why_nothing(self) -> Sequence[str]:
        """The notes of grading if the checks gave no points: points that a person gave do not hide them."""
        return () if any(mark.auto for mark, _ in self.rows) else self.notes

    @property
    def flags(self) -> list[tuple[str, str]]:
        """The tasks at which a person should look, each with the flag that says why."""
        return [(result.task, flag) for _, result in self.rows if result for flag in result.flags]


@dataclass(frozen=True)
class Totals:
    """The totals of a lesson: submissions, late ones, ones to look at, unread answers, and the mean score."""

    handed_in: int
    late: int
    look: int
    waiting: int
    mean: float | None


class NotThere(UserError):
    """The requested object does not exist, or the request makes no sense. The message says why."""


class Outdated(NotThere):
    """Somebody else saved a change first. `now` contains their values, for the page."""

    def __init__(self, now: Mapping[str, Any]) -> None:
        self.now = now
        super().__init__(_("Somebody was faster. You see now what they gave; save again to change it."))


@dataclass(frozen=True)
class Data:
    """A class, its scores and its grading results."""

    course: Class
    known: Scores
    results: Sequence[TaskResult]
    ticked: Sequence[Ticked]
    changes: Sequence[Change]
    gradings: Sequence[Grading]
    asked: Sequence[Asked]
    comments: Mapping[tuple[str, str, str], str]  # a person's comments, by lesson, student and answer cell

    @cached_property
    def people(self) -> dict[str, Person]:
        """The students of the class, by id."""
        return {person.id: person for person in self.known.people}

    @cached_property
    def marks(self) -> dict[tuple[str, str, str], Mark]:
        """The marks in the gradebook, by lesson, student and task."""
        return {(mark.lesson, mark.student, mark.task): mark for mark in self.known.marks}

    @cached_property
    def ordered(self) -> list[Person]:
        """The students in the order of a class list: by last name, or by id if there is no name."""
        return sorted(
            self.known.people,
            key=lambda person: (
                normalize_name(person.last_name or person.id),
                normalize_name(person.first_name),
                person.id,
            ),
        )

    @cached_property
    def sections(self) -> list[str]:
        """The names of the class's sections, in alphabetical order."""
        return sorted({person.section for person in self.known.people if person.section})

    @cached_property
    def others(self) -> Mapping[str, tuple[str, ...]]:
        """The names of submitted files that are not notebooks, by student, until their notebook is there."""
        return {
            student: names
            for student, names in self._record.others.items()
            if not (lessons := self._record.instead_of.get(student, ()))
            or not all(self.is_handed_in(student, lesson) for lesson in lessons)
        }

    @cached_property
    def tasks(self) -> dict[tuple[str, str], list[TaskResult]]:
        """The results of grading, by lesson and task."""
        by_task: dict[tuple[str, str], list[TaskResult]] = defaultdict(list)
        for result in self.results:
            by_task[result.lesson, result.task].append(result)
        return dict(by_task)

    @cached_property
    def works(self) -> dict[str, list[StudentWork]]:
        """The submissions of each student, by student id, in the order of lessons and tasks."""
        by_task = {(result.lesson, result.student, result.task): result for result in self.results}
        order = {which: position for position, which in enumerate(self.tasks)}
        rows: dict[tuple[str, str], list[tuple[Mark, TaskResult | None]]] = defaultdict(list)
        for mark in sorted(
            self.known.marks, key=lambda mark: order.get((mark.lesson, mark.task), len(order))
        ):
            task = by_task.get((mark.lesson, mark.student, mark.task))
            rows[mark.student, mark.lesson].append((mark, task))
        gradings = {(grading.student, grading.lesson): grading for grading in self.gradings}
        lessons = list(self.known.lessons)
        there = [handed for handed in self.known.handed_in if handed.lesson in lessons]
        works = defaultdict(list)
        for handed in sorted(there, key=lambda handed: lessons.index(handed.lesson)):
            which = handed.student, handed.lesson
            score = self.known.scores.get(which, 0.0)
            grading = gradings.get(which)
            notes, nothing = (grading.notes, False) if grading else ((), handed.at is None)
            works[handed.student].append(StudentWork(handed, score, rows[which], notes, nothing))
        return dict(works)

    @cached_property
    def work(self) -> dict[tuple[str, str], StudentWork]:
        """The submissions, by student and lesson."""
        return {(who, handed.lesson): handed for who, several in self.works.items() for handed in several}

    def is_handed_in(self, student: str, lesson: str) -> bool:
        """Tell whether there is a notebook of a student's for a lesson, graded or not."""
        submitted = self.course.place(self.course.directory.submitted_directory, student, lesson)
        return any(submitted.glob("*.ipynb"))

    def has_left(self, student: str) -> bool:
        """Tell whether a student has left the class, as `class.toml` says."""
        return student in self.course.policy.left

    @cached_property
    def _record(self) -> CollectionRecord:
        return read_record(self.course)

    def on_time_by(self, student: str, lesson: str) -> str:
        """Return the title of the platform that marks late work, and not this; "" if there is none."""
        file = self._record.lessons.get(lesson, {}).get(student, UNKNOWN)
        platform = platforms_of(self.course.banks.course).get(file.lms)
        return platform.title if platform and platform.marks_late and not file.late else ""

    def more_time(self, student: str, lesson: str) -> str:
        """Return a student's extension in words: so many days, or until when; "" if there is none."""
        policy = self.course.policy
        more, until = policy.extensions.get((lesson, student)), policy.due_for(lesson, student)
        days, rest = divmod(more or timedelta(), timedelta(days=1))
        if days and not rest:
            return ngettext("{number} more day", "{number} more days", days)
        if more and until:
            return _("extended until {time}", time=policy.local_time(until))
        return _("extended") if more else ""

    @cached_property
    def totals(self) -> dict[str, Totals]:
        """The totals of each lesson over all students who are still in the class."""
        totals = {}
        for lesson in self.known.lessons:
            works = [
                work
                for (student, of_lesson), work in self.work.items()
                if of_lesson == lesson and not work.by_hand_alone and not self.has_left(student)
            ]
            totals[lesson] = Totals(
                len(works),
                sum(work.handed_in.late for work in works),
                sum(bool(work.flags) for work in works),
                sum(work.waiting for work in works),
                fmean(work.score for work in works) if works else None,
            )
        return totals

    @cached_property
    def questions(self) -> dict[tuple[str, str], int]:
        """The number of answers still to be read for each written question, by lesson and task."""
        return {
            question: sum(self.is_waiting(result) for result in results if not self.has_left(result.student))
            for question, results in self.tasks.items()
            if results[0].points is None
        }

    @cached_property
    def _words(self) -> dict[str, Words]:
        return {}

    def words(self, lesson: str) -> Words:
        """Return the titles of a lesson's tasks and mistakes."""
        if lesson not in self._words:
            self._words[lesson] = Words(self.course, lesson)
        return self._words[lesson]

    def title(self, lesson: str, task: str) -> str:
        """Return a task's title, or its id if the course no longer has the lesson."""
        return self.words(lesson).title(task) if lesson in self.course.banks.folders else task

    def name(self, student: str) -> str:
        """Return a student's name with the id, or the id alone if the gradebook has no name."""
        person = self.people.get(student)
        return person.who if person and person.name != student else student

    def when(self, at: str) -> str:
        """Return a time from a record in words, in the class's time zone.

        Args:
            at: the time, in ISO 8601.
        """
        return self.course.policy.local_time(datetime.fromisoformat(at))

    def is_waiting(self, result: TaskResult) -> bool:
        """Tell whether a person has still to look at an answer."""
        mark = self.marks.get((result.lesson, result.student, result.task))
        return mark is not None and mark.waiting

    def comment(self, result: TaskResult) -> str:
        """Return the comment that a person wrote on an answer; "" if there is none."""
        return self.comments.get((result.lesson, result.student, cell_of(result)), "")

    def counted_comments(self, answers: Iterable[TaskResult]) -> Counter[str]:
        """Return the comments on some answers, each with the number of answers that have it."""
        return Counter(text for result in answers if (text := self.comment(result)))


def why_look(flag: str) -> str:
    """Return the reason, in words, for which a person should look at a task."""
    reasons = {
        "stopped": _("its cell did not end by itself"),
        "forbidden": _("it makes a call that the task forbids"),
        "program": _("it starts another program, which is not watched"),
        "may-hide": _("a forbidden call may have gone unseen"),
    }
    return reasons.get(flag, flag)


def cell_of(result: TaskResult) -> str:
    """Return the id of the answer's cell, where nbgrader keeps comments."""
    return result.task if result.points is None else f"{result.task}-answer"


def read(course: Class) -> Data:
    """Return the data of a class.

    Raises:
        BadBook: the gradebook cannot be used.
    """
    class_scores = score_export.scores(course)
    with graded_results.opened(course.database) as store:
        results = [result for result in store.read(TaskResult) if result.lesson in course.banks.folders]
        records = results, store.read(Ticked), store.read(Change), store.read(Grading)
        asked = store.read(Asked)
    with gradebook_queries.opened(course.database) as book:
        return Data(course, class_scores, *records, asked, book.comments())
