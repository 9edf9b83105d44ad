"""The collection of evidence: an answer is called on the probes' inputs, and the results are recorded.

This code runs in the learner's process and knows no right answer. Nothing it does may award a point; it only
returns evidence.
"""

from __future__ import annotations

import difflib
import inspect
import itertools
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from autograder.experiments.base import Subject
from autograder.experiments.registry import EXPERIMENTS
from autograder.probe.call_answer import (
    PROBE_SEED,
    NeedsEarlier,
    copy,
    fresh,
    isolated_global_state,
    load_weights,
    split,
)
from autograder.probe.exceptions import describe_error, stopped
from autograder.probe.forbidden_calls import Watch
from autograder.probe.generic_behaviour import examine, hooks_in
from autograder.probe.learner_code import globals_read, is_file_of, is_stub
from autograder.probe.line_trace import follow
from autograder.records.bank import AS_SEEN, RESULT, LessonBank, Probe, Task, Value
from autograder.records.evidence_transport import CARRIED
from autograder.records.outcome_digest import outcome_digest_of
from autograder.records.run_outcome import (
    MAX_AXES,
    MAX_ELEMENTS,
    MAX_ITEMS,
    Evidence,
    ModuleReport,
    OtherDtype,
    Outcome,
    Uncalled,
    dtype_name,
)
from autograder.records.tensor_comparison import all_close
from autograder.torch_internals import without_subclasses

EMPTY: Mapping[str, Any] = types.MappingProxyType({})


class NotToBeCalled(Exception):
    """An answer returned a value that the probe then calls, but that is not callable."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.type_name = type_name(value)


def collect(
    task: Task,
    lesson: LessonBank,
    namespace: Mapping[str, Any],
    run: str = AS_SEEN,
    examining: bool = True,
) -> Evidence:
    """Return the evidence about the answer that the notebook has under the task's name.

    Args:
        task: the task.
        lesson: the lesson's bank.
        namespace: the notebook's variables.
        run: the name of the set of givens (the lesson's example data) that the notebook ran with.
        examining: whether to try general experiments on an answer, which take time, but tell more about one
            that no known mistake explains.
    """
    if task.name not in namespace:
        # An earlier task's answer is what it should be, and so is what the lesson's own cells define: neither
        # is this one misspelt.
        earlier = {
            other.name for other in itertools.takewhile(lambda other: other != task, lesson.tasks.values())
        }
        available = earlier | set(lesson.names)
        candidates = {name: value for name, value in namespace.items() if name not in available}
        nearest = nearest_names(task.name, candidates)
        return Evidence(task.id, "missing", nearest=nearest, error=stopped(task.name, namespace))
    evidence = collect_answer(task, lesson, namespace[task.name], namespace, run, examining)
    if evidence.status == "stub":
        return replace(evidence, error=stopped(task.name, namespace))
    return evidence


def collect_answer(
    task: Task,
    lesson: LessonBank,
    answer: Any,
    namespace: Mapping[str, Any],
    run: str = AS_SEEN,
    examining: bool = True,
) -> Evidence:
    """Return the evidence about an answer that is passed in; see `collect`."""
    if answer is ...:
        return Evidence(task.id, "stub", answer_type=type_name(answer))
    if task.kind == "tensor":
        # What else must stay is known for the lesson's own givens only, and a cell treats all givens alike.
        variables_kept = task.kept if run == AS_SEEN else {}
        givens = {**lesson.givens.get(run, {}), **variables_kept}
        changed = changed_givens(givens, namespace)
        return Evidence(
            task.id,
            "answered",
            outcomes={run: observe(answer)},
            answer_type=type_name(answer),
            changed_givens=changed,
            default_dtype=_default_dtype({name: givens[name] for name in changed}, namespace),
        )
    if not callable(answer) or inspect.isclass(answer) != (task.kind in ("module", "class")):
        kind = "class" if inspect.isclass(answer) else type_name(answer)
        return Evidence(task.id, "not-callable", answer_type=kind)
    own_code = _learner_functions(task, answer)
    if any(is_stub(function) for function in own_code):
        return Evidence(task.id, "stub", answer_type=type_name(answer))
    with Watch(task.families, is_file_of(*own_code[:1])) as forbidden:
        outcomes = {probe.id: CALLS[task.kind](answer, probe, namespace) for probe in task.probes}
    if all(_says_not_implemented(outcome) for outcome in outcomes.values()):
        return Evidence(task.id, "stub", answer_type=type_name(answer))
    closer = examining and run == AS_SEEN and outcome_digest_of(task.probes, outcomes) != task.expected_digest
    examined = examine(task, answer, namespace) if closer and task.closer.examined else None
    unsteady = examined is not None and examined.unsteady > 0
    return Evidence(
        task.id,
        "answered",
        outcomes=outcomes,
        answer_type=type_name(answer),
        globals_read=tuple(dict.fromkeys(name for function in own_code for name in globals_read(function))),
        forbidden=tuple(forbidden),
        examined=examined,
        trail=follow(task, answer, namespace, unsteady) if closer and task.closer.followed else None,
    )


def _learner_functions(task: Task, answer: Any) -> tuple[Any, ...]:
    """Return the functions of an answer that the learner writes."""
    if task.kind == "module":
        return tuple(vars(answer)[name] for name in ("forward",) if name in vars(answer))
    if task.kind == "class":
        members = (getattr(member, "__func__", member) for member in vars(answer).values())
        return tuple(member for member in members if isinstance(member, types.FunctionType))
    return (answer,)


def call(function: Callable[..., Any], probe: Probe, namespace: Mapping[str, Any] = EMPTY) -> Outcome:
    """Return the outcome of a learner's function on fresh copies of a probe's inputs.

    Output and warnings are discarded, the global random state is restored, and an exception becomes part of
    the outcome. Only KeyboardInterrupt is raised again, so that a learner can stop an endless loop.
    """
    try:
        with isolated_global_state():
            inputs = fresh(probe.inputs, namespace)
    except NeedsEarlier as missing:
        return Outcome(uncalled=missing.uncalled)
    keywords, mismatch = _keywords(function, inputs, probe)
    if mismatch is not None:
        return Outcome(uncalled=mismatch)
    if keywords != probe.keywords:
        probe = replace(probe, keywords=keywords)
    try:
        with isolated_global_state():
            before = {name: _parameter_names(value) for name, value in inputs.items()}
            result, changed = _put_to_use(function, inputs, probe)
            report = ModuleReport()
            if probe.then and probe.observe == RESULT:
                filled = {name: inputs[name] for name in changed if before[name]}
                others = [inputs[name] for name in before if before[name] and name not in filled]
                report = _report_of_filled(filled, before, others, result)
    except KeyboardInterrupt:
        raise
    except NotToBeCalled as given:
        return Outcome(type_name=given.type_name)
    except BaseException as error:
        # SystemExit and its like come from the learner's code here, and must not end their kernel.
        return Outcome(error=describe_error(error, function))
    return replace(observe(result, changed), module=report)


def call_module(
    module_class: Callable[..., Any],
    probe: Probe,
    namespace: Mapping[str, Any] = EMPTY,
    steady: bool = False,
) -> Outcome:
    """Return the outcome of a learner's module on a probe, with the probe's weights.

    Weights are loaded by parameter name, so the order in which a constructor creates them does not matter.
    The module is called a second time, to compare the two results, unless it is known to be `steady`.
    """
    keywords, mismatch = _keywords(module_class, probe.construct, probe)
    if mismatch is not None:
        return Outcome(uncalled=mismatch)
    arguments, by_name = split(probe.construct, keywords)
    forward = vars(module_class).get("forward", module_class)
    report = ModuleReport()
    dtype = getattr(torch, probe.dtype)
    try:
        with isolated_global_state():
            inputs = fresh(probe.inputs, namespace, dtype)
    except NeedsEarlier as missing:
        return Outcome(uncalled=missing.uncalled)
    try:
        with isolated_global_state():
            module = module_class(*arguments, **by_name)
            if not isinstance(module, torch.nn.Module):
                return Outcome(type_name=type_name(module))
            if probe.raises and not probe.inputs:
                return Outcome(type_name=type_name(module))  # it should have been refused when it was made
            report = load_weights(module, probe.weights)
            module.to(dtype)
            # By its own methods: a class may do something of its own there.
            if probe.train:
                module.train()
            else:
                module.eval()
            result, changed = _put_to_use(module, inputs, probe, lambda: module_class(*arguments, **by_name))
            if probe.observe == RESULT:
                if not (probe.train or steady):
                    again, _ = _put_to_use(module, inputs, probe)
                    report = replace(report, unsteady=not _same_result(result, again))
                report = _with_gradients(
                    report, module, result, lambda: _put_to_use(module, inputs, probe)[0]
                )
            draws_own_weights = not report.loadable and _draws_its_own(
                lambda: module_class(*arguments, **by_name), inputs, probe, result
            )
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Outcome(error=describe_error(error, forward), module=report)
    outcome = replace(observe(result, changed), module=report)
    return replace(outcome, tensor=None) if draws_own_weights else outcome


def _with_gradients(
    report: ModuleReport, module: torch.nn.Module, result: Any, again: Callable[[], Any]
) -> ModuleReport:
    """Return the report with the parameters that are frozen, and those used ones that no gradient reaches."""
    frozen = tuple(name for name, parameter in module.named_parameters() if not parameter.requires_grad)
    unreached = _unreached(module, result)
    if unreached:
        used = _parameters_used(module, unreached, result, again)
        unreached = tuple(name for name in unreached if name in used)
    return replace(report, unreached=unreached, frozen=frozen)


def call_class(factory: Callable[..., Any], probe: Probe, namespace: Mapping[str, Any] = EMPTY) -> Outcome:
    """Return the outcome of the method of a learner's class that a probe names.

    The method is called on an object, or on the class itself if the probe constructs no object.
    """
    keywords, mismatch = _keywords(factory, probe.construct, probe) if probe.construct else ((), None)
    if mismatch is not None:
        return Outcome(uncalled=mismatch)
    arguments, by_name = split(probe.construct, keywords)
    name = str(probe.settings["method"])
    try:
        with isolated_global_state():
            method = getattr(factory(*arguments, **by_name) if probe.construct else factory, name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Outcome(error=describe_error(error, vars(factory).get("__init__", factory)))
    outcome = call(method, probe, namespace)
    if outcome.uncalled is not None and outcome.uncalled.why == "arguments":
        return replace(outcome, uncalled=replace(outcome.uncalled, name=f".{name}{outcome.uncalled.name}"))
    return outcome


CALLS: dict[str, Callable[..., Outcome]] = {"function": call, "module": call_module, "class": call_class}


def _draws_its_own(make: Callable[[], Any], inputs: Mapping[str, Any], probe: Probe, result: Any) -> bool:
    """Tell if a module's result hangs on weights that could not be put in, so its numbers say nothing."""
    torch.default_generator.manual_seed(PROBE_SEED + 1)
    module = make()
    load_weights(module, probe.weights)
    module.to(getattr(torch, probe.dtype)).train(probe.train)
    again, _ = _put_to_use(module, inputs, probe)
    first, second = _as_tensor(result), _as_tensor(again)
    return first is None or second is None or not all_close(second, first)


def _put_to_use(
    answer: Callable[..., Any],
    inputs: Mapping[str, Any],
    probe: Probe,
    make: Callable[[], torch.nn.Module] | None = None,
) -> tuple[Any, tuple[str, ...]]:
    """Return what the probe's experiment yields, and the names of inputs that the answer changed."""
    calls: list[tuple[dict[str, Any], Mapping[str, Any]]] = []
    listed: list[tuple[str, list[Any], list[Any]]] = []  # each list that was given, and what it held
    results: list[Any] = []
    lists: Mapping[str, Any] = probe.settings.get("lists", {})
    before = {name: _state(value) for name, value in inputs.items() if isinstance(value, torch.nn.Module)}

    def called(values: Mapping[str, Any]) -> Any:
        given = {name: copy(value) for name, value in values.items()}
        calls.append((given, values))
        pieces: dict[str, Any] = {name: iter(given[name]) for name in probe.settings.get("once", ())}
        pieces |= {name: list(given[name].split(sizes, axis)) for name, (axis, sizes) in lists.items()}
        listed.extend((name, pieces[name], list(pieces[name])) for name in lists)
        arriving = probe.settings.get("arriving", ())
        pieces |= {name: _arriving(pieces.get(name, given[name])) for name in arriving}
        positional, keywords = split({**given, **pieces}, probe.keywords)
        result = answer(*positional, **keywords)
        if probe.settings.get("stacked"):
            result = _stacked(result)
        if probe.observe != RESULT and isinstance(result, tuple) and result:
            result = result[0]  # what it does is looked at; that there are several is told by the plain call
        if probe.then and _is_no_use(result, probe.then):
            raise NotToBeCalled(result)
        if probe.then and callable(result):
            if isinstance(result, torch.nn.Module) and probe.settings.get("mode") != "as left":
                result.train(probe.settings.get("mode") == "training")
            result = result(*(copy(value) for value in probe.then.values()))
        results.append(result)
        return result

    module = answer if isinstance(answer, torch.nn.Module) else None
    subject = Subject(called, inputs, module, make, getattr(answer, "__self__", None))
    if probe.observe == RESULT:
        result = called(inputs)
    elif probe.hidden and (raw := EXPERIMENTS[probe.observe].raw):
        result = raw(subject, probe.settings)
    else:
        result = EXPERIMENTS[probe.observe].run(subject, probe.settings)
        if probe.hidden:
            result = _with_numbers(result, results or [called(inputs)])
    changed = tuple(
        name
        for name in inputs
        if any(not _unchanged(given[name], values[name]) for given, values in calls)
        or (name in before and not _same_state(_state(inputs[name]), before[name]))
        or any(name == which and list(map(id, held)) != list(map(id, first)) for which, held, first in listed)
    )
    return result, changed


def _arriving(pieces: Iterable[Any]) -> Iterator[Any]:
    """Yield pieces one by one, as from a buffer that the next one overwrites."""
    for piece in pieces:
        buffer = copy(piece)
        yield buffer
        if isinstance(buffer, Tensor):
            with torch.no_grad():
                buffer.zero_()


def _is_no_use(result: Any, values: Mapping[str, Any]) -> bool:
    """Tell whether a tensor stands where something to be called should, or a method that was not called."""
    if isinstance(result, Tensor):
        return True
    if not isinstance(result, types.MethodType):
        return False
    return bool(_misfit(inspect.signature(result), list(values.values()), {}))


def _with_numbers(seen: Any, results: Sequence[Any]) -> Any:
    """Return what an experiment saw, with the numbers it saw that by: these cannot be guessed."""
    parts = [_as_tensor(value) for value in (seen, *results)]
    if any(part is None or part.is_complex() or part.device.type != "cpu" for part in parts):
        return seen
    return torch.cat([part.float().flatten() for part in parts if part is not None])


def _stacked(results: Any) -> Any:
    """Several tensors of one shape as one; anything else as it is."""
    several = isinstance(results, tuple | list) and all(isinstance(result, Tensor) for result in results)
    return (
        torch.stack(tuple(results)) if several and len({result.shape for result in results}) == 1 else results
    )


def _state(module: torch.nn.Module) -> dict[str, tuple[Tensor, bool]]:
    """Return a module's numbers, which of them are trained, and how many hooks hang on each of its parts."""
    values = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    state = {name: (value.detach().clone(), value.requires_grad) for name, value in values.items()}
    return {**state, "": (torch.tensor(hooks_in(module)), False)}


def _same_state(state: Mapping[str, tuple[Tensor, bool]], other: Mapping[str, tuple[Tensor, bool]]) -> bool:
    return state.keys() == other.keys() and all(
        trained == other[name][1] and _unchanged(value, other[name][0])
        for name, (value, trained) in state.items()
    )


def _parameter_names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, torch.nn.Module):
        return ()
    # One parameter may stand under several names: weights that are tied.
    return tuple(name for name, _ in value.named_parameters(remove_duplicate=False))


def _report_of_filled(
    modules: Mapping[str, torch.nn.Module],
    before: Mapping[str, tuple[str, ...]],
    others: Sequence[torch.nn.Module],
    result: Any,
) -> ModuleReport:
    """Return what became of the parameters of modules that an answer changed, and that `result` came from."""
    theirs = {parameter.untyped_storage().data_ptr() for other in others for parameter in other.parameters()}
    now = {name: _parameter_names(module) for name, module in modules.items()}
    parameters = [pair for module in modules.values() for pair in module.named_parameters()]
    return ModuleReport(
        missing=tuple(
            parameter for name in modules for parameter in before[name] if parameter not in now[name]
        ),
        unexpected=tuple(
            parameter for name in modules for parameter in now[name] if parameter not in before[name]
        ),
        unreached=tuple(parameter for module in modules.values() for parameter in _unreached(module, result)),
        frozen=tuple(name for name, parameter in parameters if not parameter.requires_grad),
        shared=tuple(
            name for name, parameter in parameters if parameter.untyped_storage().data_ptr() in theirs
        ),
    )


def _unreached(module: torch.nn.Module, result: Any) -> tuple[str, ...]:
    """Parameters that no gradient reaches from the result, frozen ones among them."""
    if not isinstance(result, Tensor) or not result.is_floating_point():
        return ()
    parameters = dict(module.named_parameters())
    frozen = tuple(name for name, parameter in parameters.items() if not parameter.requires_grad)
    wanted = {name: parameter for name, parameter in parameters.items() if parameter.requires_grad}
    if not result.requires_grad:
        return tuple(parameters)
    # Most modules train all that they hold. To see that in the graph takes a tenth of the time.
    leaves = {id(leaf) for leaf in _leaves(result)}
    if all(id(parameter) in leaves for parameter in wanted.values()):
        return frozen
    # Squares, because a plain sum has no gradient where outputs always add up to the same.
    try:
        gradients = torch.autograd.grad(result.square().sum(), list(wanted.values()), allow_unused=True)
    except RuntimeError:
        # An input edited in place, say: that is found by looking at the input, and this step is ours.
        return frozen
    return frozen + tuple(name for name, gradient in zip(wanted, gradients, strict=True) if gradient is None)


def _leaves(result: Tensor) -> Iterator[Tensor]:
    """Yield the tensors that a result was computed from, as torch wrote it down for gradients."""
    if result.grad_fn is None:
        yield result
    waiting, seen = [result.grad_fn], set()
    while waiting:
        step = waiting.pop()
        if step is None or step in seen:
            continue
        seen.add(step)
        if hasattr(step, "variable"):
            yield step.variable
        waiting += [earlier for earlier, _ in step.next_functions]


def _parameters_used(
    module: torch.nn.Module, names: Sequence[str], result: Any, again: Callable[[], Any]
) -> frozenset[str]:
    """Return those of some parameters that the result depends on: to the others, no gradient could come."""
    parameters = dict(module.named_parameters())
    used = set()
    for name in names:
        original = parameters[name].detach().clone()
        with torch.no_grad():
            parameters[name].add_(
                torch.linspace(0.5, 1.5, original.numel()).reshape(original.shape).to(original.dtype)
            )
        if not _same_result(result, again()):
            used.add(name)
        with torch.no_grad():
            parameters[name].copy_(original)
    return frozenset(used)


def _same_result(result: Any, again: Any) -> bool:
    first, second = _as_tensor(result), _as_tensor(again)
    if first is None or second is None:
        return True
    return _unchanged(second, first)


def observe(value: Any, changed_inputs: tuple[str, ...] = ()) -> Outcome:
    """Return the outcome for a returned value: the name of its type, and its numbers if it has any."""
    name = type_name(value)
    # The first of several results may be the one that is asked for; that there are several is told by the
    # type.
    first = isinstance(value, tuple) and value and isinstance(value[0], Tensor)
    tensor = _as_tensor(value[0] if first else value)
    if tensor is None:
        return Outcome(type_name=name, changed_inputs=changed_inputs)
    carried: Tensor | None = None
    small = tensor.numel() <= MAX_ELEMENTS and tensor.dim() <= MAX_AXES
    if small and tensor.device.type != "meta" and tensor.dtype in CARRIED:
        carried = tensor.to("cpu", copy=True).contiguous()
    shape, dtype, device = tuple(tensor.shape[:MAX_ITEMS]), dtype_name(tensor.dtype), str(tensor.device)
    return Outcome(name, carried, shape, dtype, device, None, changed_inputs)


def type_name(value: Any) -> str:
    """Return a value's type as learners know it, such as "torch.Tensor", "numpy.ndarray" or "list"."""
    if isinstance(value, Tensor):
        with without_subclasses():
            layout = getattr(value, "layout", torch.strided)  # some objects only pretend to be tensors
        # What is not strided does not work with most of what tensors are for.
        return "torch.Tensor" if layout is torch.strided else "sparse tensor"
    kind = type(value)
    module = str(kind.__module__)
    if module in ("builtins", "__main__"):
        return kind.__name__
    if module == "torch.return_types":
        return f"torch.return_types.{kind.__name__}"
    return f"{module.split('.')[0]}.{kind.__name__}"


def nearest_names(name: str, namespace: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the defined names that are most similar to a missing one, the most similar first."""
    names = [
        other
        for other, value in namespace.items()
        if not other.startswith("_")
        and not isinstance(value, types.ModuleType)
        and other not in ("In", "Out")
    ]
    lowered = {other.lower(): other for other in names}
    close = difflib.get_close_matches(name.lower(), lowered, n=2, cutoff=0.75)
    words = set(name.lower().split("_"))
    # `dot_product` for `dot` and `stable_softmax` for `softmax_stable` look unlike, letter by letter.
    related = [other for other in lowered if _same_words(words, set(other.split("_")))]
    return tuple(lowered[other] for other in dict.fromkeys([*close, *related]))[:2]


def _same_words(words: set[str], other: set[str]) -> bool:
    """Tell whether two names consist of the same words, or one of all the other's words and one more."""
    return (words <= other or other <= words) and len(words ^ other) <= 1


def changed_givens(givens: Mapping[str, Value], namespace: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the lesson's example data whose values the notebook has changed."""
    return tuple(
        name
        for name, value in givens.items()
        if isinstance(value, Tensor) and not _holds(namespace.get(name), value)
    )


def _holds(value: Any, given: Tensor) -> bool:
    """Tell whether a given is unchanged, up to the last bits: these differ between processors."""
    plain = _as_tensor(value) if isinstance(value, Tensor) else None
    if plain is None or plain.dtype != given.dtype or plain.device.type == "meta":
        return False
    return all_close(plain.cpu(), given)


def _default_dtype(changed: Mapping[str, Value], namespace: Mapping[str, Any]) -> OtherDtype:
    """Return the notebook's default dtype, where example data has changed in nothing else than that."""
    default = torch.get_default_dtype()
    if not changed or default == torch.float32:
        return ""
    for name, given in changed.items():
        plain = _as_tensor(namespace.get(name))
        if plain is None or not isinstance(given, Tensor):
            return ""
        if (given.dtype, plain.dtype) != (torch.float32, default) or not _holds(plain.float(), given):
            return ""
    return cast(OtherDtype, dtype_name(default))


def _says_not_implemented(outcome: Outcome) -> bool:
    """Tell whether the learner's own line raises NotImplementedError, as torch does at times."""
    error = outcome.error
    return error is not None and error.type == "NotImplementedError" and error.line.startswith("raise")


def _unchanged(value: Any, before: Any) -> bool:
    if not isinstance(before, Tensor):
        return bool(value is before or value == before)
    if not isinstance(value, Tensor) or value.shape != before.shape or value.dtype != before.dtype:
        return False
    plain = _as_tensor(value)
    if plain is None or plain.device != before.device:
        return False
    with torch.no_grad():
        if torch.equal(plain, before):  # four times as fast, for a thousand calls
            return True
        same = (plain == before) | (plain.isnan() & before.isnan())
    return bool(same.all())


def _as_tensor(value: Any) -> Tensor | None:
    """Return a value as a plain strided tensor, or None where it is no such thing or cannot be read."""
    try:
        if isinstance(value, Tensor):
            # A subclass may answer every question as it likes; look past it at the numbers that it holds.
            with without_subclasses():
                plain = Tensor.detach(value)
                if plain.layout is not torch.strided:
                    plain = Tensor.to_dense(plain)
                return None if plain.is_nested else Tensor.as_subclass(plain, Tensor)
        if isinstance(value, bool | np.bool_):
            return torch.tensor(bool(value))
        if isinstance(value, int | float | complex):
            return torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else None)
        if isinstance(value, np.ndarray | np.generic):
            return torch.from_numpy(np.array(value))
    except Exception:
        # Numbers too large, exotic layouts, objects that only pretend to be tensors.
        return None
    return None


def _keywords(
    function: Callable[..., Any], arguments: Mapping[str, Any], probe: Probe
) -> tuple[tuple[str, ...], Uncalled | None]:
    """Return the arguments to pass by name, and the misfit with the signature.

    All are passed by name where the answer takes them by name only. What does not fit is told apart here from
    a TypeError inside the learner's code.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return probe.keywords, None  # builtins without a signature: calling them is the only way to know
    problem = _misfit(signature, *split(arguments, probe.keywords))
    if problem and not _misfit(signature, [], arguments):
        return tuple(arguments), None
    mismatch = Uncalled("arguments", str(signature), problem) if problem else None
    return probe.keywords, mismatch


def _misfit(signature: inspect.Signature, positional: Sequence[Any], keywords: Mapping[str, Any]) -> str:
    """Return the misfit of arguments with a signature; "" if they fit."""
    try:
        signature.bind(*positional, **keywords)
    except TypeError as error:
        return str(error)
    return ""
