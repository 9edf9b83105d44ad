"""Whether grading is reproducible: one class, graded three times.

    python3 start.py run python -m benchmarks.reproducible [--submissions N] [--seed N] [--busy N]

Most submissions of the class are honest (right, another right wording, wrong as learners type it); others are
slow, do not end, or are damaged. The class is graded with one job; with two jobs beside loops that keep the
processors busy; and with one job beside the loops, the students in the opposite order. Score, findings, notes
and what each student reads must be the same. Prints how many differ, and exits with 1 if any does.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path

import nbformat
from autograder.author.parse_source import read_source
from nbformat import NotebookNode

from benchmarks.grading import ROOT
from benchmarks.random_classes import LESSON, busy_processors, grade, hand_in, honest_notebook, records
from tests.classes import class_folder

HONEST_SHARE = 0.8
ATTENTION = "def simple_attention(x):\n    {}\n    return torch.softmax(x @ x.T, dim=-1) @ x"
STABLE = (
    "def softmax_stable(scores):\n    {}\n    e = torch.exp(scores - scores.max())\n    return e / e.sum()"
)
NAIVE = "def softmax_naive(scores):\n    {}\n    return torch.exp(scores) / torch.exp(scores).sum()"
STUBBORN = "while True:\n        try:\n            while True: pass\n        except BaseException: pass"
SCORES = "{}\nattn_scores = inputs @ inputs.T"
WORKS = "from time import process_time as t; end = t() + {}\n    while t() < end: pass"
# Right answers that take their time, are stopped, or fail, each by the task that it answers.
SLOW = (
    ("all-scores", SCORES.format("import time\ntime.sleep(2.2)")),
    (
        "all-scores",
        SCORES.format("import time\nend = time.process_time() + 1.5\nwhile time.process_time() < end: pass"),
    ),
    ("simple-attention", ATTENTION.format("__import__('time').sleep(0.4)")),
    ("simple-attention", ATTENTION.format("__import__('time').sleep(4)")),
    ("simple-attention", ATTENTION.format(WORKS.format(5))),
    (
        "all-scores",
        SCORES.format(
            "from concurrent.futures import ThreadPoolExecutor\nimport zlib\n"
            "with ThreadPoolExecutor(4) as pool:\n"
            "    list(pool.map(lambda n: [zlib.crc32(bytes(10**7)) for _ in range(20)], range(4)))"
        ),
    ),
)
ENDLESS = (
    ("simple-attention", ATTENTION.format("while True: pass")),
    ("simple-attention", ATTENTION.format("i = 0\n    while i < len(x): scores = x @ x.T")),
    ("softmax-naive", NAIVE.format("while True: pass")),
    ("softmax-stable", STABLE.format("while scores.max() != 9: pass")),
    ("all-scores", SCORES.format("while True: pass")),
    ("all-scores", SCORES.format("while abs(inputs[0, 0] - 0.43) > 0.01: pass")),
    (
        "simple-attention",
        ATTENTION.format(
            "while True:\n        try:\n            while True: pass\n        except BaseException: pass"
        ),
    ),
    ("all-scores", SCORES.format("import os\nif os.fork() == 0:\n    while True: pass\nos.wait()")),
    ("all-scores", SCORES.format("import os\nif os.fork() == 0:\n    while True: pass")),
    ("simple-attention", "def simple_attention(x):\n    return simple_attention(x)"),
    ("dot-product", "import os\nos._exit(0)"),
    ("all-scores", "class Scores: pass\nattn_scores = torch.softmax(Scores(), dim=-1)"),
    ("simple-attention", "def simple_attention(x):\n    raise ValueError(object())"),
    ("softmax-stable", "import random\n\ndef softmax_stable(scores):\n    return scores * random.random()"),
    (
        "softmax-stable",
        "import numpy\n\ndef softmax_stable(scores):\n    return scores * numpy.random.rand()",
    ),
    ("softmax-stable", "def softmax_stable(scores):\n    return scores * hash('x')"),
)


def _cut(text: str, chance: random.Random) -> str:
    return text[: chance.randrange(1, len(text))]


def _without_ids(text: str, chance: random.Random) -> str:
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        cell.pop("id", None)
    return json.dumps(notebook)


def _without_cells(text: str, chance: random.Random) -> str:
    notebook = json.loads(text)
    notebook["cells"] = chance.sample(notebook["cells"], len(notebook["cells"]) // 2)
    return json.dumps(notebook)


DAMAGES: tuple[Callable[[str, random.Random], str], ...] = (
    _cut,
    _without_ids,
    _without_cells,
    lambda text, chance: "",
    lambda text, chance: "[" * 5_000,
)


def submission(release: NotebookNode, solved: Mapping[str, str], chance: random.Random) -> NotebookNode | str:
    """Return a submission of the class, as it is handed in."""
    notebook = honest_notebook(release, solved, chance)
    if chance.random() < HONEST_SHARE:
        return notebook
    kind = chance.choice(("slow", "endless", "damaged"))
    if kind == "damaged":
        return chance.choice(DAMAGES)(nbformat.writes(notebook), chance)
    task, text = chance.choice(SLOW if kind == "slow" else ENDLESS)
    answer = next(cell for cell in notebook.cells if cell["id"] == f"{task}-answer")
    answer.source = text
    return notebook


def cards(course: Path, student: str) -> list[str]:
    """Return what a student reads of each task."""
    path = course / "autograded" / student / LESSON / f"{LESSON}.ipynb"
    if not path.exists():
        return []
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    tested = [cell for cell in cells if cell["metadata"].get("nbgrader", {}).get("grade")]
    return [json.dumps(cell.get("outputs")) for cell in tested]


def found(course: Path, students: Sequence[str]) -> list[dict[str, object]]:
    """Return what grading found of each submission, without its student."""
    known = records(course)
    results = []
    for student in students:
        tasks = dict(known.get(student, {}))
        notes = tasks.pop("notes", None)
        for task in tasks.values():
            task.pop("student")
        points = {name: task.pop("points") for name, task in tasks.items()}
        results.append({"scores": points, "findings": tasks, "notes": notes, "cards": cards(course, student)})
    return results


def main() -> int:
    """Grade the class three times, print what differs, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--busy", type=int, default=4, help="how many loops keep the processors busy")
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    runs: list[list[dict[str, object]]] = []
    with tempfile.TemporaryDirectory(prefix="reproducible-") as folder:
        first = Path(folder) / "first"
        class_folder(first, LESSON)
        environment = {**os.environ, "AUTOGRADER_SECRET": str(first / "secret")}
        secret = [sys.executable, "-m", "autograder", "secret", LESSON, "--course", "."]
        subprocess.run(secret, cwd=first, env=environment, check=True, stdout=subprocess.DEVNULL)
        release = nbformat.read(first / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
        solved = {c["id"]: c.source for c in read_source(ROOT / "source" / LESSON / f"{LESSON}.py").cells}
        submissions = [submission(release, solved, chance) for _ in range(chosen.submissions)]
        students = [f"student-{number:04}" for number in range(len(submissions))]
        for name, jobs, loops, order in (
            ("one job", 1, 0, students),
            ("two jobs, busy", 2, chosen.busy, students),
            ("other order, busy", 1, chosen.busy, students[::-1]),
        ):
            course = Path(folder) / f"class-{len(runs)}"
            class_folder(course, LESSON)
            shutil.copytree(first / "secret", course / "secret")
            for student, notebook in zip(order, submissions, strict=True):
                hand_in(course, student, deepcopy(notebook))
            with busy_processors(loops):
                took, wrong = grade(course, jobs)
            runs.append(found(course, order))
            without = sum(not run["scores"] for run in runs[-1])
            print(f"{name:18} {took:6.1f} s, {without} without a score {wrong}", flush=True)
            if wrong:
                return 1
    return _compare(runs)


def _compare(runs: Sequence[Sequence[Mapping[str, object]]]) -> int:
    differ = dict.fromkeys(("scores", "findings", "notes", "cards"), 0)
    for number, first in enumerate(runs[0]):
        for name in differ:
            others = [run[number][name] for run in runs[1:]]
            if any(other != first[name] for other in others):
                differ[name] += 1
                print(f"  submission {number}: {name}: {first[name]!r}, then {others!r}"[:3_000])
    print(
        f"of {len(runs[0])} submissions, graded three times: "
        + ", ".join(f"{n} {k}" for k, n in differ.items())
        + " differ"
    )
    return 1 if any(differ.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
