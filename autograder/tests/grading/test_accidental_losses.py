"""What costs points by accident is told as that, to the student and to whoever grades."""

from __future__ import annotations

from collections.abc import Callable

import nbformat
import pytest
from autograder.grading.grade_notebook import Graded, grade
from autograder.grading.grading_banks import Banks
from autograder.grading.notebook_runners import SandboxRunner
from autograder.records.cell_roles import ADDED
from autograder.records.course import Course
from nbformat.v4 import new_code_cell
from support.class_course import LESSON

SMOOTHED = "smoothed = torch.stack([(signal[i : i + 3] * kernel).sum() for i in range(6)])"


@pytest.fixture
def graded(class_course: Course, sandbox: SandboxRunner) -> Callable[..., Graded]:
    """Grade a notebook of which one answer is given, perhaps after a cell of the learner's own."""
    lesson = Banks.of(class_course).lesson(LESSON)

    def run(answer: str, added: str = "") -> Graded:
        result = nbformat.read(class_course.root / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
        next(cell for cell in result.cells if cell["id"] == "by-hand-answer").source = answer
        if added:
            setup = next(n for n, cell in enumerate(result.cells) if cell["id"] == "setup")
            result.cells.insert(setup + 1, new_code_cell(added, id=f"{ADDED}0"))
        sandbox.begin(LESSON)
        return grade(result, lesson, sandbox)

    return run


def card(done: Graded) -> str:
    return str(
        next(cell for cell in done.notebook.cells if cell["id"] == "by-hand").outputs[0].data["text/html"]
    )


def test_another_default_dtype_is_named(graded):
    done = graded(SMOOTHED, "torch.set_default_dtype(torch.float64)")
    (note,) = done.notes
    assert note == "A cell sets another default dtype, so the example data is float64 in place of float32."
    assert "torch.set_default_dtype" in card(done)


def test_a_package_that_is_missing_is_named(graded):
    done = graded(f"import einops_of_nobody.layers\n{SMOOTHED}")
    (note,) = done.notes
    assert note.startswith("The cell by-hand-answer imports einops_of_nobody, which is not installed")
    assert "No package of this name is installed" in card(done)


@pytest.mark.parametrize("character", ["\u00a0", "\u201c"])
def test_a_character_from_a_web_page_is_named(graded, character):
    done = graded(f"smoothed ={character} signal")
    assert [f"U+{ord(character):04X}" in note for note in done.notes] == [True]
    assert "copied from a web page" in card(done)


@pytest.mark.parametrize(
    "install", ["!pip install -q einops", "%pip install einops", "!python -m pip install einops"]
)
def test_installing_a_package_costs_nothing_and_takes_no_time(graded, install):
    done = graded(f"{install}\n{SMOOTHED}")
    assert (done.verdicts["by-hand"].earned, done.notes) == (1, ())
    printed = next(cell for cell in done.notebook.cells if cell["id"] == "by-hand-answer").outputs[0].text
    assert printed.startswith("Nothing is installed while work is graded: ")


def test_another_command_of_the_system_is_run(graded):
    done = graded(f"!echo install\n{SMOOTHED}")
    answer = next(cell for cell in done.notebook.cells if cell["id"] == "by-hand-answer")
    assert answer.outputs[0].text.strip() == "install"
