"""The explorer of the three attentions: which keys are visible, in words, in the table and in the picture."""

from __future__ import annotations

import numpy as np
import pytest

from visuals import explore_three_attentions, visible_keys
from visuals.lessons.encoder_decoder.explore_three_attentions import (
    CROSS,
    DECODER,
    ENCODER,
    in_words,
    shown_for,
    table,
)

SOURCE = ["das", "Haus", "ist", "klein", "<pad>", "<pad>"]
TARGET = ["<start>", "the", "house", "is", "small"]


@pytest.fixture
def explorer():
    return explore_three_attentions(SOURCE, TARGET)


def test_the_encoder_hides_padding_only():
    shown = shown_for(ENCODER, SOURCE, TARGET)
    np.testing.assert_array_equal(shown.allowed, np.tile([True] * 4 + [False] * 2, (6, 1)))


def test_the_decoder_hides_what_comes_later_and_padding():
    shown = shown_for(DECODER, SOURCE, ["a", "b", "<pad>"])
    np.testing.assert_array_equal(shown.allowed, [[1, 0, 0], [1, 1, 0], [1, 1, 0]])
    assert shown.reasons[0] == ["", "later", "padding"]


def test_cross_attention_has_a_row_for_each_target_and_a_column_for_each_source_token():
    shown = shown_for(CROSS, SOURCE, TARGET)
    np.testing.assert_array_equal(shown.allowed, np.tile([True] * 4 + [False] * 2, (5, 1)))
    assert (shown.queries, shown.keys) == (TARGET, SOURCE)


def test_says_in_words_who_is_looked_at_and_why_not_the_others():
    assert in_words(shown_for(DECODER, SOURCE, TARGET), 2) == (
        "Decoder self-attention: 'house' (token 2 of the target) sees 3 of 5 target tokens: "
        "<start>, the, house. Hidden: is, small (later in the target)."
    )
    assert in_words(shown_for(DECODER, SOURCE, TARGET), 4).endswith("Nothing is hidden.")


def test_names_both_reasons_where_there_are_two():
    words = in_words(shown_for(DECODER, SOURCE, ["a", "b", "<pad>"]), 0)
    assert words.endswith("Hidden: b (later in the target); <pad> (padding).")


def test_a_sentence_of_padding_leaves_nothing_to_look_at():
    assert "sees 0 of 1 source tokens: none." in in_words(shown_for(CROSS, ["<pad>"], TARGET), 0)


def test_starts_with_cross_attention(explorer):
    assert explorer.alt == (
        "Cross-attention: 'the' (token 1 of the target) sees 4 of 6 source tokens: das, Haus, ist, "
        "klein. Hidden: <pad>, <pad> (padding)."
    )


def test_another_token_changes_words_and_table(explorer):
    explorer.kind.value = DECODER
    explorer.query.value = 3
    assert "'is' (token 3 of the target) sees 4 of 5" in explorer.status.value
    assert "is (query)" in explorer.view.value


def test_another_attention_offers_the_tokens_of_the_sentence_that_asks(explorer):
    explorer.kind.value = ENCODER
    assert [label for label, _ in explorer.query.options] == [
        f"{i}: {token}" for i, token in enumerate(SOURCE)
    ]
    assert "Encoder self-attention: 'Haus'" in explorer.status.value


def test_a_position_that_the_other_sentence_lacks_becomes_its_last(explorer):
    explorer.kind.value = ENCODER
    explorer.query.value = 5
    explorer.kind.value = DECODER
    assert explorer.query.value == 4
    assert "'small'" in explorer.alt


def test_the_table_says_in_every_cell_whether_and_why_not():
    shown = table(shown_for(DECODER, SOURCE, ["a", "b", "<pad>"]), 0)
    assert shown.count("✓ visible") == 5
    assert shown.count("<td>later</td>") == 1
    assert shown.count("<td>padding</td>") == 3
    assert shown.count('scope="row"') == 3
    assert shown.count('scope="col"') == 4


def test_tokens_are_written_as_text_and_not_as_html():
    shown = table(shown_for(CROSS, SOURCE, TARGET), 0)
    assert "<pad>" not in shown
    assert "&lt;pad&gt;" in shown
    assert "<start>" not in shown
    assert "&lt;start&gt;" in shown


def test_a_picture_is_drawn_of_what_is_chosen(explorer):
    explorer.kind.value = DECODER
    still = visible_keys(
        np.tri(5), TARGET, TARGET, title="Decoder self-attention: which keys are visible", query=1
    )
    assert explorer.picture.to_html() == still.to_html()


@pytest.mark.parametrize(
    ("source", "target", "error"), [("das Haus", TARGET, TypeError), (SOURCE, [], ValueError)]
)
def test_refuses_what_is_no_sentence(source, target, error):
    with pytest.raises(error):
        explore_three_attentions(source, target)


def test_waits_for_an_unfinished_task():
    assert explore_three_attentions(..., TARGET).alt.startswith("Nothing to draw yet")
