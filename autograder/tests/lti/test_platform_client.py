"""What a platform's services do that they should not is one sentence; what is only busy is asked again."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from support.everywhere import need_modules

need_modules("the extra `lti`", "cryptography", "jwt", "pylti1p3", "requests", "starlette", "uvicorn")

from autograder.lti import platform_client  # noqa: E402
from autograder.lti.platform_client import Connection, Unreachable  # noqa: E402
from autograder.lti.registrations import OnPlatform  # noqa: E402
from autograder.lti.signing_keys import Keyring  # noqa: E402
from cryptography.hazmat.primitives.serialization import (  # noqa: E402
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from support.lti_platform import KEYS  # noqa: E402

PRIVATE = KEYS[0].private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
PUBLIC = KEYS[0].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
TOKEN = 200, {}, b'{"access_token": "one"}'
Answers = dict[str, list[tuple[int, dict[str, str], bytes]]]


@pytest.fixture
def serve():
    """Serve answers, by path; the last one of each stays."""
    servers = []

    def start(answers: Answers) -> tuple[Callable[..., object], str]:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                waiting = answers[self.path]
                status, headers, body = waiting.pop(0) if len(waiting) > 1 else waiting[0]
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = "Connection" in headers

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        at = f"http://127.0.0.1:{server.server_port}"
        platform = OnPlatform(at, "client", f"{at}/auth", f"{at}/token", f"{at}/jwks", ("1",))
        tool = Connection(platform.signing(Keyring(PRIVATE, PUBLIC)))
        return lambda **how: tool.make_service_request(["scope"], f"{at}/list", **how), at

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_what_is_busy_is_asked_again(serve):
    busy = 503, {"Retry-After": "0"}, b""
    ask, _ = serve({"/token": [TOKEN], "/list": [busy, (429, {"Retry-After": "0"}, b""), (200, {}, b"[1]")]})
    assert ask()["body"] == [1]


BAD = {
    "no JSON": ([TOKEN], [(200, {}, b"<html>")], "does not answer as a platform does"),
    "no token": ([(200, {}, b"{}")], [(200, {}, b"[]")], "does not answer as a platform does"),
    "a token that is a list": ([(200, {}, b"[]")], [(200, {}, b"[]")], "does not answer as a platform does"),
    "an error": ([TOKEN], [(500, {}, b'{"error": "no\\u001b[31m"}')], "500: no\N{REPLACEMENT CHARACTER}"),
    "an error that is a list": ([TOKEN], [(404, {}, b"[]")], r"answered 404\."),
    "a token that is never right": ([TOKEN], [(401, {}, b"")], r"answered 401\."),
    "elsewhere": ([TOKEN], [(200, {"Link": '<https://evil.example>; rel="next"'}, b"[]")], "to another host"),
    "not packed": (
        [TOKEN],
        [(200, {"Content-Encoding": "gzip"}, b"no gzip")],
        "does not answer as a platform",
    ),
    "more than there can be, packed": (
        [TOKEN],
        [(200, {"Content-Encoding": "gzip"}, gzip.compress(b" " * 10_000_001))],
        "does not answer as a platform does",
    ),
    "half": (
        [TOKEN],
        [(200, {"Content-Length": "9", "Connection": "close"}, b"[]")],
        "not answer as a platform",
    ),
    "another place that others can read": (
        [TOKEN],
        [(302, {"Location": "http://127.0.0.2.example/list"}, b"")],
        "does not answer as a platform does: invalid schema",
    ),
    "more than there can be": ([TOKEN], [(200, {}, b" " * 10_000_001)], "does not answer as a platform does"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_answer_that_cannot_be_is_one_sentence(serve, name):
    tokens, answers, output = BAD[name]
    ask, _ = serve({"/token": tokens, "/list": answers})
    with pytest.raises(Unreachable, match=output) as problem:
        ask()
    assert "\n" not in str(problem.value)


def test_the_next_page_may_be_named_from_here_and_keeps_its_letters(serve):
    link = {"Link": '<https://other.example/first>; rel="first", </List?Cursor=AbC>; rel=next'}
    ask, at = serve({"/token": [TOKEN], "/list": [(200, link, b"[]")]})
    assert ask()["next_page_url"] == f"{at}/List?Cursor=AbC"


def test_what_is_sent_and_sent_elsewhere_has_not_arrived(serve):
    to_login = 302, {"Location": "/login"}, b""
    ask, _ = serve({"/token": [TOKEN], "/list": [to_login], "/login": [(200, {}, b"<html>")]})
    with pytest.raises(Unreachable, match="answered 302"):
        ask(is_post=True, data="{}")


def test_an_answer_that_never_ends_is_given_up(serve, monkeypatch):
    monkeypatch.setattr(platform_client, "LONGEST", -1)
    ask, _ = serve({"/token": [TOKEN], "/list": [(200, {}, b"[]")]})
    with pytest.raises(Unreachable, match="does not answer as a platform does"):
        ask()
