"""Small modules that a learner's function is tried on."""

from __future__ import annotations

import pytest
import torch
from autograder.experiments.registry import OWN
from autograder.experiments.specimens import Mixing, specimen
from autograder.probe.collect_evidence import call, call_module
from autograder.records.bank import Probe, Specimen
from torch import nn

SETTINGS = {"mixing": {"weights": torch.eye(3)}, "affine": {}}


def test_every_specimen_is_tried_here():
    assert {*SETTINGS, "plain-affine"} == OWN["SPECIMENS"]


@pytest.mark.parametrize("name", SETTINGS)
def test_a_specimen_is_a_module_in_eval_mode_made_afresh(name):
    item, other = (specimen(name, SETTINGS[name]) for _ in range(2))
    assert isinstance(item, nn.Module)
    assert item is not other
    assert not item.training


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(3, 2), (4, 3, 2)])
def test_a_specimen_keeps_the_shape_and_dtype_of_its_input(name, dtype, shape):
    result = specimen(name, SETTINGS[name])(torch.rand(shape, dtype=dtype))
    assert (tuple(result.shape), result.dtype) == (shape, dtype)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_specimen_leaves_its_input_as_it_was(name):
    x = torch.ones(3, 2)
    specimen(name, SETTINGS[name])(x)
    assert torch.equal(x, torch.ones(3, 2))


@pytest.mark.parametrize("name", SETTINGS)
def test_a_specimen_moves_to_another_device(name):
    result = specimen(name, SETTINGS[name]).to("meta")
    assert result(torch.ones(3, 2, device="meta")).device.type == "meta"


def test_an_unknown_specimen_is_an_error_of_the_author():
    with pytest.raises(KeyError):
        specimen("mixed", {})


def test_mixing_lets_an_output_depend_on_the_tokens_that_it_weighs():
    weights = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.25, 0.75]])
    inputs = {"model": Specimen("mixing", {"weights": weights}), "x": torch.rand(2, 3, 4)}
    probe = Probe("p", "", inputs, observe="influence", settings={"input": "x", "axis": 1})
    outcome = call(lambda model, x: model(x), probe)
    assert torch.equal(outcome.tensor, weights != 0)


def test_mixing_keeps_the_batch_apart():
    inputs = {"model": Specimen("mixing", {"weights": torch.ones(3, 3)}), "x": torch.rand(2, 3, 4)}
    probe = Probe("p", "", inputs, observe="influence", settings={"input": "x", "axis": 0})
    assert torch.equal(call(lambda model, x: model(x), probe).tensor, torch.eye(2, dtype=torch.bool))


def test_a_specimen_that_an_answer_changes_is_whole_in_the_next_call():
    def spoils(model, x):
        before = model(x)
        model.get_buffer("weights").zero_()
        return before

    inputs = {"model": Specimen("mixing", {"weights": torch.eye(3)}), "x": torch.ones(3, 1)}
    probe = Probe("p", "", inputs)
    assert [call(spoils, probe).tensor.sum().item() for _ in range(2)] == [3, 3]


def test_a_module_can_wrap_a_specimen():
    class Residual(nn.Module):
        def forward(self, model, x):
            return x + model(x)

    inputs = {"model": Specimen("affine", {"factor": 3.0}), "x": torch.ones(2)}
    probe = Probe("p", "", inputs, dtype="float64")
    outcome = call_module(Residual, probe)
    assert outcome.tensor.tolist() == [4, 4]
    assert outcome.dtype == "float64"


def test_the_weights_of_mixing_are_a_buffer():
    assert list(Mixing(torch.eye(2)).state_dict()) == ["weights"]


def test_a_plain_function_is_no_module_and_has_no_forward():
    result = specimen("plain-affine", {"factor": 2.0, "shift": 1.0})
    assert not isinstance(result, torch.nn.Module)
    assert not hasattr(result, "forward")
    assert torch.equal(result(torch.tensor([1.0, -2.0])), torch.tensor([3.0, -3.0]))


def test_mixing_can_mix_the_columns_as_well():
    weights, columns = torch.tensor([[0.0, 2.0], [1.0, 0.0]]), torch.tensor([[1.0, -1.0], [0.0, 0.0]])
    result = specimen("mixing", {"weights": weights, "columns": columns})
    x = torch.tensor([[1.0, 5.0], [3.0, 7.0]])
    assert torch.equal(result(x), torch.tensor([[6.0, -6.0], [1.0, -1.0]]))
