"""What the five notebooks that this course grew from printed, cell by cell: numbers only.

Each entry is one output of one cell, in the order in which it was printed, with the file and the cell number
it comes from. The entries stand in one module for each lesson; a test compares them with the executed
solutions, to the decimals that were printed.
"""

import re
from dataclasses import dataclass

Cell = int | str  # the number in `In [n]`; "none-1" for a file's first `In [None]`, and so on


@dataclass(frozen=True)
class Printed:
    """One printed output: the seed file, its cell, and the numbers in reading order."""

    file: str
    cell: Cell
    numbers: tuple[str, ...]


@dataclass(frozen=True)
class Undetermined:
    """A printed output that no seed and no literal determines, and why."""

    file: str
    cell: Cell
    reason: str


def printed(file: str, cell: Cell, text: str) -> Printed:
    """An output by the numbers of its text, commas and brackets aside."""
    return Printed(file, cell, tuple(re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?|-?inf", text)))
