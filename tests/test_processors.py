"""What is kept is up to date on processors other than the author's, as far as this one can pass for them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import torch
from autograder.author.artifact_diff import same_bank
from autograder.records.cell_roles import NEEDS, is_measured
from autograder.records.course import Course

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
COURSE = Course.read(ROOT)
# The quickest lesson to build, and one whose mistakes subtract what is nearly equal.
LESSON = "07-positions"
MAKE = f"""
import sys
from pathlib import Path
from autograder.author.lesson_source import read_lesson
from autograder.author.pipeline import current_bank
from autograder.records.bank import save
from autograder.records.course import Course
save(current_bank(read_lesson(Course.read(Path()), {LESSON!r})), Path(sys.argv[1]))
"""
ROUNDING = re.compile(r"\d\.?\d*e-(?:0[5-9]|[1-9]\d)")


LEVELS = ("default", "avx2", "avx512")
OWN = torch.backends.cpu.get_cpu_capability().lower()
# What else decides how numbers are rounded: MKL's order of adding up, oneDNN's instructions, threads.
BESIDE = {
    "default": {"MKL_CBWR": "COMPATIBLE", "ONEDNN_MAX_CPU_ISA": "SSE41"},
    "avx2": {"MKL_CBWR": "AVX2", "OMP_NUM_THREADS": "2"},
}


# Those below this machine's own, which `build --check --anew` tries: a level that it lacks stops a process.
# A level is read once for a process, so that each is one of its own.
@pytest.mark.parametrize("level", LEVELS[: max(1, LEVELS.index(OWN))] if OWN in LEVELS else LEVELS[:1])
def test_a_bank_is_up_to_date_on_another_processor(tmp_path, level):
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", MAKE, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "ATEN_CPU_CAPABILITY": level, **BESIDE.get(level, {})},
        check=True,
    )
    assert same_bank(tmp_path, COURSE.bank, LESSON)


@pytest.mark.parametrize("lesson", COURSE.lessons)
def test_no_lesson_prints_a_number_that_rounding_decides(lesson):
    solution = nbformat.read(ROOT / "solutions" / lesson / f"{lesson}.ipynb", as_version=4)
    printed = {
        cell["id"]: "".join(output.get("text", "") for output in cell.outputs)
        for cell in solution.cells
        if cell.cell_type == "code"
        and not is_measured(cell)
        # What needs a package that is not here is shown as it was where it is.
        and not any(tag.startswith(NEEDS) for tag in cell.metadata.get("tags", ()))
    }
    assert {name: ROUNDING.findall(text) for name, text in printed.items() if ROUNDING.search(text)} == {}
