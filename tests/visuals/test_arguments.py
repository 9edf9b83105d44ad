"""What the figures accept, refuse and wait for."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import torch

import visuals
from visuals.lessons.dot_product.scores import scores_to_context
from visuals.not_ready import NotReady

TWO = ["a", "b"]
MESSAGE = "Nothing to draw yet: finish the task above, then run this cell again."


def required(name):
    """The parameters that a public function of the package cannot do without."""
    parameters = inspect.signature(getattr(visuals, name)).parameters.values()
    return [one.name for one in parameters if one.default is one.empty]


# What is given something else than a tensor of the learner's own.
OTHERS = {
    *("block_table", "explore_model", "explore_reach", "explore_reading", "explore_schedule", "look_inside"),
    *("measured", "track_shapes", "training_curves", "word_arrows"),
}
FIGURES = [name for name in visuals.__all__ if name not in OTHERS and required(name)]


@pytest.mark.parametrize(
    "same",
    [
        lambda tensor: tensor.tolist(),
        lambda tensor: tensor.numpy(),
        lambda tensor: tensor.double(),
        lambda tensor: tensor.clone().requires_grad_(),
        lambda tensor: list(tensor),
        lambda tensor: [row.tolist() for row in tensor],
    ],
)
def test_the_same_numbers_in_any_container_give_the_same_picture(same, inputs, tokens):
    assert scores_to_context(same(inputs), tokens).svg == scores_to_context(inputs, tokens).svg


def test_bfloat16_is_drawn(weights, tokens):
    assert "journey" in visuals.attention_map(weights.bfloat16(), tokens).alt


def test_the_callers_tensor_is_left_alone(inputs, weights, tokens):
    before = inputs.clone(), weights.clone()
    visuals.weights_and_context(weights, inputs, tokens)
    visuals.attention_map(weights, tokens)
    assert torch.equal(inputs, before[0])
    assert torch.equal(weights, before[1])


@pytest.mark.parametrize("unfinished", [..., None, [..., ...], [1.0, ...], [None, None]])
@pytest.mark.parametrize("name", FIGURES)
def test_waits_for_an_unfinished_task(name, unfinished):
    waiting = getattr(visuals, name)(*[unfinished] * len(required(name)))
    assert isinstance(waiting, NotReady)
    assert waiting.alt == MESSAGE


@pytest.mark.parametrize("given", [(..., np.eye(2)), (np.ones(2), ...)])
def test_waits_for_any_of_what_it_draws(given):
    assert isinstance(visuals.weights_and_context(*given, tokens=TWO), NotReady)


def test_says_in_the_notebook_what_it_waits_for():
    bundle = visuals.token_vectors(..., TWO)._repr_mimebundle_()
    assert bundle["text/plain"] == MESSAGE
    assert MESSAGE in bundle["text/html"]


@pytest.mark.parametrize(
    "draw", [visuals.token_vectors, visuals.query_scores, scores_to_context, visuals.explore_query]
)
@pytest.mark.parametrize(
    ("inputs", "names", "error", "message"),
    [
        (np.zeros(2), TWO, ValueError, r"inputs needs 2 axes \(tokens, dimensions\); its shape is \(2,\)"),
        (np.zeros((1, 2, 2)), TWO, ValueError, r"inputs needs 2 axes .* its shape is \(1, 2, 2\)"),
        (
            np.zeros((3, 2)),
            TWO,
            ValueError,
            r"2 tokens do not fit: inputs has size 3 along its axis 'tokens'",
        ),
        (np.zeros((2, 0)), TWO, ValueError, r"its axis 'dimensions' has size 0"),
        ([[1.0], [1.0, 2.0]], TWO, ValueError, r"rows of the same length"),
        (np.zeros((2, 2)), "a b", TypeError, r"'a b'\.split\(\)"),
        ("words", TWO, TypeError, r"inputs must be a tensor, an array or a list of numbers, not str"),
        (object(), TWO, TypeError, r"inputs must be a tensor, an array or a list of numbers, not object"),
    ],
)
def test_what_cannot_be_drawn_is_explained(draw, inputs, names, error, message):
    with pytest.raises(error, match=message):
        draw(inputs, names)


@pytest.mark.parametrize(
    ("query", "error"), [(2, ValueError), (-3, ValueError), (0.5, TypeError), ("a", TypeError)]
)
def test_a_query_that_is_no_token_is_explained(query, error):
    with pytest.raises(error, match="query"):
        scores_to_context(np.eye(2), TWO, query=query)


def test_scores_need_one_axis():
    with pytest.raises(ValueError, match=r"scores needs 1 axis \(tokens,\); its shape is \(2, 2\)"):
        visuals.sum_versus_softmax(np.eye(2))


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_not_finite_are_drawn_and_named(bad, texts):
    values = np.array([[1.0, bad], [0.5, 2.0]])
    for picture in (
        visuals.token_vectors(values, TWO),
        visuals.query_scores(values, TWO),
        scores_to_context(values, TWO),
        visuals.weights_and_context([0.5, bad], np.ones((2, 2)), TWO),
        visuals.sum_versus_softmax([1.0, bad]),
    ):
        assert str(bad) in texts(picture.figure)
        assert str(bad) in picture.alt
        assert picture.svg


def test_odd_tokens_stay_what_they_are(texts):
    """Dollar signs start no formula, markup no markup, and a very long word no mess."""
    odd = ["$\\a$", "<b>", "l\nm", "antidisestablishmentarianism"]
    picture = visuals.token_vectors(np.eye(4), odd)
    shown = texts(picture.figure)
    assert picture.svg  # "$\\a$" as a formula would raise here
    assert {"$\\a$", "<b>", "l\\nm", "antidisesta…"} <= set(shown)
    assert "&lt;b&gt;" in visuals.token_vectors(np.eye(4), odd).to_html()
