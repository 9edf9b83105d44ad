"""The recorder of tensor operations, each with the learner's own line of code.

A `TorchFunctionMode` sees each call of torch once, as the learner wrote it. Hooks around modules combine
everything inside a module of torch into one row. Sizes are stored, tensors are not.
"""

from __future__ import annotations

import math
import sys
import threading
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import FrameType, TracebackType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode

from autograder.probe.recording.operations import (
    COPY,
    IN_PLACE,
    NEW,
    SAME,
    VIEW,
    Movement,
    Operand,
    Operation,
    Record,
    Result,
)
from autograder.probe.recording.source_locations import (
    Lines,
    SourceLocation,
    Sources,
    Stack,
    is_learners,
    learners_stack,
)
from autograder.torch_internals import attributes_of, storage_id, without_modes

ATTRIBUTES = {"T", "mT", "H", "mH", "data", "real", "imag"}
# Backward passes are not recorded, and what they return are no activations.
UNSEEN = {"grad", "backward", "__set__"}
COPIES = {"reshape", "contiguous", "flatten", "clone", "repeat", "to", "reshape_as"}
# Calls that only move numbers: to do them again moves other numbers in the same way.
MOVES = {
    *("view", "reshape", "unflatten", "flatten", "contiguous", "clone", "detach", "T", "mT", "data"),
    *("transpose", "permute", "swapaxes", "swapdims", "movedim", "moveaxis", "adjoint"),
    *("squeeze", "unsqueeze", "chunk", "split", "tensor_split", "unbind", "select", "narrow", "__getitem__"),
}

# Of torch, while tensors are looked at; a loop that makes more is not followed to its end.
MOST_CALLS = 400

Keep = Callable[[Operation, int, Tensor], None]


class _Mode(TorchFunctionMode):
    """Hands every call of torch to the recorder."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        return self._recorder.observe(function, args, kwargs or {})


@dataclass
class _Call:
    """A module that runs just now; `is_one_row` where it is torch's own and all in it too."""

    module: nn.Module
    is_one_row: bool
    inputs: list[_Seen]
    error_before: BaseException | None


@dataclass(frozen=True)
class _Seen:
    """A tensor as it was before an operation; held only while that operation runs."""

    tensor: Tensor
    shape: tuple[int, ...]
    storage: int | None


class Recorder:
    """A recording of the torch operations that run between its start and its stop.

    Args:
        module: the only `nn.Module` to record; None to record all code.
        base: the frame in which the recording starts.
        most_rows: the number of operations after which the record is full.
        keep: a function that is called once for each result: with the operation, the result's position and
            its tensor, which it must not hold on to. With `keep`, source locations have no columns.
        given: classes of modules that count as one operation, like torch's own, since the learner did not
            write them.
    """

    def __init__(
        self,
        module: nn.Module | None,
        base: FrameType,
        most_rows: int,
        keep: Keep | None = None,
        given: Collection[type[nn.Module]] = (),
    ) -> None:
        self.record = Record()
        self._keep = keep
        self._given = given
        self._only = module
        self._base = base
        self._most_rows = most_rows
        self._sources = Sources() if keep is None else Lines()
        self._mode = _Mode(self)
        self._thread = threading.get_ident()
        self._calls: list[_Call] = []
        self._paths: dict[int, str] = {}
        self._made: dict[int, tuple[weakref.ref[Tensor], int, int]] = {}
        self._known: dict[Any, Operation] = {}
        self._hooks: list[Any] = []
        self._calls_seen = 0
        self._most_calls = math.inf if keep is None else MOST_CALLS

    def start(self) -> None:
        self._hooks = [
            register_module_forward_pre_hook(self._enter_module),
            register_module_forward_hook(self._leave_module, always_call=True),
        ]
        self._mode.__enter__()

    def stop(self, error: BaseException | None, trace: TracebackType | None) -> None:
        self._mode.__exit__(None, None, None)
        for hook in self._hooks:
            hook.remove()
        self._learn_names((self._base,))
        if error is not None:
            message = str(error).strip().split("\n")[0]
            self.record.error = f"{type(error).__name__}: {message}" if message else type(error).__name__
            self.record.error_line = self._line_of(trace)
        # Frames hold a learner's variables, and these hold tensors.
        del self._base
        self._calls.clear()
        self._made.clear()
        self._known.clear()

    def _line_of(self, trace: TracebackType | None) -> SourceLocation | None:
        line = None
        while trace is not None:
            if is_learners(trace.tb_frame.f_code.co_filename):
                line = self._sources.at(trace.tb_frame.f_code, trace.tb_lasti, max(trace.tb_lineno or 0, 0))
            trace = trace.tb_next
        return line

    # Modules

    def _enter_module(self, module: nn.Module, args: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        if not self._calls or (self._only is module and not self._is_inside):
            self._paths = {id(part): name for name, part in module.named_modules()}
        with without_modes():
            inputs = [_seen(tensor) for tensor in _tensors(args)]
        given = type(module) in self._given
        is_one_row = given or _is_torchs(module)
        self._calls.append(_Call(module, is_one_row, inputs, sys.exc_info()[1]))

    def _leave_module(self, module: nn.Module, args: Any, result: Any) -> None:
        if threading.get_ident() != self._thread or all(call.module is not module for call in self._calls):
            return
        while (call := self._calls.pop()).module is not module:
            pass
        error = sys.exc_info()[1]
        failed = result is None and error is not None and error is not call.error_before
        inside = self._is_inside or module is self._only
        if not inside or self._is_within_one_row:
            return
        if call.is_one_row:
            with without_modes():
                self._note(
                    type(module).__name__, call.inputs, result, None, error if failed else None, module
                )
        elif not self._calls or module is self._only:
            for tensor in _tensors(result):
                if maker := self._maker(tensor):
                    self.record[maker[0]].results[maker[1]].is_output = True

    @property
    def _is_inside(self) -> bool:
        return self._only is None or any(call.module is self._only for call in self._calls)

    @property
    def _is_within_one_row(self) -> bool:
        return any(call.is_one_row for call in self._calls)

    # Operations

    def observe(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Call a function of torch, record the operation, and return its result."""
        name = getattr(function, "__name__", "")
        if name == "__get__":
            name = getattr(getattr(function, "__self__", None), "__name__", "")
            unseen = name not in ATTRIBUTES
        else:
            unseen = name in UNSEEN
        if unseen or not self._is_inside or self._is_within_one_row:
            return function(*args, **kwargs)
        self._calls_seen += 1
        if self._calls_seen > self._most_calls:
            self.record.left_out += 1
            return function(*args, **kwargs)
        with without_modes():
            inputs = [_seen(tensor) for tensor in _tensors((args, kwargs))]
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            with without_modes():
                self._note(name, inputs, None, None, error)
            raise
        with without_modes():
            changed = args[0] if name == "__setitem__" else result
            if any(True for _ in _tensors(changed)):
                movement = _movement(function, name, args, kwargs)
                self._note(name, inputs, changed, movement, None)
        return result

    def _note(
        self,
        name: str,
        inputs: list[_Seen],
        made: Any,
        movement: Movement | None,
        error: BaseException | None,
        module: nn.Module | None = None,
    ) -> None:
        stack = learners_stack(sys._getframe(1), self._base)
        if stack is None or stack.builds_module:
            return
        self._learn_names(dict.fromkeys((stack.frames[0], stack.forward)))
        tensors = list(_tensors(made))
        changes = name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))
        site = self._sources.site(stack.frames[0])
        operands = tuple(self._operand(seen, site, stack.frames[0]) for seen in inputs)
        results = [_result(tensor, inputs, operands, name, changes) for tensor in tensors]
        kinds = [(result.shape, result.strides, result.memory) for result in results]
        key = (stack.sites, name, str(kinds), [operand.shape for operand in operands].__repr__())
        operation = self._known.get(key)
        # In a Sequential that holds a learner's module: the line calls the whole, not this part.
        inside = bool(self._calls) and _is_library(self._calls[-1].module)
        parents = {operand.maker for operand in operands if operand.maker is not None}
        pairs = list(zip(inputs, operands, strict=True))
        from_parameters = bool(pairs) and all(self._is_parameter(*pair) for pair in pairs)
        if operation is not None and error is None:
            operation.times += 1
            operation.parents |= parents
            operation.from_parameters &= from_parameters
        elif len(self.record.operations) >= self._most_rows and error is None:
            self.record.left_out += 1
            return
        else:
            written, kind = _written(name, site, module, self._paths.get(id(module), ""), inside)
            operation = Operation(
                number=len(self.record.operations) + 1,
                name=written,
                kind=kind,
                site=site,
                step=self._sources.site(stack.forward),
                path=self._path(),
                operands=operands,
                results=results,
                parents=parents,
                from_parameters=from_parameters,
                movement=movement,
                error=_first_line(error) if error else "",
            )
            self.record.operations.append(operation)
            self._known[key] = operation
        self._name_results(operation, tensors, () if inside else self._targets(stack))

    def _name_results(
        self, operation: Operation, tensors: Sequence[Tensor], targets: Sequence[tuple[str, ...]]
    ) -> None:
        """Keep which operation made each tensor, and the names that the learner's line gives it."""
        for part, tensor in enumerate(tensors):
            self._made[id(tensor)] = (weakref.ref(tensor), operation.number, part)
            if self._keep is not None:
                self._keep(operation, part, tensor)
            names = targets[part] if len(targets) > 1 and part < len(targets) else ()
            if len(targets) == 1 and len(tensors) == 1:
                names = targets[0]
            for each in names:
                _add(operation.results[part].names, each)

    def _targets(self, stack: Stack) -> tuple[tuple[str, ...], ...]:
        """Return what the statement calls the value; where a helper returns it, what its caller calls it."""
        for frame in stack.frames:
            site = self._sources.site(frame)
            if site.targets or not site.is_returned or (stack.in_module and frame is stack.forward):
                return site.targets
        return ()

    def _path(self) -> str:
        """Return the learner's innermost module, as seen from the outermost one."""
        learner_modules = [call.module for call in self._calls if not _is_library(call.module)]
        return self._paths.get(id(learner_modules[-1]), "") if learner_modules else ""

    def _operand(self, seen: _Seen, site: SourceLocation, frame: FrameType) -> Operand:
        name = next((name for name in site.names if _look_up(name, frame) is seen.tensor), "")
        maker = self._maker(seen.tensor)
        return Operand(name, seen.shape, *(maker or (None, 0)))

    def _maker(self, tensor: Tensor) -> tuple[int, int] | None:
        reference, number, part = self._made.get(id(tensor), (None, 0, 0))
        return (number, part) if reference is not None and reference() is tensor else None

    def _is_parameter(self, seen: _Seen, operand: Operand) -> bool:
        if operand.maker is not None:
            return self.record[operand.maker].from_parameters
        return isinstance(seen.tensor, nn.Parameter)

    def _learn_names(self, frames: Any) -> None:
        """Look which of a frame's variables hold a result: a helper's result gets its name only later."""
        for frame in frames:
            code = frame.f_code
            # A parameter is the caller's tensor under another name.
            given = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
            for name, value in list(frame.f_locals.items()):
                if id(value) in self._made and isinstance(value, Tensor) and name not in given:
                    maker = self._maker(value)
                    if maker and not name.startswith("_"):
                        _add(self.record[maker[0]].results[maker[1]].names, name)


def _add(names: list[str], name: str) -> None:
    if name not in names:
        names.append(name)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _is_library(module: nn.Module) -> bool:
    return type(module).__module__.partition(".")[0] == "torch"


def _is_torchs(module: nn.Module) -> bool:
    """Tell whether a module is torch's own with nothing of the learner's inside."""
    return all(_is_library(part) for part in module.modules())


def _tensors(value: Any) -> Iterator[Tensor]:
    """Yield the tensors in a value and in the tuples, lists and dictionaries in it."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        yield from chain.from_iterable(_tensors(part) for part in value)
    elif isinstance(value, Mapping):
        yield from chain.from_iterable(_tensors(part) for part in value.values())


def _seen(tensor: Tensor) -> _Seen:
    return _Seen(tensor, tuple(tensor.shape), storage_id(tensor))


def _result(
    tensor: Tensor, inputs: list[_Seen], operands: tuple[Operand, ...], name: str, changes: bool
) -> Result:
    storage = storage_id(tensor)
    memory, source = COPY if name in COPIES else NEW, ""
    for seen, operand in zip(inputs, operands, strict=True):
        same = tensor is seen.tensor
        if same or (storage is not None and storage == seen.storage):
            memory = IN_PLACE if changes else SAME if same else VIEW
            source = operand.name
            break
    has_strides = tensor.layout == torch.strided
    return Result(
        shape=tuple(tensor.shape),
        strides=tuple(tensor.stride()) if has_strides else None,
        is_contiguous=has_strides and tensor.is_contiguous(),
        memory=memory,
        source=source,
    )


def _movement(
    function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Movement | None:
    """Return a function that moves other numbers likewise, if one tensor and plain numbers went in."""
    if name not in MOVES or len(list(_tensors((args, kwargs)))) != 1 or not isinstance(args[0], Tensor):
        return None
    return Movement(function, args[1:], dict(kwargs))


def _written(
    name: str, site: SourceLocation, module: nn.Module | None, path: str, inside: bool
) -> tuple[str, str]:
    """Return what the learner wrote, and for a module of torch its class."""
    if module is not None:
        written = "" if inside else site.call
        return written or path or type(module).__name__, type(module).__name__
    if name == "__setitem__":
        return "[…] =", ""
    if name == "__getitem__":
        return "[…]", ""
    return site.sign or name, ""


def _look_up(name: str, frame: FrameType) -> Any:
    """Return what a dotted name stands for, without running a learner's properties."""
    first, *rest = name.split(".")
    value = frame.f_locals.get(first, frame.f_globals.get(first))
    for part in rest:
        if not isinstance(value, nn.Module):
            return None
        value = next((place[part] for place in attributes_of(value) if part in place), None)
    return value
