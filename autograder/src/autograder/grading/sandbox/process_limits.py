"""The limits that a process of the grader's own sets itself, and lifts for the sandboxes that it starts."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from pathlib import Path

try:
    import resource
except ImportError:  # on Windows, where only the clock is held
    resource = None  # type: ignore[assignment]

# Whether this process has limited itself.
_is_limited = False


@contextlib.contextmanager
def without_limits() -> Iterator[None]:
    """Start processes in the block without this process's own resource limits, since a sandbox has others."""
    if resource is None or not _is_limited:
        yield
        return
    before = [resource.getrlimit(kind) for kind in _limited()]
    lift_limits()
    try:
        yield
    finally:
        for kind, values in zip(_limited(), before, strict=True):
            resource.setrlimit(kind, values)


def limit_process(processor_seconds: int, memory_bytes: int) -> None:
    """Limit this process, beside what it has used so far, to a processor time and to memory."""
    global _is_limited
    _is_limited = True
    if resource is None:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = math.ceil(used.ru_utime + used.ru_stime) + processor_seconds
    for kind, most in zip(_limited(), (seconds, writable_bytes() + memory_bytes), strict=True):
        hard = resource.getrlimit(kind)[1]
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def lift_limits() -> None:
    """End the limits that `limit_process` set."""
    for kind in _limited():
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (hard, hard))


def _limited() -> tuple[int, ...]:
    """Return what of the system's limits is set, where it has some."""
    return () if resource is None else (resource.RLIMIT_CPU, resource.RLIMIT_DATA)


def writable_bytes() -> int:
    """Return the bytes that this process could write to; none where the system does not tell."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return 0
