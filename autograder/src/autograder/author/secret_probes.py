"""Draw hidden probes and givens from a secret that only the instructor's machine has.

Learners can memorise what a public repository contains, and also what was asked once. A hidden probe repeats
a visible one with other numbers of the same shapes. An answer that computes is right on both, and one that
remembers is not. The hidden probe of an experiment also compares the numbers from its calls, because the
experiment's own result is easy to guess.
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
    """Return a random seed made from the secret and some names. Nobody can predict it without the secret."""
    digest = hashlib.sha256("/".join((secret, *names)).encode()).digest()
    return int.from_bytes(digest[:7], "big")


def twins_of(lesson: Lesson, secret: str, draws: Mapping[tuple[str, str], int | None]) -> Iterator[Task]:
    """Yield the lesson's tasks with the hidden twins of their probes in place of the probes.

    Args:
        lesson: the definitions in the lesson's `tasks.py`.
        secret: the instructor's secret.
        draws: the number of the draw to use, from 0, by task id and probe id. The default is 0; None gives no
            twin.
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
    """Tell whether a probe can have a hidden twin: its outcome is a number and not an expected error."""
    return not probe.raises


def twin_of(task: Task, probe: Probe, secret: str, draw: int = 0) -> Probe:
    """Return a probe's hidden twin, with other numbers of the same shapes.

    Args:
        task: the task.
        probe: the visible probe.
        secret: the instructor's secret.
        draw: the number of the draw; each gives other numbers.
    """
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
