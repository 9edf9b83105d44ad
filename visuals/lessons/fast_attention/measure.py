"""What a call costs on the machine at hand: seconds, and the most bytes that its tensors take together."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

# A call is repeated three times at least, until this many seconds are spent, and no more often than this.
ENOUGH, MOST_ROUNDS = 0.05, 20


class Cost(NamedTuple):
    """What one call costs.

    Attributes:
        seconds: the fastest of several calls: the others waited for something else.
        bytes: what the tensors that the call made took together, at the moment when they took most.
    """

    seconds: float
    bytes: int


class _Alive(TorchDispatchMode):
    """Adds up the bytes of the tensors that operations make, as long as they live."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.most = 0
        self._known: set[int] = set()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # to skip it, torch would first import its compiler, which takes seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        inputs = [tensor for tensor in tree_leaves((args, kwargs)) if isinstance(tensor, Tensor)]
        old = {tensor.untyped_storage().data_ptr() for tensor in inputs} | self._known
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if not isinstance(tensor, Tensor) or not tensor.numel():
                continue
            storage = tensor.untyped_storage()
            address, size = storage.data_ptr(), storage.nbytes()
            if address not in old:
                self._known.add(address)
                weakref.finalize(storage, self._freed, address, size)
                self.now += size
                self.most = max(self.most, self.now)
        return result

    def _freed(self, address: int, size: int) -> None:
        self._known.discard(address)
        self.now -= size


def measured(call: Callable[..., Any], *arguments: Any) -> Cost:
    """Run a call several times, without gradients, and return what it costs.

    On a GPU the bytes are those that torch's allocator counts. On a CPU they are those of the tensors that
    operations make; what one operation keeps inside itself is not seen.

    Args:
        call: what to run.
        arguments: what it is called with.
    """
    with torch.no_grad():
        gpu = any(isinstance(leaf, Tensor) and leaf.is_cuda for leaf in tree_leaves(call(*arguments)))
        if gpu:
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
            call(*arguments)
            most = torch.cuda.max_memory_allocated() - before
        else:
            with _Alive() as alive:
                call(*arguments)
            most = alive.most
        times: list[float] = []
        while len(times) < 3 or (sum(times) < ENOUGH and len(times) < MOST_ROUNDS):
            start = time.perf_counter()
            call(*arguments)
            if gpu:
                torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
    return Cost(min(times), most)
