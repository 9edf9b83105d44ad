"""A server whose connections are bounded: whoever holds some keeps nobody out, and none is held for long."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from autograder.web.admission_control import Activity, Admission, Limits, client_of
from support.everywhere import need_modules
from support.holding import HOLDS, answer, held, is_closed, send

need_modules("the extra `live`", "uvicorn")

BRIEF = Limits(head_seconds=0.2)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> tuple[Path, Path]:
    """A certificate of this machine's own making, and its key."""
    need_modules("the extra `lti`", "cryptography")
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")]), datetime.now(UTC)
    result = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    result = result.serial_number(1).not_valid_before(now).not_valid_after(now + timedelta(days=1))
    folder = tmp_path_factory.mktemp("tls")
    (folder / "cert.pem").write_bytes(result.sign(key, SHA256()).public_bytes(Encoding.PEM))
    plain = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "key.pem").write_bytes(plain)
    return folder / "cert.pem", folder / "key.pem"


async def shown(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Read what is sent, and answer with the address that asks."""
    if scope["path"] == "/reads":
        while (await receive()).get("more_body"):
            pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["client"][0].encode()})


@contextmanager
def served(application: Any = shown, limits: Limits = Limits(), tls: tuple[Any, ...] = ()) -> Iterator[int]:  # noqa: B008
    """Serve an application in a thread; yields the port."""
    from autograder.web.bounded_server import bounded

    with socket.create_server(("127.0.0.1", 0), backlog=512) as listening:
        server = bounded(
            application, limits, *tls, lifespan="off", log_level="critical", timeout_graceful_shutdown=1
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("kind", HOLDS)
def test_whoever_holds_connections_keeps_nobody_out(kind, tls, certificate):
    sent = [part.replace(b"POST /", b"POST /reads") for part in HOLDS[kind]]
    with (
        served(tls=certificate if tls else (), limits=Limits(total=60)) as port,
        held(port, 70, sent),
        held(port, 70, sent, "127.0.0.2"),
        held(port, 70, sent, "127.0.0.3"),
        held(port, 70, sent, "127.0.0.4"),  # with those before, more than the server takes in all
    ):
        assert [answer(port, source=f"127.0.0.{item}", tls=tls) for item in (1, 4, 9)] == [200] * 3


@pytest.mark.parametrize("kind", HOLDS)
def test_a_connection_that_sends_no_whole_head_is_closed_even_if_it_sends_on(kind):
    sent = HOLDS[kind]  # all but the last one are answered at once, without the body that is yet to come
    with served(limits=BRIEF) as port, held(port, 1, sent) as (sock,):
        assert is_closed(sock, lambda: send(sock, b"x" if "head" in kind or "chunk" in kind else b""))


def test_a_handshake_of_tls_that_does_not_end_is_closed(certificate):
    with served(limits=BRIEF, tls=certificate) as port:
        for part in ([], [b"\x16\x03\x01\x02\x00\x01\x00"]):
            with held(port, 1, part) as (sock,):
                assert is_closed(sock)


def test_a_request_that_is_being_answered_is_neither_closed_nor_counted_as_idle():
    import asyncio

    ready, begun = threading.Event(), threading.Semaphore(0)

    async def slow(scope: dict[str, Any], receive: Any, send: Any) -> None:
        begun.release()
        await asyncio.get_running_loop().run_in_executor(None, ready.wait)
        await shown(scope, receive, send)

    limits = Limits(head_seconds=0.2, per_address=2)
    with served(slow, limits) as port, held(port, 2, HOLDS["kept alive"]) as (first, second):
        assert all(begun.acquire(timeout=60) for _ in "12")
        with held(port, 3, HOLDS["kept alive"]) as later:
            # Two are being answered, and this client may have no more: two wait for them, and not for long.
            assert all(is_closed(sock) for sock in later)
        ready.set()
        assert [sock.recv(12) for sock in (first, second)] == [b"HTTP/1.1 200"] * 2
        assert answer(port) == 200


def test_whoever_comes_while_too_many_are_being_answered_waits():
    import asyncio

    ready, begun = threading.Event(), threading.Semaphore(0)

    async def slow(scope: dict[str, Any], receive: Any, send: Any) -> None:
        begun.release()
        await asyncio.get_running_loop().run_in_executor(None, ready.wait)
        await shown(scope, receive, send)

    with served(slow, Limits(per_address=2)) as port, held(port, 3, HOLDS["kept alive"]) as socks:
        assert all(begun.acquire(timeout=60) for _ in "12")
        ready.set()
        assert [sock.recv(12) for sock in socks] == [b"HTTP/1.1 200"] * 3


def test_who_asks_is_whom_a_proxy_names_only_where_that_proxy_is_known():
    asked = []

    async def reported(scope: dict[str, Any], receive: Any, send: Any) -> None:
        asked.append(scope["client"][0])
        await shown(scope, receive, send)

    with served(reported) as port:
        answer(port, **{"X-Forwarded-For": "203.0.113.7"})
    with served(reported, Limits(proxies=("127.0.0.1",))) as port:
        answer(port, **{"X-Forwarded-For": "203.0.113.7"})
        answer(port, **{"X-Forwarded-For": "203.0.113.7, 203.0.113.8"})  # the first is what a client made up
        answer(port, source="127.0.0.2", **{"X-Forwarded-For": "203.0.113.7"})
    assert asked == ["127.0.0.1", "203.0.113.7", "203.0.113.8", "127.0.0.2"]


def test_behind_a_proxy_each_client_has_its_own_number_of_requests():
    head = b"POST /reads HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.7\r\nContent-Length: 9\r\n\r\n"
    with served(limits=Limits(per_address=3, proxies=("127.0.0.0/8",))) as port, held(port, 3, [head]):
        while answer(port, **{"X-Forwarded-For": "203.0.113.7"}) != 429:
            pass  # until all three heads have come
        assert answer(port, **{"X-Forwarded-For": "203.0.113.8"}) == 200


class Held:
    def __init__(self, activity: Activity) -> None:
        self.activity, self.closed = activity, False

    def abort(self) -> None:
        self.closed = True


def test_of_too_many_connections_the_one_that_does_the_least_goes_and_then_the_oldest():
    result = [
        Held(item)
        for item in (Activity.WORKING, Activity.SENDING, Activity.RECEIVING, Activity.IDLE, Activity.IDLE)
    ]
    admission = Admission(Limits(per_address=5))
    assert all(admission.admit("192.0.2.1", item) for item in result)
    order = []
    for _ in range(5):
        new = Held(Activity.WORKING)
        admitted = admission.admit("192.0.2.1", new)
        order += [position for position, item in enumerate(result) if item.closed and position not in order]
        assert admitted is (len(order) <= 4 and _ < 4)
    assert order == [3, 4, 2, 1]
    assert admission.count == 5


@pytest.mark.parametrize(
    ("item", "other", "same"),
    [
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),  # one machine has a network of 64 bits
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::1%eth1", True),
        ("unknown", "x" * 9000, True),
    ],
)
def test_what_counts_as_one_client(item, other, same):
    assert (client_of(item) == client_of(other)) is same
