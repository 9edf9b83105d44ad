"""Notebooks run without a sandbox: in a process of their own all the same, for a limited time."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace

import pytest
from autograder.grading.sandbox.execute_notebook import execute
from autograder.grading.sandbox.jupyter_kernels import Kernels
from autograder.grading.sandbox.resource_limits import Limits
from autograder.grading.sandbox.sandbox_client import Job, RunResult, SandboxFailed
from nbformat.v4 import new_code_cell, new_notebook

pytestmark = pytest.mark.slow


LIMITS = Limits(cell_seconds=60.0, seconds=120.0, output_bytes=200_000)

FLOOD = "for _ in range(400):\n    print('x' * 2000, flush=True)"


@pytest.fixture
def kernels() -> Kernels:
    return Kernels(dict(os.environ))


def job(*sources: str, **how: object) -> Job:
    return Job(cells(*sources), **{"limits": LIMITS, **how})


def cells(*sources: str) -> list[tuple[str, str]]:
    return [(f"cell-{number}", source) for number, source in enumerate(sources, start=1)]


def printed(ran: RunResult, cell: str) -> str:
    return "".join(output.get("text", "") for output in ran.cells[cell][1])


def test_a_notebook_runs_in_a_process_beside_the_graders(kernels):
    ran = kernels.run(
        job(
            "import os\nprint(os.getpid())",
            "1 / 0",
            "print(os.environ['A'])",
            "print(os.listdir())",
            environment={"A": "b"},
        )
    )
    assert (ran.how, list(ran.cells)) == ("finished", ["cell-1", "cell-2", "cell-3", "cell-4"])
    child = int(printed(ran, "cell-1"))
    assert child != os.getpid()
    assert ran.cells["cell-2"][1][0]["ename"] == "ZeroDivisionError"
    assert printed(ran, "cell-3") == "b\n"
    assert printed(ran, "cell-4") == "[]\n"
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@pytest.mark.parametrize(
    ("source", "how"),
    [("import time\ntime.sleep(600)", "slow"), ("import os\nos._exit(3)", "died"), (FLOOD, "output")],
    ids=["endless", "killed", "flood"],
)
def test_a_run_that_is_ended_says_how_and_in_which_cell(kernels, source, how):
    limits = replace(LIMITS, cell_seconds=5.0) if how == "slow" else LIMITS
    ran = kernels.run(job("print('before')", source, "print('after')", limits=limits))
    assert (ran.how, ran.cell, list(ran.cells)) == (how, "cell-2", ["cell-1"])


def test_a_notebook_may_not_take_longer_than_all_its_cells_together():
    limits = Limits(cell_seconds=30.0, seconds=3.0)
    ran = Kernels(dict(os.environ)).run(job(*["import time\ntime.sleep(1.2)"] * 10, limits=limits))
    assert ran.how == "late"
    assert len(ran.cells) < 9


def test_a_stopped_cell_costs_itself_and_not_the_cells_around_it(kernels):
    result = new_notebook(
        cells=[
            new_code_cell(source, id=name) for name, source in cells("x = 1", "import os\nos.abort()", "x")
        ]
    )
    executed = execute(kernels, result, Job((), limits=LIMITS))
    assert executed.stops == {"cell-2": "it ended its own process"}
    assert executed.notebook.cells[2].outputs[0]["data"]["text/plain"] == "1"


def test_closing_ends_the_notebook_that_runs_and_starts_no_other(kernels, tmp_path):
    sign = tmp_path / "running"
    actual: list[RunResult] = []
    source = f"open({str(sign)!r}, 'w').close()\nimport time\ntime.sleep(600)"
    run = threading.Thread(target=lambda: actual.append(kernels.run(job(source))))
    run.start()
    while not sign.exists():
        time.sleep(0.05)
    kernels.close()
    run.join()
    assert actual[0].how == "died"
    with pytest.raises(SandboxFailed):
        kernels.run(job("1"))
