"""The connection to a live room: events wait in a short queue until a separate thread sends them.

A check only adds an event to the queue, so it never waits for the network, nor for the thread to wake up: the
thread looks into the queue by itself. It starts no request while a check runs, because both share one
interpreter. Before a learner joins a room, there is no queue and no thread. An event that cannot be sent is
tried again; if too many events wait, the oldest is dropped.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Literal
from urllib.parse import SplitResult

from autograder.records.answer_findings import Untried, Verdict
from autograder.records.live_event import EARLIEST, MOST_MISTAKES, PLACE, LiveEvent, What, as_sent

MOST_WAITING = 32
LOOK = 0.25  # seconds between two looks into the queue
PATIENCE = 5.0  # seconds for one answer
PAUSES = (1, 2, 4, 8, 15)  # seconds before another try, the last one again and again

TAKEN = 204
# What trying again cannot mend: of the message, and of the code.
REFUSED = (400, 413)
STRANGER = 403

State = Literal["waiting", "heard", "refused", "away"]


class EventSender:
    """The sender of one notebook's events to one live room, until it is closed.

    Args:
        address: the room's address, already validated.
        code: the room's code.
        learner: the random number that represents this learner in the room.
        agreed: tells, before each event is sent, whether the learner still agrees; they may have left the
            room in another notebook.
    """

    def __init__(
        self, address: SplitResult, code: str, learner: str, agreed: Callable[[], bool] = lambda: True
    ) -> None:
        self.state: State = "waiting"
        self.tried = threading.Event()  # set when the state is known
        self._address, self._code, self._learner, self._agreed = address, code, learner, agreed
        self._events: deque[tuple[float, What, str, tuple[str, ...]]] = deque(maxlen=MOST_WAITING)
        self._sending = threading.Lock()
        self._closed = threading.Event()
        self._context = None
        if address.scheme == "https":
            import ssl  # not above: most notebooks join no room, and none by TLS waits for it at a check

            self._context = ssl.create_default_context()
        self.tell("joined")
        threading.Thread(target=self._run, name="live room", daemon=True).start()

    @property
    def is_open(self) -> bool:
        return not self._closed.is_set()

    def tell(self, verdict: What, task: str = "", mistakes: tuple[str, ...] = ()) -> None:
        """Queue an event, to be sent soon."""
        self._events.append((time.monotonic(), verdict, task, mistakes[:MOST_MISTAKES]))

    def close(self) -> None:
        """Stop sending, and discard the events that still wait."""
        self._closed.set()
        with self._sending:  # what is being written at this moment is a few hundred bytes
            self._events.clear()

    def _run(self) -> None:
        failed, connected = 0, False
        while not self._closed.is_set():
            event = self._next()
            if event is None:
                self._closed.wait(LOOK)
                continue
            if time.monotonic() - event[0] > EARLIEST:
                self._drop(event)
                continue
            if not self._agreed():
                self._end()
                continue
            status = self._send(event)
            # A room does not forget its code: later it is something on the way that refuses.
            if status == STRANGER and not connected:
                self.state = "refused"
                self._end()
            elif status == TAKEN or status in REFUSED:
                failed, connected, self.state = 0, True, "heard"
                self._drop(event)
            else:
                self.state = "away"
                self._closed.wait(PAUSES[min(failed, len(PAUSES) - 1)])
                failed += 1
            self.tried.set()

    def _next(self) -> tuple[float, What, str, tuple[str, ...]] | None:
        try:
            return None if _checks else self._events[0]
        except IndexError:  # whoever leaves may take it away at any moment
            return None

    def _end(self) -> None:
        self._closed.set()
        self._events.clear()

    def _drop(self, event: tuple[float, What, str, tuple[str, ...]]) -> None:
        # A full queue may have dropped it already.
        with contextlib.suppress(ValueError):
            self._events.remove(event)

    def _send(self, event: tuple[float, What, str, tuple[str, ...]]) -> int:
        """Send one event over a connection of its own; returns the answer's status, 0 for none."""
        # Without a port, the library would look for one in an address that holds colons.
        host, port = self._address.hostname or "", self._address.port or (443 if self._context else 80)
        connection = (
            HTTPSConnection(host, port, timeout=PATIENCE, context=self._context)
            if self._context
            else HTTPConnection(host, port, timeout=PATIENCE)
        )
        at, verdict, task, mistakes = event
        headers = {
            "Authorization": f"Bearer {self._code}",
            "Content-Type": "application/json",
            "Connection": "close",
        }
        try:
            connection.connect()
            ago = min(time.monotonic() - at, EARLIEST)
            body = as_sent(LiveEvent(self._learner, task, verdict, mistakes, ago))
            with self._sending:
                if self._closed.is_set() or not self._agreed():
                    return 0
                connection.request("POST", f"{self._address.path}{PLACE}", body, headers)
            return connection.getresponse().status
        except (OSError, HTTPException, ValueError):
            return 0
        finally:
            connection.close()


_line: EventSender | None = None
_checks = 0  # how many run now: an answer may call another check


def use(line: EventSender | None) -> None:
    """Close the present sender, if there is one, and send later events with this one."""
    global _line
    before, _line = _line, line
    if before is not None:
        before.close()


def is_open() -> bool:
    """Tell whether this notebook has joined a room."""
    return _line is not None and _line.is_open


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Start no request to the room while the block runs."""
    global _checks
    _checks += 1
    try:
        yield
    finally:
        _checks -= 1


def tell_check(task: str, verdict: Verdict) -> None:
    """Send the result of a check to the room, if this notebook has joined one."""
    if _line is None:
        return
    untried = isinstance(verdict.finding, Untried)
    what: What = "right" if verdict.passed else "untried" if untried else "wrong"
    _line.tell(what, task, tuple(named.fault for named in verdict.named if named.fault))


def tell_hint(task: str) -> None:
    """Send the room an event for a requested hint, if this notebook has joined one."""
    if _line is not None:
        _line.tell("hint", task)
