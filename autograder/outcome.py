"""What came of running an answer: plain data, the only thing that passes from `collect` to `judge`.

An `Outcome` is what one call yielded. `Evidence` is everything seen of one answer. Both travel as JSON
plus tensors, never as pickles, so that a judge in another process can read them without running anything.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from torch import Tensor

# More than this in one answer is not carried: no task of the course asks for a tensor near this size, and
# evidence has to stay small enough to pass through a notebook's output.
MAX_ELEMENTS = 100_000
MAX_TEXT = 2_000
MAX_AXES = 64

Status = Literal["answered", "missing", "stub", "not-callable", "not-run", "fault"]


@dataclass(frozen=True)
class ErrorReport:
    """An exception, told from the learner's side of the call.

    `line` and `line_number` are the deepest line of the learner's own code, not of ours or a library's;
    `line_number` is None where the call never reached their code. `meant` is what a name that is not defined
    probably means, as "self.W_query". `bases` are the names of its class's base classes.
    """

    type: str
    message: str
    line: str = ""
    line_number: int | None = None
    function: str = ""
    meant: str = ""
    bases: tuple[str, ...] = ()

    def is_one_of(self, names: Collection[str]) -> bool:
        """Whether `except` with these names would catch it."""
        return not {self.type, *self.bases}.isdisjoint(names)


@dataclass(frozen=True)
class Reshaped:
    """A parameter that has another shape than it should."""

    name: str
    obtained: tuple[int, ...]
    expected: tuple[int, ...]


@dataclass(frozen=True)
class ModuleReport:
    """What was seen of a module beside what it returned; all empty where nothing is wrong, or for a function.

    `missing` and `unexpected` are names of parameters, `unreached` are parameters that no gradient reaches,
    `frozen` are those that ask for none,
    `shared` are parameters that share their memory with another module's, and `unsteady` means that two calls
    in eval mode gave different results.
    """

    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    reshaped: tuple[Reshaped, ...] = ()
    unreached: tuple[str, ...] = ()
    frozen: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    unsteady: bool = False

    @property
    def loadable(self) -> bool:
        """Whether the probe's weights could be put into the module."""
        return not (self.missing or self.unexpected or self.reshaped)


@dataclass(frozen=True)
class Outcome:
    """What one call returned or raised.

    `tensor` is a detached CPU copy of the returned value, of any shape; a plain number is carried as a
    tensor without axes. It is None where nothing was returned that can be compared. `shape` and `dtype`
    are those of what the learner made, also where the tensor itself was too large to carry. `module` is what
    was seen of a module beside its result.
    """

    type_name: str = "NoneType"
    tensor: Tensor | None = None
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    device: str = "cpu"
    error: ErrorReport | None = None
    changed_inputs: tuple[str, ...] = ()
    module: ModuleReport = ModuleReport()

    @property
    def raised(self) -> bool:
        return self.error is not None


@dataclass(frozen=True)
class ForbiddenCall:
    """A call that the task forbids: its name as one would write it, and the family that it belongs to.

    `line` and `line_number` are those of the learner's own code, as in `ErrorReport`; `function` is what
    stands around it.
    """

    name: str
    family: str
    line: str = ""
    line_number: int | None = None
    function: str = ""


@dataclass(frozen=True)
class Influence:
    """Whether slices of the result depend on slices of an input along axes of one name.

    `moved` holds, for each slice of the input, the slices of the result that change with it.
    """

    input: str
    axis: str
    moved: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Examination:
    """What general experiments show of any answer, right or wrong; it earns nothing.

    `idle` are arguments and parameters that can change without any effect on the result.
    """

    probe: str
    idle: tuple[str, ...] = ()
    influences: tuple[Influence, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """Everything seen of one answer, under one set of givens.

    `outcomes` maps a probe's id to what the answer did with it. `nearest` are defined names that look like
    the one asked for. `changed_givens` are names of the lesson's example data that no longer hold what the
    lesson put there. `globals_read` are the notebook's data that a function reads besides its arguments.
    `forbidden` are calls that the task forbids and that were seen while the answer ran. `examined` is what
    general experiments showed of it. `error` is what stopped the cell that should make a missing answer.
    """

    task: str
    status: Status
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    nearest: tuple[str, ...] = ()
    answer_type: str = ""
    changed_givens: tuple[str, ...] = ()
    globals_read: tuple[str, ...] = ()
    note: str = ""
    forbidden: tuple[ForbiddenCall, ...] = ()
    examined: Examination | None = None
    error: ErrorReport | None = None


def to_plain(evidence: Evidence) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Split evidence into JSON-ready data and the tensors it names."""
    tensors: dict[str, Tensor] = {}
    outcomes: dict[str, Any] = {}
    for probe, outcome in evidence.outcomes.items():
        entry = asdict(replace(outcome, tensor=None))
        del entry["tensor"]
        if outcome.tensor is not None:
            key = f"{evidence.task}/{probe}"
            tensors[key] = outcome.tensor
            entry["tensor_key"] = key
        outcomes[probe] = entry
    plain = asdict(replace(evidence, outcomes={}))
    plain["outcomes"] = outcomes
    return plain, tensors


def from_plain(plain: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Evidence:
    """Rebuild evidence that `to_plain` split.

    Raises:
        ValueError: the data does not have the form that `to_plain` gives it.
    """
    try:
        outcomes = {}
        for probe, entry in dict(plain["outcomes"]).items():
            tensor = tensors.get(entry.get("tensor_key", ""))
            # What is said of a tensor must not differ from what it is, or one shape could pass for another.
            shape = entry.get("shape") if tensor is None else tensor.shape
            if shape is not None and len(shape) > MAX_AXES:
                raise ValueError(f"a tensor of {len(shape)} axes")
            dtype = entry["dtype"] if tensor is None else str(tensor.dtype).removeprefix("torch.")
            outcomes[str(probe)] = Outcome(
                type_name=str(entry["type_name"])[:MAX_TEXT],
                tensor=tensor,
                shape=None if shape is None else tuple(int(size) for size in shape),
                dtype=str(dtype),
                device=str(entry["device"]),
                error=_error_from_plain(entry.get("error")),
                changed_inputs=_names(entry["changed_inputs"]),
                module=module_from_plain(entry["module"]),
            )
        status = plain["status"]
        if status not in get_args(Status):
            raise ValueError(f"unknown status {status!r}")
        return Evidence(
            task=str(plain["task"]),
            status=status,
            outcomes=outcomes,
            nearest=_names(plain["nearest"]),
            answer_type=str(plain["answer_type"])[:MAX_TEXT],
            changed_givens=_names(plain["changed_givens"]),
            globals_read=_names(plain["globals_read"]),
            note=str(plain["note"])[:MAX_TEXT],
            forbidden=tuple(_call_from_plain(call) for call in list(plain["forbidden"])[:50]),
            examined=examination_from_plain(plain["examined"]),
            error=_error_from_plain(plain["error"]),
        )
    except (KeyError, TypeError, AttributeError, OverflowError) as problem:
        raise ValueError(f"evidence is not in the expected form: {problem!r}") from problem


def _error_from_plain(error: Mapping[str, Any] | None) -> ErrorReport | None:
    if error is None:
        return None
    number = error["line_number"]
    return ErrorReport(
        type=str(error["type"])[:MAX_TEXT],
        message=str(error["message"])[:MAX_TEXT],
        line=str(error["line"])[:MAX_TEXT],
        line_number=None if number is None else int(number),
        function=str(error["function"])[:MAX_TEXT],
        meant=str(error["meant"])[:MAX_TEXT],
        bases=_names(error["bases"]),
    )


def _call_from_plain(call: Mapping[str, Any]) -> ForbiddenCall:
    number = call["line_number"]
    return ForbiddenCall(
        name=str(call["name"])[:MAX_TEXT],
        family=str(call["family"])[:MAX_TEXT],
        line=str(call["line"])[:MAX_TEXT],
        line_number=None if number is None else int(number),
        function=str(call["function"])[:MAX_TEXT],
    )


def examination_from_plain(plain: Mapping[str, Any] | None) -> Examination | None:
    """Rebuild an examination from the form that `asdict` gives it, cut to a bounded size."""
    if plain is None:
        return None
    return Examination(
        probe=str(plain["probe"])[:MAX_TEXT],
        idle=_names(plain["idle"]),
        influences=tuple(
            Influence(
                str(one["input"])[:MAX_TEXT],
                str(one["axis"])[:MAX_TEXT],
                tuple(_sizes(slices) for slices in list(one["moved"])[:MAX_AXES]),
            )
            for one in list(plain["influences"])[:50]
        ),
    )


def _sizes(values: Any) -> tuple[int, ...]:
    return tuple(int(value) for value in list(values)[:MAX_AXES])


def module_from_plain(plain: Mapping[str, Any]) -> ModuleReport:
    """Rebuild a report on a module from the form that `asdict` gives it."""
    return ModuleReport(
        missing=_names(plain["missing"]),
        unexpected=_names(plain["unexpected"]),
        reshaped=tuple(
            Reshaped(str(one["name"])[:MAX_TEXT], _sizes(one["obtained"]), _sizes(one["expected"]))
            for one in list(plain["reshaped"])[:50]
        ),
        unreached=_names(plain["unreached"]),
        frozen=_names(plain["frozen"]),
        shared=_names(plain["shared"]),
        unsteady=bool(plain["unsteady"]),
    )


def _names(values: Any) -> tuple[str, ...]:
    return tuple(str(value)[:MAX_TEXT] for value in list(values)[:50])
