"""Trainings to watch: the curves, the explorer of a training's moments, and the stream they run through."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.visuals.sheet import assert_words_are_apart
from visuals import explore_training, residual_stream, training_curves
from visuals.figures.training import moment_in_words
from visuals.not_ready import NotReady


class Counter:
    """Trains by counting batches; its loss falls, and its map turns from even to sharp."""

    def __init__(self):
        self.seen = 0

    def train(self, batches):
        for _ in batches:
            self.seen += 1

    def look(self):
        sharp = self.seen / 40
        return sharp * np.eye(4)[::-1] + (1 - sharp) * np.full((4, 4), 0.25)


@pytest.fixture
def explorer():
    model = Counter()
    measures = {"loss": lambda: 4 - model.seen / 10, "accuracy": lambda: model.seen / 40}
    return explore_training(model.train, range(40), measures, model.look, list("abcd"), title="Counting")


@pytest.mark.parametrize(
    ("back", "output"),
    [(0, "look at their own token."), (1, "look one token back."), (2, "look 2 tokens back.")],
)
def test_how_far_back_most_queries_look_is_said_as_one_would(back, output):
    words = moment_in_words({"loss": ([5], [0.5])}, 5, np.eye(6, k=-back), "Counting")
    assert words.endswith(output)


def test_every_batch_is_trained_on_and_moments_are_kept_from_the_first_to_the_last(explorer):
    shown = explorer._shows
    assert (shown["steps"][0], shown["steps"][-1]) == (0, 40)
    assert dict(shown["curves"])["loss"] == pytest.approx(
        [4 - step / 10 for step in shown["steps"]], abs=1e-5
    )
    np.testing.assert_allclose(shown["maps"][-1], np.eye(4)[::-1])


def test_it_starts_at_the_end_and_says_of_each_moment_what_was_measured(explorer):
    assert explorer.chosen == {"moment": 15}
    assert "after 40 of 40 steps: loss 0.00, accuracy 1.00" in explorer.alt
    assert explorer.alt == explorer._shows["says"][-1]
    assert "Counting, after 0 of 40 steps: loss 4.00, accuracy 0.00" in explorer._shows["says"][0]


def test_a_loss_that_is_no_number_reaches_the_page():
    loss = iter([2.0, *[float("nan")] * 40])
    explorer = explore_training(list, range(40), {"loss": lambda: next(loss)}, lambda: np.eye(2), ["a", "b"])
    assert json.loads(json.dumps(explorer._shows["curves"]))[0][1][:2] == [2.0, "NaN"]


def test_the_map_is_told_in_words(explorer):
    assert "many queries look along an anti-diagonal" in explorer.alt


@pytest.mark.parametrize("stub", [lambda batches: None, lambda batches: next(iter(batches))])
def test_a_training_that_is_not_written_is_waited_for(stub):
    actual = explore_training(stub, range(3), {"loss": lambda: 1.0}, lambda: np.eye(2), ["a", "b"])
    assert isinstance(actual, NotReady)


def test_tokens_that_do_not_fit_are_refused():
    model = Counter()
    with pytest.raises(ValueError, match="3 tokens do not fit"):
        explore_training(model.train, range(3), {"loss": lambda: 1.0}, model.look, list("abc"))


def test_the_words_of_the_pictures_can_be_read():
    assert_words_are_apart(residual_stream(2).figure)
    for many in (2, 9):
        curves = {"right": ([0, 5, 10], [3.0, 1.0, 0.1]), "no mask": ([0, 5, 10], [3.0, 2.0, 1.0])}
        curves |= {f"bug of number {more}": curves["no mask"] for more in range(2, many)}
        picture = training_curves(curves, "The same training, right and with one bug each")
        assert_words_are_apart(picture.figure)
        assert "right from near the top to near 0; no mask from near the top to between" in picture.alt


def test_more_curves_than_colours_have_a_panel_each_beside_the_first():
    curves = {str(number): ([0, 5, 10], [3.0, number, 0.1]) for number in range(9)}
    panels = training_curves(curves, "Nine").figure.axes
    assert [[line.get_gid() for line in panel.lines] for panel in panels] == [
        ["0", name] for name in "12345678"
    ]


def test_two_numbers_are_bars_and_no_line_between_them():
    curves = {"learned": ((16, 32), [1.0, 0.1]), "rope": ((16, 32), [1.0, 0.8])}
    (axes,) = training_curves(curves, "Two lengths", "accuracy", "tokens").figure.axes
    assert list(axes.lines) == []
    assert [bar.get_height() for bar in axes.patches] == [1.0, 0.1, 1.0, 0.8]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["16", "32"]


def test_curves_wait_until_each_is_there():
    assert isinstance(training_curves({"one": ([0], [1.0]), "two": None}, "Two"), NotReady)
    with pytest.raises(ValueError, match="at least one"):
        training_curves({"one": ([0], [])}, "One")


def test_the_picture_of_a_training_has_maps_of_its_start_its_turn_and_its_end(explorer):
    maps = [axes for axes in explorer.picture.figure.axes if axes.images and axes.get_title(loc="center")]
    assert [axes.get_title(loc="center") for axes in maps] == [f"after {step} steps" for step in (0, 21, 40)]
    assert [float(axes.images[0].get_array()[0, 3]) for axes in maps] == pytest.approx(
        [0.25, 0.64, 1], abs=0.01
    )


def test_names_at_the_ends_of_curves_lie_beside_them_and_apart():
    curves = {str(number): ([0, 5, 10], [3.0, 1.0, 0.01 * number]) for number in range(6)}
    figure = training_curves({**curves, "high": ([0, 5, 10], [3.0, 3.0, 2.9])}, "Seven").figure
    assert_words_are_apart(figure)
    heights = [text.get_position()[1] for text in figure.axes[0].texts]
    assert [text.get_text() for text in figure.axes[0].texts] == [*"012345", "high"]
    assert heights[-1] == pytest.approx(2.9 / 3.15, abs=0.03)
