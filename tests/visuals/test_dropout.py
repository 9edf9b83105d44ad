"""The figures and the explorer of dropout: what they show, say, refuse and wait for."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.visuals.sheet import assert_words_are_apart
from visuals import dropout_averages, dropout_steps, explore_dropout

KEPT = torch.tensor([[1, 0, 0], [0, 0, 1], [1, 0, 1]]).bool()
NAMES = ["a", "b", "c"]


@pytest.fixture
def causal():
    """Weights (3, 3) of three tokens that see themselves and what came before."""
    return torch.tensor([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.2, 0.3]])


class TestDropoutSteps:
    def test_shows_the_weights_before_and_after(self, causal, texts):
        shown = texts(dropout_steps(causal, KEPT, 0.5, NAMES).figure)
        assert [text for text in shown if text in ("1.00", "0.25", "0.75", "0.50", "0.20", "0.30")] == [
            *("1.00", "0.25", "0.75", "0.50", "1.00", "0.20", "0.30")
        ]
        assert {"2.00", "0.60"} <= set(shown)

    def test_marks_each_weight_as_kept_or_dropped(self, causal, texts):
        figure = dropout_steps(causal, KEPT, 0.5, NAMES).figure
        shown = texts(figure)
        assert shown.count("✓") == 3  # (a, a), (c, a) and (c, c)
        assert shown.count("✗") == 3
        hatched = [
            patch.get_gid()
            for patch in figure.axes[0].patches
            if patch.get_hatch() and patch.get_gid().startswith("sign")
        ]
        assert hatched == ["sign 1 0", "sign 1 1", "sign 2 1"]

    def test_what_lies_ahead_is_left_empty(self, causal):
        figure = dropout_steps(causal, KEPT, 0.5, NAMES).figure
        drawn = {patch.get_gid() for patch in figure.axes[0].patches}
        assert "weight 1 1" in drawn
        assert not {"weight 0 1", "sign 1 2", "after 1 2"} & drawn

    def test_the_factor_follows_p(self, causal, texts):
        shown = texts(dropout_steps(causal, KEPT, 0.2, NAMES).figure)
        assert "kept × 1.25" in shown
        assert "1.25" in shown  # the first weight, 1.00, after dropout

    def test_writes_each_rows_sum(self, causal):
        actual = {
            text.get_gid(): text.get_text()
            for text in dropout_steps(causal, KEPT, 0.5, NAMES).figure.axes[0].texts
        }
        assert [actual[f"row sum {row}"] for row in range(3)] == ["2.00", "0.00", "1.60"]

    def test_alt_says_who_keeps_what(self, causal):
        assert dropout_steps(causal, KEPT, 0.5, NAMES).alt == (
            "One draw of dropout on a 3 by 3 matrix of attention weights, p = 0.5. 3 of 6 weights are kept "
            "and multiplied by 2, the others become 0. a keeps a; its row adds up to 2.00. b keeps nothing; "
            "its row adds up to 0.00. c keeps a, c; its row adds up to 1.60."
        )

    @pytest.mark.parametrize(
        ("weights", "saved", "p", "names", "message"),
        [
            (np.ones(3), KEPT, 0.5, NAMES, r"weights needs 2 axes \(queries, keys\); its shape is \(3,\)"),
            (np.ones((3, 3)), np.ones((2, 3)), 0.5, NAMES, r"one and the same shape .*\(3, 3\) and \(2, 3\)"),
            (np.ones((2, 3)), np.ones((2, 3)), 0.5, NAMES, r"\(tokens, tokens\)"),
            (np.ones((9, 9)), np.ones((9, 9)), 0.5, list("abcdefghi"), r"9 tokens; at most 8"),
            (np.ones((3, 3)), KEPT, 1.0, NAMES, r"from 0 to below 1, not 1.0"),
            (np.ones((3, 3)), KEPT, -0.1, NAMES, r"from 0 to below 1"),
            (np.ones((3, 3)), KEPT, 0.5, ["a"], r"1 tokens do not fit"),
        ],
    )
    def test_what_cannot_be_drawn_is_explained(self, weights, saved, p, names, message):
        with pytest.raises(ValueError, match=message):
            dropout_steps(weights, saved, p, names)

    def test_words_stay_on_the_sheet_and_apart(self, causal):
        assert_words_are_apart(
            dropout_steps(causal, KEPT, 0.75, ["antidisestablishmentarianism", "b", "c"]).figure
        )


class TestDropoutAverages:
    def test_draws_each_average_over_its_weight(self, causal):
        picture = dropout_averages(causal, causal * 1.01, causal / 2, 100)
        points = {group.get_gid(): group.get_offsets() for group in picture.figure.axes[0].collections}
        before = causal[causal != 0].numpy()
        np.testing.assert_allclose(points["rescaled"][:, 0], before, rtol=1e-6)
        np.testing.assert_allclose(points["rescaled"][:, 1], before * 1.01, rtol=1e-6)
        np.testing.assert_allclose(points["plain"][:, 1], before / 2, rtol=1e-6)

    def test_says_how_averages_compare_with_weights(self, causal, texts):
        picture = dropout_averages(causal, causal, causal * 0.7, 2000)
        assert {"average ÷ weight = 1.00", "average ÷ weight = 0.70"} <= set(texts(picture.figure))
        assert "the average of 2000 draws" in picture.alt
        assert (
            "1.00 times the weights, on the line of equal values; not rescaled, they are 0.70" in picture.alt
        )

    def test_says_so_where_the_averages_are_off(self, causal):
        assert "on the line" not in dropout_averages(causal, causal * 1.3, causal, 10).alt

    @pytest.mark.parametrize(
        ("shapes", "message"),
        [(((3, 3), (2, 3), (3, 3)), "one and the same shape"), (((3,), (3,), (3,)), "needs 2 axes")],
    )
    def test_shapes_that_differ_are_explained(self, shapes, message):
        with pytest.raises(ValueError, match=message):
            dropout_averages(*(np.ones(shape) for shape in shapes), 5)

    def test_nothing_but_zeros_is_explained(self):
        with pytest.raises(ValueError, match="nothing but zeros"):
            dropout_averages(np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2)), 5)

    def test_words_stay_on_the_sheet_and_apart(self, causal):
        assert_words_are_apart(dropout_averages(causal, causal, causal / 2, 2000).figure)


class TestExploreDropout:
    def test_the_picture_has_the_mask_that_the_module_draws_first(self, causal):
        explorer = explore_dropout(causal, NAMES)
        saved = np.array(explorer._shows["first"]) >= explorer.chosen["p"]
        assert explorer.alt == dropout_steps(causal, saved, 0.5, NAMES).alt

    @pytest.mark.parametrize("shape", [(2, 3), (9, 9)])
    def test_weights_that_cannot_be_shown_are_explained(self, shape):
        with pytest.raises(ValueError, match=r"\(tokens, tokens\) with at most 8"):
            explore_dropout(np.ones(shape), list("abcdefghi")[: shape[1]])


def test_the_two_kinds_of_points_differ_in_shape_and_colour(causal):
    groups = dropout_averages(causal, causal, causal / 2, 5).figure.axes[0].collections
    colors = {tuple(group.get_facecolor()[0]) for group in groups}
    outlines = {len(group.get_paths()[0].vertices) for group in groups}
    assert len(colors) == len(outlines) == 2
