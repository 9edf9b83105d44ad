"""The effect of an answer's dropout in training mode, measured against its result without dropout.

A module is called in eval mode and then many times in training mode. A function is called many times, and its
results are compared with its input. Entries that are 0 without dropout show nothing and are left out.

Settings:
    p: the expected dropout probability. At 0.5, dropped and kept shares could not be told apart.
    copies: how many times the last axis repeats the same numbers. Dropout on weights drops all copies
        together; dropout on context vectors does not.
    input: for a function, the name of the input that the result is compared with.
    measures: how many of the `MEASURES` to return, counted from the first; all by default.

Shapes:
    returns: (measures,), float: see `MEASURES`
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from autograder.experiments.base import Experiment, Settings, Subject
from autograder.words.language import _
from autograder.words.phrases import N_, number_text
from autograder.words.plugin_words import Case, Seen

# What the experiment writes down, in this order: the first that differs says most.
MEASURES = (
    "finite",
    "left alone in eval mode",
    "draws differ",
    "share kept",
    "copies together",
    "one by one",
    "counts vary",
    "one factor",
    "factor",
    "size in eval mode",
)


def _run(subject: Subject, settings: Settings) -> Any:
    draws, result = _draws(subject, settings)
    return result if draws is None else _measures(draws, settings)


def _raw(subject: Subject, settings: Settings) -> Any:
    """Return the results to measure, where nobody can have a hand in it.

    Shapes:
        returns: (3 + calls, …): without dropout before, again and after, then in training mode
    """
    draws, result = _draws(subject, settings)
    return result if draws is None else draws


def _measured(seen: Tensor, settings: Settings) -> Tensor | None:
    """Return what the results of `raw` come to, and what was dropped from; None where that cannot be told."""
    fits = seen.ndim >= 2 and len(seen) > 3 and seen.numel() > 0 and seen.is_floating_point()
    if not fits or seen.shape[-1] % int(settings.get("copies", 1)):
        return None
    return torch.cat([_measures(seen, settings), seen[0].float().flatten()])


@torch.no_grad()
def _draws(subject: Subject, settings: Settings) -> tuple[Tensor | None, Any]:
    """Return the results to measure, as `raw` gives them; else None, and one that cannot be measured."""
    module = subject.module
    if module is None:
        base = again = subject.inputs[settings["input"]]
    else:
        module.eval()
        base, again = subject.call(subject.inputs), subject.call(subject.inputs)
        if not isinstance(base, Tensor):
            return None, base
        base = base.detach().clone()
        module.train()
    measurable = base.double().abs() > 1e-6
    if not bool(measurable.any()) or base.ndim == 0 or base.shape[-1] % int(settings.get("copies", 1)):
        return None, base  # nothing to drop, or nothing that repeats: let the result itself be judged
    draws = []
    for _call in range(_calls(int(measurable.sum()), float(settings["p"]))):
        draw = subject.call(subject.inputs)
        if not isinstance(draw, Tensor) or draw.shape != base.shape:
            return None, draw
        draws.append(draw.detach().clone())
    last = base
    if module is not None:
        module.eval()
        last = subject.call(subject.inputs)
        if not isinstance(last, Tensor):
            return None, last
    if again.shape != base.shape or last.shape != base.shape:
        return None, last
    return torch.stack([base, again.detach(), last.detach(), *draws]), None


def _measures(draws: Tensor, settings: Settings) -> Tensor:
    """Return what results with and without dropout come to: see `MEASURES`."""
    p, copies = float(settings["p"]), int(settings.get("copies", 1))
    wanted = int(settings.get("measures", len(MEASURES)))
    base, again, last = draws[:3]
    measurable = base.double().abs() > 1e-6
    if not _equal(last, base) or not _equal(again, base):
        return torch.eye(len(MEASURES))[0][:wanted]  # nothing else can be told
    drawn = draws[3:].double()  # (calls, …)
    if not bool(drawn[:, base.isfinite()].isfinite().all()):
        return torch.zeros(len(MEASURES))[:wanted]
    survived = drawn.abs() > 1e-9
    factors = (drawn / base.double())[survived & measurable]
    factor = float(factors.median()) if factors.numel() else 0.0
    even = bool(((factors - factor).abs() < 1e-3).all()) and not bool(
        (drawn[:, ~measurable].abs() > 1e-6).any()
    )
    apart = survived.reshape(*survived.shape[:-1], copies, -1)  # (calls, …, copies, size)
    together = bool((apart == apart[..., :1, :]).all())
    first = measurable.reshape(*measurable.shape[:-1], copies, -1)[..., 0, :]  # (…, size)
    patterns = apart[..., 0, :][:, first]  # (calls, entries)
    distinct = patterns.unique(dim=1)  # (calls, draws); entries that share a draw are kept in the same calls
    counts = distinct.sum(dim=1)  # (calls,)
    share = float(survived[:, measurable].double().mean())
    return torch.tensor(
        [
            1.0,
            1.0,
            float(bool((drawn != drawn[0]).any())),
            _settled(share, p, distinct.numel()),
            float(together),
            float(distinct.shape[1] == patterns.shape[1]),
            float(bool((counts != counts[0]).any())),
            float(even),
            round(factor, 3) if even else 0.0,
            float(base.double().abs().nan_to_num().sum()),
        ][:wanted]
    )


def _equal(first: Tensor, other: Tensor) -> bool:
    """Tell whether two results are the same to the last bit; nan equals nan here."""
    if first.shape != other.shape:
        return False
    return bool(((first == other) | (first.isnan() & other.isnan())).all())


def _calls(entries: int, p: float) -> int:
    """Count the draws it takes to count what is kept, and to tell the entries from each other."""
    calls = max(4000 / entries, 32)
    alike = p**2 + (1 - p) ** 2  # the chance that a draw treats two entries of their own the same
    if alike < 1:
        # Less than one chance in a million that any two look like one: the smaller p, the more it takes.
        calls = max(calls, math.log(1e6 * entries**2 / 2) / -math.log(alike))
    return math.ceil(min(calls, 256))


def _settled(share: float, p: float, count: int) -> float:
    """Return a share that was counted, as the one it can be told from: 1 - p, p, or itself to one decimal."""
    if share in (0.0, 1.0):
        return share  # nothing was drawn
    # Five standard deviations of a binomial count: less than one run in a million falls outside by chance.
    margin = 5 * math.sqrt(p * (1 - p) / max(count, 1))
    for likely in (1 - p, p):
        if abs(share - likely) <= margin:
            return round(likely, 3)
    return round(share, 1)


# What is said of each measure; of some in two ways, the second of which stands under True: see `case`.
WORDS = {
    ("finite", False): N_(
        "The result holds nan or inf{where}.",
        "Look for something that holds −inf and is dropped, or multiplied: 0 times −inf is nan.",
    ),
    ("finite", True): N_(
        "In training mode the result holds nan or inf{where}.",
        "Look for something that holds −inf and is dropped, or multiplied: 0 times −inf is nan.",
    ),
    ("left alone in eval mode", False): N_(
        "In eval mode something is dropped, or training has left something behind. This was seen{where}.",
        "In eval mode nothing is dropped and nothing is scaled, before training and after it.",
    ),
    ("draws differ", True): N_(
        "Every call gives the same result{training}{where}.",
        "Nothing is dropped, or the same entries each time: every call needs a new draw.",
    ),
    ("draws differ", False): N_(
        "Something is dropped{where}, and nothing should be.", "With p = 0 every entry is kept."
    ),
    ("share kept", False): N_(
        "With p = {p}, {share} of the entries are kept{training}; it should be {right}.",
        "p is the share that is dropped.",
    ),
    ("copies together", True): N_(
        "Numbers that belong together are dropped one by one{training}.",
        "Drop what they are made of, before they are made of it.",
    ),
    ("copies together", False): N_(
        "Several entries are always dropped together{training}.", "Every entry has a draw of its own."
    ),
    ("one by one", False): N_(
        "Some entries are always dropped together{training}.",
        "Every entry has a draw of its own: not one for a whole row or column, and not one for the whole "
        "batch.",
    ),
    ("counts vary", False): N_(
        "Every call drops exactly as many entries{training}.",
        "Each entry is dropped with probability p, whatever becomes of the others.",
    ),
    ("one factor", True): N_(
        "In training mode, kept entries of several calls are not all multiplied by the same number.",
        "Nothing is normalised after dropout: every kept entry is the old one times 1/(1-p).",
    ),
    ("one factor", False): N_(
        "Kept entries of several calls are not all multiplied by the same number.",
        "Every kept entry is the old one times 1/(1-p).",
    ),
    ("factor", True): N_(
        "The kept entries are multiplied by {factor}{training}; with p = {p} it should be 1/(1-p) = {right}.",
        "Without it, the sums shrink by the share that is dropped.",
    ),
    ("factor", False): N_(
        "The kept entries are multiplied by {factor}{training}; with p = {p} it should be 1/(1-p) = {right}.",
        "A larger factor makes the sums grow: is the scaling done twice, or is it 1/p?",
    ),
    ("size in eval mode", False): N_(
        "In eval mode the result is not what it should be without any dropout{where}.",
        "The scaling belongs to training: there the kept entries grow, and eval mode changes nothing.",
    ),
}


def _case(seen: Seen) -> Case:
    p, copies = float(seen.probe.settings["p"]), int(seen.probe.settings.get("copies", 1))
    module, measure = seen.task.kind == "module", MEASURES[seen.finding.index[0]]
    second = {
        "finite": module,
        "draws differ": bool(seen.finding.expected),
        "copies together": bool(seen.finding.expected) and copies > 1,
        "one factor": module,
        "factor": seen.finding.obtained < 1 / (1 - p),
    }
    return (measure, second.get(measure, False)), {
        "training": _(" in training mode") if module else "",
        "p": f"{p:g}",
        "share": f"{round(seen.finding.obtained * 100)} %",
        "factor": number_text(seen.finding.obtained),
        "right": number_text(1 / (1 - p)) if measure == "factor" else f"{round((1 - p) * 100)} %",
    }


def _problem(settings: Settings) -> str:
    return "cannot tell what is dropped from what is kept with p = 0.5" if settings.get("p") == 0.5 else ""


DROPOUT = Experiment("dropout", _run, WORDS, _case, axes=1, raw=_raw, measured=_measured, problem=_problem)
