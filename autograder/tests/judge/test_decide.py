"""From evidence to points: the first thing that is wrong is told, and only the right tensor earns any."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
import torch
from autograder.judge.decide import judge, judge_outcome, merge
from autograder.judge.failure_signatures import RIGHT, failure_signature
from autograder.probe.collect_evidence import call, call_module, collect_answer
from autograder.records import answer_findings as f
from autograder.records.bank import Check, Made, Probe
from autograder.records.evidence_transport import pack, unpack
from autograder.records.run_outcome import (
    ErrorReport,
    Evidence,
    ForbiddenCall,
    ModuleReport,
    Outcome,
    Uncalled,
)
from support.tiny_lesson import PAIRS, ROW_SUMS, SHARE, TOTAL, knowing, plain_task
from torch import nn

RESULT = SHARE.probe["three"].expected
NAN, INF = float("nan"), float("inf")
FLOATS = ("float32", "float64")


def right(x):
    return x / x.sum()


def earned(verdict):
    return [result.earned for result in verdict.results]


# Right answers


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        (SHARE, right),
        (SHARE, lambda x: right(x.double())),
        (SHARE, lambda x: torch.nn.Parameter(right(x))),
        (SHARE, lambda x: torch.stack([entry / x.sum() for entry in x])),
        (SHARE, lambda x: right(x) + 1e-6),
        (TOTAL, lambda a, b: float((a * b).sum())),
        (TOTAL, lambda a, b: np.float32((a * b).sum())),
        (TOTAL, lambda a, b: np.float64((a * b).sum())),
        (TOTAL, lambda a, b: (a * b).sum().double()),
    ],
)
def test_a_right_answer_by_any_route_earns_everything(judged, task, answer):
    verdict = judged(task, answer)
    points = [check.points for check in task.checks]
    assert (verdict.passed, earned(verdict), verdict.finding) == (True, points, None)


def test_a_whole_number_is_right_where_it_is_the_number(lesson, total, yielded):
    pairs = dataclasses.replace(total.probe["pairs"], expected=yielded(3.0))
    three = dataclasses.replace(total, probes=(pairs,))
    evidence = Evidence("total", "answered", outcomes={"pairs": Outcome("int", torch.tensor(3), (), "int64")})
    assert judge(three, evidence).passed


@pytest.mark.parametrize("kind", [complex, np.complex64, np.complex128, lambda n: torch.tensor(complex(n))])
def test_a_complex_number_is_never_right(judged, total, kind):
    assert not judged(total, lambda a, b: kind(float((a * b).sum()))).passed
    assert not judged(total, lambda a, b: kind(float((a * b).sum()) + 5j)).passed


# The order of findings


def undone(x):
    raise NotImplementedError


def exits(x):
    raise SystemExit(3)


LADDER = {
    "a stub that raises is still a stub": (undone, f.StillStub),
    "what is no function is told before anything is called": (5, f.NotAFunction),
    "an error is told before the type of other results": (lambda x: [1] if len(x) == 4 else 1 / 0, f.Raised),
    "leaving the program is an error like any other": (exits, f.Raised),
    "the type is told before the shape": (lambda x: [1.0], f.WrongType),
    "the shape is told before the dtype": (lambda x: torch.ones(9, dtype=torch.int64), f.WrongShape),
    "the dtype is told before nan": (lambda x: (x * NAN).half(), f.WrongDtype),
    "nan is told before a known wrong answer": (lambda x: x * NAN, f.NotFinite),
    "a known wrong answer is told before a broken property": (lambda x: x / x.max(), f.MatchesKnownWrong),
    "a broken property is told before the values": (lambda x: x * 3, f.BrokenProperty),
    "the values are told last": (lambda x: torch.softmax(x, 0), f.WrongValues),
}


@pytest.mark.parametrize(("answer", "expected"), LADDER.values(), ids=LADDER)
def test_the_first_thing_that_is_wrong_is_told(judged, share, answer, expected):
    verdict = judged(share, answer)
    assert type(verdict.finding) is expected
    assert verdict.earned == 0


# What each finding says


def overwrites(x):
    result = x @ x.T
    x.zero_()
    return result


@pytest.mark.parametrize(
    ("task", "answer", "finding"),
    [
        (PAIRS, lambda x: torch.ones(3, 2), f.WrongShape((3, 2), (3, 3), axis=1, probe="three")),
        (PAIRS, lambda x: torch.ones(3), f.WrongShape((3,), (3, 3), axis=None, probe="three")),
        (SHARE, lambda x: torch.ones(1), f.WrongShape((1,), (3,), axis=0, probe="three")),
        (SHARE, lambda x: torch.tensor(1.0), f.WrongShape((), (3,), probe="three")),
        (SHARE, lambda x: right(x).long(), f.WrongDtype("int64", FLOATS, probe="three")),
        (SHARE, lambda x: right(x).bfloat16(), f.WrongDtype("bfloat16", FLOATS, probe="three")),
        (TOTAL, lambda a, b: True, f.WrongType("bool", probe="pairs")),
        (TOTAL, lambda a, b: np.bool_(True), f.WrongDtype("bool", FLOATS, probe="pairs")),
        (SHARE, lambda x: torch.where(x > 1, INF, right(x)), f.NotFinite(INF, (1,), 2, probe="three")),
        (SHARE, lambda x: x * 3, f.BrokenProperty("sums-to-one", (), 24.0, probe="three")),
        (PAIRS, overwrites, f.BrokenProperty("input-untouched", names=("x",), probe="three")),
    ],
)
def test_a_finding_says_where_and_what(judged, task, answer, finding):
    assert judged(task, answer).finding == finding


@pytest.mark.parametrize(
    ("task", "answer", "kind", "reference"),
    [
        (SHARE, lambda x: x / x.max(), f.MatchesKnownWrong, "by-largest"),
        (TOTAL, lambda a, b: a * b, f.WrongShape, "not-added"),
    ],
)
def test_a_known_wrong_answer_is_named_with_its_hint(judged, task, answer, kind, reference):
    verdict = judged(task, answer)
    assert (type(verdict.finding), verdict.known_wrong) == (kind, reference)
    assert verdict.hint == next(item.hint for item in task.known_wrong if item.id == reference)


@pytest.mark.parametrize(
    ("task", "evidence", "finding"),
    [
        (SHARE, Evidence("share", "missing", nearest=("shares",)), f.NotDefined(nearest=("shares",))),
        (SHARE, Evidence("share", "not-run", note="it died"), f.NotRun(reason="it died")),
        (SHARE, Evidence("share", "answered"), f.NotRun(probe="three")),
        (ROW_SUMS, Evidence("row-sums", "answered"), f.NotRun(probe="as-seen")),
        (
            SHARE,
            Evidence("share", "answered", {"three ": RESULT}, note="why"),
            f.NotRun("why", probe="three"),
        ),
        (
            ROW_SUMS,
            Evidence("row-sums", "answered", {"as-seen": Outcome("list")}, changed_givens=("table",)),
            f.GivensChanged(("table",)),
        ),
    ],
    ids=["missing", "not run", "no outcomes", "no run", "another probe", "changed givens"],
)
def test_evidence_without_what_was_asked_for_earns_nothing(task, evidence, finding):
    verdict = judge(task, evidence)
    assert (verdict.earned, verdict.finding) == (0, finding)


def test_fewer_digits_than_the_right_answer_keeps_are_named(share):
    expected = share.probe["three"].expected
    doubled = dataclasses.replace(expected, tensor=expected.tensor.double())
    three = dataclasses.replace(share.probe["three"], expected=doubled)
    task = dataclasses.replace(share, probes=(three, share.probe["four"]))
    outcomes = {name: probe.expected for name, probe in share.probe.items()}
    finding = judge(task, Evidence("share", "answered", outcomes=outcomes)).finding
    assert finding == f.WrongDtype("float32", ("float64",), probe="three")


class Uneven(UnicodeError):
    """A learner's own kind of ValueError."""


@pytest.mark.parametrize(
    ("raised", "finding"),
    [
        (ValueError, None),
        (Uneven, None),
        (AssertionError, f.NotRefused(("ValueError",), "AssertionError", probe="three")),
        (None, f.NotRefused(("ValueError",), "", probe="three")),
    ],
)
def test_what_must_be_refused_must_be_refused_by_the_right_name(share, raised, finding):
    def answer(x):
        if raised and len(x) == 3:
            raise raised("in words of its own")
        return right(x)

    three = dataclasses.replace(share.probe["three"], raises=("ValueError",))
    task = dataclasses.replace(share, probes=(three, share.probe["four"]))
    evidence = unpack(pack(collect_answer(task, None, answer, {})))
    assert judge(task, evidence).finding == finding
    assert (failure_signature(task, three, evidence.outcomes["three"]) == RIGHT) == (finding is None)


@pytest.mark.parametrize(("message", "unsaid"), [("a and b", ""), ("a only", "b"), ("", "a")])
def test_what_a_refusal_should_name_must_stand_in_its_message(share, message, unsaid):
    def answer(x):
        raise ValueError(message)

    three = dataclasses.replace(share.probe["three"], raises=("ValueError",), settings={"says": ("a", "b")})
    task = dataclasses.replace(share, probes=(three,), checks=(Check("refused", 1, ("three",)),))
    evidence = collect_answer(task, None, answer, {})
    finding = f.NotRefused(("ValueError",), "ValueError", unsaid, probe="three") if unsaid else None
    assert judge(task, evidence).finding == finding
    assert (failure_signature(task, three, evidence.outcomes["three"]) == RIGHT) == (finding is None)


@pytest.mark.parametrize(
    ("kind", "names", "finding"),
    [
        ("unexpected", ("bias",), None),
        ("missing", ("bias",), None),
        ("unexpected", ("bias", "scale"), f.WrongParameters((), ("scale",), (), ())),
        ("missing", ("bias", "weight"), f.WrongParameters(("weight",), (), (), ())),
    ],
)
def test_parameters_that_the_right_answer_adds_to_a_module_itself_may_be_added(share, kind, names, finding):
    expected = dataclasses.replace(RESULT, module=ModuleReport(**{kind: ("bias",)}))
    probe = dataclasses.replace(SHARE.probe["three"], expected=expected)
    outcome = dataclasses.replace(RESULT, module=ModuleReport(**{kind: names}))
    assert judge_outcome(share, probe, outcome) == finding


def test_what_is_infinite_in_the_right_answer_may_be_infinite(share, yielded):
    masked = tuple(dataclasses.replace(probe, expected=yielded([0.0, -INF])) for probe in share.probes)
    task = dataclasses.replace(share, probes=masked, explanations=None)
    same = Evidence("share", "answered", outcomes=dict.fromkeys(share.probe, yielded([0.0, -INF])))
    assert judge(task, same).passed
    for other in ([0.0, INF], [0.0, 5.0], [0.0, NAN]):
        evidence = Evidence("share", "answered", outcomes=dict.fromkeys(share.probe, yielded(other)))
        assert not judge(task, evidence).passed


def test_wrong_values_say_where_how_far_and_how_many(judged, share):
    finding = judged(share, lambda x: torch.tensor([0.125, 0.5, 0.375])).finding
    assert (finding.index, finding.obtained, finding.expected) == ((1,), 0.5, 0.25)
    assert finding.largest_error == 0.25
    assert finding.share_right == pytest.approx(1 / 3)
    assert finding.obtained_tensor.tolist() == [0.125, 0.5, 0.375]
    assert finding.expected_tensor.tolist() == [0.125, 0.25, 0.625]


def test_numbers_copied_from_the_text_are_recognised_as_rounded(judged, share, yielded):
    thirds = dataclasses.replace(share.probe["three"], expected=yielded([1 / 3, 2 / 3]))
    task = dataclasses.replace(share, probes=(thirds, share.probe["four"]))
    outcomes = {"three": yielded([0.3333, 0.6667]), "four": share.probe["four"].expected}
    finding = judge(task, Evidence("share", "answered", outcomes=outcomes)).finding
    assert finding.rounded
    outcomes["three"] = yielded([0.3433, 0.6567])
    finding = judge(task, Evidence("share", "answered", outcomes=outcomes)).finding
    assert not finding.rounded


# Points


def test_a_check_that_fails_does_not_cost_the_others(judged, share):
    verdict = judged(share, lambda x: x / x.sum() if len(x) == 4 else x)
    assert (earned(verdict), verdict.earned, verdict.points, verdict.passed) == ([0, 2], 2, 3, False)


@pytest.mark.parametrize(
    ("answer", "points"),
    [
        (lambda x: x.div_(x.sum().clone()), [0, 2]),
        (lambda x: (x / x.sum()).numpy(), [0, 2]),
        (lambda x: x.div_(x.sum().clone()) if len(x) == 3 else x.mul_(2), [1, 0]),
        (lambda x: x.mul_(2), [0, 0]),
    ],
    ids=["its argument", "its type", "its argument, and one result", "all results"],
)
def test_what_is_wrong_beside_the_results_costs_one_check_and_the_cheapest(judged, share, answer, points):
    assert earned(judged(share, answer)) == points


def test_a_check_with_several_probes_needs_all_of_them(judged, total):
    verdict = judged(total, lambda a, b: (a * b).sum() if len(a) == 2 else torch.tensor(0.0))
    assert (verdict.earned, verdict.finding.probe) == (0, "triples")


def test_globals_are_told_beside_a_wrong_answer_only(share, judged):
    wrong = Evidence("share", "answered", globals_read=("scores",))
    assert judge(share, wrong).globals_read == ("scores",)
    outcomes = {name: probe.expected for name, probe in share.probe.items()}
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
    assert not verdict.passed
    assert verdict.earned < verdict.points
    assert verdict.finding is not None


# Forged evidence


@pytest.fixture
def forged():
    """The verdict on a task whose every outcome claims the right shape and dtype, and carries this tensor."""

    def judge_forged(task, tensor, shape):
        outcomes = {
            name: dataclasses.replace(probe.expected, tensor=tensor) for name, probe in task.probe.items()
        }
        packed = json.loads(pack(Evidence(task.id, "answered", outcomes=outcomes)))
        for name, entry in packed["evidence"]["outcomes"].items():
            entry["shape"] = list(shape if shape is not None else task.probe[name].expected.shape)
            entry["dtype"] = "float32"
        return judge(task, unpack(json.dumps(packed)))

    return judge_forged


@pytest.mark.parametrize(
    "tensor", [torch.ones(0), torch.ones(0, 3), torch.ones(1, 0)], ids=lambda t: str(t.shape)
)
def test_an_empty_tensor_that_claims_the_right_shape_earns_nothing(forged, share, total, tensor):
    for task in (share, total):
        assert forged(task, tensor, None).earned == 0


def test_a_tensor_that_claims_the_right_shape_and_broadcasts_to_it_earns_nothing(forged, share, yielded):
    even = dataclasses.replace(share.probe["three"], expected=yielded([0.5, 0.5]))
    task = dataclasses.replace(share, probes=(even,), checks=share.checks[:1], explanations=None)
    assert forged(task, torch.tensor(0.5), (2,)).earned == 0
    assert forged(task, torch.tensor([0.5, 0.5]), (2,)).earned == 1


def test_a_tensor_that_claims_a_finer_dtype_than_it_has_earns_nothing(forged, total):
    right = {name: probe.expected.tensor for name, probe in total.probe.items()}
    item = dataclasses.replace(total, probes=(total.probe["pairs"],))
    assert forged(item, right["pairs"].bfloat16(), ()).earned == 0
    assert forged(item, right["pairs"], ()).finding is None


# Merging


def runs(row_sums, seen, redrawn):
    result = [
        Evidence("row-sums", "answered", outcomes={run: Outcome("torch.Tensor", value, (2,), "float32")})
        for run, value in (("as-seen", seen), ("redrawn-1", redrawn))
    ]
    return judge(row_sums, merge(*result))


def test_a_tensor_must_be_right_in_every_run(row_sums):
    right_ones = [row_sums.probe[run].expected.tensor for run in ("as-seen", "redrawn-1")]
    assert runs(row_sums, *right_ones).passed
    assert not runs(row_sums, right_ones[0], right_ones[0]).passed
    seen = Evidence("row-sums", "answered", outcomes={"as-seen": row_sums.probe["as-seen"].expected})
    assert judge(row_sums, seen).finding == f.NotComputed(probe="redrawn-1")
    assert judge(row_sums, seen, as_seen=True).passed


@pytest.mark.parametrize("status", ["missing", "stub", "not-run", "answered"])
def test_of_another_run_nothing_is_kept_that_tells_what_it_asked(row_sums, status):
    seen = Evidence("row-sums", "answered", outcomes={"as-seen": row_sums.probe["as-seen"].expected})
    asked = "the number is 4.25"
    other = Evidence(
        "row-sums",
        status,
        nearest=(asked,),
        answer_type=asked,
        changed_givens=(asked,),
        globals_read=(asked,),
        note=asked,
        forbidden=(ForbiddenCall(asked, "softmax", asked, 1, asked),),
        error=ErrorReport(asked, asked),
    )
    merged = merge(seen, other)
    assert asked not in repr(merged)
    assert [call.family for call in merged.forbidden] == ["softmax"]
    assert judge(row_sums, merged).finding == f.NotComputed(probe="redrawn-1")


# Experiments

X = torch.tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]])
INFLUENCE = {"observe": "influence", "settings": {"input": "x", "axis": 0}}
PERMUTED = {"observe": "permuted", "settings": {"input": "x", "axis": 0}}
TRIED_FIRST = (Check("all", 2, ("tried", "plain")),)


def sums_of_the_past(x):
    return x.cumsum(0)


def weighed(x):
    return torch.softmax(x @ x.T / 2**0.5, dim=-1) @ x


def experiment_task(reference, *, known=(), checks=None, namespace=(), **asked):
    """A task on three tokens with a plain probe and an experiment, in one check."""
    inputs = {"x": X}
    probes = [Probe("plain", "three tokens", inputs), Probe("tried", "the same", inputs, **asked)]
    probes = [dataclasses.replace(probe, expected=call(reference, probe)) for probe in probes]
    checks = checks or (Check("all", 2, ("plain", "tried")),)
    task = plain_task("past", *probes, axes=("tokens", "d_in"), checks=checks)
    done = {name: {probe.id: call(answer, probe) for probe in probes} for name, answer in known}
    return knowing(task, done) if known else task


def tell(task, answer):
    return judge(task, collect_answer(task, None, answer, {}))


def test_an_experiment_alone_is_told_by_the_first_place_that_differs():
    task = experiment_task(sums_of_the_past, checks=TRIED_FIRST, **INFLUENCE)
    for answer, place in (
        (lambda x: x.sum(0).expand(3, -1), ((0, 1), 1.0, 0.0)),
        (lambda x: x, ((1, 0), 0.0, 1.0)),
    ):
        assert tell(task, answer).finding == f.WrongBehaviour("influence", *place, probe="tried")


def test_right_numbers_with_wrong_behaviour_earn_nothing():
    task = experiment_task(sums_of_the_past, **INFLUENCE)
    remembered = sums_of_the_past(X)
    verdict = tell(task, lambda x: remembered.clone())
    assert isinstance(verdict.finding, f.WrongBehaviour)
    assert earned(verdict) == [0]


def test_a_known_wrong_answer_is_named_beside_its_behaviour():
    leaky = ("leaky", lambda x: x.sum(0).expand(3, -1))
    task = experiment_task(sums_of_the_past, known=[leaky], checks=TRIED_FIRST, **INFLUENCE)
    verdict = tell(task, leaky[1])
    assert (type(verdict.finding), verdict.known_wrong) == (f.WrongBehaviour, "leaky")


def test_an_experiments_own_dtype_is_not_asked_for():
    task = experiment_task(sums_of_the_past, **INFLUENCE)
    assert task.probe["tried"].expected.dtype == "bool"
    assert tell(task, lambda x: x.double().cumsum(0)).passed


def test_wrong_numbers_that_know_no_order_are_not_said_to_know_one():
    task = experiment_task(weighed, checks=TRIED_FIRST, **PERMUTED)
    assert not isinstance(tell(task, lambda x: torch.softmax(x @ x.T, -1) @ x).finding, f.WrongBehaviour)


@pytest.mark.parametrize(
    "answer",
    [lambda x: x.cumsum(0)[:2], lambda x: x.cumsum(0).repeat(2, 1), lambda x: x.sum()],
    ids=["too few", "too many", "one number"],
)
@pytest.mark.parametrize("asked", [INFLUENCE, PERMUTED], ids=["influence", "permuted"])
def test_a_wrong_shape_in_an_experiment_is_not_compared_with_the_experiments_own(asked, answer):
    task = experiment_task(sums_of_the_past, checks=TRIED_FIRST, **asked)
    assert tell(task, answer).finding == f.WrongBehaviour(asked["observe"], (), probe="tried")


def test_an_answer_that_overwrites_its_input_is_told_that_by_the_experiment_too():
    task = experiment_task(sums_of_the_past, checks=TRIED_FIRST, **INFLUENCE)
    finding = tell(task, lambda x: x.copy_(x.cumsum(0))).finding
    assert finding == f.BrokenProperty("input-untouched", names=("x",), probe="tried")


def test_an_experiment_that_was_not_run_earns_nothing():
    task = experiment_task(sums_of_the_past, **INFLUENCE)
    evidence = Evidence("past", "answered", outcomes={"plain": task.probe["plain"].expected})
    assert judge(task, evidence).finding == f.NotRun("", probe="tried")


def test_what_an_experiment_writes_down_is_not_asked_about_properties(share):
    task = experiment_task(sums_of_the_past, checks=TRIED_FIRST, **INFLUENCE)
    task = dataclasses.replace(task, properties=share.properties)
    assert isinstance(tell(task, lambda x: x).finding, f.WrongBehaviour)


# Modules and objects of the notebook


def seen(task, **report):
    """The right numbers on every probe, with something seen of the module besides."""
    outcomes = {
        name: dataclasses.replace(probe.expected, module=ModuleReport(**report))
        for name, probe in task.probe.items()
    }
    return Evidence(task.id, "answered", outcomes=outcomes)


def test_what_changes_from_call_to_call_is_told_before_what_no_gradient_reaches(share):
    verdict = judge(share, seen(share, unsteady=True, unreached=("W",)))
    assert verdict.finding == f.BrokenProperty("same-in-eval", probe="three")


def test_memory_that_is_shared_is_told_though_the_numbers_are_right(share):
    verdict = judge(share, seen(share, shared=("W",)))
    assert verdict.finding == f.BrokenProperty("memory-of-its-own", names=("W",), probe="three")


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.ones(3, 3).tril())
        self.register_buffer("scale", torch.ones(()))

    def forward(self, x):
        return self.mask @ x * self.scale


class Unregistered(Masked):
    def __init__(self):
        nn.Module.__init__(self)
        self.register_buffer("mask", torch.ones(3, 3).tril())
        self.scale = torch.ones(())


def buffers_task():
    buffers = {"names": ["mask", "scale"], "sizes": [[3, 3], []]}
    plain = Probe("plain", "three tokens", {"x": X})
    probes = plain, dataclasses.replace(plain, id="tried", observe="buffers", settings=buffers)
    probes = [dataclasses.replace(probe, expected=call_module(Masked, probe)) for probe in probes]
    return plain_task("past", *probes, kind="module", axes=("tokens", "d_in"))


def test_right_numbers_with_a_buffer_that_is_not_registered_are_not_enough():
    task = buffers_task()
    assert tell(task, Masked).passed
    verdict = tell(task, Unregistered)
    assert verdict.finding == f.WrongBehaviour("buffers", (1,), 0.0, 1.0, probe="tried")
    assert verdict.earned == 0


def test_a_class_that_is_missing_from_the_notebook_stops_only_the_checks_that_need_it():
    plain = Probe("plain", "three tokens", {"model": 2.0, "x": X})
    plain = dataclasses.replace(plain, expected=call(lambda model, x: x * 2, plain))
    model = Made("Causal", {}, {})
    needs = Probe("object", "a model", {"model": model, "x": X}, expected=Outcome("torch.Tensor", X))
    checks = Check("plain", 1, ("plain",)), Check("object", 1, ("object",))
    verdict = tell(
        plain_task("past", plain, needs, axes=("tokens", "d_in"), checks=checks), lambda model, x: x * 2
    )
    assert earned(verdict) == [1, 0]
    missing = Uncalled("earlier", "Causal", "is not there yet")
    assert verdict.finding == f.NotCalled(uncalled=missing, probe="object")


def test_what_stops_in_all_that_is_told_has_the_same_result_nowhere_that_a_learner_sees():
    def added_up(a, b):
        return (a + b).sum() if len(a) == 3 else torch.cat((a, b)).view(3)

    outcomes = {probe.id: call(added_up, probe) for probe in TOTAL.probes}
    task = knowing(TOTAL, {"added-up": outcomes})
    assert judge(task, Evidence("total", "answered", outcomes=outcomes)).shown == "stops"
