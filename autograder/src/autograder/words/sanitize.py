"""What strangers wrote, as a person may be shown it."""

from __future__ import annotations


def one_line(text: str) -> str:
    """Return a text on one line of bounded length, with nothing in it but what can be seen."""
    return visible(text)[:1000]


def visible(text: str) -> str:
    """Return a text in which a mark stands for each character that a terminal might act on."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
