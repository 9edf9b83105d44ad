"""General experiments on a function or class, which need no knowledge of the task.

Each argument and parameter is changed, to see whether the result changes; and each slice of an input, to see
which slices of the result depend on it. An examination earns no points. If an answer is wrong and no known
mistake explains it, the judge compares its examination with the solution's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

import torch
from torch import Tensor, nn

from autograder.experiments.base import moved, other, slices_changed
from autograder.probe.call_answer import constructed, copy, fresh, isolated_global_state, load_weights, split
from autograder.records.bank import RESULT, Probe, Task, axis_parts
from autograder.records.run_outcome import Examination, Influence
from autograder.records.tensor_comparison import all_close
from autograder.torch_internals import hooks_on

MOST_SLICES = 12  # along one axis
MOST_AXES = 6  # pairs of an input's axis and a result's
MOST_ELEMENTS = 5_000
SEED = 77

# What comes of another value: the answer stops, its result changes, or neither.
Effect = Literal["stops", "changes", "none"]


def probe_to_examine(probes: Iterable[Probe]) -> Probe | None:
    """Return the plain probe that reveals most: the one with the most inputs and different sizes.

    Returns None if none of a task's probes is plain.
    """
    plain = [
        probe
        for probe in probes
        if probe.observe == RESULT
        and not (probe.raises or probe.then or probe.hidden or probe.train)
        and not probe.settings.keys() & {"lists", "once", "arriving"}  # what these give is no tensor
    ]
    # Where some arguments may be left out, one that has them says more. A single token at position 0 does not
    # turn, and all parts of a group share it however they are repeated.
    return max(
        plain,
        key=lambda probe: (_variety(probe) > 0, len(probe.inputs), -_single(probe), _variety(probe)),
        default=None,
    )


def examine(task: Task, answer: Callable[..., Any], namespace: Mapping[str, Any]) -> Examination | None:
    """Return the effects on an answer's result of changing one thing at a time; None if the answer fails."""
    probe = probe_to_examine(task.probes)
    if probe is None or task.kind == "class":
        return None
    try:
        with isolated_global_state(), torch.no_grad():
            return _examine(AnswerCall(task, probe, answer, namespace))
    except KeyboardInterrupt:
        raise
    except BaseException:  # the answer fails, and its outcomes tell how
        return None


@dataclass(frozen=True)
class Prepared:
    """An answer that is ready to be called on a probe's inputs; a module has the probe's weights."""

    call: Callable[[Mapping[str, Any]], Any]
    inputs: Mapping[str, Any]
    module: nn.Module | None  # the module that the answer makes; None for a function

    def __call__(self) -> Any:
        return self.call(self.inputs)

    @property
    def given(self) -> frozenset[type[nn.Module]]:
        """The classes of the modules passed to the answer as inputs, and of the modules inside them."""
        modules = (value for value in self.inputs.values() if isinstance(value, nn.Module))
        return frozenset(type(part) for module in modules for part in module.modules())


@dataclass(frozen=True)
class AnswerCall:
    """A call of an answer on a probe, with the notebook's variables that the probe's inputs are made from."""

    task: Task
    probe: Probe
    answer: Callable[..., Any]
    namespace: Mapping[str, Any]

    def prepared(self) -> Prepared:
        """Return the answer, ready to be called on the probe's inputs."""
        probe, is_module = self.probe, self.task.kind == "module"
        dtype = getattr(torch, probe.dtype)
        inputs = fresh(probe.inputs, self.namespace, dtype if is_module else None)
        module: nn.Module | None = None
        function = self.answer
        if is_module:
            function = module = constructed(self.answer, probe.construct, probe.keywords)
            load_weights(module, probe.weights)
            module.to(dtype).eval()

        def called(values: Mapping[str, Any]) -> Any:
            positional, by_name = split({name: copy(value) for name, value in values.items()}, probe.keywords)
            result = function(*positional, **by_name)
            # The next call may write into the same memory.
            return result.detach().clone() if isinstance(result, Tensor) else result

        return Prepared(called, inputs, module)

    def with_setting(self, name: str, value: Any) -> AnswerCall:
        """Return the call with another value of a constructor's argument, or of a function's."""
        if self.task.kind == "module":
            changed = replace(self.probe, construct={**self.probe.construct, name: value})
        else:
            changed = replace(self.probe, inputs={**self.probe.inputs, name: value})
        return replace(self, probe=changed)


def _examine(call: AnswerCall) -> Examination | None:
    task, probe = call.task, call.probe
    ready = call.prepared()
    called, inputs, module = ready.call, ready.inputs, ready.module
    hooked = _hooks(inputs)
    before = called(inputs)
    if _hooks(inputs) != hooked:
        return None  # what one call leaves on a module meets the next one: none is like the first
    if not isinstance(before, Tensor) or before.numel() > MOST_ELEMENTS:
        return None
    if not bool(before.isfinite().any()) or not bool(before.any()):
        return None  # nan stays nan, and 0 may stay 0, whatever changes
    again = called(inputs)
    if isinstance(again, Tensor) and again.shape == before.shape and not all_close(again, before):
        differs = (again.double() - before.double()).abs().nan_to_num(nan=0.0, posinf=0.0)
        return Examination(
            probe.id, unsteady=float((differs > 0).double().mean()), apart=float(differs.max())
        )
    generator = torch.Generator().manual_seed(SEED)
    afters = {
        name: called({**inputs, name: other(value, generator)})
        for name, value in inputs.items()
        if isinstance(value, Tensor)
    }
    for name, parameter in module.named_parameters() if module is not None else ():
        original = parameter.detach().clone()
        parameter.copy_(other(original, generator))
        afters[name] = called(inputs)
        parameter.copy_(original)
    tensors = {name: after for name, after in afters.items() if isinstance(after, Tensor)}
    changed = moved(before[None], [after[None] for after in tensors.values()], 0)  # (changes, 1)
    effects = {
        name: _effect_of_input(called, inputs, name, before)
        for name, any_of_it in zip(tensors, changed, strict=True)
        if not bool(any_of_it)
    }
    settings = inputs if module is None else probe.construct
    effects |= {
        name: _effect_of_setting(call, before, name, _others(value))
        for name, value in settings.items()
        if _others(value)
    }
    influences = (
        _influence(name, axis, task.input_axes[name][axis], symbol, index, called, inputs, before)
        for name, axis, symbol, index in islice(_shared_axes(task, inputs, before), MOST_AXES)
    )
    return Examination(
        probe.id,
        tuple(name for name, effect in effects.items() if effect == "none"),
        tuple(influence for influence in influences if influence is not None),
        refused=tuple(name for name, effect in effects.items() if effect == "stops"),
    )


def _effect_of_input(
    called: Callable[[Mapping[str, Any]], Any], inputs: Mapping[str, Any], name: str, before: Tensor
) -> Effect:
    """Return the effect of an input that may change in one way when it changes in another."""
    values = inputs.get(name)
    if not isinstance(values, Tensor):
        return "none"
    if values.is_floating_point():
        another = other(values, torch.Generator().manual_seed(SEED), -1.0)
    else:  # only every second one: what counts may be how far they are apart
        odd = torch.arange(values.numel()).view(values.shape) % 2
        another = values ^ odd.bool() if values.dtype == torch.bool else values + odd
    try:
        after = called({**inputs, name: another})
    except Exception:  # it cannot be anything
        return "stops"
    same = isinstance(after, Tensor) and not bool(moved(before[None], [after[None]], 0).any())
    return "none" if same else "changes"


def _effect_of_setting(call: AnswerCall, before: Tensor, name: str, others: Iterable[Any]) -> Effect:
    """Return the effect of other values for a number or a flag."""
    effect: Effect = "none"
    for another in others:
        changed = call.with_setting(name, another)
        try:
            ready = changed.prepared()
            fits = ready.module is None or load_weights(ready.module, call.probe.weights).loadable
            after = ready()
        except Exception:  # it minds this value
            effect = "stops"
            continue
        if not fits or not isinstance(after, Tensor) or bool(moved(before[None], [after[None]], 0).any()):
            return "changes"
    return effect


def _others(value: Any) -> tuple[bool | int | float, ...]:
    """Return other values for a number or a flag; none for anything else."""
    match value:
        case bool():
            return (not value,)
        case int():
            return tuple(
                other_value
                for other_value in (value + 1, value - 1, 2 * value)
                if other_value > 0 and other_value != value
            )
        case float():
            return (value / 2 + 0.01, 1.5 * value + 0.25)
    return ()


def _hooks(inputs: Mapping[str, Any]) -> list[int]:
    """Count the hooks on each part of the modules that an answer is given."""
    modules = (value for value in inputs.values() if isinstance(value, nn.Module))
    return [count for module in modules for count in hooks_in(module)]


def hooks_in(module: nn.Module) -> list[int]:
    """Return the number of hooks on each submodule of a module."""
    return [hooks_on(part) for part in module.modules()]


def _shared_axes(
    task: Task, inputs: Mapping[str, Any], result: Tensor
) -> Iterator[tuple[str, int, str, int]]:
    """Yield an input, its axis, the axis's name, and a place where the result has an axis of that name."""
    if len(task.axes) != result.ndim:
        return
    for name, axes in task.input_axes.items():
        value = inputs.get(name)
        if not isinstance(value, Tensor) or value.ndim != len(axes):
            continue
        for axis, label in enumerate(axes):
            symbol = axis_parts(label)[0]
            for index, other_label in enumerate(task.axes):
                sizes = value.shape[axis], result.shape[index]
                if (
                    axis_parts(other_label)[0] == symbol
                    and sizes[0] == sizes[1]
                    and 1 < sizes[0] <= MOST_SLICES
                ):
                    yield name, axis, other_label, index


def _influence(
    name: str,
    axis: int,
    along: str,
    symbol: str,
    index: int,
    called: Callable[[Mapping[str, Any]], Any],
    inputs: Mapping[str, Any],
    before: Tensor,
) -> Influence | None:
    rows = torch.zeros(inputs[name].shape[axis], before.shape[index], dtype=torch.bool)
    # A single number can be the largest, and matter only while it falls.
    alone = inputs[name].numel() == inputs[name].shape[axis]
    for sign in (1.0, -1.0) if alone else (1.0,):
        afters = []
        generator = torch.Generator().manual_seed(SEED)
        for changed in slices_changed(inputs, [name], axis, generator, sign):
            after = called(changed)
            if not isinstance(after, Tensor) or after.shape != before.shape:
                return None
            afters.append(after)
        rows |= moved(before, afters, index)  # (positions, slices of the result)
    return Influence(name, along, symbol, tuple(tuple(row.nonzero().flatten().tolist()) for row in rows))


def _single(probe: Probe) -> int:
    """Return the number of axes of size 1 of the inputs' numbers: many ways come to the same there."""
    inputs = (value for value in probe.inputs.values() if isinstance(value, Tensor))
    return sum(value.shape.count(1) for value in inputs if value.is_floating_point())


def _variety(probe: Probe) -> int:
    """Return the number of different sizes above 1 and of different shapes; 0 if the probe says little."""
    expected = probe.expected.tensor
    if expected is not None and not bool(expected.any()):
        return 0  # wrong numbers may well be 0 too
    shapes = {tuple(value.shape) for value in probe.inputs.values() if isinstance(value, Tensor)}
    sizes = {size for shape in shapes for size in shape}
    if max(sizes, default=0) > MOST_SLICES:
        return 0
    return len(shapes) + len(
        (sizes | {value for value in probe.construct.values() if type(value) is int}) - {1}
    )
