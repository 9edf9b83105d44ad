"""How long a learner waits for `check`: median over the tasks of a lesson, in a warm kernel.

    python3 start.py run python benchmarks/check_latency.py [LESSON]

For each task three answers are timed in this process, which has imported what a kernel has after its first
check: the right one, a known wrong one, and one that is wrong in no known way, so that a picture is drawn.
The time includes looking the answer up, running it on every probe, judging it, writing progress down and
making the HTML.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from autograder.author.lesson_source import read_lesson
from autograder.records.course import Course
from IPython.core.interactiveshell import InteractiveShell
from rich.console import Console
from rich.table import Table

from autograder import check

ROUNDS = 30
AIM_MS = 50


def wrong_in_no_known_way(value: Any) -> Any:
    """Return the right answer with its first entry changed."""
    if callable(value):
        return lambda *inputs, **named: wrong_in_no_known_way(value(*inputs, **named))
    spoiled = torch.as_tensor(value).clone()
    spoiled.view(-1)[0] += 0.37
    return spoiled


def milliseconds(action: Callable[[], Any]) -> float:
    """Median time of an action, after three rounds that do not count."""
    taken = []
    for number in range(ROUNDS + 3):
        start = time.perf_counter()
        action()
        if number >= 3:
            taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def main() -> None:
    """Print one row for each task, and the median over all of them."""
    import os

    lesson = sys.argv[1] if len(sys.argv) > 1 else "01-dot-product"
    source = read_lesson(Course.read(Path(__file__).parents[1]), lesson)
    shell = InteractiveShell.instance()
    table = Table(title=f"check in {lesson}, milliseconds (median of {ROUNDS})")
    for column in ("task", "right", "known wrong", "wrong, with picture"):
        table.add_column(column, justify="left" if column == "task" else "right")
    rows: list[list[float]] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["AUTOGRADER_PROGRESS"] = folder
        shell.user_ns.update(source.runs.namespaces["as-seen"])
        for task in source.lesson.tasks:
            right = source.runs.namespaces["as-seen"][task.name]
            wrong = source.runs.answer_made(task, source.runs.changed_answer(task, task.wrong[0].changes))
            times = []
            for answer in (right, wrong, wrong_in_no_known_way(right)):
                shell.user_ns[task.name] = answer
                times.append(milliseconds(lambda name=task.id: check(name)._repr_html_()))  # type: ignore[misc]
            shell.user_ns[task.name] = right
            rows.append(times)
            table.add_row(task.id, *(f"{value:.1f}" for value in times))
    table.add_section()
    table.add_row("median", *(f"{statistics.median(column):.1f}" for column in zip(*rows, strict=True)))
    Console().print(table)
    overall = statistics.median(value for row in rows for value in row)
    print(f"median of all: {overall:.1f} ms (aim: below {AIM_MS} ms)")


if __name__ == "__main__":
    main()
