"""Choose the random draw of each hidden probe: the first that is fair and whose result is not public.

Nobody chooses the numbers of a hidden probe by hand. Near the limits of float32 they may be unfair to a
correct answer that computes in another order. And where a task has few possible results (masks, rows with a
single 1), the right one may be that of a visible probe, which a learner could memorise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from autograder.author.authoring import Lesson
from autograder.author.build_bank import make_task
from autograder.author.secret_probes import has_twin, twin_of, twins_of
from autograder.author.solution_runs import SolutionRuns
from autograder.experiments.registry import EXPERIMENTS
from autograder.judge.decide import judge_outcome
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import RESULT, LessonBank, Probe, Task
from autograder.records.tensor_comparison import all_close

# Of scores near 1000 every second draw is unfair to a log-sum-exp in float32; 30 in a row hardly come.
MOST_DRAWS = 30
# What the numbers of an exam are drawn from, for learners: the same in every build, and asked by no check.
EXAM = "exam"


def hidden_tasks(
    lesson: Lesson, runs: SolutionRuns, secret: str
) -> tuple[dict[str, Task], tuple[tuple[str, str], ...]]:
    """Return a lesson's tasks with hidden probes only, and the probes that have no hidden twin.

    Args:
        lesson: the definitions in the lesson's `tasks.py`.
        runs: the results of running the lesson's solution.
        secret: the instructor's secret, from which probes are drawn.

    Returns:
        The tasks by id, and (task id, probe id) of each probe without a twin.
    """
    chosen = choose_draws(lesson, runs, secret)
    tasks = {task.id: make_task(task, runs) for task in twins_of(lesson, secret, chosen)}
    return tasks, tuple(twin for twin, draw in chosen.items() if draw is None)


def with_exam(bank: LessonBank, lesson: Lesson, runs: SolutionRuns, names: Collection[str]) -> LessonBank:
    """Return a copy of the bank in which an exam's tasks have the inputs that the exam tests them with.

    Args:
        bank: the lesson's bank.
        lesson: the definitions in the lesson's `tasks.py`.
        runs: the results of running the lesson's solution.
        names: the ids of all tasks of the exam; those of other lessons are ignored.
    """
    asked = tuple(task for task in lesson.tasks if task.id in names)
    hidden, _without = hidden_tasks(replace(lesson, tasks=asked), runs, EXAM)
    exams = {task.id: replace(bank.tasks[task.id], exam=task.probes) for task in hidden.values()}
    return replace(bank, tasks={**bank.tasks, **exams})


def choose_draws(lesson: Lesson, runs: SolutionRuns, secret: str) -> dict[tuple[str, str], int | None]:
    """Return the number of the draw to use for each probe's hidden twin.

    A probe whose twins all have the result of a visible probe keeps a twin: some results are always the same.

    Args:
        lesson: the definitions in the lesson's `tasks.py`.
        runs: the results of running the lesson's solution.
        secret: the instructor's secret, from which probes are drawn.

    Returns:
        The number of the draw, from 0, by task id and probe id; None if no draw is fair.
    """
    chosen: dict[tuple[str, str], int | None] = {}
    for task in lesson.tasks:
        try:
            built = make_task(task, runs)
            right = [
                runs.answer_made(task, runs.changed_answer(task, answer.changes))
                for answer in (*task.right, *task.caught)
                if any(has_twin(probe) for probe in task.probes)
            ]
        except AuthoringError:
            continue  # `make_bank` says what is wrong with it
        for probe in task.probes:
            if has_twin(probe):
                twins = (
                    runs.completed(task, twin_of(task, probe, secret, draw)) for draw in range(MOST_DRAWS)
                )
                chosen[task.id, probe.id] = _first_fit(task, built, right, twins, runs)
    return chosen


def _first_fit(
    task: Task, built: Task, right: Sequence[Any], twins: Iterable[Probe], runs: SolutionRuns
) -> int | None:
    first = None
    for draw, twin in enumerate(twins):
        if twin.observe in EXPERIMENTS and EXPERIMENTS[twin.observe].raw:
            return draw  # it is measured, and any other draw would say the same
        is_known = twin.observe == RESULT and _is_known(twin, built.probes)
        if is_known and first is not None:
            continue  # one of these is enough
        if _is_fair(task, built, right, twin, runs):
            if not is_known:
                return draw
            first = draw
    return first


def _is_fair(task: Task, built: Task, right: Sequence[Any], twin: Probe, runs: SolutionRuns) -> bool:
    """Tell whether every right answer passes, also one that makes a forbidden call and is right otherwise."""
    if twin.expected.tensor is None:
        return True  # the solution itself gives no tensor, and `make_bank` says so
    outcomes = (runs.outcome_of(task, answer, twin) for answer in right)
    return all(judge_outcome(built, twin, outcome) is None for outcome in (twin.expected, *outcomes))


def _is_known(twin: Probe, visible: Collection[Probe]) -> bool:
    """Tell whether the twin's result is also that of a visible probe."""
    result = twin.expected.tensor
    public = (probe.expected.tensor for probe in visible)
    return result is not None and any(tensor is not None and all_close(result, tensor) for tensor in public)
