"""The results of an answer that keeps state between calls and receives its inputs in pieces.

Settings:
    axis: the axis along which the inputs are cut.
    sizes: the size of each piece.
    refuses: the name of an exception with which the answer may refuse a piece; the next piece follows.
    counts: the name of a numeric attribute that is read after the last piece; optional.
    room: the name of a tensor attribute whose entries are counted after the last piece; optional.
    held: the largest number of entries that the object's tensors may have in all at the end; optional.

Shapes:
    returns: (numbers,): all results, end to end, then the values of `counts` and `room`, then the number of
        entries in all tensors of the object, or 0 if `held` is not exceeded
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from autograder.experiments.base import Experiment, Settings, Subject
from autograder.words.phrases import N_
from autograder.words.plugin_words import Case, Seen


def _run(subject: Subject, settings: Settings) -> Any:
    cut = [x.split(list(settings["sizes"]), settings["axis"]) for x in subject.inputs.values()]
    given = []
    for pieces in zip(*cut, strict=True):
        try:
            result = subject.call(dict(zip(subject.inputs, pieces, strict=True)))
        except Exception as problem:
            if settings.get("refuses") not in [kind.__name__ for kind in type(problem).__mro__]:
                raise
            continue
        if not isinstance(result, Tensor):
            return result
        given.append(result.detach().flatten().clone())  # what is kept may be overwritten by the next call
    if "counts" in settings:
        given.append(torch.tensor([float(getattr(subject.owner, settings["counts"]))]))
    if "room" in settings:
        state = getattr(subject.owner, settings["room"], None)
        given.append(torch.tensor([float(state.numel() if isinstance(state, Tensor) else 0)]))
    if "held" in settings:
        held = _held(vars(subject.owner))
        given.append(torch.tensor([float(held) if held > settings["held"] else 0.0]))
    return torch.cat(given)


def _held(value: Any) -> int:
    """Count the numbers in the tensors of an object's attributes, in lists and dictionaries too."""
    if isinstance(value, Tensor):
        return value.numel()
    if isinstance(value, dict):
        return sum(map(_held, value.values()))
    return sum(map(_held, value)) if isinstance(value, list | tuple) else 0


WORDS = {
    "": N_(
        "Called step by step{where}, `{answer}` gives back {obtained} where it should be {expected}.",
        "Make an object, call it twice with small tensors, and print what comes back each time.",
    ),
    "count": N_(
        "Called step by step{where}, `{answer}` has {obtained} in `{attribute}` at the end, where it should "
        "be {expected}.",
        "What it gave back is right. Print the attribute after each call.",
    ),
    "room": N_(
        "Called step by step{where}, `{answer}` holds {obtained} numbers in `{attribute}` at the end, and "
        "{expected} are right.",
        "What it gave back is right. The memory is made once, in `__init__`, and then written into.",
    ),
    "held": N_(
        "Called step by step{where}, `{answer}` holds {obtained} numbers at the end, and {enough} are "
        "enough.",
        "What it gave back is right. Which attribute keeps what nobody asks for any more?",
    ),
}


def _case(seen: Seen) -> Case:
    expected = seen.probe.expected.tensor
    reported = [
        case for case in ("counts", "room", "held") if case in seen.probe.settings
    ]  # in the order of the end
    index = -1 if expected is None else seen.finding.index[0] - expected.numel() + len(reported)
    if not 0 <= index < len(reported):
        return "", {}
    what = seen.probe.settings[reported[index]]
    if reported[index] == "held":
        return "held", {"enough": what}
    return "count" if reported[index] == "counts" else "room", {"attribute": what}


STEPS = Experiment("steps", _run, WORDS, _case, axes=1)
