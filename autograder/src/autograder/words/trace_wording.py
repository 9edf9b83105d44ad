"""The wording of the tensors that an answer's lines make."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from autograder.records import answer_findings as f
from autograder.records.bank import Task
from autograder.words.language import _, translated
from autograder.words.phrases import shape_text


def line_text(location: f.CodeLocation) -> str:
    """Return the line of code that makes a tensor, with the tensor's name, such as "line 5 (`k`)"."""
    if location.name:
        return _("line {line} (`{name}`)", line=location.line_number, name=location.name)
    return _("line {line}", line=location.line_number)


def where_text(
    steps: Sequence[f.Followed], task: Task, code: Callable[[f.Followed], str] = lambda step: ""
) -> tuple[str, ...]:
    """Return a line for each tensor that an answer makes, marked if the solution makes it, too.

    Args:
        steps: the tensors that the answer makes, in order.
        task: the task of the answer.
        code: returns the line of code of a step.
    """
    before, lines = None, []
    for step in steps:
        says = f": {translated('steps', step.says)}" if step.says else ""
        line = (step.function, step.line_number)
        written = code(step) if line != before else ""  # once for all that a line makes
        before = line
        mark = "✓" if step.right else "·"
        lines.append(f"{mark} {_step_text(step, task)}{says}{f' ← `{written}`' if written else ''}")
    lines.append(_("✓ marks what the usual way makes too. Another way can be right as well."))
    return tuple(lines)


def _step_text(step: f.Followed, task: Task) -> str:
    """Return the location of a step in the learner's code, such as "`k`, line 5, there of shape (2, 3)"."""
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
