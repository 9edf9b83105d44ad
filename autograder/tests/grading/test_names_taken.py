"""What a learner names cannot break what the course calls: in a sandbox, and in a Jupyter kernel."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import nbformat
import pytest
from autograder.grading.grade_notebook import Graded, grade
from autograder.grading.grading_banks import Banks
from autograder.grading.notebook_runners import KernelRunner, SandboxRunner
from autograder.records.course import Course
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from support.class_course import LESSON

# The course's cells around the first answer: what its function uses is looked up when that is called.
HELPER = "def doubled(x):\n    return torch.stack([float(len(x)) * x for _ in range(2)])"
WORKED = "sum(doubled(signal).flatten().tolist()), isinstance(nn.Linear(1, 1), nn.Module)"
SHOWN = "(288.0, True)"
# The learner's own, which use nothing that is taken below.
BY_HAND = "import torch as own\nsmoothed = own.stack([(signal[i : i + 3] * kernel).sum() for i in range(6)])"
CONVOLVE = (
    "def convolve(signal, kernel):\n"
    "    return own.stack([(part * kernel).sum() for part in signal.unfold(0, len(kernel), 1)])"
)
TAKEN = {
    "a number": "check = 0.5",
    "a function": "def check(a, b):\n    return a == b",
    "a class": "class torch:\n    pass",
    "a module": "import torch.nn.functional as torch\nimport os as check",
    "all names of a module": "from numpy import *",
    "in a function": "def take():\n    global check, torch\n    check = torch = 5\ntake()",
    "in loops": "for check in [1, 2]: pass\n[torch := 1 for _ in 'a']\nwith open('/dev/null') as nn: pass",
    "deleted": "del check, torch, nn",
    "deleted by a magic": "%reset_selective -f ^(check|torch|nn)$",
    "built-in names": "float = list = sum = print = isinstance = __import__ = 3",
    "past any statement": "globals().update(check=1, torch=2, nn=3, sum=4)",
    "and read by a right answer": (
        "check = torch = 2.0\n_right = convolve\n"
        "def convolve(signal, kernel):\n    return _right(signal, kernel) * check / torch"
    ),
}


def taking(course: Course, name: str, code: str) -> NotebookNode:
    """A lesson with two right answers; the learner takes names in the first one, or in the second."""
    result = nbformat.read(course.root / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    cells = {cell["id"]: cell for cell in result.cells}
    cells["by-hand-answer"].source = BY_HAND
    cells["convolve-answer"].source = CONVOLVE
    cells["convolve-answer" if "convolve" in code else "by-hand-answer"].source += f"\n{code}"
    at = result.cells.index(cells["by-hand-answer"])
    result.cells.insert(at + 1, new_code_cell(WORKED, id="worked"))
    result.cells.insert(at, new_code_cell(HELPER, id="helper"))
    return result


@pytest.fixture(scope="module")
def graded(class_course: Course) -> Callable[[NotebookNode, SandboxRunner], Graded]:
    lesson = Banks.of(class_course).lesson(LESSON)

    def run(notebook: NotebookNode, by: SandboxRunner) -> Graded:
        by.begin(LESSON)
        return grade(notebook, lesson, by)

    return run


def assert_unharmed(done: Graded) -> None:
    earned = {name: verdict.earned for name, verdict in done.verdicts.items()}
    shown = next(cell for cell in done.notebook.cells if cell["id"] == "worked").outputs
    assert (earned["by-hand"], earned["convolve"]) == (1, 2)
    assert [output.get("data", output).get("text/plain") for output in shown] == [SHOWN]


@pytest.mark.parametrize("kind", TAKEN)
def test_right_answers_keep_their_points_whatever_name_was_taken(class_course, sandbox, graded, kind):
    assert_unharmed(graded(taking(class_course, kind, TAKEN[kind]), sandbox))


def test_so_they_do_in_a_kernel(class_course, graded):
    kernels = KernelRunner(Banks.of(class_course))
    code = "\n".join(TAKEN[kind] for kind in ("a function", "a class", "built-in names"))
    try:
        assert_unharmed(graded(taking(class_course, "", code), kernels))
    finally:
        kernels.close()


def test_a_learners_cells_see_what_the_learner_named(class_course, sandbox, graded):
    result = taking(class_course, "", "check = 7\nsum = 8")
    seen = new_code_cell("check, sum, doubled.__globals__['check']", id="added-by-learner-0")
    result.cells.append(seen)
    cell = graded(result, sandbox).notebook.cells[-1]
    assert cell.outputs[0].data["text/plain"] == "(7, 8, 7)"


def test_a_name_that_a_task_asks_for_is_the_learners_in_the_courses_cells_too(class_course, sandbox, graded):
    result = deepcopy(taking(class_course, "", ""))
    setup = next(cell for cell in result.cells if cell["id"] == "setup")
    setup.source += "\nsmoothed = None"
    next(cell for cell in result.cells if cell["id"] == "worked").source = "smoothed is None"
    done = graded(result, sandbox)
    shown = next(cell for cell in done.notebook.cells if cell["id"] == "worked")
    assert shown.outputs[0].data["text/plain"] == "False"
    assert done.verdicts["by-hand"].earned == 1


def test_a_package_of_the_learners_own_is_what_the_notebook_itself_has(class_course, sandbox, graded):
    notebook = taking(class_course, "own", "")
    cell = next(cell for cell in notebook.cells if cell["id"] == "convolution-answer")
    cell.source = (
        "from mine import convolve as kept\n\nclass Convolution(nn.Module):\n    def __init__(self, width):\n"
        "        super().__init__()\n        self.kernel = nn.Parameter(torch.rand(width))\n"
        "        self.bias = nn.Parameter(torch.zeros(()))\n\n    def forward(self, x):\n"
        "        return torch.stack([kept(row, self.kernel) for row in x]) + self.bias"
    )
    assert graded(notebook, sandbox).verdicts["convolution"].passed
