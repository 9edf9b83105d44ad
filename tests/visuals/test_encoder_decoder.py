"""The flow of the encoder-decoder names what asks, what answers and which mask, for any two sentences."""

from __future__ import annotations

import pytest

import visuals
from tests.visuals.sheet import assert_words_are_apart
from visuals import style

SOURCE = ["das", "Haus", "<pad>"]
TARGET = ["<start>", "the", "house", "!"]


def test_shows_every_token_of_both_sentences(texts):
    shown = texts(visuals.encoder_decoder(SOURCE, TARGET).figure)
    assert [text for text in shown if text in SOURCE] == SOURCE
    assert [text for text in shown if text in TARGET] == TARGET


def test_padding_is_hatched_and_nothing_else():
    patches = {
        patch.get_gid(): patch for patch in visuals.encoder_decoder(SOURCE, TARGET).figure.axes[0].patches
    }
    assert [patches[f"source {index}"].get_hatch() for index in range(3)] == [None, None, "////"]
    assert [patches[f"target {index}"].get_hatch() for index in range(4)] == [None] * 4


def test_says_for_each_attention_who_asks_who_answers_and_which_mask(texts):
    shown = texts(visuals.encoder_decoder(SOURCE, TARGET).figure)
    assert "query, key, value: source" in shown
    assert "query, key, value: target" in shown
    assert "query: target; key, value: source" in shown
    masks = [text for text in shown if text.startswith("mask:")]
    assert masks == ["mask: padding", "mask: causal and padding", "mask: padding of the source"]


def test_the_query_comes_from_above_and_key_and_value_from_the_left():
    picture = visuals.encoder_decoder(SOURCE, TARGET)
    places = {text.get_text(): text.get_position() for text in picture.figure.axes[0].texts}
    cross = next(
        patch for patch in picture.figure.axes[0].patches if patch.get_gid() == "box cross-attention"
    ).get_bbox()
    assert places["key, value"][0] < cross.x0
    assert cross.y0 < places["key, value"][1] < cross.y1
    assert places["query"][1] < cross.y0
    assert cross.x0 < places["query"][0] < cross.x1


def test_counts_the_vectors_that_come_out(texts):
    shown = texts(visuals.encoder_decoder(SOURCE, TARGET).figure)
    assert "3 vectors, one for each" in shown
    assert "4 vectors, one for each target token" in shown


def test_alt_tells_the_whole_way():
    alt = visuals.encoder_decoder(SOURCE, TARGET).alt
    assert "reads the source, 3 tokens, 1 of them padding (das Haus <pad>)" in alt
    assert "writes the target, 4 tokens (<start> the house !)" in alt
    assert "the query of cross-attention, whose key and value come from the output of the encoder" in alt
    assert alt.endswith("The result has 4 vectors, one for each target token.")


def test_long_sentences_take_more_lines_and_stay_in_their_column():
    long = ["encoder"] * 9
    picture = visuals.encoder_decoder(long, TARGET)
    patches = {
        patch.get_gid(): patch.get_bbox() for patch in picture.figure.axes[0].patches if patch.get_gid()
    }
    box = patches["box self-attention"]
    chips = [patches[f"source {index}"] for index in range(9)]
    assert len({chip.y0 for chip in chips}) > 1
    assert max(chip.x1 for chip in chips) <= box.x1
    assert max(chip.y1 for chip in chips) < box.y0
    assert picture.size[0] < 860


def test_roles_have_the_colours_of_the_course():
    labels = {
        text.get_text(): text.get_color()
        for text in visuals.encoder_decoder(SOURCE, TARGET).figure.axes[0].texts
    }
    assert labels["query"] == style.QUERY
    assert labels["cross-attention"] == style.CONTEXT


@pytest.mark.parametrize(
    ("source", "target", "error", "message"),
    [
        ("das Haus", TARGET, TypeError, "source must be a list of strings"),
        (SOURCE, "the house", TypeError, "target must be a list of strings"),
        ([], TARGET, ValueError, "source is empty"),
    ],
)
def test_refuses_what_is_no_sentence(source, target, error, message):
    with pytest.raises(error, match=message):
        visuals.encoder_decoder(source, target)


@pytest.mark.parametrize(
    ("source", "target"), [(SOURCE, TARGET), (["encoder"] * 9, TARGET), (["a"], ["translation"] * 7)]
)
def test_no_word_is_cut_off_or_lies_on_another(source, target):
    assert_words_are_apart(visuals.encoder_decoder(source, target).figure)
