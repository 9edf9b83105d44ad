"""What files hold, as digests; each file is read again only when it has changed."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path


def file_digest(path: Path) -> bytes:
    """The SHA-256 of a file's content.

    Raises:
        OSError: it cannot be read.
    """
    about = path.stat()
    return _digest(path, about.st_ino, about.st_size, about.st_mtime_ns)


@lru_cache(maxsize=256)
def _digest(path: Path, number: int, size: int, changed: int) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def bank_digest(folder: Path, lesson: str) -> str:
    """What a lesson's bank is at this moment.

    Raises:
        OSError: there is none.
    """
    digest = hashlib.sha256()
    for ending in ("json", "safetensors"):
        digest.update(file_digest(folder / f"{lesson}.{ending}"))
    return digest.hexdigest()
