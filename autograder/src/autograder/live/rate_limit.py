"""How much one sender may send: so many at once, and so many in each second after that."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Bucket:
    """Fills with time up to `most`; what is sent takes one out."""

    most: float
    each_second: float
    at: float
    held: float = -1.0

    def take(self, at: float) -> bool:
        """Take one out at a time; tells whether there was one."""
        held = self.most if self.held < 0 else self.held
        self.held = min(self.most, held + max(0.0, at - self.at) * self.each_second)
        self.at = at
        if self.held < 1:
            return False
        self.held -= 1
        return True
