"""The one place that puts a finding into words.

Each message says what the number looks like, names the axis and the index, and gives the learner one thing
to do next. It never blames them for a fault of ours. The words for an experiment stand with the experiment.
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
from autograder.words.trace_wording import way_text
from autograder.words.unrunnable_wording import WORDING as UNRUNNABLE

# Findings that tell a number, which says less than what experiments show.
NUMBERS_ONLY = (f.WrongValues, f.NotFinite, f.WrongShape, f.BrokenProperty)

# Findings with advice of their own, which a named mistake makes needless.
HINT_SAYS_WHY = (f.NotFinite, f.WrongBehaviour, f.BrokenProperty, f.WrongType)


def word(finding: f.Finding, task: Task, verdict: f.Verdict | None = None) -> Message:
    """Put a finding about `task` into words; the verdict adds what is known about the whole answer."""
    message = WORDING[type(finding)](finding, task)
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
    if verdict.way:
        extra.append(way_text(verdict.way, task))
    if verdict.stood_in:
        extra.insert(0, stood_in(verdict))
    if verdict.forbidden and not isinstance(finding, f.CallsForbidden):
        extra.append(forbidden_text(verdict.forbidden, task))
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


WORDING: dict[type[f.Finding], Callable[..., Message]] = {
    **UNRUNNABLE,
    **RESULTS,
    f.CallsForbidden: calls_forbidden,
}
