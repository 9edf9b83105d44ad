"""The selection of a feedback card's visible and folded text, since a card must be readable in five seconds.

The mistake comes first, then at most two lines: where it shows, and what to do. Everything else is folded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.records import answer_findings as f
from autograder.records.bank import Task
from autograder.words.fact_wording import fact_message
from autograder.words.finding_wording import unfinished_text, word, word_whole
from autograder.words.language import _
from autograder.words.phrases import N_, listed

MOST_WORDS = 45  # in the mistake and its lines together; the title and the points come to some ten more
MOST_OF_MISTAKE = 34  # an error's own message can be long
# Where a sentence ends; in Bengali with a danda.
END = re.compile(r"(?<=[.!?।]) +")

# How far mistakes are proven, of one and of several. A hint tells of the code in which its mistake was tried,
# and other code may come to the same.
_PROOFS = {
    "same": N_(
        "(code with this mistake gives exactly your result)", "(together they give exactly your result)"
    ),
    "stops": N_("(stops in the same way)", "(together they stop in the same way)"),
    "ending": N_("(many mistakes end like this)", "(together they fit what was seen)"),
    "likeness": N_("(fits what was seen)", "(together they fit what was seen)"),
    "part": N_("(fits a part of what was seen)", "(together they fit a part of what was seen)"),
}


@dataclass(frozen=True)
class Diagnosis:
    """The parts of a feedback card: the visible ones, and `why`, which is folded under "Why?"."""

    mistakes: tuple[str, ...]
    proof: str = ""
    code: str = ""  # the line that stopped, with its number
    lines: tuple[str, ...] = ()
    why: tuple[str, ...] = ()

    @property
    def visible(self) -> str:
        """The text that is visible without unfolding, below the title."""
        return " ".join(filter(None, (*self.mistakes, self.proof, self.code, *self.lines)))


def diagnosis(task: Task, verdict: f.Verdict) -> Diagnosis:
    """Return the visible and the folded text of the card for a wrong answer."""
    finding = verdict.finding
    assert finding is not None
    own, message = word(finding, task), word_whole(finding, task, verdict)
    number = finding.error.line_number if isinstance(finding, _STOPPED) and finding.error else None
    code = f"{number}: {own.code}" if own.code and number else own.code
    if verdict.named:
        sentences = [END.split(mistake.hint) for mistake in verdict.named]
        mistakes, where = tuple(first for first, *_rest in sentences), "" if verdict.whole else own.headline
        # What is read from little is said with care: a mistake from an error, several from a few checks.
        from_an_end = verdict.shown in ("ending", "stops") and len(mistakes) == 1
        if from_an_end or (len(mistakes) > 1 and not verdict.whole):
            mistakes = tuple(_("Perhaps: {mistake}", mistake=each) for each in mistakes)
        advice = _advice([" ".join(others) for _first, *others in sentences])
    else:
        mistakes = (_cut(message.headline),)
        taken_over = message.headline != own.headline
        details = fact_message(verdict.facts[0], task).details if taken_over else own.details
        advice = " ".join(details[:1])
        where = own.headline if taken_over else ""
    if verdict.unfinished and unfinished_text(verdict) in message.details:
        advice = unfinished_text(verdict)
    where = "" if code else where
    proof = proven(verdict)
    room = MOST_WORDS - _count(*mistakes, proof, code)
    lines = tuple(_fitting((where, advice), room))
    seen = Diagnosis(mistakes, proof, code, lines)
    rest = [*([_explains(verdict)] if verdict.explains else []), message.headline, *message.details]
    texts = dict.fromkeys([*(mistake.hint for mistake in verdict.named), *rest])
    why = tuple(filter(None, (_unsaid(text, seen.visible) for text in texts)))
    return Diagnosis(mistakes, proof, code, lines, why)


def _unsaid(text: str, visible: str) -> str:
    """Return the sentences of a text that are not visible already."""
    return " ".join(sentence for sentence in END.split(text) if sentence not in visible)


_STOPPED = f.Raised | f.NotDefined | f.StillStub | f.Stale


def proven(verdict: f.Verdict) -> str:
    """Return a note on how certain the named mistakes are; "" if none is named or no note is needed."""
    count = len(verdict.named)
    if not count or (count == 1 and verdict.whole and not verdict.shown):
        return ""
    proof = (verdict.shown or "likeness") if verdict.whole else "part"
    return _(_PROOFS[proof][count > 1])


def numbered(texts: Sequence[str]) -> list[str]:
    """Return the texts, each with its number in front if there are several."""
    if len(texts) == 1:
        return list(texts)
    return [f"{number}. {text}" for number, text in enumerate(texts, start=1)]


def _advice(texts: Sequence[str]) -> str:
    """Return what to do about each mistake, with the mistake's number where there are several."""
    if len(texts) > 1:
        texts = [f"({number}) {text}" for number, text in enumerate(texts, start=1) if text]
    return " ".join(texts)


def _explains(verdict: f.Verdict) -> str:
    """Say which checks the named mistakes account for, where that is not all."""
    return _("That accounts for {checks}.", checks=listed([f"“{title}”" for title in verdict.explains]))


def _fitting(texts: Sequence[str], room: int) -> Iterator[str]:
    """Yield those of some texts for which there is room, or as many of a text's sentences."""
    for text in filter(None, texts):
        sentences = END.split(text)
        while sentences and _count(*sentences) > room:
            sentences.pop()
        if sentences:
            room -= _count(*sentences)
            yield " ".join(sentences)


def _cut(text: str) -> str:
    """Return a text, cut where it is too long to be read at a glance."""
    words = text.split()
    return text if len(words) <= MOST_OF_MISTAKE else " ".join(words[:MOST_OF_MISTAKE]) + " …"


def _count(*texts: str) -> int:
    return sum(len(text.split()) for text in texts)
