"""One memory and two views of it: places, strides and reading order are those of torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import visuals
from tests.visuals.sheet import assert_words_are_apart

X = torch.tensor([[0.4496, -0.3525, 0.7069], [2.0206, 0.1058, 0.8492]])
NUMBERS = ["0.4496", "-0.3525", "0.7069", "2.0206", "0.1058", "0.8492"]


def labelled(picture) -> dict[str, str]:
    return {text.get_gid(): text.get_text() for text in picture.figure.axes[0].texts if text.get_gid()}


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (3, 3), (1, 4), (4, 1), (1, 1)])
def test_strides_and_contiguity_are_torchs_own(shape):
    x = torch.arange(shape[0] * shape[1], dtype=torch.float32).reshape(shape)
    alt = visuals.memory_layout(x).alt
    assert f"x has the shape {shape} and the strides {x.stride()}" in alt
    verdict = "in order, contiguous" if x.T.is_contiguous() else "it jumps, not contiguous"
    assert alt.endswith(f"{verdict}.")


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (4, 3)])
def test_the_transposed_strides_are_torchs_own(shape):
    x = torch.zeros(shape)
    transposed = x.transpose(0, 1)
    wanted = (
        f"x.transpose(0, 1) has the shape {tuple(transposed.shape)} and the strides {transposed.stride()}"
    )
    assert wanted in visuals.memory_layout(x).alt


def test_memory_is_shown_once_and_each_view_shows_the_same_numbers(texts):
    shown = [text for text in texts(visuals.memory_layout(X).figure) if text in NUMBERS]
    transposed = [NUMBERS[position] for position in (0, 3, 1, 4, 2, 5)]
    assert shown == NUMBERS + NUMBERS + transposed


def test_every_cell_says_from_which_place_it_comes():
    labels = labelled(visuals.memory_layout(X))
    places = [
        [int(labels[f"x.transpose(0, 1) place {row} {column}"]) for column in range(2)] for row in range(3)
    ]
    np.testing.assert_array_equal(X.flatten()[torch.tensor(places)], X.T)


def test_reading_order_jumps_in_the_transpose_only():
    labels = labelled(visuals.memory_layout(X))
    assert labels["x order"] == "row by row: 0 1 2 3 4 5"
    assert labels["x.transpose(0, 1) order"] == "row by row: 0 3 1 4 2 5"


def test_says_contiguous_or_not(texts):
    shown = texts(visuals.memory_layout(X).figure)
    assert "✓ in order: contiguous" in shown
    assert "✗ it jumps: not contiguous" in shown


def test_steps_are_counted_in_places(texts):
    shown = texts(visuals.memory_layout(X).figure)
    assert "one step down: 3 places; to the right: 1 place" in shown
    assert "one step down: 1 place; to the right: 3 places" in shown


def test_a_transposed_tensor_is_drawn_as_a_tensor_of_its_own():
    assert visuals.memory_layout(X.T).alt == visuals.memory_layout(X.T.contiguous()).alt


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (torch.ones(3), r"x needs 2 axes \(rows, columns\)"),
        (torch.ones(2, 0), "x is empty"),
        (torch.ones(4, 4), "x holds 16 numbers; at most 12"),
    ],
)
def test_refuses_what_cannot_be_drawn(x, message):
    with pytest.raises(ValueError, match=message):
        visuals.memory_layout(x)


@pytest.mark.parametrize("x", [X, X.T, torch.randn(4, 3), torch.ones(1, 1), -torch.ones(1, 12)])
def test_no_word_is_cut_off_or_lies_on_another(x):
    assert_words_are_apart(visuals.memory_layout(x).figure)
