"""The influence of each slice of an input on each slice of the result.

Settings:
    input: the input's name, or a list of names, whose slices are changed together.
    axis: the axis along which the slices of the input are changed, and those of the result compared.

Shapes:
    returns: (outputs, slices), bool: [i, j] tells whether output i depends on slice j
"""

from __future__ import annotations

from typing import Any

import torch

from autograder.experiments.base import (
    Experiment,
    Settings,
    Subject,
    has_axis,
    inputs_of,
    moved,
    slices_changed,
)
from autograder.records.bank import axis_parts
from autograder.words.phrases import N_, axis_name, capital, is_batch, slice_at
from autograder.words.plugin_words import Case, Seen


def _run(subject: Subject, settings: Settings) -> Any:
    names, axis = inputs_of(settings), settings["axis"]
    before = subject.call(subject.inputs)
    if not has_axis(before, axis):
        return before  # not what was asked for at all: let its type or shape be judged
    before = before.detach().clone()  # the next call may write into the same memory
    generator = torch.Generator().manual_seed(subject.inputs[names[0]].shape[axis])
    afters = []
    for changed in slices_changed(subject.inputs, names, axis, generator):
        after = subject.call(changed)
        if not has_axis(after, axis):
            return after
        afters.append(after.detach().clone())
    return moved(before, afters, axis).T


WORDS = {
    "stays": N_(
        "The output of {output} stays the same{where} when {changed} is changed.",
        "It should depend on {changed}.",
    ),
    "mixes": N_(
        "The result of {output} changes{where} when {changed} is changed.",
        "The elements of a batch must not mix.",
    ),
    "later": N_(
        "The output of {output} changes{where} when {changed} is changed.",
        "{later} comes later and must be hidden.",
    ),
    "changes": N_(
        "The output of {output} changes{where} when {changed} is changed.",
        "It must not depend on {changed}.",
    ),
}


def _case(seen: Seen) -> Case:
    task, settings = seen.task, seen.probe.settings
    axes = task.axes, task.input_axes.get(inputs_of(settings)[0], task.axes)
    output_axis, other = (axis_parts(axis_name(axis, settings["axis"]))[0] for axis in axes)
    output, changed = seen.finding.index
    hidden = output_axis == other and changed > output and _is_causal(seen.probe.expected.tensor)
    entry = slice_at(task, other, changed)
    which = "mixes" if is_batch(output_axis) else "later" if hidden else "changes"
    return which if seen.finding.obtained else "stays", {
        "output": slice_at(task, output_axis, output),
        "changed": entry,
        "later": capital(entry),
    }


def _is_causal(depends: torch.Tensor | None) -> bool:
    """Tell whether outputs depend on earlier slices, and none on a later one, in what the solution showed."""
    if depends is None or depends.ndim != 2:
        return False
    return bool(depends.tril(-1).any()) and not bool(depends.triu(1).any())


INFLUENCE = Experiment("influence", _run, WORDS, _case, axes=2)
