"""Every number that the seed notebooks printed stands in an executed solution, to four decimals."""

import re
from pathlib import Path

import nbformat
import pytest

from tests.seeds.printed import LESSON_01, Printed

ROOT = Path(__file__).parents[2]
SEEDS = ROOT.parent / "shared" / "seeds"
NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]\d+)?|-?\d+")


def rounded(number: str) -> str:
    """A number to four decimals, so that 0.1385 and 0.13854756 are one."""
    return f"{float(number):.4f}"


def outputs_of(lesson: str) -> list[list[str]]:
    """The numbers in each text output of an executed solution, in reading order."""
    solution = nbformat.read(ROOT / "solutions" / lesson / f"{lesson}.ipynb", as_version=4)
    texts = [
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for cell in solution.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    return [[rounded(number) for number in NUMBER.findall(text)] for text in texts]


def holds(output: list[str], wanted: list[str]) -> bool:
    """Whether the wanted numbers stand in an output one after the other."""
    return any(output[start : start + len(wanted)] == wanted for start in range(len(output)))


@pytest.mark.parametrize("seed", LESSON_01, ids=lambda seed: f"cell-{seed.cell}")
def test_the_solution_of_lesson_01_prints_what_the_seed_printed(seed: Printed):
    wanted = [rounded(number) for number in seed.numbers]
    assert any(holds(output, wanted) for output in outputs_of("01-dot-product")), wanted


def test_a_number_that_is_not_there_is_noticed():
    assert not any(holds(output, ["0.9544", "1.4951"]) for output in outputs_of("01-dot-product"))


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the seed notebooks do not lie beside this checkout")
@pytest.mark.parametrize("seed", LESSON_01, ids=lambda seed: f"cell-{seed.cell}")
def test_the_list_of_printed_numbers_is_true_to_the_seed(seed: Printed):
    text = (SEEDS / seed.file).read_text(encoding="utf-8")
    cell = text.split(f"In [{seed.cell}]:")[1].split("\nIn [")[0]
    assert holds(NUMBER.findall(cell), list(seed.numbers)), seed.numbers
