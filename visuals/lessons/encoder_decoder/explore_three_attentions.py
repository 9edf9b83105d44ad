"""Choose one of three attentions and a query token: which keys are visible, and why the others are not."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import ipywidgets
import numpy as np

from visuals.explorers.explorer import WIDE, Explorer
from visuals.language import N_, _
from visuals.lessons.encoder_decoder.combining import visible_keys
from visuals.lessons.encoder_decoder.encoder_decoder import PADDING, sentence
from visuals.not_ready import when_ready
from visuals.picture import Picture

KINDS = ("Encoder self-attention", "Decoder self-attention", "Cross-attention")
ENCODER, DECODER, CROSS = KINDS

LATER = N_("later")
PAD = "padding"


@dataclass(frozen=True)
class Shown:
    """Queries and keys of one attention, which keys are visible, and why the others are hidden.

    `keys_of` and `queries_of` say of which sentence keys and queries are: "source" or "target".
    """

    kind: str
    queries_of: str
    keys_of: str
    queries: list[str]
    keys: list[str]

    @property
    def reasons(self) -> list[list[str]]:
        """For every query and key: "" where the key is visible, else why it is hidden."""
        return [
            [self._reason(query, key) for key in range(len(self.keys))] for query in range(len(self.queries))
        ]

    @property
    def allowed(self) -> np.ndarray:
        """Where a key is visible, bool (queries, keys)."""
        return np.array([[not reason for reason in row] for row in self.reasons])

    def _reason(self, query: int, key: int) -> str:
        if self.keys[key] == PADDING:
            return PAD
        return LATER if self.kind == DECODER and key > query else ""


def shown_for(kind: str, source: list[str], target: list[str]) -> Shown:
    """Return queries and keys of one of the three attentions."""
    queries_of, keys_of = {
        ENCODER: ("source", "source"),
        DECODER: ("target", "target"),
        CROSS: ("target", "source"),
    }[kind]
    sentences = {"source": source, "target": target}
    return Shown(kind, queries_of, keys_of, sentences[queries_of], sentences[keys_of])


def in_words(shown: Shown, query: int) -> str:
    """Say in words which tokens are visible to one query, and what is hidden from it for which reason."""
    row = shown.reasons[query]
    seen = [key for key, reason in zip(shown.keys, row, strict=True) if not reason]
    parts = [
        _(
            "{kind}: '{token}' (token {query} of the {queries_of}) sees {seen} of {count} {keys_of} tokens: "
            "{tokens}.",
            kind=shown.kind,
            token=shown.queries[query],
            query=query,
            queries_of=shown.queries_of,
            seen=len(seen),
            count=len(shown.keys),
            keys_of=shown.keys_of,
            tokens=", ".join(seen) or _("none"),
        )
    ]
    hidden = []
    for reason, why in ((LATER, _("later in the target")), (PAD, PAD)):
        names = [key for key, given_reason in zip(shown.keys, row, strict=True) if given_reason == reason]
        if names:
            hidden.append(f"{', '.join(names)} ({why})")
    parts.append(_("Hidden: {tokens}.", tokens="; ".join(hidden)) if hidden else _("Nothing is hidden."))
    return " ".join(parts)


def table(shown: Shown, query: int) -> str:
    """Return the whole grid as an HTML table, a row for each query; hidden cells say why."""
    head = "".join(f'<th scope="col">{html.escape(key)}</th>' for key in shown.keys)
    visible = '<span style="color: var(--score); font-weight: 600;">' + _("✓ visible") + "</span>"
    rows = []
    for index, (name, reasons) in enumerate(zip(shown.queries, shown.reasons, strict=True)):
        chosen = ' class="chosen"' if index == query else ""
        mark = " (query)" if index == query else ""
        cells = "".join(f"<td>{_(reason) if reason else visible}</td>" for reason in reasons)
        rows.append(f'<tr{chosen}><th scope="row">{html.escape(name)}{mark}</th>{cells}</tr>')
    caption = _(
        "{kind}: queries of the {queries_of} (rows), keys of the {keys_of} (columns)",
        kind=shown.kind,
        queries_of=shown.queries_of,
        keys_of=shown.keys_of,
    )
    return (
        f'<div class="attention-explorer"><table><caption>{caption}</caption>'
        f'<tr><th scope="col">query</th>{head}</tr>{"".join(rows)}</table></div>'
    )


class ThreeAttentionsExplorer(Explorer):
    """Choose one of the three attentions and a query token.

    `kind` and `query` are the controls; `shown` is what they choose.
    """

    def __init__(self, source: list[str], target: list[str]) -> None:
        self._source = source
        self._target = target
        self.kind = ipywidgets.Dropdown(options=KINDS, value=CROSS, description="Attention", style=WIDE)
        self.query = ipywidgets.Dropdown(
            options=self._choices(), value=min(1, len(target) - 1), description=_("Query token"), style=WIDE
        )
        # Before the base class observes: the tokens to choose from must fit when the view is made.
        self.kind.observe(self._offer_tokens, names="value")
        super().__init__(self.kind, self.query)

    @property
    def shown(self) -> Shown:
        return shown_for(self.kind.value, self._source, self._target)

    @property
    def alt(self) -> str:
        return in_words(self.shown, self.query.value)

    @property
    def html(self) -> str:
        return table(self.shown, self.query.value)

    @property
    def picture(self) -> Picture:
        shown = self.shown
        picture = visible_keys(
            shown.allowed,
            shown.keys,
            shown.queries,
            title=f"{shown.kind}: which keys are visible",
            query=self.query.value,
        )
        assert isinstance(picture, Picture)  # the sentences were checked when the explorer was made
        return picture

    def _choices(self) -> list[tuple[str, int]]:
        # Padding is there more than once; its position tells one from the other.
        return [(f"{index}: {token}", index) for index, token in enumerate(self.shown.queries)]

    def _offer_tokens(self, change: object) -> None:
        before = self.query.value
        self.query.options = self._choices()
        self.query.value = min(before, len(self.shown.queries) - 1)


@when_ready
def explore_three_attentions(source: Sequence[str], target: Sequence[str]) -> ThreeAttentionsExplorer:
    """Explore which keys are visible in encoder, decoder and cross-attention.

    source, target: one string per token; "<pad>" is padding.

    Raises TypeError for one string in place of a list, ValueError for an empty list.
    """
    return ThreeAttentionsExplorer(sentence(source, "source"), sentence(target, "target"))
