"""Every number that the seed notebooks printed stands in an executed solution, to four decimals."""

import importlib
import json
from pathlib import Path

import nbformat
import pytest

from tests.seeds.extract import NUMBER, WRITTEN
from tests.seeds.printed import Printed, Undetermined

ROOT = Path(__file__).parents[2]
SEEDS = json.loads(WRITTEN.read_text(encoding="utf-8"))
LESSONS = {path.name[:2]: path.name for path in sorted((ROOT / "solutions").iterdir()) if path.is_dir()}
# A lesson that shows nothing of the seeds (from 07 on they measure, and do not repeat) has no module.
MODULES = {
    number: importlib.import_module(f"tests.seeds.lesson_{number}")
    for number in LESSONS
    if (Path(__file__).parent / f"lesson_{number}.py").is_file()
}
LISTED: list[tuple[str, Printed]] = [
    (number, seed) for number, module in MODULES.items() for seed in module.PRINTED
]
UNDETERMINED: list[Undetermined] = [
    seed for module in MODULES.values() for seed in getattr(module, "UNDETERMINED", ())
]


def label(value: object) -> str:
    match value:
        case str():
            return value
        case Printed(file, cell) | Undetermined(file, cell):
            return f"{file[:3]}-cell-{cell}"
    return str(value)


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


@pytest.mark.parametrize(("lesson", "seed"), LISTED, ids=label)
def test_a_solution_prints_what_the_seed_printed(lesson: str, seed: Printed):
    wanted = [rounded(number) for number in seed.numbers]
    assert any(holds(output, wanted) for output in outputs_of(LESSONS[lesson])), wanted


def test_a_number_that_is_not_there_is_noticed():
    assert not any(holds(output, ["0.9544", "1.4951"]) for output in outputs_of("01-dot-product"))


@pytest.mark.parametrize(("lesson", "seed"), LISTED, ids=label)
def test_the_list_of_printed_numbers_is_true_to_the_seed(lesson: str, seed: Printed):
    assert holds(SEEDS[seed.file][str(seed.cell)]["numbers"].split(), list(seed.numbers)), seed.numbers


@pytest.mark.parametrize("seed", UNDETERMINED, ids=label)
def test_what_nothing_determines_has_a_reason(seed: Undetermined):
    assert len(seed.reason) > 20


def test_every_number_that_a_seed_printed_is_listed():
    listed = {(item.file, str(item.cell)) for item in [*(seed for _, seed in LISTED), *UNDETERMINED]}
    printed = {(file, cell) for file, cells in SEEDS.items() for cell in cells if cells[cell]["printed"]}
    assert printed - listed == set()
