"""The wording of findings about an answer that could not be called, or that raised an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from autograder.records import answer_findings as f
from autograder.records.bank import Task
from autograder.records.run_outcome import ErrorReport, Operand
from autograder.words.error_explanations import OF_A_HOOK, explain_error, message_of
from autograder.words.language import LazyMessage, _, ngettext
from autograder.words.phrases import N_, OR, Message, about, as_code, kind_text, listed, shape_text, tell

MOST_NAMES = 8  # of the parameters that a module should have


def _not_defined(finding: f.NotDefined, task: Task) -> Message:
    if finding.error:
        return _cell_stopped(finding.error, task)
    return about(
        finding,
        task,
        N_("There is no {kind} called `{answer}` yet.")
        + (
            N_("`{other}` is defined: is that the one? The check looks for `{answer}`, spelt exactly so.")
            if finding.nearest
            else ()
        )
        + N_(
            "Run the cell above first: a cell that has not been run defines nothing.",
            "If that cell stopped with an error, the error under it says what to correct.",
        ),
        other=finding.nearest[0] if finding.nearest else "",
    )


_STALE = {
    "renamed": N_(
        "The cell above makes `{other}` now, and no `{answer}` any more.",
        "The check looks for `{answer}`, spelt exactly so: is `{other}` meant? Then rename it.",
    ),
    "dropped": N_(
        "The cell above was run, and makes no `{answer}`.",
        "The check looks for `{answer}`, spelt exactly so. Make it there, and run the cell again.",
    ),
    "deleted": N_(
        "The cell that made `{answer}` was deleted.",
        "Write the answer in the cell above, run it, then this one.",
    ),
    "unrun": N_(
        "The cell above has not been run since the notebook was started.",
        "Run it, then this one: no `{answer}` is there before.",
    ),
    "elsewhere": N_(
        "Cell [{number}] made this `{answer}`, not the cell above.",
        "A notebook that is handed in runs from top to bottom. Move your answer into the cell above.",
    ),
    "overwritten": N_(
        "Cell [{number}], between the cell above and this one, makes another `{answer}`.",
        "A notebook that is handed in runs from top to bottom. Delete that cell, then run this one again.",
    ),
    "needs-below": N_(
        "`{other}` is made only in a cell below this one.",
        "A notebook that is handed in runs from top to bottom. Move that cell up, then run this one again.",
    ),
}


def _stale(finding: f.Stale, task: Task) -> Message:
    if finding.error:
        return _cell_stopped(finding.error, task)
    if finding.how == "remade":
        headline = ngettext(
            "{names} was made again after `{answer}` was computed from it.",
            "{names} were made again after `{answer}` was computed from them.",
            len(finding.names),
            names=as_code(finding.names),
            answer=task.name,
        )
        return Message(headline, (_("Run the cell above again, then this one."),))
    other = finding.names[0] if finding.names else ""
    return about(finding, task, _STALE[finding.how], other=other, number=finding.number)


def stopped_after(error: ErrorReport) -> str:
    """Return a sentence on an error that stopped a cell after it had defined the answer."""
    where = _(" in line {line}", line=error.line_number) if error.line_number else ""
    return _(
        "The cell stopped after that{where}. {error}: {message}",
        where=where,
        error=error.type,
        message=message_of(error),
    )


def _cell_stopped(error: ErrorReport, task: Task) -> Message:
    message = tell(
        N_(
            "The cell that should make `{answer}` stopped{where}. {error}: {message}",
            "Correct what leads to it and run the cell again, then this one.",
        ),
        code=error.line,
        answer=task.name,
        error=error.type,
        where=_(" in line {line}", line=error.line_number) if error.line_number else "",
        message=message_of(error),
    )
    return _explained(message, error)


def _explained(message: Message, error: ErrorReport) -> Message:
    """Return a message about an error that says first what such an error means."""
    explained = explain_error(error)
    return replace(message, details=(explained, *message.details)) if explained else message


def _still_stub(finding: f.StillStub, task: Task) -> Message:
    if finding.error:
        return _cell_stopped(finding.error, task)
    return about(
        finding,
        task,
        N_(
            "`{answer}` is still waiting for you.",
            "Replace the `...` in the cell above with your own code, run that cell, then this one.",
        ),
    )


def _not_run(finding: f.NotRun, task: Task) -> Message:
    reason = _(finding.reason or LazyMessage("the notebook stopped before it got here"))
    return about(finding, task, N_("`{answer}` could not be checked: {reason}."), reason=reason)


def _givens_changed(finding: f.GivensChanged, task: Task) -> Message:
    names, count = as_code(finding.names), len(finding.names)
    if finding.dtype:
        headline = ngettext(
            "{names} holds numbers of dtype {dtype} in place of float32, so `{answer}` cannot be compared.",
            "{names} hold numbers of dtype {dtype} in place of float32, so `{answer}` cannot be compared.",
            count,
            names=names,
            dtype=finding.dtype,
            answer=task.name,
        )
        again = _(
            "`torch.set_default_dtype` makes every new tensor so. Delete that line, restart the kernel, and "
            "run all cells."
        )
        return Message(headline, (again,))
    if set(finding.names) <= set(task.keeps):
        headline = ngettext(
            "{names} no longer holds what the lesson put there, and should be left alone.",
            "{names} no longer hold what the lesson put there, and should be left alone.",
            count,
            names=names,
        )
        again = _("Run the cell that makes {names} again, then your cell, then this check.", names=names)
        change = _(
            "If your own cell changes it (`+=`, `*=`, `[…] =`, a method that ends in `_`), work on a new "
            "tensor: `a * b` and `masked_fill` make one, and so does `.clone()`."
        )
    else:
        headline = ngettext(
            "{names} no longer holds the lesson's example data, so `{answer}` cannot be compared.",
            "{names} no longer hold the lesson's example data, so `{answer}` cannot be compared.",
            count,
            names=names,
            answer=task.name,
        )
        again = _(
            "Run the cell that defines the example data again, then your cell, then this check. To "
            "experiment, use a name of your own for the changed data."
        )
        change = _(
            "If your own cell changes it (`+=`, `*=`, a method that ends in `_`), work on a `.clone()`. A "
            "row of a tensor is still the same data."
        )
    return Message(headline, (again, change))


def _not_a_function(finding: f.NotAFunction, task: Task) -> Message:
    how = {
        "module": _("Define it with `class {answer}(torch.nn.Module):`", answer=task.name),
        "class": _("Define it with `class {answer}`", answer=task.name),
    }
    return about(
        finding,
        task,
        N_(
            "`{answer}` is {type}, and the task asks for a {kind}.",
            "{how}. If another cell reuses the name, rename that one.",
        ),
        type=kind_text(finding.obtained),
        how=how.get(task.kind, _("Define it with `def {signature}:`", signature=task.signature)),
    )


def _wrong_parameters(finding: f.WrongParameters, task: Task) -> Message:
    parts = []
    if finding.missing:
        parts.append(_("has no parameter {names}", names=_first_of(finding.missing, _(OR))))
    if finding.unexpected:
        unlisted = _first_of(finding.unexpected)
        parts.append(_("has parameters that should not be there ({names})", names=unlisted))
    for parameter in finding.reshaped[:1]:
        parts.append(
            _(
                "has a parameter `{name}` of shape {obtained}, which should be {expected}",
                name=parameter.name,
                obtained=shape_text(parameter.obtained),
                expected=shape_text(parameter.expected),
            )
        )
    fault = _(" and ").join(parts)
    if task.kind == "function":
        return about(
            finding,
            task,
            N_(
                "The module that `{answer}` gives back {fault}{where}.",
                "Its parameters keep their names and get new numbers: replace none of its layers.",
            ),
            fault=fault,
        )
    return Message(f"`{task.name}` {fault}.", tuple(_parameter_advice(finding)))


def _parameter_advice(finding: f.WrongParameters) -> list[str]:
    named = [*finding.missing, *finding.unexpected]
    advice = []
    if finding.reshaped:
        advice.append(
            _("`nn.Linear(a, b)` keeps a weight of shape (b, a), an `nn.Parameter` the shape you give it.")
        )
    if named and all(name.endswith(".bias") for name in named):
        advice.append(
            _(
                "Here {layers} should {has}: `nn.Linear` decides that by its argument `bias`.",
                layers=_first_of([name.removesuffix(".bias") for name in named]),
                has=_("have no bias") if finding.unexpected else _("have a bias"),
            )
        )
    elif named:
        advice.insert(0, _("Expected: {names}.", names=_first_of(finding.expected)))
        # A layer too many is no buffer.
        if not finding.missing and all("." not in name for name in named):
            advice.append(
                _(
                    "An `nn.Parameter` is trained. A tensor that is not to be trained, a mask say, becomes "
                    "a buffer with `register_buffer`."
                )
            )
        if not finding.unexpected:
            advice.append(
                _(
                    "A module only knows parameters that are `nn.Parameter`s or modules set on `self`: in a "
                    "plain list or as a plain tensor they are not registered."
                )
            )
    return advice


def _first_of(names: Sequence[str], link: str = "") -> str:
    """Return names as code, and of many only the first, with how many there are."""
    if len(names) <= MOST_NAMES:
        return as_code(names, link)
    return _(
        "{names} and {number} more",
        names=", ".join(f"`{name}`" for name in names[:MOST_NAMES]),
        number=len(names) - MOST_NAMES,
    )


_NOT_CALLED = {
    "arguments": N_(
        "`{answer}` does not take the arguments that the task names: {reason}.",
        "It is called as `{signature}`, and yours is `{answer}{arguments}`.",
    ),
    "earlier": N_(
        "`{answer}` is tried on your class `{name}`, which {reason}.",
        "Correct that class and run its cell, then run this check again.",
    ),
}


def _not_called(finding: f.NotCalled, task: Task) -> Message:
    uncalled = finding.uncalled
    return about(
        finding,
        task,
        _NOT_CALLED[uncalled.why],
        reason=uncalled.reason,
        signature=task.signature,
        name=uncalled.name,
        arguments=uncalled.name,
    )


_ENDED = N_(
    "`{answer}` ended the program{where} instead of returning a result.",
    "Take out the `exit()` or `sys.exit()`.",
)


_HAPPENED = {
    False: N_("It happened in line {line} of {cell}."),
    True: N_("Line {line} of {cell} leads to a call of `{called}`, which stops: look at what it is given."),
}


def _raised(finding: f.Raised, task: Task) -> Message:
    error = finding.error
    if error.type == "SystemExit":
        return about(finding, task, _ENDED, code=error.line)
    owner = error.function.partition(".")[0]
    elsewhere = owner not in ("", task.name) and not owner.startswith("<")
    suggestion = ""
    if error.meant:
        asks = error.type == "AttributeError" or not error.meant.startswith("self.")
        suggestion = (
            ""
            if error.meant == "self"
            else _(" A name close to it is there: `{name}`.", name=error.meant)
            if asks
            else _(" Write `{name}`.", name=error.meant)
        )
    is_given = bool(error.called) and not re.search(OF_A_HOOK, f"{error.type}: {error.message}")
    message = about(
        finding,
        task,
        N_("`{answer}` raised {error}{where}: {message}{suggestion}")
        + (_HAPPENED[is_given] if error.line_number else ()),
        code=error.line,
        error=error.type,
        line=error.line_number,
        message=message_of(error),
        suggestion=suggestion and f".{suggestion}",
        cell=_("the cell of `{name}`", name=owner) if elsewhere else _("its cell"),
        called=error.called.partition(".")[0],
    )
    if error.operands:
        there = _("There, {operands}.", operands=listed([_operand(operand) for operand in error.operands]))
        message = replace(message, details=(there, *message.details))
    return _explained(message, error)


def _operand(operand: Operand) -> str:
    if operand.shape is None:
        return _("`{name}` is {value}", name=operand.name, value=operand.value)
    shape = shape_text(operand.shape)
    return _("`{name}` has shape {shape} ({dtype})", name=operand.name, shape=shape, dtype=operand.dtype)


WORDING: dict[type[f.Finding], Callable[..., Message]] = {
    f.NotDefined: _not_defined,
    f.StillStub: _still_stub,
    f.NotRun: _not_run,
    f.Stale: _stale,
    f.GivensChanged: _givens_changed,
    f.NotAFunction: _not_a_function,
    f.NotCalled: _not_called,
    f.Raised: _raised,
    f.WrongParameters: _wrong_parameters,
}
