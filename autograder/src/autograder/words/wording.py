"""The one place that puts a finding into words.

Each message says what the number looks like, names the axis and the index, and gives the learner one thing
to do next. It never blames them for a fault of ours. The words for an experiment stand with the experiment.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from autograder.records import findings as f
from autograder.records.bank import AS_SEEN, Task, axis_parts
from autograder.records.outcome import ErrorReport, ForbiddenCall, Operand
from autograder.words import plugin_words
from autograder.words.error_explanations import explain_error, message_of
from autograder.words.language import LazyMessage, _, ngettext, translated
from autograder.words.phrases import (
    N_,
    Message,
    about,
    as_code,
    axes_text,
    axis_label,
    axis_name,
    capital,
    in_short,
    is_batch,
    kind_text,
    listed,
    number_text,
    numbers_apart,
    on_which,
    shape_text,
    slice_at,
    tell,
)
from autograder.words.plugin_words import NOT_FINITE, OF_NOT_FINITE, Seen, sentences

# Findings that tell a number, which says less than what experiments show.
NUMBERS_ONLY = (f.WrongValues, f.NotFinite, f.WrongShape, f.BrokenProperty)

MOST_NAMES = 8  # of the parameters that a module should have

# Findings with advice of their own, which a named mistake makes needless.
HINT_SAYS_WHY = (f.NotFinite, f.WrongBehaviour, f.BrokenProperty, f.WrongType)

# Types whose values give a result only when they are called.
CALLABLES = ("function", "method", "builtin_function_or_method", "type")


def word(finding: f.Finding, task: Task, verdict: f.Verdict | None = None) -> Message:
    """Put a finding about `task` into words; the verdict adds what is known about the whole answer."""
    message = _WORDING[type(finding)](finding, task)
    return message if verdict is None else _with_verdict(message, finding, task, verdict)


def _with_verdict(message: Message, finding: f.Finding, task: Task, verdict: f.Verdict) -> Message:
    extra = list(message.details)
    if (
        verdict.named
        and verdict.whole
        and isinstance(finding, f.NotFinite | f.WrongBehaviour | f.BrokenProperty)
    ):
        extra = []  # the mistake's own hint says where it comes from
    if verdict.facts:
        first, *others = (fact_message(fact, task) for fact in verdict.facts)
        told = [*first.details, *(mistake.headline for mistake in others)]
        if isinstance(finding, NUMBERS_ONLY) or isinstance(verdict.facts[0], f.Unsteady):
            extra = [*told, message.headline, *extra]
            message = replace(message, headline=first.headline)
        else:
            extra = [*extra, first.headline, *told]
    # A tensor takes over the mistakes of what it is made from. Of a function or class they are its own.
    if verdict.unfinished and (task.kind == "tensor" or not verdict.named):
        note = unfinished_text(verdict)
        # What was computed from a number that was typed in was not itself typed in.
        extra = [note] if isinstance(finding, f.NotComputed) else [note, *extra]
    elif verdict.globals_read:
        extra.append(globals_text(verdict, task))
    if verdict.way:
        extra.append(way_text(verdict.way, task))
    if verdict.stood_in:
        extra.insert(0, stood_in(verdict))
    if verdict.forbidden and not isinstance(finding, f.CallsForbidden):
        extra.append(_forbidden(verdict.forbidden, task))
    return replace(message, details=tuple(extra))


def unfinished_text(verdict: f.Verdict) -> str:
    """Say which earlier answers have to be corrected first."""
    return ngettext(
        "The usual way builds it from {names}, which is not right yet: correct that first, then run this "
        "check again.",
        "The usual way builds it from {names}, which are not right yet: correct those first, then run this "
        "check again.",
        len(verdict.unfinished),
        names=as_code(verdict.unfinished),
    )


def globals_text(verdict: f.Verdict, task: Task) -> str:
    """Say what an answer reads from the notebook instead of taking it as an argument."""
    return _(
        "`{answer}` reads {names} from the notebook. A function should use its arguments only: otherwise "
        "its result depends on what else is in the notebook.",
        answer=task.name,
        names=as_code(verdict.globals_read),
    )


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


# Of an answer that stops or runs, and whether a step is right but for a factor.
_RIGHT = {
    (False, False): N_("Right so far{where}: {right}."),
    (False, True): N_("Right so far{where}, apart from a factor: {right}."),
    (True, False): N_("Right until it stops{where}: {right}."),
    (True, True): N_("Right until it stops{where}, apart from a factor: {right}."),
}
_ENDS = {
    "wrong": N_("The result itself is not."),
    "there": N_("The result has the numbers of this last step, and should have others."),
}

_MULTIPLES = {
    False: N_("Then {missing} should come; what you have ({place}) is {times} times as large."),
    True: N_(
        "Then {missing} should come; what you have ({place}) is {times} times as large, and should "
        "be {fitting} times as large."
    ),
}


def line_text(location: f.CodeLocation) -> str:
    """Return the line of a tensor in an answer's code, with the name that it gets there."""
    if location.name:
        return _("line {line} (`{name}`)", line=location.line_number, name=location.name)
    if location.whole:
        return _("line {line}", line=location.line_number)
    return _("a part of line {line}", line=location.line_number)


def way_text(way: f.TraceAlignment, task: Task) -> str:
    """Say which steps of the solution an answer takes, and which should come next."""
    where = on_which(f.Finding(probe=way.probe), task)
    if not way.right and way.missing:
        return _(
            "The first step that is looked for{where} is {missing}, and they were found in none of your "
            "lines.",
            missing=translated("steps", way.missing),
            where=where,
        )
    # What runs in the cell of another task is not what this one's author looks at.
    own = [step for step in way.right if step.function in task.own_functions]
    right = listed([f"{translated('steps', step.says)} ({step_text(step, task)})" for step in own])
    case = way.ends == "stops", any(step.times != 1 for step in own)
    right_text = right and _(_RIGHT[case][0], right=right, where=where)
    if way.missing:
        return " ".join(filter(None, [right_text, _comes(way, task)]))
    return f"{right_text} {_(_ENDS[way.ends][0])}" if right_text and way.ends in _ENDS else right_text


def _comes(way: f.TraceAlignment, task: Task) -> str:
    """Say which step should come next."""
    missing = translated("steps", way.missing)
    if way.multiple is None:
        return _("Then {missing} should come, and they were found in none of your lines.", missing=missing)
    return _(
        _MULTIPLES[bool(way.fitting)][0],
        missing=missing,
        place=step_text(way.multiple[0], task),
        times=number_text(way.multiple[1]),
        fitting=listed([number_text(factor) for factor in (1.0, *way.fitting)], _("or")),
    )


def where_text(
    steps: Sequence[f.Followed],
    way: f.TraceAlignment | None,
    task: Task,
    code: Callable[[f.Followed], str] = lambda step: "",
) -> tuple[str, ...]:
    """Say of each tensor that an answer makes whether a right answer makes it too, line by line.

    The first that goes wrong is marked, where it is known. `code` gives the line that makes a step.
    """
    first, before, lines = _first_wrong(steps, way), None, []
    for step in steps:
        text = step_text(f.Reached("", step.name, step.line_number, step.function, step.shape), task)
        says = f": {translated('steps', step.says)}" if step.says else ""
        line = (step.function, step.line_number)
        written = code(step) if line != before else ""  # once for all that a line makes
        before = line
        mark = "✓" if step.right else "✗" if step is first else "·"
        lines.append(f"{mark} {text}{says}{f' ← `{written}`' if written else ''}")
    if way and way.missing:
        lines.append(_("✗ Found in no line: {missing}.", missing=translated("steps", way.missing)))
    lines.append(_("✓ marks what the usual way makes too. Another way can be right as well."))
    return tuple(lines)


def _first_wrong(steps: Sequence[f.Followed], way: f.TraceAlignment | None) -> f.Followed | None:
    """Return the first step that goes wrong; None where it is not known."""
    if way is None:
        return None
    if way.instead is not None:
        made = replace(way.instead, row=())
        return next((step for step in steps if replace(step, says="", right=False, row=()) == made), None)
    last = max((index for index, step in enumerate(steps) if step.right), default=-1)
    rest = steps[last + 1 :] if way.ends == "wrong" else ()
    return rest[0] if len({(step.function, step.line_number) for step in rest}) == 1 else None


def step_text(step: f.Reached, task: Task) -> str:
    """Say where a step stands in the learner's code, as in "`k`, line 5"."""
    line = step.line_number
    text = (
        _("`{name}`, line {line}", name=step.name, line=line)
        if step.name
        else _("inside line {line}", line=line)
    )
    if step.function not in task.own_functions:
        text = _("{place} of the cell of `{name}`", place=text, name=step.function.partition(".")[0])
    return (
        _("{place}, there of shape {shape}", place=text, shape=shape_text(step.shape)) if step.shape else text
    )


def stood_in(verdict: f.Verdict) -> str:
    """Say where the course's answers stood in for earlier ones of the learner's; "" where none did."""
    if not verdict.stood_in:
        return ""
    return ngettext(
        "Your {names} is not right yet. This task was checked with the course's {names} in its place, so "
        "that one mistake costs once.",
        "Your {names} are not right yet. This task was checked with the course's {names} in their place, so "
        "that one mistake costs once.",
        len(verdict.stood_in),
        names=as_code(verdict.stood_in),
    )


def short_finding(task: Task, verdict: f.Verdict) -> str:
    """Return what a check found, to stand before a hint; "" where all is right or nothing could be judged."""
    finding = verdict.finding
    if finding is None or isinstance(finding, f.Untried):
        return ""
    names = [mistake.name for mistake in verdict.named if mistake.name]
    if names:
        return _("What your last check saw fits this: {names}.", names="; ".join(names))
    return _("Your last check found: {message}", message=word(finding, task, verdict).headline)


def failing(finding: f.Finding, task: Task, again: bool = False) -> str:
    """On which input a check fails first, for a line below its title; "" where there is nothing to say.

    `again` says that an earlier check has failed on it, so that this one may fail for nothing else.
    """
    probe = task.probe.get(finding.probe)
    if probe is None or (task.kind == "tensor" and probe.id == AS_SEEN):
        return ""
    if task.kind == "tensor":
        return _("fails with: {input}", input=probe.says)
    if again:
        return _("needs this to be right, too: {input}", input=probe.says)
    return _("fails on: {input}", input=probe.says)


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


def judged_elsewhere(task: Task, number: int) -> str:
    """Say that another cell than a task's own made what was judged."""
    return _stale(f.Stale("elsewhere", number=number), task).headline


def stopped_after(error: ErrorReport) -> str:
    """Say that a cell stopped after it had made what was judged."""
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
        parts.append(_("has no parameter {names}", names=_first_of(finding.missing, _("or"))))
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
    True: N_("Line {line} of {cell} calls `{called}`, and it stops in there: look at what it is given."),
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
    message = about(
        finding,
        task,
        N_("`{answer}` raised {error}{where}: {message}{suggestion}")
        + (_HAPPENED[bool(error.called)] if error.line_number else ()),
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
                "`{answer}` does not give back what it should{where}.",
                "Print its result there, and the `.shape`: is it what the task asks for?",
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


def _calls_forbidden(finding: f.CallsForbidden, task: Task) -> Message:
    cost = 0 if task.forbids is None else task.forbids.points
    points = _("{cost} of the {points} points", cost=cost, points=task.points)
    if cost == task.points or task.points == 1:
        points = ngettext("the point", "all {number} points", task.points)
    advice = _(
        "The results are right. The call costs {points}; with lines of your own you get them back.",
        points=points,
    )
    return Message(_forbidden(finding.call, task), (advice,), finding.call.line)


def _forbidden(call: ForbiddenCall, task: Task) -> str:
    where = ""
    if call.line_number is not None:
        own = ("", task.name, "__init__", "forward", "<module>", "<lambda>")
        cell = "" if call.function in own else _(" of the cell of `{name}`", name=call.function)
        where = _(" in line {line}{cell}", line=call.line_number, cell=cell)
    return _(
        "`{name}` is used{where}; this task asks you to write {instead} yourself.",
        name=call.name,
        where=where,
        instead=_instead(call, task),
    )


def asked_instead(call: ForbiddenCall, task: Task) -> str:
    """Return what a task asks for that forbids a call, in a few words for a list of checks."""
    return _("{instead}, written by yourself", instead=_instead(call, task))


def _instead(call: ForbiddenCall, task: Task) -> str:
    # The family is part of what the learner's process says, so it may be anything.
    return next(
        (translated("forbidden", family.instead) for family in task.families if family.name == call.family),
        _("this"),
    )


def fact_text(fact: f.Fact, task: Task) -> str:
    """Say what an experiment shows, and what that points to."""
    message = fact_message(fact, task)
    return " ".join((message.headline, *message.details))


def fact_message(fact: f.Fact, task: Task) -> Message:
    """Put what an experiment shows into words."""
    return _FACTS[type(fact)](fact, task)


def _unsteady(fact: f.Unsteady, task: Task) -> Message:
    where, share = _where_examined(task), max(1, round(100 * fact.share))
    apart = number_text(fact.apart)
    if fact.place is not None:
        return tell(
            N_(
                "Two calls with the same input give different results{where}.",
                "{share} % of the entries differ, by up to {apart}. Of your lines, {line} is the first that "
                "makes other numbers in the second call: is something drawn at random, made anew in each "
                "call, or kept from the call before?",
            ),
            where=where,
            share=share,
            apart=apart,
            line=line_text(fact.place),
        )
    return tell(
        N_(
            "Two calls with the same input give different results{where}.",
            "{share} % of the entries differ, by up to {apart}. Until they agree, numbers tell little: is "
            "something drawn at random, made anew in each call, or kept from one call to the next?",
        ),
        where=where,
        share=share,
        apart=apart,
    )


def _idle(fact: f.Idle, task: Task) -> Message:
    advice = ngettext(
        "A right answer depends on it. Where does it come into your code?",
        "A right answer depends on them. Where do they come into your code?",
        len(fact.names),
    )
    headline = _(
        "{names} can change with little or no effect on the result{where}.",
        names=as_code(fact.names),
        where=_where_examined(task),
    )
    return Message(headline, (advice,))


_REACHES = {
    "too short": N_(
        "The result of {entry} hardly changes, or not at all, when {changed} of `{input}` changes{where}.",
        "It should. What takes its influence away?",
    ),
    "mixes": N_(
        "The result of {entry} changes when {changed} of `{input}` changes{where}.",
        "The elements of a batch must not mix: leave the first axis alone.",
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


_RELATED = {
    "sign": N_(
        "Every number has the wrong sign{where}.",
        "The sizes are right: was something subtracted the wrong way round?",
    ),
    "times": N_(
        "Every number is {value} times what it should be{where}.",
        "One factor is missing, or there is one too many. Is it a sum instead of a mean? Is a division left "
        "out?",
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
    "alike": N_(
        "Along axis {axis} all is the same{where}, and should differ.", "Is one thing used in place of each?"
    ),
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
    probe = task.probe.get(fact.probe)
    stacked = probe is not None and bool(probe.settings.get("stacked"))
    return tell(
        _RELATED[how],
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

_WORDING: dict[type[f.Finding], Callable[..., Message]] = {
    f.NotDefined: _not_defined,
    f.StillStub: _still_stub,
    f.NotRun: _not_run,
    f.Stale: _stale,
    f.GivensChanged: _givens_changed,
    f.NotAFunction: _not_a_function,
    f.NotCalled: _not_called,
    f.Raised: _raised,
    f.WrongParameters: _wrong_parameters,
    f.WrongType: _wrong_type,
    f.WrongShape: _wrong_shape,
    f.WrongDtype: _wrong_dtype,
    f.NotFinite: _not_finite,
    f.MatchesKnownWrong: _matches_known_wrong,
    f.StillWrong: _still_wrong,
    f.CallsForbidden: _calls_forbidden,
    f.BrokenProperty: _broken_property,
    f.NotComputed: _not_computed,
    f.NotRefused: _not_refused,
    f.WrongBehaviour: _wrong_behaviour,
    f.WrongValues: _wrong_values,
}
