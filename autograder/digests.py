"""What files hold, as digests; each file is read again only when it has changed."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple


class Identity(NamedTuple):
    """A file and the marks by which a change of it shows."""

    path: Path
    number: int
    size: int
    changed: int


def identity(path: Path) -> Identity:
    """Return the file as it is at this moment.

    Raises:
        OSError: it cannot be looked at.
    """
    about = path.stat()
    return Identity(path, about.st_ino, about.st_size, about.st_mtime_ns)


def file_digest(path: Path) -> bytes:
    """Return the SHA-256 of a file's content.

    Raises:
        OSError: it cannot be read.
    """
    return _digest(identity(path))


@lru_cache(maxsize=256)
def _digest(file: Identity) -> bytes:
    return hashlib.sha256(file.path.read_bytes()).digest()


def folder_digest(folder: Path) -> str:
    """Return the SHA-256 of all files in a folder and of their names; what links lead to does not count."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink():
            digest.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
