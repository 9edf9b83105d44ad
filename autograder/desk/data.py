"""What the pages are made of: read once from the gradebook and the stored verdicts, for all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from autograder.exchange.people import Person
from autograder.grading import export, marks, verdicts
from autograder.grading.course import Class
from autograder.grading.export import Scores
from autograder.grading.marks import Mark
from autograder.grading.report import Words
from autograder.grading.verdicts import Change, TaskResult, Ticked


class NotThere(Exception):
    """What was asked for is not there, or makes no sense; says why."""


@dataclass(frozen=True)
class Data:
    """A class, its scores and what grading found.

    `comments` are a person's, by lesson, student and the answer's cell.
    """

    course: Class
    known: Scores
    results: Sequence[TaskResult]
    ticked: Sequence[Ticked]
    changes: Sequence[Change]
    comments: Mapping[tuple[str, str, str], str]

    @cached_property
    def people(self) -> dict[str, Person]:
        return {one.id: one for one in self.known.people}

    @cached_property
    def marks(self) -> dict[tuple[str, str, str], Mark]:
        """The gradebook's marks, by lesson, student and task."""
        return {(one.lesson, one.student, one.task): one for one in self.known.marks}

    @cached_property
    def tasks(self) -> dict[tuple[str, str], list[TaskResult]]:
        """What was found, by lesson and task."""
        found: dict[tuple[str, str], list[TaskResult]] = defaultdict(list)
        for one in self.results:
            found[one.lesson, one.task].append(one)
        return dict(found)

    @cached_property
    def works(self) -> dict[tuple[str, str], dict[str, tuple[Mark, TaskResult | None]]]:
        """What each student has for each lesson: by task, the mark and what was found."""
        found = {(one.lesson, one.student, one.task): one for one in self.results}
        works: dict[tuple[str, str], dict[str, tuple[Mark, TaskResult | None]]] = defaultdict(dict)
        for which, mark in self.marks.items():
            works[which[:2]][mark.task] = mark, found.get(which)
        return dict(works)

    @cached_property
    def questions(self) -> dict[tuple[str, str], int]:
        """The questions that were answered in words, and how many answers are yet to be read."""
        return {
            which: sum(self.is_waiting(one) for one in some)
            for which, some in self.tasks.items()
            if some[0].points is None
        }

    @cached_property
    def _words(self) -> dict[str, Words]:
        return {}

    def words(self, lesson: str) -> Words:
        """What the tasks and mistakes of a lesson are called."""
        if lesson not in self._words:
            self._words[lesson] = Words(self.course, lesson)
        return self._words[lesson]

    def name(self, student: str) -> str:
        return self.people[student].name if student in self.people else student

    def is_waiting(self, one: TaskResult) -> bool:
        """Whether a person has yet to look at an answer."""
        mark = self.marks.get((one.lesson, one.student, one.task))
        return mark is not None and mark.waiting

    def comment(self, one: TaskResult) -> str:
        """What a person wrote below an answer."""
        return self.comments.get((one.lesson, one.student, cell_of(one)), "")


def cell_of(one: TaskResult) -> str:
    """The cell that an answer stands in: there nbgrader keeps comments."""
    return one.task if one.points is None else f"{one.task}-answer"


def read(course: Class) -> Data:
    """Read all that is known of a class.

    Raises:
        BadBook: the gradebook cannot be used.
    """
    known = export.scores(course)
    with verdicts.opened(course.database) as store:
        found = store.read(TaskResult), store.read(Ticked), store.read(Change)
    with marks.opened(course.database) as book:
        return Data(course, known, *found, book.comments())
