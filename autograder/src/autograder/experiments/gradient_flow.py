"""The gradient of an input: whether it arrives from the result, and whether it is finite.

Settings:
    input: the input's name.

Shapes:
    returns: (2,), bool: the gradient arrives; it is finite
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from autograder.experiments.base import Experiment, Settings, Subject
from autograder.words.phrases import N_
from autograder.words.plugin_words import Case, Seen


def _run(subject: Subject, settings: Settings) -> Any:
    x = subject.inputs[settings["input"]].detach().clone().requires_grad_()
    result = subject.call({**subject.inputs, settings["input"]: x})
    if not isinstance(result, Tensor) or not result.is_floating_point():
        return result
    gradient = None
    if result.requires_grad:
        (gradient,) = torch.autograd.grad(result.square().sum(), x, allow_unused=True)
    return torch.tensor([gradient is not None, gradient is not None and bool(gradient.isfinite().all())])


WORDS = {
    "lost": N_(
        "No gradient comes back to `{name}`{where}.",
        "`.detach()`, `.data`, `.item()` and `torch.no_grad()` cut the way back.",
    ),
    "not finite": N_(
        "The gradient back to `{name}` is not finite{where}.",
        "A nan that is replaced afterwards is still there on the way back, and would spoil every weight in "
        "training. See to it that none arises.",
    ),
}


def _case(seen: Seen) -> Case:
    return ("lost", "not finite")[seen.finding.index[0]], {"name": seen.probe.settings["input"]}


GRADIENT = Experiment("gradient", _run, WORDS, _case, axes=1)
