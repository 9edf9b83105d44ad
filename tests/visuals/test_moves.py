"""What every explorer does when a control is moved; how long it takes, `benchmarks/widgets.py` tells."""

from __future__ import annotations

from itertools import islice

import pytest
from matplotlib.figure import Figure

from benchmarks.widgets import controls_of, explorers, moves


@pytest.mark.parametrize("name", explorers())
def test_a_move_draws_no_picture(name, monkeypatch):
    """A picture takes most of the tenth of a second in which an explorer has to answer."""
    explorer = explorers()[name]()
    monkeypatch.setattr(Figure, "__init__", lambda *_, **__: pytest.fail("a picture was drawn"))
    for control in controls_of(explorer):
        for move in islice(moves(control), 2):
            move()
