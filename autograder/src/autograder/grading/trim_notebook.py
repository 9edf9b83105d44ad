"""The reduction of a notebook's text to the parts that grading uses, before it is parsed as a whole.

Outputs, attachments, the state of widgets and metadata of other programs may be large and deeply nested.
Grading uses none of them, so they are skipped: only their strings and brackets are scanned. Of two equal keys
in one object the last one counts, as everywhere in Python.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping
from typing import Any

# In the place of a shape: take a value as it is, or an empty one of its kind.
WHOLE, EMPTY = "whole", "empty"
CELL = {
    **dict.fromkeys(("cell_type", "source", "id"), WHOLE),
    "metadata": {"nbgrader": {"grade_id": WHOLE}},
    # Of format 3, which nbformat converts.
    **dict.fromkeys(("input", "language", "level"), WHOLE),
    "outputs": EMPTY,
}
NOTEBOOK = {
    **dict.fromkeys(("nbformat", "nbformat_minor"), WHOLE),
    "metadata": {"autograder": {"release": WHOLE}},
    "cells": [CELL],
    "worksheets": [{"cells": [CELL]}],
}
CHUNK = 1_000_000

_GAP = re.compile(rb"[ \t\r\n]*")
# Possessive: what a string of 100 MB would need to be matched otherwise is more than it may take.
_STRING = re.compile(rb'"(?:[^"\\]+|\\.)*+"', re.DOTALL)
_BRACKET_OR_STRING = re.compile(rb'["\[\]{}]')
_PLAIN = re.compile(rb"[^,:\[\]{}\s\"]+")


class TooManyParts(ValueError):
    """The parts of a notebook that grading uses have too many values."""


def essential(text: bytes, most_parts: int) -> bytes:
    """Return the parts of a notebook's text that grading uses, in UTF-8.

    Args:
        text: the file's content, in any encoding that JSON may have.
        most_parts: the most values that these parts may have, without those in lists of lines.

    Raises:
        TooManyParts: they have more values.
        ValueError: the text is not valid JSON, as far as it was scanned.
    """
    encoding, in_utf8 = json.detect_encoding(text), text.removeprefix(codecs.BOM_UTF8)
    if encoding not in ("utf-8", "utf-8-sig"):
        # Piece by piece: whole, a text with one letter of a rare kind takes four times its size.
        pieces = (text[at : at + CHUNK] for at in range(0, len(text), CHUNK))
        decoded = codecs.iterdecode(pieces, encoding, "replace")
        in_utf8 = b"".join(piece.encode("utf-8", "replace") for piece in decoded)
    reader = _Reader(in_utf8, most_parts)
    reader.value(NOTEBOOK)
    return reader.finished()


class _Reader:
    """Reads a text once from its beginning to its end."""

    def __init__(self, text: bytes, most_parts: int) -> None:
        self._text, self._at = text, 0
        self._left = most_parts
        self._used: list[bytes] = []

    def finished(self) -> bytes:
        """Return the parts that grading uses.

        Raises:
            ValueError: the text does not end here.
        """
        if self._next():
            raise ValueError("something follows the notebook")
        return b"".join(self._used)

    def value(self, shape: Any) -> None:
        """Read a value, and collect the parts of it that the shape names."""
        self._left -= 1
        if self._left < 0:
            raise TooManyParts
        begins = self._next()
        if isinstance(shape, dict) and begins == b"{":
            self._object(shape)
        elif isinstance(shape, list) and begins == b"[":
            self._list(shape[0])
        else:
            start = self._at
            self._pass_over()
            kinds = {b"{": b"{}", b"[": b"[]", b'"': b'""'}
            self._used.append(self._text[start : self._at] if shape == WHOLE else kinds.get(begins, b"null"))

    def _object(self, shape: Mapping[str, Any]) -> None:
        self._begin(b"{")
        first = True
        while self._more(b"}"):
            start = self._at
            self._pass_over()
            key = self._text[start : self._at]
            if self._next() != b":" or not key.startswith(b'"'):
                raise ValueError("a key without a value")
            self._at += 1
            inner = shape.get(json.loads(key) if b"\\" in key else key[1:-1].decode("utf-8", "replace"))
            if inner is None:
                self._next()
                self._pass_over()
                continue
            self._used += [b"" if first else b",", key, b":"]
            first = False
            self.value(inner)
        self._used.append(b"}")

    def _list(self, shape: Any) -> None:
        self._begin(b"[")
        first = True
        while self._more(b"]"):
            self._used.append(b"" if first else b",")
            first = False
            self.value(shape)
        self._used.append(b"]")

    def _begin(self, bracket: bytes) -> None:
        self._at += 1
        self._used.append(bracket)

    def _more(self, end: bytes) -> bool:
        """Tell whether an object or a list goes on; if so, stand before what comes next."""
        following = self._next()
        if following == b",":
            self._at += 1
            following = self._next()
        if following == end:
            self._at += 1
        return following != end

    def _next(self) -> bytes:
        """Return the next byte that is no blank; nothing at the end."""
        gap = _GAP.match(self._text, self._at)
        self._at = gap.end() if gap else self._at
        return self._text[self._at : self._at + 1]

    def _pass_over(self) -> None:
        """Go to the end of the value that begins here, however deep it is."""
        depth = 0
        begins = self._text[self._at : self._at + 1]
        if begins not in (b"[", b"{", b'"'):
            self._end_of(_PLAIN)
            return
        while True:
            match = _BRACKET_OR_STRING.search(self._text, self._at)
            if match is None:
                raise ValueError("something does not end")
            self._at = match.start()
            match match[0]:
                case b'"':
                    self._end_of(_STRING)
                case b"[" | b"{":
                    self._at += 1
                    depth += 1
                case _:
                    self._at += 1
                    depth -= 1
            if depth <= 0:
                return

    def _end_of(self, pattern: re.Pattern[bytes]) -> None:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise ValueError("something does not end, or is no value")
        self._at = match.end()
