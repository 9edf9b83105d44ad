"""Split a percent-format file into its raw cells, without loading any notebook library."""

from __future__ import annotations

import re
from dataclasses import dataclass

CELL_START = re.compile(r"^# %%(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class RawCell:
    """A cell as the source file contains it: its first line's number, its header, and its body's lines."""

    line: int
    header: str
    body: tuple[str, ...]

    @property
    def is_prose(self) -> bool:
        """Whether the cell is Markdown."""
        return self.header.strip().startswith(("[markdown]", "[md]"))


def raw_cells(text: str) -> list[RawCell]:
    """Return the cells of a source file, before jupytext tells prose from code."""
    before, *parts = CELL_START.split(text)
    cells, line = [], 1 + before.count("\n")
    for header, body in zip(parts[::2], parts[1::2], strict=True):
        cells.append(RawCell(line, header, tuple(body.splitlines()[1:])))
        line += body.count("\n")
    return cells
