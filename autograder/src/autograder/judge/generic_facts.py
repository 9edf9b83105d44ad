"""Facts about a wrong answer that no known mistake explains, such as an argument without any effect."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import torch
from torch import Tensor

from autograder.records.answer_findings import CodeLocation, Fact, Idle, Reaches, Related, Unsteady
from autograder.records.bank import AS_SEEN, RESULT, Probe, Task, axis_parts
from autograder.records.run_outcome import Examination, Influence, Outcome, Trail
from autograder.records.tensor_comparison import all_close, close, plainly_right

MOST_FACTS = 3
MOST_SLICES, MOST_NUMBERS = 64, 1_000  # of a result in which another order is looked for
LEAST_NUMBERS = 4  # of which one can say that they are all there


def facts(
    task: Task, outcomes: Mapping[str, Outcome], examined: Examination | None, trail: Trail | None = None
) -> tuple[Fact, ...]:
    """Return facts in which a wrong answer differs from the solution, the most telling first.

    Args:
        task: the task, with the solution's outcomes and examination.
        outcomes: the answer's outcomes by probe.
        examined: the answer's examination; None if there is none.
        trail: the answer's steps; None if it was not traced.
    """
    unsteady = unsteadiness(task, examined)
    if unsteady:  # other numbers come next time
        line = None if trail is None else trail.other_line
        location = None if trail is None or line is None else CodeLocation(trail.other_name, line)
        return (replace(unsteady, place=location),)
    related = tuple(_from_numbers(task, outcomes))
    if any(relation.how in ("turned", "reversed", "order", "places", "shared") for relation in related):
        return related  # what reaches where follows from that
    return (*_from_examination(task, examined), *related)[:MOST_FACTS]


def unsteadiness(task: Task, examined: Examination | None) -> Unsteady | None:
    """Return the difference between two calls with the same input; None if they agree, or may differ."""
    if examined is None or not examined.unsteady:
        return None
    right = task.examined
    return None if right is None or right.unsteady else Unsteady(examined.unsteady, examined.apart)


def _from_examination(task: Task, examined: Examination | None) -> Iterator[Fact]:
    right = task.examined
    if right is None or examined is None or right.probe != examined.probe:
        return
    # What only the answer has is no matter of this: a right one does without it.
    probe = task.probe[right.probe]
    argument_names = {*probe.inputs, *probe.weights, *probe.construct}
    # What the solution minds only by stopping may have no effect on this probe.
    unknown = {*right.idle, *right.refused}
    idle = tuple(name for name in examined.idle if name not in unknown and name in argument_names)
    if idle:
        yield Idle(idle)
    expected_result = probe.expected.tensor
    if expected_result is None or expected_result.dtype == torch.bool:
        return  # a decision that stayed as it was need not stay where the numbers change otherwise
    # Where two axes of the result have one name, "token 0" is said of the first.
    moved, tried = _by_axis(right), _by_axis(examined)
    for axis, effect in tried.items():
        expected = moved[axis].moved if axis in moved else None
        if expected is None or len(expected) != len(effect.moved):
            continue
        # Where others depend on their own place, one that does not is an exception and no rule.
        without_own = axis_parts(effect.along)[0] == axis_parts(effect.axis)[0] and any(
            changed in outputs for changed, outputs in enumerate(expected)
        )
        cleared = _cleared_slices(expected_result, task.axes.index(effect.axis))
        too_far = _first_apart(effect.moved, expected, cleared, without_own)
        if too_far is not None:
            yield Reaches(effect.input, effect.along, effect.axis, *too_far)
        too_short = _first_apart(expected, effect.moved)
        if too_short is not None and effect.input not in idle:
            yield Reaches(effect.input, effect.along, effect.axis, *too_short, missing=True)


def _by_axis(examined: Examination) -> dict[tuple[str, str, str], Influence]:
    first: dict[tuple[str, str, str], Influence] = {}
    for influence in examined.influences:
        first.setdefault((influence.input, influence.along, influence.axis), influence)
    return first


def _cleared_slices(expected: Tensor, axis: int) -> frozenset[int]:
    """Return the slices along an axis that are 0 or -inf all over: other numbers may clear other slices."""
    slices = expected.movedim(axis, 0).reshape(expected.shape[axis], -1)  # (slices, numbers)
    is_cleared = (slices == 0).all(dim=1) | (slices == -math.inf).all(dim=1)
    return frozenset(is_cleared.nonzero().flatten().tolist())


def _first_apart(
    moved: tuple[tuple[int, ...], ...],
    others: tuple[tuple[int, ...], ...],
    exceptions: frozenset[int] = frozenset(),
    without_own: bool = False,
) -> tuple[int, int] | None:
    """Return the first (output, changed) slice that moves in one table and not in the other.

    Args:
        moved: for each changed slice, the outputs that move.
        others: the same of the other table.
        exceptions: slices of which nothing counts, whether they change or depend on a change.
        without_own: whether an output that moves with the slice in its own place does not count.
    """
    for changed, (outputs, expected_outputs) in enumerate(zip(moved, others, strict=True)):
        if changed in exceptions:
            continue
        own = {changed} if without_own else set()
        extra = sorted(set(outputs) - set(expected_outputs) - exceptions - own)
        if extra:
            return extra[0], changed
    return None


def _from_numbers(task: Task, outcomes: Mapping[str, Outcome]) -> Iterator[Related]:
    """Return how the first wrong result follows from the right one; of single numbers, how all of them do.

    A result is called right to some digits only where all wrong ones are: one may be by chance.
    """
    numbers: list[tuple[Tensor, Tensor]] = []
    wrong: list[Callable[[], tuple[Related, ...]]] = []
    for name, outcome in outcomes.items():
        probe = task.probe[name]
        expected, actual = probe.expected.tensor, outcome.tensor
        if probe.observe != RESULT or probe.hidden or expected is None or actual is None:
            continue
        if task.kind == "tensor" and name != AS_SEEN:
            continue
        if actual.is_complex() or (actual.dtype == torch.bool) != (expected.dtype == torch.bool):
            continue
        if actual.shape == expected.shape == ():
            numbers.append((actual.double(), expected.double()))
        elif not all_close(actual, expected):
            wrong.append(partial(_relations_on, probe, actual, expected))
    first = wrong[0]() if wrong else ()
    # Others are looked at only where they decide.
    if not _is_rough(first) or all(_is_rough(relations()) for relations in wrong[1:]):
        yield from first
    if not wrong and len(numbers) > 1:
        actual, expected = (torch.stack(side) for side in zip(*numbers, strict=True))
        yield from tuple(_in_step(actual, expected)) or _of_signs(actual, expected)


def _relations_on(probe: Probe, actual: Tensor, expected: Tensor) -> tuple[Related, ...]:
    """Return how a wrong result on a probe follows from the right one."""
    if expected.dtype == torch.bool:
        relations = _of_truth(actual, expected)
    else:
        relations = _related(actual.double(), expected.double(), {**probe.weights, **probe.inputs})
    return tuple(replace(relation, probe=probe.id) for relation in relations)


def _is_rough(relations: Sequence[Related]) -> bool:
    return any(relation.how == "digits" for relation in relations)


def _related(actual: Tensor, expected: Tensor, added: Mapping[str, Any]) -> Iterator[Related]:
    if actual.ndim >= 2 and all_close(actual.mT.float(), expected.float()):
        yield Related("turned")
        return
    if actual.shape != expected.shape:
        if _same_numbers(actual, expected):
            yield Related("places")
        else:
            yield from _too_many(actual, expected)
        return
    if not expected.numel():
        return
    low = expected == -math.inf
    if bool(low.any() & actual[low].isfinite().all()):
        yield Related("finite")
        return
    if not bool(actual.isfinite().all() & expected.isfinite().all()):
        return
    size, error = float(expected.abs().max()), float((actual - expected).abs().max())
    if expected.numel() > 1:
        in_step = tuple(_in_step(actual, expected))
        if in_step:
            yield from in_step
            return
        yield from _all_alike(actual, expected)
        yield from _shared_out_otherwise(actual, expected)
        for axis in range(expected.ndim):
            if expected.shape[axis] > 1 and all_close(actual.flip(axis).float(), expected.float()):
                yield Related("reversed", axis=axis)
                return
    if 0 < error < 6e-3 * size and bool((actual != actual.round()).any()):  # whole numbers are right or wrong
        yield Related("digits", math.floor(-math.log10(error / size)))
        return
    moved = next(chain(_moved(actual, expected), _with_input(actual, expected, added)), None)
    if moved is not None:
        yield moved
        return
    slices = tuple(_right_slices(plainly_right(actual.float(), expected.float())))
    yield from slices or _of_signs(actual, expected)


def _shared_out_otherwise(actual: Tensor, expected: Tensor) -> Iterator[Related]:
    """Tell where the numbers add up to 1 along another axis than they should."""
    right = [axis for axis in range(expected.ndim) if _adds_up_to_one(expected, axis)]
    normalised_axes = [axis for axis in range(actual.ndim) if _adds_up_to_one(actual, axis)]
    if len(right) == len(normalised_axes) == 1 and right != normalised_axes:
        yield Related("shared", right[0], axis=normalised_axes[0])


def _adds_up_to_one(numbers: Tensor, axis: int) -> bool:
    sums = numbers.sum(dim=axis)
    return all_close(sums.float(), torch.ones_like(sums).float())


def _all_alike(actual: Tensor, expected: Tensor) -> Iterator[Related]:
    """Tell along which axis all slices of a result are the same, where those of the right one differ."""
    if bool((actual == actual.flatten()[0]).all()):
        return
    for axis in range(expected.ndim):
        if expected.shape[axis] > 2:
            first, right = (
                tensor.narrow(axis, 0, 1).expand_as(tensor).float() for tensor in (actual, expected)
            )
            if all_close(actual.float(), first) and not close(expected.float(), right).all(dim=axis).any():
                yield Related("alike", axis=axis)
                return


def _of_signs(actual: Tensor, expected: Tensor) -> Iterator[Related]:
    """Tell whether all of several numbers have the wrong sign, whatever their sizes."""
    if expected.numel() >= LEAST_NUMBERS and bool((actual * expected < 0).all()):
        yield Related("signs")


def _moved(actual: Tensor, expected: Tensor) -> Iterator[Related]:
    """Tell whether right numbers stand in other places, or lines of them have a factor of their own."""
    for axis in range(expected.ndim):
        small = expected.numel() <= MOST_NUMBERS and 1 < expected.shape[axis] <= MOST_SLICES
        if small and _has_another_order(actual, expected, axis):
            yield Related("order", axis=axis)
    if _same_numbers(actual, expected):
        yield Related("places")
    if expected.ndim > 1 and expected.shape[-1] > 1:
        squares = (expected * expected).sum(dim=-1, keepdim=True)
        factors = (actual * expected).sum(dim=-1, keepdim=True) / squares.clamp_min(1e-30)
        if bool((factors.abs() > 1e-6).all()) and all_close(actual.float(), (factors * expected).float()):
            yield Related("rows")


def _too_many(actual: Tensor, expected: Tensor) -> Iterator[Related]:
    """Tell how many slices are right, at one end, where there are more or fewer of them along one axis."""
    if actual.ndim != expected.ndim or actual.dtype == torch.bool:
        return
    axes = [axis for axis in range(actual.ndim) if actual.shape[axis] != expected.shape[axis]]
    count = min(actual.shape[axes[0]], expected.shape[axes[0]]) if len(axes) == 1 else 0
    if not count:
        return
    for how, start in (("first", lambda size: 0), ("last", lambda size: size - count)):
        actual_part, right = (
            tensor.narrow(axes[0], start(tensor.shape[axes[0]]), count).float()
            for tensor in (actual, expected)
        )
        if all_close(actual_part, right):
            yield Related(how, float(count), axes[0])
            return


def _with_input(actual: Tensor, expected: Tensor, added: Mapping[str, Any]) -> Iterator[Related]:
    """Tell whether a result is the right one but for a multiple of what went in."""
    for name, value in added.items():
        if not isinstance(value, Tensor) or not value.is_floating_point() or not value.numel():
            continue
        if value.ndim > expected.ndim or value.shape != expected.shape[expected.ndim - value.ndim :]:
            continue
        whole = value.double().expand(expected.shape)
        times = float(((actual - expected) * whole).sum() / (whole * whole).sum().clamp_min(1e-30))
        if abs(times) > 1e-3 and all_close(actual.float(), (expected + times * whole).float()):
            yield Related("input", times, name=name)


def _has_another_order(actual: Tensor, expected: Tensor, axis: int) -> bool:
    """Tell whether slices that all differ have changed places along an axis."""
    actual_slices, right = (
        tensor.movedim(axis, 0).reshape(tensor.shape[axis], -1).float() for tensor in (actual, expected)
    )
    same = close(actual_slices[:, None], right[None]).all(dim=-1)  # (slices made, right slices)
    alike = close(right[:, None], right[None]).all(dim=-1)
    return bool((same.sum(dim=0) == 1).all() & (same.sum(dim=1) == 1).all()) and int(alike.sum()) == len(
        right
    )


def _same_numbers(actual: Tensor, expected: Tensor) -> bool:
    """Tell whether two tensors hold the same numbers, most of which are there once only."""
    if actual.numel() != expected.numel() or expected.numel() < LEAST_NUMBERS:
        return False
    actual_numbers, right = (tensor.flatten().float().sort().values for tensor in (actual, expected))
    return 2 * len(right.unique()) > len(right) and all_close(actual_numbers, right)


def _right_slices(right: Tensor) -> Iterator[Related]:
    """Tell in which slices along an axis a result is right, where one sentence says it."""
    candidates = []
    for axis in range(right.ndim):
        good = right.movedim(axis, 0).reshape(right.shape[axis], -1).all(dim=1)
        count, total = int(good.sum()), good.numel()
        if total < 3 or not 0 < count < total:
            continue
        first_wrong, first_right = int((~good).nonzero()[0]), int(good.nonzero()[0])
        if count == total - 1:
            candidates.append((2.0, Related("but-one", float(first_wrong), axis)))
        elif count == first_wrong:
            candidates.append((count / total, Related("until", float(count - 1), axis)))
        elif count == total - first_right:
            candidates.append((count / total, Related("from", float(first_right), axis)))
        elif count == 1:
            candidates.append((0.0, Related("only", float(first_right), axis)))
    yield from (relation for _, relation in sorted(candidates, key=lambda pair: -pair[0])[:1])


def _of_truth(actual: Tensor, expected: Tensor) -> Iterator[Related]:
    """Tell of True and False which of them is always the wrong one, and where a result is right."""
    if actual.shape != expected.shape:
        return
    if actual.ndim >= 2 and torch.equal(actual.mT, expected):
        yield Related("turned")
        return
    wrong = actual != expected
    if bool(wrong.all()):
        return
    if bool(actual[wrong].all()) or not bool(actual[wrong].any()):
        yield Related("true" if bool(actual[wrong].all()) else "false")
    yield from _right_slices(~wrong)


def _in_step(actual: Tensor, expected: Tensor) -> Iterator[Related]:
    """Tell whether wrong numbers are the right ones times one factor, or plus one number."""
    square = float((expected * expected).sum())
    if all_close(actual.float(), expected.float()) or not bool(actual.isfinite().all() & (square > 0)):
        return
    factor, step = float((actual * expected).sum()) / square, float((actual - expected).mean())
    if abs(factor) > 1e-6 and all_close(actual.float(), (factor * expected).float()):
        yield Related("times", factor)
    elif all_close(actual.float(), (expected + step).float()):
        yield Related("plus", step)
