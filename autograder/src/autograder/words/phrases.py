"""What messages are made of: sentences in the learner's language, and how axes, places and numbers read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograder.records import answer_findings as f
from autograder.records.bank import AS_SEEN, Task, axis_parts
from autograder.words.language import _, ngettext, translated

KINDS = {"tensor": "tensor", "function": "function", "module": "class", "class": "class"}


@dataclass(frozen=True)
class Message:
    """What to show for one finding: one sentence, then any details, then the code line it is about."""

    headline: str
    details: tuple[str, ...] = ()
    code: str = ""


def N_(*sentences: str) -> tuple[str, ...]:  # noqa: N802 (gettext's name for it)
    """Return sentences of a table, in English: they are translated where they are said."""
    return sentences


# Axes that any course may have, and what one entry along them is called. A course names its own.
(BATCH,) = N_("batch element")
AXES = dict.fromkeys(("b", "batch", "batch_size"), BATCH)
AXES |= zip(N_("rows", "columns"), N_("row", "column"), strict=True)
(OR,) = N_("or")

# What kind of thing is wrong, in words that many answers share: nothing that the learner's process said.
_IN_SHORT = {
    f.StillStub: N_("nothing was written"),
    f.NotDefined: N_("the answer is not defined: its cell fails, or another name is used"),
    f.NotRun: N_("the answer did not run to its end"),
    f.GivensChanged: N_("the lesson's example data was changed"),
    f.NotAFunction: N_("the answer is of another kind"),
    f.NotCalled: N_("the answer cannot be called as the task says"),
    f.Raised: N_("the answer raises an error"),
    f.WrongType: N_("the result is of another type"),
    f.WrongParameters: N_("the module has other parameters"),
    f.WrongShape: N_("the result has another shape"),
    f.WrongDtype: N_("the result has another dtype"),
    f.NotFinite: N_("the result holds nan or inf"),
    f.NotRefused: N_("the answer takes what it should refuse"),
    f.WrongValues: N_("the result has the wrong numbers"),
    f.NotComputed: N_("right for the lesson's data and wrong for others: typed in, or read from elsewhere"),
    f.CallsForbidden: N_("right, with a call that the task forbids"),
}


def in_short(kind: type[f.Finding]) -> str:
    """Return what a kind of finding is in a few words; "" where that depends on the answer."""
    return _(_IN_SHORT[kind][0]) if kind in _IN_SHORT else ""


def tell(says: Sequence[str], code: str = "", **values: Any) -> Message:
    """Return a message in the spoken language: a headline and details, in which `values` fill in braces."""
    headline, *details = (_(sentence, **values) for sentence in says)
    return Message(capital(headline), tuple(details), code)


def about(finding: f.Finding, task: Task, says: Sequence[str], code: str = "", **values: Any) -> Message:
    """Return a message about a finding.

    Its sentences may name the `answer` by its name and the `kind` that the task asks for, `where` the finding
    was made, and its `place` in the result.
    """
    labels = {
        "answer": task.name,
        "kind": KINDS[task.kind],
        "where": on_which(finding, task),
        "place": location_text(getattr(finding, "index", ()), task),
    }
    return tell(says, code, **{**labels, **values})


def on_which(finding: f.Finding, task: Task) -> str:
    """On which input the finding was made; nothing for an answer that is itself a tensor."""
    probe = task.probe.get(finding.probe)
    if probe is None or (task.kind == "tensor" and probe.id == AS_SEEN):
        return ""
    if task.kind == "tensor":
        return _(" with {input}", input=probe.says)
    return _(" on {input}", input=probe.says)


def axis_name(axes: Sequence[str], axis: int) -> str:
    """Return an axis of a result or an input as its author names it; "" for one without a name."""
    return axes[axis] if -len(axes) <= axis < len(axes) else ""


def axis_label(task: Task, axis: int) -> str:
    """Return what an axis is called: "stations as start" reads "stations, one for each start"."""
    symbol, role = axis_parts(axis_name(task.axes, axis))
    label = _(symbol) if symbol in AXES else translated("axis", symbol)
    return _("{axis}, one for each {entry}", axis=label, entry=entry_name(task, role)) if role else label


def is_batch(axis: str) -> bool:
    """Tell whether an axis is that of the elements of a batch."""
    return AXES.get(axis) == BATCH


def entry_name(task: Task, axis: str) -> str:
    """Return what one entry is called along an axis, or in a role: "station" of "stations"."""
    return _(AXES[axis]) if axis in AXES else translated("axis", task.entries.get(axis, axis))


def slice_at(task: Task, axis: str, position: int) -> str:
    """One place along an axis: "start 2" of "stations as start", and "station 2" of "stations"."""
    symbol, role = axis_parts(axis)
    return f"{entry_name(task, role or symbol)} {position}"


def location_text(index: Sequence[int], task: Task) -> str:
    """Return the location of an entry in a result, to begin a sentence: "Entry [0, 2] (start 0, end 2)"."""
    if not index:
        return capital(_("the result"))
    fits = len(task.axes) == len(index)
    named = [slice_at(task, task.axes[axis], at) for axis, at in enumerate(index) if fits and task.axes[axis]]
    location = ", ".join(map(str, index))
    return capital(_("entry [{place}]", place=location)) + (f" ({', '.join(named)})" if named else "")


def shape_text(shape: Sequence[int]) -> str:
    """Return a shape as a learner reads it, as "(6, 3)"; "()" is a single number."""
    return "(" + ", ".join(str(size) for size in shape) + ("," if len(shape) == 1 else "") + ")"


def number_text(value: float) -> str:
    """Return a number with four decimals where that shows it, and in scientific form where it does not."""
    if math.isnan(value) or math.isinf(value):
        return str(value)
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    if 1e-3 <= abs(value) < 1e5:
        return f"{value:.4f}"
    return f"{value:.3e}"


def numbers_apart(obtained: float, expected: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to see that they differ."""
    texts = number_text(obtained), number_text(expected)
    for digits in range(5, 17):
        if texts[0] != texts[1]:
            break
        texts = f"{obtained:.{digits}g}", f"{expected:.{digits}g}"
    return texts


def axes_text(number: int) -> str:
    """So many axes, as "2 axes"."""
    return ngettext("{number} axis", "{number} axes", number) if number else _("no axes")


def kind_text(type_name: str) -> str:
    """Return a value's type with its article, as "a list"."""
    if type_name == "NoneType":
        return "None"
    if type_name == "torch.Tensor":
        return _("a tensor")
    vowel = type_name[:1].lower() in "aeiou"
    return _("an {type}", type=type_name) if vowel else _("a {type}", type=type_name)


def listed(names: Sequence[str], word: str = "") -> str:
    """Names in a row: "a, b and c", or with another word than "and"."""
    if len(names) < 2:
        return "".join(names)
    word = word or _("and")
    return ", ".join(names[:-1]) + f" {word} {names[-1]}"


def as_code(names: Sequence[str], word: str = "") -> str:
    """Names in a row, each set as code."""
    return listed([f"`{name}`" for name in names], word)


def capital(text: str) -> str:
    """Return a sentence's beginning."""
    return text[:1].upper() + text[1:]
