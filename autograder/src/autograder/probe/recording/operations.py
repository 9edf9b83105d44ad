"""The data of a recording: operations with the shapes of their tensors, but never the tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from autograder.probe.recording.source_locations import SourceLocation

Shape = tuple[int, ...]
NEW, COPY, VIEW, SAME, IN_PLACE = "new", "copy", "view", "same", "in place"


@dataclass(frozen=True)
class Operand:
    """An input tensor of an operation; `maker` is the number of the operation that made it, or None."""

    name: str
    shape: Shape
    maker: int | None = None
    part: int = 0


@dataclass
class Result:
    """An output tensor of an operation.

    Attributes:
        strides: the tensor's strides; None if it has none, such as a sparse tensor.
        memory: NEW, COPY (the same numbers in new memory), VIEW, SAME (an input tensor itself) or IN_PLACE.
        source: the name of the operand that shares its memory; empty if none does.
        names: the names of the tensor in the learner's code, in the order in which they were assigned.
        is_output: whether the outermost module returned it.
    """

    shape: Shape
    strides: Shape | None
    is_contiguous: bool
    memory: str
    source: str = ""
    names: list[str] = field(default_factory=list)
    is_output: bool = False


@dataclass(frozen=True)
class Movement:
    """A call that moves numbers and computes none, stored without its tensor so that it can be repeated."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    part: int | None = None


@dataclass
class Operation:
    """One tensor operation, as a learner would count them.

    Attributes:
        number: its position in the record, from 1.
        name: the operation as the learner wrote it: 'view', '@', 'self.hidden'.
        kind: the class of a torch module that is called, such as 'Linear'; else empty.
        site: the line that contains the operation.
        step: the line in `forward`, or in the cell, that led to it; `site` itself if they are the same.
        path: the path of the learner's module that the operation is in, such as 'layers.0'; empty for the
            outermost one.
        parents: the numbers of the operations that made its inputs.
        from_parameters: whether its result is computed from parameters only.
        times: how often it ran, in loops.
        movement: the call that repeats it on other numbers, if it only moves them.
        error: torch's message if it failed; it then has no results.
    """

    number: int
    name: str
    kind: str
    site: SourceLocation
    step: SourceLocation
    path: str
    operands: tuple[Operand, ...]
    results: list[Result]
    parents: set[int]
    from_parameters: bool = False
    times: int = 1
    movement: Movement | None = None
    error: str = ""


@dataclass
class Record:
    """The operations of some code, in the order in which they first ran.

    Attributes:
        left_out: how many operations ran after the record was full.
        error: the exception that ended the recorded code, as one line, or empty.
        error_line: the learner's line that raised it, or None.
    """

    operations: list[Operation] = field(default_factory=list)
    left_out: int = 0
    error: str = ""
    error_line: SourceLocation | None = None

    def __getitem__(self, number: int) -> Operation:
        return self.operations[number - 1]

    @property
    def failed(self) -> Operation | None:
        """The operation that ended the code with an error; None if the code reached its end."""
        last = self.operations[-1] if self.operations else None
        return last if last is not None and last.error and self.error else None

    def ancestors(self, number: int) -> set[int]:
        """Return the numbers of the operations that a result depends on, directly or indirectly."""
        ancestors: set[int] = set()
        waiting = [number]
        while waiting:
            # In a loop an operation can depend on one that stands further down.
            new = self[waiting.pop()].parents - ancestors
            ancestors |= new
            waiting.extend(new)
        return ancestors - {number}
