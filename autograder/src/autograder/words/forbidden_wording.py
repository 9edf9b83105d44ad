"""The wording of findings about calls that a task forbids."""

from __future__ import annotations

from autograder.records import answer_findings as f
from autograder.records.bank import Task
from autograder.records.run_outcome import ForbiddenCall
from autograder.words.language import _, ngettext, translated
from autograder.words.phrases import Message


def calls_forbidden(finding: f.CallsForbidden, task: Task) -> Message:
    """Return the message about a forbidden call in an answer that is otherwise right."""
    cost = 0 if task.forbids is None else task.forbids.points
    points = _("{cost} of the {points} points", cost=cost, points=task.points)
    if cost == task.points or task.points == 1:
        points = ngettext("the point", "all {number} points", task.points)
    advice = _(
        "The results are right. The call costs {points}; with lines of your own you get them back.",
        points=points,
    )
    return Message(forbidden_text(finding.call, task), (advice,), finding.call.line)


def forbidden_text(call: ForbiddenCall, task: Task) -> str:
    """Return a sentence that names the forbidden call and its line."""
    where = ""
    if call.line_number is not None:
        own_functions = ("", task.name, "__init__", "forward", "<module>", "<lambda>")
        cell = "" if call.function in own_functions else _(" of the cell of `{name}`", name=call.function)
        where = _(" in line {line}{cell}", line=call.line_number, cell=cell)
    return _(
        "`{name}` is used{where}; this task asks you to write {instead} yourself.",
        name=call.name,
        where=where,
        instead=_instead(call, task),
    )


def asked_instead(call: ForbiddenCall, task: Task) -> str:
    """Return a few words, for a list of checks, on the code that the task asks for instead of the call."""
    return _("{instead}, written by yourself", instead=_instead(call, task))


def _instead(call: ForbiddenCall, task: Task) -> str:
    # The family is part of what the learner's process says, so it may be anything.
    return next(
        (translated("forbidden", family.instead) for family in task.families if family.name == call.family),
        _("this"),
    )
