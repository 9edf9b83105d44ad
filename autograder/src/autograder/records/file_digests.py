"""Digests of files, computed again only after a change, and the atomic writing of files."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple


class Identity(NamedTuple):
    """A file's path, inode number, size and time of change in nanoseconds, which together reveal a change."""

    path: Path
    number: int
    size: int
    changed: int


def identity(path: Path) -> Identity:
    """Return the identity of a file as it is now.

    Raises:
        OSError: its state cannot be read.
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
    """Return the SHA-256 of the names and contents of all files in a folder, without symbolic links."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink():
            digest.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder.

    Args:
        folder: the folder.
        files: the content of each file by its path in the folder.

    Raises:
        OSError: one cannot be written.
    """
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def write_whole(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file atomically, and make its folder: a reader finds the old content or the new one.

    Args:
        path: the file.
        content: its new content.
        mode: the file's permissions; those of any new file by default.

    Raises:
        OSError: it cannot be written; the old content is then unchanged.
    """
    with beside(path) as fresh:
        fresh.write_bytes(content)
        if mode is not None:
            fresh.chmod(mode)


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file that replaces another file when the block ends without an error.

    Raises:
        OSError: it cannot be written; the old content is then unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".new-{secrets.token_hex(8)}")
    try:
        yield fresh
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
