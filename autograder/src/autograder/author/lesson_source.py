"""Read a lesson as its author wrote it, for everything that a build or an audit makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from nbformat import NotebookNode

from autograder.author.answer_edits import Solution
from autograder.author.authoring import Faults, Lesson, load_faults, load_lesson
from autograder.author.parse_source import read_source
from autograder.author.solution_runs import SolutionRuns, run_solution, solutions_in
from autograder.author.source_lint import lint
from autograder.experiments import registry as experiments
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course


@dataclass(frozen=True)
class LessonSource:
    """A lesson's source; its mistakes are loaded and its solution is run when asked for."""

    course: Course
    name: str
    lesson: Lesson  # the definitions in its `tasks.py`
    notebook: NotebookNode  # the lesson with its solutions

    @classmethod
    def of(cls, course: Course, name: str) -> LessonSource:
        """Read the source of a lesson, without looking for mistakes in it.

        Raises:
            AuthoringError: the lesson's `tasks.py` raises an error when it is imported.
        """
        experiments.use(course)
        folder = course.source / name
        return cls(course, name, load_lesson(folder), read_source(folder / f"{name}.py"))

    @cached_property
    def faults(self) -> Faults:
        """The mistakes that the lesson may use."""
        return load_faults(self.course.source, self.name)

    @cached_property
    def solutions(self) -> Mapping[str, Solution]:
        """The solutions in its answer cells, by task id."""
        return solutions_in(self.lesson, self.notebook)

    @cached_property
    def runs(self) -> SolutionRuns:
        """The results of running its solution, which takes seconds to minutes."""
        course = self.course
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)  # else torch draws a seed for each process, and each makes some banks anew
            return run_solution(
                self.lesson, self.notebook, self.name, families=course.forbidden, steps=course.steps
            )

    def refuse(self, problems: Sequence[str]) -> None:
        """Raise an AuthoringError that lists the problems, if there are any."""
        if problems:
            raise AuthoringError([f"{self.name}: {problem}" for problem in problems])


def read_lesson(course: Course, name: str) -> LessonSource:
    """Read a lesson and check its source.

    Raises:
        AuthoringError: the source has problems. The message lists every problem with its cell.
    """
    path = course.source / name / f"{name}.py"
    if not path.is_file():
        raise AuthoringError([f"{name}: there is no {name}.py"])
    source = LessonSource.of(course, name)
    text = path.read_text(encoding="utf-8")
    source.refuse(lint(text, source.notebook, source.lesson, course.forbidden, dict(course.entries)))
    return source
