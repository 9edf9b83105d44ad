"""The figures and the explorer of lesson 02: projections, the spread of scores, saturation."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.visuals.sheet import assert_words_are_apart
from visuals import explore_scale, query_key_value, saturation, score_spreads
from visuals.lessons.trainable.scaling import share_out

WIDTHS = [2, 8, 32]


@pytest.fixture
def matrices():
    torch.manual_seed(123)
    return [torch.rand(3, 2) for _ in range(3)]


@pytest.fixture
def queries():
    return torch.randn(40, 32, generator=torch.Generator().manual_seed(1))


@pytest.fixture
def keys():
    return torch.randn(6, 32, generator=torch.Generator().manual_seed(2))


def heights(figure, divisor, d_k, count):
    actual = {patch.get_gid(): patch for patch in figure.axes[0].patches}
    return np.array([abs(actual[f"{divisor} {d_k} {index}"].get_height()) for index in range(count)])


class TestQueryKeyValue:
    def test_shows_each_projection_beside_its_name(self, inputs, matrices, texts):
        shown = texts(query_key_value(inputs[1], *matrices).figure)
        assert {"0.4306", "1.4551", "0.4433", "1.1419", "0.3951", "1.0037"} <= set(shown)
        assert {"W_query", "W_key", "W_value", "query", "key", "value"} <= set(shown)
        assert [text for text in shown if text in ("0.55", "0.87", "0.66")] == ["0.55", "0.87", "0.66"] * 3

    def test_shows_the_matrices_row_by_row(self, inputs, matrices, texts):
        shown = texts(query_key_value(inputs[1], *matrices).figure)
        rows = [f"{value:.4f}" for value in matrices[1].flatten().tolist()]
        assert [text for text in shown if text in rows] == rows

    def test_alt_names_roles_and_numbers(self, inputs, matrices):
        alt = query_key_value(inputs[1], *matrices).alt
        assert "The vector of 'journey', (0.55, 0.87, 0.66)" in alt
        assert "its key (what it is found by) is (0.4433, 1.1419)" in alt
        assert alt.index("0.4306") < alt.index("0.4433") < alt.index("0.3951")

    def test_the_columns_may_differ(self, inputs, matrices):
        alt = query_key_value(inputs[0], matrices[0], matrices[1], torch.eye(3)[:, :1], token="Your").alt
        assert "its value (what it passes on) is (0.4300)" in alt

    def test_nan_is_named(self, inputs, matrices):
        assert "Not finite: 2 nan." in query_key_value(inputs[1], matrices[0] * torch.nan, *matrices[1:]).alt

    def test_a_matrix_that_does_not_fit_is_explained(self, inputs, matrices):
        with pytest.raises(ValueError, match=r"W_key needs 3 rows.*its shape is \(2, 3\)"):
            query_key_value(inputs[1], matrices[0], matrices[1].T, matrices[2])

    def test_a_whole_sentence_is_too_much(self, inputs, matrices):
        with pytest.raises(ValueError, match=r"x needs 1 axis \(d_in,\); its shape is \(6, 3\)"):
            query_key_value(inputs, *matrices)


class TestShareOut:
    def test_equal_scores_have_the_largest_entropy_and_slope(self):
        actual = share_out(np.zeros((2, 4)))
        assert (actual.spread, actual.largest) == (0.0, 0.25)
        assert actual.entropy == pytest.approx(np.log(4))
        assert actual.slope == pytest.approx(0.25 * 0.75)

    def test_a_saturated_softmax_has_neither(self):
        actual = share_out(np.array([[0.0, 2000.0, -500.0]]))
        assert (actual.largest, actual.entropy, actual.slope) == (1.0, 0.0, 0.0)

    def test_weights_are_those_of_torch(self, queries, keys):
        scores = queries @ keys.T
        np.testing.assert_allclose(share_out(scores.numpy()).weights, torch.softmax(scores, -1), atol=1e-6)

    def test_entropy_is_averaged_over_queries(self):
        actual = share_out(np.array([[0.0, 0.0], [0.0, 900.0]]))
        assert actual.entropy == pytest.approx(np.log(2) / 2)


class TestSaturation:
    @pytest.mark.parametrize(("divisor", "scale"), [("nothing", 0.0), ("√d_k", 0.5), ("d_k", 1.0)])
    @pytest.mark.parametrize("d_k", WIDTHS)
    def test_bars_are_the_mean_of_the_ranked_weights(self, divisor, scale, d_k, queries, keys):
        figure = saturation(queries, keys, WIDTHS, ["nothing", "√d_k", "d_k"]).figure
        scores = queries[:, :d_k] @ keys[:, :d_k].T / d_k**scale
        ranked = torch.softmax(scores, dim=-1).sort(dim=-1, descending=True).values.mean(dim=0)
        bars = heights(figure, divisor, d_k, 6)
        np.testing.assert_allclose(bars / bars.sum(), ranked, rtol=1e-4)

    def test_a_full_weight_reaches_the_line_on_top(self):
        figure = saturation([[1.0]], [[1.0]], [1], ["nothing"]).figure
        floor, top = (line.get_ydata()[0] for line in figure.axes[0].lines)
        assert heights(figure, "nothing", 1, 1)[0] == pytest.approx(floor - top)

    def test_writes_entropy_and_largest_weight(self, queries, keys, texts):
        shown = texts(saturation(queries, keys, [32]).figure)
        for scores in (queries @ keys.T, queries @ keys.T / 32**0.5):
            actual = share_out(scores.double().numpy())
            assert {f"{actual.largest:.2f}", f"entropy {actual.entropy:.2f}"} <= set(shown)

    def test_alt_tells_every_row_and_width(self, queries, keys):
        alt = saturation(queries, keys, [2, 32]).alt
        plain, scaled = (share_out((queries @ keys.T / divisor).double().numpy()) for divisor in (1, 32**0.5))
        assert alt.startswith("Bars of the softmax weights of a query on 6 keys")
        assert f"d_k 32 largest weight {plain.largest:.2f} and entropy {plain.entropy:.2f}. Scores ÷" in alt
        assert alt.endswith(f"d_k 32 largest weight {scaled.largest:.2f} and entropy {scaled.entropy:.2f}.")

    @pytest.mark.parametrize("widths", [[], [0], [2, 33]])
    def test_widths_that_do_not_fit_are_explained(self, widths, queries, keys):
        with pytest.raises(ValueError, match="widths must lie from 1 to 32"):
            saturation(queries, keys, widths)

    def test_an_unknown_divisor_is_explained(self, queries, keys):
        with pytest.raises(ValueError, match=r"divisors must be some of nothing, √d_k, d_k, not \['d_in'\]"):
            saturation(queries, keys, [2], ["d_in"])

    def test_queries_and_keys_of_different_widths_are_explained(self, queries, keys):
        with pytest.raises(ValueError, match=r"the same d_k; their shapes are \(40, 32\) and \(6, 31\)"):
            saturation(queries, keys[:, 1:], [2])

    def test_nan_is_refused(self, queries, keys):
        with pytest.raises(ValueError, match="must be finite"):
            saturation(queries * torch.nan, keys, [2])


class TestScoreSpreads:
    def test_draws_each_measurement_at_its_width(self):
        figure = score_spreads(WIDTHS, [1.5, 2.5, 5.5], torch.tensor([1.1, 0.9, 1.05])).figure
        drawn = {line.get_gid(): line.get_data() for line in figure.axes[0].lines}
        np.testing.assert_allclose(drawn["plain"], [WIDTHS, [1.5, 2.5, 5.5]])
        np.testing.assert_allclose(drawn["scaled"], [WIDTHS, [1.1, 0.9, 1.05]], rtol=1e-6)

    def test_the_dashed_line_is_the_root(self):
        figure = score_spreads(WIDTHS, [1.0] * 3, [1.0] * 3).figure
        x, y = next(line for line in figure.axes[0].lines if line.get_gid() == "root").get_data()
        np.testing.assert_allclose(y, np.sqrt(x))

    def test_alt_gives_every_measurement(self):
        alt = score_spreads(WIDTHS, [1.5, 2.5, 5.5], [1.1, 0.9, 1.05]).alt
        assert "d_k 2: 1.50 as they are, 1.10 divided; d_k 8: 2.50 as they are, 0.90 divided;" in alt

    def test_a_list_of_tensors_is_taken(self):
        picture = score_spreads([2, 8], [torch.tensor(1.0), torch.tensor(2.0)], [torch.tensor(1.0)] * 2)
        assert "d_k 8: 2.00 as they are, 1.00 divided" in picture.alt

    def test_measurements_far_off_are_still_in_the_picture(self):
        axes = score_spreads(WIDTHS, [40.0, 900.0, 1000.0], [0.01, 0.1, 1.0]).figure.axes[0]
        low, high = axes.get_ylim()
        assert low <= 0.01
        assert high >= 1000

    @pytest.mark.parametrize(
        ("plain", "message"),
        [
            ([1.0, 2.0], "plain needs 3 numbers"),
            ([1.0, -2.0, 3.0], "plain must hold positive, finite numbers"),
            ([1.0, float("nan"), 3.0], "plain must hold positive, finite numbers"),
        ],
    )
    def test_what_is_no_measurement_is_explained(self, plain, message):
        with pytest.raises(ValueError, match=message):
            score_spreads(WIDTHS, plain, [1.0] * 3)


class TestScaleExplorer:
    def test_tokens_must_fit_the_keys(self, queries, keys):
        with pytest.raises(ValueError, match=r"2 tokens do not fit: keys has size 6"):
            explore_scale(queries, keys, ["a", "b"])


def test_no_words_leave_the_sheet_or_overlap(inputs, matrices):
    generator = torch.Generator().manual_seed(4)
    queries, keys = torch.randn(50, 512, generator=generator), torch.randn(6, 512, generator=generator)
    everything = ["nothing", "√d_k", "d_k"]
    pictures = (
        query_key_value(inputs[1], *matrices),
        query_key_value(inputs[1], *matrices, token="antidisestablishmentarianism"),
        saturation(queries, keys),
        saturation(queries, keys, divisors=everything),
        score_spreads([2, 8, 32, 128, 512], [1.4, 2.9, 5.6, 11.3, 22.6], [1.0] * 5),
    )
    for picture in pictures:
        assert_words_are_apart(picture.figure)
