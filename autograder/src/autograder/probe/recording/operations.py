"""What was recorded: operations with their shapes, never the tensors themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from autograder.probe.recording.source_locations import SourceLocation

Shape = tuple[int, ...]
NEW, COPY, VIEW, SAME, IN_PLACE = "new", "copy", "view", "same", "in place"


@dataclass(frozen=True)
class Operand:
    """A tensor that went into an operation; `maker` is the number of the operation that made it, or None."""

    name: str
    shape: Shape
    maker: int | None = None
    part: int = 0


@dataclass
class Result:
    """A tensor that came out of an operation.

    Attributes:
        strides: None where a tensor has none, as a sparse one.
        memory: NEW, COPY (the same numbers in new memory), VIEW, SAME (the very tensor that went in) or
            IN_PLACE.
        source: the operand with which memory is shared, as it is called; empty otherwise.
        names: what the learner's code calls it, in the order in which the names came up.
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
    """A call that moves numbers and computes none, kept without its tensor so that it can be done again."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    part: int | None = None


@dataclass
class Operation:
    """One operation at the learner's level.

    Attributes:
        number: its place in the record, from 1.
        name: as the learner wrote it: 'view', '@', 'self.hidden'.
        kind: for a call of a module of torch its class, 'Linear'; else empty.
        site: the line that it stands on.
        step: the line in `forward` (or in the cell) that led there; `site` itself where that is the same.
        path: the learner's module that it belongs to, as in 'layers.0'; empty for the outermost one.
        parents: numbers of the operations whose results went in.
        from_parameters: whether it was made from parameters alone.
        times: how often it ran, in loops.
        movement: how to do it again on other numbers, where it only moves them.
        error: what torch said, where it failed; it then has no results.
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
    """The operations in the order in which they first ran.

    Attributes:
        left_out: how many operations ran after the record was full.
        error: the exception that ended the tracked code, as one line, or empty.
        error_line: the learner's line at which it came up, or None.
    """

    operations: list[Operation] = field(default_factory=list)
    left_out: int = 0
    error: str = ""
    error_line: SourceLocation | None = None

    def __getitem__(self, number: int) -> Operation:
        return self.operations[number - 1]

    @property
    def failed(self) -> Operation | None:
        """The operation that ended the code; None where it went to its end, or caught what went wrong."""
        last = self.operations[-1] if self.operations else None
        return last if last is not None and last.error and self.error else None

    def ancestors(self, number: int) -> set[int]:
        """Return the operations that a result was made from, directly or not."""
        ancestors: set[int] = set()
        waiting = [number]
        while waiting:
            # In a loop an operation can depend on one that stands further down.
            new = self[waiting.pop()].parents - ancestors
            ancestors |= new
            waiting.extend(new)
        return ancestors - {number}
