"""The wording of findings about a wrong result: its type, shape, numbers or behaviour."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from autograder.records import answer_findings as f
from autograder.records.bank import Task
from autograder.words import plugin_words
from autograder.words.language import _, ngettext
from autograder.words.phrases import (
    N_,
    Message,
    about,
    as_code,
    axes_text,
    axis_label,
    capital,
    in_short,
    kind_text,
    listed,
    number_text,
    numbers_apart,
    on_which,
    shape_text,
)
from autograder.words.plugin_words import NOT_FINITE, OF_NOT_FINITE, Seen, sentences

# Types whose values give a result only when they are called.
CALLABLES = ("function", "method", "builtin_function_or_method", "type")


def _matches_known_wrong(finding: f.MatchesKnownWrong, task: Task) -> Message:
    if task.dtypes == ("bool",):
        return about(finding, task, N_("Not the right entries of True and False yet{where}."))
    return about(finding, task, N_("Not the right numbers yet{where}."))


_NOT_COMPUTED = {
    True: N_(
        "`{answer}` is right for the lesson's own numbers only.",
        "With other example data it stays the same: it was typed in, or computed from something that does "
        "not change with the data. Compute it from the tensors above.",
    ),
    False: N_(
        "`{answer}` is right for the lesson's own numbers only.",
        "With other data of the same form its result is not the right one. Is a number or a size in it that "
        "only fits the lesson's data?",
    ),
}


def _not_computed(finding: f.NotComputed, task: Task) -> Message:
    return about(finding, task, _NOT_COMPUTED[finding.typed])


# What is said of a result of some other type, by what it is taken for.
_WRONG_TYPE = {
    "no module": N_(
        "`{answer}` is a class, but no module.",
        "Write `class {answer}(torch.nn.Module):`, with `super().__init__()` first in `__init__`.",
    ),
    "nothing": N_(
        "`{answer}` gives back nothing{where}.",
        "Is there a `return` at the end? Without one a function gives back None.",
    ),
    "none": N_(
        "`{answer}` is None.",
        "`print(...)` shows a value and gives back None: assign the value itself.",
    ),
    "values and positions": N_(
        "{subject} values together with their positions{where}, and the task asks for {wanted}.",
        "Take the values alone: `.values`.",
    ),
    "shape": N_(
        "{subject} a shape{where}, and the task asks for {wanted}.",
        "`.shape` tells how large a tensor is. Is it what you meant to use here?",
    ),
    "not called": N_(
        "{subject} {type}{where}, not its result.",
        "Call it: write parentheses with its arguments after the name.",
    ),
    "several": N_(
        "{subject} {type}{where} that does not hold tensors of one shape.",
        "The task asks for tensors of the shape {shape}.",
    ),
    "other": N_("{subject} {type}{where}, and the task asks for {wanted}."),
}
# What is advised beside "other".
_TYPE_ADVICE = {
    "sparse tensor": N_("Leave out `.to_sparse()`: few operations know what to do with such a tensor."),
    "list": N_("`torch.tensor(...)` makes a tensor of a list of numbers, `torch.stack(...)` of tensors."),
    "list for a number": N_(
        "It is inside a list, or several numbers still have to become one: `sum(...)` adds up."
    ),
    "tuple": N_("A comma at the end of a line, or between two values, makes a tuple."),
    "tuple of parts": N_(
        "`chunk`, `split` and `unbind` give one, and so do two values after one `return`. `torch.stack` "
        "and `torch.cat` make one tensor of several."
    ),
    "numpy.ndarray": N_("The course works in torch: `torch.from_numpy(...)` turns an array into a tensor."),
    "float": N_(
        "A tensor of shape {shape} is asked for, and one number is too few: was it summed once too often?"
    ),
}


def _wrong_type(finding: f.WrongType, task: Task) -> Message:
    probe, kind = task.probe.get(finding.probe), _kind_of_type(finding.obtained, task)
    wanted = _("a number") if task.number else _("a tensor")
    used = any(probe.then for probe in task.probes)  # what comes back is put to use
    if used:
        given = probe is not None and "model" in probe.inputs
        is_module = finding.obtained in CALLABLES
        wanted = _("the model") if given else _("something that can be called")
        wanted = _("a module") if is_module and not given else wanted  # any function could be called
        # A function may be what was meant; a method was not called.
        kind = kind if kind == "nothing" or "method" in finding.obtained else "other"
    shape = (probe and probe.expected.shape) or ()
    if probe is not None and probe.settings.get("stacked") and finding.obtained in ("tuple", "list"):
        kind, shape = "several", shape[1:]
    subject = _("`{answer}` is", answer=task.name)
    if task.kind != "tensor":
        subject = _("`{answer}` gives back", answer=task.name)
    return about(
        finding,
        task,
        _WRONG_TYPE.get(kind, _WRONG_TYPE["other"]) + _TYPE_ADVICE.get(kind, ()),
        subject=subject,
        type=kind_text(finding.obtained),
        wanted=wanted,
        shape=shape_text(shape),
    )


def _kind_of_type(obtained: str, task: Task) -> str:
    if task.kind == "module" and obtained.split(".")[-1] == task.name:
        return "no module"
    if obtained == "NoneType":
        return "none" if task.kind == "tensor" else "nothing"
    if obtained.startswith("torch.return_types."):
        return "values and positions"
    if obtained == "torch.Size":
        return "shape"
    if obtained in CALLABLES or (obtained.startswith("torch.") and obtained != "torch.Tensor"):
        return "not called"
    if obtained == "list" and task.number:
        return "list for a number"
    if obtained == "tuple" and task.kind == "function" and len(task.axes) > 2:
        return "tuple of parts"
    return obtained


def _wrong_shape(finding: f.WrongShape, task: Task) -> Message:
    labels = [axis_label(task, axis) for axis in range(len(task.axes))]
    if finding.axis is not None:
        label = axis_label(task, finding.axis)
        named = f" ({label})" if label else ""
        detail = _(
            "Axis {axis}{name} has size {obtained} and should have {expected}.",
            axis=finding.axis,
            name=named,
            obtained=finding.obtained[finding.axis],
            expected=finding.expected[finding.axis],
        )
    else:
        axes = f"{axes_text(len(labels))}: {' × '.join(labels)}" if labels else _("one number, without axes")
        detail = _(
            "It has {obtained}; the task asks for {expected}.",
            obtained=axes_text(len(finding.obtained)),
            expected=axes,
        )
    head = about(
        finding,
        task,
        N_("{subject} has shape {obtained}{where}; it should be {expected}."),
        subject=f"`{task.name}`" if task.kind == "tensor" else _("The result"),
        obtained=shape_text(finding.obtained),
        expected=shape_text(finding.expected),
    )
    probe = task.probe.get(finding.probe)
    if probe is not None and probe.settings.get("stacked"):
        return replace(head, details=(_("Axis 0 counts the tensors that you give back."), detail))
    return replace(head, details=(detail,))


_DTYPE_ADVICE = {
    "comparison": N_("A comparison gives True and False, and so does `.bool()`."),
    "whole numbers": N_(
        "Whole numbers cut off what comes after the point. Was a tensor made from numbers without one?"
    ),
    "bool": N_("True and False are what a comparison gives; the task asks for the numbers themselves."),
    "half": N_("Half precision keeps about three digits. Leave the inputs' own dtype as it is."),
}


def _wrong_dtype(finding: f.WrongDtype, task: Task) -> Message:
    kind = finding.obtained
    if "bool" in finding.allowed:
        kind = "comparison"
    elif kind.startswith(("int", "uint")):
        kind = "whole numbers"
    elif kind in ("float16", "bfloat16"):
        kind = "half"
    return about(
        finding,
        task,
        N_("The result{where} has dtype {obtained}, and the task asks for {expected}.")
        + _DTYPE_ADVICE.get(kind, ()),
        obtained=finding.obtained,
        expected=listed(finding.allowed, _("or")),
    )


def _not_finite(finding: f.NotFinite, task: Task) -> Message:
    value, count = str(finding.value), finding.count - 1
    others = ngettext(", as should {number} other", ", as should {number} others", count)
    return about(
        finding,
        task,
        N_("{place} is {value}{where}, and should be a number{others}.")
        + sentences(NOT_FINITE, value, OF_NOT_FINITE),
        value=value,
        others=others if count > 0 else "",
    )


def _still_wrong(finding: f.StillWrong, task: Task) -> Message:
    says = in_short(finding.kind) or in_short(f.WrongValues)
    return Message(f"{capital(says)}{on_which(finding, task)}.")


_BROKEN = {
    "input-filled": N_(
        "`{answer}` left its argument {names} as it was{where}.",
        "The task is to change it: give back that object itself, with its new numbers.",
    ),
    "same-in-eval": N_(
        "Two calls with the same input give different results in eval mode{where}.",
        "Randomness, like dropout, belongs to training only. Are weights made anew in `forward`?",
    ),
    "memory-of-its-own": N_(
        "{names} and the other module use the same memory{where}.",
        "When one of the two is trained, the other changes too. Copy the numbers: `parameter.copy_(…)` "
        "inside `torch.no_grad()`, or `.clone()`.",
    ),
    "gradient-reaches": N_(
        "No gradient reaches {names} from the result{where}.",
        "Without one, training cannot change it. `.detach()`, `.data`, `.item()` and `torch.no_grad()` cut "
        "the way back to a parameter, and `requires_grad=False` freezes it.",
    ),
}


def _broken_property(finding: f.BrokenProperty, task: Task) -> Message:
    names, rule = as_code(finding.names), finding.property
    if rule == "input-untouched":
        headline = ngettext(
            "`{answer}` changed its argument {names}{where}.",
            "`{answer}` changed its arguments {names}{where}.",
            len(finding.names),
            answer=task.name,
            names=names,
            where=on_which(finding, task),
        )
        advice = _(
            "The caller of a function expects its arguments back as they were. `x -= 1`, `x[0] = …`, "
            "`append` and methods that end in `_` change them; `x - 1`, `x.clone()` and `list(x)` make "
            "something new."
        )
        return Message(headline, (advice,))
    if text := plugin_words.PROPERTIES.get(rule):
        case, values = text.case(finding, task)
        obtained = number_text(finding.obtained)
        return about(finding, task, sentences(rule, case, text.words), **{"obtained": obtained, **values})
    return about(finding, task, _BROKEN[rule], names=names)


_NOT_REFUSED = {
    "assert": N_(
        "`{answer}` rightly refuses {input}, but with an `assert`.",
        "The task asks for a {expected}. Python can be told to skip every `assert`; `if …: raise "
        '{expected}("…")` always works.',
    ),
    "other error": N_(
        "`{answer}` stops at {input} with {error}.",
        "It should `raise` a {expected} that says what does not fit.",
    ),
    "unsaid": N_(
        "`{answer}` rightly refuses {input}, but its message does not name `{unsaid}`.",
        "Put the names of what does not fit into the message.",
    ),
    "accepted": N_(
        "`{answer}` accepts {input}.", "It should refuse that with a {expected} that says what does not fit."
    ),
}


def _not_refused(finding: f.NotRefused, task: Task) -> Message:
    how = "other error" if finding.obtained else "accepted"
    how = "assert" if finding.obtained == "AssertionError" else how
    return about(
        finding,
        task,
        _NOT_REFUSED["unsaid" if finding.unsaid else how],
        unsaid=finding.unsaid,
        input=task.probe[finding.probe].says,
        expected=listed(finding.expected, _("or")),
        error=kind_text(finding.obtained),
    )


def _wrong_behaviour(finding: f.WrongBehaviour, task: Task) -> Message:
    experiment = plugin_words.EXPERIMENTS[finding.observe]
    if len(finding.index) != (len(task.axes) if experiment.axes is None else experiment.axes):
        return about(
            finding,
            task,
            N_(
                "`{answer}` does not do what it should{where}.",
                "Call it there, and print what comes back, and what is changed afterwards.",
            ),
        )
    case, values = experiment.case(Seen(finding, task, task.probe[finding.probe]))
    numbers = {"obtained": number_text(finding.obtained), "expected": number_text(finding.expected)}
    says = sentences(finding.observe, case, experiment.words)
    return about(finding, task, says, **{**numbers, **values})


# How much of a result is wrong; nothing of a single number, which is told whole.
_HOW_MUCH = {
    "share": N_("{share} % of the entries are right."),
    "error": N_("{share} % of the entries are right; the largest error is {error}."),
}


def _wrong_values(finding: f.WrongValues, task: Task) -> Message:
    obtained, expected = numbers_apart(finding.obtained, finding.expected)
    if task.dtypes == ("bool",):
        obtained, expected = str(bool(finding.obtained)), str(bool(finding.expected))
    sized = task.dtypes != ("bool",) and math.isfinite(finding.largest_error)
    unfilled = ngettext(
        "{number} entry is exactly 0 where the right value is not.",
        "{number} entries are exactly 0 where the right value is not.",
        finding.unfilled,
    )
    values = about(
        finding,
        task,
        N_("{place} is {obtained}{where} and should be {expected}.")
        + (_HOW_MUCH["error" if sized else "share"] if finding.index else ()),
        obtained=obtained,
        expected=expected,
        share=min(99, round(finding.share_right * 100)),  # 99.9 % right is not all right
        error=number_text(finding.largest_error),
    )
    details = (*values.details, unfilled) if finding.unfilled else values.details
    if not finding.rounded:
        return replace(values, details=details)
    rounded = about(
        finding,
        task,
        N_(
            "This looks like the right answer cut to a few decimals{where}.",
            "Compute it from the tensors instead of copying it, and take any rounding out.",
        ),
    )
    return replace(rounded, details=(*rounded.details, values.headline, *details))


WORDING: dict[type[f.Finding], Callable[..., Message]] = {
    f.WrongType: _wrong_type,
    f.WrongShape: _wrong_shape,
    f.WrongDtype: _wrong_dtype,
    f.NotFinite: _not_finite,
    f.MatchesKnownWrong: _matches_known_wrong,
    f.StillWrong: _still_wrong,
    f.BrokenProperty: _broken_property,
    f.NotComputed: _not_computed,
    f.NotRefused: _not_refused,
    f.WrongBehaviour: _wrong_behaviour,
    f.WrongValues: _wrong_values,
}
