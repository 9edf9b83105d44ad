"""Name every part of torch that the tool uses and that torch does not promise to keep.

If a release of torch changes one of these, `tests/test_torch_internals.py` fails and shows what each is used
for. Functions of torch's core are used directly: code that watches a learner's code must call nothing that
the learner could replace.
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
    """Return one overload of an operator, as torch's core calls it.

    Raises:
        RuntimeError: the operator has no such overload.
    """
    overloads: tuple[Callable[..., Any], ...] | None = _core._get_operation_overload(operator, overload)
    if overloads is None:
        raise RuntimeError(f"torch has no {operator} of the form {overload!r}")
    return overloads[0]


class OperationMode(TorchDispatchMode):
    """A mode whose `__torch_dispatch__` receives every operation on tensors."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # to skip it, torch would first import its compiler, which takes seconds


def load_compiler() -> None:
    """Import the modules that an optimizer imports at its first step, which takes seconds."""
    import torch._dynamo  # noqa: F401


def storage_id(tensor: Tensor) -> int | None:
    """Return a number that identifies a tensor's memory; None if it has none of its own (sparse tensors)."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError):
        return None


def attributes_of(module: nn.Module) -> tuple[Mapping[str, Any], ...]:
    """Return the dictionaries of a module's attributes: parameters, buffers, submodules, and all others."""
    return module._parameters, module._buffers, module._modules, module.__dict__


def hooks_on(module: nn.Module) -> int:
    """Return the number of hooks that run when a module is called."""
    return len(module._forward_hooks) + len(module._forward_pre_hooks)
