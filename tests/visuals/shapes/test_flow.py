"""The flow: which box takes from which, and the words that say the same."""

from __future__ import annotations

import linecache

import pytest
import torch

from tests.visuals.sheet import assert_words_are_apart
from visuals import track_shapes


def boxes(picture):
    return {
        patch.get_gid().removeprefix("box "): patch.get_bbox()
        for patch in picture.figure.axes[0].patches
        if patch.get_gid()
    }


def test_a_box_stands_below_all_it_takes_from(sentences):
    class Steps(torch.nn.Module):
        def forward(self, x):
            queries = x * 2
            keys = x + 1
            scores = queries @ keys.mT
            weights = scores.softmax(-1)
            return weights @ x

    t = track_shapes(Steps(), b=5, tokens=7)
    t(sentences)
    tops = {name: box.y0 for name, box in boxes(t.flow()).items()}
    assert tops["x"] < tops["queries"] == tops["keys"] < tops["scores"] < tops["weights"] < tops["output"]
    assert t.flow().alt == (
        "Flow of shapes in 6 boxes. x (5, 7, 3) is given. "
        "queries from x by *: (5, 7, 3), (b, tokens, 3). "
        "keys from x by +: (5, 7, 3), (b, tokens, 3). "
        "scores from keys and queries by mT · @: (5, 7, 7), (b, tokens, tokens). "
        "weights from scores by softmax: (5, 7, 7), (b, tokens, tokens). "
        "output from weights and x by @: (5, 7, 3), (b, tokens, 3)."
    )


def test_boxes_lie_apart(sentences, solved, sizes):
    module = solved("05-multi-head")["MultiHeadAttention"](3, 8, 9, 0.1, 2)
    t = track_shapes(module, **sizes)
    t(sentences)
    picture = t.flow()
    actual = list(picture.figure.axes[0].patches)
    cards = [patch.get_bbox() for patch in actual if patch.get_gid()]
    for position, item in enumerate(cards):
        assert all(not item.overlaps(other) for other in cards[position + 1 :])
    assert_words_are_apart(picture.figure)


def test_a_failing_line_is_shown_as_such(sentences):
    class Failing(torch.nn.Module):
        def forward(self, x):
            keys = x.transpose(1, 2)
            return keys @ keys

    t = track_shapes(Failing())
    with pytest.raises(RuntimeError):
        t(sentences)
    alt = t.flow().alt
    assert "from keys fails at @: RuntimeError" in alt
    assert_words_are_apart(t.flow().figure)


def test_a_loop_is_one_box_with_its_count(sentences):
    with track_shapes() as t:
        for _ in range(24):
            result = sentences + 1
        assert result.shape == (5, 7, 3)
    assert "result from sentences by +, 24 times: (5, 7, 3)" in t.flow().alt


def test_too_many_lines_are_refused(sentences):
    lines = [
        "def forward(self, x):",
        *(f"    a{position} = x + {position}" for position in range(40)),
        "    return a0",
    ]
    file = "<a long forward>"
    linecache.cache[file] = (1, None, [f"{line}\n" for line in lines], file)
    namespace = {}
    exec(compile("\n".join(lines), file, "exec"), namespace)
    t = track_shapes(type("Long", (torch.nn.Module,), namespace)())
    t(sentences)
    with pytest.raises(ValueError, match="41 lines are too many for one picture; at most 40 fit"):
        t.flow()
