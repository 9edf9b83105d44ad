"""Review questions, and how their numbers are drawn."""

from dataclasses import replace

import pytest
from autograder.records.review_items import ReviewItem

SUM = ReviewItem(
    "sum", "01-tiny", "What is {a} + {b}?", "{right}", {"difference": "{wrong}"},
    draw={"a": (0, 9), "b": (0, 9)}, also={"right": "a + b", "wrong": "a - b"},
)  # fmt: skip
SLIP = {"code": "def half(x):\n    return x / 2", "slip": ("/ 2", "* 2"), "fault": "doubled"}
LINE = ReviewItem("line", "01-tiny", "Which line?", **SLIP)


def test_numbers_are_the_same_on_one_day_and_others_later():
    texts = [SUM.asked(day).text for day in range(20)]
    assert [SUM.asked(day).text for day in range(20)] == texts
    assert len(set(texts)) > 10


def test_no_two_choices_are_ever_the_same():
    for day in range(200):  # b may be drawn as 0, where sum and difference are one
        shown = [words for words, _fault in SUM.asked(day).choices]
        assert len(set(shown)) == 2


def test_an_item_whose_choices_are_always_the_same_is_refused():
    with pytest.raises(ValueError, match="sum: two of its choices are the same"):
        ReviewItem("sum", "01-tiny", "?", "1", {"one-off": "1"}).asked(1)


def test_a_mistake_is_put_on_one_line_and_pointing_at_it_is_right():
    asked = LINE.asked(1)
    assert asked.choices == (("def half(x):", "1"), ("    return x * 2", "2"))
    assert asked.right == "2"
    assert (asked.mistake("2"), asked.mistake("1")) == ("", "doubled")


def test_the_learners_own_code_is_taken_where_the_slip_fits_once():
    own = "def half(number):\n    result = number / 2\n    return result"
    assert LINE.asked(1, own_code=own).choices[1] == ("    result = number * 2", "2")
    for other in ("def half(x):\n    return x * 0.5", "x / 2\ny / 2"):
        assert LINE.asked(1, own_code=other).choices == LINE.asked(1).choices


@pytest.mark.parametrize(("code", "lines"), [("x / 2\ny / 2", 2), ("x + 2", 0)])
def test_a_slip_that_fits_not_one_line_alone_is_refused(code, lines):
    with pytest.raises(ValueError, match=f"line: its slip fits {lines} lines"):
        replace(LINE, code=code).asked(1)


def test_a_map_is_made_of_drawn_scores():
    rows = (
        ReviewItem("map", "01-tiny", "?", "yes", {"no": "no"}, map="torch.softmax(scores, 1)")
        .asked(3)
        .weights
    )
    assert [sum(row) for row in rows] == pytest.approx([1.0] * 4, abs=0.03)
