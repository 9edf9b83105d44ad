"""Whether output i changes when slice j of an input changes.

Settings:
    input: the input's name, or a list of names, whose slices are changed together.
    axis: the axis along which slices of the input are changed, and of the result compared.
    changed: what a message calls such a slice, where it is not what the result's are called.

Shapes:
    returns: (outputs, slices), bool: [i, j] is whether output i depends on slice j
"""

from __future__ import annotations

from typing import Any

import torch

from autograder.bank import axis_parts
from autograder.experiments.base import (
    Case,
    Experiment,
    Seen,
    Settings,
    Subject,
    has_axis,
    inputs_of,
    moved,
    slices_changed,
)
from autograder.phrases import N_, axis_name, entry_name


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
        "The output of {one} {output} stays the same{where} when {other} {changed} is changed.",
        "It should depend on {other} {changed}.",
    ),
    "mixes": N_(
        "The result of batch element {output} changes{where} when batch element {changed} is changed.",
        "The elements of a batch must not mix: leave the first axis alone.",
    ),
    "later": N_(
        "The output of {one} {output} changes{where} when {other} {changed} is changed.",
        "Token {changed} comes later and must be hidden.",
    ),
    "changes": N_(
        "The output of {one} {output} changes{where} when {other} {changed} is changed.",
        "It must not depend on {other} {changed}.",
    ),
}


def _case(seen: Seen) -> Case:
    one = entry_name(axis_parts(axis_name(seen.task, int(seen.probe.settings["axis"])))[0])
    other = str(seen.probe.settings.get("changed", one))
    output, changed = seen.finding.index
    if not seen.finding.obtained:
        which = "stays"
    elif one == "batch element":
        which = "mixes"
    else:
        which = "later" if one == other == "token" and changed > output else "changes"
    return which, {"one": one, "other": other, "output": output, "changed": changed}


INFLUENCE = Experiment("influence", _run, WORDS, _case, axes=2)
