"""Record the steps of a solution's computation for which the course has words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import torch

from autograder.probe.call_answer import isolated_global_state
from autograder.probe.generic_behaviour import AnswerCall, probe_to_examine
from autograder.probe.line_trace import recorded
from autograder.records.bank import RightStep, Route, Task
from autograder.records.tensor_fingerprint import Fingerprint, factor_between, fingerprints

SMALLEST = 1e-5  # usual size of the entries of a step without a word
MOST_ORDERS = 6  # of the axes of a step without a word

# For each time that a tensor is made, its fingerprint in each order of its axes.
Runs = tuple[tuple[Fingerprint, ...], ...]


def route_of(
    task: Task, solution: Callable[..., Any], namespace: Mapping[str, Any], words: Mapping[str, str]
) -> Route | None:
    """Return the steps of the solution on its most telling probe; None if there are none.

    Args:
        task: the task.
        solution: the function or class of the solution.
        namespace: the lesson's variables.
        words: what the variables stand for, by name, as in {"gaps": "the distances"}. If a variable is
            assigned twice, its last value counts, unless a key also names the operation, as in "gaps
            masked_fill".
    """
    probe = probe_to_examine(task.probes)
    if probe is None or task.kind not in ("function", "module"):
        return None
    with isolated_global_state(), torch.no_grad():
        record, looks = recorded(AnswerCall(task, probe, solution, namespace).prepared(), _looks_of)
    variables = solution.__code__.co_varnames if isinstance(solution, FunctionType) else ()
    tensors: dict[str, tuple[int, Runs]] = {}
    for (number, part), runs in looks.items():
        for variable in record[number].results[part].names if runs and all(runs) else ():
            operation = f"{variable} {record[number].name}"
            name = operation if operation in words else variable
            if name in words and (task.kind == "module" or variable in variables):
                tensors[name] = number, tuple(runs)
    whole = [tuple(runs) for runs in looks.values() if runs and all(runs)]
    in_order = sorted(tensors.items(), key=lambda item: item[1][0])

    def needs(number: int) -> tuple[str, ...]:
        # In a loop, a tensor is also made from what stands further down.
        earlier = record.ancestors(number)
        return tuple(name for name, (maker, _) in in_order if maker in earlier and maker < number)

    steps = []
    for name, (number, runs) in in_order:
        full = _fullest(runs, whole)
        steps.append(RightStep(name, words[name], needs(number), full, _factors(full, whole)))
    given = [
        look for value in (*probe.inputs.values(), *probe.weights.values()) for look in _looks_of(value)[:1]
    ]
    fingerprints = [*given, *(step.fingerprints[0][0] for step in steps)]
    # What is reserved and not yet filled holds anything.
    filled = (
        tuple(runs)
        for (number, _), runs in looks.items()
        if runs and all(runs) and "empty" not in record[number].name
    )
    others: list[tuple[Fingerprint, ...]] = []
    for (orders,) in (runs for runs in filled if len(runs) == 1):
        # What is nearly 0 is rounding.
        if orders[0].size > SMALLEST and all(factor_between(sizes, orders) is None for sizes in fingerprints):
            others.append(orders[:MOST_ORDERS])
            fingerprints.append(orders[0])
    return Route(probe.id, tuple(steps), tuple(others)) if steps or others else None


def _looks_of(value: Any) -> tuple[Fingerprint, ...]:
    """Return a tensor's fingerprints; none of a mask or of positions, which any way makes."""
    floats = isinstance(value, torch.Tensor) and value.is_floating_point()
    return fingerprints(value) if floats else ()


def _fullest(runs: Runs, whole: Sequence[Runs]) -> Runs:
    """Return the form of a tensor that has most axes: before they are joined, say."""
    first = runs[0][0]
    same = [other for other in whole if len(other) == len(runs) and factor_between(first, other[0]) == 1.0]
    return max((runs, *same), key=lambda other: len(other[0][0].shape))


def _factors(runs: Runs, whole: Sequence[Runs]) -> tuple[float, ...]:
    """Return what the solution has a tensor multiplied by: 1, and its scale where it has it scaled, say."""
    factors = (factor_between(other[0][0], runs[0]) for other in whole)
    return tuple(sorted({round(factor, 5) for factor in factors if factor is not None}))
