"""How much is taken of what the cells of one run put out.

The run's own process keeps to it: a line stands in the place of what is too much, so nobody loses a point
by a large picture or by many. Its grader, which believes nothing that comes from there, takes twice as much
at most. What answers are judged by has bounds of its own, and no picture takes
their place.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from autograder.records.evidence_mime import EVIDENCE_MIME

MEBIBYTE = 1024 * 1024
# One message from a run: a cell with all that it put out. To read it takes up to ten times as much.
MESSAGE_BYTES = 10 * MEBIBYTE
# Beginnings of lists and dictionaries, and one for four commas: small as text, each takes a hundred times the
# room when it is read. More than what a cell of ours can have of all kinds.
MESSAGE_PARTS = 250_000
# Lists in lists. What reads a notebook calls itself twice for each, and Python stops it at a thousand calls.
MESSAGE_DEPTH = 100
# Says, as JSON, how many outputs are left out where it stands.
LEFT_OUT_MIME = "application/vnd.autograder.left-out+json"


@dataclass(frozen=True)
class Amount:
    """Of outputs: how many, their bytes as JSON, and their parts."""

    outputs: int = 0
    size: int = 0
    parts: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.outputs + other.outputs, self.size + other.size, self.parts + other.parts)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.outputs - other.outputs, self.size - other.size, self.parts - other.parts)

    def fits(self, most: Amount) -> bool:
        """Tell whether it is no more than another amount, in any respect."""
        return self.outputs <= most.outputs and self.size <= most.size and self.parts <= most.parts


NOTHING = Amount()
# By kind, what all cells of a run may put out together. Pictures take no room from printed text, and neither
# takes any from evidence, of which an honest run has some kilobytes.
RUN = {
    "shown": Amount(2_000, 6 * MEBIBYTE, 100_000),
    "text": Amount(2_000, 4 * MEBIBYTE, 4 * MEBIBYTE),  # which has no parts
    "evidence": Amount(1_000, 12 * MEBIBYTE, 100_000),
}
# What one cell may show of that.
CELL = Amount(500, 4 * MEBIBYTE, 50_000)
# How much more of each kind the grader takes than the runner sends: lines in the place of what is left out.
SLACK = Amount(500, MEBIBYTE // 2, 5_000)


def parts_of(text: str | bytes) -> int:
    """Return how many parts JSON has at most, told from its text alone."""
    if isinstance(text, bytes):
        return text.count(b"[") + text.count(b"{") + text.count(b",") // 4
    return text.count("[") + text.count("{") + text.count(",") // 4


def measured(output: Any) -> Amount | None:
    """Return what one output amounts to; None where it is no JSON, or more than any may be."""
    if not isinstance(output, Mapping):  # which a stranger may send in its place
        return None
    letters = parts = depth = 0
    level: list[Any] = [output]
    while level:  # before it is written as JSON, which takes a copy
        below: list[Any] = []
        for value in level:
            if isinstance(value, str):
                letters += len(value)
            elif isinstance(value, Mapping):
                parts += 1
                below += value.values()
            elif isinstance(value, list | tuple):
                parts += 1
                below += value
            if letters > MESSAGE_BYTES or parts + len(below) // 4 > MESSAGE_PARTS:
                return None
        depth += 1
        if depth > MESSAGE_DEPTH:
            return None
        level = below
    try:
        text = json.dumps(output)
    except (TypeError, ValueError, RecursionError):
        return None
    return Amount(1, len(text), parts_of(text))


def kind_of(output: Mapping[str, Any]) -> str:
    """Return which of the kinds of `RUN` an output is of."""
    data = output.get("data")
    if isinstance(data, Mapping) and EVIDENCE_MIME in data:
        return "evidence"
    return "text" if output.get("output_type") == "stream" else "shown"


class Budget:
    """What is left of what one run may put out.

    Args:
        by_cell: what each cell may show of that is bounded, too.
        more: this much more than `RUN` of each kind.
    """

    def __init__(self, by_cell: bool = True, more: Amount = NOTHING) -> None:
        self._by_cell = by_cell
        self._left = {kind: most + more for kind, most in RUN.items()}
        self._of_cell = CELL

    def begin_cell(self) -> None:
        """Let the next cell show what one cell may."""
        self._of_cell = CELL

    def takes(self, output: Any) -> bool:
        """Tell whether there is room for an output, which then has it."""
        amount = measured(output)
        if amount is None:
            return False
        kind = kind_of(output)
        of_cell = self._by_cell and kind == "shown"
        if not amount.fits(self._left[kind]) or (of_cell and not amount.fits(self._of_cell)):
            return False
        self._left[kind] -= amount
        if of_cell:
            self._of_cell -= amount
        return True

    def give_back(self, outputs: Iterable[Mapping[str, Any]]) -> None:
        """Take back the room of outputs that stand nowhere any more."""
        for output in outputs:
            amount = measured(output)
            if amount is None:
                continue
            kind = kind_of(output)
            self._left[kind] += amount
            if kind == "shown":
                self._of_cell += amount
