"""One word in several sentences: its context vector as an arrow, among the arrows of the words around it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from visuals import style, words
from visuals.board import Board
from visuals.figures.layout import MARGIN
from visuals.flow import QueryFlow, follow_query
from visuals.language import N_, _
from visuals.picture import Picture
from visuals.trained import trained_words

# Pixels for one unit of the plane, and the plane's longest arrow.
UNIT, LONGEST = 108.0, 2.7
# Words whose arrows are shorter have to do with neither: they share one label.
SHORT = 0.3
# Where along the shorter of two arrows the arc between them lies.
TURN = 0.8
AXES = (N_("water →"), N_("money ↑"))


def in_plane(sentence: str, word: str, sharpness: float = 1.0) -> tuple[list[str], np.ndarray, QueryFlow]:
    """Return a sentence's words, their points (tokens, 2), and what attention makes of one of them.

    Raises ValueError for a word that is not known or does not stand in the sentence.
    """
    small = trained_words()
    tokens = small.tokens(sentence)
    if word not in tokens:
        raise ValueError(f"{word!r} does not stand in the sentence {sentence!r}.")
    points = small.plane(sentence).numpy().astype(np.float64)  # (tokens, 2)
    return tokens, points, follow_query(points, tokens.index(word), sharpness)


def angle(first: np.ndarray, other: np.ndarray) -> float:
    """Return the angle between two vectors in degrees."""
    cosine = first @ other / (np.linalg.norm(first) * np.linalg.norm(other))
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def arrows(tokens: Sequence[str], points: np.ndarray) -> dict[tuple[float, float], str]:
    """Return the words at each point; those of one point share an arrow."""
    at_place: dict[tuple[float, float], list[str]] = {}
    for token, (x, y) in zip(tokens, points.tolist(), strict=True):
        here = at_place.setdefault((x, y), [])
        if token not in here:
            here.append(token)
    return {
        point: ", ".join(names) if np.hypot(*point) > SHORT else _("all other words")
        for point, names in at_place.items()
    }


def moved(tokens: Sequence[str], flow: QueryFlow, points: np.ndarray) -> str:
    """In words: where the largest weights are, and how the angles to both axes change."""
    order = np.argsort(-flow.weights, kind="stable")[:3]
    weights = ", ".join(f"{tokens[index]} {words.number(flow.weights[index], 2)}" for index in order)
    before, after = (angle(vector, np.array([1.0, 0.0])) for vector in (points[flow.query], flow.context))
    return _(
        "largest weights {weights}; {word!r} alone is {before:.0f}° from the axis of water, its "
        "context vector {context} is {after:.0f}°",
        weights=weights,
        word=tokens[flow.query],
        before=before,
        context=words.vector(flow.context, 2),
        after=after,
    )


def word_arrows(sentences: Sequence[str], word: str = "bank") -> Picture:
    """Draw one word in some sentences: every word's vector, and the word's context vector.

    sentences: of the words that `trained_words` knows; word: stands in each of them.

    Raises ValueError for a word that is not known or does not stand in a sentence, TypeError for one string.
    """
    if isinstance(sentences, str):
        raise TypeError("sentences must be a list of strings; for one sentence pass [sentence].")
    panels = [in_plane(sentence, word) for sentence in sentences]
    side = UNIT * LONGEST + 74
    with style.look():
        board = Board(round(2 * MARGIN + side * len(panels)), round(UNIT * LONGEST + 156))
        board.title(MARGIN, 28, _("“{word}” and its context vector", word=word))
        for index, (sentence, (tokens, points, flow)) in enumerate(zip(sentences, panels, strict=True)):
            origin = (MARGIN + 12 + index * side, 96 + UNIT * LONGEST)
            board.text(origin[0] - 8, 62, f"“{sentence}”", size=style.SMALL_SIZE)
            _plane(board, origin)
            for point, names in arrows(tokens, points).items():
                color = style.QUERY if word in names.split(", ") else style.SCORE
                _arrow(board, origin, point, names, color, f"word {index} {names}")
            _arrow(board, origin, tuple(flow.context), "context", style.CONTEXT, f"context {index}")
            _turn(board, origin, points[flow.query], flow.context, f"turn {index}")
    in_words = [
        _("In {sentence!r}: {moved}.", sentence=sentence, moved=moved(panel[0], panel[2], panel[1]))
        for sentence, panel in zip(sentences, panels, strict=True)
    ]
    return Picture(
        board.figure,
        _(
            "Words as arrows in a plane, water to the right and money upwards, with the context vector "
            "of {word!r}.",
            word=word,
        )
        + " "
        + " ".join(in_words),
    )


def _plane(board: Board, origin: tuple[float, float]) -> None:
    x, y = origin
    far = UNIT * LONGEST
    board.line((x, y), (x + far, y), style.MUTED)
    board.line((x, y), (x, y - far), style.MUTED)
    board.text(x + far, y + 18, AXES[0], ha="right", size=style.SMALL_SIZE, color=style.MUTED)
    board.text(x + 4, y - far - 8, AXES[1], size=style.SMALL_SIZE, color=style.MUTED)


def _turn(
    board: Board, origin: tuple[float, float], before: np.ndarray, after: np.ndarray, name: str
) -> None:
    """Draw the arc from one arrow to the other, and write both angles on the far side of the second."""
    start, end = (float(np.degrees(np.arctan2(y, x))) for x, y in (before, after))
    radius = UNIT * TURN * float(min(np.linalg.norm(before), np.linalg.norm(after)))

    def at(degrees: float) -> tuple[float, float]:
        turned = float(np.radians(degrees))
        return origin[0] + radius * math.cos(turned), origin[1] - radius * math.sin(turned)

    arc = np.array([at(degrees) for degrees in np.linspace(start, end, 20)])  # (points, 2)
    board.axes.plot(arc[:, 0], arc[:, 1], color=style.CONTEXT, linewidth=1.6, gid=name)
    towards_money = end > start
    x, y = at(end)
    board.text(
        x - 8 if towards_money else x + 8,
        y + (-4 if towards_money else 8),
        f"{start:.0f}° → {end:.0f}°",
        size=style.SMALL_SIZE,
        color=style.CONTEXT,
        ha="right" if towards_money else "left",
        gid=f"{name} angles",
    )


def _arrow(
    board: Board, origin: tuple[float, float], to: tuple[float, ...], label: str, color: str, name: str
) -> None:
    x, y = origin[0] + UNIT * to[0], origin[1] - UNIT * to[1]
    if math.hypot(*to) <= SHORT:  # below the axis, where no longer arrow runs through the words
        board.axes.plot([x], [y], "o", color=color, markersize=4)
        board.text(origin[0] - 8, origin[1] + 18, label, size=style.SMALL_SIZE, color=color, gid=name)
        return
    board.arrow(origin, (x, y), color)
    high = to[1] >= to[0]
    board.text(
        x + 6,
        y - (9 if high else -2),
        words.shortened(label, 22),
        size=style.SMALL_SIZE,
        color=color,
        weight="bold" if color != style.SCORE else "normal",
        gid=name,
    )
