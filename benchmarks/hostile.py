"""What hostile submissions cost a class: time, memory and disk, with them and without.

    python3 start.py run python -m benchmarks.hostile [--class-size N] [--jobs N ...] [--runs N]

A class is graded by `autograder grade`: once all are honest, and then with attacks of `tests/attacks/` in the
place of ten of them, two of each kind. The aim: with them it takes no more than 1.5 times as long, everybody
gets a score, and each honest submission the one that it gets among honest ones.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from copy import deepcopy
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook
from rich.console import Console
from rich.table import Table

from benchmarks.grading import Cost, hand_in, run
from tests.attacks.answers import ATTACKS
from tests.classes import class_folder

FIRST = "01-dot-product"
# Two of each: to earn, to read, to stall, to harm, to mislead.
HOSTILE = (
    *("forges-collect", "learnt-by-heart", "searches-files", "searches-memory", "endless-loop"),
    *("busy-processes", "takes-memory", "fork-bomb", "scripts", "forges-messages"),
)
AIM = 1.5


def replace_by_attacks(course: Path, lesson: str) -> None:
    """Put attacks in the place of the last students' submissions."""
    release = nbformat.read(course / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)
    students = sorted((course / "submitted").iterdir())
    for student, name in zip(students[-len(HOSTILE) :], HOSTILE, strict=True):
        notebook = deepcopy(release)
        attacked = ATTACKS[name].make(notebook) or notebook
        nbformat.write(attacked, student / lesson / f"{lesson}.ipynb")


def megabytes_on_disk(course: Path) -> float:
    """Return what all files of a class's folder hold."""
    return sum(path.stat().st_size for path in course.rglob("*") if path.is_file()) / 2**20


def graded(course: Path, lesson: str, jobs: int) -> tuple[Cost, dict[str, float]]:
    """Grade a class; what that took, and the score of each student."""
    command = [sys.executable, "-m", "autograder", "grade", lesson, "--jobs", str(jobs), "--course", "."]
    cost = run(command, course)
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        return cost, {
            submission.student.id: submission.score for submission in book.assignment_submissions(lesson)
        }


def main() -> None:
    """Grade both classes at each number of jobs, and print what that took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--lesson", default=FIRST)
    parser.add_argument("--class-size", type=int, default=50)
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--runs", type=int, default=1, help="how often the class with attacks is graded")
    chosen = parser.parse_args()
    table = Table(title=f"{chosen.class_size} submissions of {chosen.lesson}, {len(HOSTILE)} of them hostile")
    for column in (
        "jobs",
        "class",
        "seconds",
        "times",
        "processor s",
        "times",
        "most MB",
        "disk MB",
        "with a score",
        "honest as alone",
    ):
        table.add_column(column, justify="right")
    for jobs in chosen.jobs:
        honest = None
        alone: dict[str, float] = {}
        for kind in ("honest", *["hostile"] * chosen.runs):
            with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
                course = class_folder(Path(folder), chosen.lesson)
                hand_in(course, chosen.lesson, range(chosen.class_size))
                run([sys.executable, "-m", "autograder", "secret", chosen.lesson, "--course", "."], course)
                if kind == "hostile":
                    replace_by_attacks(course, chosen.lesson)
                cost, scores = graded(course, chosen.lesson, jobs)
                honest, alone = honest or cost, alone or scores
                unchanged = sum(scores.get(name) == alone[name] for name in sorted(alone)[: -len(HOSTILE)])
                table.add_row(
                    *(str(jobs), kind, f"{cost.wall:.1f}", f"{cost.wall / honest.wall:.2f}"),
                    *(f"{cost.processor:.1f}", f"{cost.processor / honest.processor:.2f}"),
                    *(f"{cost.megabytes:.0f}", f"{megabytes_on_disk(course):.1f}"),
                    f"{len(scores)} of {chosen.class_size}",
                    f"{unchanged} of {chosen.class_size - len(HOSTILE)}",
                )
    Console(width=126).print(table)
    print(f"aim: {AIM} times")


if __name__ == "__main__":
    main()
