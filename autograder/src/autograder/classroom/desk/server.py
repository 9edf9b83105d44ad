"""Serve `autograder desk`: the instructor's pages, for users whose address contains a token."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hmac import compare_digest
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tornado import web
from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream

from autograder.classroom import class_report
from autograder.classroom.desk import free_text_page, manual_grades, regrade_page, task_page
from autograder.classroom.desk.page_data import Data, NotThere, Outdated, read, why_look
from autograder.classroom.pages import render
from autograder.grading.class_folder import Class
from autograder.grading.gradebook_writer import follow
from autograder.records.authoring_errors import UserError
from autograder.web.admission_control import Activity, Admission, Limits
from autograder.words.language import _, ngettext

HOST = "127.0.0.1"
COOKIE = "autograder-desk"
MOST = 100_000  # bytes of one request
BODY_TIME = 10.0  # seconds for them
HOME = "class"
EVERYBODY = "everybody"  # stands for the whole class where a page names a group of answers

NAME = "/([^/]+)"

# The pages: where the desk has each, and what it shows. Each is made of the class and of what its address
# names; keys of answers are made from a token.
PAGES: Mapping[str, tuple[str, Callable[..., dict[str, Any]]]] = {
    HOME: (
        "/",
        lambda data, _: {"data": data, "why_look": why_look},
    ),
    "changes": ("/changes", lambda data, _: {"data": data, "given": manual_grades.last_given(data)}),
    "requests": ("/requests", lambda data, _: {"data": data, **regrade_page.on_page(data)}),
    "student": (f"/student{NAME}", lambda data, _, name: _student(data, name)),
    "lesson": (f"/lesson{NAME}", lambda data, _, lesson: _report(data, lesson)),
    "task": (f"/task{NAME}{NAME}", lambda data, _, *names: task_page.on_page(data, *names)),
    "written": (
        f"/written{NAME}{NAME}",
        lambda data, token, *names: free_text_page.on_page(data, token, *names),
    ),
}
TEMPLATES = {"lesson": "report"}


def _student(data: Data, name: str) -> dict[str, Any]:
    if name not in data.people:
        raise NotThere(_("The gradebook knows no student {name}.", name=name))
    works = data.works.get(name, [])
    there = {work.lesson for work in works}
    without = [lesson for lesson in data.known.lessons if lesson not in there]
    waiting = [lesson for lesson in without if data.is_handed_in(name, lesson)]
    return {
        "data": data,
        "person": data.people[name],
        "works": works,
        "waiting": waiting,
        "missing": [lesson for lesson in without if lesson not in waiting],
        "changes": [change for change in data.changes if change.student == name],
        "why_all": lambda flags: [why_look(flag) for flag in flags],
    }


def _report(data: Data, lesson: str) -> dict[str, Any]:
    if lesson not in data.course.banks.folders:
        raise NotThere(_("There is no lesson {name}.", name=lesson))
    report = class_report.report(data.course, lesson)
    return {**class_report.on_page(report), "lesson": lesson, "questions": data.questions}


def page(data: Data, kind: str, names: Sequence[str], keys: str, **how: Any) -> str:
    """Return one page of the desk as HTML.

    Args:
        data: the class.
        kind: the kind of page, a key of `PAGES`.
        names: the parts of the page's address, such as a lesson and a task.
        keys: the user's token, from which keys on the page are made.
        how: further variables for the template.

    Raises:
        NotThere: the page's lesson, task or student does not exist.
    """
    _, show = PAGES[kind]
    return render(TEMPLATES.get(kind, kind), **show(data, keys, *names), **how)


@dataclass(frozen=True)
class Seat:
    """A user of the desk: a name, and a token that is valid until a time, in seconds since the epoch."""

    token: str
    by: str = ""
    until: float = inf


class Handler(web.RequestHandler):
    """The handler of one kind of page. It refuses requests without a valid token or host name."""

    def initialize(self, course: Class, seats: Sequence[Seat], host: str, kind: str) -> None:
        self.course, self.seats, self.host, self.kind = course.with_rules_anew(), seats, host, kind
        self.token = self.by = ""

    def set_default_headers(self) -> None:
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("Cache-Control", "no-store")

    def prepare(self) -> None:
        # A name that an attacker points at this machine is not ours.
        if self.request.host_name not in (HOST, "localhost", self.host):
            raise web.HTTPError(403)
        given_token = self.get_query_argument("token", "")
        token = given_token or self.get_cookie(COOKIE) or ""
        seat = next(
            (seat for seat in self.seats if compare_digest(token.encode(), seat.token.encode())), None
        )
        if seat is None or time.time() > seat.until:
            raise web.HTTPError(403)
        self.token, self.by = seat.token, seat.by
        # What cannot be used now, another request may find: `grade` is at work, or somebody at the file.
        with suppress(UserError):
            if self.course.policy != self.settings.get("followed"):
                follow(self.course)
                self.settings["followed"] = self.course.policy
        if given_token:
            self.set_cookie(COOKIE, seat.token, httponly=True, samesite="Strict", secure=bool(self.host))
            self.redirect(self.request.path)

    def get(self, *names: str) -> None:
        nonce = secrets.token_urlsafe(16)
        try:
            content = page(
                read(self.course), self.kind, names, self.token, token=self.token, nonce=nonce, link=_address
            )
        except NotThere as problem:
            raise web.HTTPError(404, str(problem)) from problem
        self.set_header(
            "Content-Security-Policy",
            f"default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{nonce}'; img-src data:; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        )
        self.finish(content)

    def post(self, *names: str) -> None:
        """Save the JSON data that a page sends, and answer with what was saved."""
        # The header cannot come from another site's form.
        if not compare_digest(self.request.headers.get("X-Desk-Token", "").encode(), self.token.encode()):
            raise web.HTTPError(403)
        try:
            sent = json.loads(self.request.body)
            self.finish(self._give(read(self.course), names, sent))
        except Outdated as problem:
            self.set_status(409)
            self.finish({"error": str(problem), "now": problem.now})
        except (ValueError, KeyError, TypeError, UserError) as problem:
            self.set_status(400)
            self.finish({"error": str(problem) or _("the request makes no sense")})

    def _give(self, data: Data, names: Sequence[str], sent: Mapping[str, Any]) -> dict[str, Any]:
        """Save what a page sends; returns what is said of it."""
        key = str(sent["key"])
        if self.kind == "changes":
            now, others = manual_grades.take_back(data, key, self.by)
            message = ngettext("Taken back for {number} student.", "Taken back for {number} students.", now)
            return {"told": f"{message} {_conflict_text(others)}".strip()}
        if self.kind == "requests":
            given = sent.get("points"), sent.get("was")
            regrade_page.answer(
                data, key, str(sent["comment"]).strip(), str(sent["before"]).strip(), *given, self.by
            )
            page = regrade_page.on_page(read(self.course))
            (mark,) = [mark for of, _asked, mark, _result in page["rows"] if of == key]
            earned, most = f"{mark.score:g}", f"{mark.possible:g}"
            shown = {
                "waiting": _("{number} to be answered", number=page["waiting"]),
                "points": _("now {earned} of {points}", earned=earned, points=most),
            }
            return {"told": _("Answered: the student reads it in the next feedback."), "shown": shown}
        comment, (lesson, name) = str(sent["comment"]).strip(), names
        if self.kind == "written" and "stay" in sent:
            answer = free_text_page.keep_points(data, lesson, name, key, self.token)
            message = ngettext("Saved: {number} point.", "Saved: {number} points.", answer["score"])
            return {**answer, "now": answer, "told": message}
        if self.kind == "written":
            lines = [int(line) for line in sent["lines"]]
            state, nothing = str(sent["state"]), bool(sent.get("nothing"))
            marked = free_text_page.give(
                data, lesson, name, key, self.token, lines, comment, state, self.by, nothing
            )
            if marked["score"] is None:
                message = _("The comment is saved. The answer has no points and is still to be read.")
            else:
                message = ngettext("Saved: {number} point.", "Saved: {number} points.", marked["score"])
            return {**marked, "told": message}
        if self.kind != "task":
            raise NotThere("nothing can be given here")
        if "stay" in sent:
            now, conflict = task_page.keep_points(data, lesson, name, key), ""
        elif key == EVERYBODY:
            now, others = task_page.points_for_everybody(data, lesson, name, sent["points"], self.by)
            conflict = _conflict_text(others)
        elif sent.get("points", "") != sent.get("was", ""):
            now, others = task_page.points_for(
                data, lesson, name, key, sent["points"], sent.get("was"), self.by
            )
            conflict = _conflict_text(others)
        else:
            now, others = task_page.comment_on(data, lesson, name, key, comment, str(sent["before"]).strip())
            many = ngettext(
                "{number} with another comment keeps it.", "{number} with another comment keep it.", others
            )
            conflict = many if others else ""
        message = ngettext("Saved for {number} student.", "Saved for {number} students.", now)
        return {"told": f"{message} {conflict}".strip()}

    def write_error(self, status_code: int, **kw: Any) -> None:
        error = kw.get("exc_info", (None, None))[1]
        why = str(error) if isinstance(error, UserError) else getattr(error, "log_message", None)
        if status_code == 403:
            why = (
                "Open the address that `autograder desk` printed for you: it holds a token, which may expire."
            )
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(why or f"{status_code}: {self._reason}")


def _conflict_text(others: int) -> str:
    """Return in words how many keep points that somebody else gave."""
    if not others:
        return ""
    return ngettext(
        "{number} with other points by hand keeps them.",
        "{number} with other points by hand keep them.",
        others,
    )


def _address(kind: str, *names: str) -> str:
    """Return the address of a page of the desk."""
    return "/" if kind == HOME else "/".join(["", kind, *(quote(part, safe="") for part in names)])


def _file(kind: str, *names: str) -> str:
    """Return what a page is called as a file."""
    return quote(_file_name(kind, *names))


def _file_name(kind: str, *names: str) -> str:
    return f"{'index' if kind == HOME else '-'.join([kind, *names])}.html"


def application(course: Class, seats: Sequence[Seat], host: str = "") -> web.Application:
    """Return the desk as a web application.

    Args:
        course: the class.
        seats: the users.
        host: the name of a web server that forwards requests to it; "" for none.
    """
    given = {"course": course, "seats": seats, "host": host}
    return web.Application([(where, Handler, {**given, "kind": kind}) for kind, (where, _) in PAGES.items()])


class _Connection:
    """A connection of a browser's. Pages are made in one go, so that none is closed while one is made."""

    def __init__(self, stream: IOStream) -> None:
        self._stream = stream

    @property
    def activity(self) -> Activity:
        """What it is doing now."""
        return Activity.SENDING if self._stream.writing() else Activity.IDLE

    def abort(self) -> None:
        """Close it at once."""
        self._stream.close()


class Server(HTTPServer):
    """Tornado's server with limited connections, since other users of this machine can reach it too."""

    def initialize(self, shown: web.Application, limits: Limits) -> None:  # type: ignore[override]
        super().initialize(
            shown, idle_connection_timeout=limits.head_seconds, body_timeout=BODY_TIME, max_buffer_size=MOST
        )
        self._admission = Admission(limits)
        self._admitted: dict[IOStream, tuple[str, _Connection]] = {}

    def handle_stream(self, stream: IOStream, address: tuple[Any, ...]) -> None:
        """Start to serve a connection, or close it if too many are open already."""
        connection = _Connection(stream)
        if not self._admission.admit(str(address[0]), connection):
            stream.close()
            return
        self._admitted[stream] = str(address[0]), connection
        super().handle_stream(stream, address)

    def on_close(self, server_conn: Any) -> None:
        """Stop counting a closed connection."""
        super().on_close(server_conn)
        self._admission.release(*self._admitted.pop(server_conn.stream))


def serve(
    course: Class,
    port: int,
    say: Callable[[str, str], None],
    people: Sequence[str],
    listen: str = HOST,
    proxy: str = "",
    hours: float = inf,
) -> None:
    """Serve the desk until the process is interrupted.

    Args:
        course: the class.
        port: a port; 0 for any free one.
        say: called with each user's name, and their address with its token.
        people: the names of the users.
        listen: an address of this machine to listen on.
        proxy: the name of a web server with TLS that forwards requests; "" for none.
        hours: the number of hours for which the addresses are valid.
    """

    async def run() -> None:
        until = time.time() + 3600 * hours
        seats = [Seat(secrets.token_urlsafe(32), by, until) for by in people]
        server = Server(application(course, seats, proxy), Limits())
        server.listen(port, listen)
        sock = next(iter(server._sockets.values()))
        where = f"https://{proxy}" if proxy else f"http://{HOST}:{sock.getsockname()[1]}"
        for seat in seats:
            say(seat.by, f"{where}/?token={seat.token}")
        await asyncio.Event().wait()

    asyncio.run(run())


def write_static(course: Class, folder: Path) -> list[Path]:
    """Write every page as a file that needs no server and in which nothing can be changed.

    Returns:
        The paths of the files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("*\n")  # of people, wherever it lies
    data = read(course)
    paths = []
    for kind, *names in _all(data):
        path = folder / _file_name(kind, *names)
        path.write_text(page(data, kind, names, secrets.token_hex(16), link=_file), encoding="utf-8")
        paths.append(path)
    return paths


def _all(data: Data) -> Iterator[tuple[str, ...]]:
    """Return every page there is to a class."""
    yield (HOME,)
    yield ("changes",)
    yield ("requests",)
    yield from (("lesson", lesson) for lesson in data.known.lessons)
    yield from (("written" if which in data.questions else "task", *which) for which in data.tasks)
    yield from (("student", student) for student in data.people)
