"""Probes and givens that only the instructor's machine knows, drawn from a secret.

What a public repository holds can be learnt by heart. A hidden probe asks the same as a visible one with
other numbers of the same shapes, so an answer that computes is right on both, and one that remembers is not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from autograder.authoring import Check, Lesson, Made, Probe, Task
from autograder.bank import RESULT

# How far a number may move, as a share of itself: signs, zeros and sizes stay, so what holds for the visible
# probe (positive scores, say, or ones that overflow) holds for the hidden one.
SPREAD = 0.25


def seed_from(secret: str, *names: str) -> int:
    """A seed that only who knows the secret can tell."""
    digest = hashlib.sha256("/".join((secret, *names)).encode()).digest()
    return int.from_bytes(digest[:7], "big")


def with_hidden_probes(lesson: Lesson, secret: str) -> Lesson:
    """The lesson with a hidden twin of every probe that calls an answer once."""
    return replace(lesson, tasks=tuple(_task(task, secret) for task in lesson.tasks))


def _task(task: Task, secret: str) -> Task:
    twins = {
        probe.id: _twin(probe, secret, task.id)
        for probe in task.probes
        if probe.observe == RESULT and not probe.raises
    }
    return replace(
        task,
        probes=(*task.probes, *twins.values()),
        checks=tuple(_check(check, twins) for check in task.checks),
    )


def _check(check: Check, twins: Mapping[str, Probe]) -> Check:
    return replace(check, probes=(*check.probes, *(twins[name].id for name in check.probes if name in twins)))


def _twin(probe: Probe, secret: str, task: str) -> Probe:
    seed = seed_from(secret, task, probe.id)
    generator = torch.Generator().manual_seed(seed)
    return replace(
        probe,
        id=f"{probe.id}-hidden",
        hidden=True,
        seed=seed % 2**31,
        inputs={name: _moved(value, generator) for name, value in probe.inputs.items()},
        then={name: _moved(value, generator) for name, value in probe.then.items()},
    )


def _moved(value: Any, generator: torch.Generator) -> Any:
    if isinstance(value, Made):
        return replace(value, seed=int(torch.randint(2**31 - 1, (1,), generator=generator)))
    if not isinstance(value, Tensor) or not value.is_floating_point():
        return value
    if bool(((value == 0) | (value == 1)).all()):
        return value  # a mask, or the identity: what it says is not in the size of its numbers
    step = 2 * torch.rand(value.shape, generator=generator, dtype=value.dtype) - 1
    return value * (1 + SPREAD * step)
