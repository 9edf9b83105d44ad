"""The signature of a failure: a short description of an answer's wrong outcome on one probe.

It is short enough to be stored for every pair of mistakes, and equal for two answers that behave the same.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from autograder.records.bank import RESULT, Probe, SignatureTable, Task
from autograder.records.run_outcome import MAX_TEXT, ErrorReport, Outcome
from autograder.records.tensor_comparison import close, dtype_fits, looks_rounded, narrower, type_fits

NUMBERS = 3  # of a result that are kept
# Two routes to one result differ by rounding; two results that differ at all differ by far more.
CLOSE = 3e-5
# They also differ from each other by more than this share of what they differ by from the right one,
APART = 0.1
# if that is more than rounding.
ROUNDING = 3e-6
# What is stored for a result that holds nan or inf, so that it still has numbers to compare.
NAN, ABOVE, BELOW = 17.0, 19.0, -23.0
# A result is nearly right that is off by less than this share of its largest number.
NEARLY = 6e-3

UNCALLED = "not called"
REFUSED_OTHERWISE = "refused as "
REFUSED_UNSAID = "refused without a name"
LACKS, EXTRA, RESHAPED = "lacks ", "extra ", "shape of "
RAISES = "raises "


@dataclass(frozen=True)
class FailureSignature:
    """A short description of an answer's wrong outcome on one probe."""

    result: str = ""  # the kind of wrong result: its shape, its type or what was raised; "" for a right one
    places: str = ""  # the places where a result of the right shape is wrong
    numbers: tuple[float, ...] = ()  # three numbers that describe the result
    marks: frozenset[str] = frozenset()  # other mistakes beside it: "changes x", "lacks kernel.weight"
    apart: float = math.inf  # the distance of its numbers from those of the right result

    @property
    def wrong(self) -> bool:
        return bool(self.result or self.marks)

    @property
    def silent(self) -> bool:
        """Whether a result's numbers are all nan or all 0, as many different mistakes cause."""
        return bool(self.numbers) and self.numbers[-1] in (NAN, 0.0)


RIGHT = FailureSignature()
# Two mistakes at once, each of which shows here alone: whatever they show together is taken for theirs.
UNTRIED = FailureSignature("untried")


def failure_signature(task: Task, probe: Probe, outcome: Outcome) -> FailureSignature:
    """Return the signature of an outcome on a probe."""
    if outcome.uncalled is not None:
        return FailureSignature(UNCALLED)
    if probe.raises:
        if outcome.error is None:
            return FailureSignature("accepted")
        proper = outcome.error.is_one_of(probe.raises)
        if not proper:
            return FailureSignature(marks=frozenset({REFUSED_OTHERWISE + outcome.error.type}))
        return FailureSignature(marks=frozenset({REFUSED_UNSAID})) if unsaid_in(probe, outcome) else RIGHT
    marks = frozenset(_marks(task, probe, outcome))
    if outcome.error is not None:
        return FailureSignature(_raised(task, outcome.error), marks=marks)
    if outcome.tensor is None:
        return FailureSignature(f"{outcome.type_name} {outcome.shape}", marks=marks)
    expected = probe.expected.tensor
    shape = str(tuple(outcome.tensor.shape))
    if expected is None or expected.shape != outcome.tensor.shape:
        return FailureSignature(shape, "", numbers_of(outcome.tensor), marks)
    wrong = ~close(outcome.tensor, expected)
    if not bool(wrong.any()):
        return FailureSignature(marks=marks)
    places = _places(outcome.tensor, expected, wrong, probe.observe == RESULT)
    numbers = numbers_of(outcome.tensor)
    apart = max(abs(number - other) for number, other in zip(numbers, numbers_of(expected), strict=True))
    return FailureSignature(shape, places, numbers, marks, apart)


def unsaid_in(probe: Probe, outcome: Outcome) -> str:
    """Return the first phrase that an error message should contain and does not; "" if it has all."""
    message = "" if outcome.error is None else outcome.error.message
    if len(message) >= MAX_TEXT:
        return ""  # it is cut there
    return next((phrase for phrase in probe.settings.get("says", ()) if phrase not in message), "")


def numbers_of(tensor: Tensor) -> tuple[float, ...]:
    """Return three numbers that hardly any two tensors share: two weighted sums, and the root mean square."""
    flat = tensor.detach().double().flatten().nan_to_num(nan=NAN, posinf=ABOVE, neginf=BELOW)
    count = flat.numel()
    if not count:
        return (0.0,) * NUMBERS
    sums = _directions(count) @ flat / math.sqrt(count)
    return (*sums.tolist(), float(flat.square().mean().sqrt()))


def _places(actual: Tensor, expected: Tensor, wrong: Tensor, is_result: bool) -> str:
    """Return the wrong rows or entries of a result in short, or that all are nearly right."""
    result, right = actual.double(), expected.double()
    if is_result and looks_rounded(result, right):
        return "rounded"
    if is_result and float((result - right).abs().max()) < NEARLY * float(right.abs().max()):
        return "nearly"
    if wrong.ndim < 2:
        return ",".join(str(index) for index in wrong.flatten().nonzero().flatten()[:12].tolist())
    return hashlib.blake2s(bytes(wrong.any(dim=-1).flatten().tolist()), digest_size=3).hexdigest()


def tabulate(
    members: Sequence[tuple[int, ...]], sights: Sequence[Mapping[str, FailureSignature]]
) -> SignatureTable:
    """Return the signatures of known mistakes as the bank's table.

    Args:
        members: for each explanation (one mistake or several together), the positions of its mistakes among
            the task's known wrong answers.
        sights: for each explanation, its signature on each probe.
    """
    probes = list(sights[0]) if sights else []
    kinds: dict[tuple[str, str], int] = {("", ""): 0}
    marks: dict[tuple[str, ...], int] = {(): 0}
    # As single numbers first: what differs by rounding is one sight.
    rows = torch.tensor(
        [
            (
                kinds.setdefault((seen.result, seen.places), len(kinds)),
                marks.setdefault(tuple(sorted(seen.marks)), len(marks)),
                *(seen.numbers or (0.0,) * NUMBERS),
            )
            for signature in sights
            for seen in (signature[name] for name in probes)
        ],
        dtype=torch.float32,
    ).reshape(-1, 2 + NUMBERS)
    different, cells = rows.unique(dim=0, return_inverse=True)
    width = max(map(len, members), default=0)
    return SignatureTable(
        probes=tuple(probes),
        kinds=tuple(kinds),
        marks=tuple(marks),
        members=torch.tensor(
            [[*combination, *[-1] * (width - len(combination))] for combination in members], dtype=torch.int16
        ),
        cells=cells.reshape(len(members), len(probes)).int(),
        kind=different[:, 0].short(),
        mark=different[:, 1].short(),
        numbers=different[:, 2:].contiguous(),
    )


def _marks(task: Task, probe: Probe, outcome: Outcome) -> list[str]:
    expected = probe.expected
    seen, right = outcome.module, expected.module
    marks = [f"changes {name}" for name in set(outcome.changed_inputs) - set(expected.changed_inputs)]
    if outcome.error is None:
        marks += [f"leaves {name}" for name in set(expected.changed_inputs) - set(outcome.changed_inputs)]
    marks += [LACKS + name for name in seen.missing]
    # A parameter of a layer that the task does not know may have any name.
    layers = {name.rpartition(".")[0] or name for name in probe.weights}
    marks += [
        EXTRA + (name if (name.rpartition(".")[0] or name) in layers else "other") for name in seen.unexpected
    ]
    marks += [RESHAPED + parameter.name for parameter in seen.reshaped]
    if set(seen.unreached) - set(right.unreached) - set(seen.frozen):
        marks.append("no gradient")
    if set(seen.frozen) - set(right.frozen):
        marks.append("frozen")
    marks += [f"shares {name}" for name in set(seen.shared) - set(right.shared)]
    if seen.unsteady and not right.unsteady:
        marks.append("unsteady")
    if outcome.tensor is None or probe.observe != RESULT:
        return marks
    if not type_fits(task, outcome):
        marks.append(f"type {outcome.type_name}")
    elif not dtype_fits(task, outcome):
        marks.append("dtype")
    elif narrower(outcome.dtype, expected.dtype):
        marks.append("narrower dtype")
    return marks


def _raised(task: Task, error: ErrorReport) -> str:
    """Return what was raised: by which operation and of which sizes, whatever names the message quotes.

    Of an answer's own refusal, as the task asks for one elsewhere, the words are the answer's own.
    """
    refusals = {name for probe in task.probes for name in probe.raises}
    if error.is_one_of(refusals) and re.search(r"\braise\b", error.line):
        return f"{RAISES}{error.type}"
    message = re.sub(r"'[A-Za-z_][\w.]*'", "''", re.sub(r"0x[0-9a-f]+", "", error.message))
    return f"{RAISES}{error.type}: {message[:160]}"


@lru_cache(maxsize=256)
def _directions(count: int) -> Tensor:
    """Two fixed directions in which a tensor's numbers are added up. Shape (2, count)."""
    steps = torch.arange(1, count + 1, dtype=torch.float64)
    return torch.stack((torch.sin(steps * 12.9898 + 0.5), torch.sin(steps * 78.233 + 1.5))) * math.sqrt(2)
