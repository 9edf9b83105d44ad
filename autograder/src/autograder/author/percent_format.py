"""The cells of a percent-format file as they stand in it, read without loading a notebook's libraries."""

from __future__ import annotations

import re
from dataclasses import dataclass

CELL_START = re.compile(r"^# %%(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class RawCell:
    """A cell as it stands in the source file: its first line's number, header and body lines."""

    line: int
    header: str
    body: tuple[str, ...]

    @property
    def is_prose(self) -> bool:
        return self.header.strip().startswith(("[markdown]", "[md]"))


def raw_cells(text: str) -> list[RawCell]:
    """Return the source file's cells, before jupytext decides what is prose and what is code."""
    before, *parts = CELL_START.split(text)
    cells, line = [], 1 + before.count("\n")
    for header, body in zip(parts[::2], parts[1::2], strict=True):
        cells.append(RawCell(line, header, tuple(body.splitlines()[1:])))
        line += body.count("\n")
    return cells
