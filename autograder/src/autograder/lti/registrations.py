"""Read `lti.toml`, the platforms with which a class is registered."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from pylti1p3.registration import Registration

from autograder.lti.signing_keys import Keyring
from autograder.records.authoring_errors import UserError
from autograder.records.course import Course
from autograder.records.serialization import read_toml

FILE = "lti.toml"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class NotRegistered(UserError):
    """The course has no `lti.toml`. The message says what to do."""


@dataclass(frozen=True)
class OnPlatform:
    """One registration of this tool: the ids and addresses on which it and a platform have agreed."""

    issuer: str  # the platform's name for itself
    client_id: str  # the platform's name for this tool
    login: str  # the address of authentication requests
    token: str  # the address of access tokens
    keys: str  # the address of public keys
    deployments: tuple[str, ...]
    courses: tuple[str, ...] = ()  # the platform's ids of the courses of this class; all others are refused
    audience: str = ""  # the audience of a token request, if it is not the token's address

    def __post_init__(self) -> None:
        for name in ("login", "token", "keys"):
            _secure(name, getattr(self, name))
        if not (self.issuer and self.client_id and self.deployments):
            raise ValueError("`issuer`, `client_id` and `deployments` must not be empty")

    @property
    def name(self) -> str:
        """The registration in words, for messages."""
        return f"{self.issuer}, client {self.client_id}"

    def signing(self, keyring: Keyring) -> Registration:
        """Return the registration as a PyLTI1p3 object, with the key that signs the tool's messages."""
        registration = Registration().set_issuer(self.issuer).set_client_id(self.client_id)
        registration.set_auth_login_url(self.login).set_auth_token_url(self.token).set_key_set_url(self.keys)
        registration.set_tool_private_key(keyring.private).set_tool_public_key(keyring.public)
        return registration.set_auth_audience(self.audience) if self.audience else registration


@dataclass(frozen=True)
class Registrations:
    """The content of an `lti.toml`."""

    address: str  # the address of this tool for browsers and platforms
    platform: tuple[OnPlatform, ...]
    open: str = ""  # the address where a learner works on a lesson, with `{lesson}` for its name

    def __post_init__(self) -> None:
        _secure("address", self.address)
        if self.open:
            _secure("open", self.open)
        pairs = [(platform.issuer, platform.client_id) for platform in self.platform]
        if len(set(pairs)) < len(pairs):
            raise ValueError("two entries of `platform` have one `issuer` and one `client_id`")

    @classmethod
    def read(cls, course: Course) -> Registrations:
        """Return the content of a course's `lti.toml`.

        Raises:
            NotRegistered: the file does not exist.
            AuthoringError: the file is invalid. The message says where.
        """
        path = course.root / FILE
        if not path.is_file():
            raise NotRegistered(f"There is no {path}: docs/teaching/lti.md says what to write into it.")
        return read_toml(cls, path)

    def at(self, path: str) -> str:
        """Return the full address of one of this tool's pages."""
        return f"{self.address.rstrip('/')}/{path}"

    def find(self, issuer: str, client_id: str = "") -> OnPlatform | None:
        """Return the registration with a platform.

        Args:
            issuer: the platform's issuer id.
            client_id: the platform's id for this tool; it may be "" if the platform has only one
                registration.

        Returns:
            The registration, or None if none matches or several do.
        """
        platforms = [
            platform
            for platform in self.platform
            if platform.issuer == issuer and client_id in ("", platform.client_id)
        ]
        return platforms[0] if len(platforms) == 1 else None


def is_web(address: object) -> bool:
    """Tell whether an object is the URL of an encrypted web page, or of a page on this machine."""
    if not isinstance(address, str) or any(not char.isprintable() or char.isspace() for char in address):
        return False
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return False
    return (parts.scheme == "https" and bool(host)) or (parts.scheme == "http" and host in LOOPBACK)


def _secure(name: str, address: str) -> None:
    if not is_web(address):
        raise ValueError(f"`{name}`: {address!r} is no address that begins with https://")
