"""What an experiment is: a way of putting an answer to use that shows how it behaves, as one small tensor."""

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
    """An answer that is ready to be called on arguments by name."""

    call: Callable[[Mapping[str, Any]], Any]  # calls the answer on arguments by name
    inputs: Mapping[str, Any]  # the probe's inputs
    module: nn.Module | None = None  # the answer, where it is a module
    make: Callable[[], nn.Module] | None = None  # makes another such module, with weights of its own
    owner: Any = None  # the object whose method the answer is


@dataclass(frozen=True)
class Experiment:
    """All that there is to know of one experiment."""

    name: str  # what a probe's `observe` says
    # Calls an answer and gives what it saw; a result of the answer's where there is nothing to see.
    run: Callable[[Subject, Settings], Any]
    words: Mapping[Any, tuple[str, ...]]  # a headline and advice for each case
    # Which case it is, and what fills in its words beside the two numbers `obtained` and `expected`.
    case: Callable[[Seen], Case] = lambda *_: ("", {})
    _: KW_ONLY
    axes: int | None  # of its tensor; None where that is the answer's own result
    # What a hidden probe's run gives instead, so that nobody beside the answer can measure it wrongly.
    raw: Callable[[Subject, Settings], Any] | None = None
    # What that comes to, or None where it cannot be measured.
    measured: Callable[[Tensor, Settings], Tensor | None] | None = None
    # What it wants to know of the solution: of its parameters' names and its buffers' sizes.
    settings: Callable[[Sequence[str], Mapping[str, Sequence[int]]], Settings] = lambda *_: {}
    problem: Callable[[Settings], str] = lambda _: ""  # what is wrong with an author's settings


def inputs_of(settings: Settings) -> list[str]:
    """Return the inputs that an experiment is about: its settings name one, or a list of them."""
    named = settings.get("input", [])
    return [named] if isinstance(named, str) else list(named)


def other(values: Tensor, generator: torch.Generator, sign: float = 1.0) -> Tensor:
    """Values of which every one is another, by a step of its own: softmax ignores what is added to all."""
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
    """Yield the inputs once for each slice along an axis, with that slice of those that are named changed."""
    for position in range(inputs[names[0]].shape[axis]):
        changed = {name: inputs[name].clone() for name in names}
        for x in changed.values():
            x.select(axis, position).copy_(other(x.select(axis, position), generator, sign))
        yield {**inputs, **changed}


def has_axis(value: Any, axis: int) -> bool:
    """Tell whether a result is a tensor with such an axis."""
    return isinstance(value, Tensor) and -value.ndim <= axis < value.ndim


def moved(before: Tensor, afters: Sequence[Tensor], axis: int) -> Tensor:
    """For each of several results and each slice along the axis, whether the slice changed.

    Shapes:
        returns: (results, size), bool; a result of another shape has changed everywhere
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
