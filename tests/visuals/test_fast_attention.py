"""What lesson 11 shows and measures: the tiles, the rows of a fused weight, and costs."""

from __future__ import annotations

import pytest
import torch

from tests.visuals.sheet import assert_words_are_apart
from visuals import cost_curves, explore_tiles, measured, qkv_rows
from visuals.explorers.tiles import first_tile
from visuals.lessons.fast_attention import measure
from visuals.lessons.fast_attention.measure import Cost


@pytest.mark.parametrize("size", [1, 2, 6])
def test_the_static_picture_can_be_read(inputs, tokens, size):
    x = inputs.double().numpy()
    picture = first_tile(x, x, x, size, tokens)
    assert f"{size * size + 5 * size} numbers are held" in picture.alt
    assert_words_are_apart(picture.figure)


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        (((6, 3), (6, 2), (6, 3)), "must fit"),
        (((6, 3), (6, 3), (5, 3)), "must fit"),
        (((13, 3), (13, 3), (13, 3)), "at most 12"),
        (((3,), (3,), (3,)), "queries needs 2 axes"),
    ],
)
def test_what_does_not_fit_is_refused(shapes, says):
    with pytest.raises(ValueError, match=says):
        explore_tiles(*(torch.ones(shape) for shape in shapes), ["a"] * shapes[0][0])


def test_the_two_orders_hold_the_same_rows():
    picture = qkv_rows(num_heads=2, head_dim=1)
    item, other = picture.alt.split("; ")
    assert item.endswith(
        "query of head 0, query of head 1, key of head 0, key of head 1, value of head 0, value of head 1"
    )
    assert other.endswith(
        "query of head 0, key of head 0, value of head 0, query of head 1, key of head 1, value of head 1."
    )
    assert_words_are_apart(picture.figure)
    with pytest.raises(ValueError, match="1 to 24"):
        qkv_rows(4, 4)


def test_measured_counts_the_bytes_that_live_at_the_same_time():
    x = torch.ones(1000)  # 4000 bytes
    assert measured(lambda: x + 1).bytes == 4000
    assert measured(lambda x: ((x + 1) + 1) + 1, x).bytes == 8000
    assert measured(lambda x: x[:10], x).bytes == 0
    assert measured(lambda: x.mul_(1)).bytes == 0


def test_measured_gives_the_seconds_of_the_fastest_call(monkeypatch):
    looks = iter([0.0, 5.0, 10.0, 12.0, 20.0, 23.0])  # before and after each call
    monkeypatch.setattr(measure.time, "perf_counter", lambda: next(looks))
    assert measured(lambda: None).seconds == 2.0


def squares(factor, power):
    return {n: Cost(factor * n**power, int(n**power)) for n in (64, 128, 256, 512)}


def test_the_slope_of_a_curve_stands_in_the_legend():
    picture = cost_curves({"plain": squares(1e-6, 2), "tiles": squares(1e-5, 1)}, title="Costs")
    legends = [axes.get_legend() for axes in picture.figure.axes]
    for legend in legends:
        assert [text.get_text() for text in legend.get_texts()] == ["plain: slope 2.0", "tiles: slope 1.0"]
    assert "'plain', 'tiles' for 64, 128, 256, 512 tokens" in picture.alt


@pytest.mark.parametrize(
    "costs", [{}, {"one": {64: Cost(1.0, 1)}}, {str(n): squares(1, 1) for n in range(5)}]
)
def test_no_curve_too_many_and_a_single_point_are_refused(costs):
    with pytest.raises(ValueError, match="1 to 4 curves of at least two"):
        cost_curves(costs)


def test_costs_wait_until_the_task_is_done():
    assert "Nothing to draw yet" in repr(cost_curves(...))
