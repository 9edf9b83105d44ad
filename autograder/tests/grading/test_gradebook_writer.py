"""What a task that a release lacks is worth to those who never had it."""

from types import SimpleNamespace

import pytest
from autograder.grading import gradebook_writer


def grade(auto: float | None, by_hand: float | None, most: float) -> SimpleNamespace:
    """Return what the share reads of a row of nbgrader's gradebook."""
    return SimpleNamespace(auto_score=auto, manual_score=by_hand, cell=SimpleNamespace(max_score=most))


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ([grade(1, None, 2), grade(1, None, 1)], 2 / 3),
        ([grade(0, 2, 2), grade(1, None, 1)], 1),
        ([grade(1, 3, 2)], 1),
        ([grade(1, None, 2), grade(None, None, 3)], 1 / 2),
        ([grade(1, None, 2), grade(None, 3, 3)], 1 / 2),
        ([grade(None, 3, 3)], 0),
        ([], 0),
    ],
    ids=[
        "by the checks",
        "raised by hand",
        "never above all points",
        "an answer in words that nobody has read",
        "an answer in words that somebody has read",
        "answers in words alone",
        "nothing",
    ],
)
def test_what_is_excused_counts_as_the_share_that_checks_judged(grades, expected):
    assert gradebook_writer._share(grades) == pytest.approx(expected)
