"""Limit the number of connections for each address, and choose which to close if there are too many.

If there are too many, a new connection replaces an old one that is idle. So a client that leaves connections
open keeps nobody out, neither at another address nor at its own.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

MOST_WAITING = 100  # connections that wait to be admitted
SPARE_FILES = (
    200  # what a server opens beside its connections: the class's files, databases, requests of its own
)


@dataclass(frozen=True)
class Limits:
    """The limits of a server's connections.

    Attributes:
        head_seconds: the time for a request's complete head, from the start of the connection, including TLS,
            or from the end of the previous response.
        fresh_seconds: the time during which a new connection is not closed for another, so that many may
            arrive at once.
        per_address: the number of connections at one time from one address, or from one IPv6 network.
        total: the number of connections at one time from all addresses.
        proxies: addresses and networks of web servers in front of this one. The client address that they
            report is trusted, and their own connections count only towards `total`.
    """

    head_seconds: float = 10.0
    fresh_seconds: float = 1.0
    per_address: int = 20
    total: int = 1_000
    proxies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for network in self.proxies:
            ipaddress.ip_network(network)

    def is_proxy(self, address: str) -> bool:
        """Tell whether an address belongs to a web server in front of this one."""
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(parsed in ipaddress.ip_network(network) for network in self.proxies)


class Activity(IntEnum):
    """The activity of a connection. If there are too many, those with the lowest value are closed first."""

    IDLE = 0  # it has sent no whole head, or none since the last answer
    RECEIVING = 1  # the body of a request is still to come
    SENDING = 2  # an answer is on its way
    # No connection is closed for another one while it is one of these.
    FRESH = 3  # it has just come
    WORKING = 4  # a whole request is being answered


class Connection(Protocol):
    """The part of a connection that admission control uses."""

    @property
    def activity(self) -> Activity:
        """The connection's activity now."""

    def abort(self) -> None:
        """Close the connection at once, without a response."""


class Admission:
    """The open connections of a server.

    Args:
        limits: the limits of their number.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._total = min(limits.total, open_files(limits.total + SPARE_FILES) - SPARE_FILES)
        self._open: dict[str, list[Connection]] = {}  # by address, the oldest first
        self._waiting: dict[str, list[Connection]] = {}  # those that were not admitted yet

    def admit(self, address: str, connection: Connection) -> bool:
        """Count a new connection, and close an older one if there are too many.

        Returns:
            Whether the new connection was admitted. It is refused if all others are new or are being
            answered.
        """
        key = client_of(address)
        held = self._open.get(key, [])
        if (
            len(held) >= self.limits.per_address
            and not self.limits.is_proxy(address)
            and not self._evict(key)
        ):
            return False
        if self.count >= self._total and not self._evict(
            max(self._open, key=lambda client: len(self._open[client]))
        ):
            return False
        self._open.setdefault(key, []).append(connection)
        self._forget(key, connection)
        return True

    @property
    def count(self) -> int:
        """The number of open connections."""
        return sum(map(len, self._open.values()))

    def wait(self, address: str, connection: Connection) -> None:
        """Let a connection wait that was not admitted; if too many wait, the oldest is closed."""
        waiting = self._waiting.setdefault(client_of(address), [])
        if connection not in waiting:
            waiting.append(connection)
        if len(waiting) > self.limits.per_address:
            waiting.pop(0).abort()
        elif sum(map(len, self._waiting.values())) > MOST_WAITING:
            max(self._waiting.values(), key=len).pop(0).abort()

    def release(self, address: str, connection: Connection) -> None:
        """Stop counting a connection, if it is still counted."""
        key = client_of(address)
        self._forget(key, connection)
        held = self._open.get(key, [])
        if connection in held:
            held.remove(connection)
        if not held:
            self._open.pop(key, None)

    def _forget(self, key: str, connection: Connection) -> None:
        """Let a connection wait no longer."""
        waiting = self._waiting.get(key, [])
        if connection in waiting:
            waiting.remove(connection)
        if not waiting:
            self._waiting.pop(key, None)

    def _evict(self, key: str) -> bool:
        """Close the connection of an address that does the least, and of several the oldest."""
        held = self._open[key]
        victim = min(held, key=lambda connection: connection.activity)
        if victim.activity >= Activity.FRESH:
            return False
        held.remove(victim)
        if not held:
            del self._open[key]
        victim.abort()
        return True


def client_of(address: str) -> str:
    """Return a client's IPv4 address, or its /64 network in IPv6, since one machine has a whole network."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "?"  # whatever a proxy passes on that is no address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    return str(parsed.ipv4_mapped or ipaddress.ip_network((parsed, 64), strict=False))


def open_files(wanted: int) -> int:
    """Raise this process's limit on open files up to `wanted`, if possible, and return the new limit."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    except (OSError, ValueError):  # macOS allows fewer than it says
        return soft
    return allowed
