"""`explore_map` on tensors of a learner's own: what is chosen is shown, said and refused."""

from __future__ import annotations

import base64
import io
import re

import numpy as np
import pytest
import torch
from PIL import Image

from visuals import attention_map, explore_map
from visuals.explorers.maps import entropy
from visuals.not_ready import NotReady


@pytest.fixture
def many():
    """Weights (batch, heads, queries, keys) of sizes that all differ."""
    scores = torch.randn(2, 3, 4, 5, generator=torch.Generator().manual_seed(0))
    return torch.softmax(scores, dim=-1)


@pytest.fixture
def explorer(many):
    return explore_map(many, list("abcde"), list("wxyz"))


def numbers(view):
    """The numbers of the large table, row by row."""
    rows = view.split("<table>")[1].split("<tr")[2:]
    return [[float(value) for value in re.findall(r">(-?\d\.\d\d)</td>", row)] for row in rows]


def test_starts_with_the_first_map_and_query(explorer, many):
    row = many[0, 0, 0]
    assert explorer.alt == (
        f"sequence 0, head 0, query 'w': largest {row.max():.4f} on '{'abcde'[int(row.argmax())]}'; its row "
        f"adds up to 1.00, entropy {torch.distributions.Categorical(probs=row).entropy():.2f} of at most 1.61"
    )


def test_sequence_head_and_query_choose_the_row(explorer, many):
    explorer.first.value, explorer.head.value, explorer.query.value = 1, 2, 3
    np.testing.assert_allclose(explorer.map, many[1, 2])
    assert explorer.status.value.count("sequence 1, head 2, query 'z'") == 1
    np.testing.assert_allclose(numbers(explorer.view.value), many[1, 2].numpy(), atol=0.0051)
    for value in many[1, 2, 3]:
        assert f'<span class="number">{value:.4f}</span>' in explorer.view.value
    assert "▸ z" in explorer.view.value


def test_each_control_changes_words_and_view(explorer):
    for control in (explorer.first, explorer.head, explorer.query):
        before = explorer.status.value, explorer.view.value
        control.value = 1
        assert explorer.status.value != before[0]
        assert explorer.view.value != before[1]


def test_one_axis_before_the_queries_is_named_as_the_learner_would_index_it(many):
    explorer = explore_map(many[0], list("abcde"), list("wxyz"))
    explorer.first.value = 2
    assert explorer.head is None
    assert explorer.first.description == "weights[…]"
    assert explorer.alt.startswith("weights[2], query 'w'")
    np.testing.assert_allclose(explorer.map, many[0, 2])


def test_a_single_map_needs_no_other_control(weights, tokens):
    explorer = explore_map(weights, tokens)
    assert (explorer.first, explorer.head) == (None, None)
    assert explorer.alt.startswith("query 'Your': largest")


def test_bars_have_one_scale_for_all_maps(many):
    explorer = explore_map(many, list("abcde"), list("wxyz"))
    width = 100 * float(many[0, 0, 0, 0] / many.max())
    assert f"left: 0%; width: {width:.2f}%" in explorer.view.value


def test_a_row_that_does_not_add_up_to_one_is_told(weights, tokens):
    explorer = explore_map(weights.T, tokens)
    assert explorer.alt.endswith(f"its row adds up to {weights.T[0].sum():.4f}, not to 1")


def test_scores_have_no_entropy(inputs, tokens):
    explorer = explore_map(inputs @ inputs.T - 0.7, tokens)
    assert "entropy" not in explorer.alt
    assert re.search(r"smallest -0\.\d{4} on 'one'", explorer.alt)


def test_masked_scores_are_counted(inputs, tokens):
    scores = (inputs @ inputs.T).masked_fill(torch.triu(torch.ones(6, 6), 1).bool(), -torch.inf)
    explorer = explore_map(scores, tokens)
    assert explorer.alt == "query 'Your': largest 0.9995 on 'Your'. Not finite: 5 -inf."
    assert explorer.view.value.count(">-inf</td>") == 15


def test_a_row_of_nan_is_told(weights, tokens):
    weights[0] = torch.nan
    assert explore_map(weights, tokens).alt == "query 'Your': nothing finite in its row"


@pytest.mark.parametrize(("row", "expected"), [([1.0, 0.0], 0.0), ([0.5, 0.5], np.log(2))])
def test_entropy_of_a_row(row, expected):
    assert entropy(np.array(row)) == pytest.approx(expected)


def test_a_large_map_is_an_image_with_one_pixel_for_each_weight():
    values = torch.zeros(20, 30)
    values[7, 11] = 1.0
    view = explore_map(
        values, [f"k{index}" for index in range(30)], [f"q{index}" for index in range(20)]
    ).view.value
    data = re.search(r"base64,([^\"]+)\"", view).group(1)
    pixels = np.array(Image.open(io.BytesIO(base64.b64decode(data))))
    assert pixels.shape == (20, 30, 3)
    assert [tuple(place) for place in np.argwhere(pixels.sum(axis=2) < 3 * 255)] == [(7, 11)]
    assert 'alt="Map of 20 queries (rows) by 30 keys (columns)' in view


def test_a_long_row_lists_its_largest_weights():
    weights = torch.arange(20.0).repeat(20, 1) / 190
    view = explore_map(weights, [f"k{index}" for index in range(20)]).view.value
    assert re.findall(r'<th scope="row">(k\d+)</th>', view) == [f"k{index}" for index in range(19, 9, -1)]
    assert "its 10 largest of 20" in view


def test_markup_in_a_token_stays_text(weights):
    view = explore_map(weights, ["<b>", *"abcde"]).view.value
    assert "<b>" not in view
    assert "&lt;b&gt;" in view


def test_a_picture_of_all_maps_is_drawn_of_what_is_chosen(explorer, many):
    assert explorer.picture.alt == attention_map(many, list("abcde"), list("wxyz")).alt


def test_of_more_maps_than_a_page_holds_the_chosen_one_remains():
    weights = torch.softmax(torch.randn(9, 4, 2, 2, generator=torch.Generator().manual_seed(1)), dim=-1)
    explorer = explore_map(weights, ["a", "b"])
    explorer.first.value = 8
    assert explorer.picture.alt == attention_map(weights[8, 0], ["a", "b"]).alt


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((6,), r"needs the axes \(queries, keys\).*its shape is \(6,\)"),
        ((6, 5), "6 tokens do not fit"),
        ((5, 6), "pass query_tokens"),
        ((0, 6), "is empty"),
    ],
)
def test_a_shape_that_cannot_be_shown_is_explained(shape, message, tokens):
    with pytest.raises(ValueError, match=message):
        explore_map(torch.zeros(shape), tokens)


def test_waits_for_an_unfinished_task(tokens):
    assert isinstance(explore_map(..., tokens), NotReady)
