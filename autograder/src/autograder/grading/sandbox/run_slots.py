"""The order of runs in all processes of one grading: side by side, or one alone on the machine."""

from __future__ import annotations

import atexit
import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

# What tells whose turn it is to run something: a file for all processes that this one keeps.
_turns: list[Path] = []


@contextlib.contextmanager
def run_slot(alone: bool) -> Iterator[None]:
    """Wait for permission to run: beside other runs, or `alone`, while no other run is in progress."""
    try:
        from fcntl import LOCK_EX, LOCK_SH, LOCK_UN, flock
    except ImportError:  # on Windows, where there is no sandbox either
        yield
        return
    if not _turns:
        yield
        return
    with _turns[0].open("rb") as turns, _turns[0].with_suffix(".gate").open("rb") as gate:
        flock(gate, LOCK_EX)  # who waits to be alone is not overtaken
        flock(turns, LOCK_EX if alone else LOCK_SH)
        flock(gate, LOCK_UN)
        yield


def file_of_turns() -> Path:
    """Return the file for all processes that this one keeps, made with the first of them."""
    if not _turns:
        folder = tempfile.TemporaryDirectory(prefix="turns-", ignore_cleanup_errors=True)
        atexit.register(folder.cleanup)
        file = Path(folder.name) / "turns"
        file.touch()
        file.with_suffix(".gate").touch()
        _turns.append(file)
    return _turns[0]


def take_turns(file: Path) -> None:
    """Run in this process only when it is its turn, by another process's file."""
    _turns.append(file)
