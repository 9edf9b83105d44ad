"""What came of running an answer: plain data, the only thing that passes from `collect` to `judge`.

An `Outcome` is what one call yielded. `Evidence` is everything seen of one answer. Both travel as JSON
plus tensors, never as pickles, so that a judge in another process can read them without running anything.
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
    """What a name stood for in the expression that raised an error: a tensor, or a plain value as text."""

    name: str
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    value: str = ""


@dataclass(frozen=True)
class ErrorReport:
    """An exception, told from the learner's side of the call."""

    type: str
    message: str
    line: str = ""  # the deepest one of the learner's own code, not of ours or a library's
    line_number: int | None = None  # None where the call never reached their code
    function: str = ""
    # What a name that is not there probably means, as "self.weight"; "self" where a method lacks it.
    meant: str = ""
    bases: tuple[str, ...] = ()  # names of its class's base classes
    operands: tuple[Operand, ...] = ()  # in the expression that failed
    called: str = ""  # what that line calls, if the error comes from a line in there

    def is_one_of(self, names: Collection[str]) -> bool:
        """Tell whether `except` with these names would catch it."""
        return not {self.type, *self.bases}.isdisjoint(names)


@dataclass(frozen=True)
class Uncalled:
    """Why an answer was not called.

    Either it takes other `arguments` than the task names, and `name` is its signature; or an input is to be
    made of a class of an `earlier` task, and `name` is that class.
    """

    why: Literal["arguments", "earlier"]
    name: str
    reason: str


@dataclass(frozen=True)
class Reshaped:
    """A parameter that has another shape than it should."""

    name: str
    obtained: tuple[int, ...]
    expected: tuple[int, ...]


@dataclass(frozen=True)
class ModuleReport:
    """What was seen of a module beside what it returned; empty where nothing is wrong, or for a function."""

    missing: tuple[str, ...] = ()  # names of parameters, as in the next ones
    unexpected: tuple[str, ...] = ()
    reshaped: tuple[Reshaped, ...] = ()
    unreached: tuple[str, ...] = ()  # those that no gradient reaches
    frozen: tuple[str, ...] = ()  # those that ask for none
    shared: tuple[str, ...] = ()  # those that share their memory with another module's
    unsteady: bool = False  # two calls in eval mode gave different results

    @property
    def loadable(self) -> bool:
        """Tell whether the probe's weights could be put into the module."""
        return not (self.missing or self.unexpected or self.reshaped)


@dataclass(frozen=True)
class Outcome:
    """What one call returned or raised."""

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
    uncalled: Uncalled | None = None  # why there was no call

    def __post_init__(self) -> None:
        if self.tensor is not None:
            # What is said of a tensor must not differ from what it is, or one shape could pass for another.
            object.__setattr__(self, "shape", tuple(self.tensor.shape))
            object.__setattr__(self, "dtype", dtype_name(self.tensor.dtype))


@dataclass(frozen=True)
class ForbiddenCall:
    """A call that the task forbids."""

    name: str  # as one would write it
    family: str
    line: str = ""  # of the learner's own code, as in `ErrorReport`
    line_number: int | None = None
    function: str = ""  # what stands around it


@dataclass(frozen=True)
class Influence:
    """Whether slices of the result depend on slices of an input along axes of one name."""

    input: str
    along: str  # the input's axis, as its author names it
    axis: str  # the result's
    moved: tuple[tuple[int, ...], ...]  # for each slice of the input, those of the result that change with it


@dataclass(frozen=True)
class Examination:
    """What general experiments show of any answer, right or wrong; it earns nothing."""

    probe: str
    idle: tuple[str, ...] = ()  # arguments and parameters that can change without any effect on the result
    influences: tuple[Influence, ...] = ()
    # Of two calls with the same input: the share of entries that differ, and by how much at most. Where any
    # does, nothing else was tried.
    unsteady: float = 0.0
    apart: float = 0.0


@dataclass(frozen=True)
class Step:
    """A tensor that an answer makes on its way."""

    name: str  # what the learner's code calls it; "" where it gives no name
    line_number: int
    function: (
        str  # around that line: the answer, or the `forward` of a module that it calls; a helper's caller
    )
    fingerprints: tuple[Fingerprint, ...]  # one for each time that the line made it
    row: tuple[float, ...] = ()  # how its last row begins, where all its numbers are finite
    sources: tuple[int, ...] = ()  # places of the steps that it is made from, directly or not


@dataclass(frozen=True)
class Trail:
    """The steps that an answer takes on one probe, in order; it earns nothing."""

    probe: str
    steps: tuple[Step, ...] = ()
    looped: bool = False  # whether a line made tensors more than once
    # Of an answer that does not give the same twice: the first line that makes another tensor in a second
    # call, and the tensor's name, if the line gives it one.
    other_line: int | None = None
    other_name: str = ""


@dataclass(frozen=True)
class Evidence:
    """All that was recorded of one answer, for one set of givens: the variables that its notebook defines."""

    task: str
    status: Status
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)  # by the probe's id
    nearest: tuple[str, ...] = ()  # defined names that look like the one asked for
    answer_type: str = ""
    changed_givens: tuple[str, ...] = ()  # example data that no longer holds what the lesson put there
    default_dtype: OtherDtype = ""  # that of the notebook, where it is all that changed that data
    globals_read: tuple[str, ...] = ()  # the notebook's data that a function reads besides its arguments
    note: str = ""
    forbidden: tuple[ForbiddenCall, ...] = ()  # seen while the answer ran
    examined: Examination | None = None
    trail: Trail | None = None
    error: ErrorReport | None = None  # what stopped the cell that should make a missing answer


def dtype_name(dtype: torch.dtype) -> str:
    """`torch.float32` as "float32"."""
    return str(dtype).removeprefix("torch.")
