"""The explorer of one query: its model, what its controls change, and what remains without a kernel."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

from visuals import explore_query, scores_to_context
from visuals.flow import follow_query
from visuals.lessons.dot_product.explore_query import sentence, table


@pytest.fixture
def explorer(inputs, tokens):
    return explore_query(inputs, tokens)


def test_the_model_computes_scores_weights_and_context(inputs):
    flow = follow_query(inputs.double().numpy(), query=1)
    scores = inputs @ inputs[1]
    weights = torch.softmax(scores, dim=0)
    np.testing.assert_allclose(flow.scores, scores, rtol=1e-6)
    np.testing.assert_allclose(flow.weights, weights, rtol=1e-6)
    np.testing.assert_allclose(flow.context, weights @ inputs, rtol=1e-6)


@pytest.mark.parametrize("sharpness", [0.5, 3.0, 20.0])
def test_sharpness_scales_the_scores_before_softmax(inputs, sharpness):
    flow = follow_query(inputs.double().numpy(), 1, sharpness)
    np.testing.assert_allclose(
        flow.weights, torch.softmax(sharpness * (inputs @ inputs[1]), dim=0), rtol=1e-5
    )
    np.testing.assert_allclose(flow.scores, inputs @ inputs[1], rtol=1e-6)


def test_no_sharpness_gives_equal_weights(inputs):
    np.testing.assert_allclose(follow_query(inputs.numpy(), 1, 0.0).weights, np.full(6, 1 / 6))


def test_large_scores_do_not_overflow():
    np.testing.assert_allclose(follow_query(np.array([[100.0], [1.0]]), 0).weights, [1.0, 0.0], atol=1e-12)


def test_starts_with_the_lessons_example(explorer):
    assert explorer.alt == (
        "query 'journey', sharpness 1: largest weight 0.2379 on 'journey'; context (0.4419, 0.6515, 0.5683)"
    )


def test_a_new_query_changes_words_and_picture(explorer):
    explorer.query.value = 4
    assert "query 'one', sharpness 1: largest weight 0.1975 on 'starts'" in explorer.status.value
    assert "one (query)" in explorer.view.value
    assert "0.6654" in explorer.view.value


def test_a_new_sharpness_changes_words_and_picture(explorer):
    explorer.sharpness.value = 20.0
    assert "sharpness 20: largest weight 0.5967 on 'journey'" in explorer.status.value
    assert "0.5967" in explorer.view.value


def test_the_context_builds_up_token_by_token(explorer, inputs):
    explorer.query.value = 1
    weights = torch.softmax(inputs @ inputs[1], dim=0)
    told = [
        "({:.2f}, {:.2f}, {:.2f})".format(*(weights[: count + 1] @ inputs[: count + 1]).tolist())
        for count in range(6)
    ]
    assert re.findall(r'<td class="number"[^>]*>(\([^<]*\))</td>', explorer.view.value) == told
    np.testing.assert_allclose(explorer.flow.so_far[-1], explorer.flow.context)


def test_vectors_too_long_to_stand_beside_the_bars_are_left_out(tokens):
    shown = explore_query(torch.rand(6, 5), tokens).view.value
    assert "so far" not in shown
    assert shown.count('scope="col"') == 3


def test_bars_are_as_long_as_their_values(inputs, tokens):
    flow = follow_query(inputs.double().numpy(), 1)
    shown = table(flow, tokens)
    assert f"width: {100 * flow.weights[1]:.2f}%" in shown
    assert f"width: {100 * flow.scores[0] / flow.scores[1]:.2f}%" in shown


def test_negative_scores_start_left_of_zero(tokens):
    flow = follow_query(np.array([[1.0], [-1.0]]), 0)
    shown = table(flow, ["a", "b"])
    assert "left: 50.00%; width: 50.00%; background: var(--score)" in shown
    assert "left: 0.00%; width: 50.00%; background: repeating-linear-gradient" in shown


def test_the_table_names_its_rows_columns_and_query(inputs, tokens):
    shown = table(follow_query(inputs.numpy(), 1), tokens)
    assert shown.count('scope="row"') == 6
    assert shown.count('scope="col"') == 4
    assert "<caption>Scores and weights of the query “journey”</caption>" in shown


def test_the_same_word_twice_can_be_told_apart():
    explorer = explore_query(np.eye(3), ["the", "cat", "the"])
    assert [label for label, _ in explorer.query.options] == ["the (token 0)", "cat", "the (token 2)"]


def test_one_token_is_enough():
    assert "largest weight 1.0000 on 'alone'" in explore_query([[2.0]], ["alone"]).alt


def test_nan_is_named():
    assert "no finite weight; context (nan)" in sentence(follow_query(np.array([[np.nan]]), 0), ["a"])


def test_a_picture_is_drawn_of_what_is_chosen(explorer, inputs, tokens):
    explorer.query.value = 3
    assert explorer.picture.to_html() == scores_to_context(inputs, tokens, query=3).to_html()
