"""What an explorer can show, written out for pages without a kernel."""

from __future__ import annotations

import base64
import gzip
import json

import numpy as np
import pytest
import torch

from visuals import explore_dropout, explore_query, explore_three_attentions, explore_tiles
from visuals.explorers.states import ASKED, STATES_MIME, states


def test_each_state_says_what_the_controls_would_show(inputs, tokens):
    explorer = explore_query(inputs, tokens)
    written = states(explorer)["views"]
    assert len(written) == 6 * 7
    for query, sharpness, places in [(0, 0.0, "0,0"), (4, 2.0, "4,3"), (5, 20.0, "5,6")]:
        explorer.query.value, explorer.sharpness.value = query, sharpness
        assert written[places] == (explorer.alt, explorer.html)


def test_starts_where_the_explorer_stands_and_leaves_it_there(inputs, tokens):
    explorer = explore_query(inputs, tokens)
    explorer.query.value = 3
    before = explorer.alt
    written = states(explorer)
    assert written["views"][",".join(map(str, written["start"]))][0] == before
    assert explorer.alt == before


def test_a_value_that_is_no_stop_becomes_one(inputs, tokens):
    explorer = explore_query(inputs, tokens)
    explorer.sharpness.value = 1.5
    assert states(explorer)["stops"][1]["0"] == ["0", "0.5", "1", "1.5", "2", "5", "10", "20"]


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
def test_a_notebook_holds_the_states_only_where_a_build_asks(inputs, tokens, monkeypatch, asked):
    monkeypatch.setenv(ASKED, asked)
    explorer = explore_query(inputs, tokens)
    data, _ = explorer._repr_mimebundle_()
    assert (STATES_MIME in data) is bool(asked)
    if asked:
        unpacked = json.loads(gzip.decompress(base64.b64decode(data[STATES_MIME]["states"])))
        assert unpacked["views"]["1,2"] == [explorer.alt, explorer.html]
        assert data[STATES_MIME]["html"] == explorer.html
