"""What came of running an answer: plain data, the only thing that passes from `collect` to `judge`.

An `Outcome` is what one call yielded. `Evidence` is everything seen of one answer. Both travel as JSON
plus tensors, never as pickles, so that a judge in another process can read them without running anything.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from autograder.codec import Tensor

# More than this in one answer is not carried: no task of the course asks for a tensor near this size, and
# evidence has to stay small enough to pass through a notebook's output.
MAX_ELEMENTS = 100_000
MAX_TEXT = 2_000
MAX_ITEMS = 64  # names, calls, or axes of a tensor

Status = Literal["answered", "missing", "stub", "not-callable", "not-run", "fault"]


@dataclass(frozen=True)
class ErrorReport:
    """An exception, told from the learner's side of the call.

    `line` and `line_number` are the deepest line of the learner's own code, not of ours or a library's;
    `line_number` is None where the call never reached their code. `meant` is what a name that is not defined
    probably means, as "self.weight". `bases` are the names of its class's base classes.
    """

    type: str
    message: str
    line: str = ""
    line_number: int | None = None
    function: str = ""
    meant: str = ""
    bases: tuple[str, ...] = ()

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
        """Tell whether the probe's weights could be put into the module."""
        return not (self.missing or self.unexpected or self.reshaped)


@dataclass(frozen=True)
class Outcome:
    """What one call returned or raised.

    `tensor` is a detached CPU copy of the returned value, of any shape; a plain number is carried as a
    tensor without axes. It is None where nothing was returned that can be compared. `shape` and `dtype`
    are those of the tensor, or of what the learner made where that was too large to carry. `module` is what
    was seen of a module beside its result. `uncalled` says why there was no call.
    """

    type_name: str = "NoneType"
    tensor: Tensor | None = None
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    device: str = "cpu"
    error: ErrorReport | None = None
    changed_inputs: tuple[str, ...] = ()
    module: ModuleReport = ModuleReport()
    uncalled: Uncalled | None = None

    def __post_init__(self) -> None:
        if self.tensor is not None:
            # What is said of a tensor must not differ from what it is, or one shape could pass for another.
            object.__setattr__(self, "shape", tuple(self.tensor.shape))
            object.__setattr__(self, "dtype", str(self.tensor.dtype).removeprefix("torch."))


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
    """Tell whether slices of the result depend on slices of an input along axes of one name.

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
