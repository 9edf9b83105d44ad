"""How long a notebook is tried, and what counts as an output: what nbformat's schema says."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from autograder.grading.sandbox.execute import _output, execute
from autograder.grading.sandbox.limits import Limits
from autograder.grading.sandbox.workers import Job, Ran
from nbformat.v4 import new_code_cell, new_notebook

STREAM = {"output_type": "stream", "name": "stdout", "text": "x"}
ERROR = {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["a", "b"]}
SHOWN = {"output_type": "display_data", "data": {"text/plain": "x"}, "metadata": {}}
RESULT = {**SHOWN, "output_type": "execute_result", "execution_count": 3}
WIDGET = {"application/vnd.jupyter.widget-view+json": {"model_id": "a"}, "application/json": [1]}


def without(output: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in output.items() if key != name}


OUTPUTS: list[Any] = [
    *(STREAM, ERROR, SHOWN, RESULT),
    *({**one, "more": 1} for one in (STREAM, ERROR, SHOWN, RESULT)),
    *(without(one, name) for one in (STREAM, ERROR, SHOWN, RESULT) for name in one),
    {**STREAM, "name": 3},
    {**STREAM, "text": None},
    {**ERROR, "ename": None},
    {**ERROR, "traceback": "a"},
    {**ERROR, "traceback": [1]},
    {**SHOWN, "data": WIDGET},
    {**SHOWN, "data": {"text/plain": {"a": 1}}},
    {**SHOWN, "data": {"application/jsonp": {}}},
    {**SHOWN, "data": {"image/x+json": {}}},
    {**SHOWN, "data": []},
    {**SHOWN, "metadata": None},
    {**SHOWN, "metadata": {"image/png": {"width": 3}}},
    {**RESULT, "execution_count": None},
    {**RESULT, "execution_count": -1},
    {**RESULT, "execution_count": "1"},
    {**RESULT, "execution_count": 1.5},
    {**RESULT, "execution_count": True},
    {"output_type": "pyout"},
    {"output_type": ["stream"]},
    {},
    [],
    "text",
    None,
]


@pytest.mark.parametrize("said", OUTPUTS, ids=str)
def test_an_output_is_what_the_schema_says_it_is(said):
    try:
        nbformat.validate(nbformat.from_dict(said), ref=said["output_type"], version=4)
        valid = True
    except Exception:
        valid = False
    assert (_output(said) is not None) == valid


def test_an_output_that_json_holds_and_no_file_can_is_mended():
    assert _output({**STREAM, "text": "a\ud800b"}).text == "a?b"


def test_text_in_pieces_is_not_what_the_sandbox_sends():
    assert _output({**STREAM, "text": ["a", "b"]}) is None


class Slow:
    """Each run is stopped in its first cell after five seconds, and has less time for each."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def run(self, job: Job, alone: bool = False) -> Ran:
        self.seconds.append(job.limits.seconds)
        cell = job.cells[0][0]
        return Ran(how="slow", cell=cell, seconds=5.0)


@pytest.mark.parametrize(("spent", "runs"), [(0.0, [12.0, 7.0, 2.0]), (8.0, [4.0]), (12.0, [])])
def test_all_runs_of_a_notebook_share_its_time(spent, runs):
    notebook = new_notebook(cells=[new_code_cell("x", id=f"cell-{n}") for n in range(9)])
    slow = Slow()
    executed = execute(slow, notebook, Job((), limits=Limits(seconds=12.0)), spent=spent)
    assert slow.seconds == runs
    assert list(executed.stops) == [f"cell-{n}" for n in range(len(runs))]
    assert executed.seconds == 5.0 * len(runs)
    assert executed.gave_up == "its cells did not end within 12 seconds together"


class HeldUp:
    """The first run is stopped though the machine kept it waiting; one that is alone runs to its end."""

    def __init__(self, then: str) -> None:
        self.then = then
        self.alone: list[bool] = []

    def run(self, job: Job, alone: bool = False) -> Ran:
        self.alone.append(alone)
        if not job.cells:
            return Ran()
        cell = job.cells[0][0]
        if alone:
            return Ran(how=self.then, cell=cell, seconds=1.0)
        return Ran(how="slow", cell=cell, seconds=5.0, held_up=True)


@pytest.mark.parametrize(("then", "stops"), [("finished", []), ("slow", ["cell-0"])])
def test_a_run_that_the_machine_held_up_is_run_again_alone_before_it_costs_anything(then, stops):
    runs = HeldUp(then)
    executed = execute(runs, new_notebook(cells=[new_code_cell("x", id="cell-0")]), Job(()))
    assert runs.alone[:2] == [False, True]
    assert list(executed.stops) == stops
    assert executed.again
