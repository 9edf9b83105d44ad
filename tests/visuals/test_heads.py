"""Many heads: the figures carry their numbers and say them in words; the explorer follows its controls."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import visuals
from tests.visuals.sheet import assert_words_are_apart
from visuals.lessons.multi_head.heads import matrix_slices
from visuals.not_ready import NotReady

SHARES = [0.0, 0.5, 1.0]
BEFORE = [0.0, 0.4, 1.1]
FIRST = [1.2, 0.5, 0.0]
SUM = [0.6, 0.45, 0.55]


NAMES = ["head 0", "head 1", "head 2"]


@pytest.fixture
def attended():
    """Itself, the token before, the first: (3, 6, 6)."""
    return torch.stack((torch.eye(6), torch.eye(6)[[0, 0, 1, 2, 3, 4]], torch.eye(6)[[0] * 6]))


def numbers_of(figure, gid, count):
    """The numbers in the cells of one row: each stands in the middle of its rectangle."""
    axes = figure.axes[0]
    actual = {patch.get_gid(): patch for patch in axes.patches}
    texts = [(text.get_position(), text.get_text()) for text in axes.texts]
    row = []
    for index in range(count):
        patch = actual[f"{gid} {index}"]
        centre = (patch.get_x() + patch.get_width() / 2, patch.get_y() + patch.get_height() / 2)
        row += [text for position, text in texts if position == pytest.approx(centre)]
    return row


class TestHeadTradeOff:
    def draw(self, **changed):
        arguments = {"shares": SHARES, "before": BEFORE, "first": FIRST, "both": SUM, "two_heads": 0.0}
        return visuals.head_trade_off(**{**arguments, **changed})

    def test_draws_each_error_over_the_shares(self):
        lines = {line.get_gid(): line for line in self.draw().figure.axes[0].lines}
        for name, values in (("before", BEFORE), ("first", FIRST), ("both", SUM)):
            np.testing.assert_allclose(lines[name].get_xdata(), SHARES)
            np.testing.assert_allclose(lines[name].get_ydata(), values)

    def test_two_heads_have_a_column_of_their_own_on_the_same_scale(self):
        item, two = self.draw(two_heads=0.25).figure.axes
        (line,) = two.lines
        assert list(line.get_ydata()) == [0.25, 0.25]
        assert item.get_ylim() == two.get_ylim()
        assert list(two.get_xticks()) == []

    def test_names_every_line_beside_it(self, texts):
        shown = texts(self.draw(two_heads=0.25).figure)
        assert {"token before", "first token", "both", "two heads: both", "0.25"} <= set(shown)

    def test_labels_of_lines_that_end_together_are_kept_apart(self):
        axes = self.draw(both=[0.6, 0.4, 0.01]).figure.axes[0]
        heights = sorted(text.xy[1] for text in axes.texts)
        assert min(np.diff(heights)) > 0.05

    def test_alt_says_where_one_head_is_best_and_what_two_leave(self):
        alt = self.draw().alt
        assert "For the token before it goes from 0.00 to 1.10, for the first token from 1.20 to 0.00." in alt
        assert "never below 0.45 (at share 0.50). Two heads leave 0.00." in alt

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"both": [1.0, 2.0]}, "both has 2 errors for 3 shares"),
            ({"first": [1.0, float("nan"), 0.0]}, "must be finite"),
            ({"two_heads": float("inf")}, "must be finite"),
            ({"shares": [[0.0, 1.0]]}, r"shares needs 1 axis"),
        ],
    )
    def test_what_cannot_be_drawn_is_explained(self, changed, message):
        with pytest.raises(ValueError, match=message):
            self.draw(**changed)

    def test_takes_a_list_of_tensors(self):
        assert self.draw(before=[torch.tensor(value) for value in BEFORE]).alt == self.draw().alt

    @pytest.mark.parametrize("name", ["before", "first", "both", "two_heads"])
    def test_waits_while_an_error_is_missing(self, name):
        assert isinstance(self.draw(**{name: [None, None, None] if name != "two_heads" else None}), NotReady)


class TestSplitProjection:
    @pytest.fixture
    def weight(self):
        """As nn.Linear keeps it: (d_out, d_in)."""
        return torch.randn(6, 3, generator=torch.Generator().manual_seed(8))

    def test_each_head_has_its_own_columns_of_the_matrix(self, inputs, weight, tokens):
        figure = visuals.split_projection(inputs, weight, 2, tokens).figure
        for head in range(2):
            for row in range(3):
                wanted = [f"{value:.2f}" for value in weight[3 * head : 3 * head + 3, row].tolist()]
                assert numbers_of(figure, f"matrix {head} {row}", 3) == wanted

    def test_the_heads_hold_what_the_wide_product_gives(self, inputs, weight, tokens):
        figure = visuals.split_projection(inputs, weight, 3, tokens).figure
        projected = inputs @ weight.T
        for head in range(3):
            for token in range(6):
                wanted = [f"{value:.2f}" for value in projected[token, 2 * head : 2 * head + 2].tolist()]
                wanted = ["0.00" if value == "-0.00" else value for value in wanted]
                assert numbers_of(figure, f"projected {head} {token}", 2) == wanted
                assert numbers_of(figure, f"head {head} {token}", 2) == wanted

    def test_every_head_has_all_tokens(self, inputs, weight, tokens, texts):
        shown = texts(visuals.split_projection(inputs, weight, 2, tokens).figure)
        assert [shown.count(token) for token in tokens] == [3] * 6  # the tokens, and one table for each head

    def test_alt_says_which_columns_belong_to_which_head(self, inputs, weight, tokens):
        picture = visuals.split_projection(inputs, weight, 2, tokens)
        first = ", ".join(f"{value:.2f}" for value in (inputs @ weight.T)[0, 3:].tolist())
        assert "6 tokens of 3 numbers times one wide matrix, 3 by 6, give 6 numbers a token" in picture.alt
        assert f"Head 1 has columns 3 to 5; its first token ({first})." in picture.alt

    @pytest.mark.parametrize(
        ("shape", "heads", "message"),
        [
            ((6, 4), 2, r"inputs has d_in 3, and weight \(6, 4\) takes 4"),
            ((6, 3), 4, "4 heads cannot share d_out 6"),
            ((6, 3), 0, "num_heads must lie from 1 to 8, not 0"),
            ((18, 3), 9, "num_heads must lie from 1 to 8, not 9"),
            ((6,), 2, r"weight needs 2 axes \(d_out, d_in\)"),
        ],
    )
    def test_sizes_that_do_not_fit_are_explained(self, shape, heads, message, inputs, tokens):
        with pytest.raises(ValueError, match=message):
            visuals.split_projection(inputs, torch.zeros(shape), heads, tokens)


class TestExploreHeads:
    @pytest.mark.parametrize(
        ("shape", "message"),
        [
            ((6, 6), r"weights needs 3 axes \(heads, tokens, tokens\)"),
            ((2, 5, 6), "weights needs one row per key"),
            ((9, 6, 6), "9 heads; at most 8"),
            ((2, 5, 5), "6 tokens do not fit"),
        ],
    )
    def test_shapes_that_do_not_fit_are_explained(self, shape, message, tokens):
        with pytest.raises(ValueError, match=message):
            visuals.explore_heads(torch.zeros(shape), tokens)


def test_no_words_leave_the_sheet_or_overlap(inputs, tokens):
    long = ["antidisestablishmentarianism", "UNCONDITIONALLY", *tokens[2:]]
    weight = torch.randn(4, 3, generator=torch.Generator().manual_seed(9))
    pictures = (
        visuals.head_trade_off(SHARES, BEFORE, FIRST, SUM, 0.0),
        visuals.head_trade_off(SHARES, BEFORE, FIRST, [0.6, 0.5, 0.02], 0.01),
        visuals.split_projection(inputs, weight, 2, tokens),
        visuals.split_projection(inputs, weight, 2, long),
        visuals.split_projection(inputs, weight, 4, tokens),
        visuals.split_projection(inputs, weight, 1, tokens),
    )
    for picture in pictures:
        assert_words_are_apart(picture.figure)


@pytest.fixture
def narrow():
    """Three heads' matrices of 2 by 4, as nn.Linear keeps them."""
    return torch.randn(3, 2, 4, generator=torch.Generator().manual_seed(10))


class TestMatrixSlices:
    def test_the_wide_matrix_holds_the_heads_below_one_another(self, narrow):
        figure = matrix_slices(narrow).figure
        tops = {patch.get_gid(): patch.get_y() for patch in figure.axes[0].patches if patch.get_gid()}
        heights = [tops[f"wide {head} {row} 0"] for head in range(3) for row in range(2)]
        assert heights == sorted(heights)
        for head in range(3):
            for row in range(2):
                wanted = [f"{value:.2f}" for value in narrow[head, row].tolist()]
                assert numbers_of(figure, f"wide {head} {row}", 4) == wanted
                assert numbers_of(figure, f"narrow {head} {row}", 4) == wanted

    def test_says_which_rows_are_whose(self, narrow, texts):
        picture = matrix_slices(narrow, "W_key")
        shown = texts(picture.figure)
        assert {"head 0: rows 0 to 1", "head 2: rows 4 to 5", "W_key.weight (6, 4)"} <= set(shown)
        assert "heads.1.W_key.weight (2, 4)" in shown
        assert "heads.2.W_key.weight is rows 4 to 5" in picture.alt

    def test_nine_heads_are_too_many(self):
        with pytest.raises(ValueError, match="9 heads; at most 8"):
            matrix_slices(torch.zeros(9, 2, 3))

    @pytest.mark.parametrize("shape", [(2, 2, 3), (3, 4, 5), (8, 1, 2), (1, 3, 3)])
    def test_no_words_leave_the_sheet_or_overlap(self, shape):
        generator = torch.Generator().manual_seed(11)
        assert_words_are_apart(matrix_slices(torch.randn(shape, generator=generator)).figure)


class TestExploreSlices:
    def test_the_picture_shows_all_heads(self, narrow):
        assert visuals.explore_slices(narrow).picture.to_html() == matrix_slices(narrow).to_html()

    @pytest.mark.parametrize(("shape", "message"), [((2, 3), "narrow needs 3 axes"), ((9, 2, 3), "9 heads")])
    def test_shapes_that_do_not_fit_are_explained(self, shape, message):
        with pytest.raises(ValueError, match=message):
            visuals.explore_slices(torch.zeros(shape))
