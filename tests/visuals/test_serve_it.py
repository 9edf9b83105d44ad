"""The figure and the explorer of lesson 14: what they say and refuse."""

from __future__ import annotations

import pytest

from visuals import block_table, explore_schedule
from visuals.lessons.serve_it.explore_schedule import ALONE, TOGETHER, schedule


def test_the_slots_of_each_text_and_the_free_blocks_are_said():
    alt = block_table({"A": ([3, 0, 5], 10), "B": ([2, 4], 7)}, num_blocks=6, block_size=4).alt
    assert "Text A has 10 tokens in the blocks 3, 0, 5, in this order." in alt
    assert "Free blocks: 1." in alt


def test_each_token_is_drawn_at_its_slot():
    svg = block_table({"A": ([3, 0, 5], 10), "B": ([2, 4], 7)}, num_blocks=6, block_size=4).svg
    assert svg.index("A4") < svg.index("B0") < svg.index("A0") < svg.index("B4") < svg.index("A8")


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        ({"A": ([0, 1], 3), "B": ([1], 2)}, "no block is in two tables"),
        ({"A": ([6], 3)}, "Blocks are numbered from 0 to 5"),
        ({"A": ([0], 5)}, "more tokens than the blocks"),
        ({}, "one to three texts"),
    ],
)
def test_a_table_that_cannot_be_is_refused(texts, problem):
    with pytest.raises(ValueError, match=problem):
        block_table(texts, num_blocks=6, block_size=4)


@pytest.mark.parametrize(
    ("prompts", "answers", "budget"),
    [([3], [2], 4), ([3, 4], [2], 4), ([3, 0], [2, 1], 4), ([3, 4], [2, 1], 0), ([3, 4], [2, 1], 65)],
)
def test_a_schedule_that_cannot_be_is_refused(prompts, answers, budget):
    with pytest.raises(ValueError, match="2 to 6 texts"):
        explore_schedule(prompts, answers, budget)


def test_texts_that_write_come_before_prompts_and_prompts_are_cut_at_the_budget():
    assert schedule([3, 6], [3, 1], 4, TOGETHER) == [[3, 1], [1, 3], [1, 2]]


def test_a_text_that_is_alone_is_finished_before_the_next_begins():
    assert schedule([3, 2], [2, 1], 2, ALONE) == [[2, 0], [1, 0], [1, 0], [0, 2]]


def test_the_still_picture_counts_the_steps():
    assert "10 steps with a budget of 8 tokens" in explore_schedule([5, 12, 3, 7], [6, 3, 8, 4], 8).alt
