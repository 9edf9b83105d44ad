"""Outcomes and evidence are plain data: split for the journey, and put together again."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from autograder.outcome import (
    MAX_ITEMS,
    MAX_TEXT,
    ErrorReport,
    Evidence,
    Examination,
    Influence,
    ModuleReport,
    Outcome,
    Reshaped,
    Uncalled,
    from_plain,
    to_plain,
)

REPORT = ModuleReport(
    missing=("W_q",),
    unexpected=("W",),
    reshaped=(Reshaped("W_k", (2, 3), (3, 2)),),
    unreached=("W_v",),
    shared=("W_v",),
    frozen=("W_v",),
    unsteady=True,
)
RAISED = Outcome(error=ErrorReport("ValueError", "no", "return y", 3, "share"))


PARTS = {"evidence": Evidence, "outcome": Outcome, "module": ModuleReport}


@pytest.fixture
def evidence(yielded):
    return Evidence(
        "share",
        "answered",
        outcomes={
            "three": dataclasses.replace(yielded([1.0, 2.0], ("x",)), module=REPORT),
            "four": RAISED,
            "five": Outcome(uncalled=Uncalled("arguments", "(x)", "too many")),
        },
        nearest=("shares",),
        answer_type="function",
        changed_givens=("table",),
        globals_read=("scores",),
        note="a note",
        examined=Examination("three", ("x",), (Influence("x", "tokens", ((0, 1), ())),)),
    )


def same(one: Evidence, other: Evidence) -> bool:
    """Whether two pieces of evidence agree in everything, tensors included."""
    plain, tensors = to_plain(one)
    other_plain, other_tensors = to_plain(other)
    return plain == other_plain and all(torch.equal(tensors[key], other_tensors[key]) for key in tensors)


def test_evidence_put_together_again_is_the_same(evidence):
    assert same(from_plain(*to_plain(evidence)), evidence)


def test_an_unknown_status_is_refused(evidence):
    plain, tensors = to_plain(evidence)
    with pytest.raises(ValueError, match="'perfect' is none of"):
        from_plain({**plain, "status": "perfect"}, tensors)


@pytest.mark.parametrize(
    ("part", "name"), [(part, field.name) for part in PARTS for field in dataclasses.fields(PARTS[part])]
)
def test_evidence_that_lacks_a_part_is_refused(evidence, part, name):
    plain, tensors = to_plain(evidence)
    outcome = plain["outcomes"]["three"]
    del {"evidence": plain, "outcome": outcome, "module": outcome["module"]}[part][name]
    with pytest.raises(ValueError, match="expected form"):
        from_plain(plain, tensors)


def test_a_tensor_that_is_named_and_not_there_is_none(evidence):
    plain, _ = to_plain(evidence)
    assert from_plain(plain, {}).outcomes["three"].tensor is None


def test_texts_longer_than_any_honest_one_are_cut(evidence):
    plain, tensors = to_plain(evidence)
    long = "x" * 10 * MAX_TEXT
    plain["note"] = long
    plain["outcomes"]["four"]["error"]["message"] = long
    plain["nearest"] = plain["outcomes"]["three"]["module"]["missing"] = [long] * 1000
    plain["examined"]["idle"] = [long] * 1000
    plain["examined"]["influences"][0]["moved"] = [list(range(1000))] * 1000
    plain["examined"]["influences"] *= 1000
    back = from_plain(plain, tensors)
    assert len(back.note) == MAX_TEXT
    assert len(back.outcomes["four"].error.message) == MAX_TEXT
    moved = back.examined.influences[0].moved
    missing = back.outcomes["three"].module.missing
    assert len(missing[0]) == MAX_TEXT
    lists = back.nearest, missing, back.examined.idle, back.examined.influences, moved, moved[0]
    assert {len(one) for one in lists} == {MAX_ITEMS}


@pytest.mark.parametrize("shape", [[5], [2, 1], [], None, [-2]])
def test_a_stated_shape_that_is_not_the_tensors_is_not_believed(evidence, shape):
    plain, tensors = to_plain(evidence)
    plain["outcomes"]["three"]["shape"] = shape
    try:
        back = from_plain(plain, tensors)
    except ValueError:
        return
    assert back.outcomes["three"].shape == (2,)


def test_a_stated_dtype_that_is_not_the_tensors_is_not_believed(evidence):
    plain, tensors = to_plain(evidence)
    plain["outcomes"]["three"]["dtype"] = "float64"
    try:
        back = from_plain(plain, tensors)
    except ValueError:
        return
    assert back.outcomes["three"].dtype == "float32"


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_a_size_or_line_that_is_no_number_is_refused(evidence, number):
    plain, tensors = to_plain(evidence)
    plain["outcomes"]["three"]["shape"] = [number]
    plain["outcomes"]["three"]["tensor"] = None
    with pytest.raises(ValueError):  # noqa: PT011 - which words it uses does not matter
        from_plain(plain, tensors)
    plain, tensors = to_plain(evidence)
    plain["outcomes"]["four"]["error"]["line_number"] = number
    with pytest.raises(ValueError):  # noqa: PT011
        from_plain(plain, tensors)


def test_only_names_and_shapes_keep_weights_out():
    assert ModuleReport(unreached=("W",), unsteady=True).loadable
    for kind in ("missing", "unexpected", "reshaped"):
        assert not ModuleReport(**{kind: ("W",)}).loadable
