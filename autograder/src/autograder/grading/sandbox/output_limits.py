"""The limits on the outputs of one run's cells.

The run's own process respects them: a line replaces outputs beyond the limit, so nobody loses a point because
of large or many pictures. The grader trusts no data from that process, and accepts at most twice as much.
Evidence has limits of its own, and no picture uses them up.
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
    """An amount of outputs: their number, their bytes as JSON, and the values in that JSON."""

    outputs: int = 0
    size: int = 0
    parts: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.outputs + other.outputs, self.size + other.size, self.parts + other.parts)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.outputs - other.outputs, self.size - other.size, self.parts - other.parts)

    def fits(self, most: Amount) -> bool:
        """Tell whether each part of the amount is within the same part of a limit."""
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
    """Return an estimate of the number of values in JSON text, without parsing it."""
    if isinstance(text, bytes):
        return text.count(b"[") + text.count(b"{") + text.count(b",") // 4
    return text.count("[") + text.count("{") + text.count(",") // 4


def measured(output: Any) -> Amount | None:
    """Return the amount of one output; None if it is not JSON, or exceeds every limit."""
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
    """Return the kind of an output, which is one of the keys of `RUN`."""
    data = output.get("data")
    if isinstance(data, Mapping) and EVIDENCE_MIME in data:
        return "evidence"
    return "text" if output.get("output_type") == "stream" else "shown"


class Budget:
    """The amount of outputs that is left for one run.

    Args:
        by_cell: whether the amount that each cell may show is limited, too.
        more: an amount to add to `RUN` for each kind.
    """

    def __init__(self, by_cell: bool = True, more: Amount = NOTHING) -> None:
        self._by_cell = by_cell
        self._left = {kind: most + more for kind, most in RUN.items()}
        self._of_cell = CELL

    def begin_cell(self) -> None:
        """Reset the amount that is left for a single cell."""
        self._of_cell = CELL

    def takes(self, output: Any) -> bool:
        """Tell whether an output fits into the budget, and if so, subtract it."""
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
        """Add outputs that were removed from the notebook to the budget again."""
        for output in outputs:
            amount = measured(output)
            if amount is None:
                continue
            kind = kind_of(output)
            self._left[kind] += amount
            if kind == "shown":
                self._of_cell += amount
