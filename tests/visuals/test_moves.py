"""What every explorer does when a control is moved; how long it takes, `benchmarks/widgets.py` tells."""

from __future__ import annotations

from itertools import islice

import pytest
from ipywidgets import BoundedFloatText, BoundedIntText, Button, Checkbox, Dropdown, IntSlider
from matplotlib.figure import Figure

from benchmarks.widgets import controls_of, explorers, moves
from visuals.faulty import BUGS

# By explorer: what each control is called, and what it is. A screen reader knows all of these without help.
CONTROLS = {
    "explore_dropout": {"p (0 to 0.9)": BoundedFloatText, "Draws at once": Dropdown, "Draw again": Button},
    "explore_slices": {"Head": Dropdown, "Matrices of": Dropdown},
    "explore_bugs": {**dict.fromkeys(BUGS.values(), Checkbox), "Weights and gradients": Dropdown},
    "explore_three_attentions": {"Attention": Dropdown, "Query token": Dropdown},
    "explore_positions": {"Position of the query": IntSlider, "Position of the key": IntSlider},
    "explore_tiles": {"Tile": Dropdown, "Mask": Dropdown, "Step": BoundedIntText},
}


@pytest.mark.parametrize("name", explorers())
def test_every_control_is_native_and_labelled(name):
    controls = controls_of(explorers()[name]())
    expected = CONTROLS[name.partition(",")[0]]
    assert [(control.description, type(control)) for control in controls] == list(expected.items())


@pytest.mark.parametrize("name", explorers())
def test_a_move_draws_no_picture(name, monkeypatch):
    """A picture takes most of the tenth of a second in which an explorer has to answer."""
    explorer = explorers()[name]()
    monkeypatch.setattr(Figure, "__init__", lambda *_, **__: pytest.fail("a picture was drawn"))
    for control in controls_of(explorer):
        for move in islice(moves(control), 2):
            move()


@pytest.mark.parametrize("name", explorers())
def test_a_picture_remains_without_a_kernel(name):
    explorer = explorers()[name]()
    data, metadata = explorer._repr_mimebundle_()
    picture = explorer.picture
    assert "application/vnd.jupyter.widget-view+json" in data
    assert (data["text/plain"], data["text/html"]) == (picture.alt, picture.to_html())
    assert metadata["image/png"]["alt"] == picture.alt
