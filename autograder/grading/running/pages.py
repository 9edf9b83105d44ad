"""Hold the warm process's memory in large pages, so that forking it and ending the fork cost a third.

A fork copies one table entry for each page that its parent holds. What is written to afterwards is still
copied in small pages.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

# Linux 6.1; an older kernel refuses it, and the pages stay small.
MADV_COLLAPSE = 25
LARGE = 2 << 20
# Memory of a process alone that it may write to, and that no file stands behind.
_OWN = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p \S+ \S+ 0 *(\[heap\]|\[anon:.*\])?")


def make_large() -> int:
    """Put this process's memory into large pages, as far as the kernel does that; how many it has made."""
    libc = ctypes.CDLL(None)
    libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    made = 0
    for start, end in own(Path("/proc/self/maps").read_text()):
        for page in range(-(-start // LARGE) * LARGE, end - LARGE + 1, LARGE):
            made += libc.madvise(page, LARGE, MADV_COLLAPSE) == 0  # refused for one that holds nothing
    return made


def own(maps: str) -> list[tuple[int, int]]:
    """From where to where a process's own memory lies, of all that its /proc/…/maps lists."""
    found = map(_OWN.fullmatch, maps.splitlines())
    return [(int(one[1], 16), int(one[2], 16)) for one in found if one]
