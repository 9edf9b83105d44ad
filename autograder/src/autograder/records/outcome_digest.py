"""A digest of an answer's outcomes, which tells at once whether they equal the solution's.

During grading, an answer is judged in another process, and the right outcomes are not in the learner's.
General experiments take longer than everything else, though most answers are right and need none. So the bank
without answers has this digest for the probes that a learner sees, and an answer with the same digest gets no
experiments. The digest reveals nothing that a check at home does not, contains no number of the solution, and
earns nothing. Right answers that round differently may have another digest: they are examined as if they were
wrong.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from autograder.records import serialization

if TYPE_CHECKING:
    from torch import Tensor

    from autograder.records.bank import Probe
    from autograder.records.run_outcome import Outcome

REFUSED = "refused"
BYTES = 4
DIGITS = 4  # of a tensor's numbers in short: two routes to one result differ in the seventh
NAN, ABOVE, BELOW = 17.0, 19.0, -23.0


def outcome_digest_of(probes: Sequence[Probe], outcomes: Mapping[str, Outcome]) -> str:
    """Return the digest of an answer's outcomes on a task's probes."""
    parts = [_part(probe, outcomes[probe.id]) for probe in probes if probe.id in outcomes]
    return hashlib.blake2s(json.dumps(parts).encode(), digest_size=BYTES).hexdigest()


def expected_digest_of(probes: Sequence[Probe]) -> str:
    """Return the digest of the solution's outcomes on a task's probes."""
    parts = [REFUSED if probe.raises else _part(probe, probe.expected) for probe in probes]
    return hashlib.blake2s(json.dumps(parts).encode(), digest_size=BYTES).hexdigest()


def _part(probe: Probe, outcome: Outcome) -> Any:
    if probe.raises and outcome.error is not None and outcome.error.is_one_of(probe.raises):
        names = all(phrase in outcome.error.message for phrase in probe.settings.get("says", ()))
        return REFUSED if names else "refused without a name"
    return [
        outcome.type_name,
        outcome.shape,
        outcome.dtype,
        outcome.device,
        None if outcome.error is None else outcome.error.type,
        outcome.uncalled is None,
        sorted(outcome.changed_inputs),
        serialization.encode(outcome.module)[0],
        None if outcome.tensor is None else _in_short(outcome.tensor),
    ]


def _in_short(tensor: Tensor) -> list[float]:
    flat = tensor.detach().double().flatten().nan_to_num(nan=NAN, posinf=ABOVE, neginf=BELOW)
    count = flat.numel()
    size = float(flat.square().mean().sqrt()) if count else 0.0
    if not size:
        return [0.0]
    sums = _directions(count) @ (flat / size) / math.sqrt(count)
    # + 0.0, since a sum that is nothing but rounding may be -0.0.
    return [float(f"{size:.{DIGITS}g}"), *(round(number, DIGITS) + 0.0 for number in sums.tolist())]


@lru_cache(maxsize=64)
def _directions(count: int) -> Tensor:
    """Three fixed directions in which a tensor's entries are added up. Shape (3, count)."""
    import torch  # not above: see `bank.files`

    places = torch.arange(1, count + 1, dtype=torch.float64)
    steps = torch.tensor([7.3891, 54.598, 20.086], dtype=torch.float64)[:, None]
    return torch.sin(places * steps + steps.sqrt())
