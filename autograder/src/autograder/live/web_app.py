"""The room as an ASGI application: notebooks send what happened, boards are told how things are.

Whatever a stranger sends is bounded, and answered with a sentence. Nothing of it but what the course itself
names comes onto a board.
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
HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}


def steadily() -> Callable[[], float]:
    """Return a clock that shows the time, and goes on evenly when the machine's own is put right."""
    begun, since = time.time(), time.monotonic()
    return lambda: begun + time.monotonic() - since


class Open:
    """A room that is open: what was heard in it, and who may still send."""

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
        """Take what a notebook sends; returns a status, and a sentence where it is refused."""
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
        """Return what a board shows, as JSON; worked out anew where something happened or time has passed."""
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
        rooms: those that are open.
        history: where they are kept.
        words: what the course calls its tasks and mistakes.
        prefix: the path below which a proxy passes requests on, without a slash at its end.
        address: where learners reach it, to be shown to them.
        clock: tells the time; a steady one if none.
        ended: tells whether the server is about to end, so that no board keeps it.
    """
    clock = clock or steadily()
    by_code = {room.code: Open(room, history, words, clock) for room in rooms}
    by_name = {room.room.name: room for room in by_code.values()}

    async def front(request: Request) -> Response:
        return _sentence(
            200, "A live room. Notebooks join it with a code, and its board has an address of its own."
        )

    async def take(request: Request) -> Response:
        kind, _space, code = request.headers.get("authorization", "").partition(" ")
        rooms = [
            room for room_code, room in by_code.items() if compare_digest(room_code.encode(), code.encode())
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

    def seen_by(request: Request) -> Open | None:
        """Return the room of a board, for whoever has its token."""
        room = by_name.get(request.path_params["room"])
        given = request.cookies.get(COOKIE, "")
        return room if room and compare_digest(given.encode(), room.room.token.encode()) else None

    async def board(request: Request) -> Response:
        name = request.path_params["room"]
        given = request.query_params.get("token", "")
        room, here = by_name.get(name), f"{prefix}/board/{name}/"
        if room and given and compare_digest(given.encode(), room.room.token.encode()):
            answer = RedirectResponse(here, 303, headers=HEADERS)
            # Not "strict": a browser that comes from a link on another page would not bring it at once.
            secure = address.startswith("https://")
            answer.set_cookie(COOKIE, given, path=here, secure=secure, httponly=True, samesite="lax")
            return answer
        room = seen_by(request)
        if room is None:
            return _sentence(403, "Open the address that `autograder live` printed: it holds a token.")
        policy = (
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; "
            "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        line = f'join("{address}", "{room.room.code}")'
        page = render(
            "live", name=name, title=words.title, line=line if address else "", script="../../board.js"
        )
        headers = {**HEADERS, "Content-Security-Policy": policy}
        return Response(page, media_type="text/html", headers=headers)

    async def events(request: Request) -> Response:
        room = seen_by(request)
        if room is None:
            return _sentence(403, "This board needs its token.")
        if room.boards >= MOST_BOARDS:
            return _sentence(429, "Too many boards are open.")
        # Nothing between here and there may hold it back.
        headers = {**HEADERS, "X-Accel-Buffering": "no"}
        return StreamingResponse(_states(room, ended), media_type="text/event-stream", headers=headers)

    async def module(request: Request) -> Response:
        return Response(MODULE.read_bytes(), media_type="text/javascript", headers=HEADERS)

    return Starlette(
        routes=[
            Route(f"{prefix}/", front),
            Route(f"{prefix}{PLACE}", take, methods=["POST"]),
            Route(f"{prefix}/board/{{room}}/", board),
            Route(f"{prefix}/board/{{room}}/events", events),
            Route(f"{prefix}/board.js", module),
        ]
    )


def board_address(address: str, room: LabRoom) -> str:
    """Return where a room's board is, with the token that opens it."""
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


async def _states(room: Open, ended: Callable[[], bool]) -> AsyncIterator[str]:
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
