"""Ways of putting an answer to use that show how it behaves, each as one small tensor.

A property such as "no look ahead" is not a number that a learner returns. An experiment makes it one: it
calls the answer more than once and writes down what it saw. The tensor is compared with what the solution
yields in the same experiment, and with what the known wrong answers yield, like any other result.

An experiment runs beside the learner's code and awards nothing. Its result is easy to guess, so no check
earns points by experiments alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from autograder.bank import RESULT


@dataclass(frozen=True)
class Subject:
    """An answer that is ready to be called on arguments by name; `module` where it is a module."""

    call: Callable[[Mapping[str, Any]], Any]
    inputs: Mapping[str, Any]
    module: nn.Module | None = None


Settings = Mapping[str, Any]
Experiment = Callable[[Subject, Settings], Any]


def result(subject: Subject, settings: Settings) -> Any:
    """Call the answer once; what it returns is the outcome."""
    return subject.call(subject.inputs)


def influence(subject: Subject, settings: Settings) -> Any:
    """Whether output i changes when slice j of an input changes.

    Settings:
        input: the input's name.
        axis: the axis along which slices of the input are changed, and of the result compared.

    Shapes:
        returns: (size, size), bool: [i, j] is whether output i depends on slice j
    """
    name, axis = settings["input"], settings["axis"]
    before = subject.call(subject.inputs)
    x = subject.inputs[name]
    size = x.shape[axis]
    if not _fits(before, size, axis):
        return before  # not what was asked for at all: let its type or shape be judged
    generator = torch.Generator().manual_seed(size)
    columns = []
    for position in range(size):
        changed = x.clone()
        # A step of its own for every number, and never a small one: softmax ignores what is added to all.
        step = torch.rand(changed.select(axis, 0).shape, generator=generator) + 0.5
        changed.select(axis, position).add_(step.to(changed.dtype))
        after = subject.call({**subject.inputs, name: changed})
        if not _fits(after, size, axis):
            return after
        columns.append(_moved(before, after, axis))
    return torch.stack(columns, dim=1)


def permuted(subject: Subject, settings: Settings) -> Any:
    """The result for an input in another order, put back into the first order.

    Settings:
        input: the input's name, or several names joined by commas, all put into the same order.
        axis: the axis that is put into another order, of the inputs and of the result.
    """
    names, axis = settings["input"].split(","), settings["axis"]
    size = subject.inputs[names[0]].shape[axis]
    order = torch.randperm(size, generator=torch.Generator().manual_seed(size + 1))
    moved = {name: subject.inputs[name].index_select(axis, order) for name in names}
    after = subject.call({**subject.inputs, **moved})
    if not _fits(after, size, axis):
        return after
    return after.index_select(axis, order.argsort())


# What `dropout` writes down, in this order: the first that differs says most.
MEASURES = ("draws differ", "share kept", "kept together", "one factor", "factor", "left alone in eval mode")


def dropout(subject: Subject, settings: Settings) -> Any:
    """What an answer does in training mode, measured against its result without dropout.

    A module is switched to eval mode and back, then called many times. A function is called many times, and
    compared with its input. Entries that are 0 without dropout say nothing and are left out.

    Settings:
        p: the share that should be dropped. 0.5 would not tell dropped from kept.
        copies: how many times the last axis repeats the same numbers. Dropout on weights drops the copies
            together, dropout on context vectors does not.
        input: for a function, the name of the input that the result is compared with.

    Shapes:
        returns: (measures,), float: see `MEASURES`
    """
    p, copies = float(settings["p"]), int(settings.get("copies", 1))
    if subject.module is None:
        base = subject.inputs[settings["input"]]
    else:
        subject.module.eval()
        base = subject.call(subject.inputs)
        if not isinstance(base, Tensor):
            return base
        base = base.detach().clone()
        subject.module.train()
    told = base.abs() > 1e-6
    calls = math.ceil(min(max(4000 / max(int(told.sum()), 1), 8), 400))
    draws = []
    for _ in range(calls):
        draw = subject.call(subject.inputs)
        if not isinstance(draw, Tensor) or draw.shape != base.shape:
            return draw
        draws.append(draw.detach().clone())
    drawn = torch.stack(draws).double()  # (calls, …)
    steady = True
    if subject.module is not None:
        subject.module.eval()
        again = subject.call(subject.inputs)
        steady = torch.equal(again.detach(), base)
    entries, wanted = drawn[:, told], base[told].double()  # (calls, entries), (entries,)
    kept = entries.abs() > 1e-9
    factors = (entries / wanted)[kept]
    factor = float(factors.median()) if factors.numel() else 0.0
    even = bool(((factors - factor).abs() < 1e-3).all()) and not bool((drawn[:, ~told].abs() > 1e-6).any())
    together = drawn.reshape(*drawn.shape[:-1], copies, -1)  # (calls, …, copies, size)
    whole = bool(((together != 0) == (together[..., :1, :] != 0)).all())
    share = float(kept.double().mean()) if kept.numel() else 0.0
    return torch.tensor(
        [
            float(bool((drawn != drawn[0]).any())),
            _settled(share, p, kept.numel()),
            float(whole),
            float(even),
            round(factor, 3) if even else 0.0,
            float(steady),
        ]
    )


def _settled(share: float, p: float, count: int) -> float:
    """A share that was counted, as the one it can be told from: 1 - p, p, or itself to one decimal."""
    # Five standard deviations of a binomial count: less than one run in a million falls outside by chance.
    margin = 5 * math.sqrt(p * (1 - p) / max(count, 1))
    for likely in (1 - p, p):
        if abs(share - likely) <= margin:
            return round(likely, 3)
    return round(share, 1)


# What `other_device` writes down.
STAYS, MIXES, RETURNS = 0.0, 1.0, 2.0


class _Watch(TorchDispatchMode):
    """Notes operations that mix the CPU with another device, which a real device would refuse."""

    seen = STAYS

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        tensors = [one for one in torch.utils._pytree.tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
        elsewhere = any(one.device.type == "meta" for one in tensors)
        # A single number may come from the CPU, and so may positions; a copy is how a tensor gets across.
        crossing = ("aten::copy_", "aten::index", "aten::index_put_", "aten::index_put")
        here = any(one.device.type == "cpu" and one.ndim > 0 for one in tensors)
        if func.name().split(".")[0] == "aten::_to_copy":
            device = (kwargs or {}).get("device")
            if elsewhere and device is not None and torch.device(device).type == "cpu":
                self.seen = self.seen or RETURNS
        elif elsewhere and here and func.name().split(".")[0] not in crossing:
            self.seen = self.seen or MIXES
        return func(*args, **(kwargs or {}))


def other_device(subject: Subject, settings: Settings) -> Any:
    """Whether a module works on a device other than the CPU.

    There need not be one: torch's `meta` device has shapes and no numbers, and what mixes it with the CPU
    would mix a GPU with the CPU too.

    Shapes:
        returns: one number: 0 where it stays on the device, 1 where it mixes devices, 2 where it goes back
            to the CPU
    """
    assert subject.module is not None
    subject.module.to("meta")
    inputs = {
        name: value.to("meta") if isinstance(value, Tensor) else value
        for name, value in subject.inputs.items()
    }
    watch = _Watch()
    try:
        with watch:
            subject.call(inputs)
    except Exception as problem:
        # A device without numbers refuses more than a GPU does (`.item()`, `print`): only this counts.
        if watch.seen == STAYS and "is not on the expected device" in str(problem):
            watch.seen = MIXES
    return torch.tensor(watch.seen)


def _fits(value: Any, size: int, axis: int) -> bool:
    """Whether a result is a tensor with `size` slices along the axis."""
    if not isinstance(value, Tensor) or not -value.ndim <= axis < value.ndim:
        return False
    return value.shape[axis] == size


def _moved(before: Tensor, after: Tensor, axis: int) -> Tensor:
    """For each slice along the axis, whether it changed. Shape (size,), bool."""
    if before.shape != after.shape:
        return torch.ones(before.shape[axis], dtype=torch.bool)
    first = before.detach().double().movedim(axis, 0).flatten(1)  # (size, …)
    second = after.detach().double().movedim(axis, 0).flatten(1)  # (size, …)
    # The last bits may differ with what stands in other rows of one matrix product.
    close = (first - second).abs() <= 1e-6 * first.abs().clamp(min=1)
    return ~(close | (first == second) | (first.isnan() & second.isnan())).all(dim=1)


EXPERIMENTS: dict[str, Experiment] = {
    RESULT: result,
    "influence": influence,
    "permuted": permuted,
    "dropout": dropout,
    "other-device": other_device,
}
