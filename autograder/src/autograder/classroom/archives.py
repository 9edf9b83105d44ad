"""Archives as strangers filled them: what lies in them, read within limits, and what its names say.

A name inside an archive is only a label here. Nothing is ever unpacked under it.
"""

from __future__ import annotations

import io
import lzma
import re
import stat
import zipfile
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO

from autograder.classroom.platforms.protocol import HandedFile, Platform
from autograder.grading.submission import MAX_FILE_BYTES
from autograder.records.problems import Refused

MAX_ENTRIES = 20_000
MAX_TOTAL_BYTES = 2_000_000_000
MAX_INNER_BYTES = 100_000_000

# What browsers and platforms add to the name of a file that is there already.
COPY = re.compile(r"([ _-]*\((?P<number>\d+)\)|-(?P<again>\d+)|[ _-]*copy ?\d*|^copy of )", re.IGNORECASE)
# What systems put into archives beside what people wrote.
NOISE = re.compile(r"(^|/)(__MACOSX/|\.ipynb_checkpoints/|\._|\.DS_Store$|desktop\.ini$|Thumbs\.db$)")
# What is raised by damage, and by ways to pack and to lock that Python lacks.
BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError)


class BadArchive(Refused):
    """An archive cannot be opened at all; says why."""


@dataclass
class _Reading:
    """An archive while it is read: how its files are told apart, and what may still be read of it."""

    name: str
    stem: str  # the name without its ending, which may say whose it is
    platforms: Collection[Platform]
    entries: int = field(default_factory=lambda: MAX_ENTRIES)  # asked for late: tests lower it
    size: int = field(default_factory=lambda: MAX_TOTAL_BYTES)


def entries(path: Path, platforms: Collection[Platform]) -> Iterator[HandedFile]:
    """Every file in an archive, or in a folder where a browser has unpacked it already.

    Raises:
        BadArchive: it cannot be opened, or holds too much to be what a class handed in.
    """
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            name = file.relative_to(path).as_posix()
            if file.is_file() and not NOISE.search(name):
                if file.is_symlink():
                    yield HandedFile(path.name, name, refused="it is a link to another place")
                else:
                    with file.open("rb") as opened:
                        yield from _one(_Reading(path.name, path.stem, platforms), name, opened, ())
        return
    try:
        with zipfile.ZipFile(path) as archive:
            yield from _of_zip(_Reading(path.name, path.stem, platforms), archive, "")
    except BROKEN as problem:
        raise BadArchive(f"{path} is no zip file that can be read: {problem}") from problem


def _of_zip(reading: _Reading, archive: zipfile.ZipFile, inside: str) -> Iterator[HandedFile]:
    infos = [info for info in archive.infolist() if not info.is_dir() and not NOISE.search(info.filename)]
    reading.entries -= len(infos)
    if reading.entries < 0:
        raise BadArchive(f"{reading.name} holds more than {MAX_ENTRIES} files, so nothing was read.")
    for info in infos:
        shown = inside + info.filename
        refused = _refused(info)
        if refused:
            yield HandedFile(reading.name, shown, refused=refused)
            continue
        try:
            with archive.open(info) as opened:
                yield from _one(reading, shown, opened, info.date_time)
        except BROKEN as problem:
            yield HandedFile(reading.name, shown, refused=f"it cannot be read ({problem})")


def _refused(info: zipfile.ZipInfo) -> str:
    parts = PurePosixPath(info.filename.replace("\\", "/")).parts
    if ".." in parts or info.filename.startswith(("/", "\\")) or re.match("[A-Za-z]:", info.filename):
        return "its name leads out of the archive"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a link to another place"
    return "it is locked with a password" if info.flag_bits & 1 else ""


def _one(reading: _Reading, path: str, opened: IO[bytes], modified: tuple[int, ...]) -> Iterator[HandedFile]:
    """Yield a file, or where it is an archive itself, what lies in that."""
    inner = path.lower().endswith(".zip") and ".zip/" not in path.lower()
    limit = MAX_INNER_BYTES if inner else MAX_FILE_BYTES
    # What an archive says about sizes is not believed: reading itself stops.
    content = opened.read(limit + 1)
    reading.size -= len(content)
    if reading.size < 0:
        raise BadArchive(
            f"{reading.name} holds more than {MAX_TOTAL_BYTES // 10**9} GB, so nothing was taken from it."
        )
    said = said_by(path, reading.stem, reading.platforms)
    file = replace(said, archive=reading.name, modified=tuple(modified))
    if len(content) > limit:
        yield replace(file, refused=f"it is larger than {limit // 1_000_000} MB")
    elif inner:
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                yield from _of_zip(reading, archive, f"{path}/")
        except BROKEN as problem:
            yield replace(file, refused=f"it is no zip file that can be read ({problem})")
    else:
        yield replace(file, content=content)


def said_by(path: str, stem: str, platforms: Collection[Platform]) -> HandedFile:
    """Return what the name of a file in an archive says of who handed it in, and when."""
    parts = path.split("/")
    plain = HandedFile("", path, file=parts[-1], rank=(_copy_number(parts[-1]),))
    for part in parts:
        for platform in platforms:
            if found := platform.read_name(part, part == parts[-1], plain):
                return found
    labels = (*(part.removesuffix(".zip") for part in parts[:-1]), parts[-1].partition(".")[0], stem)
    return replace(plain, labels=labels)


def _copy_number(file: str) -> int:
    found = COPY.search(file.rpartition(".")[0])
    number = (found["number"] or found["again"]) if found else None
    return int(number or 0)


def handed_in_by_name(file: str, lesson: str) -> tuple[str, ...]:
    """Return what a file's name says beside the lesson's: `amy` in `amy_01-dot-product (1).ipynb`."""
    stem = COPY.sub("", file.rpartition(".")[0])
    rest = re.sub(re.escape(lesson).replace(r"\-", "[-_ ]"), "", stem, flags=re.IGNORECASE)
    return (rest,) if rest != stem else ()
