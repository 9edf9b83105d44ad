"""Where the time of one graded submission goes, for each lesson.

    python3 start.py run python -m benchmarks.profile [LESSON ...] [--submissions N]

The class is that of `benchmarks.grading`. It is graded in this process, so that a profiler can follow the
grader, which makes its own steps seem longer than they are; then once more without one, for the whole. What a
run takes is the processor time of all that the sandbox consists of. At last the solved lesson runs once more
without walls, to tell the cells of checks (probes, experiments, evidence) from all others.

All is processor time, so that other work on the machine does little to it.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest import mock

from autograder.author.parse_source import read_source
from autograder.command.grading_run import GradeOptions, grade_class
from autograder.grading.class_folder import Class
from autograder.grading.grade_submission import close_sandboxes
from autograder.grading.grading_banks import Banks
from autograder.grading.notebook_runners import ENVIRONMENT, PRELOAD, SandboxRunner
from autograder.grading.sandbox.ipython_shell import Shell
from autograder.lesson.check_calls import RUN
from autograder.records.bank import AS_SEEN
from autograder.records.cell_roles import is_test, undrawn
from autograder.records.course import PACKED, Course
from rich.console import Console
from rich.table import Table

from benchmarks.grading import ROOT, prepare, processor

# The grader's own steps, by the module and function that does each, with all that it calls.
STEPS = {
    "rebuild": ("rebuild_submission.py", "rebuild"),
    "talk to runs": ("notebook_runners.py", "__call__"),
    "judge": ("notebook_evidence.py", "judge_task"),
    "bound": ("notebook_evidence.py", "bound_outputs"),
    "show": ("notebook_evidence.py", "show_verdict"),
}
RUNS = ("as seen", "other numbers", "again")
COLUMNS = (*RUNS, "runs", *STEPS, "rest", "checks' cells", "other cells")


class Here(Executor):
    """Does at once, in this process and under a profiler, what is submitted."""

    def __init__(self, profiler: cProfile.Profile) -> None:
        self._profiler = profiler

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(self._profiler.runcall(work, *given, **named))
        return done


def below_this() -> float:
    """Return the processor seconds so far of all that this process started and that still runs."""
    return processor(os.getpid()) - sum(os.times()[:4])


def of_grading(lesson: str, count: int) -> dict[str, float]:
    """Return milliseconds of one submission, by what they went to, without the grader's start."""
    runs: dict[str, list[float]] = defaultdict(list)
    run_it = SandboxRunner.__call__

    def timed(self: SandboxRunner, notebook: Any, run: str, /, **how: Any) -> Any:
        before = below_this()
        executed = run_it(self, notebook, run, **how)
        kind = RUNS[1] if run != AS_SEEN else RUNS[2] if how.get("quiet") else RUNS[0]
        runs[kind].append(below_this() - before)
        return executed

    profiler = cProfile.Profile(time.process_time)
    with (
        tempfile.TemporaryDirectory(prefix="profile-") as folder,
        mock.patch.object(SandboxRunner, "__call__", timed),
    ):
        course = Class(prepare(Path(folder), lesson, False, range(count + 1)))
        first = GradeOptions(course, [lesson], 1, frozenset({"student-0000"}))
        grade_class(first, print, lambda *_: None, Here(cProfile.Profile()))
        runs.clear()
        graded = grade_class(GradeOptions(course, [lesson], 1), print, lambda *_: None, Here(profiler)).graded
        close_sandboxes()
    each = 1000 / graded
    # By file, line and name: calls, calls that are no recursion, own seconds, seconds with what it calls.
    functions: dict[tuple[str, int, str], tuple[int, int, float, float]] = vars(pstats.Stats(profiler))[
        "stats"
    ]
    whole = sum(took[2] for took in functions.values())
    steps = {
        step: sum(
            took[3]
            for (file, _, name), took in functions.items()
            if name == wanted and file.endswith(f"/grading/{module}")
        )
        for step, (module, wanted) in STEPS.items()
    }
    return {
        **{kind: each * sum(runs[kind]) for kind in RUNS},
        "runs": sum(map(len, runs.values())) / graded,
        **{step: each * seconds for step, seconds in steps.items()},
        "rest": each * (whole - sum(steps.values())),
    }


def of_cells(lesson: str) -> dict[str, float]:
    """Return milliseconds of the solved lesson's cells, of checks and others; in a process of its own."""
    course = Course.read(ROOT)
    asked = tempfile.TemporaryDirectory(prefix="questions-")
    Banks.of(course).only([lesson]).write_questions(Path(asked.name))
    os.environ.update({**ENVIRONMENT, RUN: AS_SEEN, PACKED: asked.name})
    notebook = undrawn(read_source(ROOT / "source" / lesson / f"{lesson}.py"))
    os.chdir(ROOT / "notebooks" / lesson)
    shell = Shell()
    shell.warm_up((*(f"import {name}" for name in course.preload), *PRELOAD))
    cells = {cell["id"]: cell for cell in notebook.cells if cell.cell_type == "code"}
    took = {True: 0.0, False: 0.0}
    before = time.process_time()
    for name, _, _ in shell.run((name, cell.source) for name, cell in cells.items()):
        now = time.process_time()
        took[is_test(cells[name])] += 1000 * (now - before)
        before = now
    asked.cleanup()
    return {"checks' cells": took[True], "other cells": took[False]}


def main() -> None:
    """Print the table for the lessons that were asked for."""
    known = sorted(path.parent.name for path in (ROOT / "source").glob("*/tasks.py"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("lessons", nargs="*", help="these lessons, or all")
    parser.add_argument("--submissions", type=int, default=20, help="how many are graded")
    chosen = parser.parse_args()
    table = Table(title="milliseconds of one submission; the number of runs")
    for column in ("lesson", *COLUMNS):
        table.add_column(column, justify="left" if column == "lesson" else "right")
    for lesson in chosen.lessons or known:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
            cells = other.submit(of_cells, lesson).result()
        spent = of_grading(lesson, chosen.submissions) | cells
        table.add_row(lesson, *(f"{spent[name]:.{'1' if name == 'runs' else '0'}f}" for name in COLUMNS))
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
