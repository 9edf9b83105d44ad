"""Ways of putting an answer to use that show how it behaves, each as one small tensor.

A property such as "no look ahead" is not a number that a learner returns. An experiment makes it one: it
calls the answer more than once and writes down what it saw. The tensor is compared with what the solution
yields in the same experiment, and with what the known wrong answers yield, like any other result.

An experiment runs beside the learner's code and awards nothing. Its result is easy to guess, so no check
earns points by experiments alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from autograder.bank import RESULT, Probe
from autograder.outcome import Outcome


@dataclass(frozen=True)
class Subject:
    """An answer that is ready to be called on arguments by name.

    Where it is a module, `module` is that, and `make` makes another like it, with weights of its own.
    """

    call: Callable[[Mapping[str, Any]], Any]
    inputs: Mapping[str, Any]
    module: nn.Module | None = None
    make: Callable[[], nn.Module] | None = None


Settings = Mapping[str, Any]
Experiment = Callable[[Subject, Settings], Any]


def result(subject: Subject, settings: Settings) -> Any:
    """Call the answer once; what it returns is the outcome."""
    return subject.call(subject.inputs)


def influence(subject: Subject, settings: Settings) -> Any:
    """Whether output i changes when slice j of an input changes.

    Settings:
        input: the input's name, or several names joined by commas, whose slices are changed together.
        axis: the axis along which slices of the input are changed, and of the result compared.
        changed: what a message calls such a slice, where it is not what the result's are called.

    Shapes:
        returns: (outputs, slices), bool: [i, j] is whether output i depends on slice j
    """
    names, axis = settings["input"].split(","), settings["axis"]
    before = subject.call(subject.inputs)
    size = subject.inputs[names[0]].shape[axis]
    if not _has_axis(before, axis):
        return before  # not what was asked for at all: let its type or shape be judged
    generator = torch.Generator().manual_seed(size)
    columns = []
    for position in range(size):
        changed = {name: subject.inputs[name].clone() for name in names}
        for x in changed.values():
            x.select(axis, position).copy_(other(x.select(axis, position), generator))
        after = subject.call({**subject.inputs, **changed})
        if not _has_axis(after, axis):
            return after
        columns.append(moved(before, after, axis))
    return torch.stack(columns, dim=1)


def permuted(subject: Subject, settings: Settings) -> Any:
    """Whether slices of the result change, beside their places, when an input comes in another order.

    Settings:
        input: the input's name, or several names joined by commas, all put into the same order.
        axis: the axis that is put into another order, of the inputs and of the result.

    Shapes:
        returns: (size,), bool: whether slice i is another one
    """
    names, axis = settings["input"].split(","), settings["axis"]
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
    return moved(before, after.index_select(axis, order.argsort()), axis)


# What `dropout` writes down, in this order: the first that differs says most.
MEASURES = (
    "finite",
    "left alone in eval mode",
    "draws differ",
    "share kept",
    "copies together",
    "one by one",
    "counts vary",
    "one factor",
    "factor",
    "size in eval mode",
)


def dropout(subject: Subject, settings: Settings) -> Any:
    """What an answer does in training mode, measured against its result without dropout.

    A module is switched to eval mode and back, then called many times. A function is called many times, and
    compared with its input. Entries that are 0 without dropout say nothing and are left out.

    Settings:
        p: the share that should be dropped. 0.5 would not tell dropped from kept.
        copies: how many times the last axis repeats the same numbers. Dropout on weights drops the copies
            together, dropout on context vectors does not.
        input: for a function, the name of the input that the result is compared with.
        measures: how many of them are written down, the first ones; all unless it is given.

    Shapes:
        returns: (measures,), float: see `MEASURES`
    """
    found = dropout_draws(subject, settings)
    return measured(found.draws, settings) if isinstance(found, Draws) else found


@dataclass(frozen=True)
class Draws:
    """What `dropout` saw, as it came: to be measured where nobody can have a hand in it.

    Shapes:
        draws: (3 + calls, …): without dropout before, again and after, then in training mode
    """

    draws: Tensor


def dropout_draws(subject: Subject, settings: Settings) -> Draws | Any:
    """The results that `dropout` measures; one result by itself where that cannot be measured."""
    module = subject.module
    if module is None:
        base = again = subject.inputs[settings["input"]]
    else:
        module.eval()
        base, again = subject.call(subject.inputs), subject.call(subject.inputs)
        if not isinstance(base, Tensor):
            return base
        base = base.detach().clone()
        module.train()
    told = base.double().abs() > 1e-6
    if not bool(told.any()) or base.ndim == 0 or base.shape[-1] % int(settings.get("copies", 1)):
        return base  # there is nothing to drop, or nothing that repeats: let the result itself be judged
    draws = []
    for _ in range(_calls(int(told.sum()), float(settings["p"]))):
        draw = subject.call(subject.inputs)
        if not isinstance(draw, Tensor) or draw.shape != base.shape:
            return draw
        draws.append(draw.detach().clone())
    last = base
    if module is not None:
        module.eval()
        last = subject.call(subject.inputs)
        if not isinstance(last, Tensor):
            return last
    if again.shape != base.shape or last.shape != base.shape:
        return last
    return Draws(torch.stack([base, again.detach(), last.detach(), *draws]))


def measured(draws: Tensor, settings: Settings) -> Tensor:
    """What results with and without dropout come to.

    Shapes:
        draws: as in `Draws`
        returns: (measures,), float: see `MEASURES`
    """
    p, copies = float(settings["p"]), int(settings.get("copies", 1))
    wanted = int(settings.get("measures", len(MEASURES)))
    base, again, last = draws[:3]
    told = base.double().abs() > 1e-6
    if not _equal(last, base) or not _equal(again, base):
        return torch.eye(len(MEASURES))[0][:wanted]  # nothing else can be told
    drawn = draws[3:].double()  # (calls, …)
    if not bool(drawn[:, base.isfinite()].isfinite().all()):
        return torch.zeros(len(MEASURES))[:wanted]
    kept = drawn.abs() > 1e-9
    factors = (drawn / base.double())[kept & told]
    factor = float(factors.median()) if factors.numel() else 0.0
    even = bool(((factors - factor).abs() < 1e-3).all()) and not bool((drawn[:, ~told].abs() > 1e-6).any())
    apart = kept.reshape(*kept.shape[:-1], copies, -1)  # (calls, …, copies, size)
    together = bool((apart == apart[..., :1, :]).all())
    first = told.reshape(*told.shape[:-1], copies, -1)[..., 0, :]  # (…, size)
    patterns = apart[..., 0, :][:, first]  # (calls, entries)
    own = patterns.unique(dim=1)  # (calls, draws); entries that share a draw are kept in the same calls
    counts = own.sum(dim=1)  # (calls,)
    share = float(kept[:, told].double().mean())
    return torch.tensor(
        [
            1.0,
            1.0,
            float(bool((drawn != drawn[0]).any())),
            _settled(share, p, own.numel()),
            float(together),
            float(own.shape[1] == patterns.shape[1]),
            float(bool((counts != counts[0]).any())),
            float(even),
            round(factor, 3) if even else 0.0,
            float(base.double().abs().nan_to_num().sum()),
        ][:wanted]
    )


def concluded(probe: Probe, outcome: Outcome) -> Outcome:
    """What there is to compare of an outcome: of draws, what they come to and what was dropped from."""
    seen = outcome.tensor
    if not (probe.hidden and probe.observe == "dropout") or seen is None:
        return outcome
    fits = seen.ndim >= 2 and len(seen) > 3 and seen.numel() > 0 and seen.is_floating_point()
    if not fits or seen.shape[-1] % int(probe.settings.get("copies", 1)):
        return outcome
    found = torch.cat([measured(seen, probe.settings), seen[0].float().flatten()])
    return replace(outcome, tensor=found, shape=tuple(found.shape), dtype="float32")


def _calls(entries: int, p: float) -> int:
    """How many draws it takes to count what is kept, and to tell the entries from each other."""
    calls = max(4000 / entries, 64)
    alike = p**2 + (1 - p) ** 2  # the chance that a draw treats two entries of their own the same
    if alike < 1:
        # Less than one chance in a million that any two look like one: the smaller p, the more it takes.
        calls = max(calls, math.log(1e6 * entries**2 / 2) / -math.log(alike))
    return math.ceil(min(calls, 256))


def _settled(share: float, p: float, count: int) -> float:
    """A share that was counted, as the one it can be told from: 1 - p, p, or itself to one decimal."""
    if share in (0.0, 1.0):
        return share  # nothing was drawn
    # Five standard deviations of a binomial count: less than one run in a million falls outside by chance.
    margin = 5 * math.sqrt(p * (1 - p) / max(count, 1))
    for likely in (1 - p, p):
        if abs(share - likely) <= margin:
            return round(likely, 3)
    return round(share, 1)


# What `other_device` writes down.
STAYS, MIXES, RETURNS = 0.0, 1.0, 2.0


class _OtherDevice(TorchFunctionMode):
    """Keeps track of which tensors would be on the device, and notes what a device would refuse.

    There need not be another device: parameters, buffers and inputs count as being on one, and so does what
    is made of them, or is made with `device=`. Everything else was made on the CPU, and so is what is moved
    to where such a tensor is.
    """

    def __init__(self, tensors: Iterable[Tensor]) -> None:
        super().__init__()
        self.seen = STAYS
        # Held, so that no id is given twice.
        self._there = {id(one): one for one in tensors}
        self._cpu: dict[int, torch.device] = {}  # devices that were read off a tensor on the CPU

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
        there = [one for one in tensors if id(one) in self._there]
        here = [one for one in tensors if id(one) not in self._there and one.ndim > 0]
        place = args[1] if name in ("to", "type_as") and len(args) > 1 else None
        target = kwargs.get("device", kwargs.get("other", place))
        moves = isinstance(target, torch.device | Tensor) and not self._is_cpu(target)
        to_cpu = name in ("cpu", "numpy", "tolist", "__array__") or self._is_cpu(target)
        result = func(*args, **kwargs)
        if isinstance(result, torch.device) and here:
            self._cpu[id(result)] = result
        first_there = bool(args) and id(args[0]) in self._there
        if moves and args and result is args[0] and not first_there:
            result = result.clone()  # a device has a copy of its own, and the tensor itself stays where it is
        if to_cpu and (first_there if name in ("to", "type_as") else there):
            self.seen = self.seen or RETURNS
        elif there and here and name in ("copy_", "__setitem__"):
            # Across devices a copy is allowed. Out of the device, it is what should not be.
            if not first_there:
                self.seen = self.seen or RETURNS
        elif there and here and not moves and not (name == "__getitem__" and first_there):
            # Positions on the CPU may pick from what is on the device, and not the other way round.
            self.seen = self.seen or MIXES
        if (there or moves) and not to_cpu:
            for one in tree_leaves(result):
                if isinstance(one, Tensor):
                    self._there[id(one)] = one
        return result

    def _is_cpu(self, target: Any) -> bool:
        """Whether something that names a place names the CPU, whatever the inputs are on."""
        if isinstance(target, Tensor):
            return id(target) not in self._there
        return id(target) in self._cpu or (isinstance(target, str) and target == "cpu")


def other_device(subject: Subject, settings: Settings) -> Any:
    """Whether an answer would work on a device other than the CPU.

    Shapes:
        returns: one number: 0 where it stays on the device, 1 where it mixes devices, 2 where it goes back
            to the CPU
    """
    tensors = []
    for value in (subject.module, *subject.inputs.values()):
        if isinstance(value, nn.Module):
            tensors += [*value.parameters(), *value.buffers()]
        elif isinstance(value, Tensor):
            tensors.append(value)
    with _OtherDevice(tensors) as device:
        subject.call(subject.inputs)
    return torch.tensor(device.seen)


def gradient(subject: Subject, settings: Settings) -> Any:
    """Whether a gradient comes back from the result to an input, and is finite.

    Settings:
        input: the input's name.

    Shapes:
        returns: (2,), bool: it arrives, it is finite
    """
    x = subject.inputs[settings["input"]].detach().clone().requires_grad_()
    result = subject.call({**subject.inputs, settings["input"]: x})
    if not isinstance(result, Tensor) or not result.is_floating_point():
        return result
    found = None
    if result.requires_grad:
        (found,) = torch.autograd.grad(result.square().sum(), x, allow_unused=True)
    return torch.tensor([found is not None, found is not None and bool(found.isfinite().all())])


def gradients(subject: Subject, settings: Settings) -> Any:
    """The gradients that come back to some inputs, when each number of the result counts differently.

    Settings:
        input: the inputs' names, joined by commas.

    Shapes:
        returns: (numbers,): those of all the inputs, end to end; 0 where none comes back
    """
    inputs = _with_gradients(subject.inputs, settings)
    result = subject.call(inputs)
    if not isinstance(result, Tensor) or not result.is_floating_point():
        return result
    found = _gradients_of(result, inputs, settings)
    return torch.cat([one.flatten() for one in found])


def _with_gradients(inputs: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    names = settings["input"].split(",") if "input" in settings else []
    return {**inputs, **{name: inputs[name].detach().clone().requires_grad_() for name in names}}


def _gradients_of(result: Tensor, inputs: Mapping[str, Any], settings: Settings) -> list[Tensor]:
    wanted = [inputs[name] for name in settings["input"].split(",")]
    if not result.requires_grad:
        return [torch.zeros_like(one) for one in wanted]
    ahead = torch.linspace(-1, 2, result.numel(), dtype=result.dtype).reshape(result.shape)
    found = torch.autograd.grad(result, wanted, ahead, allow_unused=True)
    return [torch.zeros_like(one) if own is None else own for own, one in zip(found, wanted, strict=True)]


# Matrix products, and which of their arguments is the left factor.
PRODUCTS = {"mm": 0, "bmm": 0, "mv": 0, "dot": 0, "addmm": 1, "addmv": 1, "addbmm": 1, "baddbmm": 1}


class _Costs(TorchDispatchMode):
    """Notes the largest tensor that an operation makes, and the multiplications in matrix products.

    An answer gets copies of the inputs, so what is made from the inputs themselves is not its work.
    """

    def __init__(self, inputs: Iterable[Any]) -> None:
        super().__init__()
        self._inputs = {one.untyped_storage().data_ptr() for one in inputs if isinstance(one, Tensor)}
        self.numbers = 0
        self.products = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # to skip it, torch would first import its compiler, which takes seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
        memory = {one.untyped_storage().data_ptr() for one in tensors}
        if memory & self._inputs:
            return result
        for one in tree_leaves(result):
            # A view, and what is written in place, is no new tensor.
            if isinstance(one, Tensor) and one.untyped_storage().data_ptr() not in memory:
                self.numbers = max(self.numbers, one.numel())
        left = PRODUCTS.get(func.overloadpacket.__name__)
        if left is not None:
            right = args[left + 1]
            self.products += args[left].numel() * (right.shape[-1] if right.ndim > 1 else 1)
        return result


def costs(subject: Subject, settings: Settings) -> Any:
    """How large a tensor an answer makes on the way, and how much it multiplies, where that is too much.

    Settings:
        numbers: how many numbers any tensor may have.
        products: how many multiplications its matrix products may take, if that is asked.
        input: names of inputs, joined by commas, whose gradients are asked for as well, if any.

    Shapes:
        returns: (2,): the numbers of the largest tensor, the multiplications; 0 for what is not too much
    """
    inputs = _with_gradients(subject.inputs, settings)
    with _Costs(inputs.values()) as seen:
        result = subject.call(inputs)
        if "input" in settings and isinstance(result, Tensor):
            _gradients_of(result, inputs, settings)
    if not isinstance(result, Tensor):
        return result
    told = (seen.numbers, settings["numbers"]), (seen.products, settings.get("products", math.inf))
    return torch.tensor([float(count) if count > most else 0.0 for count, most in told])


def steps(subject: Subject, settings: Settings) -> Any:
    """What an answer gives back that keeps something from call to call, and gets its inputs in pieces.

    Settings:
        axis: the axis along which the inputs are cut.
        sizes: the size of each piece.
        refuses: the name of an exception that a piece may be refused with; the next piece follows.

    Shapes:
        returns: (numbers,): everything that it gave back, end to end
    """
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
    return torch.cat(given)


def buffers(subject: Subject, settings: Settings) -> Any:
    """Which of the buffers that the solution registers are in a module's state dict.

    Settings:
        names: the buffers' names; put there by the build.
        sizes: the sizes of each, axes of size 1 aside; put there by the build.

    Shapes:
        returns: (buffers,): 0 where it is missing, 1 where it is right, 2 where it has another size
    """
    assert subject.module is not None
    state = subject.module.state_dict()
    return torch.tensor(
        [
            0 if name not in state else 1 if sizes_of(state[name]) == list(sizes) else 2
            for name, sizes in zip(settings["names"], settings["sizes"], strict=True)
        ]
    )


def second_call(subject: Subject, settings: Settings) -> Any:
    """What an answer gives after it was called with less: nothing of that call may be left behind.

    Settings:
        input: the input's name, or several names joined by commas.
        axis: the axis along which they are cut for the first call.
        size: how many slices the first call gets.
    """
    names, axis, size = settings["input"].split(","), settings["axis"], settings["size"]
    cut = {name: subject.inputs[name].narrow(axis, 0, size) for name in names}
    subject.call({**subject.inputs, **cut})
    return subject.call(subject.inputs)


def start_values(subject: Subject, settings: Settings) -> Any:
    """What weights a module starts with, before any are put in.

    Settings:
        names: the parameters' names; put there by the build.
        range: whether the values themselves matter, and not only that they are drawn.

    Shapes:
        returns: (parameters, 2 or 5): whether each object has new numbers, whether they are other numbers
            than those of the parameters before, and the lowest, the mean and the highest, to one decimal
    """
    assert subject.make is not None
    first, second = (dict(subject.make().named_parameters()) for _ in range(2))
    rows = []
    for position, name in enumerate(settings["names"]):
        start = first[name].detach()
        alike = [other for other in settings["names"][:position] if torch.equal(start, first[other])]
        row = [float(not torch.equal(start, second[name])), float(not alike)]
        if settings.get("range"):
            # The ends of a normal distribution differ from draw to draw; that they lie outside does not.
            ends = (max(float(start.min()), -1.0), float(start.mean()), min(float(start.max()), 2.0))
            row += [round(value, 1) for value in ends]
        rows.append(row)
    return torch.tensor(rows)


def sizes_of(buffer: Tensor) -> list[int]:
    """A tensor's sizes without axes of size 1, which a mask may have for batch and heads."""
    return [size for size in buffer.shape if size > 1]


def other(values: Tensor, generator: torch.Generator) -> Tensor:
    """Values of which every one is another, by a step of its own: softmax ignores what is added to all."""
    if values.dtype == torch.bool:
        return ~values
    if not values.is_floating_point():
        return values + 1
    return values + (torch.rand(values.shape, generator=generator) + 0.5).to(values.dtype)


def _equal(one: Tensor, other: Tensor) -> bool:
    """Whether two results are the same to the last bit; nan equals nan here."""
    if one.shape != other.shape:
        return False
    return bool(((one == other) | (one.isnan() & other.isnan())).all())


def _has_axis(value: Any, axis: int) -> bool:
    return isinstance(value, Tensor) and -value.ndim <= axis < value.ndim


def _fits(value: Any, size: int, axis: int) -> bool:
    """Whether a result is a tensor with `size` slices along the axis."""
    return _has_axis(value, axis) and value.shape[axis] == size


def moved(before: Tensor, after: Tensor, axis: int) -> Tensor:
    """For each slice along the axis, whether it changed. Shape (size,), bool."""
    if before.shape != after.shape:
        return torch.ones(before.shape[axis], dtype=torch.bool)
    first = before.detach().double().movedim(axis, 0).unsqueeze(-1).flatten(1)  # (size, …)
    second = after.detach().double().movedim(axis, 0).unsqueeze(-1).flatten(1)  # (size, …)
    # The last bits may differ with what stands in other rows, a common shift of all scores say.
    largest = first[first.isfinite()].abs().max() if bool(first.isfinite().any()) else first.new_zeros(())
    close = (first - second).abs() <= 1e-5 * largest.clamp(min=1)
    return ~(close | (first == second) | (first.isnan() & second.isnan())).all(dim=1)


EXPERIMENTS: dict[str, Experiment] = {
    RESULT: result,
    "influence": influence,
    "permuted": permuted,
    "dropout": dropout,
    "other-device": other_device,
    "gradient": gradient,
    "gradients": gradients,
    "costs": costs,
    "steps": steps,
    "buffers": buffers,
    "second-call": second_call,
    "start-values": start_values,
}
