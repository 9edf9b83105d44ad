"""The explorer of the three attentions: what it shows to readers without a browser, and what it refuses."""

from __future__ import annotations

import pytest

from visuals import explore_three_attentions

SOURCE = ["das", "Haus", "ist", "klein", "<pad>", "<pad>"]
TARGET = ["<start>", "the", "house", "is", "small"]


def test_the_picture_shows_cross_attention_with_the_padding_hidden():
    reported = explore_three_attentions(SOURCE, TARGET).alt
    assert reported.startswith("Cross-attention: which keys are visible")
    assert "20 of 30" in reported


@pytest.mark.parametrize(
    ("source", "target", "error"), [("das Haus", TARGET, TypeError), (SOURCE, [], ValueError)]
)
def test_refuses_what_is_no_sentence(source, target, error):
    with pytest.raises(error):
        explore_three_attentions(source, target)
