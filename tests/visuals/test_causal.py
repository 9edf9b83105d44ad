"""The figures and the explorer of causal attention: what they show, say, refuse and wait for."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.visuals.sheet import assert_words_are_apart
from visuals import causal_pattern, cut_and_stretch, explore_causal_mask, leak_map, masking_steps
from visuals.lessons.causal.masking import rows_of

NAMES = ["a", "b", "c"]
FUTURE = torch.triu(torch.ones(6, 6), diagonal=1).bool()


@pytest.fixture
def scores(inputs):
    """The scores of lesson 03, made with the weights of seed 123."""
    torch.manual_seed(123)
    to_query, to_key = (torch.nn.Linear(3, 2, bias=False).requires_grad_(False) for _ in range(2))
    return to_query(inputs) @ to_key(inputs).T


@pytest.fixture
def causal_weights(scores):
    return torch.softmax(scores.masked_fill(FUTURE, -torch.inf) / 2**0.5, dim=-1)


def named(figure, start):
    """The names of the patches of a figure that begin with a word."""
    names = [patch.get_gid() or "" for patch in figure.axes[0].patches]
    return {name.removeprefix(start).strip() for name in names if name.startswith(f"{start} ")}


def places(mask):
    return {f"{row} {column}" for row, column in torch.as_tensor(mask).nonzero().tolist()}


class TestMasks:
    def test_the_pattern_opens_the_diagonal_and_the_past(self, tokens, texts):
        figure = causal_pattern(tokens).figure
        assert named(figure, "open") == places(~FUTURE)
        assert named(figure, "hidden") == places(FUTURE)
        assert texts(figure).count("✓") == 21

    def test_the_pattern_says_what_it_shows(self, tokens):
        alt = causal_pattern(tokens).alt
        assert alt.startswith("Who may look at whom. 6 queries (rows) by 6 keys (columns), 15 hidden.")
        assert alt.endswith("Each query looks at itself and at the tokens before it, at nothing later.")

    def test_leaks_are_marked_where_they_are(self, texts):
        leaks = torch.tensor([[0, 1, 0], [0, 0, 0], [0, 0, 0]]).bool()
        picture = leak_map(leaks, NAMES)
        assert named(picture.figure, "leak") == {"0 1"}
        assert named(picture.figure, "tight") == {"0 2", "1 2"}
        assert texts(picture.figure).count("leak") == 1
        assert picture.alt == "Leaks: 1 of 3 future places. Output 'a' sees 'b'."

    def test_no_leak_is_said_as_well(self):
        assert leak_map(torch.zeros(3, 3).bool(), NAMES).alt == (
            "Leaks: 0 of 3 future places. No output changes with a later token."
        )

    def test_the_past_in_a_leak_matrix_is_shown_but_not_counted(self):
        picture = leak_map(torch.tensor([[0, 0], [1, 0]]).bool(), ["a", "b"])
        assert picture.alt == "Leaks: 0 of 1 future places. Output 'b' sees 'a'."
        assert named(picture.figure, "leak") == {"1 0"}

    @pytest.mark.parametrize(
        ("draw", "message"),
        [
            (lambda: leak_map(torch.zeros(3, 2), ["a", "b"]), r"2 tokens do not fit: leaks has size 3"),
            (lambda: leak_map(torch.full((2, 2), -torch.inf), ["a", "b"]), r"leaks holds -inf"),
            (lambda: causal_pattern([]), r"tokens is empty"),
        ],
    )
    def test_what_is_no_mask_is_explained(self, draw, message):
        with pytest.raises(ValueError, match=message):
            draw()


class TestMaskingSteps:
    def test_the_steps_are_those_of_the_lesson(self, scores, causal_weights):
        weights, masked, divided = rows_of(scores.double().numpy(), 2)
        expected = torch.softmax(scores / 2**0.5, dim=-1)
        np.testing.assert_allclose(weights, expected, rtol=1e-5)
        np.testing.assert_allclose(masked, torch.tril(expected), rtol=1e-5)
        np.testing.assert_allclose(divided, causal_weights, rtol=1e-5)

    def test_the_row_sums_of_each_step_are_written(self, scores, tokens):
        figure = masking_steps(scores, tokens, 2).figure
        shown = {text.get_gid(): text for text in figure.axes[0].texts}
        assert [shown[f"masked sum {row}"].get_text() for row in range(6)] == [
            *("= 0.17", "= 0.34", "= 0.51", "= 0.67", "= 0.84", "= 1.00")
        ]
        for step in ("weights", "divided"):
            assert {shown[f"{step} sum {row}"].get_text() for row in range(6)} == {"= 1.00"}
        assert shown["masked sum 0"].get_weight() == "bold"
        assert shown["masked sum 5"].get_weight() == "normal"

    def test_the_future_is_hatched_in_the_last_two_steps_only(self, scores, tokens):
        hidden = named(masking_steps(scores, tokens, 2).figure, "hidden")
        assert hidden == {f"{step} {place}" for step in ("masked", "divided") for place in places(FUTURE)}

    def test_cells_carry_their_numbers(self, scores, tokens, texts):
        shown = texts(masking_steps(scores, tokens, 2).figure)
        assert {"0.31", "0.48", "0.52", "1.00"} <= set(shown)

    def test_d_k_divides_the_scores(self, scores, tokens):
        assert "journey (0.4833, 0.5167)" in masking_steps(scores, tokens, 2).alt
        plain = torch.softmax(scores[1, :2], dim=0).tolist()
        assert f"journey ({plain[0]:.4f}, {plain[1]:.4f})" in masking_steps(scores, tokens, 1).alt

    def test_alt_tells_what_each_step_does_to_the_rows(self, scores, tokens):
        alt = masking_steps(scores, tokens, 2).alt
        assert "the rows add up to Your 0.1717, journey 0.3385" in alt
        assert alt.endswith("step (0.1624, 0.1709, 0.1706, 0.1654, 0.1625, 0.1682).")

    @pytest.mark.parametrize(
        ("scores", "names", "d_k", "message"),
        [
            (torch.zeros(2, 3), ["a", "b"], 1, r"must be square.*\(2, 3\)"),
            (torch.zeros(9, 9), list("abcdefghi"), 1, r"9 tokens; at most 8"),
            (torch.zeros(2, 2), ["a", "b"], 0, r"d_k must be positive, not 0"),
        ],
    )
    def test_what_cannot_be_drawn_is_explained(self, scores, names, d_k, message):
        with pytest.raises(ValueError, match=message):
            masking_steps(scores, names, d_k)


class TestCutAndStretch:
    def test_bars_are_as_long_as_their_shares(self, scores, tokens, lengths, causal_weights):
        figure = cut_and_stretch(scores / 2**0.5, tokens, query=2).figure
        plain = torch.softmax(scores[2] / 2**0.5, dim=0).numpy()
        everything = np.array(lengths(figure, "all", 6))
        np.testing.assert_allclose(everything / everything.sum(), plain, rtol=1e-5)
        np.testing.assert_allclose(lengths(figure, "cut", 3), everything[:3], rtol=1e-6)
        for name in ("stretched", "alone"):
            bar = np.array(lengths(figure, name, 3)) / everything.sum()
            np.testing.assert_allclose(bar, causal_weights[2, :3], rtol=1e-5)

    def test_only_the_future_is_hatched(self, scores, tokens):
        figure = cut_and_stretch(scores, tokens, query=3).figure
        hatched = {patch.get_gid() for patch in figure.axes[0].patches if patch.get_hatch()}
        assert hatched == {"all 4", "all 5"}

    def test_says_that_the_last_two_bars_are_the_same(self, scores, tokens, texts):
        picture = cut_and_stretch(scores / 2**0.5, tokens)
        assert "✓ bars 3 and 4 are the same" in texts(picture.figure)
        assert "With the future cut off, 0.5132 is left." in picture.alt
        assert picture.alt.endswith(
            "Softmax over the first 3 alone: Your 0.3190, journey 0.3408, starts 0.3402, the same."
        )

    def test_says_so_where_rounding_drives_them_apart(self, texts):
        picture = cut_and_stretch([[-1000.0, 0.0], [0.0, 0.0]], ["a", "b"], query=0)
        assert "✗ bars 3 and 4 differ" in texts(picture.figure)
        assert "the same" not in picture.alt

    def test_refuses_what_is_no_query_or_no_square(self, scores, tokens):
        with pytest.raises(ValueError, match="query 6 is no token"):
            cut_and_stretch(scores, tokens, query=6)
        with pytest.raises(ValueError, match="must be square"):
            cut_and_stretch(scores[:5], tokens[:5])


class TestExplorer:
    def test_refuses_what_is_not_square(self):
        with pytest.raises(ValueError, match=r"must be square.*\(2, 3\)"):
            explore_causal_mask(torch.zeros(2, 3), ["a", "b"])


def test_words_are_apart_and_inside(scores, tokens):
    long = ["antidisestablishmentarianism", "UNCONDITIONALLY", *tokens[2:]]
    for names in (tokens, long):
        assert_words_are_apart(causal_pattern(names).figure)
        assert_words_are_apart(leak_map(FUTURE, names).figure)
        assert_words_are_apart(masking_steps(scores, names, 2).figure)
        assert_words_are_apart(cut_and_stretch(scores, names).figure)
    assert_words_are_apart(causal_pattern([f"t{index}" for index in range(30)]).figure)
    assert_words_are_apart(masking_steps(torch.zeros(8, 8), list("abcdefgh")).figure)
