"""Run a function for several lessons or items at once, in separate processes."""

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
    """Yield each lesson's name with the result of `work`, as soon as it is done.

    A single lesson is done in this process. Of several, each gets a new process, so that nothing left in
    memory by one lesson affects another; `work` must then be picklable.

    Args:
        work: the function to call with each lesson's name.
        lessons: the lessons' names.
        jobs: the number of processes at one time.

    Yields:
        The lesson's name, with its result or the `AuthoringError` that `work` raised.
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
    """Yield the result of `work` for each item, in the items' order, using all processors.

    The processes are forks, so `work` may be any function, even one that cannot be pickled. If forks are not
    available, if this is already one of several processes, or if there is little to do, everything runs in
    this process.
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
