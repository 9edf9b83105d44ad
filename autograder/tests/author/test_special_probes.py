"""Banks with experiments, buffers, chosen weights and objects as inputs, made from a solution's classes."""

from __future__ import annotations

import dataclasses
import inspect

import pytest
import torch
from autograder.author.authoring import Check, Fault, Faults, Lesson, Made, Probe, Specimen, wrongs
from autograder.author.build_bank import make_bank
from autograder.author.solution_runs import run_solution
from autograder.judge.decide import judge
from autograder.probe.collect_evidence import collect_answer
from autograder.records import bank
from autograder.records.answer_findings import WrongBehaviour
from autograder.records.authoring_errors import AuthoringError
from support.tiny_course import solved
from support.tiny_lesson import plain_task
from torch import nn


class Causal(nn.Module):
    """The solution's class, with a mask as a buffer."""

    def __init__(self, d_in, d_out, size):
        super().__init__()
        self.W = nn.Linear(d_in, d_out, bias=False)
        self.register_buffer("mask", torch.ones(size, size).triu(1))

    def forward(self, x):
        s = (x @ x.mT).masked_fill(self.mask.bool()[: x.shape[1], : x.shape[1]], -torch.inf)
        return torch.softmax(s, dim=-1) @ self.W(x)


def depends(model, x):
    """Whether a model's first output depends on the last token: what the learner writes."""
    other = x.clone()
    other[:, -1] += 1
    return (model(x)[:, 0] - model(other)[:, 0]).abs().max()


def numbers(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(5))


CONSTRUCT = {"d_in": 3, "d_out": 2, "size": 6}
PLAIN = Probe("plain", "five tokens", {"x": numbers(4, 5, 3)}, construct=CONSTRUCT)


def alone(name, **settings):
    return Probe(name, "five tokens", {"x": numbers(4, 5, 3)}, construct=CONSTRUCT, **settings)


UNMASKED, OVER_BATCH, PLAIN_MASK, HALF, ZERO, ALWAYS, NEVER = wrongs("""
    unmasked: body forward
        return torch.softmax(x @ x.mT, dim=-1) @ self.W(x)
    over-batch: body forward
        return torch.softmax(x @ x.mT, dim=0) @ self.W(x)
    plain-mask: self.register_buffer("mask", → self.mask = (
    half: return x → return 0.5 * x
    zero: return x → return 0 * x
    always-1: = torch.tensor(1.0)
    always-0: = torch.tensor(0.0)
    """)
WRONG = (UNMASKED, OVER_BATCH)
EVERY = (*WRONG, PLAIN_MASK, HALF, ZERO, ALWAYS, NEVER)
FAULTS = Faults({wrong.fault: Fault(wrong.fault, "", "Think again.") for wrong in EVERY}, {})


def module_task(*probes, plain=PLAIN, wrong=WRONG):
    fields = {"id": "causal", "kind": "module", "signature": "Causal(d_in, d_out, size)"}
    checks = (Check("all", 2, ("plain", *(probe.id for probe in probes))),)
    axes = ("batch", "tokens", "d_out")
    return plain_task("Causal", plain, *probes, **fields, axes=axes, checks=checks, wrong=wrong)


def function_task(*probes):
    fields = {"id": "leak", "signature": "depends(model, x)", "axes": ()}
    return plain_task("depends", *probes, **fields, wrong=(ALWAYS, NEVER))


@pytest.fixture
def result(tmp_path):
    """The bank of a lesson with these tasks, written and read again."""

    def make(*tasks, causal=Causal):
        lesson = Lesson("Special", tasks, {}, lambda generator: {}, redraws=0)
        runs = run_solution(lesson, solved({"causal": causal, "leak": depends}), "09-special")
        bank.save(make_bank(lesson, runs, "09-special", FAULTS), tmp_path)
        return bank.load("09-special", tmp_path)

    return make


INFLUENCE = alone("influence", observe="influence", settings={"input": "x", "axis": 1})
BATCH = alone("batch", observe="influence", settings={"input": "x", "axis": 0})
DEVICE = alone("device", observe="other-device")
OBJECT = Probe("object", "your class", {"model": Made("Causal", CONSTRUCT), "x": numbers(2, 6, 3)})
MIXING = Specimen("mixing", {"weights": torch.ones(6, 6)})
LEAKY = Probe("leaky", "a model that leaks", {"model": MIXING, "x": numbers(2, 6, 3)})


def verdict_on(lesson, answer, task="causal", **namespace):
    entry = lesson.tasks[task]
    return judge(entry, collect_answer(entry, lesson, answer, {"Causal": Causal} | namespace))


def test_the_solution_passes_its_own_experiments(result):
    lesson = result(module_task(INFLUENCE, BATCH, DEVICE))
    assert verdict_on(lesson, Causal).passed
    probes = lesson.tasks["causal"].probe
    assert torch.equal(probes["influence"].expected.tensor, torch.ones(5, 5, dtype=torch.bool).tril())
    assert torch.equal(probes["batch"].expected.tensor, torch.eye(4, dtype=torch.bool))
    assert probes["device"].expected.tensor.item() == 0


def test_a_mask_that_stays_behind_is_found_by_its_behaviour(result):
    class Behind(Causal):
        def __init__(self, *sizes):
            super().__init__(*sizes)
            self.other = self.mask.bool()

        def forward(self, x):
            s = (x @ x.mT).masked_fill(self.other[: x.shape[1], : x.shape[1]], -torch.inf)
            return torch.softmax(s, dim=-1) @ self.W(x)

    finding = verdict_on(result(module_task(DEVICE)), Behind).finding
    assert finding == WrongBehaviour("other-device", (), 1.0, 0.0, probe="device")


BUFFERS = alone("buffers", observe="buffers")


class Plain(Causal):
    """The mask is a tensor on the module, and no buffer."""

    def __init__(self, *sizes):
        super().__init__(*sizes)
        mask = self.mask
        del self.mask
        self.mask = mask


def test_the_solutions_buffers_are_asked_for_by_name(result):
    lesson = result(module_task(BUFFERS))
    probe = lesson.tasks["causal"].probe["buffers"]
    assert probe.settings["names"] == ["mask"]
    assert probe.expected.tensor.tolist() == [True]
    assert verdict_on(lesson, Causal).passed
    assert verdict_on(lesson, Plain).finding == WrongBehaviour("buffers", (0,), 0.0, 1.0, probe="buffers")


def test_only_buffers_that_the_solution_saves_are_asked_for(result):
    more = 'self.register_buffer("scratch", torch.ones(2), persistent=False)\n        '
    more += 'self.register_buffer("positions", torch.arange(3))\n        self.W ='
    solution = inspect.getsource(Causal).replace("self.W =", more)
    probe = result(module_task(BUFFERS), causal=solution).tasks["causal"].probe["buffers"]
    assert probe.settings["names"] == ["positions", "mask"]


def test_an_author_need_not_name_the_buffers_and_cannot(result):
    named = alone("buffers", observe="buffers", settings={"names": ["other"]})
    probe = result(module_task(named)).tasks["causal"].probe["buffers"]
    assert probe.settings["names"] == ["mask"]


def test_a_known_wrong_answer_may_differ_by_its_buffers_only(result):
    verdict = verdict_on(result(module_task(BUFFERS, wrong=(WRONG[0], PLAIN_MASK))), Plain)
    assert (verdict.known_wrong, verdict.earned) == ("plain-mask", 0)


def test_a_buffer_of_a_function_is_refused(result):
    probe = dataclasses.replace(LEAKY, id="buffers", observe="buffers")
    with pytest.raises(AuthoringError, match="probe buffers: the solution raises"):
        result(function_task(LEAKY, probe))


def test_a_chosen_weight_takes_the_place_of_the_drawn_one(result):
    chosen = torch.ones(2, 3)
    probe = Probe("chosen", "ones", PLAIN.inputs, construct=CONSTRUCT, weights={"W.weight": chosen})
    probes = result(module_task(probe)).tasks["causal"].probe
    assert torch.equal(probes["chosen"].weights["W.weight"], chosen)
    assert not torch.equal(probes["plain"].weights["W.weight"], chosen)


def test_a_chosen_weight_of_an_unknown_name_is_refused(result):
    probe = Probe("chosen", "ones", PLAIN.inputs, construct=CONSTRUCT, weights={"V": torch.ones(2, 3)})
    with pytest.raises(AuthoringError, match="probe chosen: there is no parameter V"):
        result(module_task(probe))


def test_a_function_is_tried_on_the_learners_own_class_and_on_specimens(result):
    lesson = result(function_task(OBJECT, LEAKY))
    probes = lesson.tasks["leak"].probe
    assert probes["object"].expected.tensor.item() == 0
    assert probes["leaky"].expected.tensor.item() > 0
    assert verdict_on(lesson, depends, "leak").passed


def test_a_function_is_told_where_the_learners_own_class_is_not_there(result):
    lesson = result(function_task(OBJECT, LEAKY))
    finding = verdict_on(lesson, depends, "leak", Causal=...).finding
    assert (finding.uncalled.why, finding.uncalled.name) == ("earlier", "Causal")


def test_an_object_of_a_class_that_the_solution_lacks_is_refused(result):
    other = Probe("object", "your class", {"model": Made("Casual", CONSTRUCT), "x": numbers(2, 6, 3)})
    with pytest.raises(AuthoringError, match="the solution defines no class Casual to make an input of"):
        result(function_task(other, LEAKY))


@pytest.mark.parametrize(
    "settings", [{}, {"input": "y", "axis": 1}, {"input": "x"}], ids=["none", "another input", "no axis"]
)
def test_an_experiment_whose_settings_do_not_fit_is_refused(result, settings):
    with pytest.raises(AuthoringError, match="probe influence: the solution raises KeyError"):
        result(module_task(alone("influence", observe="influence", settings=settings)))


SQUARE = Probe("plain", "six tokens", {"x": numbers(4, 6, 3)}, construct=CONSTRUCT)


def test_two_axes_of_the_same_size_are_refused(result):
    with pytest.raises(AuthoringError, match="the axes size and tokens have the same size"):
        result(module_task(plain=SQUARE))


def test_an_experiment_does_not_tell_two_axes_apart_whose_result_it_does_not_compare(result):
    with pytest.raises(AuthoringError, match="the axes size and tokens have the same size"):
        result(module_task(INFLUENCE, plain=SQUARE))


def test_axes_that_never_meet_in_a_probe_may_have_the_same_size(result):
    """Six tokens here and a mask of six there confuse nobody: no probe has both."""

    class Table(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.rows = nn.Parameter(torch.rand(size, 2))

        def forward(self, x):
            return x @ self.rows[: x.shape[-1]]

    probes = [
        Probe("two", "two numbers", {"x": numbers(2)}, construct={"size": 3}),
        Probe("three", "three numbers", {"x": numbers(3)}, construct={"size": 4}),
    ]
    task = dataclasses.replace(
        module_task(),
        name="Table",
        axes=("d_out",),
        input_axes={"x": ("d_in",)},
        probes=tuple(probes),
        checks=(Check("all", 1, ("two", "three")),),
        wrong=(HALF, ZERO),
    )
    assert result(task, causal=Table).tasks["causal"].axes == ("d_out",)


class Pooled(Causal):
    """The middle token's result alone: another number of outputs than of tokens."""

    def forward(self, x):
        return super().forward(x)[:, 2:3]


def test_an_influence_may_have_fewer_outputs_than_slices(result):
    task = dataclasses.replace(module_task(INFLUENCE), axes=("batch", "middle", "d_out"))
    code = "torch.softmax(s, dim=-1) @ self.W(x)"
    lesson = result(task, causal=inspect.getsource(Causal).replace(code, f"({code})[:, 2:3]"))
    seen = lesson.tasks["causal"].probe["influence"].expected.tensor
    assert torch.equal(seen, torch.ones(5, 5, dtype=torch.bool).tril()[2:3])
    assert verdict_on(lesson, Pooled).passed


def test_another_number_of_outputs_than_the_solutions_is_behaviour_without_a_place(result):
    task = module_task(INFLUENCE)
    task = dataclasses.replace(task, checks=(Check("all", 2, ("influence", "plain")),))
    finding = verdict_on(result(task), Pooled).finding
    assert finding == WrongBehaviour("influence", (), probe="influence")


class Fused(Causal):
    """Right in all numbers, without a mask."""

    def __init__(self, d_in, d_out, size):
        nn.Module.__init__(self)
        self.W = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        return nn.functional.scaled_dot_product_attention(x, x, self.W(x), is_causal=True, scale=1.0)


def test_a_learner_who_needs_no_mask_is_asked_for_the_buffer_only_where_the_lesson_asks(result):
    assert verdict_on(result(module_task(INFLUENCE)), Fused).passed
    finding = verdict_on(result(module_task(INFLUENCE, BUFFERS)), Fused).finding
    assert finding == WrongBehaviour("buffers", (0,), 0.0, 1.0, probe="buffers")
