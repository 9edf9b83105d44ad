"""The trace of an answer: the tensor that each line of the learner's code makes."""

from __future__ import annotations

import contextlib
import linecache
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor

from autograder.probe.call_answer import isolated_global_state
from autograder.probe.generic_behaviour import AnswerCall, Prepared, probe_to_examine
from autograder.probe.learner_code import file_of
from autograder.probe.recording.operations import IN_PLACE, Operation, Record
from autograder.probe.recording.recorder import Recorder
from autograder.records.bank import Task
from autograder.records.run_outcome import MAX_ITEMS, MAX_TEXT, Step, Trail
from autograder.records.tensor_fingerprint import Fingerprint, fingerprint

MOST_ROWS = 150
MOST_RUNS = 32  # of one operation, in a loop

Look = TypeVar("Look")
# How a tensor looked each time it was made, under its operation's number and its place among the results.
Looks = Mapping[tuple[int, int], Sequence[Look]]


def follow(
    task: Task, answer: Callable[..., Any], namespace: Mapping[str, Any], unsteady: bool = False
) -> Trail | None:
    """Return the steps of an answer on the probe that reveals most, up to the error if one is raised.

    Args:
        task: the task.
        answer: the learner's function or module class.
        namespace: the notebook's variables.
        unsteady: whether two calls of the answer differ; the trace then has the first line that differs.

    Returns:
        The steps; None if there is no suitable probe, the answer cannot be called on it, or it takes too many
            steps.
    """
    probe = probe_to_examine(task.probes)
    if probe is None or task.kind not in ("function", "module"):
        return None
    file = file_of(vars(answer).get("forward") if task.kind == "module" else answer) or ""
    try:
        with isolated_global_state(), torch.no_grad():
            call = AnswerCall(task, probe, answer, namespace)
            record, looks = recorded(call.prepared(), fingerprint)
            again = call.prepared() if unsteady else None
            other = None if again is None else _first_other(again, file, task.own_functions)
    except KeyboardInterrupt:
        raise
    except BaseException:  # it cannot even be made, and its outcomes tell how
        return None
    steps = _steps(record, looks, file, task.own_functions)
    too_long = record.left_out or any(len(runs) > MOST_RUNS for runs in looks.values())
    looped = any(record[number].times > 1 for number, _ in looks)
    if too_long or len(steps) > MAX_ITEMS:
        return None
    return Trail(probe.id, steps, looped, *(other or ()))


def recorded(call: Prepared, look: Callable[[Tensor], Look | None]) -> tuple[Record, Looks[Look]]:
    """Return the operations of a call, and `look`'s results for the tensors that they make.

    An error ends the call and the recording. A module among the inputs counts as one operation. A tensor that
    is filled piece by piece is looked at after its last change.

    Args:
        call: the answer, ready to be called.
        look: returns a description of a tensor; None for one to leave out.
    """
    looks: dict[tuple[int, int], list[Look]] = {}

    def keep(operation: Operation, part: int, tensor: Tensor) -> None:
        runs = looks.setdefault((operation.number, part), [])
        if operation.results[part].memory == IN_PLACE:
            runs.clear()
        if len(runs) <= MOST_RUNS and (seen := look(tensor)) is not None:
            runs.append(seen)

    recorder = Recorder(None, sys._getframe(), MOST_ROWS, keep, call.given)
    recorder.start()
    try:
        with contextlib.suppress(Exception):
            call()
    finally:
        recorder.stop(None, None)
    return recorder.record, looks


def _first_other(call: Prepared, file: str, own_functions: Collection[str]) -> tuple[int, str] | None:
    """Return the first line that makes another tensor in a second call, and the name that it gives it.

    None where no line of a function in `own_functions` is the first.
    """
    torch.default_generator.manual_seed(1)  # not that of a learner's GPU
    record, looks = recorded(call, _bytes)
    torch.default_generator.manual_seed(2)  # what sets a seed itself may leave behind what it began with
    again, then = recorded(call, _bytes)
    for number, part in looks:
        operation = record[number]
        # What memory holds before it is filled is anything, and no one's fault.
        if not operation.operands and "empty" in operation.name:
            continue
        if number > len(again.operations) or again[number].step.line != operation.step.line:
            return None  # the second call goes another way
        if looks[number, part][:1] != then.get((number, part), [])[:1]:
            line = operation.step.line
            name = _name(linecache.getline(file, line), operation.results[part].names)
            return (line, name) if operation.step.function in own_functions else None
    return None


def _bytes(tensor: Tensor) -> int:
    """Return what two tensors with the very same numbers share."""
    return hash(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())


def _steps(
    record: Record, looks: Looks[Fingerprint], file: str, own_functions: Collection[str]
) -> tuple[Step, ...]:
    return tuple(
        Step(
            # Of a loop, each round has a name of its own, or the same for other tensors. So has another cell.
            _name(linecache.getline(file, record[number].step.line), record[number].results[part].names)
            if len(runs) == 1 and record[number].step.function in own_functions
            else "",
            record[number].step.line,
            record[number].step.function[:MAX_TEXT],
            tuple(runs),
        )
        for (number, part), runs in looks.items()
        if runs
    )


def _name(line: str, names: Sequence[str]) -> str:
    """Return the name that a line itself gives to what it makes; "" where another line gives it."""
    target = line.partition("=")[0]
    return next((name for name in names if re.search(rf"\b{re.escape(name)}\b", target)), "")[:MAX_TEXT]
