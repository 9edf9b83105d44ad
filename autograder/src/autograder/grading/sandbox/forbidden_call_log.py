"""The grader's log of forbidden calls, from the reports of the witness in a learner's process.

See `autograder.probe.forbidden_calls.witness`. The first message contains a key, before any of the learner's
code runs. Each later one has a number, and a code made with that key. So messages that the learner adds,
changes or removes are noticed, and then no task of that run counts as watched. A report of a forbidden call
is always believed, because learners could forge one only against themselves.
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
    """The forbidden calls that a run reported, and the tasks whose test cells were watched throughout."""

    calls: tuple[Any, ...] = ()
    watched: frozenset[str] = frozenset()


def read_call_reports(messages: Iterable[Any]) -> CallReport:
    """Return the content of a run's reports, even if the learner's code has forged some."""
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
