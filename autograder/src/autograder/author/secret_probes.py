"""Probes and givens that only the instructor's machine knows, drawn from a secret.

What a public repository holds can be learnt by heart, and so can what was asked once. A hidden probe asks
the same as a visible one with other numbers of the same shapes, so an answer that computes is right on both,
and one that remembers is not. Of an experiment, a hidden probe also compares the numbers that came of its
calls: what it writes down itself is easily guessed.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from autograder.author.authoring import Check, Lesson, Made, Probe, Task
from autograder.records.bank import HIDDEN

# How far a number may move, as a share of itself: signs, zeros and sizes stay, so what holds for the visible
# probe (positive scores, say, or ones that overflow) holds for the hidden one.
SPREAD = 0.25
# And no further than this: softmax sees the differences between scores. Scores of some hundreds, moved by a
# share of themselves, would lie so far apart that each row becomes a single 1, which is easily guessed.
FURTHEST = 1.0
# Or than this share, where that is more: added to a very large number, 1 is lost in rounding.
LEAST_SPREAD = 0.001
# Whole numbers get so many binary digits, or a few more where they are large. A float32 holds the products of
# two such numbers, and the sum of 64 products, without rounding. So scores of some hundreds are the same in
# whatever order an answer adds; a softmax, which sees their last digits, would tell right answers apart.
BITS = 9
LARGEST_STEP = 0.125


def seed_from(secret: str, *names: str) -> int:
    """Return a seed that only who knows the secret can tell."""
    digest = hashlib.sha256("/".join((secret, *names)).encode()).digest()
    return int.from_bytes(digest[:7], "big")


def twins_of(lesson: Lesson, secret: str, draws: Mapping[tuple[str, str], int | None]) -> Iterator[Task]:
    """Yield the lesson's tasks with nothing but the hidden twin of every probe that has one.

    `draws` says by task and probe which draw it is, counted from 0; None is no twin, and the first is the
    default.
    """
    for task in lesson.tasks:
        twins = {}
        for probe in task.probes:
            draw = draws.get((task.id, probe.id), 0)
            if has_twin(probe) and draw is not None:
                twins[probe.id] = twin_of(task, probe, secret, draw)
        checks = tuple(_check(check, twins) for check in task.checks)
        yield replace(task, probes=tuple(twins.values()), checks=checks)


def has_twin(probe: Probe) -> bool:
    """Tell whether numbers come of a probe, by which a right answer can be told."""
    return not probe.raises


def twin_of(task: Task, probe: Probe, secret: str, draw: int = 0) -> Probe:
    """Return a probe's hidden twin. Each draw is another one."""
    seed = seed_from(secret, task.id, probe.id, *([f"draw-{draw}"] if draw else []))
    generator = torch.Generator().manual_seed(seed)
    inputs = {name: _moved(value, generator) for name, value in probe.inputs.items()}
    then = {name: _moved(value, generator) for name, value in probe.then.items()}
    redrawn = probe.redraw(generator) if probe.redraw else {}
    return replace(
        probe,
        id=f"{probe.id}{HIDDEN}",
        hidden=True,
        seed=seed % 2**31,
        inputs={**inputs, **redrawn},
        then=then,
    )


def _check(check: Check, twins: Mapping[str, Probe]) -> Check:
    return replace(check, probes=(*check.probes, *(twins[name].id for name in check.probes if name in twins)))


def _moved(value: Any, generator: torch.Generator) -> Any:
    if isinstance(value, Made):
        return replace(value, seed=int(torch.randint(2**31 - 1, (1,), generator=generator)))
    if not isinstance(value, Tensor) or not value.is_floating_point():
        return value
    if bool(((value == 0) | (value == 1)).all()):
        return value  # a mask, or the identity: what it says is not in the size of its numbers
    step = 2 * torch.rand(value.shape, generator=generator, dtype=value.dtype) - 1
    size = value.abs()
    reach = torch.minimum(SPREAD * size, (LEAST_SPREAD * size).clamp(min=FURTHEST))
    move = reach * step
    if value.numel() and bool((value == value.round()).all()):
        least = min(2.0 ** (math.frexp(float(size.nan_to_num(posinf=0.0).max()))[1] - BITS), LARGEST_STEP)
        move = torch.minimum((move.abs() / least).ceil() * least, reach) * move.sign()
    return torch.where(value.isfinite(), value + move, value)
