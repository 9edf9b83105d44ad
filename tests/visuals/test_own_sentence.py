"""Explorers of the learner's own sentence, and the arrows of its words."""

import pytest
import torch

import visuals
from visuals import explore_reading, trained_words, word_arrows
from visuals.lessons.dot_product.meaning import angle, in_plane
from visuals.not_ready import NotReady

WATER, MONEY = "the girl sat by the bank because she saw a boat", "the king walked to the bank for a loan"


def alike(x):
    return torch.softmax(x @ x.T, dim=-1)


def test_attention_turns_the_word_towards_what_stands_around_it():
    def turned(sentence):
        _, _, flow = in_plane(sentence, "bank")
        return angle(flow.context, torch.tensor([1.0, 0.0]).numpy())

    assert turned(WATER) < 45 < turned(MONEY)


def test_the_arrows_are_told_in_words():
    alt = word_arrows([WATER, MONEY]).alt
    assert "In 'the girl sat by the bank because she saw a boat': largest weights bank 0.65, boat 0.26" in alt
    assert alt.count("45° from the axis of water") == 2


def test_one_string_is_no_list_of_sentences():
    with pytest.raises(TypeError, match="pass \\[sentence\\]"):
        word_arrows(WATER)


def test_a_word_that_does_not_stand_in_the_sentence_is_told():
    with pytest.raises(ValueError, match="'river' does not stand in the sentence"):
        word_arrows([WATER], "river")


def test_an_attention_that_is_not_written_yet_is_waited_for():
    assert isinstance(explore_reading(lambda x: ...), NotReady)


def test_the_static_picture_shows_the_same_sentence():
    assert "'bank'" in visuals.explore_meaning(MONEY).picture.alt
    assert "cash" in explore_reading(alike, "the king needed cash", "king").picture.alt
    assert len(trained_words().words) < 30
