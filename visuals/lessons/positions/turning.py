"""Where tokens stand: sentences in two orders, hands of clocks, a pair that rotates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visuals import mpl, style, words
from visuals.arrays import to_array, token_names, with_axes
from visuals.board import Board
from visuals.figures.layout import MARGIN, label_width, rows_below, write_tokens
from visuals.language import N_, _
from visuals.lessons.positions.pairs import PAIR_COLORS
from visuals.not_ready import when_ready
from visuals.picture import Picture

# Outputs that differ by less are the same but for rounding.
SAME = 1e-5


@when_ready
def two_orders(
    outputs: Any,
    reordered: Any,
    order: Any,
    tokens: Sequence[str],
    title: str = N_("The same words in two orders"),
) -> Picture:
    """Draw the outputs of a sentence and of the same tokens in another order, each token joined with itself.

    outputs, reordered (tokens, dimensions); order (tokens,): the token at position i of the second sentence
    stood at position order[i] of the first; tokens: one string per row of `outputs`.

    Raises ValueError for shapes that do not fit or what is no order, TypeError for what holds no numbers.
    """
    first = with_axes(outputs, "outputs", ("tokens", "dimensions"))
    second = with_axes(reordered, "reordered", ("tokens", "dimensions"))
    names = token_names(tokens, len(first), "outputs", "tokens")
    positions = with_axes(order, "order", ("tokens",)).astype(int)
    if first.shape != second.shape or sorted(positions.tolist()) != list(range(len(first))):
        raise ValueError(
            f"order must hold each position from 0 to {len(first) - 1} once, and outputs and reordered must "
            f"have one shape; they have {first.shape} and {second.shape}, order is {positions.tolist()}."
        )
    moved = np.abs(second - first[positions]).max(axis=1)  # (tokens,)
    width = min(32.0, 260 / first.shape[1])
    labels, rows = label_width(names), rows_below(92, len(names))
    left = MARGIN + labels
    right = left + width * first.shape[1] + 110
    end = right + width * first.shape[1]
    with style.look():
        board = Board(round(end + labels + 20 + MARGIN), round(rows.bottom + 44))
        board.title(MARGIN, 28, _(title))
        for x, heading in ((left, _("outputs of the sentence")), (right, _("outputs of the other order"))):
            board.text(x, 66, heading, size=style.SMALL_SIZE, color=style.MUTED)
        scale = style.color_scale(np.concatenate([first, second]))
        size = (width, rows.thickness)
        write_tokens(board, left - 8, rows, names)
        for position, (top, y) in enumerate(zip(rows.tops, rows.middles, strict=True)):
            board.cells(left, top, first[position], size, scale, decimals=1, name=f"output {position}")
            board.cells(right, top, second[position], size, scale, decimals=1, name=f"reordered {position}")
            start = (right - 110 + 6, rows.middles[positions[position]])
            same = moved[position] < SAME
            board.text(end + 8, y, f"{'✓' if same else '✗'} {words.shortened(names[positions[position]])}")
            board.line(start, (right - 6, y), style.CONTEXT if same else style.WARNING)
        count = int((moved < SAME).sum())
        same_outputs = _(
            "{count} of {all} tokens have the same output in both orders", count=count, all=len(names)
        )
        board.text(MARGIN, rows.bottom + 20, same_outputs, color=style.INK)
    new = " ".join(names[position] for position in positions)
    alt = _(
        "{title}. Outputs of '{sentence}' and of '{other}', each token joined with itself. {count} of "
        "{tokens} tokens have the same output in both orders.",
        title=_(title),
        sentence=" ".join(names),
        other=new,
        count=count,
        tokens=len(names),
    )
    return Picture(board.figure, alt + words.not_finite(first) + words.not_finite(second))


@when_ready
def clock_hands(angles: Any, positions: Sequence[int] | None = None) -> Picture:
    """Draw the hand of every clock at some positions: one row for each hand, one column for each position.

    angles (positions, hands), in radians; 0 points to the right, a larger one turns against the clock. How
    far a hand has turned is shaded: from its first full turn on, the whole clock. positions: that of each
    row, the last one not 0, and 0, 1, 2, … when left out.

    Raises ValueError for another number of axes or of positions, TypeError for what holds no numbers.
    """
    turns = with_axes(angles, "angles", ("positions", "hands"))
    count, hands = turns.shape
    named = token_names(range(count) if positions is None else positions, count, "angles", "positions")
    step, left = min(78.0, 624 / count), 112
    radius = step * 0.36
    with style.look():
        board = Board(round(left + step * count + MARGIN), round(94 + step * hands + 8))
        board.title(MARGIN, 28, _("Hands that turn at different speeds"))
        board.text(left - 16, 68, "position", ha="right", size=style.SMALL_SIZE, color=style.MUTED)
        for column, name in enumerate(named):
            board.text(left + (column + 0.5) * step, 68, name, ha="center", size=style.SMALL_SIZE)
        for hand in range(hands):
            y = 86 + (hand + 0.5) * step
            color = PAIR_COLORS[hand % len(PAIR_COLORS)]
            board.text(left - 16, y, f"hand {hand}", ha="right", color=color)
            for column, angle in enumerate(turns[:, hand]):
                x = left + (column + 0.5) * step
                name = f"{hand} {named[column]}"
                dial = mpl.Circle((x, y), radius, facecolor="white", edgecolor=style.LINE, gid=name)
                board.axes.add_artist(dial)
                # y grows downwards on a board.
                degrees = min(float(np.degrees(angle)), 360.0)
                sector = mpl.Wedge((x, y), radius, -degrees, 0, color=color, alpha=0.2, gid=f"turned {name}")
                board.axes.add_artist(sector)
                board.arrow((x, y), (x + radius * np.cos(angle), y - radius * np.sin(angle)), color)
    speeds = ", ".join(
        _("hand {hand} by {angle}", hand=hand, angle=words.number(speed, 3))
        for hand, speed in enumerate(turns[-1] / max(float(named[-1]), 1))
    )
    alt = _(
        "{hands} hands at the positions {positions}. From one position to the next they turn, in radians: "
        "{speeds}.",
        hands=hands,
        positions=", ".join(named),
        speeds=speeds,
    )
    return Picture(board.figure, alt)


def turned(pair: np.ndarray, angle: float) -> np.ndarray:
    """Return a pair of numbers (2,) rotated by an angle, against the clock."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, -sin], [sin, cos]]) @ pair


@when_ready
def turned_pair(query: Any, key: Any, query_position: int, key_position: int, theta: float = 0.4) -> Picture:
    """Draw a query and a key of two numbers as arrows, before and after they turn by their positions.

    query, key (2,); query_position, key_position: whole numbers; theta: the angle of one step, in radians.

    Raises ValueError for another number of axes or of numbers, TypeError for what holds no numbers.
    """
    arrows = {name: arrow_of(value, name) for name, value in (("query", query), ("key", key))}
    positions = {"query": query_position, "key": key_position}
    colors = {"query": style.QUERY, "key": style.SCORE}
    room, top = 250.0, 84.0
    unit = 0.34 * room / max(np.linalg.norm(arrow) for arrow in arrows.values())
    scores = []
    with style.look():
        board = Board(round(2 * MARGIN + 2 * room + 70), round(top + room + 44))
        board.title(MARGIN, 28, _("A query and a key turn by their positions"))
        for left, title, by in (
            (MARGIN, _("as they are"), 0.0),
            (
                MARGIN + room + 70,
                _("query at position {query}, key at position {key}", query=query_position, key=key_position),
                theta,
            ),
        ):
            board.text(left, 62, title, size=style.SMALL_SIZE, color=style.MUTED)
            x, y = left + room / 2, top + room / 2
            board.line((left, y), (left + room, y))
            board.line((x, top), (x, top + room))
            ends = {name: turned(arrow, positions[name] * by) for name, arrow in arrows.items()}
            for name, end in ends.items():
                if by:  # where it pointed before
                    board.line((x, y), (x + unit * arrows[name][0], y - unit * arrows[name][1]))
                tip = (x + unit * end[0], y - unit * end[1])
                board.arrow((x, y), tip, colors[name])
                out = end / (np.linalg.norm(end) or 1.0)
                aside = 14 if name == "query" else -14  # so that two names never meet
                label = (tip[0] + 26 * out[0] - aside * out[1], tip[1] - 12 * out[1] - aside * out[0])
                # On a patch of the card, so that no axis runs through the name.
                patch = {"facecolor": style.CARD, "edgecolor": "none", "pad": 1.5}
                board.text(*label, name, ha="center", color=colors[name], weight="bold", bbox=patch)
            scores.append(float(ends["query"] @ ends["key"]))
            board.text(left, top + room + 20, f"score {words.number(scores[-1])}", weight="bold")
    between = (query_position - key_position) * theta
    alt = _(
        "Two arrows, query {query} and key {key}, score {score}. Turned by {theta:g} radians for each "
        "position, query at {query_position} and key at {key_position}: the angle between them changes "
        "by {between} and the score is {turned}.",
        query=words.vector(arrows["query"], 2),
        key=words.vector(arrows["key"], 2),
        score=words.number(scores[0]),
        theta=theta,
        query_position=query_position,
        key_position=key_position,
        between=words.number(between, 2),
        turned=words.number(scores[1]),
    )
    return Picture(board.figure, alt)


def arrow_of(value: Any, name: str) -> np.ndarray:
    """Return a vector of two numbers.

    Raises ValueError for another size, TypeError for what holds no numbers.
    """
    array = to_array(value, name)
    if array.shape != (2,):
        raise ValueError(f"{name} needs two numbers, shape (2,); its shape is {array.shape}.")
    return array
