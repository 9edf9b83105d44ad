"""How long a notebook is tried, and what counts as an output: what nbformat's schema says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import nbformat
import pytest
from autograder.grading.sandbox.execute_notebook import RunIncomplete, _output, execute
from autograder.grading.sandbox.resource_limits import Budget, Limits
from autograder.grading.sandbox.sandbox_client import Job, RunResult
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
    *({**item, "more": 1} for item in (STREAM, ERROR, SHOWN, RESULT)),
    *(without(item, name) for item in (STREAM, ERROR, SHOWN, RESULT) for name in item),
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


@pytest.mark.parametrize("output", OUTPUTS, ids=str)
def test_an_output_is_what_the_schema_says_it_is(output):
    try:
        nbformat.validate(nbformat.from_dict(output), ref=output["output_type"], version=4)
        valid = True
    except Exception:
        valid = False
    assert (_output(output) is not None) == valid


def test_an_output_that_json_holds_and_no_file_can_is_mended():
    assert _output({**STREAM, "text": "a\ud800b"}).text == "a?b"


def test_text_in_pieces_is_not_what_the_sandbox_sends():
    assert _output({**STREAM, "text": ["a", "b"]}) is None


class Played:
    """In the place of a sandbox: each run ends as the next of some, in the first of its cells."""

    def __init__(self, *runs: RunResult) -> None:
        self.runs = iter(runs)
        self.alone: list[bool] = []

    def run(self, job: Job, alone: bool = False) -> RunResult:
        self.alone.append(alone)
        ran = next(self.runs, RunResult())
        return ran if ran.how == "before" else replace(ran, cell=job.cells[0][0])


SLOW = RunResult(how="slow", seconds=5.0)
HELD_UP = replace(SLOW, held_up=True)
CELLS = new_notebook(cells=[new_code_cell("x", id=f"cell-{n}") for n in range(9)])


def test_each_cell_that_is_stopped_is_left_out_and_the_others_run():
    executed = execute(Played(SLOW, SLOW, SLOW), CELLS, Job((), limits=Limits(cell_seconds=3)))
    assert executed.stops == dict.fromkeys(("cell-0", "cell-1", "cell-2"), "it did not end within 3 seconds")
    assert executed.gave_up == ""


@pytest.mark.parametrize(
    ("runs", "budget", "why"),
    [
        ([SLOW] * 3, Budget(stops=2), "too many of its cells had to be stopped"),
        ([SLOW] * 3, Budget(seconds=12.0), "all its runs together took too long"),
        ([RunResult(how="late")], Budget(), "its cells did not end within 180 seconds together"),
        ([HELD_UP] * 2, Budget(), "the machine was too busy"),
        ([RunResult(how="before")], Budget(), "before"),  # before the first of them had begun
    ],
    ids=["stops", "seconds", "late", "held up", "no cell"],
)
def test_a_run_without_enough_time_leaves_nothing_to_judge(runs, budget, why):
    with pytest.raises(RunIncomplete, match=why):
        execute(Played(*runs), CELLS, Job(()), budget=budget)


def test_all_runs_of_a_submission_share_one_budget():
    budget = Budget(seconds=12.0, stops=5)
    for left in (7.0, 2.0):
        execute(Played(SLOW), CELLS, Job(()), budget=budget)
        assert budget.seconds == left
    assert budget.stops == 3


@pytest.mark.parametrize(("then", "stops"), [(RunResult(), []), (SLOW, ["cell-0"])])
def test_a_run_that_the_machine_held_up_is_run_again_alone_before_it_costs_anything(then, stops):
    runs = Played(HELD_UP, then)
    assert list(execute(runs, CELLS, Job(())).stops) == stops
    assert runs.alone[:2] == [False, True]
