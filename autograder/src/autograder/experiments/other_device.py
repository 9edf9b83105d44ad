"""The devices of an answer's tensors: whether the answer would work on a device other than the CPU.

Shapes:
    returns: one number: `STAYS` on the device, `MIXES` devices, or `RETURNS` to the CPU
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from autograder.experiments.base import Experiment, Settings, Subject
from autograder.torch_internals import tree_leaves
from autograder.words.phrases import N_
from autograder.words.plugin_words import Case, Seen

# What the experiment writes down.
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
        self._there = {id(tensor): tensor for tensor in tensors}
        self._cpu: dict[int, torch.device] = {}  # devices that were read off a tensor on the CPU

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        there = [tensor for tensor in tensors if id(tensor) in self._there]
        here = [tensor for tensor in tensors if id(tensor) not in self._there and tensor.ndim > 0]
        device = args[1] if name in ("to", "type_as") and len(args) > 1 else None
        target = kwargs.get("device", kwargs.get("other", device))
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
            for leaf in tree_leaves(result):
                if isinstance(leaf, Tensor):
                    self._there[id(leaf)] = leaf
        return result

    def _is_cpu(self, target: Any) -> bool:
        """Tell whether something that names a place names the CPU, whatever the inputs are on."""
        if isinstance(target, Tensor):
            return id(target) not in self._there
        return id(target) in self._cpu or (isinstance(target, str) and target == "cpu")


def _run(subject: Subject, settings: Settings) -> Any:
    tensors = []
    for value in (subject.module, *subject.inputs.values()):
        if isinstance(value, nn.Module):
            tensors += [*value.parameters(), *value.buffers()]
        elif isinstance(value, Tensor):
            tensors.append(value)
    with _OtherDevice(tensors) as device:
        subject.call(subject.inputs)
    return torch.tensor(device.seen)


WORDS = {
    "returns": N_(
        "On another device, `{answer}` copies a tensor back to the CPU.",
        "Copying costs more than computing. Let everything live where the input lives.",
    ),
    "mixes": N_(
        "On another device `{answer}` stops: a tensor of its own is still on the CPU.",
        "A tensor made in `forward` needs `device=x.device`; one made in `__init__` becomes part of the "
        "module with `register_buffer`, and then moves along.",
    ),
}


def _case(seen: Seen) -> Case:
    return "returns" if seen.finding.obtained == RETURNS else "mixes", {}


OTHER_DEVICE = Experiment("other-device", _run, WORDS, _case, axes=0)
