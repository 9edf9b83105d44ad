"""A grade depends on the submission alone: what does not end costs the tasks that need it, on any machine."""

from __future__ import annotations

import contextlib
import html
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from autograder.author.parse_source import read_source
from autograder.command.app import app
from autograder.grading import graded_results
from autograder.grading.class_folder import Class
from autograder.grading.graded_results import Grading, TaskResult
from autograder.records.course import Course
from support.class_course import LESSON, class_folder
from typer.testing import CliRunner

RIGHT = "def convolve(signal, kernel):\n    return signal.unfold(0, len(kernel), 1) @ kernel"
LOOP = "def convolve(signal, kernel):\n    while True:\n        pass"
FORWARD = """
class Convolution(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.kernel = nn.Parameter(torch.rand(width))
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        {}
        return torch.stack([convolve(row, self.kernel) for row in x]) + self.bias
"""
CALLS = FORWARD.format("pass")
BY_HAND = "smoothed = signal.unfold(0, 3, 1) @ kernel"
ENDED = "could not be checked: it did not end within 3 seconds"


def convolve(before: str) -> str:
    return RIGHT.replace("    return", f"    {before}\n    return")


UNCHANGED = "def convolve(signal, kernel):\n    return signal"
STUBBORN = "while True:\n        try:\n            while True: pass\n        except BaseException: pass"
RECURSION = "def convolve(signal, kernel):\n    return convolve(signal, kernel)"
EXITS = "import os\nos._exit(0)"
DRAWS = (
    "import random, numpy\nsmoothed = 0 * signal[:6] + random.random() + numpy.random.rand() + torch.rand(1)"
    " + hash('x') % 9 + len(next(iter({'a', 'bb', 'ccc', 'dddd', 'eeeee'})))"
)
FORKS = "import os\nif os.fork() == 0:\n    while True: pass"
WORKS = "from time import process_time as t; end = t() + 4\n    while t() < end: pass"
LOOP_IF_RIGHT = "while len(convolve(x[0], self.kernel)) != len(x[0]): pass"
OTHERS = "could not be checked: with other numbers, it did not end within 3 seconds"
# What a student answers (by-hand, convolve, convolution, added cells), the points that are due, and what is
# said of what is wrong. An empty text is the course's own answer.
KINDS: dict[str, tuple[tuple[str, ...], tuple[float, ...], str]] = {
    "right": ((BY_HAND, RIGHT, CALLS), (1, 2, 2), ""),
    "right though it sleeps": ((f"import time\ntime.sleep(2.2)\n{BY_HAND}", RIGHT), (1, 2, 2), ""),
    "loop in a function": (("", LOOP, "", "convolve(signal, kernel)"), (1, 0, 2), ENDED),
    "loop that others call": (("", LOOP, CALLS, "convolve(signal, kernel)"), (1, 0, 2), ENDED),
    "loop in a method": (("", "", FORWARD.format("while True: pass")), (1, 2, 0), ENDED),
    "loop in a cell": (("while True: pass",), (0, 2, 2), ENDED),
    "loop with other numbers": ((f"while signal[0] != 1: pass\n{BY_HAND}",), (0, 2, 2), OTHERS),
    "calls what is wrong": (("", UNCHANGED, CALLS), (1, 0, 2), "should have"),
    "loop in a follow-up": (("", UNCHANGED, FORWARD.format(LOOP_IF_RIGHT)), (1, 0, 0), "should have"),
    "takes four seconds": (("", convolve("__import__('time').sleep(4)")), (1, 0, 2), ENDED),
    "works four seconds": (("", convolve(WORKS)), (1, 0, 2), ENDED),
    "swallows what interrupts it": (("", convolve(STUBBORN)), (1, 0, 2), ENDED),
    "fork that loops": (("", f"{RIGHT}\n{FORKS}"), (1, 2, 2), ""),
    "fork that is waited for": (("", f"{RIGHT}\n{FORKS}\nos.wait()"), (1, 0, 2), ENDED),
    "recursion": (("", RECURSION), (1, 0, 2), "RecursionError"),
    "an address": (("", RIGHT.replace("return", "raise ValueError(object());")), (1, 0, 2), "at 0x…"),
    "draws without a seed": ((DRAWS,), (0, 2, 2), ""),
    "ends its process": ((EXITS, f"{RIGHT}\n{EXITS}", "", *[EXITS] * 3), (0, 0, 2), "ended its own"),
}
LOOPS = "while True: pass"


@contextlib.contextmanager
def busy(number: int) -> Iterator[None]:
    """Keep processors busy."""
    loops = [subprocess.Popen([sys.executable, "-c", LOOPS]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def hand_in(folder: Path, student: str, answers: tuple[str, ...]) -> None:
    notebook = read_source(folder / "source" / LESSON / f"{LESSON}.py")
    for name, text in zip(("by-hand", "convolve", "convolution"), answers, strict=False):
        cell = next(cell for cell in notebook.cells if cell["id"] == f"{name}-answer")
        cell.source = text or cell.source
    end = next(n for n, cell in enumerate(notebook.cells) if cell["id"] == "convolve") + 1
    notebook.cells[end:end] = [nbformat.v4.new_code_cell(text) for text in answers[3:]]
    path = folder / "submitted" / student / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)


def graded(folder: Path, jobs: int) -> dict[str, tuple[list[TaskResult], list[tuple[str, ...]]]]:
    """Grade a class; each student's results and notes, without what is of that student or time."""
    done = CliRunner().invoke(app, ["grade", LESSON, "--course", str(folder), "--jobs", str(jobs)])
    assert done.exit_code == 0, done.output
    actual = {}
    with graded_results.opened(Class(folder).database) as store:
        for student in (path.name for path in (folder / "submitted").iterdir()):
            results = [replace(item, student="") for item in store.read(TaskResult, LESSON, student)]
            actual[student] = results, [item.notes for item in store.read(Grading, LESSON, student)]
    return actual


@pytest.fixture(scope="module")
def classes(class_course: Course, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A class, and half of it once more, where who was first is last."""
    places = []
    for which, order in (("one", 1), ("other", -2)):
        folder = class_folder(class_course, tmp_path_factory.mktemp(which) / "course", LESSON)
        for number, (answers, _, _) in enumerate(list(KINDS.values())[::order]):
            hand_in(folder, f"student-{number:02}", answers)
        places.append(folder)
    return places[0], places[1]


@pytest.fixture(scope="module")
def first(classes: tuple[Path, Path]) -> dict[str, tuple[list[TaskResult], list[tuple[str, ...]]]]:
    return graded(classes[0], 2)


def printed(folder: Path, student: str) -> str:
    """Return what a student reads of their tasks."""
    path = folder / "autograded" / student / LESSON / f"{LESSON}.ipynb"
    outputs = [
        "".join(output.get("data", {}).get("text/html", ""))
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        for output in cell.get("outputs", ())
    ]
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", " ".join(outputs))))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_does_not_end_costs_the_tasks_that_need_it_and_says_why(classes, first, kind):
    _, points, says = KINDS[kind]
    student = f"student-{list(KINDS).index(kind):02}"
    assert [item.points for item in first[student][0]] == list(points)
    text = printed(classes[0], student)
    assert says in text
    assert "own numbers only" not in text


def test_a_function_that_is_compiled_costs_no_other_task(class_course, tmp_path):
    folder = class_folder(class_course, tmp_path / "course", LESSON)
    hand_in(folder, "zoe", ("", f"@torch.compile\n{RIGHT}"))
    results, _ = graded(folder, 1)["zoe"]
    assert [result.points for result in results if result.task != "convolve"] == [1, 2]
    assert "own numbers only" not in printed(folder, "zoe")


@pytest.mark.slow
def test_on_a_busy_machine_with_one_job_and_in_another_order_all_is_the_same(classes, first):
    with busy(2):
        second = graded(classes[1], 1)
    assert len(second) == len(KINDS) / 2
    for number, kind in enumerate(list(KINDS)[::-2]):
        students = f"student-{list(KINDS).index(kind):02}", f"student-{number:02}"
        (results, notes), (others, its_notes) = first[students[0]], second[students[1]]
        assert (kind, notes) == (kind, its_notes)
        for item, other in zip(results, others, strict=True):
            assert (kind, item) == (kind, other)
        texts = [printed(place, student) for place, student in zip(classes, students, strict=True)]
        assert (kind, texts[0]) == (kind, texts[1])
