"""The tool's own fixtures, for its tests that are still here."""

from support.fixtures import (
    bank_folder,
    collected,
    failed,
    judged,
    lesson,
    notebook,
    own_progress,
    pairs,
    row_sums,
    share,
    shell,
    table,
    total,
    yielded,
)

__all__ = [
    "bank_folder",
    "collected",
    "failed",
    "judged",
    "lesson",
    "notebook",
    "own_progress",
    "pairs",
    "row_sums",
    "share",
    "shell",
    "table",
    "total",
    "yielded",
]
