"""From evidence to points: the first thing that is wrong is told, and only the right tensor earns any."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from autograder.findings import (
    BrokenProperty,
    GivensChanged,
    MatchesKnownWrong,
    NotAFunction,
    NotDefined,
    NotFinite,
    NotRun,
    Raised,
    StillStub,
    WrongDtype,
    WrongShape,
    WrongType,
    WrongValues,
)
from autograder.judge import judge, match_known_wrong, merge, same_outcome
from autograder.outcome import Evidence, Outcome, from_plain, to_plain

NAN, INF = float("nan"), float("inf")


def right(x):
    return x / x.sum()


def earned(verdict):
    return [result.earned for result in verdict.results]


# Right answers


@pytest.mark.parametrize(
    "answer",
    [
        right,
        lambda x: x.double() / x.double().sum(),
        lambda x: (x / x.sum()).requires_grad_(),
        lambda x: torch.nn.Parameter(x / x.sum()),
        lambda x: torch.einsum("i,->i", x, 1 / x.sum()),
        lambda x: torch.stack([entry / x.sum() for entry in x]),
        lambda x: x / x.sum() + 1e-6,
    ],
)
def test_a_right_answer_by_any_route_earns_everything(judged, share, answer):
    verdict = judged(share, answer)
    assert (verdict.passed, earned(verdict), verdict.finding) == (True, [1, 2], None)


@pytest.mark.parametrize(
    "convert",
    [
        lambda n: n,
        float,
        lambda n: n.item(),
        lambda n: np.float32(n),
        lambda n: np.float64(n),
        lambda n: n.double(),
    ],
    ids=["tensor", "float", "item", "numpy.float32", "numpy.float64", "double"],
)
def test_a_number_of_any_kind_is_right_where_a_number_is_asked_for(judged, total, convert):
    assert judged(total, lambda a, b: convert((a * b).sum())).passed


def test_a_whole_number_is_right_where_it_is_the_number(lesson, total, yielded):
    three = dataclasses.replace(
        total, probes={"pairs": dataclasses.replace(total.probes["pairs"], expected=yielded(3.0))}
    )
    evidence = Evidence("total", "answered", outcomes={"pairs": Outcome("int", torch.tensor(3), (), "int64")})
    assert judge(three, evidence).passed


@pytest.mark.parametrize("convert", [float, np.float64])
def test_a_number_is_not_right_where_a_vector_is_asked_for(judged, share, convert):
    assert isinstance(judged(share, lambda x: convert(x.sum())).finding, WrongType)


def test_a_truth_value_is_not_a_number(judged, total):
    assert judged(total, lambda a, b: True).finding == WrongType("pairs", "bool")
    assert not judged(total, lambda a, b: np.bool_(True)).passed


@pytest.mark.parametrize("kind", [complex, np.complex64, np.complex128, lambda n: torch.tensor(complex(n))])
def test_a_complex_number_is_never_right(judged, total, kind):
    assert not judged(total, lambda a, b: kind(float((a * b).sum()))).passed
    assert not judged(total, lambda a, b: kind(float((a * b).sum()) + 5j)).passed


# The order of findings

UNDEFINED = Evidence("share", "missing", nearest=("shares",))


def test_not_defined_comes_first(share):
    assert judge(share, UNDEFINED).finding == NotDefined(nearest=("shares",))


def undone(x):
    raise NotImplementedError


def exits(x):
    raise SystemExit(3)


LADDER = [
    ("a stub that raises is still a stub", undone, StillStub),
    ("what is no function is told before anything is called", 5, NotAFunction),
    ("an error is told before the type of other results", lambda x: [1] if len(x) == 4 else 1 / 0, Raised),
    ("leaving the program is an error like any other", exits, Raised),
    ("the type is told before the shape", lambda x: [1.0], WrongType),
    ("the shape is told before the dtype", lambda x: torch.ones(9, dtype=torch.int64), WrongShape),
    ("the dtype is told before nan", lambda x: (x * NAN).half(), WrongDtype),
    ("nan is told before a known wrong answer", lambda x: x * NAN, NotFinite),
    ("a known wrong answer is told before a broken property", lambda x: x / x.max(), MatchesKnownWrong),
    ("a broken property is told before the values", lambda x: x * 3, BrokenProperty),
    ("the values are told last", lambda x: torch.softmax(x, 0), WrongValues),
]


@pytest.mark.parametrize(
    ("answer", "expected"), [rung[1:] for rung in LADDER], ids=[rung[0] for rung in LADDER]
)
def test_the_first_thing_that_is_wrong_is_told(judged, share, answer, expected):
    verdict = judged(share, answer)
    assert type(verdict.finding) is expected
    assert verdict.earned == 0


def test_changed_givens_are_told_before_the_values(lesson, row_sums):
    evidence = Evidence(
        "row-sums", "answered", changed_givens=("table",), outcomes={"as-seen": Outcome("list")}
    )
    assert judge(row_sums, evidence).finding == GivensChanged(names=("table",))


# What each finding says


def test_an_error_is_passed_on_with_its_probe(judged, share):
    finding = judged(share, lambda x: 1 / 0).finding
    assert (finding.probe, finding.error.type, finding.error.message) == (
        "three",
        "ZeroDivisionError",
        "division by zero",
    )


def test_a_wrong_shape_names_the_first_axis_of_the_wrong_size(judged, pairs):
    finding = judged(pairs, lambda x: torch.ones(3, 2)).finding
    assert finding == WrongShape("three", (3, 2), (3, 3), axis=1)


def test_a_wrong_number_of_axes_names_no_axis(judged, pairs):
    finding = judged(pairs, lambda x: torch.ones(3)).finding
    assert finding == WrongShape("three", (3,), (3, 3), axis=None)


def test_a_shape_that_would_broadcast_is_wrong(judged, share):
    assert isinstance(judged(share, lambda x: torch.ones(1)).finding, WrongShape)
    assert isinstance(judged(share, lambda x: torch.tensor(1.0)).finding, WrongShape)
    assert isinstance(judged(share, lambda x: torch.ones(0)).finding, WrongShape)


@pytest.mark.parametrize("dtype", [torch.int64, torch.float16, torch.bfloat16, torch.bool, torch.complex64])
def test_a_dtype_that_the_task_does_not_allow_is_named(judged, share, dtype):
    finding = judged(share, lambda x: (x / x.sum()).to(dtype)).finding
    name = str(dtype).removeprefix("torch.")
    assert finding == WrongDtype("three", name, ("float32", "float64"))


def test_the_first_entry_that_is_not_finite_is_named_and_they_are_counted(judged, share):
    finding = judged(share, lambda x: torch.where(x > 1, INF, x / x.sum())).finding
    assert (finding.value, finding.index, finding.count) == (INF, (1,), 2)


def test_what_is_infinite_in_the_right_answer_may_be_infinite(share, yielded):
    masked = {
        name: dataclasses.replace(probe, expected=yielded([0.0, -INF]))
        for name, probe in share.probes.items()
    }
    task = dataclasses.replace(share, probes=masked, known_wrong=())
    same = Evidence("share", "answered", outcomes=dict.fromkeys(masked, yielded([0.0, -INF])))
    assert judge(task, same).passed
    for other in ([0.0, INF], [0.0, 5.0], [0.0, NAN]):
        evidence = Evidence("share", "answered", outcomes=dict.fromkeys(masked, yielded(other)))
        assert not judge(task, evidence).passed


def test_a_known_wrong_answer_is_named_with_its_hint(judged, share):
    verdict = judged(share, lambda x: x / x.max())
    assert (verdict.known_wrong, verdict.hint) == ("by-largest", "You divided by the largest: use `x.sum()`.")


def test_a_known_wrong_answer_of_the_wrong_shape_is_named_with_its_hint(judged, total):
    verdict = judged(total, lambda a, b: a * b)
    assert isinstance(verdict.finding, WrongShape)
    assert (verdict.known_wrong, verdict.hint) == ("not-added", "Add the products up.")


def test_a_known_wrong_answer_that_is_right_on_numbers_and_overwrites_its_input_is_named(judged, share):
    verdict = judged(share, lambda x: x.div_(x.sum().clone()))
    assert (verdict.known_wrong, verdict.earned) == ("overwritten", 0)


def test_an_answer_that_is_wrong_in_a_known_way_on_one_probe_only_is_not_named(judged, share):
    verdict = judged(share, lambda x: x / x.max() if len(x) == 3 else torch.softmax(x, 0))
    assert (verdict.known_wrong, verdict.hint) == ("", "")


def test_a_broken_property_says_where_and_what_was_found(judged, share):
    finding = judged(share, lambda x: x * 3).finding
    assert (finding.property, finding.index, finding.obtained, finding.axis) == ("sums-to-one", (), 24.0, 0)


def test_a_changed_input_is_named(judged, pairs):
    def overwrites(x):
        result = x @ x.T
        x.zero_()
        return result

    finding = judged(pairs, overwrites).finding
    assert (finding.property, finding.obtained) == ("input-untouched", "x")


def test_wrong_values_say_where_how_far_and_how_many(judged, share):
    finding = judged(share, lambda x: torch.tensor([0.125, 0.5, 0.375])).finding
    assert (finding.index, finding.obtained, finding.expected) == ((1,), 0.5, 0.25)
    assert finding.largest_error == 0.25
    assert finding.share_right == pytest.approx(1 / 3)
    assert finding.obtained_tensor.tolist() == [0.125, 0.5, 0.375]
    assert finding.expected_tensor.tolist() == [0.125, 0.25, 0.625]


def test_numbers_copied_from_the_text_are_recognised_as_rounded(judged, share, yielded):
    thirds = dataclasses.replace(share.probes["three"], expected=yielded([1 / 3, 2 / 3]))
    task = dataclasses.replace(share, probes={**share.probes, "three": thirds})
    outcomes = {"three": yielded([0.3333, 0.6667]), "four": share.probes["four"].expected}
    finding = judge(task, Evidence("share", "answered", outcomes=outcomes)).finding
    assert finding.rounded
    outcomes["three"] = yielded([0.3433, 0.6567])
    finding = judge(task, Evidence("share", "answered", outcomes=outcomes)).finding
    assert not finding.rounded


# Points


def test_a_check_that_fails_does_not_cost_the_others(judged, share):
    verdict = judged(share, lambda x: x / x.sum() if len(x) == 4 else x)
    assert (earned(verdict), verdict.earned, verdict.points, verdict.passed) == ([0, 2], 2, 3, False)


def test_a_check_with_several_probes_needs_all_of_them(judged, total):
    verdict = judged(total, lambda a, b: (a * b).sum() if len(a) == 2 else torch.tensor(0.0))
    assert (verdict.earned, verdict.finding.probe) == (0, "triples")


def test_a_probe_without_evidence_was_not_run(share, yielded):
    outcomes = {"three": share.probes["three"].expected}
    verdict = judge(share, Evidence("share", "answered", outcomes=outcomes, note="it stopped"))
    assert (earned(verdict), verdict.finding) == ([1, 0], NotRun("four", "it stopped"))


def test_evidence_about_probes_that_nobody_asked_for_earns_nothing(share):
    outcomes = {"three ": share.probes["three"].expected}
    assert judge(share, Evidence("share", "answered", outcomes=outcomes)).earned == 0


def test_evidence_without_outcomes_earns_nothing(share, row_sums):
    assert judge(share, Evidence("share", "answered")).earned == 0
    assert judge(row_sums, Evidence("row-sums", "answered")).earned == 0


def test_what_was_not_run_earns_nothing_and_says_why(share):
    verdict = judge(share, Evidence("share", "not-run", note="the kernel died"))
    assert (verdict.earned, verdict.finding) == (0, NotRun(reason="the kernel died"))


def test_globals_are_told_beside_a_wrong_answer_only(share, judged):
    wrong = Evidence("share", "answered", globals_read=("scores",))
    assert judge(share, wrong).globals_read == ("scores",)
    outcomes = {name: probe.expected for name, probe in share.probes.items()}
    fine = Evidence("share", "answered", outcomes=outcomes, globals_read=("scores",))
    assert judge(share, fine).globals_read == ()


# Odd results


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "answer",
    [
        lambda x: torch.empty(len(x), device="meta"),
        lambda x: torch.zeros(1).expand(10**12),
        lambda x: x.to(torch.complex64) / x.sum(),
        lambda x: x > 0,
        lambda x: (x * 0).to_sparse(),
        lambda x: x.to(torch.float8_e4m3fn),
        lambda x: x.to(torch.uint16),
        lambda x: "text",
        lambda x: (x / x.sum()).numpy(),
    ],
    ids=["meta", "huge", "complex", "bool", "sparse", "float8", "uint16", "text", "numpy"],
)
def test_an_odd_result_is_wrong_and_no_fault_of_ours(judged, share, answer):
    verdict = judged(share, answer)
    assert (verdict.passed, verdict.earned) == (False, 0)
    assert verdict.finding is not None


# Forged evidence


@pytest.fixture
def forged():
    """The verdict on a task whose every outcome claims the right shape and dtype, and carries this tensor."""

    def judge_forged(task, tensor, shape):
        outcomes = {
            name: dataclasses.replace(probe.expected, tensor=tensor) for name, probe in task.probes.items()
        }
        plain, tensors = to_plain(Evidence(task.id, "answered", outcomes=outcomes))
        for name, entry in plain["outcomes"].items():
            entry["shape"] = list(shape if shape is not None else task.probes[name].expected.shape)
            entry["dtype"] = "float32"
        return judge(task, from_plain(plain, tensors))

    return judge_forged


@pytest.mark.parametrize(
    "tensor", [torch.ones(0), torch.ones(0, 3), torch.ones(1, 0)], ids=lambda t: str(t.shape)
)
def test_an_empty_tensor_that_claims_the_right_shape_earns_nothing(forged, share, total, tensor):
    for task in (share, total):
        assert forged(task, tensor, None).earned == 0


def test_a_tensor_that_claims_the_right_shape_and_broadcasts_to_it_earns_nothing(forged, share, yielded):
    even = dataclasses.replace(share.probes["three"], expected=yielded([0.5, 0.5]))
    task = dataclasses.replace(share, probes={"three": even}, checks=share.checks[:1], known_wrong=())
    assert forged(task, torch.tensor(0.5), (2,)).earned == 0
    assert forged(task, torch.tensor([0.5, 0.5]), (2,)).earned == 1


def test_a_tensor_that_claims_a_finer_dtype_than_it_has_earns_nothing(forged, total):
    right = {name: probe.expected.tensor for name, probe in total.probes.items()}
    one = dataclasses.replace(total, probes={"pairs": total.probes["pairs"]})
    assert forged(one, right["pairs"].bfloat16(), ()).earned == 0
    assert forged(one, right["pairs"], ()).finding is None


# Known wrong answers and merging


def test_a_known_wrong_answer_that_overflows_is_not_every_answer(share, yielded):
    endless = dataclasses.replace(
        share.known_wrong[0], outcomes={"three": yielded([INF] * 3), "four": yielded([INF] * 4)}
    )
    task = dataclasses.replace(share, known_wrong=(endless,))
    seen = {"three": yielded([1.0, 2.0, 3.0]), "four": yielded([1.0, 2.0, 3.0, 4.0])}
    assert match_known_wrong(task, seen) is None


def test_a_known_wrong_answer_is_matched_on_all_there_is_evidence_of(share):
    seen = {"four": share.known_wrong[0].outcomes["four"]}
    assert match_known_wrong(share, seen).id == "by-largest"


def test_nothing_seen_matches_no_known_wrong_answer(share):
    assert match_known_wrong(share, {}) is None


def test_what_is_right_on_all_that_was_seen_matches_no_known_wrong_answer(total, yielded):
    seen = {name: probe.expected for name, probe in total.probes.items()}
    assert match_known_wrong(total, seen) is None


def test_outcomes_are_the_same_by_error_type_or_by_numbers(failed, yielded):
    assert same_outcome(failed("ValueError", "one"), failed("ValueError", "other"))
    assert not same_outcome(failed("ValueError"), failed("TypeError"))
    assert not same_outcome(failed("ValueError"), yielded(1.0))
    assert same_outcome(yielded(1.0), yielded(1.0 + 1e-7))
    assert not same_outcome(yielded([1.0]), yielded(1.0))
    assert not same_outcome(yielded(1.0), yielded(1.0, ("x",)))
    assert same_outcome(Outcome("list"), Outcome("list"))
    assert not same_outcome(Outcome("list"), Outcome("tuple"))


def runs(row_sums, seen, redrawn):
    made = [
        Evidence("row-sums", "answered", outcomes={run: Outcome("torch.Tensor", value, (2,), "float32")})
        for run, value in (("as-seen", seen), ("redrawn-1", redrawn))
    ]
    return judge(row_sums, merge(*made))


def test_a_tensor_must_be_right_in_every_run(row_sums):
    right_ones = [row_sums.probes[run].expected.tensor for run in ("as-seen", "redrawn-1")]
    assert runs(row_sums, *right_ones).passed
    assert not runs(row_sums, right_ones[0], right_ones[0]).passed


@pytest.mark.parametrize("status", ["missing", "stub", "not-run"])
def test_a_run_that_has_no_answer_makes_the_whole_so(row_sums, yielded, status):
    seen = Evidence("row-sums", "answered", outcomes={"as-seen": row_sums.probes["as-seen"].expected})
    other = Evidence("row-sums", status)
    assert merge(seen, other).status == status
    assert merge(other, seen).status == status


def test_givens_changed_in_one_run_are_changed(row_sums):
    seen = Evidence("row-sums", "answered")
    other = Evidence("row-sums", "answered", changed_givens=("table",))
    assert merge(seen, other).changed_givens == ("table",)
