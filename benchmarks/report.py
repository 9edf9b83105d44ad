"""How long `autograder report` takes for a class whose verdicts are stored: all of it, with its start.

    python3 start.py run python -m benchmarks.report [LESSON] [--students N]

A class is made up, in a folder of its own: a third of its answers are wrong, each with a mistake that the
lesson knows, in a text of the student's own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.grading import graded_results
from autograder.grading.class_folder import Class
from autograder.grading.graded_results import Grading, TaskResult
from autograder.records.course import Course
from nbgrader.api import Base
from sqlalchemy import create_engine

ROOT = Path(__file__).resolve().parents[1]
AIM = 5.0


def made_up(folder: Path, lesson: str, students: int) -> Class:
    """Make a class with verdicts as grading stores them."""
    bank = Course.read(ROOT).bank.as_posix()
    described = (ROOT / "course.toml").read_text(encoding="utf-8")
    (folder / "course.toml").write_text(described.replace('"bank"', f'"{bank}"'), encoding="utf-8")
    (folder / "nbgrader_config.py").write_bytes((ROOT / "nbgrader_config.py").read_bytes())
    (folder / "notebooks").symlink_to(ROOT / "notebooks")
    course = Class(folder)
    Base.metadata.create_all(create_engine(course.database))
    tasks = course.banks.lesson(lesson).tasks
    with graded_results.opened(course.database) as store:
        for student in range(students):
            results = []
            for place_of, task in enumerate(tasks.values()):
                which = lesson, f"student-{student:04}", task.id
                text = f"def f(x):\n    return x * {student}\n"
                if (student + place_of) % 3 or not task.known_wrong:
                    results.append(TaskResult(*which, task.points, task.points, answer=text))
                    continue
                fault = task.known_wrong[student % len(task.known_wrong)].id
                how = {"faults": (fault,), "finding": "MatchesKnownWrong", "answer": text}
                results.append(TaskResult(*which, 0, task.points, **how))
            store.write(Grading(lesson, f"student-{student:04}", graded_results.now()), results)
    return course


def main() -> None:
    """Time the command three times and print the fastest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("lesson", nargs="?", default="05-multi-head")
    parser.add_argument("--students", type=int, default=300)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made_up(Path(folder), asked.lesson, asked.students)
        page = Path(folder, "report.html")
        command = [sys.executable, "-m", "autograder", "report", asked.lesson, "--html", str(page)]
        times = []
        for _ in range(3):
            begun, before = time.perf_counter(), os.times().children_user
            subprocess.run([*command, "--course", folder], stdout=subprocess.DEVNULL, check=True)
            times.append((time.perf_counter() - begun, os.times().children_user - before))
    wall, processor = min(times)
    print(f"{asked.lesson}, {asked.students} students: {wall:.1f} s, {processor:.1f} s of a processor")
    print(f"The aim is {AIM:.0f} s.")


if __name__ == "__main__":
    main()
