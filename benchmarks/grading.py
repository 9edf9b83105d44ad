"""How fast each lesson is graded: stock nbgrader, nbgrader through our pipeline, and `autograder grade`.

    python3 start.py run python -m benchmarks.grading [LESSON ...] [--submissions N] [--stock N]
        [--growth] [--dask]

A class is made up: each answer is the solution's, another right one or a wrong one, as learners typed them
(`tests/mutants/`). The same files are then graded three ways, each by its own command, in its own course
folder. A command's time is counted whole, with its start; only stock nbgrader, which grades a small sample
because it takes seconds for each, has its start taken off, which is in its favour. Its sample is graded in
two halves, before and after ours, so that a machine that grows busy slows both.

Processor time and memory are those of the command with every process below it. Processor time is looked at
four times a second; memory, what they hold together (shared pages once), every three seconds, because it
takes a tenth of a second to count, in which none of them can fork.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from textwrap import dedent

import nbformat
from autograder.author.parse_source import read_source
from autograder.author.settings import CONFIG
from autograder.command.grading_run import GradebookWriter
from autograder.grading.class_folder import Class
from autograder.records.course import Course
from distributed import Client
from rich.console import Console
from rich.table import Table

from tests.classes import class_folder

ROOT = Path(__file__).resolve().parents[1]
LOOK_SECONDS, LOOKS_PER_COUNT = 0.25, 12
SHARE_SOLVED, SHARE_OTHER_RIGHT = 0.6, 0.1
GROWTH = (10, 100, 1000)
AIM_MEDIAN, AIM_SLOWEST, AIM_PIPELINE = 30, 20, 4
STOCK = 'c = get_config()\nc.CourseDirectory.course_id = "stock"\n'
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Cost:
    """What a command took: seconds on the clock, seconds of processors, and most megabytes at one time."""

    wall: float
    processor: float
    megabytes: float

    def each(self, count: int) -> Cost:
        """Return the time that one of some submissions took, and the memory of all."""
        return Cost(self.wall / count, self.processor / count, self.megabytes)


def tree(process: int) -> Iterator[int]:
    """Yield a process and all below it."""
    yield process
    with contextlib.suppress(OSError):  # it has ended meanwhile
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            for child in task.read_text().split():
                yield from tree(int(child))


def processor(process: int) -> float:
    """Processor seconds so far of a whole tree, with those of ended children."""
    ticks = 0
    for child in list(tree(process)):
        with contextlib.suppress(OSError, ValueError):  # it has ended meanwhile
            ticks += sum(map(int, Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return ticks / TICK


def megabytes(process: int) -> float:
    """Return the memory that a whole tree holds now; what is shared counts once."""
    kilobytes = 0
    for child in list(tree(process)):
        with contextlib.suppress(OSError, ValueError):
            for line in Path(f"/proc/{child}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    kilobytes += int(line.split()[1])
    return kilobytes / 1024


def run(command: list[str], folder: Path) -> Cost:
    """Run a command to its end; what it says is shown if it fails."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    # No secret: the same probes for all three.
    environment["AUTOGRADER_SECRET"] = str(folder / "no-secret")
    most = [0.0, 0.0]
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )

        def watch() -> None:
            for number in itertools.count():
                if process.poll() is not None:
                    return
                most[0] = max(most[0], processor(process.pid))
                if number % LOOKS_PER_COUNT == LOOKS_PER_COUNT // 2:
                    most[1] = max(most[1], megabytes(process.pid))
                time.sleep(LOOK_SECONDS)

        watcher = threading.Thread(target=watch)
        watcher.start()
        code = process.wait()
        wall = time.perf_counter() - start
        watcher.join()
        if code:
            output.seek(0)
            sys.exit(f"{' '.join(command)} failed:\n{output.read()[-3000:]}")
    return Cost(wall, *most)


def answers(lesson: str, chance: random.Random) -> dict[str, str]:
    """One student's answers, by the answer cell's id; the solution's where none is named."""
    module = importlib.import_module(f"tests.mutants.lesson_{lesson[:2]}")
    chosen = {}
    for task in Course.read(ROOT).load(lesson).tasks:
        held = module.TASKS[task]
        kind = chance.random()
        if kind < SHARE_SOLVED:
            continue
        bank = held.right if kind < SHARE_SOLVED + SHARE_OTHER_RIGHT else held.wrong
        chosen[f"{task}-answer"] = dedent(chance.choice(bank).code).strip("\n")
    return chosen


def hand_in(course: Path, lesson: str, students: range) -> None:
    """Write each student's notebook; the same student hands in the same in every course folder."""
    release = ROOT / "notebooks" / lesson / f"{lesson}.ipynb"
    solved = {
        cell["id"]: cell.source for cell in read_source(ROOT / "source" / lesson / f"{lesson}.py").cells
    }
    for student in students:
        notebook = nbformat.read(release, as_version=4)
        typed = answers(lesson, random.Random(student))
        for cell in notebook.cells:
            if cell["id"].endswith("-answer"):
                cell.source = typed.get(cell["id"], solved[cell["id"]])
        path = course / "submitted" / f"student-{student:04}" / lesson / release.name
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)


def prepare(course: Path, lesson: str, stock: bool, students: range) -> Path:
    """Return a course folder in which nbgrader knows the lesson, with what was handed in."""
    if stock:
        source = course / "source" / lesson / f"{lesson}.ipynb"
        source.parent.mkdir(parents=True)
        (course / CONFIG).write_text(STOCK)
        shutil.copy(ROOT / "notebooks" / lesson / source.name, source)
        run(nbgrader("generate_assignment", lesson), course)
    else:
        class_folder(course, lesson)
        with GradebookWriter(Class(course)) as book:
            book.enter_lesson(lesson)
    hand_in(course, lesson, students)
    return course


def nbgrader(step: str, lesson: str) -> list[str]:
    """Name the command for a step of nbgrader's."""
    return [sys.executable, "-m", "nbgrader", step, lesson]


def grade(course: Path, lesson: str, *where: str) -> Cost:
    """Grade a lesson of a course with this course's grader: here with two jobs, or somewhere else."""
    command = [sys.executable, "-m", "autograder", "grade", lesson, "--course", "."]
    return run([*command, *(where or ("--jobs", "2"))], course)


@contextlib.contextmanager
def dask_cluster(folder: Path) -> Iterator[str]:
    """Start a Dask scheduler with two workers on this machine, and yield its address."""
    file = folder / "scheduler.json"

    def started(what: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--scheduler-file", str(file)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(
            [*command, "--no-dashboard", *arguments], cwd=folder, env=environment, **quiet
        )

    worker = ("worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
    processes = [
        started("scheduler", "--host", "127.0.0.1", "--port", "0"),
        started(*worker),
        started(*worker),
    ]
    try:
        while not (file.exists() and file.read_text().endswith("}")):  # written piece by piece
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        with Client(address, set_as_default=False, timeout=60) as client:
            client.wait_for_workers(2, timeout=120)
        yield address
    finally:
        for process in processes:
            process.kill()
            process.wait()


def by_dask(folder: Path, lesson: str, count: int) -> None:
    """Say how much longer a class takes on a cluster of two local workers than here, before and after."""
    courses = [prepare(folder / f"dask-{number}", lesson, False, range(count)) for number in range(3)]
    first = grade(courses[0], lesson)
    with dask_cluster(folder) as address:
        remote = grade(courses[1], lesson, "--dask", address)
    second = grade(courses[2], lesson)
    local = (first.wall + second.wall) / 2
    print(
        f"{lesson}: {count} submissions take {local:.1f} s here ({first.wall:.1f} and {second.wall:.1f}) and "
        f"{remote.wall:.1f} s on a Dask cluster of two workers here, {remote.wall / local:.2f} times as long",
        flush=True,
    )


@dataclass(frozen=True)
class Row:
    """What one submission of a lesson took, each way, in seconds and megabytes."""

    lesson: str
    stock: Cost
    pipeline: Cost
    ours: Cost


def compare(folder: Path, lesson: str, count: int, stock: int) -> Row:
    """Grade one class three ways."""
    half = max(stock // 2, 1)
    some = min(3 * stock, count)  # a command's start is part of its time, and should not be most of it
    courses = [
        prepare(folder / f"stock-{n}", lesson, True, range(n * half, (n + 1) * half)) for n in range(2)
    ]
    pipeline = prepare(folder / "pipeline", lesson, False, range(some))
    ours = prepare(folder / "grade", lesson, False, range(count))
    first = run(nbgrader("autograde", lesson), courses[0])
    graded = grade(ours, lesson)
    through = run(nbgrader("autograde", lesson), pipeline)
    second = run(nbgrader("autograde", lesson), courses[1])
    start = run(nbgrader("autograde", lesson), courses[1])  # all is graded: what is left is the start
    sample = Cost(
        first.wall + second.wall - 2 * start.wall,
        first.processor + second.processor - 2 * start.processor,
        max(first.megabytes, second.megabytes),
    )
    return Row(lesson, sample.each(2 * half), through.each(some), graded.each(count))


def table_of(rows: Sequence[Row]) -> Table:
    """Return the lessons' times, side by side."""
    table = Table(title="grading one submission, in seconds; and how many times as fast as stock nbgrader")
    for column in ("lesson", "stock", "pipeline", "times", "grade", "times", "processor", "times", "most MB"):
        table.add_column(column, justify="left" if column == "lesson" else "right")
    for row in rows:
        stock, pipeline, ours = row.stock, row.pipeline, row.ours
        table.add_row(
            row.lesson,
            f"{stock.wall:.2f}",
            f"{pipeline.wall:.2f}",
            f"{stock.wall / pipeline.wall:.1f}",
            f"{ours.wall:.3f}",
            f"{stock.wall / ours.wall:.1f}",
            f"{ours.processor:.3f}",
            f"{stock.processor / ours.processor:.1f}",
            f"{ours.megabytes:.0f}",
        )
    return table


def grow(folder: Path, lesson: str) -> Table:
    """How time and memory grow with the class."""
    table = Table(title=f"autograder grade --jobs 2, classes of {lesson}")
    for column in ("submissions", "seconds", "seconds for each one more", "processor s", "most MB"):
        table.add_column(column, justify="right")
    before, fewer = None, 0
    for count in GROWTH:
        cost = grade(prepare(folder / f"growth-{count}", lesson, False, range(count)), lesson)
        each = f"{(cost.wall - before.wall) / (count - fewer):.3f}" if before else ""
        table.add_row(str(count), f"{cost.wall:.1f}", each, f"{cost.processor:.1f}", f"{cost.megabytes:.0f}")
        before, fewer = cost, count
        shutil.rmtree(folder / f"growth-{count}")
    return table


def main() -> None:
    """Grade a class of each lesson three ways, and print what that took."""
    known = sorted(path.parent.name for path in (ROOT / "source").glob("*/tasks.py"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("lessons", nargs="*", help="these lessons, or all")
    parser.add_argument("--submissions", type=int, default=200, help="how many `autograder grade` grades")
    parser.add_argument("--stock", type=int, default=4, help="how many nbgrader's own command grades")
    parser.add_argument("--growth", action="store_true", help="also grade classes of 10, 100 and 1000")
    parser.add_argument(
        "--dask", action="store_true", help="also grade on a Dask cluster of two local workers"
    )
    chosen = parser.parse_args()
    console = Console(width=120)
    rows = []
    for lesson in chosen.lessons or known:
        with tempfile.TemporaryDirectory(prefix="grading-") as folder:
            rows.append(compare(Path(folder), lesson, chosen.submissions, chosen.stock))
            if chosen.growth:
                console.print(grow(Path(folder), lesson))
            if chosen.dask:
                by_dask(Path(folder), lesson, chosen.submissions)
        print(f"{lesson}: {rows[-1].stock.wall / rows[-1].ours.wall:.1f} times stock nbgrader", flush=True)
    console.print(table_of(rows))
    pipeline = median(row.stock.wall / row.pipeline.wall for row in rows)
    times = [row.stock.wall / row.ours.wall for row in rows]
    print(f"nbgrader autograde through our pipeline, times stock: {pipeline:.1f} (aim: {AIM_PIPELINE})")
    print(
        f"slowest lesson, times stock: {min(times):.1f} (aim: {AIM_SLOWEST}); aim of the median: {AIM_MEDIAN}"
    )
    print(f"times stock nbgrader: {median(times):.1f}")


if __name__ == "__main__":
    main()
