"""A live room on a socket of this machine, and what is sent to it as a notebook sends it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from autograder.live.board_view import Vocabulary
from autograder.live.lab_history import History, LabRoom
from autograder.records.course import Course
from autograder.web.admission_control import Limits
from support.everywhere import need_modules

ADA, BOB = "a" * 16, "b" * 16
PRIVATE = {"Content-Type": "application/json", "Connection": "close"}


def needs_live() -> None:
    """Skip where the extra `live` is not installed; fail on the Linux of CI."""
    need_modules("the extra `live`", "starlette", "uvicorn")


class Served:
    """A room that is served: what one asks of it over HTTP."""

    def __init__(self, port: int, room: LabRoom, prefix: str) -> None:
        self.port, self.room, self.prefix = port, room, prefix
        self.address = f"http://127.0.0.1:{port}{prefix}"
        self.board = f"{prefix}/board/{room.name}/"
        self.cookie = {"Cookie": f"autograder-live={room.token}"}

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        """Return an answer: its status, text and headers."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=20)) as connection:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), dict(answer.getheaders())

    def send(self, body: bytes, authorization: str | None = None) -> tuple[int, str]:
        """Send bytes as a notebook does."""
        own = f"Bearer {self.room.code}" if authorization is None else authorization
        return self.ask("POST", f"{self.prefix}/events", body, **PRIVATE, Authorization=own)[:2]

    def event(self, learner: str = ADA, verdict: str = "wrong", **fields: Any) -> tuple[int, str]:
        """Send one event: by default, that `share` is wrong in no known way."""
        plain = {"task": "share", "mistakes": [], "seconds_ago": 0.0, **fields}
        return self.send(json.dumps({"learner": learner, "verdict": verdict, **plain}).encode())

    def state(self) -> dict[str, Any]:
        """Return what a board that opens now is told first."""
        return self.until()

    def until(self, *lines: str) -> dict[str, Any]:
        """Return what a board is told when the first lines of its tasks are these, or at once."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request("GET", f"{self.board}events", headers=self.cookie)
            answer = connection.getresponse()
            while line := answer.readline().decode():
                if line.startswith("data: "):
                    state: dict[str, Any] = json.loads(line.removeprefix("data: "))
                    if not lines or [task["lines"][0] for task in state["tasks"]] == list(lines):
                        return state
        raise AssertionError("the server has ended")


@contextmanager
def served(
    course: Course, file: Path, prefix: str = "", port: int = 0, limits: Limits | None = None, **how: Any
) -> Iterator[Served]:
    """Serve the room `lab` of a course in a thread, until it is left."""
    needs_live()
    from autograder.live.web_app import application
    from autograder.web.bounded_server import bounded

    with closing(History(file)) as history, socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", port))
        sock.listen()
        room = history.room("lab")
        app = application([room], history, Vocabulary.of(course), prefix, **how)
        server = bounded(app, limits or Limits(), log_level="critical", timeout_graceful_shutdown=1)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
        thread.start()
        try:
            yield Served(sock.getsockname()[1], room, prefix)
        finally:
            server.should_exit = True
            thread.join()
