"""The mode of a module (training or eval) after an answer was called with that module as an input.

Settings:
    input: the module's name among the inputs.
    given: the modes to set before the calls, one call for each: "eval", "training".

Shapes:
    returns: (calls,), bool: whether the module, or a part of it, is in training mode after the call
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.experiments.base import Experiment, Settings, Subject
from autograder.words.phrases import N_
from autograder.words.plugin_words import Case, Seen


def _run(subject: Subject, settings: Settings) -> Any:
    module = subject.inputs[settings["input"]]
    if not isinstance(module, nn.Module):
        return subject.call(subject.inputs)
    return torch.tensor([_mode_left(subject, module, mode == "training") for mode in settings["given"]])


def _mode_left(subject: Subject, module: nn.Module, training: bool) -> bool:
    module.train(training)
    subject.call(subject.inputs)
    return any(part.training for part in module.modules())


WORDS = {
    "training": N_(
        "`{name}` is in training mode after the call{where}, and eval mode is asked for.",
        "`{name}.eval()` puts it, and all its parts, into eval mode.",
    ),
    "eval": N_(
        "`{name}` is in eval mode after the call{where}, and training mode is asked for.",
        "Leave its mode alone, or put it back: `{name}.train()`.",
    ),
}


def _case(seen: Seen) -> Case:
    return "training" if seen.finding.obtained else "eval", {"name": seen.probe.settings["input"]}


MODE = Experiment("mode", _run, WORDS, _case, axes=1)
