"""The wording of an answer's steps: which of them are right, and where the first one goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from autograder.records import answer_findings as f
from autograder.records.bank import Task
from autograder.words.language import _, translated
from autograder.words.phrases import N_, OR, listed, number_text, on_which, shape_text

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
    False: N_("The usual way makes {missing} next; what you have ({place}) is {times} times as large."),
    True: N_(
        "The usual way makes {missing} next; what you have ({place}) is {times} times as large, and should "
        "be {fitting} times as large."
    ),
}


def line_text(location: f.CodeLocation) -> str:
    """Return the line of code that makes a tensor, with the tensor's name, such as "line 5 (`k`)"."""
    if location.name:
        return _("line {line} (`{name}`)", line=location.line_number, name=location.name)
    if location.whole:
        return _("line {line}", line=location.line_number)
    return _("a part of line {line}", line=location.line_number)


def way_text(alignment: f.TraceAlignment, task: Task) -> str:
    """Return sentences on the steps that the answer shares with the solution, and on the next one."""
    where = on_which(f.Finding(probe=alignment.probe), task)
    if not alignment.right and alignment.missing:
        return _(
            "The first step that is looked for{where} is {missing}, and they were found in none of your "
            "lines.",
            missing=translated("steps", alignment.missing),
            where=where,
        )
    # What runs in the cell of another task is not what this one's author looks at.
    functions = task.own_functions
    own_steps = [step for step in alignment.right if step.function in functions]
    right = listed([f"{translated('steps', step.says)} ({step_text(step, functions)})" for step in own_steps])
    case = alignment.ends == "stops", any(step.times != 1 for step in own_steps)
    right_text = right and _(_RIGHT[case][0], right=right, where=where)
    if alignment.missing:
        return " ".join(filter(None, [right_text, _comes(alignment, functions)]))
    return (
        f"{right_text} {_(_ENDS[alignment.ends][0])}"
        if right_text and alignment.ends in _ENDS
        else right_text
    )


def _comes(alignment: f.TraceAlignment, own_functions: Collection[str]) -> str:
    """Say which step should come next."""
    missing = translated("steps", alignment.missing)
    if alignment.multiple is None:
        return _("The usual way makes {missing} next, found in none of your lines.", missing=missing)
    return _(
        _MULTIPLES[bool(alignment.fitting)][0],
        missing=missing,
        place=step_text(alignment.multiple[0], own_functions),
        times=number_text(alignment.multiple[1]),
        fitting=listed([number_text(factor) for factor in (1.0, *alignment.fitting)], _(OR)),
    )


def where_text(
    steps: Sequence[f.Followed],
    alignment: f.TraceAlignment | None,
    task: Task,
    code: Callable[[f.Followed], str] = lambda step: "",
) -> tuple[str, ...]:
    """Return a line for each tensor that an answer makes, marked if the solution makes it, too.

    The first tensor that goes wrong has a mark of its own, if it is known.

    Args:
        steps: the tensors that the answer makes, in order.
        alignment: the comparison with the solution's steps; None if there is none.
        task: the task of the answer.
        code: returns the line of code of a step.
    """
    first, before, lines = _first_wrong(steps, alignment), None, []
    for step in steps:
        reached = f.Reached("", step.name, step.line_number, step.function, step.shape)
        text = step_text(reached, task.own_functions)
        says = f": {translated('steps', step.says)}" if step.says else ""
        line = (step.function, step.line_number)
        written = code(step) if line != before else ""  # once for all that a line makes
        before = line
        mark = "✓" if step.right else "✗" if step is first else "·"
        lines.append(f"{mark} {text}{says}{f' ← `{written}`' if written else ''}")
    if alignment and alignment.missing:
        lines.append(_("✗ Found in no line: {missing}.", missing=translated("steps", alignment.missing)))
    lines.append(_("✓ marks what the usual way makes too. Another way can be right as well."))
    return tuple(lines)


def _first_wrong(steps: Sequence[f.Followed], alignment: f.TraceAlignment | None) -> f.Followed | None:
    """Return the first step that goes wrong; None where it is not known."""
    if alignment is None:
        return None
    if alignment.instead is not None:
        instead = replace(alignment.instead, row=())
        return next((step for step in steps if replace(step, says="", right=False, row=()) == instead), None)
    last = max((index for index, step in enumerate(steps) if step.right), default=-1)
    rest = steps[last + 1 :] if alignment.ends == "wrong" else ()
    return rest[0] if len({(step.function, step.line_number) for step in rest}) == 1 else None


def step_text(step: f.Reached, own_functions: Collection[str]) -> str:
    """Return the location of a step in the learner's code, such as "`k`, line 5".

    Args:
        step: the step.
        own_functions: the functions of the task's own cell, which need not be named.
    """
    line = step.line_number
    text = (
        _("`{name}`, line {line}", name=step.name, line=line)
        if step.name
        else _("inside line {line}", line=line)
    )
    if step.function not in own_functions:
        text = _("{place} of the cell of `{name}`", place=text, name=step.function.partition(".")[0])
    return (
        _("{place}, there of shape {shape}", place=text, shape=shape_text(step.shape)) if step.shape else text
    )
