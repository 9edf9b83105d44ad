"""Limit how many events a sender may send: a number at once, and then a number in each second."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Bucket:
    """A token bucket: it refills with time up to `most` tokens, and each event takes one."""

    most: float
    each_second: float
    at: float
    held: float = -1.0

    def take(self, at: float) -> bool:
        """Take a token at a time, in seconds, and tell whether there was one."""
        held = self.most if self.held < 0 else self.held
        self.held = min(self.most, held + max(0.0, at - self.at) * self.each_second)
        self.at = at
        if self.held < 1:
            return False
        self.held -= 1
        return True
