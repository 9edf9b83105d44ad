"""When two results count as equal."""

from __future__ import annotations

import warnings

import pytest
import torch
from autograder.records.tensor_comparison import (
    TOLERANCES,
    all_close,
    close,
    looks_rounded,
    plainly_right,
    tolerance,
)


@pytest.mark.parametrize("dtype", TOLERANCES)
def test_the_tolerances_are_those_of_torch_testing(dtype):
    from torch.testing._comparison import default_tolerances

    assert tolerance(dtype) == default_tolerances(dtype)


def test_the_wider_tolerance_counts_where_dtypes_differ():
    assert tolerance(torch.float64, torch.float16) == TOLERANCES[torch.float16]


def test_whole_numbers_and_truth_values_are_compared_exactly():
    large = torch.tensor([2**53, 2**62 + 1])  # as doubles, the neighbours of these are the same numbers
    assert close(large, large + torch.tensor([1, 0])).tolist() == [False, True]
    assert not looks_rounded(large, large + 1)
    assert all_close(torch.tensor([True, False]), torch.tensor([1, 0]))
    assert not all_close(torch.tensor([True]), torch.tensor([2]))


def test_each_entry_is_judged_by_itself():
    actual = close(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 2.1, 3.0]))
    assert actual.tolist() == [True, False, True]


def test_an_error_within_the_tolerance_is_no_difference():
    expected = torch.tensor([1000.0])
    assert all_close(expected + 1e-3, expected)
    assert not all_close(expected + 2e-2, expected)


def test_a_small_number_is_plainly_right_only_by_its_own_size():
    expected = torch.tensor([1.0, 4.4e-5, 0.0, -torch.inf])
    actual = torch.tensor([1.0 + 1e-6, 5.0e-5, 1e-9, -torch.inf])
    assert close(actual, expected).all()
    assert plainly_right(actual, expected).tolist() == [True, False, True, True]


def test_a_double_is_held_to_its_own_tolerance():
    expected = torch.tensor([1.0], dtype=torch.float64)
    assert all_close(expected + 1e-7, expected)
    assert not all_close(expected + 1e-6, expected)


def test_the_tolerance_is_relative_to_the_expected_number():
    assert close(torch.tensor([0.0]), torch.tensor([2e-5])).tolist() == [False]
    assert close(torch.tensor([0.0]), torch.tensor([5e-6])).tolist() == [True]


def test_not_a_number_agrees_with_itself_only():
    nan = float("nan")
    same = close(torch.tensor([nan, nan, 1.0]), torch.tensor([nan, 1.0, nan]))
    assert same.tolist() == [True, False, False]


def test_infinity_agrees_with_infinity_of_the_same_sign():
    inf = float("inf")
    actual = close(torch.tensor([inf, inf, inf, 3e38]), torch.tensor([inf, -inf, 1.0, inf]))
    assert actual.tolist() == [True, False, False, False]


def test_tensors_of_different_shapes_are_not_close_even_where_they_broadcast():
    assert not all_close(torch.ones(2, 1), torch.ones(2, 2))
    assert not all_close(torch.ones(0), torch.tensor(1.0))


def test_an_imaginary_part_is_a_difference():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not all_close(torch.tensor([1.0 + 5j]), torch.tensor([1.0]))
