"""What one submission may use."""

from __future__ import annotations

from dataclasses import dataclass

MEBIBYTE = 1024 * 1024
PATIENCE = 4


@dataclass(frozen=True)
class Limits:
    """The bounds of one run of one notebook, and of the further runs that it may need.

    Its time is its own: the time on the clock less what other runs took from it, and the processor time of
    all its processes where that is more. On the clock it may last `PATIENCE` times as long.

    Args:
        cell_seconds: its own time for one cell.
        seconds: its own time for all cells together, in all runs.
        cpu_seconds: processor time of any one process.
        memory_bytes: memory of its own, beside what it shares with the warm process it was forked from. The
            course's own solutions need 220 MB at most.
        processes: how many processes it may have at one time.
        started: how many processes and threads it may start in all.
        open_files: open files of one process.
        disk_bytes: what /tmp holds, and the largest file.
        files_on_disk: how many files /tmp holds.
        output_bytes: what it may send back in all.
    """

    cell_seconds: float = 30.0
    seconds: float = 180.0
    cpu_seconds: int = 300
    memory_bytes: int = 512 * MEBIBYTE
    processes: int = 32
    started: int = 10_000
    open_files: int = 512
    disk_bytes: int = 64 * MEBIBYTE
    files_on_disk: int = 4096
    output_bytes: int = 64 * MEBIBYTE
