"""Type a sentence of your own and see how its words move the meaning of one of them."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import ipywidgets
import numpy as np

from visuals import words
from visuals.explorers.explorer import WIDE
from visuals.explorers.own_sentence import SENTENCES, OwnSentence
from visuals.flow import QueryFlow
from visuals.language import _
from visuals.lessons.dot_product.explore_query import MOST_SHARP, SHARP, table
from visuals.lessons.dot_product.meaning import AXES, LONGEST, arrows, in_plane, moved, word_arrows
from visuals.picture import Picture
from visuals.trained import trained_words

# Pixels for one unit of the plane.
UNIT = 88.0


class MeaningExplorer(OwnSentence):
    """Type a sentence, choose a word and the sharpness; see arrows, weights and the context vector."""

    STOPS: ClassVar[Mapping[str, Sequence[Any]]] = {"text": SENTENCES, "sharpness": SHARP}

    def __init__(self, sentence: str, word: str) -> None:
        self.sharpness = ipywidgets.BoundedFloatText(
            value=1.0, min=0.0, max=MOST_SHARP, step=0.5, description=_("Sharpness (0 to 20)"), style=WIDE
        )
        super().__init__(sentence, trained_words().tokens(sentence).index(word), self.sharpness)

    @property
    def shown(self) -> tuple[list[str], np.ndarray, QueryFlow]:
        """The words, their points (tokens, 2), and what attention makes of the chosen one."""
        tokens = trained_words().tokens(self.sentence)
        return in_plane(self.sentence, tokens[self.query.value], self.sharpness.value)

    @property
    def alt(self) -> str:
        tokens, points, flow = self.shown
        return self.trouble or _(
            "sharpness {sharpness:g}: {told}", sharpness=flow.sharpness, told=moved(tokens, flow, points)
        )

    @property
    def html(self) -> str:
        tokens, points, flow = self.shown
        rows = table(flow, tokens)
        return (
            '<div class="attention-explorer" style="display: flex; flex-wrap: wrap; gap: 8px 28px;">'
            f"{plane(tokens, points, flow)}{rows}</div>"
        )

    @property
    def picture(self) -> Picture:
        return word_arrows([self.sentence], trained_words().tokens(self.sentence)[self.query.value])


def plane(tokens: list[str], points: np.ndarray, flow: QueryFlow) -> str:
    """Return the words and the context vector as arrows, as an SVG drawing."""
    left, top = 12, 24
    far = UNIT * LONGEST
    parts = []
    named = [(place, label, "score") for place, label in arrows(tokens, points).items()]
    named = [
        (place, label, "chosen" if tokens[flow.query] in label.split(", ") else kind)
        for place, label, kind in named
    ]
    named.append(((float(flow.context[0]), float(flow.context[1])), "context", "context"))
    for (right, up), label, kind in named:
        x, y = left + UNIT * right, top + far - UNIT * up
        turn = float(np.degrees(np.arctan2(up, right)))
        parts.append(
            f'<line x1="{left}" y1="{top + far:.1f}" x2="{x:.1f}" y2="{y:.1f}" stroke="var(--{kind})" '
            f'stroke-width="{3 if kind != "score" else 1.8}"/>'
            f'<path d="M0 0 L-11 -4.5 L-11 4.5 Z" fill="var(--{kind})" '
            f'transform="translate({x:.1f} {y:.1f}) rotate({-turn:.1f})"/>'
            f'<text x="{x + 8:.1f}" y="{y - 5:.1f}" fill="var(--{kind})" '
            f'font-weight="{600 if kind != "score" else 400}">'
            f"{html.escape(words.shortened(label, 22))}</text>"
        )
    return (
        f'<svg role="img" width="{left + far + 96:.0f}" height="{top + far + 28:.0f}" '
        'style="flex: none; overflow: visible; font: 13px var(--jp-content-font-family, sans-serif)" '
        f'aria-label="{html.escape(moved(tokens, flow, points), quote=True)}">'
        f'<path d="M{left} {top} V{top + far:.1f} H{left + far:.1f}" fill="none" stroke="currentColor"/>'
        f'<text x="{left + far:.1f}" y="{top + far + 20:.1f}" text-anchor="end" fill="currentColor">'
        f"{_(AXES[0])}</text>"
        f'<text x="{left + 4}" y="14" fill="currentColor">{_(AXES[1])}</text>{"".join(parts)}</svg>'
    )


def explore_meaning(
    sentence: str = "the girl sat by the bank because she saw a boat", word: str = "bank"
) -> MeaningExplorer:
    """Explore how the words of a sentence move the context vector of one of them; type another sentence.

    sentence: of the words that `trained_words` knows; word: one of them.

    Raises ValueError for a word that is not known or does not stand in the sentence.
    """
    in_plane(sentence, word)
    return MeaningExplorer(sentence, word)
