"""How long a lesson of a class takes, from Canvas' archive to scores for Canvas: each step, with its start.

    python3 start.py run python -m benchmarks.term [LESSON] [--students N]

`benchmarks.grading` makes the class up; what it handed in lies in an archive as Canvas makes it.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
from rich.console import Console
from rich.table import Table

from benchmarks.grading import Cost, hand_in, run
from tests.classes import class_folder

AIM = 90.0  # seconds on two cores that have nothing else to do
LISTED = "Student,ID,SIS Login ID,Section,{} (991)\n    Points Possible,,,,{:g}\n"
GRADEBOOK, ARCHIVE, FILLED = "canvas.csv", "canvas.zip", "canvas-graded.csv"


def made_up(folder: Path, lesson: str, students: int) -> None:
    """Put a class's folder there, its list as Canvas exports it, and the archive of what it handed in."""
    class_folder(folder, lesson)
    handed_in = folder / "handed-in"
    hand_in(handed_in, lesson, range(students))
    release = nbformat.read(folder / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)
    points = sum(cell.metadata.get("nbgrader", {}).get("points", 0) for cell in release.cells)
    rows = [LISTED.format(lesson, points)]
    with zipfile.ZipFile(folder / ARCHIVE, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, path in enumerate(sorted(handed_in.rglob("*.ipynb"))):
            student = path.relative_to(handed_in / "submitted").parts[0]
            rows.append(f'"{number:04}, Student",{number + 10_000},{student},A,\n')
            archive.write(path, f"{number:04}student_{number + 10_000}_{number + 90_000}_{path.name}")
    (folder / GRADEBOOK).write_text("".join(rows), encoding="utf-8")
    shutil.rmtree(handed_in)


def steps(folder: Path, lesson: str) -> Iterator[tuple[str, Cost]]:
    """Take the class through a lesson, by the commands that its instructor types."""
    for words in (
        ("roster", GRADEBOOK),
        ("collect", ARCHIVE),
        ("grade", lesson, "--jobs", "2"),
        ("grade", lesson, "--jobs", "2"),
        ("report", lesson, "--html", "report.html", "--csv", "report.csv"),
        ("similar", lesson),
        ("desk", "--out", "desk"),
        ("export", "--canvas", GRADEBOOK),
    ):
        yield " ".join(words), run([sys.executable, "-m", "autograder", *words], folder)


def main() -> None:
    """Print what each step took, and all of them together."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("lesson", nargs="?", default="03-causal")
    parser.add_argument("--students", type=int, default=300)
    chosen = parser.parse_args()
    table = Table(title=f"{chosen.students} students, {chosen.lesson}")
    for column in ("autograder …", "seconds", "processor s", "most MB"):
        table.add_column(column, justify="left" if column.startswith("auto") else "right")
    costs = []
    with tempfile.TemporaryDirectory(prefix="term-") as folder:
        root = Path(folder)
        made_up(root, chosen.lesson, chosen.students)
        for step, cost in steps(root, chosen.lesson):
            costs.append(cost)
            table.add_row(step, f"{cost.wall:.1f}", f"{cost.processor:.1f}", f"{cost.megabytes:.0f}")
        with (root / FILLED).open(encoding="utf-8", newline="") as file:
            scored = sum(bool(row[-1].strip()) for row in list(csv.reader(file))[2:])
    Console(width=120).print(table)
    if scored != chosen.students:
        sys.exit(f"{scored} of {chosen.students} students have a score.")
    wall, processor = (sum(seconds) for seconds in zip(*((c.wall, c.processor) for c in costs), strict=True))
    print(
        f"from Canvas' archive to {scored} scores for Canvas: {wall:.0f} s (aim: {AIM:.0f}), "
        f"{processor:.0f} s of processor time"
    )


if __name__ == "__main__":
    main()
