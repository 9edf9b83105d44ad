"""The figure and the explorer of lesson 13: what they say, refuse and wait for."""

from __future__ import annotations

from itertools import pairwise

import pytest
from matplotlib.text import Text

from visuals import explore_reach, length_curves
from visuals.not_ready import NotReady

KEPT = [[2**20 * length for length in (1, 2, 4, 8, 16)], [2**20] * 5]


def test_what_was_counted_and_the_machine_of_the_times_are_said():
    picture = length_curves(["plain", "window"], KEPT)
    assert "for 1024 and for 16384 tokens: plain from 1 to 16; window from 1 to 1. Times" in picture.alt
    assert "plain for 1024 tokens: plain from 1 to " in picture.alt
    written = {text.get_text() for text in picture.figure.findobj(Text)}
    machine = picture.alt.partition("measured once: ")[2].removesuffix(".")
    assert any(machine in text for text in written)
    assert {"plain", "window", "tokens"} <= written


def test_each_curve_has_its_name_at_its_end_in_its_colour():
    names = ["plain", "grouped", "window", "latent", "delta"]
    kept = [[2**20 * length / share for length in (1, 2, 4, 8, 16)] for share in (1, 4, 8, 4.2, 32)]
    figure = length_curves(names, kept).figure
    figure.draw_without_rendering()
    assert figure.legends == []
    for axes in figure.axes:
        boxes = [text.get_window_extent() for text in axes.texts]  # from the lowest up
        assert all(low.y1 < high.y0 + 1 for low, high in pairwise(boxes))
        assert max(box.x1 for box in boxes) < figure.bbox.width
        lines = {line.get_gid(): line for line in axes.lines}
        assert [text.get_text() for text in axes.texts] == sorted(
            names, key=lambda name: lines[name].get_ydata()[-1]
        )
        assert all(text.get_color() == lines[text.get_text()].get_color() for text in axes.texts)
    (end,) = (text.get_position()[1] for text in figure.axes[0].texts if text.get_text() == "plain")
    pixel = figure.axes[0].transData.transform((16384, 16))
    assert end == pytest.approx(figure.axes[0].transAxes.inverted().transform(pixel)[1], abs=0.02)


@pytest.mark.parametrize(("names", "saved"), [(["strange"], KEPT[:1]), (["plain"], [[1, 2]])])
def test_forms_and_lengths_that_nobody_measured_are_refused(names, saved):
    with pytest.raises(ValueError, match="There are times of plain, grouped, window, latent, delta"):
        length_curves(names, saved)


def test_the_figure_waits_for_the_function_that_counts():
    assert isinstance(length_curves(["plain"], [[None] * 5]), NotReady)


@pytest.mark.parametrize("sizes", [(1, 1, 1), (49, 5, 2), (9, 10, 2), (9, 0, 2), (9, 3, 0), (9, 3, 9)])
def test_what_cannot_be_shown_is_refused(sizes):
    with pytest.raises(ValueError, match="2 to 48 tokens"):
        explore_reach(*sizes)


def test_the_still_picture_has_one_layer_and_all_of_them():
    alt = explore_reach(8, 3, 2).alt
    assert "2 maps of 8 queries (rows) by 8 keys (columns). one layer, window of 3" in alt
    assert "behind 2 layers" in alt
