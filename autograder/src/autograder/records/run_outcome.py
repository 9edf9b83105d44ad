"""The outcomes of calling an answer, as plain data: the only thing that passes from `probe` to `judge`.

An `Outcome` is the result of one call. `Evidence` is everything recorded about one answer. Both are sent as
JSON plus tensors, never as pickles, so that a judge in another process can read them without running any
code.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from autograder.records.serialization import Tensor
from autograder.records.tensor_fingerprint import Fingerprint

if TYPE_CHECKING:
    import torch

# More than this in one answer is not carried: no task of the course asks for a tensor near this size, and
# evidence has to stay small enough to pass through a notebook's output.
MAX_ELEMENTS = 100_000
MAX_TEXT = 2_000
MAX_ITEMS = 64  # names, calls, outcomes, or sides of a tensor that is not carried
MAX_AXES = 16  # of a tensor that is carried

Status = Literal["answered", "missing", "stub", "not-callable", "not-run", "fault"]
OtherDtype = Literal[
    "", "float64", "float16", "bfloat16"
]  # what `torch.set_default_dtype` takes beside float32


@dataclass(frozen=True)
class Operand:
    """The value of a name in the expression that raised an error: a tensor's shape, or a plain value."""

    name: str
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    value: str = ""


@dataclass(frozen=True)
class ErrorReport:
    """An exception, described by the learner's own line of code."""

    type: str
    message: str
    line: str = ""  # the deepest line of the learner's own code
    line_number: int | None = None  # None if the call never reached their code
    function: str = ""
    # The probable meaning of a missing name, as "self.weight"; "self" if the method lacks that parameter.
    meant: str = ""
    bases: tuple[str, ...] = ()  # names of its class's base classes
    operands: tuple[Operand, ...] = ()  # the operands of the expression that failed
    called: str = ""  # the function called on that line, if the error comes from a line in it

    def is_one_of(self, names: Collection[str]) -> bool:
        """Tell whether an `except` clause with these class names would catch the exception."""
        return not {self.type, *self.bases}.isdisjoint(names)


@dataclass(frozen=True)
class Uncalled:
    """The reason why an answer was not called.

    With "arguments", its parameters are not those of the task, and `name` is its signature. With "earlier",
    an input needs a class from an earlier task, and `name` is that class.
    """

    why: Literal["arguments", "earlier"]
    name: str
    reason: str


@dataclass(frozen=True)
class Reshaped:
    """A parameter whose shape is not the expected one."""

    name: str
    obtained: tuple[int, ...]
    expected: tuple[int, ...]


@dataclass(frozen=True)
class ModuleReport:
    """Observations of a module beside its result; empty if nothing is wrong, and for functions."""

    missing: tuple[str, ...] = ()  # parameter names, as in the next ones
    unexpected: tuple[str, ...] = ()
    reshaped: tuple[Reshaped, ...] = ()
    unreached: tuple[str, ...] = ()  # parameters that no gradient reaches
    frozen: tuple[str, ...] = ()  # parameters that require no gradient
    shared: tuple[str, ...] = ()  # parameters that share their memory with another module's
    unsteady: bool = False  # whether two calls in eval mode gave different results

    @property
    def loadable(self) -> bool:
        """Whether all of the probe's weights fit the module's parameters."""
        return not (self.missing or self.unexpected or self.reshaped)


@dataclass(frozen=True)
class Outcome:
    """The result of one call of an answer: a returned value or an exception."""

    type_name: str = "NoneType"
    # A detached CPU copy of the returned value, of any shape; of a plain number, a tensor without axes. None
    # where nothing was returned that can be compared.
    tensor: Tensor | None = None
    # Those of the tensor, or of what the learner made where that was too large to carry.
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    device: str = "cpu"
    error: ErrorReport | None = None
    changed_inputs: tuple[str, ...] = ()
    module: ModuleReport = ModuleReport()
    uncalled: Uncalled | None = None  # the reason why there was no call

    def __post_init__(self) -> None:
        if self.tensor is not None:
            # What is said of a tensor must not differ from what it is, or one shape could pass for another.
            object.__setattr__(self, "shape", tuple(self.tensor.shape))
            object.__setattr__(self, "dtype", dtype_name(self.tensor.dtype))


@dataclass(frozen=True)
class ForbiddenCall:
    """A call that the task forbids."""

    name: str  # its usual notation
    family: str
    line: str = ""  # the line of the learner's own code, as in `ErrorReport`
    line_number: int | None = None
    function: str = ""  # the function around it


@dataclass(frozen=True)
class Influence:
    """The slices of a result that depend on each slice of an input, along two axes of the same name."""

    input: str
    along: str  # the input's axis, as its author names it
    axis: str  # the result's axis
    moved: tuple[tuple[int, ...], ...]  # for each slice of the input, the result's slices that change with it


@dataclass(frozen=True)
class Examination:
    """The results of general experiments on an answer, right or wrong; they earn nothing."""

    probe: str
    idle: tuple[str, ...] = ()  # arguments and parameters that can change without any effect on the result
    influences: tuple[Influence, ...] = ()
    # Of two calls with the same input: the share of entries that differ, and by how much at most. Where any
    # does, nothing else was tried.
    unsteady: float = 0.0
    apart: float = 0.0
    # Arguments and parameters of which other values stop the answer, and none changes the result.
    refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """A tensor that an answer makes before its result."""

    name: str  # its name in the learner's code; "" for none
    line_number: int
    function: (
        str  # around that line: the answer, or the `forward` of a module that it calls; a helper's caller
    )
    fingerprints: tuple[Fingerprint, ...]  # one for each time that the line made it


@dataclass(frozen=True)
class Trail:
    """The tensors that an answer makes on one probe, in order; they earn nothing."""

    probe: str
    steps: tuple[Step, ...] = ()
    looped: bool = False  # whether a line made tensors more than once
    # Of an answer that does not give the same twice: the first line that makes another tensor in a second
    # call, and the tensor's name, if the line gives it one.
    other_line: int | None = None
    other_name: str = ""


@dataclass(frozen=True)
class Evidence:
    """Everything recorded about one answer, in a notebook that ran with one set of givens (example data)."""

    task: str
    status: Status
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)  # by probe id
    nearest: tuple[str, ...] = ()  # defined names that are similar to the missing one
    answer_type: str = ""
    changed_givens: tuple[str, ...] = ()  # example data that differs from the lesson's
    default_dtype: OtherDtype = ""  # the notebook's default dtype, if that is all that changed the data
    globals_read: tuple[str, ...] = ()  # the notebook's data that a function reads besides its arguments
    note: str = ""
    forbidden: tuple[ForbiddenCall, ...] = ()  # seen while the answer ran
    examined: Examination | None = None
    trail: Trail | None = None
    error: ErrorReport | None = None  # the error that stopped the cell of a missing answer


def dtype_name(dtype: torch.dtype) -> str:
    """Return a dtype's name without its prefix, such as "float32" for `torch.float32`."""
    return str(dtype).removeprefix("torch.")
