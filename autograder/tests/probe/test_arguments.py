"""What an answer is called with: fresh copies, specimens, and objects of the learner's own classes."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from autograder.probe.call_answer import NeedsEarlier, fresh, load_weights
from autograder.probe.collect_evidence import call, call_module
from autograder.records.bank import Made, Probe
from autograder.records.run_outcome import ModuleReport, Reshaped, Uncalled
from torch import nn


class Doubling(nn.Module):
    """A learner's class: d_in to d_out, and twice that in training mode."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W = nn.Parameter(torch.rand(d_in, d_out))
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x):
        return x @ self.W * (2 if self.training else 1)


WEIGHT = torch.arange(6.0).reshape(2, 3)
MADE = Made("Doubling", {"d_in": 2, "d_out": 3}, {"W": WEIGHT})
NOTEBOOK = {"Doubling": Doubling}


# Plain values


def test_a_tensor_comes_as_a_copy_each_time():
    x = torch.ones(3)
    given = fresh({"x": x}, {})["x"]
    given += 1
    assert x.tolist() == [1, 1, 1]
    assert fresh({"x": x}, {})["x"].tolist() == [1, 1, 1]


def test_only_floating_point_tensors_change_their_dtype():
    values = {"x": torch.ones(2), "ids": torch.tensor([1, 2]), "mask": torch.tensor([True])}
    given = fresh(values, {}, torch.float64)
    assert [item.dtype for item in given.values()] == [torch.float64, torch.int64, torch.bool]


# Objects of the learner's own classes


def test_an_object_of_the_notebook_has_the_banks_weights_and_is_in_eval_mode():
    result = fresh({"m": MADE}, NOTEBOOK)["m"]
    assert type(result) is Doubling
    assert torch.equal(result.W, WEIGHT)
    assert not result.training


def test_two_objects_of_the_notebook_share_no_weights():
    item, other = fresh({"a": MADE, "b": MADE}, NOTEBOOK).values()
    with torch.no_grad():
        item.W.zero_()
    assert torch.equal(other.W, WEIGHT)
    assert torch.equal(WEIGHT, torch.arange(6.0).reshape(2, 3))


def test_the_class_is_taken_from_the_notebook_and_may_be_another():
    class Tripling(Doubling):
        pass

    assert type(fresh({"m": MADE}, {"Doubling": Tripling})["m"]) is Tripling


def fails(self, *sizes):
    raise ValueError("no")


def loose(self, *sizes):
    nn.Module.__init__(self)


def turned(self, d_in, d_out):
    Doubling.__init__(self, d_out, d_in)


def doubling(base, init):
    return {"Doubling": type("D", (base,), {"__init__": init})}


UNUSABLE = {
    "missing": ({}, "is not there yet"),
    "a stub": ({"Doubling": ...}, "is not there yet"),
    "None": ({"Doubling": None}, "is not there yet"),
    "a number": ({"Doubling": 5}, "is not a class made from `nn.Module`"),
    "a function": ({"Doubling": lambda *sizes: nn.Identity()}, "is not a class made from `nn.Module`"),
    "another class": ({"Doubling": dict}, "is not a class made from `nn.Module`"),
    "an object": ({"Doubling": Doubling(2, 3)}, "is not a class made from `nn.Module`"),
    "fails": (doubling(nn.Module, fails), "raises ValueError when it is made"),
    "takes nothing": ({"Doubling": type("D", (nn.Module,), {})}, "raises TypeError when it is made"),
    "no super().__init__()": (doubling(nn.Module, lambda self, *sizes: None), "raises "),
    "no parameters": (doubling(nn.Module, loose), "has other parameters than the lesson names"),
    "other shapes": (doubling(Doubling, turned), "has other parameters than the lesson names"),
}


@pytest.mark.parametrize("why", UNUSABLE)
def test_a_class_that_cannot_be_used_is_named_with_the_reason(why):
    namespace, reason = UNUSABLE[why]
    with pytest.raises(NeedsEarlier) as caught:
        fresh({"m": MADE}, namespace)
    assert caught.value.uncalled.name == "Doubling"
    assert str(caught.value).startswith(reason)


# Calling an answer on them

PROBE = Probe("p", "a small module", {"model": MADE, "x": torch.ones(2)})


def test_a_function_is_tried_on_the_learners_own_class():
    outcome = call(lambda model, x: model(x), PROBE, NOTEBOOK)
    assert outcome.tensor.tolist() == [3, 5, 7]
    assert outcome.changed_inputs == ()


def test_a_module_is_tried_on_the_learners_own_class():
    class Twice(nn.Module):
        def forward(self, model, x):
            return model(x) * 2

    outcome = call_module(Twice, PROBE, NOTEBOOK)
    assert outcome.tensor.tolist() == [6, 10, 14]
    assert not outcome.module.unsteady


@pytest.mark.parametrize("why", UNUSABLE)
@pytest.mark.parametrize("kind", ["function", "module"])
def test_a_class_that_cannot_be_used_is_told_and_nothing_escapes(kind, why):
    if kind == "function":
        outcome = call(lambda model, x: model(x), PROBE, UNUSABLE[why][0])
    else:
        outcome = call_module(nn.Identity, PROBE, UNUSABLE[why][0])
    assert (outcome.uncalled.why, outcome.uncalled.name) == ("earlier", "Doubling")


def test_an_error_in_the_learners_own_class_is_told_by_its_line():
    class Broken(Doubling):
        def forward(self, x):
            return x @ self.V

    error = call(lambda model, x: model(x), PROBE, {"Doubling": Broken}).error
    assert error.type == "AttributeError"
    assert error.line == "return x @ self.V"


def test_making_an_input_leaves_random_numbers_alone():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    call(lambda model, x: model(x), PROBE, NOTEBOOK)
    assert torch.equal(before, torch.get_rng_state())


def test_a_class_that_ends_the_program_does_not_end_the_kernel():
    class Leaves(Doubling):
        def __init__(self, *sizes):
            raise SystemExit(3)

    namespace = {"Doubling": Leaves}
    used = call(lambda model, x: model(x), PROBE, namespace)
    for outcome in (used, call_module(nn.Identity, PROBE, namespace)):
        assert outcome.uncalled == Uncalled("earlier", "Doubling", "raises SystemExit when it is made")


def test_a_learner_can_interrupt_their_own_class():
    class Slow(Doubling):
        def __init__(self, *sizes):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(lambda model, x: model(x), PROBE, {"Doubling": Slow})


def test_every_call_gets_copies_of_its_own():
    """The module is called twice, to see whether it is steady: the second call meets the probe's input."""

    class Overwriting(nn.Module):
        def forward(self, model, x):
            return x.add_(1) * 2

    outcome = call_module(Overwriting, PROBE, NOTEBOOK)
    assert outcome.tensor.tolist() == [4, 4]
    assert outcome.changed_inputs == ("x",)
    assert not outcome.module.unsteady
    assert PROBE.inputs["x"].tolist() == [1, 1]


def test_an_input_that_is_changed_before_an_error_is_no_matter():
    def answer(model, x):
        x.zero_()
        raise ValueError("no")

    assert call(answer, PROBE, NOTEBOOK).error.message == "no"


# What an answer returns, called in turn


def test_a_module_that_is_returned_is_called_in_eval_mode():
    probe = Probe("p", "", {"d_in": 2}, then={"x": torch.ones(2)})
    outcome = call(lambda d_in: nn.Dropout(0.999).train(), probe)
    assert outcome.tensor.tolist() == [1, 1]


def test_a_function_that_is_returned_is_called_with_copies():
    x = torch.ones(2)
    probe = Probe("p", "", {"factor": 3}, then={"x": x, "shift": 1})
    outcome = call(lambda factor: lambda x, shift: x.mul_(factor) + shift, probe)
    assert outcome.tensor.tolist() == [4, 4]
    assert x.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("value", "type_name"),
    [(None, "NoneType"), (5, "int"), (torch.ones(2), "torch.Tensor"), (nn.Identity().eval, "method")],
    ids=["nothing", "a number", "a tensor", "a method that nobody called"],
)
def test_what_cannot_be_called_is_told_by_its_type(value, type_name):
    probe = Probe("p", "", {"factor": 3}, then={"x": torch.ones(2)})
    outcome = call(lambda factor: value, probe)
    assert (outcome.error, outcome.type_name) == (None, type_name)
    assert not isinstance(value, torch.Tensor) or outcome.tensor is None  # nobody takes it for the result


def test_what_is_returned_stays_uncalled_where_nothing_is_asked():
    assert call(lambda: nn.Identity(), Probe("p", "", {})).type_name == "torch.Identity"


def test_what_a_returned_function_raises_is_the_outcome():
    def maker(factor):
        def inner(x):
            raise ValueError("inner")

        return inner

    probe = Probe("p", "", {"factor": 3}, then={"x": torch.ones(2)})
    assert call(maker, probe).error.message == "inner"


def test_keywords_and_positions_work_together_in_an_experiment():
    x = torch.rand(4, 2)
    probe = Probe("p", "", {"x": x, "scale": 2.0}, keywords=("scale",), observe="influence")
    probe = dataclasses.replace(probe, settings={"input": "x", "axis": 0})
    outcome = call(lambda x, *, scale: x * scale, probe)
    assert torch.equal(outcome.tensor, torch.eye(4, dtype=torch.bool))


# Weights by name


class Named(nn.Module):
    """Parameters by these names and shapes, all full of tens."""

    def __init__(self, **shapes):
        super().__init__()
        for name, shape in shapes.items():
            self.register_parameter(name, nn.Parameter(torch.full(shape, 10.0)))


SQUARE, TALL = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@pytest.mark.parametrize(
    ("shapes", "report", "values"),
    [
        (
            {"W_q": (3, 2), "W_k": (2, 2)},
            ModuleReport(("W_query", "W_key"), ("W_q", "W_k")),
            {"W_q": TALL, "W_k": SQUARE},
        ),
        (
            {"W_query": (2, 3), "W_key": (2, 2)},
            ModuleReport(reshaped=(Reshaped("W_query", (2, 3), (3, 2)),)),
            {"W_query": TALL.mT, "W_key": SQUARE},
        ),
        (
            {"W_query": (4, 2), "W_key": (2, 2)},
            ModuleReport(reshaped=(Reshaped("W_query", (4, 2), (3, 2)),)),
            {"W_query": torch.full((4, 2), 10.0), "W_key": SQUARE},
        ),
        (
            {"W_query": (3, 2), "W_key": (2, 2), "key_bias": (2,)},
            ModuleReport(unexpected=("key_bias",)),
            {"key_bias": torch.zeros(2), "W_query": TALL},
        ),
        (
            {"W_query": (3, 2), "W_key": (2, 2), "W_value": (2,)},
            ModuleReport(unexpected=("W_value",)),
            {"W_value": torch.full((2,), 10.0)},
        ),
        ({"W_key": (2, 2)}, ModuleReport(missing=("W_query",)), {"W_key": SQUARE}),
    ],
    ids=["renamed", "turned", "another size", "a bias too many", "a matrix too many", "one is missing"],
)
def test_what_fits_is_put_in_and_what_does_not_is_told(shapes, report, values):
    module = Named(**shapes)
    assert load_weights(module, {"W_query": TALL, "W_key": SQUARE}) == report
    assert {name: module.get_parameter(name).tolist() for name in values} == {
        name: value.tolist() for name, value in values.items()
    }


def test_a_layer_that_lacks_its_bias_gets_it_and_that_is_told():
    module = nn.Sequential(nn.Linear(2, 3, bias=False), nn.LayerNorm(3))
    expected = {**dict(module.named_parameters()), "0.bias": torch.tensor([5.0, 0.0, 1.0])}
    assert load_weights(module, expected) == ModuleReport(missing=("0.bias",))
    assert module[0](torch.zeros(2)).tolist() == [5.0, 0.0, 1.0]


def test_a_layer_in_the_place_of_a_matrix_gets_no_bias():
    module = nn.ModuleDict({"W": nn.Linear(3, 2, bias=False)})
    assert load_weights(module, {"W": WEIGHT}) == ModuleReport(missing=("W",), unexpected=("W.weight",))
    assert module["W"].bias is None


def test_a_class_that_takes_its_arguments_by_name_only_can_be_used():
    class ByName(Doubling):
        def __init__(self, *, d_out, d_in):
            super().__init__(d_in, d_out)

    assert torch.equal(fresh({"m": MADE}, {"Doubling": ByName})["m"].W, WEIGHT)


def test_buffers_are_no_weights():
    module = Doubling(2, 3)
    assert load_weights(module, {"W": WEIGHT}) == ModuleReport()
    assert torch.equal(module.W, WEIGHT)
    assert load_weights(module, {"W": WEIGHT, "seen": torch.ones(1)}).missing == ("seen",)


def test_one_parameter_under_two_names_is_there_under_both():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.one = self.other = nn.Parameter(torch.ones(2))

    report = load_weights(Tied(), {"one": torch.zeros(2), "other": torch.full((2,), 3.0)})
    assert report == ModuleReport()


def test_a_second_name_for_an_expected_parameter_is_not_unexpected():
    class Listed(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ParameterList([nn.Parameter(torch.ones(2))])
            self.one = self.layers[0]

    assert load_weights(Listed(), {"one": torch.zeros(2)}) == ModuleReport()
