"""Rules that a result obeys: found broken, they say where."""

from __future__ import annotations

import math

import pytest
import torch
from autograder.experiments.properties import PROPERTIES, violation
from autograder.records.tensor_comparison import first_index


def test_the_first_row_that_does_not_sum_to_one_is_named_with_its_sum():
    broken = violation("sums-to-one", torch.tensor([[0.5, 0.5], [0.5, 0.25], [1.0, 1.0]]))
    assert broken is not None
    assert (broken.index, broken.obtained) == ((1,), 0.75)


def test_a_rounding_error_does_not_break_a_sum():
    assert violation("sums-to-one", torch.full((7,), 1 / 7)) is None


def test_a_single_number_has_no_slices_to_sum():
    assert violation("sums-to-one", torch.tensor(5.0)) is None


def test_the_first_negative_entry_is_named():
    broken = violation("not-negative", torch.tensor([[0.0, 1.0], [-0.5, -2.0]]))
    assert broken is not None
    assert (broken.index, broken.obtained) == ((1, 0), -0.5)


def test_the_first_entry_that_differs_from_its_mirror_image_is_named():
    broken = violation("symmetric", torch.tensor([[1.0, 2.0, 3.0], [2.0, 1.0, 4.0], [3.0, 5.0, 1.0]]))
    assert broken is not None
    assert (broken.index, broken.obtained) == ((1, 2), 4.0)


def test_every_matrix_of_a_batch_is_asked_for_symmetry():
    batch = torch.stack([torch.eye(2), torch.tensor([[0.0, 1.0], [0.0, 0.0]])])
    broken = violation("symmetric", batch)
    assert broken is not None
    assert broken.index == (1, 0, 1)


def test_the_first_weight_on_a_later_token_is_named():
    broken = violation("causal", torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.25, 0.25], [0.2, 0.3, 0.5]]))
    assert broken is not None
    assert (broken.property, broken.index, broken.obtained) == ("causal", (1, 2), 0.25)


@pytest.mark.parametrize("weight", [1e-30, -0.5, math.nan, -math.inf])
def test_a_later_token_may_have_no_weight_at_all(weight):
    broken = violation("causal", torch.tensor([[1.0, weight], [0.5, 0.5]]))
    assert broken is not None
    assert broken.index == (0, 1)


def test_every_head_of_every_batch_is_asked_to_be_causal():
    weights = torch.eye(3).repeat(2, 4, 1, 1)
    weights[1, 2, 0, 1] = 0.5
    broken = violation("causal", weights)
    assert broken is not None
    assert broken.index == (1, 2, 0, 1)


def test_more_keys_than_queries_are_hidden_above_the_same_diagonal():
    assert violation("causal", torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])) is None
    assert violation("causal", torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]])) is not None


def test_an_unknown_rule_is_an_error_of_the_author():
    with pytest.raises(KeyError):
        violation("sum-to-one", torch.ones(1))


@pytest.mark.parametrize("name", PROPERTIES)
def test_no_rule_is_broken_by_an_integer_or_half_precision_result_that_obeys_it(name):
    for dtype in (torch.int64, torch.float16):
        assert violation(name, torch.eye(3).to(dtype)) is None


def test_the_first_index_is_the_first_in_reading_order():
    mask = torch.tensor([[False, False], [True, False], [True, True]])
    assert first_index(mask) == (1, 0)


def test_not_a_number_is_never_called_negative():
    assert violation("not-negative", torch.tensor([math.nan])) is None
