"""Memory in large pages holds what it held in small ones."""

from __future__ import annotations

import mmap

import pytest

from autograder.grading.running import pages


def test_memory_put_into_large_pages_holds_what_it_held():
    room = mmap.mmap(-1, 8 * pages.LARGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for start in range(0, len(room), mmap.PAGESIZE):
        room[start : start + 8] = start.to_bytes(8, "big")
    if not pages.make_large():
        pytest.skip("this kernel makes no large pages (it needs Linux 6.1)")
    held = [int.from_bytes(room[start : start + 8], "big") for start in range(0, len(room), mmap.PAGESIZE)]
    assert held == list(range(0, len(room), mmap.PAGESIZE))


MAPS = """\
55d000000000-55d000200000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0000800000 r-xp 00000000 fe:00 12                         /usr/lib/libc.so.6
7f0001000000-7f0001800000 rw-p 00000000 fe:00 12                         /usr/lib/libc.so.6
7f0002000000-7f0002800000 rw-s 00000000 00:01 99                         /dev/zero (deleted)
7f0003000000-7f0003400000 rw-p 00000000 00:00 0 
7f0004000000-7f0004400000 r--p 00000000 00:00 0 
7ffc00000000-7ffc00800000 rw-p 00000000 00:00 0                          [stack]
"""


def test_files_shared_and_read_only_memory_and_the_stack_are_left_as_they_are():
    assert pages.own(MAPS) == [(0x55D000000000, 0x55D000200000), (0x7F0003000000, 0x7F0003400000)]
