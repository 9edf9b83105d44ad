"""Serve the pages of `autograder lti` to browsers and platforms.

A refusal is one line in the log and a plain page. Neither repeats text from a request, except an id that a
platform has signed.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import nbformat
from pylti1p3.deep_link import DeepLink
from pylti1p3.deep_link_resource import DeepLinkResource
from pylti1p3.lineitem import LineItem
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from autograder.grading.class_folder import Class
from autograder.lti.course_store import open_store
from autograder.lti.launch import KeySets, Launched, LaunchVerifier, Rejected
from autograder.lti.platform_client import fetch
from autograder.lti.registrations import Registrations
from autograder.lti.signing_keys import keyring
from autograder.records.authoring_errors import UserError
from autograder.web.admission_control import Limits
from autograder.web.bounded_server import Server, bounded
from autograder.words.language import LazyMessage, _, speaking
from autograder.words.page_templates import templates
from autograder.words.sanitize import one_line

COOKIE = "autograder-lti"
MOST = 100_000  # bytes of one request
BODY_TIME = 20.0  # seconds for them
MOST_FIELDS = 50
CHOOSING = 1800  # seconds that a teacher may take to choose a lesson
MOST_CHOOSING = 1000
# Seconds for what is being answered when the server ends. A browser that leaves without closing TLS is waited
# for as well, and would hold it for half a minute.
GRACE = 3
log = logging.getLogger("autograder.lti")


class InWindow(DeepLinkResource):
    """A link that opens a lesson in a new window: inside a platform's page, some browsers send no cookie."""

    def to_dict(self) -> dict[str, object]:
        return {**super().to_dict(), "window": {"targetName": "_blank"}}


class LtiApplication:
    """The handlers of the HTTP requests. Each request is handled in a thread of its own."""

    def __init__(self, course: Class, registered: Registrations) -> None:
        self.course, self.registered = course, registered
        self.verifier = LaunchVerifier(registered, KeySets(fetch))
        self._choosing: dict[str, tuple[float, Launched]] = {}
        self._lock = threading.Lock()

    @property
    def place(self) -> Path:
        """The folder of the class."""
        return Path(self.course.directory.root)

    def login(self, request: Request, asked: Mapping[str, str]) -> Response:
        """Redirect a login request to its platform, which then identifies the person."""
        browser = _browser(request) or secrets.token_urlsafe(24)
        answer = RedirectResponse(self.verifier.login(asked, browser), 302)
        # A platform shows this tool inside its own page: only such a cookie comes back there.
        far = "; Secure; SameSite=None; Partitioned" if self.registered.address.startswith("https") else ""
        answer.headers.append("Set-Cookie", f"{COOKIE}={browser}; Path=/; HttpOnly{far}")
        return answer

    def launch(self, request: Request, form: Mapping[str, str]) -> Response:
        """Verify a launch and show its page, and record the addresses of the platform's services.

        Raises:
            Rejected: the launch message is not valid.
        """
        launched = self.verifier.launch(form, _browser(request))
        lesson = self._lesson(launched.lesson)
        with open_store(self.place) as memory:
            decides = launched.teaches and launched.settings is None
            memory.keep(launched.place, lesson, launched.lineitem, decides)
        shown: dict[str, Any] = {"title": self.course.banks.course.title, "address": self._address}
        lessons = [lesson] if lesson else self.course.lessons
        if launched.settings is None:
            log.info(one_line(f"let in: {launched.platform.name}, {lesson or 'no lesson'}"))
            services = {
                "names": bool(launched.place.memberships),
                "scores": bool(launched.place.lineitems or launched.lineitem),
            }
            return _page("launched", **shown, lessons=lessons, teaches=launched.teaches, **services)
        key = secrets.token_urlsafe(24)
        with self._lock:
            now = time.monotonic()
            waiting = {token: held for token, held in self._choosing.items() if held[0] >= now}
            self._choosing = dict([*waiting.items()][-MOST_CHOOSING:])
            self._choosing[key] = now + CHOOSING, launched
        return _page("choose", **shown, lessons=self.course.lessons, key=key)

    def choose(self, _request: Request, chosen: Mapping[str, str]) -> Response:
        """Send a platform the link to the lesson that a teacher has chosen.

        Raises:
            Rejected: the page on which the lesson was chosen is too old, or the lesson does not exist.
        """
        with self._lock:
            until, launched = self._choosing.pop(chosen.get("key", ""), (0.0, None))
        lesson = self._lesson(chosen.get("lesson", ""))
        if launched is None or until < time.monotonic() or not lesson:
            raise Rejected(LazyMessage("nobody is choosing a lesson with this page any more"))
        assert launched.settings is not None
        points = points_of(self.course, lesson)
        targets = launched.settings.get("accept_presentation_document_targets")
        in_window = isinstance(targets, list) and "window" in targets
        link = InWindow() if in_window else DeepLinkResource()
        link.set_title(lesson).set_url(self.registered.at("launch"))
        link.set_custom_params({"lesson": lesson})
        if points:
            title = self.course.title(lesson)
            column = LineItem().set_label(title).set_resource_id(title).set_tag(title)
            link.set_lineitem(column.set_score_maximum(points))
        registration = launched.platform.signing(keyring(self.course.banks.course))
        maker = DeepLink(registration, launched.place.deployment, dict(launched.settings))
        message = {name: held for name, held in maker.get_message_jwt([link]).items() if held is not None}
        back = str(launched.settings["deep_link_return_url"])
        nonce = secrets.token_urlsafe(16)
        answer = _page("chosen", back=back, token=maker.encode_jwt(message), nonce=nonce, lesson=lesson)
        _protect(answer, f"{urlsplit(back).scheme}:", nonce)
        return answer

    def keys(self, _request: Request, _asked: Mapping[str, str]) -> Response:
        """Return the tool's public keys as JSON."""
        return JSONResponse(keyring(self.course.banks.course).published(datetime.now(UTC)))

    def _lesson(self, named: str) -> str:
        """Return the lesson that a link names, by its name or number; "" where there is none of it."""
        return next(
            (lesson for lesson in self.course.lessons if named and named in (lesson, lesson.split("-")[0])),
            "",
        )

    def _address(self, lesson: str) -> str:
        """Return the address at which a learner works on a lesson; "" if the class names none."""
        return self.registered.open.replace("{lesson}", quote(lesson, safe=""))


def points_of(course: Class, lesson: str) -> float:
    """Return the number of points in a lesson's release."""
    notebook = nbformat.read(course.release(lesson), as_version=4)
    marks = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    return float(sum(mark.get("points", 0) for mark in marks if mark.get("grade")))


def application(course: Class, registered: Registrations) -> Starlette:
    """Return the LTI tool of a class as a web application for its registered platforms."""
    answers = LtiApplication(course, registered)

    def route(path: str, name: str, *methods: str) -> Route:
        return Route(path, partial(_answer, answers, name), methods=list(methods))

    return Starlette(
        routes=[
            route("/login", "login", "GET", "POST"),
            route("/launch", "launch", "POST"),
            route("/choose", "choose", "POST"),
            route("/jwks", "keys", "GET"),
        ],
        exception_handlers={HTTPException: _unknown},
    )


async def _answer(answers: LtiApplication, name: str, request: Request) -> Response:
    """Answer a request in the language of the browser; a refusal is told to the log and on a plain page."""
    fields = await _fields(request)

    def answer() -> Response:
        with _speaking(answers.course, request):
            try:
                if fields is None:
                    raise Rejected(LazyMessage("it is no form, or too long a one"))
                response: Response = getattr(answers, name)(request, fields)
            except Rejected as problem:
                log.warning(one_line(f"refused at /{request.url.path[1:]}: {problem.why}"))
                response = _page("refused", 403, why=_(problem.why))
            except (OSError, UserError) as problem:
                log.error(one_line(f"failed at /{request.url.path[1:]}: {problem}"))
                response = _page(
                    "refused", 500, why=_("the tool cannot use its own files; its log says which")
                )
        return _protect(response)

    return await run_in_threadpool(answer)


async def _fields(request: Request) -> dict[str, str] | None:
    """Return what a request says, in its address or as a form; None where that is too much or unreadable."""
    sent: bytes = request.scope["query_string"]
    if request.method == "POST":
        sent = b""
        try:
            async with asyncio.timeout(BODY_TIME):
                async for part in request.stream():
                    sent += part
                    if len(sent) > MOST:
                        return None
        except (TimeoutError, ClientDisconnect):
            return None
    try:
        return dict(parse_qsl(sent.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        return None


def _browser(request: Request) -> str:
    """Return what a browser's cookie holds; "" where it is none that was made here."""
    held = str(request.cookies.get(COOKIE, ""))
    return held if re.fullmatch(r"[\w-]{32}", held, re.ASCII) else ""


def _speaking(course: Class, request: Request) -> AbstractContextManager[None]:
    """Speak the first of the browser's languages that the course has."""
    home = course.banks.course
    asked = [part.split(";")[0].strip() for part in request.headers.get("accept-language", "").split(",")]
    by_tag = {language.replace("_", "-").lower(): language for language in home.languages}
    short = [(tag.lower(), tag.lower().split("-")[0]) for tag in asked]
    matches = (by_tag[tag] for pair in short for tag in pair if tag in by_tag)
    return speaking(home.bank, next(matches, home.languages[0]))


def _page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    template = templates("autograder.lti", "pages").get_template(f"{name}.html.j2")
    return HTMLResponse(template.render(**values), status)


def _protect(answer: Response, to: str = "'self'", nonce: str = "") -> Response:
    """Let a page do what it is for and nothing else; one that is protected already stays as it is."""
    script = f" script-src 'nonce-{nonce}';" if nonce else ""
    answer.headers.setdefault(
        "Content-Security-Policy",
        f"default-src 'none'; style-src 'unsafe-inline';{script} base-uri 'none'; form-action {to}",
    )
    answer.headers.setdefault("X-Content-Type-Options", "nosniff")
    answer.headers.setdefault("Referrer-Policy", "no-referrer")
    answer.headers.setdefault("Cache-Control", "no-store")
    return answer


async def _unknown(_request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    return _protect(PlainTextResponse(f"{problem.status_code}: {problem.detail}\n", problem.status_code))


def server(
    course: Class,
    registered: Registrations,
    certificate: Path | None = None,
    key: Path | None = None,
    limits: Limits | None = None,
) -> Server:
    """Return a server of the class's LTI tool. Its `run` takes the sockets to listen on.

    Args:
        course: the class.
        registered: the content of its `lti.toml`.
        certificate: a certificate for TLS, as PEM; None to serve without TLS.
        key: the certificate's private key, as PEM.
        limits: the limits on connections.
    """
    keyring(course.banks.course)  # made, or refused, before anybody comes
    return bounded(
        application(course, registered),
        limits or Limits(),
        certificate,
        key,
        log_config=None,
        timeout_graceful_shutdown=GRACE,
        log_level="critical",  # that this time has passed is no error; what goes wrong is said by `log`
    )
