"""What an explorer that is no module can show, written out for pages without a kernel."""

from __future__ import annotations

import base64
import gzip
import json

import numpy as np
import pytest

from visuals import explore_training
from visuals.explorers.states import ASKED, STATES_MIME, states


@pytest.fixture
def explorer():
    losses = iter(np.linspace(4, 0, 41))
    return explore_training(
        list,
        range(40),
        {"loss": lambda: next(losses), "share": lambda: 0.5},
        lambda: np.eye(2),
        list("ab"),
        "Counting",
    )


def test_each_moment_is_a_state_and_the_last_is_shown_first(explorer):
    written = states(explorer)
    assert len(written["views"]) == len(explorer.steps) == 16
    assert len({sentence for sentence, _markup in written["views"].values()}) == 16
    assert written["start"] == [15]


@pytest.mark.parametrize("asked", ["", "1"])
def test_a_notebook_holds_the_states_only_where_a_build_asks(explorer, monkeypatch, asked):
    monkeypatch.setenv(ASKED, asked)
    data, _ = explorer._repr_mimebundle_()
    assert (STATES_MIME in data) is bool(asked)
    if asked:
        unpacked = json.loads(gzip.decompress(base64.b64decode(data[STATES_MIME]["states"])))
        start = ",".join(map(str, unpacked["start"]))
        assert unpacked["views"][start] == [explorer.alt, explorer.html]
        assert data[STATES_MIME]["html"] == explorer.html
