"""Do the same for several lessons at once, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

from autograder.problems import AuthoringError

Done = TypeVar("Done")


def each_lesson(
    work: Callable[[str], Done], lessons: Sequence[str], jobs: int
) -> Iterator[tuple[str, Done | AuthoringError]]:
    """What came of each lesson, as they are done; a lesson that was refused yields the refusal.

    Args:
        work: takes a lesson's name; must be picklable where there are several lessons and jobs.
        lessons: their names.
        jobs: how many at one time; one is done in this process.
    """
    jobs = min(jobs, len(lessons))
    if jobs <= 1:
        for lesson in lessons:
            yield lesson, _tried(work, lesson)
        return
    # Spawned, not forked: torch's threads do not survive a fork.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting = {pool.submit(_tried, work, lesson): lesson for lesson in lessons}
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _tried(work: Callable[[str], Done], lesson: str) -> Done | AuthoringError:
    try:
        return work(lesson)
    except AuthoringError as problem:
        return problem
