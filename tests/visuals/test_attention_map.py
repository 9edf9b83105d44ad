"""`attention_map` as learners use it on tensors of their own."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from matplotlib.collections import QuadMesh

from tests.visuals.sheet import assert_words_are_apart
from visuals import attention_map
from visuals.not_ready import NotReady


def cells(figure, queries, keys):
    actual = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    return [[actual[f"weight {query} {key}"] for key in range(keys)] for query in range(queries)]


def sums(figure):
    return [text.get_text() for text in figure.axes[0].texts if (text.get_gid() or "").startswith("row sum")]


def mesh(axes):
    """The coloured cells of a map, if the axes hold one."""
    meshes = [item for item in axes.collections if isinstance(item, QuadMesh)]
    return meshes[0] if meshes and axes.get_label() != "colour bar" else None


def test_rows_are_queries_and_columns_are_keys(weights, tokens):
    axes = attention_map(weights, tokens).figure.axes[0]
    np.testing.assert_allclose(mesh(axes).get_array(), weights.numpy(), rtol=1e-6)
    assert [label.get_text() for label in axes.get_xticklabels()] == tokens
    assert [label.get_text() for label in axes.get_yticklabels()] == tokens


def test_each_cell_carries_its_weight(weights, tokens):
    shown = cells(attention_map(weights, tokens).figure, 6, 6)
    assert shown[1] == ["0.1385", "0.2379", "0.2333", "0.1240", "0.1082", "0.1581"]
    assert shown[4] == ["0.1526", "0.1958", "0.1975", "0.1367", "0.1879", "0.1295"]


def test_rows_that_add_up_to_one_are_noted_quietly(weights, tokens):
    assert sums(attention_map(weights, tokens).figure) == ["1.00"] * 6


def test_a_softmax_over_the_wrong_axis_is_marked(inputs, tokens):
    picture = attention_map(torch.softmax(inputs @ inputs.T, dim=0), tokens)
    assert sums(picture.figure)[:2] == ["0.9220 ≠ 1", "1.2970 ≠ 1"]
    assert "6 of 6 rows do not add up to 1: Your 0.9220, journey 1.2970" in picture.alt


def test_scores_get_no_row_sums(inputs, tokens):
    assert sums(attention_map(inputs @ inputs.T, tokens).figure) == []


@pytest.mark.parametrize("asked", [True, False])
def test_row_sums_can_be_asked_for_or_left_out(inputs, weights, tokens, asked):
    assert bool(sums(attention_map(weights, tokens, row_sums=asked).figure)) is asked
    assert bool(sums(attention_map(inputs @ inputs.T, tokens, row_sums=asked).figure)) is asked


def test_signed_values_get_a_scale_centred_at_zero(inputs, tokens):
    image = mesh(attention_map(inputs @ inputs.T - 0.7, tokens).figure.axes[0])
    assert image.norm.vmin == pytest.approx(-image.norm.vmax)
    assert image.cmap.name == "attention_diverging"


def test_weights_above_a_half_have_a_scale_from_0_to_1(tokens, texts):
    figure = attention_map(0.5 * torch.eye(6) + 0.1, tokens, row_sums=True).figure
    assert (mesh(figure.axes[0]).norm.vmin, mesh(figure.axes[0]).norm.vmax) == (0, 1)
    assert "darkest" not in " ".join(texts(figure))


def test_weights_that_would_be_pale_have_their_own_scale_and_it_is_stated(weights, tokens, texts):
    figure = attention_map(weights, tokens).figure
    assert mesh(figure.axes[0]).norm.vmax == pytest.approx(float(weights.max()))
    assert f"darkest: {float(weights.max()):.4f}" in texts(figure)


def test_queries_and_keys_may_differ(texts):
    picture = attention_map(
        torch.tensor([[0.5, 0.25, 0.25], [0.25, 0.0, 0.75]]), ["a", "b", "c"], ["x", "y"], "Cross-attention"
    )
    axes = picture.figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["x", "y"]
    assert "Cross-attention" in texts(picture.figure)
    assert picture.alt.startswith("Cross-attention. Map of 2 queries (rows) by 3 keys (columns).")
    assert "largest 0.7500 (query 'y', key 'c'), smallest 0.0000" in picture.alt


def test_a_batch_becomes_small_maps_named_by_index(weights, tokens, texts):
    picture = attention_map(torch.stack([weights, weights**2]), tokens)
    maps = [axes for axes in picture.figure.axes if mesh(axes)]
    np.testing.assert_allclose(mesh(maps[1]).get_array(), weights.numpy() ** 2, rtol=1e-6)
    assert len(maps) == 2
    assert {"weights[0]", "weights[1]"} <= set(texts(picture.figure))


def test_heads_become_small_maps_named_by_batch_and_head(texts):
    values = torch.rand(2, 3, 4, 5, generator=torch.Generator().manual_seed(0))
    picture = attention_map(values, list("abcde"), list("wxyz"))
    maps = [axes for axes in picture.figure.axes if mesh(axes)]
    names = [f"batch {batch}, head {head}" for batch in range(2) for head in range(3)]
    assert [text for text in texts(picture.figure) if text in names] == names
    np.testing.assert_allclose(mesh(maps[4]).get_array(), values[1, 1].numpy(), rtol=1e-6)
    assert all(name in picture.alt for name in names)


def test_small_maps_share_one_scale(weights, tokens):
    figure = attention_map(torch.stack([weights / 2, weights]), tokens).figure
    tops = [mesh(axes).norm.vmax for axes in figure.axes if mesh(axes)]
    assert tops == [pytest.approx(float(weights.max()))] * 2


def test_a_mask_is_hatched_and_written_out(inputs, tokens):
    scores = (inputs @ inputs.T).masked_fill(torch.triu(torch.ones(6, 6), 1).bool(), -torch.inf)
    picture = attention_map(scores, tokens)
    hatched = [patch.get_gid() for patch in picture.figure.axes[0].patches if patch.get_hatch()]
    assert len(hatched) == 15
    assert "not finite 0 1" in hatched
    assert cells(picture.figure, 6, 6)[0] == ["0.9995"] + ["-inf"] * 5
    assert "Not finite: 15 -inf." in picture.alt


def test_nan_is_marked(weights, tokens):
    weights[2, 3] = torch.nan
    picture = attention_map(weights, tokens)
    assert cells(picture.figure, 6, 6)[2][3] == "nan"
    assert "Not finite: 1 nan." in picture.alt


@pytest.mark.parametrize(("count", "numbered"), [(12, True), (13, False)])
def test_numbers_give_way_to_a_colour_bar_beyond_twelve_tokens(count, numbered):
    figure = attention_map(
        torch.full((count, count), 1 / count), [f"t{index}" for index in range(count)]
    ).figure
    numbers = [text for text in figure.axes[0].texts if (text.get_gid() or "").startswith("weight")]
    assert len(numbers) == (count * count if numbered else 0)
    assert ("colour bar" in [axes.get_label() for axes in figure.axes]) is not numbered


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((6,), r"needs the axes \(queries, keys\).*its shape is \(6,\)"),
        ((2, 2, 2, 6, 6), r"needs the axes .*its shape is \(2, 2, 2, 6, 6\)"),
        ((6, 5), r"6 tokens do not fit: weights has size 5 along its axis 'keys'"),
        ((5, 6), r"weights has 5 queries and 6 keys: pass query_tokens"),
        ((0, 6), r"weights is empty: its shape is \(0, 6\)"),
        ((40, 6, 6), r"weights holds 40 maps .*at most 32"),
    ],
)
def test_a_shape_that_cannot_be_drawn_is_explained(shape, message, tokens):
    with pytest.raises(ValueError, match=message):
        attention_map(torch.zeros(shape), tokens)


def test_query_tokens_that_do_not_fit_are_explained(tokens):
    with pytest.raises(ValueError, match=r"2 tokens do not fit: weights has size 5 along its axis 'queries'"):
        attention_map(torch.zeros(5, 6), tokens, ["x", "y"])


THREE = torch.tensor([[0.5, 0.46, 0.04], [0.25, 0.0, 0.75], [0.1, 0.8, 0.1]])


def test_an_expected_key_is_outlined_with_dashes_where_another_has_more(texts):
    picture = attention_map(THREE, list("abc"), expected=[1, 2, None])
    outlines = {patch.get_gid(): patch.get_linestyle() for patch in picture.figure.axes[0].patches}
    assert outlines["expected 1 2"] == "-"
    assert outlines["expected 0 1"] != "-"
    assert not any(str(name).startswith("expected 2") for name in outlines)
    assert {"expected key, largest weight of its row: 1", "expected key, another key has more: 1"} <= set(
        texts(picture.figure)
    )
    assert picture.alt.endswith(
        "The expected key has the largest weight in 1 of 2 rows; elsewhere in row 0 ('a')."
    )
    assert_words_are_apart(picture.figure)


def test_beside_outlined_cells_only_numbers_that_matter_are_written():
    actual = {
        text.get_gid() for text in attention_map(THREE, list("abc"), expected=[0, 2, 1]).figure.axes[0].texts
    }
    assert {"weight 0 1", "weight 2 2"} <= actual
    assert not {"weight 0 2", "weight 1 1"} & actual


def test_a_query_without_an_expected_key_is_no_unfinished_task():
    assert isinstance(attention_map(THREE, list("abc"), expected=[..., 2, 1]), NotReady)


@pytest.mark.parametrize(
    ("values", "expected", "message"),
    [
        (THREE, [1, 2], "it has 2 entries, weights has the shape \\(3, 3\\)"),
        (torch.stack([THREE] * 3), [1, 2, 0], "for each query of one map"),
        (THREE, [1, 2, 3], "query 3 is no token"),
    ],
)
def test_expected_keys_that_do_not_fit_are_explained(values, expected, message):
    with pytest.raises(ValueError, match=message):
        attention_map(values, list("abc"), expected=expected)


def test_maps_of_fourteen_letters_beside_each_other_name_each_of_them_upright():
    letters = list("abcdefghiklmno")
    maps = torch.full((2, 4, 14, 14), 1 / 14)
    figure = attention_map(maps, letters, names=[f"layer {at // 4}, head {at % 4}" for at in range(8)]).figure
    for labels in (figure.axes[0].get_xticklabels(), figure.axes[0].get_yticklabels()):
        assert [label.get_text() for label in labels] == letters
        assert {label.get_rotation() for label in labels} == {0.0}
    assert_words_are_apart(figure)
