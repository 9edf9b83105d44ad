"""The last hint: it reasons about this answer, from what was seen of it, and gives no code."""

from __future__ import annotations

from dataclasses import replace

import pytest
from autograder.records import answer_findings as f
from autograder.records.run_outcome import ErrorReport, Operand
from autograder.words.last_hint import MOST_WORDS, reasoning, words
from support.tiny_lesson import SHARE, TABLE

FEWEST_WORDS = 80
VALUES = f.WrongValues((1,), 0.25, 0.5, 0.75, 0.4, TABLE[0], TABLE[0] + 1, probe="three")
SAME = f.MatchesKnownWrong(replace(VALUES, probe=""), probe="three")
LARGEST = f.Named(
    "by-largest",
    "divided by the largest",
    "You divide by the largest number. A share is a part of the whole: divide by what all of them come to.",
)
LONG = f.Named("long", "a long one", "The rows are summed where the columns are meant, all of them. " * 3)
SIZES = ErrorReport(
    "RuntimeError", "sizes do not fit", "w = p @ s", 4, operands=(Operand("p", (2, 3), "float32"),)
)
MISSPELT = ErrorReport("NameError", "name 'summ' is not defined", "w = p / summ", 4)


def verdict(finding=SAME, **more):
    return f.Verdict("share", (f.CheckResult("a", 1, 0, finding),), **more)


ENTRY = "Entry [1] (token 1) is 0.2500 on three numbers and should be 0.5000."

# What is known of an answer, what its last hint says in this order.
CASES = {
    "a mistake": (verdict(named=(LARGEST,)), (LARGEST.hint, ENTRY, "Try this: follow entry [1]")),
    "two mistakes": (
        verdict(named=(LARGEST, LONG)),
        (f"1. {LARGEST.hint}", f"2. {LONG.hint}", "(together they fit", ENTRY, "Try this"),
    ),
    "a mistake that is a part of what was seen": (
        verdict(named=(LARGEST,), whole=False, explains=("a",), facts=(f.Idle(("x",)),)),
        (LARGEST.hint, "(fits a part of what was seen)", "`x` had little", "Try this"),
    ),
}


@pytest.mark.parametrize(("seen", "says"), CASES.values(), ids=CASES)
def test_a_named_mistake_gives_a_reasoning_of_80_to_160_words(seen, says):
    before = SHARE.hints[:2]
    paragraphs = reasoning(SHARE, seen, before)
    text = "\n".join(paragraphs)
    assert FEWEST_WORDS <= words([*before, *paragraphs]) <= MOST_WORDS
    places = [text.find(part) for part in says]
    assert -1 not in places, f"{says[places.index(-1)]!r} is not in\n{text}"
    assert places == sorted(places)
    assert "return x" not in text


UNNAMED = {
    "numbers alone": (verdict(VALUES), (ENTRY, "follow entry [1] (token 1) from the start")),
    "facts come before numbers": (verdict(VALUES, facts=(f.Idle(("x",)),)), ("`x` had little", ENTRY)),
    "a shape": (verdict(f.WrongShape((2,), (3,), 0, probe="three")), ("shape (2,)", "which shape it makes")),
    "sizes that do not fit": (
        verdict(f.Raised(SIZES, probe="three")),
        ("sizes do not fit", "`p` has shape (2, 3)", "the shape of each tensor in line 4"),
    ),
    "a cell that stopped": (
        verdict(f.NotDefined(error=replace(SIZES, type="TypeError", operands=()))),
        ("stopped in line 4", "Which operation does it name"),
    ),
    "an earlier answer": (verdict(VALUES, unfinished=("total",)), ("builds it from `total`", ENTRY)),
}


@pytest.mark.parametrize(("seen", "says"), UNNAMED.values(), ids=UNNAMED)
def test_without_a_named_mistake_it_reasons_from_what_was_seen(seen, says):
    text = "\n".join(reasoning(SHARE, seen, ()))
    places = [text.find(part) for part in says]
    assert -1 not in places, f"{says[places.index(-1)]!r} is not in\n{text}"
    assert places == sorted(places)


def test_where_room_is_short_what_to_try_stays():
    *_, tried = reasoning(SHARE, verdict(named=(LARGEST,)), ("word " * 110,))
    assert tried == "Try this: change one thing at a time. Say first what should move."


def test_a_misspelt_name_gets_nothing_to_try():
    assert "Try this" not in "\n".join(reasoning(SHARE, verdict(f.Raised(MISSPELT, probe="three")), ()))


@pytest.mark.parametrize("finding", [f.NotDefined(), f.StillStub(), f.NotRun("it hangs"), None])
def test_of_what_could_not_be_tried_nothing_is_said(finding):
    assert reasoning(SHARE, verdict(finding), ()) == ()


def test_the_section_is_named_where_there_is_room():
    seen = verdict(named=(LARGEST,))
    text = reasoning(SHARE, seen, (), "“Sums” in 01-tiny")
    assert "Read “Sums” in 01-tiny again: it explains this." in text
    full = reasoning(SHARE, seen, ("word " * 110,), "“Sums” in 01-tiny")
    assert not any(text.startswith("Read ") for text in full)
    assert words(full) <= MOST_WORDS - 110
