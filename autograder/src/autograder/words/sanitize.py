"""The display of text that strangers wrote, made safe for terminals and lists."""

from __future__ import annotations


def one_line(text: str) -> str:
    """Return a text on a single line of limited length, with visible characters only."""
    return visible(text)[:1000]


def visible(text: str) -> str:
    """Return a text in which a mark replaces each control character that a terminal might obey."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
