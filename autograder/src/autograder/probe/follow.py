"""Follow an answer on its way: which tensor each line of the learner's own code makes."""

from __future__ import annotations

import contextlib
import linecache
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeVar

import torch
from torch import Tensor

from autograder.probe.calling import quietly
from autograder.probe.examine import prepared, probe_to_examine
from autograder.probe.recording.operations import IN_PLACE, Operation, Record
from autograder.probe.recording.recorder import Recorder
from autograder.records.bank import Task
from autograder.records.fingerprint import Fingerprint, fingerprint
from autograder.records.outcome import MAX_ITEMS, MAX_TEXT, Step, Trail

MOST_ROWS = 150
MOST_RUNS = 32  # of one operation, in a loop

Look = TypeVar("Look")
# How a tensor looked each time it was made, under its operation's number and its place among the results.
Looks = Mapping[tuple[int, int], Sequence[Look]]


def follow(task: Task, answer: Callable[..., Any], namespace: Mapping[str, Any]) -> Trail | None:
    """Return the steps of an answer on the probe that shows most, up to an error if one is raised.

    None where there is no such probe, the answer cannot be made ready for it, or it takes too many steps.
    """
    probe = probe_to_examine(task)
    if probe is None or task.kind not in ("function", "module"):
        return None
    try:
        with quietly(), torch.no_grad():
            record, looks = recorded(prepared(task, probe, answer, namespace), fingerprint)
    except KeyboardInterrupt:
        raise
    except BaseException:  # it cannot even be made, and its outcomes tell how
        return None
    steps = _steps(record, looks, _file(answer))
    too_long = record.left_out or any(len(runs) > MOST_RUNS for runs in looks.values())
    return None if too_long or len(steps) > MAX_ITEMS else Trail(probe.id, steps)


def recorded(call: Callable[[], Any], look: Callable[[Tensor], Look | None]) -> tuple[Record, Looks[Look]]:
    """Return what a call did and how its tensors looked; an error ends the call.

    A tensor that is filled piece by piece is looked at when it was filled last.
    """
    looks: dict[tuple[int, int], list[Look]] = {}

    def keep(operation: Operation, part: int, tensor: Tensor) -> None:
        runs = looks.setdefault((operation.number, part), [])
        if operation.results[part].memory == IN_PLACE:
            runs.clear()
        if len(runs) <= MOST_RUNS and (seen := look(tensor)) is not None:
            runs.append(seen)

    recorder = Recorder(None, sys._getframe(), MOST_ROWS, keep)
    recorder.start()
    try:
        with contextlib.suppress(Exception):
            call()
    finally:
        recorder.stop(None, None)
    return recorder.record, looks


def _steps(record: Record, looks: Looks[Fingerprint], file: str) -> tuple[Step, ...]:
    return tuple(
        Step(
            # Of a loop, each round has a name of its own, or the same for other tensors.
            _name(linecache.getline(file, record[number].step.line), record[number].results[part].names)
            if len(runs) == 1
            else "",
            record[number].step.line,
            record[number].step.function[:MAX_TEXT],
            tuple(runs),
        )
        for (number, part), runs in looks.items()
        if runs
    )


def _file(answer: Callable[..., Any]) -> str:
    """Return the file, or the cell, in which an answer's own code stands."""
    forward = type.__getattribute__(answer, "__dict__").get("forward") if isinstance(answer, type) else answer
    code = forward.__code__ if isinstance(forward, FunctionType) else None
    return "" if code is None else code.co_filename


def _name(line: str, names: Sequence[str]) -> str:
    """Return the name that a line itself gives to what it makes; "" where another line gives it."""
    target = line.partition("=")[0]
    return next((name for name in names if re.search(rf"\b{re.escape(name)}\b", target)), "")[:MAX_TEXT]
