"""The wording of facts about a wrong answer that experiments reveal, whatever its mistake."""

from __future__ import annotations

import math
from collections.abc import Callable

from autograder.records import answer_findings as f
from autograder.records.bank import Task, axis_parts
from autograder.words.language import _, ngettext
from autograder.words.phrases import (
    N_,
    Message,
    as_code,
    axis_name,
    is_batch,
    number_text,
    on_which,
    slice_at,
    tell,
)
from autograder.words.trace_wording import line_text


def fact_text(fact: f.Fact, task: Task) -> str:
    """Return sentences on a fact and on its likely cause."""
    message = fact_message(fact, task)
    return " ".join((message.headline, *message.details))


def fact_message(fact: f.Fact, task: Task) -> Message:
    """Return the message about a fact: a headline and details."""
    return _FACTS[type(fact)](fact, task)


def _unsteady(fact: f.Unsteady, task: Task) -> Message:
    where, share = _where_examined(task), max(1, round(100 * fact.share))
    apart = number_text(fact.apart)
    if fact.place is not None:
        return tell(
            N_(
                "Two calls with the same input give different results{where}.",
                "Between the calls, {share} % of the entries differ, by up to {apart}. Of your lines, {line} "
                "is the first that makes other numbers in the second call: is something drawn at random, "
                "made anew in each call, or kept from the call before?",
            ),
            where=where,
            share=share,
            apart=apart,
            line=line_text(fact.place),
        )
    return tell(
        N_(
            "Two calls with the same input give different results{where}.",
            "Between the calls, {share} % of the entries differ, by up to {apart}. Until they agree, numbers "
            "tell little: is something drawn at random, made anew in each call, or kept from one call to the "
            "next?",
        ),
        where=where,
        share=share,
        apart=apart,
    )


def _idle(fact: f.Idle, task: Task) -> Message:
    advice = ngettext(
        "A right answer depends on it.",
        "A right answer depends on them.",
        len(fact.names),
    )
    headline = _(
        "In what was tried, {names} had little or no effect on the result{where}.",
        names=as_code(fact.names),
        where=_where_examined(task),
    )
    return Message(headline, (advice,))


_REACHES = {
    "too short": N_(
        "The result of {entry} hardly changed, or not at all, when {changed} of `{input}` was "
        "changed{where}.",
        "It should. What takes its influence away?",
    ),
    "mixes": N_(
        "The result of {entry} changes when {changed} of `{input}` changes{where}.",
        "The elements of a batch must not mix.",
    ),
    "too far": N_(
        "The result of {entry} changes when {changed} of `{input}` changes{where}, and it must not.",
        "Which line brings it there?",
    ),
}


def _reaches(fact: f.Reaches, task: Task) -> Message:
    symbol, _role = axis_parts(fact.axis)
    own = fact.output == fact.changed and fact.along in (symbol, fact.axis)
    return tell(
        _REACHES["too short" if fact.missing else "mixes" if is_batch(symbol) else "too far"],
        input=fact.input,
        entry=slice_at(task, fact.axis, fact.output),
        changed=_("its own place") if own else slice_at(task, fact.along, fact.changed),
        where=_where_examined(task),
    )


def _where_examined(task: Task) -> str:
    """On which input it was seen what an answer depends on."""
    return on_which(f.Finding(probe=task.examined.probe), task) if task.examined else ""


TYPED = N_("Typed numbers earn nothing, however many digits they have: compute them from the tensors above.")
_RELATED = {
    "sign": N_(
        "Every number has the wrong sign{where}.",
        "The sizes are right: was something subtracted the wrong way round?",
    ),
    "times": N_(
        "Every number is {value} times what it should be{where}.",
        "Is a factor missing, is there one too many, or is one another number? Is it a sum instead of a "
        "mean? Is a division left out?",
    ),
    "plus": N_("Every number is off by the same amount{where}, {value}."),
    "turned": N_(
        "These are the right numbers{where}, turned: rows and columns have changed places.",
        "Is there a transpose too many, are two factors in the wrong order, or is something stacked along "
        "the other axis?",
    ),
    "reversed": N_("These are the right numbers{where}, in reverse order along axis {axis}."),
    "digits": N_(
        "The numbers are right to about {digits} digits only{where}.",
        "That is more than rounding. Look for something small: half precision, a number in the code that is "
        "not exact, a formula that is nearly the same.",
    ),
    "but-one": N_("All is right{where} but {entry}."),
    "rows": N_(
        "Each line of numbers along the last axis is the right one{where}, times a factor of its own.",
        "Is something multiplied or divided there by another number? Look at sums, means and norms.",
    ),
    "order": N_(
        "These are the right numbers{where}, in another order along axis {axis}.",
        "Which line decides their order?",
    ),
    "places": N_(
        "All the right numbers are there{where}, in other places.",
        "Which line moves them, or cuts them into other axes?",
    ),
    "until": N_("Up to {entry} all is right{where}. In each later one something is wrong."),
    "from": N_("From {entry} on all is right{where}. In each earlier one something is wrong."),
    "only": N_("Only {entry} is right{where}."),
    "first": N_("Along axis {axis}, the first {count} are right{where}."),
    "last": N_("Along axis {axis}, the last {count} are right{where}."),
    "added": N_("The result{where} is the right one plus `{name}`."),
    "taken": N_("The result{where} is the right one minus `{name}`."),
    "input": N_("The result{where} is the right one plus {value} times `{name}`."),
    "alike": N_("Along axis {axis} all is the same{where}, and should differ."),
    "shared": N_("Along axis {axis} the numbers add up to 1{where}. They should along axis {count}."),
    "signs": N_(
        "Every number has the wrong sign{where}, and not all sizes are right.",
        "Was something subtracted the wrong way round, or a minus left out?",
    ),
    "finite": N_(
        "Entries that should be −inf are finite numbers{where}.", "Is what has to be hidden not hidden?"
    ),
    "true": N_("Every wrong entry is True{where} and should be False."),
    "false": N_("Every wrong entry is False{where} and should be True."),
}


def _related(fact: f.Related, task: Task) -> Message:
    index, axis = int(fact.value), axis_name(task.axes, fact.axis)
    entry = slice_at(task, axis, index)
    how = fact.how
    if abs(abs(fact.value) - 1) < 1e-4:
        how = {("times", False): "sign", ("input", True): "added", ("input", False): "taken"}.get(
            (how, fact.value > 0), how
        )
    if how == "times" and abs(fact.value - 1) < 1e-4:  # a factor that would read as 1.0000
        how, index = "digits", round(-math.log10(max(abs(fact.value - 1), 1e-12)))
    may_be_typed = how == "digits" and task.kind == "tensor"
    probe = task.probe.get(fact.probe)
    stacked = probe is not None and bool(probe.settings.get("stacked"))
    return tell(
        (*_RELATED[how], *TYPED) if may_be_typed else _RELATED[how],
        name=fact.name,
        count=_axis_number(index, stacked) if how == "shared" else index,
        axis=_axis_number(fact.axis, stacked),
        value=number_text(fact.value),
        digits=index,
        entry=entry if axis else _("slice {place} of axis {axis}", place=index, axis=fact.axis),
        where=on_which(f.Finding(probe=fact.probe), task),
    )


def _axis_number(axis: int, stacked: bool) -> str:
    """Return an axis's number; where several tensors come back, that in each of them."""
    if not stacked:
        return str(axis)
    return _("{axis} of each tensor", axis=axis - 1) if axis else _("0 (which counts the tensors)")


_FACTS: dict[type[f.Fact], Callable[..., Message]] = {
    f.Unsteady: _unsteady,
    f.Idle: _idle,
    f.Reaches: _reaches,
    f.Related: _related,
}
