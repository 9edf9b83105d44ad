"""The wording of findings, all in one place.

Each message describes the wrong number, names the axis and the index, and gives the learner one thing to do
next. It never blames the learner for a failure of the tool. The words of an experiment are beside that
experiment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from autograder.records import answer_findings as f
from autograder.records.bank import AS_SEEN, Task
from autograder.words.fact_wording import fact_message
from autograder.words.forbidden_wording import calls_forbidden, forbidden_text
from autograder.words.language import _, ngettext
from autograder.words.phrases import Message, as_code
from autograder.words.result_wording import WORDING as RESULTS
from autograder.words.unrunnable_wording import WORDING as UNRUNNABLE

# Findings that tell a number, which says less than what experiments show.
NUMBERS_ONLY = (f.WrongValues, f.NotFinite, f.WrongShape, f.BrokenProperty)

# Findings with advice of their own, which a named mistake makes needless.
HINT_SAYS_WHY = (f.NotFinite, f.WrongBehaviour, f.BrokenProperty, f.WrongType)


def word(finding: f.Finding, task: Task) -> Message:
    """Return the message about a finding."""
    return WORDING[type(finding)](finding, task)


def word_whole(finding: f.Finding, task: Task, verdict: f.Verdict) -> Message:
    """Return the message about a finding, with the facts about the whole answer."""
    message = word(finding, task)
    extra = list(message.details)
    if (
        verdict.named
        and verdict.whole
        and isinstance(finding, f.NotFinite | f.WrongBehaviour | f.BrokenProperty)
    ):
        extra = []  # the mistake's own hint says where it comes from
    if verdict.facts:
        first, *others = (fact_message(fact, task) for fact in verdict.facts)
        details = [*first.details, *(mistake.headline for mistake in others)]
        if isinstance(finding, NUMBERS_ONLY) or isinstance(verdict.facts[0], f.Unsteady):
            extra = [*details, message.headline, *extra]
            message = replace(message, headline=first.headline)
        else:
            extra = [*extra, first.headline, *details]
    # A tensor takes over the mistakes of what it is made from. Of a function or class they are its own.
    if verdict.unfinished and (task.kind == "tensor" or not verdict.named):
        note = unfinished_text(verdict)
        # What was computed from a number that was typed in was not itself typed in.
        extra = [note] if isinstance(finding, f.NotComputed) else [note, *extra]
    elif verdict.globals_read:
        extra.append(globals_text(verdict, task))
    if verdict.stood_in:
        extra.insert(0, stood_in(verdict))
    if verdict.forbidden and not isinstance(finding, f.CallsForbidden):
        extra.append(forbidden_text(verdict.forbidden, task))
    return replace(message, details=tuple(extra))


def unfinished_text(verdict: f.Verdict) -> str:
    """Return a sentence that names the earlier answers to correct first."""
    return ngettext(
        "The usual way builds it from {names}, which is not right yet: correct that first, then run this "
        "check again.",
        "The usual way builds it from {names}, which are not right yet: correct those first, then run this "
        "check again.",
        len(verdict.unfinished),
        names=as_code(verdict.unfinished),
    )


def globals_text(verdict: f.Verdict, task: Task) -> str:
    """Return a sentence that names the notebook variables that a function reads beside its arguments."""
    return _(
        "`{answer}` reads {names} from the notebook. A function should use its arguments only: otherwise "
        "its result depends on what else is in the notebook.",
        answer=task.name,
        names=as_code(verdict.globals_read),
    )


def stood_in(verdict: f.Verdict) -> str:
    """Return a sentence that names the answers that the course's own replaced for this check; "" for none."""
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
    """Return the last check's finding, to print above a hint; "" if the answer is right or was not judged."""
    finding = verdict.finding
    if finding is None or isinstance(finding, f.Untried):
        return ""
    names = [mistake.name for mistake in verdict.named if mistake.name]
    if names:
        return _("What your last check saw fits this: {names}.", names="; ".join(names))
    return _("Your last check found: {message}", message=word_whole(finding, task, verdict).headline)


def failing(finding: f.Finding, task: Task, again: bool = False) -> str:
    """Return a short text that names the first input on which a check fails; "" if there is none to name.

    With `again`, an earlier check has failed on the same input, so this check may fail only because of that.
    """
    probe = task.probe.get(finding.probe)
    if probe is None or (task.kind == "tensor" and probe.id == AS_SEEN):
        return ""
    if task.kind == "tensor":
        return _("fails with: {input}", input=probe.says)
    if again:
        return _("needs this to be right, too: {input}", input=probe.says)
    return _("fails on: {input}", input=probe.says)


WORDING: dict[type[f.Finding], Callable[..., Message]] = {
    **UNRUNNABLE,
    **RESULTS,
    f.CallsForbidden: calls_forbidden,
}
