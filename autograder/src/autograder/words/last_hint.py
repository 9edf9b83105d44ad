"""The last hint: reasoning about why this answer is wrong, and a next thing to try. It contains no code.

It is assembled from the verdict: the named mistakes, the steps of the answer, its numbers and the facts that
experiments show. It says nothing about anything that was not observed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.records import answer_findings as f
from autograder.records.bank import Task
from autograder.records.run_outcome import ErrorReport
from autograder.words.card_contents import numbered, proven
from autograder.words.fact_wording import fact_text
from autograder.words.finding_wording import HINT_SAYS_WHY, globals_text, unfinished_text, word
from autograder.words.language import _, translated
from autograder.words.phrases import N_, capital, location_text, number_text
from autograder.words.trace_wording import step_text, way_text

MOST_WORDS = 160  # in all hints of a task together: more is not read
MOST_STEPS = 3  # right steps that are told, the last ones

# What to try, by what is known of the answer.
_TRY = {
    "instead": N_(
        "Try this: print what line {line} makes. First write down what one row of it should hold, and why. "
        "Then look at what happens between the last right step and there: which operation, over which axis, "
        "with which number? Change one thing, and see whether the row moves as you said."
    ),
    "multiple": N_(
        "Try this: compute one number of that step by hand, and print yours beside it. Where does the factor "
        "come in, or go missing? Look at each product, each division and each mean. Change one of them, and "
        "see whether the two numbers agree."
    ),
    "onward": N_(
        "Try this: start at the last right step. Print what each operation after it makes, one at a time. "
        "Before each print, say which shape and which numbers you expect, and why. The first surprise is the "
        "place to change."
    ),
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
        steps = [self._steps(verdict.way, most) for most in (MOST_STEPS, 1)] if verdict.way else []
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
        steps = [text for text in steps if words([*before, *first, text, to_try[-1]]) <= MOST_WORDS]
        room = MOST_WORDS - words([*before, *first])
        chosen = []
        for ways_to_say in (steps, to_try, *([text] for text in more)):
            fits = next((text for text in ways_to_say if words([text]) <= room), "")
            chosen.append(fits)
            room -= words([fits])
        in_steps, tried, *rest = chosen
        return tuple(filter(None, [*first, in_steps, *rest, tried]))

    def _steps(self, alignment: f.TraceAlignment, most: int) -> str:
        """Say which steps are right, the last ones, and what stands where the next one should."""
        text = way_text(replace(alignment, right=alignment.right[-most:]), self.task)
        return " ".join(filter(None, [text, *self._there(alignment)]))

    def _there(self, alignment: f.TraceAlignment) -> Iterator[str]:
        if alignment.source is None or alignment.multiple:
            return
        own_functions = self.task.own_functions
        yield _(
            "{step} are made from {source}, {place}.",
            step=capital(translated("steps", alignment.missing)),
            source=translated("steps", alignment.source.says),
            place=step_text(alignment.source, own_functions),
        )
        if alignment.instead:
            step = alignment.instead
            reached = f.Reached("", step.name, step.line_number, step.function)
            location = step_text(reached, own_functions)
            yield _("What you have there is no step of the usual way: {place}.", place=location)
            if step.row:
                numbers = ", ".join(number_text(number) for number in step.row)
                yield _("Its last row begins with {numbers}.", numbers=numbers)

    def _case(self) -> tuple[str, dict[str, Any]]:
        """Return what there is to try, and the values that its sentences name."""
        finding, alignment, error = self.finding, self.verdict.way, _error(self.finding)
        if error:
            sizes = error.type in OF_OPERATIONS[1:] and any(operand.shape for operand in error.operands)
            is_located = error.type in OF_OPERATIONS and error.line_number
            return ("sizes" if sizes else "error", {"line": error.line_number}) if is_located else ("", {})
        if alignment and alignment.multiple:
            return "multiple", {}
        if alignment and alignment.instead:
            return "instead", {"line": alignment.instead.line_number}
        if alignment and alignment.right:
            return "onward", {}
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
