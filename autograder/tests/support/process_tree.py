"""The processes that a process has started."""

import contextlib
from pathlib import Path


def descendants(process: int) -> set[int]:
    """Return the ids of all processes below one; those that end meanwhile may be missing."""
    actual = set()
    with contextlib.suppress(OSError):  # it has ended
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            for child in map(int, task.read_text().split()):
                actual |= {child} | descendants(child)
    return actual
