"""Graders that are measured on the blind answers, each a function in a module of its own.

A grader gets an `Attempt` and returns its `Feedback`, or None for a task that it does not have. To add one,
write such a module and name it in `GRADERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

from autograder.author.solution_runs import SolutionRuns
from autograder.probe.collect_evidence import observe
from autograder.records.bank import AS_SEEN, RESULT, LessonBank, Probe, Task
from autograder.records.run_outcome import Outcome

from benchmarks.blind_answers import Answer

# What they are called in the table, by module.
GRADERS = {
    "course": "this course's check",
    "torch_judge_adapter": "TorchCode's judge",
    "plain_asserts": "plain asserts",
    "assert_close": "torch.testing.assert_close",
    "it_runs": "it runs",
}


@dataclass(frozen=True)
class Feedback:
    """What a grader says of an answer."""

    passed: bool
    text: str = ""
    named: bool = False  # whether the text names a mistake in the code, not only what is off in the result
    line: int | None = None  # of the answer's cell, to which the text points
    last_line: int | None = None  # where it points to several


@dataclass(frozen=True)
class Attempt:
    """An answer whose cell has been run in its place in the notebook."""

    answer: Answer
    lesson: LessonBank
    runs: SolutionRuns
    value: Any = None  # what the cell made under the task's name
    error: BaseException | None = None  # that stopped the cell
    line: int | None = None  # on which it did

    @property
    def task(self) -> Task:
        """Return the task that is answered."""
        return self.lesson.tasks[self.answer.task]

    def on_example(self) -> tuple[Outcome, Outcome] | None:
        """Return what the answer and the solution do on the notebook's example; None without one."""
        probe = example(self.task)
        if probe is None:
            return None
        if self.task.kind == "tensor":
            return observe(self.value), probe.expected
        return self.runs.outcome_of(self.task, self.value, probe), probe.expected


Grader: TypeAlias = Callable[[Attempt], Feedback | None]


def example(task: Task) -> Probe | None:
    """Return the first input with a result to compare: the seeded example of the notebook."""
    probes = (probe for probe in task.probes if probe.observe == RESULT and not probe.raises)
    if task.kind == "tensor":
        return next((probe for probe in probes if probe.id == AS_SEEN), None)
    return next((probe for probe in probes if probe.expected.tensor is not None), None)


def stopped(attempt: Attempt, outcome: Outcome | None = None) -> Feedback | None:
    """Return the traceback's last words where the cell, or the call on the example, stopped."""
    if attempt.error is not None:
        return Feedback(False, f"{type(attempt.error).__name__}: {attempt.error}", line=attempt.line)
    if outcome is not None and outcome.error is not None:
        error = outcome.error
        return Feedback(False, f"{error.type}: {error.message}", line=error.line_number)
    if outcome is not None and outcome.uncalled is not None:
        return Feedback(False, f"TypeError: {outcome.uncalled.problem}")
    if outcome is not None and not outcome.module.loadable:
        missing = ", ".join((*outcome.module.missing, *outcome.module.unexpected))
        return Feedback(False, f"RuntimeError: Error(s) in loading state_dict: {missing}")
    return None


def compared_on_example(attempt: Attempt, compare: Callable[[Outcome, Outcome], Feedback]) -> Feedback | None:
    """Return what a comparison with the solution says on the notebook's example; None without an example.

    What stops before it is refused in the error's own words.
    """
    if attempt.error is not None:
        return stopped(attempt)
    called = attempt.on_example()
    if called is None:
        return None
    return stopped(attempt, called[0]) or compare(*called)


def load(name: str) -> Grader:
    """Return a grader by the name of its module."""
    grade: Grader = import_module(f"benchmarks.graders.{name}").grade
    return grade
