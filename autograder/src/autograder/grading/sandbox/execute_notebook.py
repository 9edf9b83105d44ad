"""The execution of a rebuilt notebook in the sandbox, which continues after a cell that had to be stopped."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Protocol

from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_output

from autograder.grading.sandbox.forbidden_call_log import read_call_reports
from autograder.grading.sandbox.resource_limits import Budget, Limits
from autograder.grading.sandbox.sandbox_client import Job, RunResult
from autograder.records.cell_roles import copied
from autograder.words.language import LazyMessage, _

# In a notebook that has run: what was told meanwhile of calls that tasks forbid, by a stranger's process.
SEEN = "seen_calls"
# And the tasks in whose test cells the watch for them stood to the end; absent where nobody could tell.
WATCHED = "watched_tasks"
# Of these kinds alone, an output's data may be more than text.
_JSON_MIME = re.compile(r"^application/(.*\+)?json\Z")


class RunsCells(Protocol):
    """An object that runs a notebook's cells in a separate process: the sandbox's worker, or a kernel."""

    def run(self, job: Job, alone: bool = False) -> RunResult: ...


class RunIncomplete(Exception):
    """A run had no time to reach its end, so it gives no score. The message tells a person why."""


@dataclass
class Executed:
    """A notebook with its outputs."""

    notebook: NotebookNode
    stops: Mapping[str, str] = field(default_factory=dict)  # the reason for each cell that was stopped
    gave_up: str = ""  # the reason why nothing was run after the last stop
    seconds: float = 0.0  # the time of its last run


def execute(
    worker: RunsCells,
    notebook: NotebookNode,
    job: Job,
    stopped: Mapping[str, str] = MappingProxyType({}),
    budget: Budget | None = None,
) -> Executed:
    """Run a notebook's code cells; after a cell that raises an error, the next one runs.

    A cell that has to be stopped ends the whole process. The notebook is then run again without that cell, so
    that no half-finished state remains, and tasks that do not need the cell lose nothing.

    Args:
        worker: the process that runs the cells.
        notebook: the notebook, which is not changed.
        job: the settings of the run; its cells are replaced by the notebook's.
        stopped: the cells that an earlier run had to stop, with the reason; these are not run again.
        budget: the time left for this submission's runs, which is reduced.

    Raises:
        SandboxFailed: the sandbox failed.
        RunIncomplete: there was not enough time for all cells.
    """
    budget = budget or Budget()
    stops = dict(stopped)
    gave_up = ""
    seen: list[Any] = []
    watched: frozenset[str] = frozenset()
    while True:
        cells = [
            (cell["id"], cell.source)
            for cell in notebook.cells
            if cell.cell_type == "code" and cell.source.strip() and cell["id"] not in stops
        ]
        ran = _run(worker, replace(job, cells=cells), budget)
        calls = read_call_reports(ran.seen)
        seen += calls.calls
        watched = calls.watched
        if ran.how == "finished":
            break
        reason = _reason(ran.how, job.limits)
        if ran.how == "late" or not ran.cell:  # that is no one cell's doing
            raise RunIncomplete(reason)
        stops[ran.cell] = reason
        budget.stops -= 1
        if ran.how == "garbled":
            gave_up = LazyMessage("{reason}, in the cell {cell}", reason=reason, cell=ran.cell)
            break
        if budget.stops < 0:
            raise RunIncomplete(f"too many of its cells had to be stopped; of the last one, {reason}")
    executed = _with_outputs(notebook, ran, stops)
    executed.metadata[SEEN] = seen
    if job.seen_by:
        executed.metadata[WATCHED] = sorted(watched)
    return Executed(executed, stops, gave_up, ran.seconds)


def _run(worker: RunsCells, job: Job, budget: Budget) -> RunResult:
    """Run cells once; and once more, alone, where the machine was too busy for the clock to say anything.

    Raises:
        RunIncomplete: it was too busy again, or no time is left.
    """
    for alone in (False, True):
        if budget.seconds <= 0:
            raise RunIncomplete("all its runs together took too long")
        ran = worker.run(job, alone)
        budget.seconds -= ran.seconds
        if not ran.held_up:
            return ran
    raise RunIncomplete("the machine was too busy to tell how long it takes; grade it again")


def _reason(how: str, limits: Limits) -> str:
    memory, output = limits.memory_bytes // 2**20, limits.output_bytes // 2**20
    return {
        "slow": LazyMessage(
            "it did not end within {number} second",
            "it did not end within {number} seconds",
            number=limits.cell_seconds,
        ),
        "late": LazyMessage(
            "its cells did not end within {number} second together",
            "its cells did not end within {number} seconds together",
            number=limits.seconds,
        ),
        "died": LazyMessage("it ended its own process"),
        "memory": LazyMessage("it used more than {size} MB of memory", size=memory),
        "processes": LazyMessage("it started too many processes"),
        "areas": LazyMessage("it split its memory into too many areas"),
        "output": LazyMessage("it sent more than {size} MB of output", size=output),
        "garbled": LazyMessage("it wrote into the grader's own channel"),
    }.get(how, how)


def _with_outputs(notebook: NotebookNode, ran: RunResult, stops: Mapping[str, str]) -> NotebookNode:
    executed = copied(notebook)
    for cell in executed.cells:
        if cell.cell_type != "code":
            continue
        cell.outputs = []
        cell.execution_count = None
        if cell["id"] in stops:
            reason = stops[cell["id"]]
            stopped = LazyMessage("This cell was stopped: {reason}.", reason=reason)
            cell.outputs = [new_output("error", ename="Stopped", evalue=reason, traceback=[_(stopped)])]
        elif cell["id"] in ran.cells:
            cell.execution_count, outputs = ran.cells[cell["id"]]
            cell.outputs = [output for output in map(_output, outputs) if output is not None]
    return executed


def _output(message: Any) -> NotebookNode | None:
    """Return what a cell put out, if it has the form of an output; it comes from a stranger's process."""
    try:
        # A lone surrogate is valid in JSON and breaks whatever writes the notebook afterwards.
        clean = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
        plain = json.loads(clean)
    except MemoryError:
        raise  # the grader's own: what it left out here could be an answer
    except Exception:  # whatever a stranger can think of
        return None
    return from_dict(plain) if _is_output(plain) else None


def _is_output(plain: Any) -> bool:
    """Tell whether something has the form that nbformat's schema gives an output.

    Asking the schema itself takes longer than running the cell.
    """
    match plain:
        case {"output_type": "stream", "name": str(), "text": str(), **rest}:
            return not rest
        case {"output_type": "error", "ename": str(), "evalue": str(), "traceback": list(lines), **rest}:
            return not rest and all(isinstance(line, str) for line in lines)
        case {"output_type": "display_data", "data": dict(data), "metadata": dict(), **rest}:
            return not rest and _is_bundle(data)
        case {
            "output_type": "execute_result",
            "data": dict(data),
            "metadata": dict(),
            "execution_count": count,
            **rest,
        }:
            return not rest and _is_bundle(data) and (count is None or (type(count) is int and count >= 0))
    return False


def _is_bundle(data: Mapping[str, Any]) -> bool:
    return all(isinstance(value, str) or _JSON_MIME.search(mime) for mime, value in data.items())
