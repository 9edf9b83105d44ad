"""Serve live rooms as an ASGI application: notebooks send events, and boards receive the room's state.

Every request from outside is limited in size and rate, and a refusal is one sentence. A board shows nothing
from a request except names that the course itself uses.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from hmac import compare_digest
from pathlib import Path
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from autograder.classroom.pages import render
from autograder.live.board_view import Vocabulary, board_state
from autograder.live.lab_history import History, LabRoom, ReceivedEvent
from autograder.live.lab_stats import Lab
from autograder.live.rate_limit import Bucket
from autograder.records.live_event import MOST_BYTES, PLACE, LiveEvent, as_heard

MOST_LEARNERS, MOST_BOARDS = 1_000, 20
# Of one learner, and of all in a room: at once, and in each second.
OF_ONE, OF_ALL = (40, 1.0), (1_000, 100.0)
BODY_TIME = 5.0  # seconds for the few hundred bytes of an event
EACH = 0.5  # seconds between two looks at whether a board shows what is
STILL = 5.0  # seconds after which it is told again, since times pass
ALIVE = 20.0  # seconds after which at least a sign of life is sent
COOKIE = "autograder-live"
MODULE = Path(__file__).with_name("board.js")
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}


def steady_clock() -> Callable[[], float]:
    """Return a clock that starts at the current time and then ignores corrections of the machine's clock."""
    begun, since = time.time(), time.monotonic()
    return lambda: begun + time.monotonic() - since


class OpenRoom:
    """A room that accepts events: the state of its lab, and the limits of each sender."""

    def __init__(
        self, room: LabRoom, history: History, words: Vocabulary, clock: Callable[[], float]
    ) -> None:
        self.room, self.words, self.boards = room, words, 0
        self._history, self._clock = history, clock
        self._lab = Lab()
        self._buckets: dict[str, Bucket] = {}
        self._all = Bucket(*OF_ALL, at=clock())
        self._told: tuple[float, str] = (0.0, "")
        self._changed = True
        begun = clock()
        for heard in history.heard(room.name):
            # Where this machine's clock was put back meanwhile, nobody is here until it has caught up.
            self._lab.hear(replace(heard, at=min(heard.at, begun)))

    def take(self, event: LiveEvent) -> tuple[int, str]:
        """Accept or refuse an event from a notebook.

        Returns:
            An HTTP status, and a sentence if the event is refused.
        """
        at = self._clock()
        if not self._all.take(at):
            return 429, "Too much is sent to this room."
        if event.learner not in self._buckets:
            if len(self._buckets | self._lab.learners) >= MOST_LEARNERS:
                return 429, "This room is full."
            self._buckets[event.learner] = Bucket(*OF_ONE, at=at)
        if not self._buckets[event.learner].take(at):
            return 429, "Too much is sent by one notebook."
        if event.task and event.task not in self.words.tasks:
            return 400, "The course of this room has no such task."
        mistakes_of_task = self.words.tasks[event.task].mistakes if event.task else {}
        mistakes = tuple(sorted({mistake for mistake in event.mistakes if mistake in mistakes_of_task}))
        heard = ReceivedEvent(at - event.seconds_ago, event.learner, event.task, event.verdict, mistakes)
        self._lab.hear(heard)
        self._changed = True
        self._history.add(self.room.name, heard)
        return 204, ""

    def state(self) -> str:
        """Return the board's content as JSON, recomputed after an event or after some seconds."""
        at = self._clock()
        if self._changed or at - self._told[0] >= STILL:
            self._told = at, json.dumps(board_state(self._lab.now(at), self.words), ensure_ascii=False)
            self._changed = False
        return self._told[1]


def application(
    rooms: Sequence[LabRoom],
    history: History,
    words: Vocabulary,
    prefix: str = "",
    address: str = "",
    clock: Callable[[], float] | None = None,
    ended: Callable[[], bool] = lambda: False,
) -> Starlette:
    """Return the rooms as an ASGI application.

    Args:
        rooms: the rooms.
        history: the file that stores their events.
        words: the course's names of tasks and mistakes.
        prefix: the path under which a proxy forwards requests, without a slash at its end.
        address: the address that learners use, to be shown to them.
        clock: returns the time in seconds since the epoch; a steady clock by default.
        ended: tells whether the server is about to stop, so that open boards are closed.
    """
    clock = clock or steady_clock()
    pages = _Pages([OpenRoom(room, history, words, clock) for room in rooms], prefix, address, ended)
    return Starlette(
        routes=[
            Route(f"{prefix}/", _front),
            Route(f"{prefix}{PLACE}", pages.take, methods=["POST"]),
            Route(f"{prefix}/board/{{room}}/", pages.board),
            Route(f"{prefix}/board/{{room}}/events", pages.events),
            Route(f"{prefix}/board.js", _module),
        ]
    )


class _Pages:
    """What is answered by the rooms that are open, and to whom."""

    def __init__(
        self, rooms: Sequence[OpenRoom], prefix: str, address: str, ended: Callable[[], bool]
    ) -> None:
        self._rooms = {room.room.name: room for room in rooms}
        self._prefix, self._address, self._ended = prefix, address, ended

    async def take(self, request: Request) -> Response:
        """Take an event from a notebook that has a room's code."""
        kind, _space, code = request.headers.get("authorization", "").partition(" ")
        rooms = [
            room for room in self._rooms.values() if compare_digest(room.room.code.encode(), code.encode())
        ]
        if kind != "Bearer" or not rooms:
            return _sentence(403, "This room does not know the code.")
        try:
            async with asyncio.timeout(BODY_TIME):
                event = as_heard(await _body(request))
        except TimeoutError:
            return _sentence(408, "The message did not come to its end.")
        except ClientDisconnect:
            return Response(status_code=400)
        except _TooLarge:
            return _sentence(413, "The message is too large.")
        except ValueError:
            return _sentence(400, "The message is not what a notebook sends.")
        status, why = rooms[0].take(event)
        return _sentence(status, why) if why else Response(status_code=status, headers=HEADERS)

    async def board(self, request: Request) -> Response:
        """Show a room's board; a token in the address becomes a cookie first."""
        given = request.query_params.get("token", "")
        if given and (room := self._room(request, given)):
            here = f"{self._prefix}/board/{room.room.name}/"
            answer = RedirectResponse(here, 303, headers=HEADERS)
            # Not "strict": a browser that comes from a link on another page would not bring it at once.
            secure = self._address.startswith("https://")
            answer.set_cookie(COOKIE, given, path=here, secure=secure, httponly=True, samesite="lax")
            return answer
        room = self._room(request, request.cookies.get(COOKIE, ""))
        if room is None:
            return _sentence(403, "Open the address that `autograder live` printed: it holds a token.")
        line = f'join("{self._address}", "{room.room.code}")' if self._address else ""
        names = {"name": room.room.name, "title": room.words.title}
        page = render("live", **names, line=line, script="../../board.js")
        return Response(page, media_type="text/html", headers={**HEADERS, "Content-Security-Policy": POLICY})

    async def events(self, request: Request) -> Response:
        """Send a room's states to a board, as long as it is open."""
        room = self._room(request, request.cookies.get(COOKIE, ""))
        if room is None:
            return _sentence(403, "This board needs its token.")
        if room.boards >= MOST_BOARDS:
            return _sentence(429, "Too many boards are open.")
        # Nothing between here and there may hold it back.
        headers = {**HEADERS, "X-Accel-Buffering": "no"}
        states = _states(room, self._ended)
        return StreamingResponse(states, media_type="text/event-stream", headers=headers)

    def _room(self, request: Request, token: str) -> OpenRoom | None:
        """Return the room of a board, for whoever has its token."""
        room = self._rooms.get(request.path_params["room"])
        return room if room and compare_digest(token.encode(), room.room.token.encode()) else None


async def _front(request: Request) -> Response:
    return _sentence(
        200, "A live room. Notebooks join it with a code, and its board has an address of its own."
    )


async def _module(request: Request) -> Response:
    return Response(MODULE.read_bytes(), media_type="text/javascript", headers=HEADERS)


def board_address(address: str, room: LabRoom) -> str:
    """Return the address of a room's board, with the token that opens it."""
    return f"{address}/board/{room.name}/?{urlencode({'token': room.token})}"


class _TooLarge(Exception):
    """More was sent than an event can hold."""


async def _body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise _TooLarge
    return body


async def _states(room: OpenRoom, ended: Callable[[], bool]) -> AsyncIterator[str]:
    """Yield how things are, whenever that is something else than what was told last."""
    room.boards += 1
    try:
        before, idle = "", 0.0
        while not ended():
            state, idle = room.state(), idle + EACH
            if state != before:
                yield f"data: {state}\n\n"
                before, idle = state, 0.0
            elif idle >= ALIVE:
                yield ":\n\n"  # or a proxy takes the connection for dead
                idle = 0.0
            await asyncio.sleep(EACH)
    finally:
        room.boards -= 1


def _sentence(status: int, text: str) -> Response:
    return PlainTextResponse(f"{text}\n", status, headers=HEADERS)
