"""The event that a notebook sends to a live room: five fields, and nothing else.

The notebook that sends, the room that receives, and the text that asks for consent all use this definition.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Literal

from autograder.records import serialization

# "joined" is sent once, and "hint" when one is asked for; the others are what came of a check.
What = Literal["joined", "right", "wrong", "untried", "hint"]

PLACE = "/events"  # where a room takes it, below its address
MOST_BYTES = 2_000
MOST_MISTAKES = 8
EARLIEST = 3600.0  # seconds: what is older is not sent any more
LEARNER = re.compile(r"[0-9a-f]{16}")
# A room's code holds no letters and digits that look alike: people read it from a wall. Two to the 40th is
# more than can be tried out.
LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
CODE = re.compile(f"[{LETTERS}]{{8}}")


@dataclass(frozen=True)
class LiveEvent:
    """An event in a notebook: a check, a request for a hint, or the joining of a room."""

    learner: str  # a random number of this room, so that one person counts once
    task: str  # its id; "" for none
    verdict: What
    mistakes: tuple[str, ...]  # ids in the course's vocabulary
    seconds_ago: float  # its age in seconds when it is sent, since clocks differ

    def __post_init__(self) -> None:
        if not LEARNER.fullmatch(self.learner):
            raise ValueError("`learner` is not of its form")
        if not 0 <= self.seconds_ago <= EARLIEST:
            raise ValueError("`seconds_ago` is out of range")


def as_sent(event: LiveEvent) -> bytes:
    """Return an event as the JSON that is sent."""
    return json.dumps({**asdict(event), "seconds_ago": round(event.seconds_ago, 1)}).encode()


def as_heard(sent: bytes) -> LiveEvent:
    """Return the event in JSON that a stranger sent.

    Raises:
        ValueError: it is not an event.
    """
    try:
        plain = json.loads(sent)
    except RecursionError as problem:
        raise ValueError("it is nested too deeply") from problem
    return serialization.decode(LiveEvent, plain, most_text=100, most_items=MOST_MISTAKES)


def meant_code(typed: str) -> str:
    """Return a room's code from what was typed, in any case, with spaces or hyphens; "" if it is no code."""
    code = re.sub(r"[\s-]", "", typed).upper()
    return code if CODE.fullmatch(code) else ""
