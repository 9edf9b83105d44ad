"""Move a query and a key to other positions, and see which kinds of positions keep their score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ipywidgets
import numpy as np

from visuals import words
from visuals.explorers.explorer import WIDE, Explorer
from visuals.language import _
from visuals.lessons.positions.turning import arrow_of, turned, turned_pair
from visuals.not_ready import when_ready
from visuals.picture import Picture

LAST_POSITION = 31
# So much further on both are put, to see whether a score depends on more than the distance.
FURTHER = 7


@dataclass(frozen=True)
class Scores:
    """The score of a query and a key at two positions, and of both moved on, in three ways; (2,) each."""

    plain: np.ndarray
    added: np.ndarray
    rotated: np.ndarray


def scores_at(query: np.ndarray, key: np.ndarray, positions: tuple[int, int], theta: float) -> Scores:
    """Scores of a query (2,) and a key (2,) at two positions, and at two positions `FURTHER` on."""
    plain, added, rotated = [], [], []
    for further in (0, FURTHER):
        angles = [(position + further) * theta for position in positions]
        codes = [np.array([np.sin(angle), np.cos(angle)]) for angle in angles]
        plain.append(query @ key)
        added.append((query + codes[0]) @ (key + codes[1]))
        rotated.append(turned(query, angles[0]) @ turned(key, angles[1]))
    return Scores(np.array(plain), np.array(added), np.array(rotated))


def sentence(scores: Scores, positions: tuple[int, int]) -> str:
    """Say in words what rotating does to the score, and what becomes of it further on."""
    query, key = positions
    return _(
        "query at position {query}, key at position {key}, distance {distance}: rotated score {rotated}, and "
        "{rotated_on} with both {further} positions further on; with added codes {added} and {added_on}",
        query=query,
        key=key,
        distance=query - key,
        rotated=words.number(scores.rotated[0]),
        rotated_on=words.number(scores.rotated[1]),
        further=FURTHER,
        added=words.number(scores.added[0]),
        added_on=words.number(scores.added[1]),
    )


def table(scores: Scores) -> str:
    """Return the scores as an HTML table, one row for each kind of positions."""
    rows = ""
    for name, (here, further) in (
        (_("no positions"), scores.plain),
        (_("codes added (sinusoidal)"), scores.added),
        (_("rotated (RoPE)"), scores.rotated),
    ):
        kept = _("✓ the same") if abs(here - further) < 1e-9 else _("✗ another score")
        rows += (
            f'<tr><th scope="row">{name}</th><td class="number">{words.number(here)}</td>'
            f'<td class="number">{words.number(further)}</td><td>{kept}</td></tr>'
        )
    columns = (_("positions"), _("here"), _("both {further} further on", further=FURTHER), _("compared"))
    heads = "".join(f'<th scope="col">{name}</th>' for name in columns)
    caption = _("Score of the query and the key")
    return f"<table><caption>{caption}</caption><tr>{heads}</tr>{rows}</table>"


def arrows(query: np.ndarray, key: np.ndarray) -> str:
    """Return the two arrows as a drawing; the table beside it says the same in numbers."""
    unit = 72 / max(np.linalg.norm(query), np.linalg.norm(key))
    lines = ""
    for name, (x, y), color in (("query", query, "chosen"), ("key", key, "score")):
        x, y = x * unit, -y * unit
        far = 1.4 * np.array([x, y])
        lines += (
            f'<line x2="{x:.1f}" y2="{y:.1f}" stroke="var(--{color})" stroke-width="3"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="var(--{color})"/>'
            f'<text x="{far[0]:.1f}" y="{far[1]:.1f}" fill="var(--{color})" text-anchor="middle" '
            f'dominant-baseline="middle">{name}</text>'
        )
    axes = '<path d="M-100 0H100M0 -100V100" stroke="currentColor" opacity="0.25"/>'
    return f'<svg aria-hidden="true" width="250" height="220" viewBox="-125 -110 250 220">{axes}{lines}</svg>'


class PositionsExplorer(Explorer):
    """Choose the position of a query and of a key; see their score in three ways.

    `query` and `key` are the controls; `scores` is what is shown just now.
    """

    def __init__(self, query: np.ndarray, key: np.ndarray, theta: float) -> None:
        self._arrows = (query, key)
        self._theta = theta
        self.query, self.key = (
            ipywidgets.IntSlider(
                value=position,
                min=0,
                max=LAST_POSITION,
                description=_("Position of the {name}", name=name),
                style=WIDE,
                layout={"width": "400px"},  # room to drag to each position
            )
            for name, position in (("query", 5), ("key", 2))
        )
        super().__init__(self.query, self.key)

    @property
    def positions(self) -> tuple[int, int]:
        """The position of the query and that of the key."""
        return self.query.value, self.key.value

    @property
    def scores(self) -> Scores:
        """The scores, for the positions as they stand."""
        return scores_at(*self._arrows, self.positions, self._theta)

    @property
    def alt(self) -> str:
        return sentence(self.scores, self.positions)

    @property
    def html(self) -> str:
        ends = [
            turned(arrow, position * self._theta)
            for arrow, position in zip(self._arrows, self.positions, strict=True)
        ]
        side_by_side = "display: flex; flex-wrap: wrap; align-items: center; gap: 8px 24px;"
        return (
            f'<div class="attention-explorer" style="{side_by_side}">{arrows(*ends)}'
            f"<div>{table(self.scores)}</div></div>"
        )

    @property
    def picture(self) -> Picture:
        picture = turned_pair(*self._arrows, *self.positions, self._theta)
        assert isinstance(picture, Picture)  # query and key were checked when the explorer was made
        return picture


@when_ready
def explore_positions(query: Any, key: Any, theta: float = 0.4) -> PositionsExplorer:
    """Explore positions: move a query and a key of two numbers each, and compare three kinds of scores.

    query, key (2,); theta: the angle by which a position turns them, in radians.

    Raises ValueError for another number of axes or of numbers, TypeError for what holds no numbers.
    """
    return PositionsExplorer(arrow_of(query, "query"), arrow_of(key, "key"), theta)
