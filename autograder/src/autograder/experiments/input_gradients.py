"""The gradients of some inputs, for a sum of the result's entries in which each has a different weight.

Settings:
    input: the input's name, or a list of names.

Shapes:
    returns: (numbers,): the gradients of all the inputs, end to end; 0 for an input without a gradient
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from autograder.experiments.base import Experiment, Settings, Subject, inputs_of
from autograder.words.phrases import N_
from autograder.words.plugin_words import Case, Seen


def _run(subject: Subject, settings: Settings) -> Any:
    inputs = with_gradients(subject.inputs, settings)
    result = subject.call(inputs)
    if not isinstance(result, Tensor) or not result.is_floating_point():
        return result
    return torch.cat([gradient.flatten() for gradient in gradients_of(result, inputs, settings)])


def with_gradients(inputs: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """Return the inputs, with gradients enabled for those that the settings name."""
    return {
        **inputs,
        **{name: inputs[name].detach().clone().requires_grad_() for name in inputs_of(settings)},
    }


def gradients_of(result: Tensor, inputs: Mapping[str, Any], settings: Settings) -> list[Tensor]:
    """Return the gradients of the inputs that the settings name, zeros for an input without a gradient."""
    wanted = [inputs[name] for name in inputs_of(settings)]
    if not result.requires_grad:
        return [torch.zeros_like(tensor) for tensor in wanted]
    # The gradient of one number is asked for as a learner would ask for it.
    ahead = torch.linspace(-1, 2, result.numel()) if result.numel() > 1 else torch.ones(1)
    ahead = ahead.to(result.dtype).reshape(result.shape)
    gradients = torch.autograd.grad(result, wanted, ahead, allow_unused=True)
    return [
        torch.zeros_like(tensor) if gradient is None else gradient
        for gradient, tensor in zip(gradients, wanted, strict=True)
    ]


WORDS = {
    "lost": N_(
        "No gradient comes back to number {place} of `{name}`{where}, and one should.",
        "Find the step between it and the result that the way back leaves out.",
    ),
    "others": N_(
        "The gradient that comes back to number {place} of `{name}` is {obtained}{where} and should be "
        "{expected}.",
        "This is about how the result moves when the input does.",
    ),
}


def _case(seen: Seen) -> Case:
    index = seen.finding.index[0]
    for name in inputs_of(seen.probe.settings):
        value = seen.probe.inputs.get(name)
        count = value.numel() if isinstance(value, Tensor) else index + 1
        if index < count:
            break
        index -= count
    return "others" if seen.finding.obtained else "lost", {"place": index, "name": name}


GRADIENTS = Experiment("gradients", _run, WORDS, _case, axes=1)
