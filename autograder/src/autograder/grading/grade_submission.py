"""The grading of one submission, from its file to its result, as it runs here and on a cluster's workers."""

from __future__ import annotations

import atexit
import json
import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import nbformat
from nbformat import NotebookNode, from_dict

from autograder.experiments import registry as experiments
from autograder.grading.grade_notebook import Graded, grade, results_of
from autograder.grading.graded_results import TaskResult, release_id
from autograder.grading.grading_banks import Banks
from autograder.grading.job_scheduling import GradeJob, Result
from autograder.grading.notebook_evidence import GraderFault
from autograder.grading.notebook_runners import KernelRunner, SandboxRunner
from autograder.grading.read_submission import read_text, unreadable
from autograder.grading.reader_processes import at_end
from autograder.grading.rebuild_submission import rebuild, solved
from autograder.grading.releases import as_written, translated_release
from autograder.grading.sandbox.execute_notebook import RunIncomplete
from autograder.grading.sandbox.sandbox_client import SandboxFailed
from autograder.records import bank
from autograder.words.language import SPOKEN, speaking, translated


def grade_job(job: GradeJob) -> Result:
    """Grade a submission in this thread's own sandbox; a failure of the grader becomes part of the result."""
    return replace(_graded(job), attempt=job.attempt)


def _graded(job: GradeJob) -> Result:
    try:
        submission = unreadable(job.refused) if job.refused else read_text(job.submission)
        graded, tasks = grade_read(job, submission)
    except (GraderFault, SandboxFailed, RunIncomplete) as fault:
        return Result(job.lesson, job.student, fault=str(fault))
    except (MemoryError, RecursionError):
        raise  # whoever holds this process to its limits says so
    except Exception as fault:
        return Result(job.lesson, job.student, fault=f"{type(fault).__name__}: {fault}")
    return Result(job.lesson, job.student, json.dumps(graded.notebook), tasks, graded.notes)


def rebuild_plain(release: str, translations: Mapping[str, str], submission: str) -> tuple[str, list[str]]:
    """Return a clean release with the answers of a submission, and notes on what was changed or missing.

    All notebooks are given and returned as JSON text.

    Args:
        release: the lesson's released notebook.
        translations: the release in each other language, by language code.
        submission: the student's notebook.
    """
    notebook = from_dict(json.loads(submission))
    rebuilt = rebuild(_release(as_written(release, translations, notebook)), notebook)
    return json.dumps(rebuilt.notebook), rebuilt.notes


def grade_plain(job: GradeJob, rebuilt: str, notes: tuple[str, ...]) -> Result:
    """Grade a rebuilt submission, given as JSON, and return the result; see `grade_rebuilt`."""
    graded, tasks = grade_rebuilt(job, from_dict(json.loads(rebuilt)), notes)
    return Result(job.lesson, job.student, json.dumps(graded.notebook), tasks, graded.notes)


def grade_read(
    job: GradeJob, submission: NotebookNode, by: SandboxRunner | None = None
) -> tuple[Graded, tuple[TaskResult, ...]]:
    """Rebuild and grade a submission that has been read; see `grade_rebuilt`."""
    job = replace(job, release=as_written(job.release, job.translations, submission))
    rebuilt = rebuild(_release(job.release), submission)
    return grade_rebuilt(job, rebuilt.notebook, tuple(rebuilt.notes), by)


def grade_rebuilt(
    job: GradeJob, rebuilt: NotebookNode, notes: tuple[str, ...], by: SandboxRunner | None = None
) -> tuple[Graded, tuple[TaskResult, ...]]:
    """Grade a rebuilt submission.

    Args:
        job: the submission's job.
        rebuilt: the rebuilt submission.
        notes: the notes from rebuilding.
        by: the runner for its notebooks; this thread's own sandbox by default.

    Returns:
        The graded submission, and its records.

    Raises:
        GraderFault: the grader's own code failed.
        SandboxFailed: the sandbox failed.
        RunIncomplete: a run had no time to reach its end.
    """
    experiments.use(job.banks.course)
    runner_of_it = by or runner_for(job.banks, job.sandboxed)
    lesson = job.banks.lesson(job.lesson, job.drawn)
    questions = job.banks.questions(job.lesson, job.drawn)
    solution = partial(solved, _release(job.release), job.solution) if job.solution else None
    runner_of_it.begin(job.lesson, solution, job.limits)
    # The student reads it in their language, and the records are for whoever grades.
    language = rebuilt.metadata.get(SPOKEN, "")
    with speaking(job.banks.course.bank, language):
        spoken_lesson = bank.with_texts(lesson, translated) if language else lesson
        graded = grade(rebuilt, spoken_lesson, runner_of_it, notes, job.solution, job.figures, questions)
    there = job.translations.get(language)
    text = job.release if there is None else translated_release(language, there, job.release)
    released = {cell["id"]: cell.source for cell in _release(text).cells}
    return graded, results_of(lesson, job.student, release_id(job.release), graded, released)


@lru_cache(maxsize=8)
def _release(text: str) -> NotebookNode:
    """Return a lesson's release, read once for all that was handed in for it.

    Whoever asks must not change it.
    """
    release: NotebookNode = nbformat.reads(text, as_version=4)
    return release


# For each thread, sandboxed or not: its runner, and what that asks for.
_runners: dict[tuple[int, bool], tuple[SandboxRunner, Any]] = {}
_lock = threading.Lock()


def runner_for(banks: Banks, sandboxed: bool = True) -> SandboxRunner:
    """Return this thread's own sandbox or kernels, which are reused as long as the banks do not change."""
    key = threading.get_ident(), sandboxed
    asks = banks, [banks.digest(lesson) for lesson in banks.folders]
    with _lock:
        runner, asked_before = _runners.get(key, (None, None))
    if runner is not None and (runner.closed or asked_before != asks):
        runner.close()
        runner = None
    if runner is None:
        runner = SandboxRunner(banks) if sandboxed else KernelRunner(banks)
        with _lock:
            _runners[key] = runner, asks
    return runner


@atexit.register
@at_end
def close_sandboxes() -> None:
    """Close every sandbox that this process started; the next job starts a new one."""
    with _lock:
        while _runners:
            _runners.popitem()[1][0].close()
