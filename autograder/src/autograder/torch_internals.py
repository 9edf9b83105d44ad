"""What the tool uses of torch that torch does not promise to keep: all of it is named here, and nowhere else.

A release of torch that changes one of these fails `tests/test_torch_internals.py`, which shows what each is
for. Functions of torch's core are taken as they are: what watches a learner's code must call nothing that the
learner could replace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves as tree_leaves

_core: Any = torch._C

# The table of operators.

operator_names: Callable[[], list[str]] = _core._dispatch_get_all_op_names
describe_operator: Callable[[str], str] = _core._dispatch_dump
dispatch_key: Callable[[str], Any] = _core._parse_dispatch_key
has_kernel: Callable[[str, str], bool] = _core._dispatch_has_kernel_for_dispatch_key
kernel_of: Callable[[str, Any], Any] = _core._dispatch_get_computed_kernel_for_dispatch_key
# `call_kernel(kernel, keys, *args, **named)` does an operator's work.
call_kernel: Callable[..., Any] = _core._SafeKernelFunction.call_boxed
# `new_library("IMPL", "aten", "", mark, line)`; `set_kernel(library, name, table, function, with_keys)`.
new_library: Callable[..., Any] = _core._dispatch_library
set_kernel: Callable[..., None] = _core._DispatchModule.impl
remove_kernels: Callable[[Any], None] = _core._DispatchModule.reset

# Contexts in which modes, or subclasses of tensors, hear nothing of what is called.
without_modes: Callable[[], Any] = _core.DisableTorchFunction
without_subclasses: Callable[[], Any] = _core.DisableTorchFunctionSubclass


def overload_of(operator: str, overload: str) -> Callable[..., Any]:
    """Return an operator in one of its forms, as the core calls it.

    Raises:
        RuntimeError: there is no such operator.
    """
    overloads: tuple[Callable[..., Any], ...] | None = _core._get_operation_overload(operator, overload)
    if overloads is None:
        raise RuntimeError(f"torch has no {operator} of the form {overload!r}")
    return overloads[0]


class OperationMode(TorchDispatchMode):
    """A mode that sees each operation on tensors by `__torch_dispatch__`."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # to skip it, torch would first import its compiler, which takes seconds


def load_compiler() -> None:
    """Load what optimizers load at their first step, which takes seconds."""
    import torch._dynamo  # noqa: F401


def storage_id(tensor: Tensor) -> int | None:
    """Return what tells one memory from another; None where a tensor has none of its own, as a sparse one."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError):
        return None


def attributes_of(module: nn.Module) -> tuple[Mapping[str, Any], ...]:
    """Return where a module keeps its attributes: parameters, buffers, modules, and all others."""
    return module._parameters, module._buffers, module._modules, module.__dict__


def hooks_on(module: nn.Module) -> int:
    """Return how many hooks wait for a module's call."""
    return len(module._forward_hooks) + len(module._forward_pre_hooks)
