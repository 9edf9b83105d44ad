"""Move a query and a key to other positions, and see which kinds of positions keep their score."""

from __future__ import annotations

from typing import Any

from visuals.arrays import listed
from visuals.lessons.positions.turning import arrow_of, turned_pair
from visuals.live import Explorer
from visuals.not_ready import when_ready

START = {"query": 5, "key": 2}


@when_ready
def explore_positions(query: Any, key: Any, theta: float = 0.4) -> Explorer:
    """Explore positions: move a query and a key of two numbers each, and compare three kinds of scores.

    query, key (2,); theta: the angle by which a position turns them, in radians.

    Raises ValueError for another number of axes or of numbers, TypeError for what holds no numbers.
    """
    pairs = {"query": arrow_of(query, "query"), "key": arrow_of(key, "key")}
    return Explorer(
        "lessons/positions/positions.js",
        shows={**{name: listed(pair) for name, pair in pairs.items()}, "theta": theta},
        chosen=START,
        picture=lambda: turned_pair(pairs["query"], pairs["key"], START["query"], START["key"], theta),
    )
