"""The figures and the explorer of positions: what they show, say and refuse."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.visuals.sheet import assert_words_are_apart
from visuals import clock_hands, explore_positions, rope_pairs, turned_pair, two_orders
from visuals.not_ready import NotReady

ROWS = torch.tensor([[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]])
ORDER = [2, 0, 1]
QUERY, KEY = np.array([1.2, 0.5]), np.array([0.9, -0.6])


def test_outputs_that_only_changed_places_are_counted_as_the_same():
    picture = two_orders(ROWS, ROWS[ORDER], ORDER, ["a", "b", "c"])
    assert picture.alt == (
        "The same words in two orders. Outputs of 'a b c' and of 'c a b', each token joined with itself. "
        "3 of 3 tokens have the same output in both orders."
    )


def test_an_output_that_moved_is_not_counted():
    changed = ROWS[ORDER] + torch.tensor([[0.0, 0.0], [0.0, 0.1], [0.0, 0.0]])
    assert "2 of 3 tokens have the same" in two_orders(ROWS, changed, ORDER, ["a", "b", "c"]).alt


def test_hands_point_where_their_angles_say(texts):
    picture = clock_hands([[0.0, 0.0], [1.0, 0.25], [2.0, 0.5]])
    assert picture.alt == (
        "2 hands at the positions 0, 1, 2. From one position to the next they turn, in radians: hand 0 by "
        "1.000, hand 1 by 0.250."
    )
    assert {"hand 0", "hand 1", "0", "1", "2"} <= set(texts(picture.figure))


def test_positions_may_lie_far_apart_and_a_hand_that_has_gone_round_has_a_full_clock():
    picture = clock_hands([[0.0, 0.0], [0.5, 0.05], [10.0, 1.0]], [0, 10, 200])
    assert "at the positions 0, 10, 200. From one" in picture.alt
    assert "hand 0 by 0.050, hand 1 by 0.005." in picture.alt
    sectors = {patch.get_gid(): patch for patch in picture.figure.axes[0].patches}
    turned = {name: patch.theta2 - patch.theta1 for name, patch in sectors.items() if "turned" in str(name)}
    assert turned["turned 0 10"] == pytest.approx(np.degrees(0.5))
    assert turned["turned 1 200"] == pytest.approx(np.degrees(1.0))
    assert turned["turned 0 200"] == 360


def test_pairs_of_both_forms_carry_one_angle(texts):
    picture = rope_pairs(6)
    assert "neighbours, 0 with 1, 2 with 3, 4 with 5" in picture.alt
    assert "second half, 0 with 3, 1 with 4, 2 with 5" in picture.alt
    shown = {text.get_gid(): text.get_text() for text in picture.figure.axes[0].texts if text.get_gid()}
    angles = [shown[f"interleaved {number}"][-2:] for number in range(6)]
    assert angles == ["θ0", "θ0", "θ1", "θ1", "θ2", "θ2"]
    assert [shown[f"half-split {number}"][-2:] for number in range(6)] == ["θ0", "θ1", "θ2", "θ0", "θ1", "θ2"]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            lambda: two_orders(ROWS, ROWS, [0, 0, 1], ["a", "b", "c"]),
            "order must hold each position from 0 to 2",
        ),
        (lambda: clock_hands([[0.0], [1.0]], [0]), "1 tokens do not fit: angles has size 2"),
        (lambda: rope_pairs(7), "head_dim must be 2, 4, 6 or 8 to be drawn, not 7"),
        (lambda: turned_pair([1.0], KEY, 0, 1), r"query needs two numbers.*\(1,\)"),
        (lambda: explore_positions(QUERY, [[1.0, 2.0]]), r"key needs two numbers.*\(1, 2\)"),
    ],
)
def test_what_does_not_fit_is_explained(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


def test_an_unfinished_task_is_waited_for():
    assert isinstance(clock_hands(...), NotReady)
    assert isinstance(two_orders(..., ROWS, ORDER, ["a", "b", "c"]), NotReady)


def test_words_are_apart_and_inside():
    long = ["antidisestablishmentarianism", "b", "UNCONDITIONALLY"]
    assert_words_are_apart(two_orders(ROWS, ROWS[ORDER], ORDER, long).figure)
    assert_words_are_apart(clock_hands(np.zeros((8, 4))).figure)
    assert_words_are_apart(rope_pairs(8).figure)
    for positions in ((5, 2), (4, 1), (0, 0), (31, 4), (3, 17)):
        assert_words_are_apart(turned_pair(QUERY, KEY, *positions).figure)
