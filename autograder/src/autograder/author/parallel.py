"""Do the same for several lessons at once, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, TypeVar

from autograder.records.authoring_errors import AuthoringError

Done = TypeVar("Done")
Item = TypeVar("Item")
# So few items are done sooner than a fork is made.
FEW = 30
# What the forks that are under way do; they find it here, because it need not be picklable.
_forked: list[Callable[[Any], Any]] = []


def each_lesson(
    work: Callable[[str], Done], lessons: Sequence[str], jobs: int
) -> Iterator[tuple[str, Done | AuthoringError]]:
    """Yield what came of each lesson, as they are done; a lesson that was refused yields the refusal.

    A single lesson is done in this process. Of several, each has a process that did no other before it, so
    that nothing which one leaves in memory reaches the next; `work` must then be picklable.
    """
    if len(lessons) == 1:
        yield lessons[0], _result_or_error(work, lessons[0])
        return
    # Spawned, not forked: torch's threads do not survive a fork.
    spawned = multiprocessing.get_context("spawn")
    jobs = max(1, min(jobs, len(lessons)))
    with ProcessPoolExecutor(jobs, mp_context=spawned, max_tasks_per_child=1) as pool:
        # The last first: a course's later lessons take longer, and the end is no time to begin them.
        waiting = {pool.submit(_result_or_error, work, lesson): lesson for lesson in reversed(lessons)}
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def in_forks(work: Callable[[Item], Done], items: Sequence[Item]) -> Iterator[Done]:
    """Yield what comes of each item, in order, with the processors shared out.

    The processes are forks, so that `work` may be any function and hold anything. Without forks, in one of
    several processes, or with little to do, all is done here.
    """
    jobs = processors()
    alone = multiprocessing.parent_process() is None
    if jobs == 1 or not alone or len(items) < FEW or sys.platform != "linux":
        yield from map(work, items)
        return
    _forked.append(work)
    try:
        with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("fork")) as pool:
            done = pool.map(_in_fork, items, chunksize=max(1, len(items) // (32 * jobs)))
            yield from map(pickle.loads, done)
    finally:
        _forked.pop()


def _in_fork(item: Any) -> bytes:
    import torch  # not above: a build of which nothing has changed does without

    # A fork has no threads but its own, and torch would wait for the others.
    torch.set_num_threads(1)
    # As bytes: a tensor that is returned as it is keeps a file open in both processes.
    return pickle.dumps(_forked[-1](item))


def processors() -> int:
    """Count the processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _result_or_error(work: Callable[[str], Done], lesson: str) -> Done | AuthoringError:
    try:
        return work(lesson)
    except AuthoringError as problem:
        return problem
