"""The building blocks of messages: translated sentences, and the wording of axes, positions and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.records import answer_findings as f
from autograder.records.bank import AS_SEEN, Task, axis_parts
from autograder.words.language import _, ngettext, translated

KINDS = {"tensor": "tensor", "function": "function", "module": "class", "class": "class"}


@dataclass(frozen=True)
class Message:
    """The message about one finding: a headline, further sentences, and the line of code that it is about."""

    headline: str
    details: tuple[str, ...] = ()
    code: str = ""


def N_(*sentences: str) -> tuple[str, ...]:  # noqa: N802 (gettext's name for it)
    """Mark English sentences for translation and return them; they are translated when they are displayed."""
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
    """Return a kind of finding in a few words; "" if the words depend on the answer."""
    return _(_IN_SHORT[kind][0]) if kind in _IN_SHORT else ""


def tell(says: Sequence[str], code: str = "", **values: Any) -> Message:
    """Return a message in the present language: the first sentence as headline, the others as details.

    `values` replace the placeholders in braces.
    """
    headline, *details = (_(sentence, **values) for sentence in says)
    return Message(capital(headline), tuple(details), code)


def about(finding: f.Finding, task: Task, says: Sequence[str], code: str = "", **values: Any) -> Message:
    """Return a message about a finding, with the placeholders in its sentences `says` filled in.

    They are `answer` (the answer's name), `kind` (the kind of answer that the task asks for), `where` (the
    input with the finding), `place` (the entry of the result), and those of `values`.
    """
    labels = {
        "answer": task.name,
        "kind": KINDS[task.kind],
        "where": on_which(finding, task),
        "place": location_text(getattr(finding, "index", ()), task),
    }
    return tell(says, code, **{**labels, **values})


def on_which(finding: f.Finding, task: Task) -> str:
    """Return the input with the finding, as in " on a long text"; "" for an answer that is a tensor."""
    probe = task.probe.get(finding.probe)
    if probe is None or (task.kind == "tensor" and probe.id == AS_SEEN):
        return ""
    if task.kind == "tensor":
        return _(" with {input}", input=probe.says)
    return _(" on {input}", input=probe.says)


def axis_name(axes: Sequence[str], axis: int) -> str:
    """Return the name that the author gave to an axis; "" for an axis without one."""
    return axes[axis] if -len(axes) <= axis < len(axes) else ""


def axis_label(task: Task, axis: int) -> str:
    """Return the label of an axis: "stations as start" becomes "stations, one for each start"."""
    symbol, role = axis_parts(axis_name(task.axes, axis))
    label = _(symbol) if symbol in AXES else translated("axis", symbol)
    return (
        _("{axis}, one for each {entry}", axis=label, entry=entry_name(task.entries, role)) if role else label
    )


def is_batch(axis: str) -> bool:
    """Tell whether an axis is the batch axis."""
    return AXES.get(axis) == BATCH


def entry_name(entries: Mapping[str, str], axis: str) -> str:
    """Return the singular name of the entries along an axis, or in a role: "station" for "stations"."""
    return _(AXES[axis]) if axis in AXES else translated("axis", entries.get(axis, axis))


def slice_at(task: Task, axis: str, position: int) -> str:
    """Return the name of one position along an axis.

    It is "start 2" for the axis "stations as start", and "station 2" for the axis "stations".
    """
    symbol, role = axis_parts(axis)
    return f"{entry_name(task.entries, role or symbol)} {position}"


def location_text(index: Sequence[int], task: Task) -> str:
    """Return the location of an entry of a result, such as "Entry [0, 2] (start 0, end 2)"."""
    if not index:
        return capital(_("the result"))
    fits = len(task.axes) == len(index)
    named = [slice_at(task, task.axes[axis], at) for axis, at in enumerate(index) if fits and task.axes[axis]]
    location = ", ".join(map(str, index))
    return capital(_("entry [{place}]", place=location)) + (f" ({', '.join(named)})" if named else "")


def shape_text(shape: Sequence[int]) -> str:
    """Return a shape as text, such as "(6, 3)"; "()" for a single number."""
    return "(" + ", ".join(str(size) for size in shape) + ("," if len(shape) == 1 else "") + ")"


def number_text(value: float) -> str:
    """Return a number with four decimals, or in scientific form if that would not show it."""
    if math.isnan(value) or math.isinf(value):
        return str(value)
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    if 1e-3 <= abs(value) < 1e5:
        return f"{value:.4f}"
    return f"{value:.3e}"


def numbers_apart(obtained: float, expected: float) -> tuple[str, str]:
    """Return two numbers as text, with as many digits as they need to look different."""
    texts = number_text(obtained), number_text(expected)
    for digits in range(5, 17):
        if texts[0] != texts[1]:
            break
        texts = f"{obtained:.{digits}g}", f"{expected:.{digits}g}"
    return texts


def axes_text(number: int) -> str:
    """Return a number of axes in words, such as "2 axes"."""
    return ngettext("{number} axis", "{number} axes", number) if number else _("no axes")


def kind_text(type_name: str) -> str:
    """Return the name of a value's type with its article, such as "a list"."""
    if type_name == "NoneType":
        return "None"
    if type_name == "torch.Tensor":
        return _("a tensor")
    vowel = type_name[:1].lower() in "aeiou"
    return _("an {type}", type=type_name) if vowel else _("a {type}", type=type_name)


def listed(names: Sequence[str], word: str = "") -> str:
    """Return names as an enumeration, such as "a, b and c"; `word` replaces "and"."""
    if len(names) < 2:
        return "".join(names)
    word = word or _("and")
    return ", ".join(names[:-1]) + f" {word} {names[-1]}"


def as_code(names: Sequence[str], word: str = "") -> str:
    """Return names as an enumeration in which each is set as code; see `listed`."""
    return listed([f"`{name}`" for name in names], word)


def capital(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]
