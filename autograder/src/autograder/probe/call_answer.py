"""The call of an answer: fresh copies of its arguments, and a process left as it was before."""

from __future__ import annotations

import contextlib
import inspect
import io
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from autograder.experiments.specimens import specimen
from autograder.records.bank import Argument, Made, Specimen
from autograder.records.run_outcome import ModuleReport, Reshaped, Uncalled

# Every call starts from the same generator state, so that evidence does not depend on what ran before.
PROBE_SEED = 20240


class NeedsEarlier(Exception):
    """An input needs a class of the learner's that is missing or does not work yet."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.uncalled = Uncalled("earlier", name, reason)


def fresh(
    values: Mapping[str, Argument], namespace: Mapping[str, Any], dtype: torch.dtype | None = None
) -> dict[str, Any]:
    """Return new arguments for one call, so that an answer that changes them does not affect the next call.

    Args:
        values: the arguments by name, as the bank stores them.
        namespace: the notebook's variables, in which the learner's own classes are looked up.
        dtype: the dtype to which floating-point tensors are converted; None to leave them as they are.

    Raises:
        NeedsEarlier: a class of the notebook is missing, fails, or lacks a parameter.
    """

    def copied(value: Argument) -> Any:
        match value:
            case Tensor():
                return value.to(dtype, copy=True) if dtype and value.is_floating_point() else value.clone()
            case Specimen():
                settings = {name: copy(value_of_setting) for name, value_of_setting in value.settings.items()}
                return specimen(value.name, settings)
            case Made():
                return _instance(value, namespace)
        return value

    return {name: copied(value) for name, value in values.items()}


def _instance(recipe: Made, namespace: Mapping[str, Any]) -> nn.Module:
    value = namespace.get(recipe.name)
    if value is None or value is ...:
        raise NeedsEarlier(recipe.name, "is not there yet")
    if not isinstance(value, type) or not issubclass(value, nn.Module):
        raise NeedsEarlier(recipe.name, "is not a class made from `nn.Module`")
    try:
        module = constructed(value, recipe.construct)
        report = load_weights(module, recipe.weights)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # the class is the learner's own, and may raise SystemExit
        raise NeedsEarlier(recipe.name, f"raises {type(problem).__name__} when it is made") from problem
    if not report.loadable:
        raise NeedsEarlier(recipe.name, "has other parameters than the lesson names")
    return module.eval()


def constructed(
    module_class: Callable[..., nn.Module], construct: Mapping[str, Any], keywords: Collection[str] = ()
) -> nn.Module:
    """Return an instance of a module class, made with positional arguments if its constructor accepts them.

    Args:
        module_class: the class.
        construct: the constructor's arguments, by name.
        keywords: the arguments to pass by name in any case.
    """
    positional, by_name = split(construct, keywords)
    try:
        inspect.signature(module_class).bind(*positional, **by_name)
    except ValueError:
        pass  # it has no signature, and calling it is the only way to know
    except TypeError:
        return module_class(**construct)
    return module_class(*positional, **by_name)


def load_weights(module: nn.Module, weights: Mapping[str, Tensor]) -> ModuleReport:
    """Copy weights into a module's parameters by name, and report the names and shapes that do not fit.

    Weights that fit are copied even if others do not, so that the rest of the module can still be judged. A
    matrix of transposed shape is copied transposed. If as many parameters have unexpected names as names are
    missing, they are matched by similarity. Otherwise an unexpected bias is set to 0. A layer without its
    bias gets one.

    Args:
        module: the module, which is changed.
        weights: the probe's weights by parameter name.
    """
    parameters = dict(
        module.named_parameters(remove_duplicate=False)
    )  # one parameter may stand under many names
    named = {id(parameters[name]) for name in weights if name in parameters}
    missing = tuple(name for name in weights if name not in parameters)
    unexpected = tuple(name for name, value in parameters.items() if id(value) not in named)
    places = {name: parameters[name] for name in weights if name in parameters}
    if len(missing) == len(unexpected):
        places |= {name: parameters[other] for name, other in _renamed(missing, unexpected).items()}
    with torch.no_grad():
        for name, position in places.items():
            weight = weights[name]
            if position.shape == weight.shape:
                position.copy_(weight)
            elif position.ndim == weight.ndim == 2 and position.shape == weight.mT.shape:
                position.copy_(weight.mT)
        for name in unexpected if len(missing) != len(unexpected) else ():
            if name.endswith("bias"):
                parameters[name].zero_()
        for name in (parameter for parameter in missing if parameter.endswith(".bias")):
            layer = dict(module.named_modules()).get(name.removesuffix(".bias"))
            if layer is not None and getattr(layer, "bias", layer) is None:
                layer.register_parameter("bias", nn.Parameter(weights[name].clone()))
    return ModuleReport(
        missing=missing,
        unexpected=unexpected,
        reshaped=tuple(
            Reshaped(name, tuple(parameters[name].shape), tuple(weight.shape))
            for name, weight in weights.items()
            if name in parameters and parameters[name].shape != weight.shape
        ),
    )


def _renamed(missing: Sequence[str], unexpected: Sequence[str]) -> dict[str, str]:
    """Return the parameters that most likely stand under another name, the likest first."""
    unmatched = list(unexpected)
    renamed = {}
    for name in missing:
        word = name.lower().replace("w_", "")
        likest = max(unmatched, key=lambda other: _likeness(word, other.lower().replace("w_", "")))
        renamed[name] = likest
        unmatched.remove(likest)
    return renamed


def _likeness(word: str, other: str) -> tuple[bool, bool]:
    """Compare two names: are they of one kind (weight or bias), and do they begin alike?"""
    return word.rpartition(".")[2] == other.rpartition(".")[2], word[:1] == other[:1]


def split(inputs: Mapping[str, Any], keywords: Collection[str]) -> tuple[list[Any], dict[str, Any]]:
    """Return arguments as a list of positional ones and a mapping of keyword ones."""
    positional = [value for name, value in inputs.items() if name not in keywords]
    return positional, {name: inputs[name] for name in keywords if name in inputs}


def copy(value: Any) -> Any:
    """Return a copy of a tensor, or the value itself if it is no tensor."""
    return value.clone() if isinstance(value, Tensor) else value


@contextlib.contextmanager
def isolated_global_state() -> Iterator[None]:
    """Restore the process's global state after the block.

    It covers torch's random generator, threads, default dtype and device, gradient mode and deterministic
    mode. Output and warnings of the block are discarded.
    """
    # The CPU's generator only: `torch.manual_seed` would also reseed a learner's GPU, and takes longer.
    generator = torch.default_generator
    random_state = generator.get_state()
    generator.manual_seed(PROBE_SEED)
    # Probes are small. With several threads each operation waits for the slowest, and on a busy machine that
    # takes a hundred times as long as the operation.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    dtype, gradients = torch.get_default_dtype(), torch.is_grad_enabled()
    deterministic = torch.get_deterministic_debug_mode()
    device = torch.get_default_device()
    sink = io.StringIO()
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(sink),
            contextlib.redirect_stderr(sink),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        # An answer may set what holds for the whole process; the next one must not feel it.
        if torch.get_default_device() != device:
            torch.set_default_device(None if device.type == "cpu" else device)
        # `use_deterministic_algorithms` does the same, and imports torch's compiler: that takes a second.
        torch.set_deterministic_debug_mode(deterministic)
        torch.set_grad_enabled(gradients)
        torch.set_default_dtype(dtype)
        torch.set_num_threads(threads)
        generator.set_state(random_state)
