"""Whether a grade depends on the submission alone: random classes of honest and hostile submissions.

    python3 start.py run python -m benchmarks.random_classes [--classes N] [--first-seed N]
        [--honest N] [--hostile N] [--busy N]

Each class is drawn by its seed: honest submissions (right, another right wording, wrong ones as learners
type them, some beside a display that is far too large) and hostile ones (`tests/attacks/answers.py` and
`neighbors.py`), in any order. The honest ones are first graded without the others. Then the whole class is
graded with one job, with two jobs, and with two jobs beside loops that keep the processors busy. Score,
findings, flags and notes of each honest submission must be the same each time, and each command must end.
Exits with 1 otherwise.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path

import nbformat
from autograder.author.parse_source import read_source
from autograder.grading.graded_results import Grading, TaskResult, opened
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from benchmarks.grading import ROOT, answers
from benchmarks.neighbors import DISPLAYS, NEIGHBORS
from tests.attacks.answers import ATTACKS, Attack
from tests.classes import class_folder

LESSON = "01-dot-product"
# The longest that one command may take before it is said not to end.
MOST_SECONDS = 1800
SHARE_WITH_DISPLAY = 0.25
BUSY_LOOP = "while True: pass"


@dataclass(frozen=True)
class Difference:
    """An honest submission whose grade depended on something else."""

    seed: int
    condition: str
    student: str
    field: str
    alone: object
    here: object

    def __str__(self) -> str:
        where = f"class {self.seed}, {self.condition}: {self.student}: {self.field}"
        return f"{where} {self.here!r}, alone {self.alone!r}"


def honest_notebook(release: NotebookNode, solved: Mapping[str, str], chance: random.Random) -> NotebookNode:
    """Return an honest submission: answers as learners type them, some beside a huge display."""
    notebook = deepcopy(release)
    typed = answers(LESSON, chance)
    for cell in notebook.cells:
        if cell["id"].endswith("-answer"):
            cell.source = typed.get(cell["id"], solved[cell["id"]])
    if chance.random() < SHARE_WITH_DISPLAY:
        after_setup = 1 + next(i for i, cell in enumerate(notebook.cells) if cell["id"] == "setup")
        notebook.cells.insert(after_setup, new_code_cell(DISPLAYS[chance.choice(sorted(DISPLAYS))]))
    return notebook


def hand_in(course: Path, student: str, notebook: NotebookNode | str, attack: Attack | None = None) -> None:
    """Write a submission, with what an attack puts beside it or in its place."""
    path = course / "submitted" / student / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    for name, content in attack.beside if attack else ():
        (path.parent / name).parent.mkdir(parents=True, exist_ok=True)
        (path.parent / name).write_text(content, encoding="utf-8")
    if attack and attack.hand_in:
        attack.hand_in(path)
    elif isinstance(notebook, str):
        path.write_text(notebook, encoding="utf-8", errors="surrogatepass")
    else:
        nbformat.write(notebook, path)


def make_class(course: Path, seed: int, honest: int, hostile: int) -> tuple[list[str], list[str]]:
    """Make a class folder with a random class. Returns its honest and its hostile students."""
    chance = random.Random(seed)
    class_folder(course, LESSON)
    release = nbformat.read(course / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    solved = {c["id"]: c.source for c in read_source(ROOT / "source" / LESSON / f"{LESSON}.py").cells}
    attacks = {**ATTACKS, **{name: Attack(make) for name, make in NEIGHBORS.items()}}
    seats = list(range(honest + hostile))
    chance.shuffle(seats)
    students = [f"s{seat:02}-honest" for seat in sorted(seats[:honest])]
    attackers = []
    for student in students:
        hand_in(course, student, honest_notebook(release, solved, chance))
    # Half of them are of the kinds that were once seen to cost a neighbor something.
    drawn = chance.sample(sorted(NEIGHBORS), hostile // 2)
    drawn += chance.sample(sorted(ATTACKS), hostile - len(drawn))
    for seat, name in zip(seats[honest:], drawn, strict=True):
        notebook = deepcopy(release)
        attempt = attacks[name].make(notebook)
        attackers.append(f"s{seat:02}-{name}")
        hand_in(course, attackers[-1], notebook if attempt is None else attempt, attacks[name])
    return students, attackers


def grade(course: Path, jobs: int) -> tuple[float, str]:
    """Grade the class anew by its command. Returns its seconds, and what is wrong with how it ended."""
    command = [
        sys.executable,
        "-m",
        "autograder",
        "grade",
        LESSON,
        "--force",
        "--jobs",
        str(jobs),
        "--course",
        ".",
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "AUTOGRADER_SECRET": str(course / "secret")}
    begun = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
        try:
            code = subprocess.run(
                command, cwd=course, env=environment, timeout=MOST_SECONDS, **streams
            ).returncode
        except subprocess.TimeoutExpired:
            return time.monotonic() - begun, f"did not end within {MOST_SECONDS} s"
        output.seek(0)
        text = output.read()
    # 1 says that somebody needs a look; a traceback is never an ending.
    wrong = text[-2000:] if code not in (0, 1) or "Traceback" in text else ""
    return time.monotonic() - begun, wrong


def records(course: Path) -> dict[str, dict[str, object]]:
    """Return what was recorded of each student: every task's result, and the notes for a person."""
    results: dict[str, dict[str, object]] = {}
    with opened(f"sqlite:///{course / 'gradebook.db'}") as store:
        for result in store.read(TaskResult, LESSON):
            known = {
                name: value for name, value in asdict(result).items() if name not in ("answer", "release")
            }
            results.setdefault(result.student, {})[result.task] = known
        for grading in store.read(Grading, LESSON):
            results.setdefault(grading.student, {})["notes"] = list(map(str, grading.notes))
    return results


@contextlib.contextmanager
def busy_processors(loops: int) -> Iterator[None]:
    """Keep processors busy with loops of other processes."""
    processes = [subprocess.Popen([sys.executable, "-c", BUSY_LOOP]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def try_class(seed: int, honest: int, hostile: int, loops: int) -> Iterator[Difference]:
    """Grade one random class under each condition, and yield what depended on something else."""
    with tempfile.TemporaryDirectory(prefix="random-class-") as folder:
        course = Path(folder) / "course"
        students, attackers = make_class(course, seed, honest, hostile)
        secret = [sys.executable, "-m", "autograder", "secret", LESSON, "--course", "."]
        environment = {**os.environ, "AUTOGRADER_SECRET": str(course / "secret")}
        subprocess.run(secret, cwd=course, env=environment, check=True, stdout=subprocess.DEVNULL)
        for attacker in attackers:
            shutil.move(course / "submitted" / attacker, course / attacker)
        took, wrong = grade(course, jobs=1)
        alone = records(course)
        print(f"class {seed}: {', '.join(attackers)}")
        print(f"  {'honest only':18} {took:6.1f} s {wrong}", flush=True)
        for attacker in attackers:
            shutil.move(course / attacker, course / "submitted" / attacker)
        for condition, jobs, busy in (("one job", 1, 0), ("two jobs", 2, 0), ("busy processors", 2, loops)):
            with busy_processors(busy):
                took, wrong = grade(course, jobs)
            here = records(course)
            differences = list(_differences(seed, condition, students, alone, here))
            if wrong:
                differences.append(Difference(seed, condition, "the command", "ended", "", wrong))
            print(f"  {condition:18} {took:6.1f} s {len(differences)} differ", flush=True)
            yield from differences


def _differences(
    seed: int, condition: str, students: list[str], alone: Mapping[str, dict], here: Mapping[str, dict]
) -> Iterator[Difference]:
    for student in students:
        expected, actual = alone.get(student, {}), here.get(student, {})
        if not expected:
            yield Difference(seed, condition, student, "graded", "not even alone", sorted(actual))
        for field in sorted({*expected, *actual}):
            if expected.get(field) != actual.get(field):
                yield Difference(seed, condition, student, field, expected.get(field), actual.get(field))


def main() -> int:
    """Try all classes, print what differs, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--classes", type=int, default=30)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--honest", type=int, default=6)
    parser.add_argument("--hostile", type=int, default=4)
    parser.add_argument("--busy", type=int, default=4, help="how many loops keep the processors busy")
    chosen = parser.parse_args()
    seeds = range(chosen.first_seed, chosen.first_seed + chosen.classes)
    differences = []
    for seed in seeds:
        for difference in try_class(seed, chosen.honest, chosen.hostile, chosen.busy):
            print(f"    {difference}", flush=True)
            differences.append(difference)
    graded = 3 * chosen.honest * len(seeds)
    wrong = {(difference.seed, difference.condition, difference.student) for difference in differences}
    print(f"{len(seeds)} classes: {len(wrong)} of {graded} honest submissions were graded differently")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
