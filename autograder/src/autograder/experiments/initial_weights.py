"""The initial weights of a module, before the probe's weights are loaded into it.

Settings:
    names: the parameters' names; set by the build.
    range: whether the values themselves count, rather than only whether they are random.

Shapes:
    returns: (parameters, 2 or 5), one row for each parameter: whether two modules have different values,
        whether the values differ from those of all earlier parameters, and with `range` the lowest, mean and
        highest value, rounded to one decimal
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from autograder.experiments.base import Experiment, Settings, Subject
from autograder.words.language import _
from autograder.words.phrases import N_
from autograder.words.plugin_words import Case, Seen


def _run(subject: Subject, settings: Settings) -> Any:
    assert subject.make is not None
    first, second = (dict(subject.make().named_parameters()) for _ in range(2))
    rows = []
    for position, name in enumerate(settings["names"]):
        start = first[name].detach()
        alike = [other for other in settings["names"][:position] if torch.equal(start, first[other])]
        row = [float(not torch.equal(start, second[name])), float(not alike)]
        if settings.get("range"):
            # The ends of a normal distribution differ from draw to draw; that they lie outside does not.
            ends = (max(float(start.min()), -1.0), float(start.mean()), min(float(start.max()), 2.0))
            row += [round(value, 1) for value in ends]
        rows.append(row)
    return torch.tensor(rows)


WORDS = {
    "drawn once": N_(
        "Every new `{answer}` has the same numbers in `{name}`.",
        "A model starts from numbers of its own, drawn afresh. Is it all zeros or ones, or is a seed set "
        "inside? Seeds are for the caller to set.",
    ),
    "drawn": N_(
        "Every new `{answer}` has other numbers in `{name}`.",
        "The task asks for the same numbers each time: zeros or ones, say, and nothing that is drawn.",
    ),
    "apart": N_(
        "`{name}` starts with numbers of its own, and the same as another of the parameters are asked for."
    ),
    "alike": N_(
        "`{name}` starts with the same numbers as another of the parameters.", "Draw each of them anew."
    ),
    "others": N_(
        "`{name}` starts with other numbers than the task says{where}: the {measure} about {obtained} and "
        "should be about {expected}.",
        "Look at what draws them, and at what is done to them afterwards.",
    ),
}


def _case(seen: Seen) -> Case:
    row, column = seen.finding.index
    # In the first two columns 1 says that the numbers are new, and other numbers than those before.
    wanted = ("drawn once", "alike") if seen.finding.expected else ("drawn", "apart")
    kinds = (*wanted, "others", "others", "others")
    what = ("", "", _("lowest number is"), _("mean is"), _("highest number is"))[column]
    return kinds[column], {"name": seen.probe.settings["names"][row], "measure": what}


def _settings(parameters: Sequence[str], buffers: Mapping[str, Sequence[int]]) -> Settings:
    return {"names": list(parameters)}


START_VALUES = Experiment("start-values", _run, WORDS, _case, axes=2, settings=_settings)
