"""The resource limits of one submission."""

from __future__ import annotations

from dataclasses import dataclass

MEBIBYTE = 1024 * 1024
PATIENCE = 4


@dataclass(frozen=True)
class Limits:
    """The limits of one run of one notebook.

    Its own time is the clock time without waits for a processor, or the processor time of all its processes
    if that is more. In clock time, a run may take `PATIENCE` times as long.
    """

    cell_seconds: float = 30.0  # its own time for one cell
    seconds: float = 180.0  # its own time for all cells together
    cpu_seconds: int = 300  # processor time of any one process
    # Its own memory, beside what it shares with the warm process it was forked from. The course's own
    # solutions need 220 MB at most.
    memory_bytes: int = 512 * MEBIBYTE
    processes: int = 32  # at one time
    started: int = 10_000  # processes and threads in all
    # In the memory of all its processes: each costs the kernel a record. A notebook with figures has 700.
    areas: int = 40_000
    open_files: int = 256  # of one process
    disk_bytes: int = 64 * MEBIBYTE  # the size of /tmp, and of the largest file
    files_on_disk: int = 4096  # in /tmp
    output_bytes: int = 64 * MEBIBYTE  # the size of everything that it sends back


@dataclass
class Budget:
    """The resources that are left for all runs of one submission together."""

    seconds: float = 360.0  # their own time
    stops: int = 12  # cells that have to be stopped
