"""The usual cause of a shape that departs, and of an operation that fails."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence

from autograder.probe.recording.operations import Operation, Record, Shape

from visuals.language import _
from visuals.shapes.axes import Axes, listed, written
from visuals.shapes.origins import Mixed


def is_explained(shape: Shape, expected: Shape) -> bool:
    """Tell whether a shape may stand where another is expected: the same axes, split, joined or left out.

    A different but right way has other shapes at the same name: (b * heads, tokens, tokens) for a batched
    product, (tokens, tokens) in a loop over heads, (b, heads, tokens, head_dim) before the heads are joined.
    """
    return _is_made_of(shape, expected) or _is_made_of(expected, shape)


def differs_by_splits(shape: Shape, expected: Shape) -> bool:
    """Tell whether splitting or joining axes is what a shape needs to become another."""
    return len(shape) != len(expected) and is_explained(shape, expected)


def _is_made_of(shape: Shape, expected: Shape) -> bool:
    """Tell whether each axis of a shape is the product of some of the expected ones, none used twice."""
    wanted = [size for size in shape if size != 1]
    if not wanted:
        return True
    first, rest = wanted[0], tuple(wanted[1:])
    places = [axis for axis, size in enumerate(expected) if size != 1]
    for count in range(1, len(places) + 1):
        for group in itertools.combinations(places, count):
            if math.prod(expected[axis] for axis in group) == first:
                remaining = tuple(size for axis, size in enumerate(expected) if axis not in group)
                if _is_made_of(rest, remaining):
                    return True
    return False


def of_departure(shape: Shape, expected: Shape, wanted: Sequence[str | int], axes: Axes) -> str:
    """Return what is usually missing where a shape departs; empty where that cannot be told."""
    if sorted(shape) == sorted(expected):
        wrong = [axis for axis, size in enumerate(shape) if size != expected[axis]]
        if len(wrong) == 2:
            return _(
                "axes {axes} are the other way round: a transpose({first}, {second}) is missing, or "
                "one too many",
                axes=listed(list(map(str, wrong))),
                first=wrong[0],
                second=wrong[1],
            )
        return _("the axes are the right ones in another order: permute or transpose brings them into place")
    for first, second in itertools.combinations(range(len(expected)), 2):
        remaining = [size for axis, size in enumerate(expected) if axis not in (first, second)]
        joined = expected[first] * expected[second]
        if sorted(shape) == sorted([*remaining, joined]):
            return _(
                "{first} and {second} are still one axis of {joined}: it has to be split",
                first=wanted[first],
                second=wanted[second],
                joined=joined,
            )
    for first, second in itertools.combinations(range(len(shape)), 2):
        remaining = [size for axis, size in enumerate(shape) if axis not in (first, second)]
        if sorted(expected) == sorted([*remaining, shape[first] * shape[second]]):
            return _(
                "axes {first} and {second} have to be joined into one of {joined}",
                first=first,
                second=second,
                joined=shape[first] * shape[second],
            )
    if len(shape) == len(expected):
        wrong = [axis for axis, size in enumerate(shape) if size != expected[axis]]
        if len(wrong) == 1:
            axis = wrong[0]
            return _(
                "axis {axis} has the size {size}, not {wanted}",
                axis=axis,
                size=_said(shape[axis], axes),
                wanted=wanted[axis],
            )
        extra = [size for size in shape if shape.count(size) > expected.count(size)]
        if extra and axes.names_of(extra[0]) and all(size == extra[0] for size in extra):
            more = list(dict.fromkeys(wanted[axis] for axis in wrong if expected[axis] != extra[0]))
            return _(
                "{name} is where {listed} should be",
                name=axes.names_of(extra[0])[0],
                listed=listed(list(map(str, more))),
            )
    return ""


def of_mixing(mixed: Mixed, axes: Axes) -> str:
    """Return what is missing where a shape is right and the order is not."""
    before, after = axes.named(mixed.before), axes.named(mixed.after)
    start = _(
        "the shape {after} is right, what is in it is not: at place {place} of {axis} there are "
        "numbers from place {origin}. {operation} moves no number, it only counts them off anew",
        after=after,
        place=mixed.place,
        axis=mixed.axis,
        origin=mixed.origin,
        operation=mixed.operation.name,
    )
    if len(mixed.after) > len(mixed.before):
        return _(
            "{start}. From {before}, split the last axis first and leave the others in their places, "
            "then bring the new axis forward with transpose",
            start=start,
            before=before,
        )
    return _(
        "{start}. From {before}, bring {axis} back to its place with transpose first, then join",
        start=start,
        before=before,
        axis=mixed.axis,
    )


def of_failure(operation: Operation, record: Record, axes: Axes) -> str:
    """Why an operation could not be done, from the shapes that it was given; empty where that is unclear."""
    shapes = [operand.shape for operand in operation.operands]
    called = [operand.name or _("the tensor") for operand in operation.operands]
    match = re.search(r"shape '\[([-\d, ]+)\]' is invalid for input of size", operation.error)
    if match and shapes:
        return _does_not_fit(shapes[0], called[0], tuple(map(int, match[1].split(","))), axes)
    if "view size is not compatible" in operation.error and shapes:
        return _(
            "the numbers of {name} do not lie in reading order, as after a transpose: call "
            "contiguous() before view, or use reshape",
            name=called[0],
        )
    if operation.kind == "Linear" and shapes and shapes[0]:
        taken = re.search(r"\(\d+x\d+ and (\d+)x\d+\)", operation.error)
        if taken:
            return _(
                "{operation} takes {taken} numbers on the last axis; {name} has {size} there",
                operation=operation.name,
                taken=taken[1],
                name=called[0],
                size=_said(shapes[0][-1], axes),
            )
    if len(shapes) != 2:
        return ""
    left, right = shapes
    if operation.name in ("@", "matmul", "bmm"):
        return _no_product(left, right, axes)
    return _not_broadcast(left, right, called, axes)


def _said(size: int, axes: Axes) -> str:
    names = axes.names_of(size)
    return f"{size} ({' or '.join(names)})" if names else str(size)


def _does_not_fit(shape: Shape, name: str, target: Shape, axes: Axes) -> str:
    have, need = math.prod(shape), math.prod(target)
    text = _(
        "{name} has the shape {shape}: {have} numbers do not fill {asked}",
        name=name,
        shape=axes.named(shape),
        have=have,
        asked=written(target),
    )
    if need < 0:
        return text
    for axis, (size, wanted) in enumerate(zip(shape, target, strict=False)):
        if size != wanted:
            there = _("{size}, not {wanted}", size=_said(size, axes), wanted=_said(wanted, axes))
            return _(
                "{text}, which takes {need}. Its axis {axis} is {there}",
                text=text,
                need=need,
                axis=axis,
                there=there,
            )
    return _("{text}, which takes {need}", text=text, need=need)


def _no_product(left: Shape, right: Shape, axes: Axes) -> str:
    if len(left) < 2 or len(right) < 2:
        return ""
    sides = f"{axes.named(left)} @ {axes.named(right)}"
    if left[-1] != right[-2]:
        return _(
            "in {sides} the last axis on the left, {left}, and the last but one on the right, {right}, "
            "must be equal",
            sides=sides,
            left=_said(left[-1], axes),
            right=_said(right[-2], axes),
        )
    for left_size, right_size in zip(reversed(left[:-2]), reversed(right[:-2]), strict=False):
        if left_size != right_size and 1 not in (left_size, right_size):
            return _(
                "in {sides} the axes before the last two must agree, and {left} meets {right}",
                sides=sides,
                left=_said(left_size, axes),
                right=_said(right_size, axes),
            )
    return ""


def _not_broadcast(left: Shape, right: Shape, called: Sequence[str], axes: Axes) -> str:
    pairs = zip(reversed(left), reversed(right), strict=False)
    for back, (left_size, right_size) in enumerate(pairs, start=1):
        if left_size == right_size or 1 in (left_size, right_size):
            continue
        text = _(
            "{left} and {right} are lined up from the right, and on axis -{back} {one} meets {other}",
            left=axes.named(left),
            right=axes.named(right),
            back=back,
            one=_said(left_size, axes),
            other=_said(right_size, axes),
        )
        if len(right) >= 2 and right[-1] == right[-2] > left_size == left[-1]:
            return _("{text}: a mask for the longest sentence has to be cut to the tokens present", text=text)
        return text
    return ""
