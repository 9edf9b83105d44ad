"""What the grader hears of the calls that tasks forbid, from the witness in a learner's process.

See `autograder.probe.forbidden_calls.witness`. The first message tells a key, before any code of the
learner's runs. Each later one bears a code under that key, and a number. So what the learner adds, changes or
takes out of the pipe shows, and then nothing of that run counts as watched. What takes points off is believed
in any
case: a learner could only say it of themselves.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any


@dataclass(frozen=True)
class CallReport:
    """The calls of which a run told, and the tasks in whose test cells the watch stood from begin to end."""

    calls: tuple[Any, ...] = ()
    watched: frozenset[str] = frozenset()


def read_call_reports(messages: Iterable[Any]) -> CallReport:
    """Return what the messages of one run say, whoever wrote them."""
    key: bytes | None = None
    calls: list[Any] = []
    numbers: list[Any] = []
    said: set[tuple[str, str]] = set()
    whole = True
    for message in messages:
        try:
            code, text = message
            if key is None:
                key = bytes.fromhex(text)
                continue
            right = blake2b(text.encode(), key=key, digest_size=8).hexdigest()
            says = json.loads(text)
            if says["says"] == "called":
                calls.append({"task": says["task"], "call": says["call"]})
            whole = whole and hmac.compare_digest(code.encode(), right.encode())
            numbers.append(says["number"])
            said.add((says["says"], says["task"]))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            whole = False
    if not whole or sorted(numbers) != list(range(len(numbers))):
        return CallReport(tuple(calls))
    return CallReport(
        tuple(calls),
        frozenset(task for what, task in said if what == "ends" and ("begins", task) in said),
    )
