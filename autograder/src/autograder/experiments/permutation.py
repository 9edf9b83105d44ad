"""The effect of a new order of an input's slices: whether slices of the result change, and not only move.

Settings:
    input: the input's name, or a list of names, all put into the same order.
    axis: the axis of the inputs, and of the result, along which the order changes.

Shapes:
    returns: (size,), bool: whether slice i differs after it is put back in its place
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from autograder.experiments.base import Experiment, Settings, Subject, has_axis, inputs_of, moved
from autograder.words.phrases import N_, as_code
from autograder.words.plugin_words import Case, Seen


def _run(subject: Subject, settings: Settings) -> Any:
    names, axis = inputs_of(settings), settings["axis"]
    size = subject.inputs[names[0]].shape[axis]
    before = subject.call(subject.inputs)
    if not _fits(before, size, axis):
        return before
    # One cycle through all places, so that none keeps its own: the first may be the one that counts.
    cycle = torch.randperm(size, generator=torch.Generator().manual_seed(size + 1))
    order = torch.empty_like(cycle)
    order[cycle] = cycle.roll(1)
    reordered = {name: subject.inputs[name].index_select(axis, order) for name in names}
    after = subject.call({**subject.inputs, **reordered})
    if not _fits(after, size, axis):
        return after
    return moved(before, [after.index_select(axis, order.argsort())], axis)[0]


def _fits(value: Any, size: int, axis: int) -> bool:
    """Tell whether a result is a tensor with `size` slices along the axis."""
    return has_axis(value, axis) and value.shape[axis] == size


WORDS = {
    "rows": N_(
        "Rows of `{moved}` in another order do not just change places in the result{where}.",
        "Each row of the result belongs to one row of `{moved}`. Is each of `{moved}`, {names} used for "
        "what its name says?",
    ),
    "order": N_(
        "Slices of {moved} in another order do not just change places in the result{where}.",
        "It should know no order: the result of a slice is the same wherever it is.",
    ),
}


def _case(seen: Seen) -> Case:
    reordered = inputs_of(seen.probe.settings)
    others = [
        name
        for name, value in seen.probe.inputs.items()
        if isinstance(value, Tensor) and name not in reordered
    ]
    if len(reordered) == 1 and others:
        return "rows", {"moved": reordered[0], "names": as_code(others)}
    return "order", {"moved": as_code(reordered)}


PERMUTED = Experiment("permuted", _run, WORDS, _case, axes=1)
