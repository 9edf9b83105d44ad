"""Admission control: how many connections one address has, and which of them goes where there are too many.

Where there are too many, a new connection takes the place of an old one that does nothing. So whoever leaves
connections open keeps nobody out, be it from another address or from the same one.
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
        head_seconds: for the whole head of a request, from the start of the connection, TLS included, or from
            the end of the answer before it.
        fresh_seconds: for which a new connection is not closed for another, so that many may come at once.
        per_address: connections of one address at one time, or of one network of IPv6.
        total: connections of all addresses at one time.
        proxies: addresses and networks of web servers in front of this one: what they say about who asks is
            believed, and their own connections are only counted with those of all.
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
        """Tell whether an address is that of a web server in front of this one."""
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(parsed in ipaddress.ip_network(network) for network in self.proxies)


class Activity(IntEnum):
    """What a connection is doing; where there are too many, those go first that come first here."""

    IDLE = 0  # it has sent no whole head, or none since the last answer
    RECEIVING = 1  # the body of a request is still to come
    SENDING = 2  # an answer is on its way
    # No connection is closed for another one while it is one of these.
    FRESH = 3  # it has just come
    WORKING = 4  # a whole request is being answered


class Connection(Protocol):
    """A connection, as far as admission control is concerned."""

    @property
    def activity(self) -> Activity:
        """What it is doing now."""

    def abort(self) -> None:
        """Close it at once, without a word."""


class Admission:
    """The connections of a server.

    Args:
        limits: how many there may be.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._total = min(limits.total, open_files(limits.total + SPARE_FILES) - SPARE_FILES)
        self._open: dict[str, list[Connection]] = {}  # by address, the oldest first
        self._waiting: dict[str, list[Connection]] = {}  # those that were not admitted yet

    def admit(self, address: str, connection: Connection) -> bool:
        """Count a new connection, and close an older one where there are too many.

        Returns:
            Whether it was admitted: it is not where all others have just come, or are being answered.
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
        """How many connections there are."""
        return sum(map(len, self._open.values()))

    def wait(self, address: str, connection: Connection) -> None:
        """Let a connection wait that was not admitted; of too many, the oldest is closed."""
        waiting = self._waiting.setdefault(client_of(address), [])
        if connection not in waiting:
            waiting.append(connection)
        if len(waiting) > self.limits.per_address:
            waiting.pop(0).abort()
        elif sum(map(len, self._waiting.values())) > MOST_WAITING:
            max(self._waiting.values(), key=len).pop(0).abort()

    def release(self, address: str, connection: Connection) -> None:
        """Count a connection no longer, if it still is."""
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
    """Return what counts as one client: an address, or the network of 64 bits that one machine has."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "?"  # whatever a proxy passes on that is no address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    return str(parsed.ipv4_mapped or ipaddress.ip_network((parsed, 64), strict=False))


def open_files(wanted: int) -> int:
    """Return how many files this process may have open, after asking for as many as are wanted."""
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
