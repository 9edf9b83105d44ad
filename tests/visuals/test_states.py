"""What an explorer can show, written out for pages without a kernel."""

from __future__ import annotations

import base64
import gzip
import json

import numpy as np
import pytest
import torch

from visuals import explore_dropout, explore_three_attentions, explore_tiles
from visuals.explorers.states import ASKED, STATES_MIME, states


def test_what_can_be_chosen_may_depend_on_the_control_before():
    written = states(explore_three_attentions(["a", "b", "c"], ["x", "y"]))
    assert {len(texts) for texts in written["stops"][1].values()} == {2, 3}
    shown = {places for places in written["views"] if places.startswith("0,")}
    assert len(shown) == len(written["stops"][1]["0"])


def test_steps_are_as_many_as_the_tiles_need(tokens):
    q = torch.ones(6, 2)
    stops = states(explore_tiles(q, q, q, tokens))["stops"][2]
    assert max(map(len, stops.values())) == 36
    assert min(map(len, stops.values())) == 1


def test_draws_of_dropout_are_the_same_each_time(tokens):
    weights = np.tril(np.full((6, 6), 0.25))
    explorer = explore_dropout(weights, tokens)
    first = states(explorer)
    assert states(explorer) == first
    assert len(set(first["views"].values())) == len(first["views"])


@pytest.mark.parametrize("asked", ["", "1"])
def test_a_notebook_holds_the_states_only_where_a_build_asks(tokens, monkeypatch, asked):
    monkeypatch.setenv(ASKED, asked)
    explorer = explore_dropout(np.tril(np.full((6, 6), 0.25)), tokens)
    data, _ = explorer._repr_mimebundle_()
    assert (STATES_MIME in data) is bool(asked)
    if asked:
        unpacked = json.loads(gzip.decompress(base64.b64decode(data[STATES_MIME]["states"])))
        start = ",".join(map(str, unpacked["start"]))
        assert unpacked["views"][start] == [explorer.alt, explorer.html]
        assert data[STATES_MIME]["html"] == explorer.html
