"""Type any text and look into a model: where a head looks, what comes next, what changes without a head."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets
import numpy as np
import torch
from torch import Tensor

from visuals import words
from visuals.arrays import is_placeholder, to_array
from visuals.explorers.explorer import WIDE, Explorer
from visuals.explorers.maps import attended, image
from visuals.figures.maps import attention_map
from visuals.language import _
from visuals.lessons.read_a_model.inside import look_inside
from visuals.not_ready import NotReady
from visuals.picture import Picture

# A character that leaves no mark, and what stands for it.
MARKS = {" ": "␣", "\n": "⏎", "\t": "⇥"}
# So many likely tokens are told at each stage.
LIKELY = 3


class ModelExplorer(Explorer):
    """Type a text, choose a head and a token, and take the head away with the space key.

    `text`, `head`, `query` and `removed` are the controls; `map` (tokens, tokens) is what is shown just now.
    `trouble` says why a text is not shown.
    """

    def __init__(
        self,
        model: Any,
        num_heads: int,
        encode: Callable[[str], Any],
        vocabulary: Sequence[str],
        text: str,
        head: tuple[int, int],
    ) -> None:
        self._model, self._heads, self._encode = model, num_heads, encode
        self._names = [MARKS.get(token, token) for token in vocabulary]
        self.trouble = ""
        self._ids = self._readable(text)
        self.text = ipywidgets.Text(
            value=text,
            description=_("Your text"),
            continuous_update=False,
            style=WIDE,
            layout={"width": "640px"},
        )
        heads = [(layer, head) for layer in range(len(model.blocks)) for head in range(num_heads)]
        self.head = ipywidgets.Dropdown(
            options=[
                (_("layer {layer}, head {head}", layer=place[0], head=place[1]), place) for place in heads
            ],
            value=head,
            description="Head",
            style=WIDE,
        )
        self.query = ipywidgets.Dropdown(
            options=self._choices(), value=len(self._ids) - 1, description="Token", style=WIDE
        )
        self.removed = ipywidgets.Checkbox(value=False, description=_("Without this head"), indent=False)
        self.text.observe(self._read, names="value")
        super().__init__(self.text, self.head, self.query, self.removed)

    def _readable(self, text: str) -> Tensor:
        """Return the text's ids (tokens,). Raises ValueError where the model cannot read it."""
        if not text:
            raise ValueError(_("There is no text. Type some characters."))
        ids = torch.as_tensor(self._encode(text))
        table = getattr(self._model, "positions", None)
        most = len(ids) if table is None else table.weight.shape[0]
        if len(ids) > most:
            said = _(
                "The text has {tokens} tokens; the model reads {most} at most.", tokens=len(ids), most=most
            )
            raise ValueError(said)
        return ids

    def _choices(self) -> list[tuple[str, int]]:
        return [(f"{index}: {token}", index) for index, token in enumerate(self.tokens)]

    def _read(self, change: Any) -> None:
        try:
            self._ids = self._readable(change["new"])
        except ValueError as problem:
            self.trouble = str(problem)
            return
        self.trouble = ""
        self.query.options = self._choices()
        self.query.value = len(self._ids) - 1

    @property
    def tokens(self) -> list[str]:
        """The text's tokens, as they are shown."""
        return [self._names[index] for index in self._ids.tolist()]

    @property
    def map(self) -> np.ndarray:
        layer, head = self.head.value
        return to_array(look_inside(self._model, self._ids[None], self._heads).maps[layer, 0, head], "maps")

    @torch.no_grad()
    def expected(self) -> list[tuple[str, list[tuple[str, float]]]]:
        """Return what the model expects after the chosen token, stage by stage.

        Tokens and their probabilities.
        """
        runs = [("", self.removed.value), *([(_("the whole model"), False)] if self.removed.value else [])]
        expectations = []
        for name, removed in runs:
            inside = look_inside(
                self._model, self._ids[None], self._heads, [self.head.value] if removed else ()
            )
            streams = inside.streams[:, 0, self.query.value]  # (layers + 1, d_model)
            shares = self._model.unembedding(self._model.norm(streams)).softmax(dim=-1)  # (layers + 1, vocab)
            blocks = (_("after block {block}", block=block) for block in range(len(streams) - 1))
            stages = [_("the embedding"), *blocks]
            for stage, row in list(zip(stages, shares, strict=True))[-1 if name else 0 :]:
                best = row.topk(LIKELY)
                likely = [(self._names[index], float(row[index])) for index in best.indices.tolist()]
                expectations.append((name or stage, likely))
        return expectations

    @property
    def alt(self) -> str:
        if self.trouble:
            return self.trouble
        layer, head = self.head.value
        query, row = self.query.value, self.map[self.query.value]
        expected = [", ".join(_share(*shown) for shown in likely) for _name, likely in self.expected()]
        if self.removed.value:
            expects = _(
                "without it the model expects {tokens}; with it, {whole}",
                tokens=expected[-2],
                whole=expected[-1],
            )
        else:
            expects = _("the model expects {tokens}", tokens=expected[-1])
        best = int(row.argmax())
        return _(
            "layer {layer}, head {head}: token {query}, '{token}', looks most at token {best}, '{other}' "
            "({weight}); {expects}",
            layer=layer,
            head=head,
            query=query,
            token=self.tokens[query],
            best=best,
            other=self.tokens[best],
            weight=words.number(row[best], 2),
            expects=expects,
        )

    @property
    def html(self) -> str:
        values, query = self.map, self.query.value
        keys = [f"{index}: {token}" for index, token in enumerate(self.tokens)]
        rows = "".join(
            f'<tr><th scope="row">{name}</th>'
            + "".join(f'<td class="number">{html.escape(_share(*shown))}</td>' for shown in likely)
            + "</tr>"
            for name, likely in self.expected()
        )
        without = _(", without the head") if self.removed.value else ""
        caption = _("What is expected after “{token}”", token=html.escape(self.tokens[query])) + without
        stage, likeliest = _("stage"), _("likeliest tokens")
        return (
            '<div class="attention-explorer" style="display: flex; flex-wrap: wrap; gap: 8px 28px;">'
            f"{image(values, query, 1.0)}{attended(values[query], keys, 1.0)}"
            f'<table><caption>{caption}</caption><tr><th scope="col">{stage}</th>'
            f'<th scope="col" colspan="{LIKELY}">{likeliest}</th></tr>'
            f"{rows}</table></div>"
        )

    @property
    def picture(self) -> Picture:
        layer, head = self.head.value
        picture = attention_map(self.map, self.tokens, title=f"Layer {layer}, head {head}", row_sums=False)
        assert isinstance(picture, Picture)  # the weights were there when the explorer was made
        return picture


def _share(token: str, probability: float) -> str:
    return f"{token} {words.number(probability, 2)}"


def explore_model(
    model: Any,
    num_heads: int,
    encode: Callable[[str], Any],
    vocabulary: Sequence[str],
    text: str,
    head: tuple[int, int] = (0, 0),
) -> ModelExplorer | NotReady:
    """Explore a model: type a text, choose a head and a token, and see what changes without the head.

    model: has the parts of `TinyTransformer` in lesson 09; encode: makes the ids (tokens,) of a text, or
    raises ValueError where it cannot read it; vocabulary: one string per id; text and head, as (layer, head):
    where to start.

    Raises ValueError for a text that the model cannot read.
    """
    if is_placeholder(model):
        return NotReady()
    return ModelExplorer(model, num_heads, encode, vocabulary, text, head)
