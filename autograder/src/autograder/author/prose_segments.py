"""Split a Markdown cell into segments for translators: its paragraphs, headings, list items and table rows.

The marks of a segment (the level of a heading, the dash of a list item) are kept outside its text, so that no
translation can change them. Code in fences and displayed formulas have no text to translate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

FENCE = re.compile(r"\s*(```|~~~)")
START = re.compile(r"(?P<before>(?:> )?(?:#+ |\s*(?:[-*+]|\d+\.) ))(?P<text>.*)(?P<after>)")
SUMMARY = re.compile(r"(?P<before><details[^>]*><summary>)(?P<text>.*)(?P<after></summary>)")
SOLUTION = re.compile(r"### (BEGIN|END) SOLUTION")
# What is the same in every language, as often as in the original: what it is called, and what it looks like.
KEPT = (
    ("code", re.compile(r"`[^`]*`|<code>.*?</code>")),
    ("formula", re.compile(r"\$\$.+?\$\$|\$[^$]+\$")),
    ("link", re.compile(r"(?<=\])\([^)]*\)|https?://[^\s)]+")),
    ("tag", re.compile(r"</?[a-z][^>]*>")),
    ("placeholder", re.compile(r"\{[a-z_][^{}]*\}")),
    ("column", re.compile(r"\|")),
    ("number", re.compile(r"\d+(?:[.,]\d+)*")),
)


@dataclass
class Segment:
    """A piece of a Markdown cell: its lines as written, and the text in them; "" if it has none."""

    raw: list[str]
    before: str = ""
    text: str = ""
    after: str = ""


def pieces(markdown: str) -> Iterator[Segment]:
    """Yield the segments of a Markdown cell, in order. Together, their lines are the whole cell."""
    current: Segment | None = None
    ends = ""  # what ends the fence or formula that a line stands in
    for line in markdown.split("\n"):
        text = line.removeprefix("> ").strip()
        fence, start = FENCE.match(line), START.fullmatch(line) or SUMMARY.fullmatch(line)
        plain = not (ends or fence or start) and bool(text) and text != ">" and text[:1] not in "|<"
        plain = plain and not text.startswith("$$") and not SOLUTION.match(text)
        if plain and current:
            current.raw.append(line)
            current.text += f" {text}"
            continue
        if current:
            yield current
            current = None
        if ends:
            ends = "" if text.endswith(ends) else ends
            yield Segment([line])
        elif fence or text.startswith("$$"):
            ends = fence[1] if fence else "$$"
            ends = "" if not fence and len(text) > 2 and text.endswith("$$") else ends
            yield Segment([line])
        elif start and not SOLUTION.match(text):
            current = Segment([line], start["before"], start["text"].strip(), start["after"])
            if start["before"].lstrip("> ").startswith("#") or start["after"]:
                yield current
                current = None
        elif plain:
            current = Segment([line], "> " if line.startswith("> ") else "", text)
        else:
            yield Segment([line], text=text if text[:1] == "|" else "")
    if current:
        yield current


def has_words(text: str) -> bool:
    """Tell whether a text contains any words to translate."""
    for _, form in KEPT:
        text = form.sub("", text)
    return any(letter.isalpha() for letter in text)


def texts(markdown: str) -> Iterator[str]:
    """Yield the texts to translate in a Markdown cell, each paragraph as one line."""
    return (piece.text for piece in pieces(markdown) if has_words(piece.text))


def translate(markdown: str, translated: Callable[[str], str | None]) -> str:
    """Return a Markdown cell with each text translated.

    Args:
        markdown: the cell.
        translated: returns a text's translation; None leaves the text as it is.
    """
    lines: list[str] = []
    for piece in pieces(markdown):
        translation = translated(piece.text) if has_words(piece.text) else None
        lines += [f"{piece.before}{translation}{piece.after}"] if translation else piece.raw
    return "\n".join(lines)
