"""`autograder desk`: the instructor's pages on this machine, for whoever has the address with its token."""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
from collections.abc import Callable
from hmac import compare_digest
from pathlib import Path
from typing import Any

from tornado import web
from tornado.httpserver import HTTPServer

from autograder.desk import overview, written
from autograder.grading import report
from autograder.grading.course import Class
from autograder.grading.pages import render
from autograder.problems import BadBook

HOST = "127.0.0.1"
COOKIE = "autograder-desk"
MOST = 100_000  # bytes of one request


class Page(web.RequestHandler):
    """A page of the desk; whoever asks without the token, or by another host's name, gets nothing."""

    def initialize(self, course: Class, token: str) -> None:
        self.course, self.token = course, token
        self.nonce = secrets.token_urlsafe(16)

    def set_default_headers(self) -> None:
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("Cache-Control", "no-store")

    def prepare(self) -> None:
        # A name that an attacker points at this machine is not ours.
        if self.request.host_name not in (HOST, "localhost"):
            raise web.HTTPError(403)
        asked = self.get_query_argument("token", "")
        known = asked or self.get_cookie(COOKIE) or ""
        if not compare_digest(known.encode(), self.token.encode()):
            raise web.HTTPError(403)
        if asked:
            self.set_cookie(COOKIE, self.token, httponly=True, samesite="Strict")
            self.redirect(self.request.path)

    def show(self, page: str, **values: Any) -> None:
        self.set_header(
            "Content-Security-Policy",
            f"default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{self.nonce}'; img-src data:; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        )
        self.finish(render(page, **values))

    def write_error(self, status_code: int, **kw: Any) -> None:
        error = kw.get("exc_info", (None, None))[1]
        why = str(error) if isinstance(error, BadBook | written.NoAnswer) else ""
        if status_code == 403:
            why = "Open the address that `autograder desk` printed: it holds a token."
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(why or f"{status_code}: {self._reason}")


class Home(Page):
    """Lessons against students."""

    def get(self) -> None:
        self.show("class", view=overview.overview(self.course), live=True)


class Lesson(Page):
    """A lesson's report."""

    def get(self, lesson: str) -> None:
        if lesson not in self.course.banks.folders:
            raise web.HTTPError(404)
        self.set_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
        self.finish(report.as_html(report.report(self.course, lesson)))


class Question(Page):
    """A written question; what a person gives comes as JSON and is saved at once."""

    def get(self, lesson: str, task: str) -> None:
        try:
            found = written.question(self.course, lesson, task, self.token)
        except written.NoAnswer as problem:
            raise web.HTTPError(404, str(problem)) from problem
        self.show("written", question=found, token=self.token, nonce=self.nonce)

    def post(self, lesson: str, task: str) -> None:
        # The header cannot come from another site's form.
        if not compare_digest(self.request.headers.get("X-Desk-Token", "").encode(), self.token.encode()):
            raise web.HTTPError(403)
        try:
            asked = json.loads(self.request.body)
            lines = [int(place) for place in asked["lines"]]
            score = written.give(
                self.course, lesson, task, str(asked["key"]), self.token, lines, str(asked["comment"])
            )
        except (ValueError, KeyError, TypeError, written.NoAnswer, BadBook) as problem:
            self.set_status(400)
            self.finish({"error": str(problem) or "the request makes no sense"})
            return
        self.finish({"score": score})


def application(course: Class, token: str) -> web.Application:
    """The desk as a web application."""
    given = {"course": course, "token": token}
    name = r"([a-z0-9-]+)"
    return web.Application(
        [
            (r"/", Home, given),
            (rf"/lesson/{name}", Lesson, given),
            (rf"/written/{name}/{name}", Question, given),
        ]
    )


def serve(course: Class, port: int, say: Callable[[str], None]) -> None:
    """Serve the desk until it is interrupted; `say` takes the address with its token."""

    async def run() -> None:
        token = secrets.token_urlsafe(32)
        server = HTTPServer(application(course, token), max_buffer_size=MOST)
        server.listen(port, HOST, family=socket.AF_INET)
        (sock,) = server._sockets.values()
        say(f"http://{HOST}:{sock.getsockname()[1]}/?token={token}")
        await asyncio.Event().wait()

    asyncio.run(run())


def write_static(course: Class, folder: Path) -> list[Path]:
    """Write every page as a file that needs no other and no server; nothing can be given there."""
    folder.mkdir(parents=True, exist_ok=True)
    view = overview.overview(course)
    pages = {"index": render("class", view=view, live=False)}
    for lesson in view.lessons:
        pages[f"lesson-{lesson}"] = report.as_html(report.report(course, lesson))
    for lesson, task, _ in view.questions:
        found = written.question(course, lesson, task, secrets.token_hex(16))
        pages[f"written-{lesson}-{task}"] = render("written", question=found, token="", nonce="")
    made = []
    for name, text in pages.items():
        path = folder / f"{name}.html"
        path.write_text(text, encoding="utf-8")
        made.append(path)
    return made
