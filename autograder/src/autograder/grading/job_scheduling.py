"""The scheduling of many grading jobs on any executor.

The code that schedules imports nothing that grades, which takes seconds and much memory to load.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future, as_completed
from dataclasses import KW_ONLY, dataclass, field

from autograder.grading.graded_results import TaskResult
from autograder.grading.grading_banks import Banks, Files
from autograder.grading.reader_processes import LimitReached
from autograder.grading.sandbox.resource_limits import Limits
from autograder.records.authoring_errors import UserError

LIMITS = Limits()


class ExecutorLost(Exception):
    """The executor is gone, so no more results will come."""


@dataclass(frozen=True)
class GradeJob:
    """A submission to grade, with everything that grading needs, since another machine may grade it."""

    lesson: str
    student: str
    release: str
    submission: bytes  # the file's content
    banks: Banks  # the banks to grade it with
    _: KW_ONLY
    sandboxed: bool = True  # False to run it in a Jupyter kernel with the grader's own rights
    solution: Mapping[str, str] = field(default_factory=dict)  # the course's own answer cells, by id
    figures: bool = False  # whether to draw the course's own figures
    drawn: Files = field(default_factory=dict)  # its hidden questions
    refused: str = ""  # the reason why its file is not opened
    translations: Mapping[str, str] = field(default_factory=dict)  # the release in other languages
    limits: Limits = field(default_factory=lambda: LIMITS)  # the limits of each of its runs
    attempt: int = 0  # its place among the student's notebooks for this lesson, if several are graded


@dataclass(frozen=True)
class Result:
    """The result of a grading job."""

    lesson: str
    student: str
    notebook: str = ""  # the graded notebook as JSON; empty if our own code failed
    tasks: tuple[TaskResult, ...] = ()
    notes: tuple[str, ...] = ()  # for the person who reads the grades
    fault: str = ""  # the failure of our own code
    attempt: int = 0


class NoSandbox(UserError):
    """No sandbox can be started on this machine."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"Submissions are not run without a sandbox, and there is none: {reason}. To run them anyway, "
            "with your own rights: `autograder grade --no-sandbox`, or c.RunAndJudge.sandboxed = False in "
            "nbgrader_config.py for `nbgrader autograde`."
        )


def grade_job(job: GradeJob) -> Result:
    """Grade a submission in this thread's own sandbox; a failure of the grader becomes part of the result."""
    # Not above: it loads torch, and what hands submissions out does without.
    from autograder.grading import grade_submission

    return grade_submission.grade_job(job)


def grade_all(jobs: Iterable[GradeJob], executor: Executor, ahead: int) -> Iterator[Result]:
    """Yield the results of jobs as they are finished, in any order.

    Args:
        jobs: the jobs, taken one by one, so that a large class is never in memory as a whole.
        executor: the executor that runs `grade_job`.
        ahead: how many jobs may wait or run at the same time.

    Raises:
        ExecutorLost: the executor is gone, with the jobs that it had.
    """
    # What is loaded by now stays: to look through it for garbage at every few notebooks takes long.
    gc.collect()
    gc.freeze()
    waiting: dict[Future[Result], GradeJob] = {}
    for job in jobs:
        waiting[executor.submit(grade_job, job)] = job
        if len(waiting) >= ahead:
            yield _next_of(waiting)
    while waiting:
        yield _next_of(waiting)


def _next_of(waiting: dict[Future[Result], GradeJob]) -> Result:
    done = next(as_completed(waiting))
    job = waiting.pop(done)
    try:
        return done.result()
    except CancelledError as problem:
        raise ExecutorLost("what ran the submissions does not answer any more") from problem
    except LimitReached as problem:
        return Result(job.lesson, job.student, fault=str(problem), attempt=job.attempt)
    except Exception as problem:  # the executor's own: it lost this job, and again in each new try
        fault = f"{type(problem).__name__}: {problem}"
        return Result(job.lesson, job.student, fault=fault, attempt=job.attempt)
