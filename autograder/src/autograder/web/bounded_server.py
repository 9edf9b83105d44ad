"""Serve HTTP with uvicorn behind admission control, so that connections are limited.

uvicorn limits neither the time for a request's head or TLS handshake, nor the connections of one address; its
own limit answers everybody with 503 once it is reached. So connections are accepted here.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from autograder.web.admission_control import Activity, Admission, Limits, client_of

RETRY = 0.1  # seconds until a connection is tried again, for which there was no room or no file left
KEEP_ALIVE = 5  # seconds that a connection may be silent after an answer

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


class _Bounded(H11Protocol):
    """A connection: uvicorn's, with a deadline for each head."""

    def __init__(self, *args: Any, bound: _Connection, **more: Any) -> None:
        super().__init__(*args, **more)
        self._bound = bound

    @property
    def activity(self) -> Activity:
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            return Activity.IDLE
        if cycle.response_started:
            return Activity.SENDING
        return Activity.RECEIVING if cycle.more_body else Activity.WORKING

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._bound.look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._bound.look()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._bound.end()


class _Connection:
    """What a connection is from the moment when it is accepted, before a handshake of TLS is over."""

    def __init__(self, admission: Admission, address: str, sock: socket.socket) -> None:
        self._admission, self.address, self._sock = admission, address, sock
        self._protocol: _Bounded | None = None
        self._task: asyncio.Task[None] | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self.retry: asyncio.TimerHandle | None = None  # where it waits to be admitted
        self._fresh_until = 0.0
        self.look()

    @property
    def activity(self) -> Activity:
        """What it is doing now."""
        if self._protocol and self._protocol.cycle:
            return self._protocol.activity
        fresh = asyncio.get_running_loop().time() < self._fresh_until
        return Activity.FRESH if fresh else Activity.IDLE

    def start(self, protocol: _Bounded, ssl: Any) -> None:
        """Begin to serve it."""
        self._protocol = protocol
        loop = asyncio.get_running_loop()
        self._fresh_until = loop.time() + self._admission.limits.fresh_seconds
        self._task = loop.create_task(self._connect(protocol, ssl))

    async def _connect(self, protocol: _Bounded, ssl: Any) -> None:
        patience = self._admission.limits.head_seconds
        of_tls = {"ssl_handshake_timeout": patience, "ssl_shutdown_timeout": patience} if ssl else {}
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: protocol, self._sock, ssl=ssl, **of_tls
            )
        except OSError:  # it went away, or speaks no TLS
            self.end()
        except asyncio.CancelledError:
            self.end()
            raise

    def look(self) -> None:
        """Begin to wait for a head where none is being answered; else wait no longer."""
        waits = self.activity in (Activity.IDLE, Activity.FRESH)
        if waits and self._deadline is None:
            loop = asyncio.get_running_loop()
            self._deadline = loop.call_later(self._admission.limits.head_seconds, self.abort)
        elif not waits and self._deadline:
            self._deadline.cancel()
            self._deadline = None

    def abort(self) -> None:
        """Close it at once, without a word."""
        if self._protocol and self._protocol.transport:
            self._protocol.transport.abort()
        elif self._task:
            self._task.cancel()
        else:
            self.end()

    def end(self) -> None:
        """Forget it: it is closed."""
        for timer in (self._deadline, self.retry):
            if timer:
                timer.cancel()
        self._sock.close()
        self._admission.release(self.address, self)


class Server(uvicorn.Server):
    """uvicorn's server, with its connections accepted by admission control.

    Args:
        config: uvicorn's own configuration.
        limits: the limits of the connections.
    """

    def __init__(self, config: uvicorn.Config, limits: Limits) -> None:
        super().__init__(config)
        self._admission = Admission(limits)
        self._accepting: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, and accept connections on listening sockets."""
        await super().startup(sockets=[])
        self._accepting = [asyncio.create_task(self._accept(listening)) for listening in sockets or []]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, and close the open ones."""
        for task in self._accepting:
            task.cancel()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        await super().shutdown(sockets=sockets)

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        listening.setblocking(False)
        while True:
            try:
                sock, peer = await loop.sock_accept(listening)
            except OSError:
                await asyncio.sleep(RETRY)
                continue
            self._begin(_Connection(self._admission, str(peer[0]), sock))

    def _begin(self, connection: _Connection) -> None:
        """Serve a connection now, or once one of its address has been answered."""
        if self._admission.admit(connection.address, connection):
            connection.start(self._protocol(connection), self.config.ssl)
        else:
            connection.retry = asyncio.get_running_loop().call_later(RETRY, self._begin, connection)
            self._admission.wait(connection.address, connection)

    def _protocol(self, bound: _Connection) -> _Bounded:
        return _Bounded(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state, bound=bound
        )


class _PerClient:
    """An application that answers so many requests of one client at one time, and refuses more.

    Without a proxy, a connection is one request, and connections are counted. Behind one, its connections are
    everybody's: so requests are counted by the address that it names.
    """

    def __init__(self, inner: Application, most: int) -> None:
        self._inner, self._most = inner, most
        self._asking: dict[str, int] = {}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        client = client_of((scope.get("client") or ("",))[0])
        if self._asking.get(client, 0) >= self._most:
            plain = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
            await send({"type": "http.response.start", "status": 429, "headers": plain})
            await send({"type": "http.response.body", "body": b"Too much is asked from one address.\n"})
            return
        self._asking[client] = self._asking.get(client, 0) + 1
        try:
            await self._inner(scope, receive, send)
        finally:
            self._asking[client] -= 1
            if not self._asking[client]:
                del self._asking[client]


def bounded(
    application: Application,
    limits: Limits,
    certificate: Path | None = None,
    key: Path | None = None,
    **options: Any,
) -> Server:
    """Return a server for an application. Its `run` takes the sockets to listen on.

    Args:
        application: an ASGI application.
        limits: the limits of its connections.
        certificate: a certificate for TLS, as PEM, with its chain.
        key: the certificate's private key, as PEM.
        options: further options of uvicorn.
    """
    if limits.proxies:
        counted = _PerClient(application, limits.per_address)
        application = ProxyHeadersMiddleware(counted, [*limits.proxies])
    config = uvicorn.Config(
        application,
        http="h11",
        ws="none",
        loop="asyncio",
        proxy_headers=False,  # or whoever is on this machine could say that somebody else asks
        access_log=False,  # it would hold addresses
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        **options,
    )
    return Server(config, limits)
