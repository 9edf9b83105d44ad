"""The interface of an experiment: an unusual use of an answer, whose effect is recorded as a tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from autograder.words.plugin_words import Case, Seen

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Subject:
    """A learner's answer, prepared for an experiment, which calls it with keyword arguments."""

    call: Callable[[Mapping[str, Any]], Any]  # calls the answer on arguments by name
    inputs: Mapping[str, Any]  # the probe's inputs
    module: nn.Module | None = None  # the answer, where it is a module
    make: Callable[[], nn.Module] | None = None  # makes another such module, with weights of its own
    owner: Any = None  # the object whose method the answer is


@dataclass(frozen=True)
class Experiment:
    """An experiment: the code that runs it, the words for its results, and the settings that it takes."""

    name: str  # the value of a probe's `observe`
    # Calls an answer and returns the observation; the answer's result if there is nothing to observe.
    run: Callable[[Subject, Settings], Any]
    words: Mapping[Any, tuple[str, ...]]  # a headline and advice for each case
    # Returns the case, and the values of its words beside the two numbers `obtained` and `expected`.
    case: Callable[[Seen], Case] = lambda *_: ("", {})
    _: KW_ONLY
    axes: int | None  # the axes of its tensor; None if that is the answer's own result
    # Whether its numbers say as plainly as those of a result what the answer does, and it takes no longer.
    telling: bool = False
    # Returns the raw measurements of a hidden probe, so that nobody beside the answer can measure it wrongly.
    raw: Callable[[Subject, Settings], Any] | None = None
    # Summarises such measurements; returns None if they cannot be used.
    measured: Callable[[Tensor, Settings], Tensor | None] | None = None
    # Returns its settings, given the names of the solution's parameters and the sizes of its buffers.
    settings: Callable[[Sequence[str], Mapping[str, Sequence[int]]], Settings] = lambda *_: {}
    problem: Callable[[Settings], str] = lambda _: ""  # returns the problem in an author's settings


def inputs_of(settings: Settings) -> list[str]:
    """Return the names of the inputs that an experiment changes; its settings hold one name or a list."""
    named = settings.get("input", [])
    return [named] if isinstance(named, str) else list(named)


def other(values: Tensor, generator: torch.Generator, sign: float = 1.0) -> Tensor:
    """Return a tensor that differs from the given one in every entry.

    Each entry changes by a different amount, because softmax does not notice the same amount added to all.

    Args:
        values: the tensor, of any shape; booleans are negated, integers grow by 1.
        generator: draws the amounts, between 0.5 and 1.5, for floating-point values.
        sign: 1 to add the amounts, -1 to subtract them.
    """
    if values.dtype == torch.bool:
        return ~values
    if not values.is_floating_point():
        return values + 1
    return values + sign * (torch.rand(values.shape, generator=generator) + 0.5).to(values.dtype)


def slices_changed(
    inputs: Mapping[str, Any],
    names: Sequence[str],
    axis: int,
    generator: torch.Generator,
    sign: float = 1.0,
) -> Iterator[dict[str, Any]]:
    """Yield a copy of the inputs for each slice along an axis, with that slice changed.

    Args:
        inputs: all inputs of the probe, by name.
        names: the inputs to change, together; all have the same size along the axis.
        axis: the axis along which the slices lie.
        generator: draws the changes.
        sign: 1 to add to the values, -1 to subtract from them.
    """
    for position in range(inputs[names[0]].shape[axis]):
        changed = {name: inputs[name].clone() for name in names}
        for x in changed.values():
            x.select(axis, position).copy_(other(x.select(axis, position), generator, sign))
        yield {**inputs, **changed}


def has_axis(value: Any, axis: int) -> bool:
    """Tell whether a value is a tensor that has an axis with this number."""
    return isinstance(value, Tensor) and -value.ndim <= axis < value.ndim


def moved(before: Tensor, afters: Sequence[Tensor], axis: int) -> Tensor:
    """Tell for each of several results which of its slices along an axis differ from the first result.

    Shapes:
        returns: (results, size), bool; a result whose shape differs from `before` counts as changed
            everywhere
    """
    same = [after for after in afters if after.shape == before.shape]
    unchanged = torch.ones(len(afters), before.shape[axis], dtype=torch.bool)
    if not same:
        return unchanged
    first, *others = (
        tensor.detach().double().movedim(axis, 0).unsqueeze(-1).flatten(1)  # (size, …)
        for tensor in (before, *same)
    )
    second = torch.stack(others)  # (results, size, …)
    # The last bits may differ with what stands in other rows, a common shift of all scores say.
    # What is the same, as a very low number in hidden places, tells nothing of the size of the others.
    differ = (first != second) & first.isfinite()  # (results, size, …)
    largest = (
        (first.abs().nan_to_num(posinf=0.0) * differ).flatten(1).amax(dim=1)[:, None, None]
    )  # (results, 1, 1)
    close = (first - second).abs() <= 1e-5 * largest.clamp(min=1)  # (results, size, …)
    unmoved = (close | (first == second) | (first.isnan() & second.isnan())).all(dim=2)
    unchanged[[after.shape == before.shape for after in afters]] = ~unmoved
    return unchanged
