"""The resources that an answer uses, each reported only where it exceeds the limit in the settings.

Settings:
    numbers: the largest number of entries that a single tensor may have.
    products: the most multiplications that its matrix products may take; optional.
    calls: the most matrix products that it may make; optional.
    operations: the most tensor operations of any kind that it may make; optional.
    alive: the most entries that the tensors it makes may have in all at any time; optional.
    input: the name of an input, or a list of names, whose gradients are computed as well; optional.

Shapes:
    returns: (6,): the entries of the largest tensor, the multiplications, the matrix products, the
        operations, the entries alive at once, and the entries converted to NumPy or Python, where nothing can
        be measured; 0 for each that is within its limit
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode

from autograder.experiments.base import Experiment, Settings, Subject
from autograder.experiments.input_gradients import gradients_of, with_gradients
from autograder.torch_internals import OperationMode, tree_leaves
from autograder.words.phrases import N_
from autograder.words.plugin_words import Case, Seen

# Matrix products, and which of their arguments is the left factor.
PRODUCTS = {"mm": 0, "bmm": 0, "mv": 0, "dot": 0, "addmm": 1, "addmv": 1, "addbmm": 1, "baddbmm": 1}


# What gives a tensor's numbers to NumPy or to Python.
WAYS_OUT = {Tensor.numpy, Tensor.tolist, Tensor.__array__, Tensor.__dlpack__}


class _Outside(TorchFunctionMode):
    """Counts the numbers that leave torch; a single one may, as in `float(x)`, and so may indices."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in WAYS_OUT and args[0].is_floating_point() and args[0].numel() > 1:
            self.numbers += args[0].numel()
        return func(*args, **(kwargs or {}))


class _Costs(OperationMode):
    """Notes what operations make: the largest tensor, all that is alive at once, and products.

    An answer gets copies of the inputs, so what is made from the inputs themselves is not its work.
    """

    def __init__(self, inputs: Iterable[Any]) -> None:
        super().__init__()
        self._inputs = {value.untyped_storage().data_ptr() for value in inputs if isinstance(value, Tensor)}
        self.numbers = 0
        self.products = 0
        self.calls = 0
        self.operations = 0
        self.alive = 0
        self._made: dict[int, tuple[StorageWeakRef, int]] = {}  # by its place in memory

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        memory = {tensor.untyped_storage().data_ptr() for tensor in tensors}
        if memory & self._inputs:
            return result
        self.operations += 1
        for leaf in tree_leaves(result):
            # A view, and what is written in place, is no new tensor.
            if isinstance(leaf, Tensor) and leaf.untyped_storage().data_ptr() not in memory:
                self.numbers = max(self.numbers, leaf.numel())
                storage = leaf.untyped_storage()
                self._made[storage.data_ptr()] = StorageWeakRef(storage), leaf.numel()
        self._made = {address: made for address, made in self._made.items() if not made[0].expired()}
        self.alive = max(self.alive, sum(count for _, count in self._made.values()))
        left = PRODUCTS.get(func.overloadpacket.__name__)
        if left is not None:
            right = args[left + 1]
            self.calls += 1
            self.products += args[left].numel() * (right.shape[-1] if right.ndim > 1 else 1)
        return result


def _run(subject: Subject, settings: Settings) -> Any:
    inputs = with_gradients(subject.inputs, settings)
    with _Outside() as outside, _Costs(inputs.values()) as seen:
        result = subject.call(inputs)
        if "input" in settings and isinstance(result, Tensor):
            gradients_of(result, inputs, settings)
    if not isinstance(result, Tensor):
        return result
    measured = [(getattr(seen, name), settings.get(name, math.inf)) for name in WORDS if name != "outside"]
    measured.append((outside.numbers, 0))
    return torch.tensor([float(count) if count > most else 0.0 for count, most in measured])


WORDS = {
    "numbers": N_(
        "`{answer}` makes a tensor of {count} numbers{where}.",
        "{enough} are enough. Find the line that makes one that large.",
    ),
    "products": N_(
        "The matrix products of `{answer}` take {count} multiplications{where}.",
        "{enough} are enough. Look for what is computed twice, or computed and thrown away.",
    ),
    "calls": N_(
        "`{answer}` makes {count} matrix products{where}.",
        "{enough} are enough: each of them can take more rows and columns at once.",
    ),
    "operations": N_(
        "`{answer}` makes {count} tensor operations{where}.",
        "{enough} are enough. Look for a loop, in these lines or in a function that they call.",
    ),
    "alive": N_(
        "`{answer}` holds {count} numbers at once{where}.",
        "{enough} are enough. Which tensors are kept, in a list say, that nothing needs any more?",
    ),
    "outside": N_(
        "`{answer}` takes {count} numbers out of torch{where}.",
        "What NumPy or Python makes of them cannot be measured. Stay with tensors.",
    ),
}


def _case(seen: Seen) -> Case:
    what = tuple(WORDS)[seen.finding.index[0]]
    return what, {"count": f"{seen.finding.obtained:.0f}", "enough": seen.probe.settings.get(what, 0)}


COSTS = Experiment("costs", _run, WORDS, _case, axes=1)
