"""What explorers share that take a sentence of the learner's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import ipywidgets

from visuals.explorers.explorer import WIDE, Explorer
from visuals.language import _
from visuals.trained import trained_words

# Where no kernel answers, these can be chosen.
SENTENCES = (
    "the girl sat by the bank because she saw a boat",
    "the king walked to the bank for a loan",
    "the king sat by the bank because he wanted fish",
)


class OwnSentence(Explorer):
    """A text field for a sentence and a choice among its words; `trouble` says why a sentence is not shown.

    A subclass shows `sentence`, the last one that could be read, and the word at `query`.
    """

    STOPS: ClassVar[Mapping[str, Sequence[Any]]] = {"text": SENTENCES}

    def __init__(self, sentence: str, query: int, *controls: ipywidgets.Widget) -> None:
        self.trouble = ""
        self.sentence = sentence
        self.text = ipywidgets.Text(
            value=sentence,
            description=_("Your sentence"),
            continuous_update=False,
            style=WIDE,
            layout={"width": "540px"},
        )
        self.query = ipywidgets.Dropdown(
            options=self._choices(), value=query, description=_("Word"), style=WIDE
        )
        self.text.observe(self._read, names="value")
        super().__init__(self.text, self.query, *controls)

    def _choices(self) -> list[tuple[str, int]]:
        tokens = trained_words().tokens(self.sentence)
        return [
            (f"{token} (token {index})" if tokens.count(token) > 1 else token, index)
            for index, token in enumerate(tokens)
        ]

    def _read(self, change: Any) -> None:
        small = trained_words()
        try:
            tokens = small.tokens(change["new"])
        except ValueError as problem:
            self.trouble = str(problem)
            return
        word = small.tokens(self.sentence)[self.query.value]
        self.trouble, self.sentence = "", change["new"]
        self.query.options = self._choices()
        self.query.value = tokens.index(word) if word in tokens else 0
