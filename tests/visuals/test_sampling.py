"""The bars of sampling and the still picture of its explorer: what is cut, and how much is kept."""

from __future__ import annotations

import numpy as np
import pytest

from tests.visuals.sheet import assert_words_are_apart
from visuals import explore_sampling, sampling_bars
from visuals.lessons.real_models.explore_sampling import top_p
from visuals.not_ready import NotReady

SAYS = np.array([0.5, 0.3, 0.2])
LOGITS, WORDS = np.log(SAYS), ["the", "a", "cat"]
DRAWN = [[0.5, 0.3, 0.2], [0.625, 0.375, 0.0]]


def widths(picture, name):
    """The lengths of the bars of one kind, in shares of the longest."""
    bars = {patch.get_gid(): patch.get_width() for patch in picture.figure.axes[0].patches}
    return [[bars[f"{name} {way} {place}"] / bars["drawn 1 0"] for place in range(3)] for way in range(2)]


def test_bars_are_as_long_as_the_probabilities_before_and_after_the_cut():
    picture = sampling_bars(LOGITS, DRAWN, WORDS, ["as it is", "top-k 2"])
    np.testing.assert_allclose(widths(picture, "says"), [SAYS / 0.625] * 2)
    np.testing.assert_allclose(widths(picture, "drawn"), np.array(DRAWN) / 0.625)


def test_a_token_that_is_cut_is_hatched_and_the_kept_share_is_told(texts):
    picture = sampling_bars(LOGITS, DRAWN, WORDS, ["as it is", "top-k 2"])
    bars = {patch.get_gid(): patch.get_hatch() for patch in picture.figure.axes[0].patches}
    hatched = [name for name, hatch in bars.items() if hatch and name.startswith("says")]
    assert hatched == ["says 1 2"]
    assert {"3 of 3 tokens, 1.00 in the model", "2 of 3 tokens, 0.80 in the model"} <= set(
        texts(picture.figure)
    )
    assert picture.alt == (
        "What the next token is drawn from, in 2 ways. The model says: the 0.50, a 0.30, cat 0.20. as it is: "
        "3 of 3 tokens, 1.00 in the model (the 0.50, a 0.30, cat 0.20); top-k 2: 2 of 3 tokens, 0.80 in the "
        "model (the 0.62, a 0.38)."
    )


@pytest.mark.parametrize(("enough", "expected"), [(0.5, [1, 0, 0]), (0.51, DRAWN[1]), (1.0, DRAWN[0])])
def test_top_p_keeps_the_fewest_tokens_that_reach_it(enough, expected):
    np.testing.assert_allclose(top_p(SAYS[[2, 0, 1]], enough), np.array(expected)[[2, 0, 1]])


def test_the_still_picture_shows_that_more_tokens_are_left_at_a_higher_temperature():
    alt = explore_sampling([2.0, 1.6, 1.0, 0.4, 0.0], list("abcde")).picture.alt
    assert "T = 0.5, top-p 0.7: 2 of 5 tokens" in alt
    assert "T = 2, top-p 0.7: 3 of 5 tokens" in alt


def test_probabilities_that_are_not_there_yet_are_waited_for():
    assert isinstance(sampling_bars(LOGITS, ..., WORDS, ["greedy"]), NotReady)


@pytest.mark.parametrize(
    ("drawn", "ways", "message"),
    [
        ([[1.0, 0.0]], ["greedy"], "drawn needs 3 columns, one per logit; its shape is"),
        (DRAWN, ["greedy"], "1 tokens do not fit: drawn has size 2"),
    ],
)
def test_what_does_not_fit_is_explained(drawn, ways, message):
    with pytest.raises(ValueError, match=message):
        sampling_bars(LOGITS, drawn, WORDS, ways)


def test_words_are_apart_and_inside():
    for ways in (1, 2, 4):
        drawn = [[1.0, 0.0, 0.0]] * ways
        picture = sampling_bars(LOGITS, drawn, ["antidisestablishmentarianism", "a", "b"], ["greedy"] * ways)
        assert_words_are_apart(picture.figure)
