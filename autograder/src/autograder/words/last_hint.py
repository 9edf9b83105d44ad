"""The last hint: reasoning about why this answer is wrong, and a next thing to try. It contains no code.

It is assembled from the verdict: the named mistakes, the answer's numbers and the facts that experiments
show. It says nothing about anything that was not observed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.records import answer_findings as f
from autograder.records.bank import Task
from autograder.records.run_outcome import ErrorReport
from autograder.words.card_contents import numbered, proven
from autograder.words.fact_wording import fact_text
from autograder.words.finding_wording import HINT_SAYS_WHY, globals_text, unfinished_text, word
from autograder.words.language import _
from autograder.words.phrases import N_, location_text

MOST_WORDS = 160  # in all hints of a task together: more is not read

# What to try, by what is known of the answer.
_TRY = {
    "sizes": N_(
        "Try this: print the shape of each tensor in line {line}, just above it. Write beside each axis what "
        "it counts. Which axes should meet there, and which do? Change the first tensor whose axes are not "
        "what you said."
    ),
    "error": N_(
        "Try this: read the message once more. Which operation does it name, and what did that get? Print it "
        "just above line {line}, and say first what it should be. Change what is not as you said."
    ),
    "shape": N_(
        "Try this: write beside each of your lines which shape it makes, and what each axis counts. Then "
        "print the shapes. The first line whose shape is not what you said is the place to change."
    ),
    "numbers": N_(
        "Try this: follow {place} from the start, one operation after the other. Print what each of them "
        "makes, and say first which number you expect, and why. The first surprise is the place to change."
    ),
    "other": N_(
        "Try this: find the line that decides this. Say what it does now, and what it should do. Change only "
        "that line, and run the check again."
    ),
}
_BRIEF = N_("Try this: change one thing at a time. Say first what should move.")

# Errors of operations; tensors whose sizes do not fit raise all but the first. Others are names misspelt.
OF_OPERATIONS = ("TypeError", "RuntimeError", "IndexError", "ValueError")


def reasoning(task: Task, verdict: f.Verdict, before: Sequence[str], section: str = "") -> tuple[str, ...]:
    """Return paragraphs that reason about a wrong answer; none for an answer that could not be called.

    Args:
        task: the task of the answer.
        verdict: the verdict on the answer.
        before: the hints that the learner has seen already.
        section: the heading of the section that explains the mistake; "" if none is known.
    """
    finding = verdict.finding
    if finding is None or (isinstance(finding, f.Untried | f.CallsForbidden) and not _error(finding)):
        return ()
    if isinstance(finding, f.MatchesKnownWrong) and finding.values:
        finding = replace(finding.values, probe=finding.probe)
    return _Reasoning(task, verdict, finding).paragraphs(before, section)


@dataclass(frozen=True)
class _Reasoning:
    """The reasoning about a wrong answer to a task, from the first finding of its verdict."""

    task: Task
    verdict: f.Verdict
    finding: f.Finding

    def paragraphs(self, before: Sequence[str], section: str) -> tuple[str, ...]:
        """Return the paragraphs, as far as there is room for them after earlier hints."""
        task, verdict = self.task, self.verdict
        first = [unfinished_text(verdict)] if verdict.unfinished else []
        *hints, last = numbered([mistake.hint for mistake in verdict.named]) or [""]
        first += filter(None, [*hints, " ".join(filter(None, [last, proven(verdict)]))])
        message = word(self.finding, task)
        # The mistake's own hint says where it comes from.
        named = verdict.named and verdict.whole and isinstance(self.finding, HINT_SAYS_WHY)
        facts = [fact_text(fact, task) for fact in verdict.facts]
        more = [message.headline, *facts] if verdict.named else [*facts, message.headline]
        more += [globals_text(verdict, task)] if verdict.globals_read else []
        more += [_("Read {section} again: it explains this.", section=section)] if section else []
        more += () if named else message.details
        # What says most comes first where there is not room for all; the last paragraph is what to try.
        kind, values = self._case()
        to_try = [_(_TRY[kind][0], **values) if kind else "", _(_BRIEF[0])]
        room = MOST_WORDS - words([*before, *first])
        chosen = []
        for ways_to_say in (to_try, *([text] for text in more)):
            fits = next((text for text in ways_to_say if words([text]) <= room), "")
            chosen.append(fits)
            room -= words([fits])
        tried, *rest = chosen
        return tuple(filter(None, [*first, *rest, tried]))

    def _case(self) -> tuple[str, dict[str, Any]]:
        """Return what there is to try, and the values that its sentences name."""
        finding, error = self.finding, _error(self.finding)
        if error:
            sizes = error.type in OF_OPERATIONS[1:] and any(operand.shape for operand in error.operands)
            is_located = error.type in OF_OPERATIONS and error.line_number
            return ("sizes" if sizes else "error", {"line": error.line_number}) if is_located else ("", {})
        if isinstance(finding, f.WrongShape):
            return "shape", {}
        if isinstance(finding, f.WrongValues):
            location = location_text(finding.index, self.task)
            return "numbers", {"place": location[:1].lower() + location[1:]}
        return "other", {}


def words(texts: Sequence[str]) -> int:
    """Return the number of words in the texts."""
    return sum(len(text.split()) for text in texts)


def _error(finding: f.Finding) -> ErrorReport | None:
    return finding.error if isinstance(finding, f.Raised | f.NotDefined | f.StillStub) else None
