"""The small picture of a wrong result."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
import torch
from autograder.words.mismatch_picture import _brief, difference_picture

SVG = "{http://www.w3.org/2000/svg}"


def picture(obtained, expected, index):
    return ElementTree.fromstring(difference_picture(torch.tensor(obtained), torch.tensor(expected), index))


def texts(svg, kind):
    return [text.text for text in svg.iter(f"{SVG}text") if text.get("class") == kind]


def test_yours_expected_and_the_difference_stand_side_by_side():
    svg = picture([[1.0, 2.0]], [[1.0, 1.5]], (0, 1))
    assert texts(svg, "ag-title") == ["yours", "expected", "difference"]
    assert texts(svg, "ag-number") == ["1.00", "1.00", "✓", "2.00", "1.50", "0.50"]


def test_an_entry_that_differs_by_rounding_is_marked_right():
    svg = picture([1.0, 0.3 + 6e-8, 2.0], [1.0, 0.3, 1.5], (2,))
    assert texts(svg, "ag-number")[2::3] == ["✓", "✓", "0.50"]


def test_what_stands_at_one_place_is_framed_together_and_the_first_difference_at_once():
    svg = picture([[1.0, 2.0], [3.0, 5.0]], [[1.0, 2.0], [4.0, 4.0]], (1, 0))
    places = [
        (group.get("class"), [text.text for text in group.iter(f"{SVG}text")])
        for group in svg.iter(f"{SVG}g")
    ]
    equal = [["1.00", "1.00", "✓"], ["2.00", "2.00", "✓"]]
    apart = [["3.00", "4.00", "-1.00"], ["5.00", "4.00", "1.00"]]
    assert [shown for _, shown in places] == equal + apart
    assert [kind for kind, _ in places] == ["ag-place", "ag-place", "ag-place ag-first", "ag-place"]


def test_the_picture_says_in_words_what_it_shows():
    svg = picture([[1.0, 2.0]], [[1.0, 1.5]], (0, 1))
    assert svg.get("role") == "img"
    assert "index [0, 1]: 2 instead of 1.5000" in svg.get("aria-label", "")


def test_a_vector_is_drawn_as_one_row():
    svg = picture([1.0, 2.0, 4.0], [1.0, 2.0, 3.0], (2,))
    assert len(texts(svg, "ag-number")) == 9
    assert len({rect.get("y") for rect in svg.iter(f"{SVG}rect")}) == 1


def test_a_single_number_needs_no_picture():
    assert difference_picture(torch.tensor(1.0), torch.tensor(2.0), ()) == ""


def test_of_a_large_matrix_the_part_around_the_first_difference_is_drawn():
    expected = torch.zeros(40, 50)
    obtained = expected.clone()
    obtained[30, 49] = 7.0
    svg = ElementTree.fromstring(difference_picture(obtained, expected, (30, 49)))
    numbers = texts(svg, "ag-number")
    assert len(numbers) == 3 * 8 * 8
    assert numbers.count("7.00") == 2
    assert texts(svg, "ag-note") == ["rows 26 to 33, columns 42 to 49"]


def test_of_a_batch_the_slice_with_the_first_difference_is_drawn_and_named():
    expected = torch.zeros(2, 3, 2, 2)
    obtained = expected.clone()
    obtained[1, 2, 0, 1] = 5.0
    svg = ElementTree.fromstring(difference_picture(obtained, expected, (1, 2, 0, 1)))
    assert texts(svg, "ag-number")[:4] == ["0", "0", "✓", "5.00"]
    assert texts(svg, "ag-note") == ["slice [1, 2, :, :]"]


def test_no_number_is_drawn_outside_the_picture():
    svg = picture([[1.0] * 30], [[2.0] * 30], (0, 0))
    width = float(svg.get("width", "0"))
    rects = [float(rect.get("x", "0")) + float(rect.get("width", "0")) for rect in svg.iter(f"{SVG}rect")]
    assert max(rects) <= width


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), float("-inf"), 1e308, -1e308, 5e-324], ids=lambda value: str(value)
)
def test_any_number_can_be_drawn(value):
    obtained = torch.tensor([value, 1.0], dtype=torch.float64)
    expected = torch.tensor([-1e308, 1.0], dtype=torch.float64)
    assert difference_picture(obtained, expected, (0,)).startswith("<svg")


def test_numbers_are_drawn_in_ink_that_stands_out():
    svg = picture([[0.0, 1.0]], [[0.0, 0.0]], (0, 1))
    fills = [rect.get("fill") for rect in svg.iter(f"{SVG}rect")]
    inks = [text.get("fill") for text in svg.iter(f"{SVG}text") if text.get("class") == "ag-number"]
    assert (fills[0], inks[0]) == ("rgb(247,247,247)", "#000")
    assert (fills[3], inks[3]) == ("rgb(33,102,172)", "#fff")


def test_too_much_and_too_little_have_colours_of_their_own():
    svg = picture([[2.0, 0.0]], [[1.0, 1.0]], (0, 0))
    fills = [rect.get("fill") for rect in svg.iter(f"{SVG}rect")][2::3]
    assert fills == ["rgb(33,102,172)", "rgb(204,92,20)"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((0.0, "0"), (0.25, "0.25"), (-12.345, "-12.35"), (123.4, "123"), (1e-4, "1e-4"), (123456.0, "1e5")),
        *((float("nan"), "nan"), (float("-inf"), "-inf")),
    ],
)
def test_numbers_are_cut_to_what_fits(value, expected):
    assert _brief(value) == expected


@pytest.mark.parametrize("value", [-99.999, 999.7, -999.7, -1e-7, 1e22, -3e38, -1e-38])
def test_no_number_is_longer_than_its_cell(value):
    assert len(_brief(value)) <= 6
