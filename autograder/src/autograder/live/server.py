"""Serve live rooms: on this machine, on a network with TLS, or behind a JupyterHub."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from autograder.live.board_view import Vocabulary
from autograder.live.lab_history import History
from autograder.live.web_app import application, board_address
from autograder.records.authoring_errors import UserError
from autograder.records.course import Course
from autograder.web.admission_control import Limits
from autograder.web.bounded_server import bounded

BACKLOG = 512
GRACE = 1  # seconds for boards that are open when the server ends
# What a JupyterHub tells the services that it manages.
HUB_PREFIX, HUB_URL, HUB_PUBLIC = (
    "JUPYTERHUB_SERVICE_PREFIX",
    "JUPYTERHUB_SERVICE_URL",
    "JUPYTERHUB_PUBLIC_URL",
)


class CannotListen(UserError):
    """The rooms cannot be served in the requested way. The message says why."""


@dataclass(frozen=True)
class ServerAddress:
    """The address at which the rooms are served, with its TLS certificate."""

    host: str = "127.0.0.1"
    port: int = 0
    certificate: Path | None = None
    key: Path | None = None
    unencrypted: bool = False  # whether others in the network can read the traffic
    prefix: str = ""  # the path that a proxy passes on, without a final slash
    address: str = ""  # the address for learners, if it differs from this one
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def from_hub(cls, environment: Mapping[str, str]) -> ServerAddress | None:
        """Return the address that a JupyterHub assigns to a service; None if no hub started this process."""
        if HUB_PREFIX not in environment:
            return None
        url = urlsplit(environment.get(HUB_URL, ""))
        return cls(
            url.hostname or "127.0.0.1",
            url.port or 0,
            unencrypted=True,  # the hub's proxy encrypts, if anything does
            prefix=environment[HUB_PREFIX].rstrip("/"),
            address=environment.get(HUB_PUBLIC, "").rstrip("/"),
        )

    def check(self) -> None:
        """Refuse an address that learners could not reach, or that would serve a network without encryption.

        Raises:
            CannotListen: a network would be served unencrypted without `unencrypted`, the certificate cannot
                be used, or learners cannot reach the address.
        """
        if _is(self.host, "is_unspecified") and not self.address:
            raise CannotListen(
                f"Learners cannot reach {self.host}: give --address, with this machine's name."
            )
        if (self.certificate is None) != (self.key is None):
            raise CannotListen("--certificate and --key belong together.")
        if self.certificate and self.key:
            try:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                # Nobody is asked for a password.
                context.load_cert_chain(self.certificate, self.key, password=lambda: "")
            except (OSError, ssl.SSLError) as problem:
                raise CannotListen(f"The certificate cannot be used: {problem}.") from problem
        elif not (self.unencrypted or self.host == "localhost" or _is(self.host, "is_loopback")):
            raise CannotListen(
                f"What is sent to {self.host} could be read by others: give --certificate and --key, "
                "or say --unencrypted."
            )


def _is(host: str, kind: str) -> bool:
    try:
        return bool(getattr(ip_address(host), kind))
    except ValueError:
        return False


def serve(
    course: Course,
    names: Sequence[str],
    path: Path,
    binding: ServerAddress,
    tell: Callable[[str, str, str], None],
) -> None:
    """Serve rooms until the process is interrupted.

    Args:
        course: the course whose tasks the rooms show.
        names: the rooms' names.
        path: the file of their history.
        binding: the address to serve them at.
        tell: called with each room's name, the line that joins it, and the address of its board.

    Raises:
        CannotListen: the address cannot be used.
        UserError: the history or a bank cannot be used.
    """
    binding.check()
    words = Vocabulary.of(course)
    history = History(path)
    with _listening(binding) as sock:
        secure = "https" if binding.certificate else "http"
        host = f"[{binding.host}]" if ":" in binding.host else binding.host
        own_address = f"{secure}://{host}:{sock.getsockname()[1]}{binding.prefix}"
        address = binding.address or own_address
        rooms = [history.room(name) for name in names]
        server = bounded(
            application(rooms, history, words, binding.prefix, address, ended=lambda: server.should_exit),
            binding.limits,
            binding.certificate,
            binding.key,
            log_level="warning",
            timeout_graceful_shutdown=GRACE,
        )
        for room in rooms:
            tell(room.name, f'join("{address}", "{room.code}")', board_address(address, room))
        try:
            server.run(sockets=[sock])
        finally:
            history.close()


def _listening(binding: ServerAddress) -> socket.socket:
    """Return the socket, before anything is told of it.

    Raises:
        CannotListen: there is no such place.
        OSError: it is in use.
    """
    try:
        family, *_kind, where = socket.getaddrinfo(binding.host, binding.port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(family)
        if os.name != "nt":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(where)
        sock.listen(BACKLOG)  # whoever reads the address and is there at once waits a moment
    except OSError as problem:
        if problem.errno == errno.EADDRINUSE:  # told by the command, as of every server's port
            raise
        raise CannotListen(f"{binding.host}:{binding.port} cannot be had: {problem}.") from problem
    return sock
