"""What is said, and drawn by Matplotlib, in the notebook's language."""

from __future__ import annotations

import gettext
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from autograder.words import language
from babel.messages.pofile import read_po
from matplotlib import font_manager
from matplotlib.figure import Figure

import visuals
from visuals import style
from visuals.drawn import drawn
from visuals.fonts import families
from visuals.language import _begin
from visuals.lessons.dot_product.scores import scores_to_context

ROOT = Path(__file__).parents[2]

CAUSAL = np.tril(np.ones((6, 6))) / np.arange(1, 7)[:, None]
HIDDEN = np.triu(np.ones((6, 6), dtype=bool), k=1)
HEADS = torch.ones(2, 3, 4)


class Marked(gettext.NullTranslations):
    """A language whose words are the English ones, between signs that nothing else has."""

    def gettext(self, message):
        return f"¡{message}!"

    def ngettext(self, item, many, number):
        return f"¡{item if number == 1 else many}!"


@pytest.fixture(autouse=True)
def marked():
    _begin()
    language.use(Marked())
    yield
    language.use(gettext.NullTranslations())


@pytest.mark.parametrize(
    "draw",
    [
        lambda inputs, tokens: visuals.token_vectors(inputs, tokens),
        lambda inputs, tokens: visuals.query_scores(inputs, tokens),
        lambda inputs, tokens: scores_to_context(inputs, tokens),
        lambda inputs, tokens: visuals.attention_map(CAUSAL, tokens),
        lambda inputs, tokens: visuals.attention_map(np.stack([CAUSAL, CAUSAL]), tokens),
        lambda inputs, tokens: visuals.attention_map(CAUSAL, tokens, expected=[0] * 6),
        lambda inputs, tokens: visuals.sum_versus_softmax([0.5, -2.0, 1.0], ["a", "b", "c"]),
        lambda inputs, tokens: visuals.causal_pattern(tokens),
        lambda inputs, tokens: visuals.leak_map(HIDDEN, tokens),
        lambda inputs, tokens: visuals.memory_layout(torch.ones(2, 3)),
        lambda inputs, tokens: visuals.sampling_bars([1.0, 0.0], [[1.0, 0.0]], ["a", "b"], ["greedy"]),
        lambda inputs, tokens: visuals.rope_pairs(6),
        lambda inputs, tokens: visuals.turned_pair([1.0, 0.5], [0.5, 1.0], 5, 2),
        lambda inputs, tokens: visuals.word_arrows(["the king walked to the bank for a loan"], "bank"),
        lambda inputs, tokens: visuals.explore_bugs(tokens[:5]).picture,
        lambda inputs, tokens: visuals.explore_slices(HEADS).picture,
        lambda inputs, tokens: visuals.explore_tiles(inputs, inputs, inputs, tokens).picture,
    ],
)
def test_a_picture_is_told_and_drawn_in_the_language(inputs, tokens, texts, draw, monkeypatch):
    picture = draw(inputs, tokens)
    assert "¡" in picture.alt
    assert "¡" in "".join(texts(picture.figure))
    # Where there are no letters for it, it is drawn in English.
    monkeypatch.setattr(visuals.language, "can_draw", lambda text: False)
    picture = draw(inputs, tokens)
    assert "¡" in picture.alt
    assert "¡" not in "".join(texts(picture.figure))


@pytest.mark.parametrize("code", ["bn", "hi_Latn"])
def test_a_picture_has_every_letter_of_a_translation(code, monkeypatch, caplog):
    monkeypatch.setattr(language, "spoken", lambda: code)
    fonts = [font_manager.get_font(font_manager.findfont(name)) for name in families()]
    bold = font_manager.FontProperties(family=families(), weight="bold")
    assert len(font_manager.fontManager._find_fonts_by_props(bold)) == len(fonts)
    assert caplog.records == []  # nothing is said beside a learner's picture
    with (ROOT / f"locale/{code}/visuals.po").open("rb") as file:
        output = "".join(str(message.string) for message in read_po(file) if message.id)
    reference = {letter for font in fonts for letter in font.get_charmap()}
    assert {letter for letter in output if ord(letter) not in reference and letter not in "\n‌‍"} == set()


def test_a_module_gets_its_texts_in_the_language(inputs, tokens):
    texts = visuals.explore_query(inputs, tokens).texts
    assert texts["Query token"] == "¡Query token!"
    assert len(texts) > 8


def test_the_first_picture_of_a_notebook_has_the_letters_of_its_language():
    first = "import warnings, visuals; warnings.simplefilter('error'); visuals.residual_stream(1).svg"
    spoken = {**os.environ, "AUTOGRADER_LANGUAGE": "bn"}
    subprocess.run([sys.executable, "-c", first], check=True, env=spoken, cwd=ROOT)


def test_bengali_is_drawn_as_outlines_where_its_text_would_stand(monkeypatch):
    """Not every reader's machine has a font for it, and in a notebook a picture has no other."""
    monkeypatch.setattr(language, "spoken", lambda: "bn")
    figure = Figure(figsize=(4, 1))
    with style.look():
        figure.text(1, 0.5, "একটি ভেক্টর", ha="right")
    picture = drawn(figure, 384, 96)
    assert "<text" not in picture
    outline = re.search(r"d='([^']*)' transform='translate\(([\d.]+) [\d.]+\) scale\(([\d.]+)", picture)
    rightmost = max(int(x) for x in re.findall(r"(-?\d+) -?\d+", outline[1]))
    assert float(outline[2]) + rightmost * float(outline[3]) == pytest.approx(288, abs=1)
