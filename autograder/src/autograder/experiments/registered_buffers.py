"""The buffers of a module: whether its state dict has each buffer that the solution registers.

Settings:
    names: the buffers' names; set by the build.
    sizes: the sizes of each buffer, without axes of size 1; set by the build.

Shapes:
    returns: (buffers,): `MISSING`, `RIGHT` or `RESIZED`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.experiments.base import Experiment, Settings, Subject
from autograder.words.phrases import N_, shape_text
from autograder.words.plugin_words import Case, Seen

MISSING, RIGHT, RESIZED = 0, 1, 2


def _run(subject: Subject, settings: Settings) -> Any:
    assert subject.module is not None
    state = subject.module.state_dict()
    return torch.tensor(
        [
            MISSING if name not in state else RIGHT if sizes_of(state[name]) == list(sizes) else RESIZED
            for name, sizes in zip(settings["names"], settings["sizes"], strict=True)
        ]
    )


def sizes_of(buffer: Tensor) -> list[int]:
    """Return a tensor's sizes without axes of size 1, which a mask may have for batch and channels."""
    return [size for size in buffer.shape if size > 1]


WORDS = {
    "size": N_(
        "The buffer `{name}` of `{answer}` has another size than {sizes}{where}.",
        "Make it as large as the constructor's arguments say.",
    ),
    "missing": N_(
        "`{name}` is not in the state dict of `{answer}`.",
        "A plain tensor on `self` stays behind when the module moves to another device, and is not saved "
        'with it. `self.register_buffer("{own}", tensor)` makes it part of the module.',
    ),
}


def _case(seen: Seen) -> Case:
    name = seen.probe.settings["names"][seen.finding.index[0]]
    if seen.finding.obtained == RESIZED:
        return "size", {
            "name": name,
            "sizes": shape_text(seen.probe.settings["sizes"][seen.finding.index[0]]),
        }
    return "missing", {"name": name, "own": name.rpartition(".")[2]}  # a module within registers its own


def _settings(parameters: Sequence[str], buffers: Mapping[str, Sequence[int]]) -> Settings:
    return {"names": list(buffers), "sizes": list(buffers.values())}


BUFFERS = Experiment("buffers", _run, WORDS, _case, axes=1, settings=_settings)
