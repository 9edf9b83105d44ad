"""What files hold, as digests, each read again only when it has changed; and how a file is written whole."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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


def write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write some files into a folder, by their place in it.

    Raises:
        OSError: one cannot be written.
    """
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def write_whole(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file, and make its folder, so that who reads it finds the old content or the new one.

    Args:
        path: the file.
        content: all that it is to hold.
        mode: who may read and write it; as for any new file if none.

    Raises:
        OSError: it cannot be written; what was there is there still.
    """
    with beside(path) as fresh:
        fresh.write_bytes(content)
        if mode is not None:
            fresh.chmod(mode)


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Yield the path of a new file, which takes the place of another one once it is written to its end.

    Raises:
        OSError: it cannot be written; what was there is there still.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".new-{secrets.token_hex(8)}")
    try:
        yield fresh
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
