"""The figure of a batch: its cards, its numbers, its axes."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.visuals.sheet import assert_words_are_apart
from visuals import batch_stack


def test_one_card_for_each_sentence_with_all_its_numbers(inputs, tokens, texts):
    batch = torch.stack((inputs, inputs.flip(0)))
    figure = batch_stack(batch, [tokens, tokens[::-1]]).figure
    cards = [
        patch.get_gid() for patch in figure.axes[0].patches if (patch.get_gid() or "").startswith("sentence")
    ]
    numbers = [f"{value:.2f}" for value in batch.flatten().tolist()]
    shown = texts(figure)
    assert cards == ["sentence 0", "sentence 1"]
    assert [text for text in shown if text in numbers] == numbers
    assert [text for text in shown if text in tokens] == [*tokens, *tokens[::-1]]


def test_the_axes_are_named_with_their_sizes(texts):
    shown = texts(batch_stack(torch.rand(3, 4, 2), [list("abcd")] * 3).figure)
    assert "A batch of 3 sentences: shape (3, 4, 2)" in shown
    assert {"axis 0: 3 sentences", "axis 1:\n4\ntokens", "axis 2: 2 dimensions"} <= set(shown)


def test_alt_says_the_axes_and_the_sentences():
    alt = batch_stack(torch.rand(2, 3, 4), [["a", "b", "c"], ["d", "e", "f"]]).alt
    assert (
        "shape (2, 3, 4). Axis 0 counts the sentences (2), axis 1 the tokens (3), axis 2 the dimensions (4)"
        in alt
    )
    assert "batch[0]: a b c. batch[1]: d e f." in alt
    assert "same numbers" not in alt


def test_alt_says_when_the_sentences_are_copies(inputs, tokens):
    assert (
        "All sentences hold the same numbers." in batch_stack(torch.stack((inputs, inputs)), [tokens] * 2).alt
    )


def test_a_single_sentence_is_no_copy(inputs, tokens):
    assert "same numbers" not in batch_stack(inputs[None], [tokens]).alt


@pytest.mark.parametrize(
    ("shape", "sentences", "message"),
    [
        ((6, 3), [["a"]], r"batch needs 3 axes \(sentences, tokens, dimensions\); its shape is \(6, 3\)"),
        ((4, 1, 2), [["a"]] * 4, r"4 sentences; at most 3"),
        ((2, 1, 2), [["a"]], r"1 lists of tokens do not fit: batch holds 2"),
        ((1, 2, 2), [["a"]], r"1 tokens do not fit: batch has size 2 along its axis 'tokens'"),
    ],
)
def test_what_cannot_be_drawn_is_explained(shape, sentences, message):
    with pytest.raises(ValueError, match=message):
        batch_stack(np.ones(shape), sentences)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_words_stay_on_the_sheet_and_apart(inputs, tokens, count):
    assert_words_are_apart(batch_stack(inputs.expand(count, 6, 3), [tokens] * count).figure)
