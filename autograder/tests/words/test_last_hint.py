"""The last hint: it reasons about this answer, from what was seen of it, and gives no code."""

from __future__ import annotations

from dataclasses import replace

import pytest
from autograder.records import answer_findings as f
from autograder.records.run_outcome import ErrorReport, Operand
from autograder.words.last_hint import MOST_WORDS, reasoning, words
from support.tiny_lesson import SHARE, TABLE

FEWEST_WORDS = 80
PARTS = f.Reached("the parts", "p", 2)
SUMS = f.Reached("the sums", "s", 3)
MADE = f.Followed("w", 4, "", (2, 3), row=(0.25, 0.5, 1.5))
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
HALFWAY = f.TraceAlignment((PARTS, SUMS), "the shares", probe="three", source=SUMS, instead=MADE)


def verdict(finding=SAME, **more):
    return f.Verdict("share", (f.CheckResult("a", 1, 0, finding),), **more)


ENTRY = "Entry [1] (token 1) is 0.2500 on three numbers and should be 0.5000."
STEPS = "Right so far on three numbers: the parts (`p`, line 2) and the sums (`s`, line 3)."

# What is known of an answer, what its last hint says in this order, and what it does not say.
CASES = {
    "a mistake, and what stands where the next step should": (
        verdict(named=(LARGEST,), way=HALFWAY),
        (
            LARGEST.hint,
            STEPS,
            "The usual way makes the shares next, found in none of your lines.",
            "The shares are made from the sums, `s`, line 3.",
            "no step of the usual way: `w`, line 4. Its last row begins with 0.2500, 0.5000, 1.5000.",
            ENTRY,
            "Try this: print what line 4 makes.",
        ),
        (),
    ),
    "a mistake, and a multiple of the next step": (
        verdict(named=(LARGEST,), way=replace(HALFWAY, multiple=(f.Reached("the shares", "w", 4), 8.0))),
        (LARGEST.hint, STEPS, "(`w`, line 4) is 8 times as large", ENTRY, "does the factor come in"),
        ("no step of the usual way", "are made from"),
    ),
    "a mistake, and a next step whose numbers are not all finite": (
        verdict(named=(LARGEST,), way=replace(HALFWAY, instead=replace(MADE, name="", row=()))),
        (LARGEST.hint, "no step of the usual way: inside line 4.", ENTRY),
        ("last row",),
    ),
    "a mistake after the last step": (
        verdict(named=(LARGEST,), way=f.TraceAlignment((PARTS, SUMS), ends="wrong", probe="three")),
        (LARGEST.hint, STEPS, "The result itself is not.", ENTRY, "start at the last right step"),
        ("The usual way makes", "no line of yours"),
    ),
    "two mistakes": (
        verdict(named=(LARGEST, LONG), way=HALFWAY),
        (f"1. {LARGEST.hint}", f"2. {LONG.hint}", "(together they fit", "makes the shares next", "Try this"),
        (),
    ),
    "many right steps: the last ones are told": (
        verdict(
            named=(LARGEST,), way=replace(HALFWAY, right=(f.Reached("the rows", "r", 1), PARTS, SUMS, SUMS))
        ),
        (LARGEST.hint, "the parts (`p`, line 2)", "The usual way makes the shares next"),
        ("the rows",),
    ),
    "a mistake that is a part of what was seen": (
        verdict(named=(LARGEST,), whole=False, explains=("a",), facts=(f.Idle(("x",)),), way=HALFWAY),
        (LARGEST.hint, "(fits a part of what was seen)", "The usual way makes the shares next", "Try this"),
        (),
    ),
}


@pytest.mark.parametrize(("seen", "says", "never"), CASES.values(), ids=CASES)
def test_a_named_mistake_and_a_step_give_a_reasoning_of_80_to_160_words(seen, says, never):
    before = SHARE.hints[:2]
    paragraphs = reasoning(SHARE, seen, before)
    text = "\n".join(paragraphs)
    assert FEWEST_WORDS <= words([*before, *paragraphs]) <= MOST_WORDS
    places = [text.find(part) for part in says]
    assert -1 not in places, f"{says[places.index(-1)]!r} is not in\n{text}"
    assert places == sorted(places)
    assert [part for part in never if part in text] == []
    assert "return x" not in text


UNNAMED = {
    "steps alone": (verdict(VALUES, way=HALFWAY), ("makes the shares next", ENTRY, "print what line 4")),
    "numbers alone": (verdict(VALUES), (ENTRY, "follow entry [1] (token 1) from the start")),
    "facts come before numbers": (verdict(VALUES, facts=(f.Idle(("x",)),)), ("`x` can change with", ENTRY)),
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


def test_where_room_is_short_fewer_steps_are_told_and_what_to_try_stays():
    before = ("word " * 66,)
    *_, steps, tried = reasoning(SHARE, verdict(named=(LARGEST,), way=HALFWAY), before)
    assert "Right so far on three numbers: the sums (`s`, line 3). The usual way makes the shares" in steps
    assert tried == "Try this: change one thing at a time. Say first what should move."


def test_a_misspelt_name_gets_nothing_to_try():
    assert "Try this" not in "\n".join(reasoning(SHARE, verdict(f.Raised(MISSPELT, probe="three")), ()))


@pytest.mark.parametrize("finding", [f.NotDefined(), f.StillStub(), f.NotRun("it hangs"), None])
def test_of_what_could_not_be_tried_nothing_is_said(finding):
    assert reasoning(SHARE, verdict(finding), ()) == ()


def test_the_section_is_named_where_there_is_room():
    seen = verdict(named=(LARGEST,), way=HALFWAY)
    text = reasoning(SHARE, seen, (), "“Sums” in 01-tiny")
    assert "Read “Sums” in 01-tiny again: it explains this." in text
    full = reasoning(SHARE, seen, ("word " * 60,), "“Sums” in 01-tiny")
    assert not any(text.startswith("Read ") for text in full)
    assert words(full) <= MOST_WORDS - 60
