"""Make, rotate and publish the tool's own keys, by which platforms recognise its messages.

The keys are in a folder outside the course that only its owner can read. A private key signs messages until
it is rotated, and is then deleted. Its public half is published for some time after that, to verify what it
has signed.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import platformdirs
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from pylti1p3.registration import Registration

from autograder.records.authoring_errors import UserError
from autograder.records.course import Course
from autograder.records.file_digests import write_whole

# Where the keys lie instead of the user's own data folder.
OWN_FOLDER = "AUTOGRADER_LTI"
FILE = "keys.json"
BITS = 3072
# How long the public half of an old key stays published: platforms keep what they fetched for hours.
KEPT = timedelta(days=3)


class BadKeys(UserError):
    """The keys cannot be used. The message says why, and what to do."""


@dataclass(frozen=True)
class Keyring:
    """The key pair that signs messages now, as PEM, and the public halves of earlier keys."""

    private: str
    public: str
    old: tuple[Mapping[str, Any], ...] = ()  # each with `key`, a JWK, and `until`, a time

    def published(self, now: datetime) -> dict[str, Any]:
        """Return the JSON Web Key Set that platforms fetch, without keys that have expired by `now`."""
        still = [entry["key"] for entry in self.old if datetime.fromisoformat(entry["until"]) > now]
        return {"keys": [Registration.get_jwk(self.public), *still]}


def folder(course: Course) -> Path:
    """Return the folder of the keys, which is outside the course."""
    chosen = os.environ.get(OWN_FOLDER)
    return Path(chosen) if chosen else platformdirs.user_data_path(course.name) / "lti"


def keyring(course: Course) -> Keyring:
    """Return the tool's keys, and create the first pair if there is none.

    Raises:
        BadKeys: other users can read the keys, or the file is not a keyring.
    """
    key_folder = folder(course)
    if not (key_folder / FILE).exists():
        return _write(key_folder)
    for path in (key_folder, key_folder / FILE):
        if os.name != "nt" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise BadKeys(
                f"{path} can be read by others than its owner, so the key is no secret. Make a new one: "
                "autograder lti rotate --forget"
            )
    try:
        held = json.loads((key_folder / FILE).read_text(encoding="utf-8"))
        keys = Keyring(held["private"], held["public"], tuple(held["old"]))
        keys.published(datetime.now(UTC))
        load_pem_private_key(keys.private.encode(), None)
        return keys
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise BadKeys(
            f"{key_folder / FILE} holds no keys. Move it away; new ones are made in its place."
        ) from problem


def rotate(course: Course, forget: bool = False, now: datetime | None = None) -> Keyring:
    """Make a new key pair, and publish the old public key for some time longer.

    Args:
        course: the course.
        forget: whether to stop publishing the old public keys at once.
        now: the current time, if not the clock's.

    Raises:
        BadKeys: the old keys cannot be read, and `forget` is false.
    """
    path, now = folder(course), now or datetime.now(UTC)
    if forget or not (path / FILE).exists():
        return _write(path)
    before = keyring(course)
    old = [entry for entry in before.old if datetime.fromisoformat(entry["until"]) > now]
    last = {"key": Registration.get_jwk(before.public), "until": (now + KEPT).isoformat()}
    return _write(path, (last, *old))


def _write(path: Path, old: tuple[Mapping[str, Any], ...] = ()) -> Keyring:
    key = rsa.generate_private_key(65537, BITS)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.chmod(0o700)  # before anything lies in it
    content = json.dumps({"private": private, "public": public, "old": old}).encode()
    write_whole(path / FILE, content, 0o600)
    return Keyring(private, public, old)
