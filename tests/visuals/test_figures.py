"""The figures carry the numbers of the lesson and name them in their alternative text."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import visuals
from tests.visuals.sheet import assert_words_are_apart
from visuals.lessons.dot_product.scores import scores_to_context

SCORES = ["0.9544", "1.4950", "1.4754", "0.8434", "0.7070", "1.0865"]
WEIGHTS = ["0.1385", "0.2379", "0.2333", "0.1240", "0.1082", "0.1581"]
CONTEXT = ["0.4419", "0.6515", "0.5683"]


class TestTokenVectors:
    def test_shows_every_token_dimension_and_value(self, inputs, tokens, texts):
        shown = texts(visuals.token_vectors(inputs, tokens).figure)
        numbers = [f"{value:.2f}" for value in inputs.flatten().tolist()]
        assert [text for text in shown if text in tokens] == tokens
        assert [text for text in shown if text in numbers] == numbers
        assert {"dimension 0", "dimension 1", "dimension 2"} <= set(shown)

    def test_alt_lists_the_vectors_and_the_extremes(self, inputs, tokens):
        alt = visuals.token_vectors(inputs, tokens).alt
        assert "Your (0.43, 0.15, 0.89)" in alt
        assert "Largest value 0.89 (Your, dimension 2), smallest 0.05 (step, dimension 0)." in alt

    def test_many_dimensions_are_drawn_without_numbers(self):
        values = torch.linspace(-1, 1, 4 * 64).reshape(4, 64)
        picture = visuals.token_vectors(values, list("abcd"))
        meshes = picture.figure.axes[0].collections
        assert [mesh.get_array().size for mesh in meshes] == [64, 64, 64, 64]
        np.testing.assert_allclose(
            np.concatenate([mesh.get_array().ravel() for mesh in meshes]), values.ravel()
        )

    def test_columns_may_have_lines_of_names_and_narrow_cells_state_their_darkest_value(self, texts):
        values = np.zeros((2, 24))
        values[1, 15] = 0.98
        heads = {"position": range(24), "clean": ["x"] * 24, "corrupt": ["y"] + [""] * 23}
        picture = visuals.token_vectors(values, ["block 0", "block 1"], "block", "position", heads, "A strip")
        shown = texts(picture.figure)
        assert [text for text in shown if text.isdecimal()] == [str(position) for position in range(24)]
        assert {"A strip", "position", "clean", "corrupt", "y", "darkest: 0.9800"} <= set(shown)
        assert picture.alt == (
            "A strip. Table of 2 blocks with 24 positions each, one row per block, coloured by value. "
            "Largest value 0.98 (block 1, position 15), smallest 0.00 (block 0, position 0)."
        )
        assert_words_are_apart(picture.figure)

    def test_a_line_of_names_that_does_not_fit_is_explained(self, inputs, tokens):
        with pytest.raises(ValueError, match="2 tokens do not fit: inputs has size 3"):
            visuals.token_vectors(inputs, tokens, heads={"position": range(2)})


class TestQueryScores:
    def test_labels_each_bar_with_its_score(self, inputs, tokens, texts):
        shown = texts(visuals.query_scores(inputs, tokens, query=1).figure)
        assert [text for text in shown if text in SCORES] == SCORES

    def test_bars_are_as_long_as_their_scores(self, inputs, tokens, lengths):
        bars = lengths(visuals.query_scores(inputs, tokens).figure, "score", 6)
        scores = (inputs @ inputs[1]).numpy()
        np.testing.assert_allclose(np.array(bars) / bars[0], scores / scores[0], rtol=1e-5)

    def test_shows_the_products_that_add_up_to_a_score(self, inputs, tokens, texts):
        shown = texts(visuals.query_scores(inputs, tokens).figure)
        assert {"0.24", "0.13", "0.59"} <= set(shown)  # 0.55 x 0.43, 0.87 x 0.15, 0.66 x 0.89

    def test_negative_scores_run_to_the_left(self, inputs, tokens, lengths):
        bars = lengths(visuals.query_scores(inputs - 0.4, tokens, query=4).figure, "score", 6)
        assert [bar < 0 for bar in bars] == [True, True, True, True, False, True]

    def test_alt_names_the_query_and_all_scores(self, inputs, tokens):
        alt = visuals.query_scores(inputs, tokens).alt
        assert "query 'journey' (0.55, 0.87, 0.66)" in alt
        assert (
            "Scores: Your 0.9544, journey 1.4950, starts 1.4754, with 0.8434, one 0.7070, step 1.0865." in alt
        )
        assert alt.endswith("Largest 'journey', smallest 'one'.")

    def test_counts_a_negative_query_from_the_end(self, inputs, tokens):
        last = visuals.query_scores(inputs, tokens, query=5)
        assert visuals.query_scores(inputs, tokens, query=-1).svg == last.svg


class TestSumVersusSoftmax:
    def test_shows_both_results_on_the_same_scores(self, inputs, tokens, texts):
        shown = texts(visuals.sum_versus_softmax(inputs @ inputs[1], tokens).figure)
        divided = ["0.1455", "0.2278", "0.2249", "0.1285", "0.1077", "0.1656"]
        assert [text for text in shown if text in SCORES] == SCORES
        assert [text for text in shown if text in divided] == divided
        assert [text for text in shown if text in WEIGHTS] == WEIGHTS
        assert sum("adds up to 1" in text for text in shown) == 2

    @pytest.mark.parametrize(
        ("scores", "verdict"),
        [
            ([2.0, -1.0, 0.5], "a weight below 0 is no share"),
            ([1.0, -1.0, 0.5, -0.499], "sum close to 0: a weight of size 1000.0"),
            ([-1.0, 1.0], "no weights: the sum is 0"),
            ([-1.0, -2.0, -3.0], "upside down: the smallest score weighs most"),
            ([-3.0, 1.0], "negative sum: every sign is turned round"),
            ([1.0, float("nan")], "no weights: the scores are not finite"),
        ],
    )
    def test_says_what_goes_wrong_with_the_sum(self, scores, verdict, texts):
        picture = visuals.sum_versus_softmax(scores)
        assert verdict in picture.alt
        assert f"✗ {verdict}" in [" ".join(text.split()) for text in texts(picture.figure)]

    def test_softmax_holds_where_the_sum_fails(self, texts):
        shown = texts(visuals.sum_versus_softmax([1.0, -1.0, 0.5, -0.499]).figure)
        assert [text for text in shown if text.startswith("✓")] == ["✓ all from 0 to 1,\nadds up to 1"]

    def test_numbers_the_scores_without_tokens(self, texts):
        shown = texts(visuals.sum_versus_softmax([1.0, 2.0]).figure)
        assert {"score 0", "score 1"} <= set(shown)


class TestOverflow:
    def test_marks_where_exp_leaves_float32(self):
        axes = visuals.overflow().figure.axes[0]
        limit = next(line for line in axes.lines if line.get_gid() == "limit")
        assert limit.get_xdata()[0] == pytest.approx(88.7228, abs=1e-4)

    def test_draws_the_curve_as_far_as_it_is_finite(self):
        lines = visuals.overflow(largest=120).figure.axes[0].lines
        curve = next(line for line in lines if line.get_label() == "exp(x) in float32")
        x, y = curve.get_data()
        np.testing.assert_allclose(y, np.exp(x.astype(np.float64)), rtol=1e-4)
        assert 88 < x.max() < 88.7229

    def test_ends_in_nan(self, texts):
        picture = visuals.overflow([0.0, 60.0, 120.0])
        assert "nan" in texts(picture.figure)
        assert "exp gives 1, 1.1e+26, inf, their sum inf, so the weights are 0, 0, nan." in picture.alt

    def test_stays_finite_below_the_limit(self, texts):
        picture = visuals.overflow([0.0, 25.0, 50.0], 50)
        assert "nan" not in texts(picture.figure)
        assert "stays finite" in picture.alt

    @pytest.mark.parametrize("largest", [0, -1, float("inf"), float("nan")])
    def test_refuses_what_is_no_range(self, largest):
        with pytest.raises(ValueError, match="positive, finite"):
            visuals.overflow(largest=largest)


class TestWeightsAndContext:
    def test_shows_weights_scaled_vectors_and_their_sum(self, weights, inputs, tokens, texts):
        shown = texts(visuals.weights_and_context(weights[1], inputs, tokens).figure)
        scaled = [f"{value:.4f}" for value in (weights[1][:, None] * inputs).flatten().tolist()]
        assert [text for text in shown if text in WEIGHTS] == WEIGHTS
        assert [text for text in shown if text in scaled and text not in WEIGHTS] == scaled
        assert [text for text in shown if text in CONTEXT] == CONTEXT

    def test_takes_the_row_of_the_query_out_of_a_matrix(self, weights, inputs, tokens):
        whole = visuals.weights_and_context(weights, inputs, tokens, query=4)
        row = visuals.weights_and_context(weights[4], inputs, tokens, query=4)
        assert whole.alt == row.alt

    def test_alt_gives_weights_their_sum_and_the_context(self, weights, inputs, tokens):
        alt = visuals.weights_and_context(weights[1], inputs, tokens).alt
        assert "Your 0.1385, journey 0.2379, starts 0.2333" in alt
        assert "they add up to 1.0000. Context: (0.4419, 0.6515, 0.5683)." in alt

    def test_draws_the_weights_it_is_given_even_if_they_are_wrong(self, inputs, tokens):
        alt = visuals.weights_and_context(torch.ones(6), inputs, tokens).alt
        assert "they add up to 6.0000" in alt

    def test_refuses_weights_that_do_not_fit(self, inputs, tokens):
        with pytest.raises(ValueError, match=r"weights needs the shape \(6,\).*its shape is \(5,\)"):
            visuals.weights_and_context(torch.ones(5), inputs, tokens)


class TestScoresToContext:
    def test_shows_scores_weights_and_context(self, inputs, tokens, texts):
        shown = texts(scores_to_context(inputs, tokens).figure)
        for numbers in (SCORES, WEIGHTS, CONTEXT):
            assert [text for text in shown if text in numbers] == numbers

    def test_bars_are_as_long_as_the_weights(self, inputs, weights, tokens, lengths):
        bars = np.array(lengths(scores_to_context(inputs, tokens, query=3).figure, "weight", 6))
        np.testing.assert_allclose(bars / bars.sum(), weights[3].numpy(), rtol=1e-5)

    def test_alt_tells_the_whole_way(self, inputs, tokens):
        alt = scores_to_context(inputs, tokens, query=1).alt
        assert "query 'journey'" in alt
        assert "with 0.8434" in alt
        assert "with 0.1240" in alt
        assert "Context: (0.4419, 0.6515, 0.5683)." in alt


def test_no_words_leave_the_sheet_or_overlap(inputs, weights, tokens):
    """The layout of every figure with the lesson's data: each text inside, no two texts on one another."""
    long = ["antidisestablishmentarianism", "UNCONDITIONALLY", *tokens[2:]]
    pictures = (
        visuals.token_vectors(inputs, long),
        scores_to_context(inputs, long),
        visuals.query_scores(inputs, long),
        visuals.attention_map(weights, long),
        visuals.token_vectors(inputs, tokens),
        visuals.query_scores(inputs, tokens),
        visuals.sum_versus_softmax(inputs @ inputs[1], tokens),
        visuals.sum_versus_softmax([1.0, -1.0, 0.5, -0.499]),
        visuals.overflow(),
        visuals.weights_and_context(weights, inputs, tokens),
        scores_to_context(inputs, tokens),
        visuals.attention_map(weights, tokens),
        visuals.attention_map(torch.softmax(inputs @ inputs.T, dim=0), tokens),
        visuals.attention_map(weights.expand(2, 4, 6, 6), tokens),
    )
    for picture in pictures:
        assert_words_are_apart(picture.figure)
