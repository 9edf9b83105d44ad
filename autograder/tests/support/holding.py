"""Connections that are held open, and an answer for somebody who comes meanwhile."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPSConnection

TRICKLE = 40  # connections that send on, byte by byte

HOLDS: dict[str, list[bytes]] = {
    "idle": [],
    "half a head": [b"GET / HTTP/1.1\r\nHost: x\r\nX: "],
    "a head without its body": [b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nx"],
    "a chunk that does not end": [
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nxx"
    ],
    "kept alive": [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
    "garbage": [b"\x16\x03\x01\x02\x00\x01\x00"],  # TLS to a server without, or half a greeting
}


@contextmanager
def held(
    port: int, number: int, sent: list[bytes], source: str = "127.0.0.1"
) -> Iterator[list[socket.socket]]:
    """Hold connections to a server of this machine open; each has sent some parts."""
    with ExitStack() as stack:
        socks = []
        for _ in range(number):
            sock = stack.enter_context(socket.socket())
            sock.bind((source, 0))
            sock.connect(("127.0.0.1", port))
            for part in sent:
                send(sock, part)
            socks.append(sock)
        yield socks


def send(sock: socket.socket, part: bytes) -> None:
    """Send something to a server that may have closed the connection."""
    with suppress(OSError):
        sock.sendall(part)


def answer(port: int, path: str = "/", source: str = "127.0.0.1", tls: bool = False, **headers: str) -> int:
    """Return the status of the answer that somebody gets from a server of this machine."""
    where = {"timeout": 60, "source_address": (source, 0)}
    if tls:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection: HTTPConnection = HTTPSConnection("127.0.0.1", port, context=context, **where)
    else:
        connection = HTTPConnection("127.0.0.1", port, **where)
    with closing(connection):
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status


def is_closed(sock: socket.socket, again: Callable[[], None] = lambda: None) -> bool:
    """Wait until a server closes a connection; tells whether it did so without being asked twice."""
    sock.settimeout(0.05)
    while True:
        again()
        try:
            if not sock.recv(4096):
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
