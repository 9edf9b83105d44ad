"""Follow numbers through view, transpose and their like: does the axis of the tokens still hold tokens?

A shape says how many entries an axis has, not what they are: `view(b, heads, tokens, head_dim)` without a
transpose has the right shape and the wrong tokens. The recorded calls are done again on labels, and the
labels tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from autograder.probe.recording.operations import Operation, Record, Shape
from torch import Tensor

from visuals.shapes.axes import Axes

# Labels are made for lessons, not for models; beyond this many numbers nothing is said.
MOST_LABELS = 1_000_000


@dataclass(frozen=True)
class Mixed:
    """Numbers of different tokens (or sentences) that came to stand in one row.

    Attributes:
        operation: where it came about.
        axis: the name of the axis that no longer holds what its size says.
        before, after: the shapes that this operation was given and made.
        place, origin: a position along the axis, and the position from which a number there comes.
    """

    operation: Operation
    axis: str
    before: Shape
    after: Shape
    place: int
    origin: int


def find_mixed(record: Record, axes: Axes, names: Iterable[str]) -> Mixed | None:
    """Return the first operation after which an axis with one of these names holds numbers of other entries.

    Only the ends of chains of moves are looked at: what comes of `view` alone may be put right by a
    `transpose` behind it. Only sizes that nothing else can have are looked for.
    """
    certain = [name for name in names if axes.is_certain(name)]
    used_up = _moved_on(record)
    ends = [
        operation
        for operation in record.operations
        if operation.movement is not None and operation.number not in used_up
    ]
    followed = [_follow(record, end, name, axes.sizes[name]) for end in ends for name in certain]
    mixed = [each for each in followed if each is not None]
    return min(mixed, key=lambda each: each.operation.number, default=None)


def derived(record: Record, number: int) -> list[Operation]:
    """Return an operation and all that only move what it made."""
    descendants = [record[number]]
    for operation in record.operations[number:]:
        if operation.movement is not None and operation.parents & {each.number for each in descendants}:
            descendants.append(operation)
    return descendants


def _moved_on(record: Record) -> set[int]:
    """Operations whose results only moves take up: their order is not final."""
    takers: dict[int, list[Operation]] = {}
    for operation in record.operations:
        for parent in operation.parents:
            takers.setdefault(parent, []).append(operation)
    return {
        number for number, movements in takers.items() if all(each.movement is not None for each in movements)
    }


def _follow(record: Record, last: Operation, name: str, size: int) -> Mixed | None:
    """Tell whether an axis of this size is another at the end of a chain of moves, and where that began."""
    moves = [last]
    while (maker := moves[0].operands[0].maker) is not None and record[maker].movement is not None:
        if record[maker] in moves:
            return None
        moves.insert(0, record[maker])
    start = moves[0].operands[0].shape
    if start.count(size) != 1 or math.prod(start) > MOST_LABELS:
        return None
    # Each entry is labelled with its place along the axis.
    labels = torch.arange(size).view([size if length == size else 1 for length in start]).expand(start)
    stages = []
    for move, following in zip(moves, [*moves[1:], None], strict=True):
        before = tuple(labels.shape)
        part = following.operands[0].part if following is not None else 0
        moved = _redo(move, labels, part)
        if moved is None:
            return None
        labels = moved
        stages.append((move, before, labels))
    if _is_in_order(stages[-1][2], size) is not False:
        return None
    # Before the first stage at which it shows, the axis was not there or in order.
    begin = len(stages) - 1
    while begin > 0 and _is_in_order(stages[begin - 1][2], size) is False:
        begin -= 1
    move, before, after = stages[begin]
    row, origin = _example(stages[-1][2], size)
    return Mixed(move, name, before, tuple(after.shape), row, origin)


def _redo(operation: Operation, labels: Tensor, part: int) -> Tensor | None:
    """Return what a move makes of other numbers; None where it does not give the recorded shape."""
    movement = operation.movement
    if movement is None:
        return None
    result = movement.function(labels.contiguous(), *movement.args, **movement.kwargs)
    moved = result[part] if isinstance(result, tuple | list) else result
    return moved if tuple(moved.shape) == operation.results[part].shape else None


def _along(labels: Tensor, size: int) -> Tensor | None:
    """Return the labels with the axis of this size in front: (size, others).

    None unless there is one such axis.
    """
    axes = [axis for axis, length in enumerate(labels.shape) if length == size]
    return labels.movedim(axes[0], 0).reshape(size, -1) if len(axes) == 1 else None


def _is_in_order(labels: Tensor, size: int) -> bool | None:
    rows = _along(labels, size)
    return None if rows is None else bool((rows == torch.arange(size)[:, None]).all())


def _example(labels: Tensor, size: int) -> tuple[int, int]:
    rows = _along(labels, size)
    assert rows is not None
    row, column = (rows != torch.arange(size)[:, None]).nonzero()[0].tolist()
    return row, int(rows[row, column])
