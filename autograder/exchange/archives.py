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
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO

from autograder.codec import UNSTORED
from autograder.exchange.people import name_suffixes
from autograder.grading.submission import MAX_FILE_BYTES
from autograder.problems import Refused

MAX_ENTRIES = 20_000
MAX_TOTAL_BYTES = 2_000_000_000
MAX_INNER_BYTES = 100_000_000

CANVAS = re.compile(
    r"(?P<name>.+?)_(?:(?P<late>LATE)_)?(?P<user>\d+)_(?P<file_id>\d+)_(?P<file>.+)", re.DOTALL
)
ANONYMOUS = re.compile(r"anon_\w+?_(?:LATE_)?\d+_.+")
# The folder, with what follows it in the name where there are no folders. Before Moodle 4.1 it ends in `_`.
MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<user>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL
)
# What browsers and platforms add to the name of a file that is there already.
COPY = re.compile(r"([ _-]*\((?P<number>\d+)\)|-(?P<again>\d+)|[ _-]*copy ?\d*|^copy of )", re.IGNORECASE)
# What systems put into archives beside what people wrote.
NOISE = re.compile(r"(^|/)(__MACOSX/|\.ipynb_checkpoints/|\._|\.DS_Store$|desktop\.ini$|Thumbs\.db$)")
# What is raised by damage, and by ways to pack and to lock that Python lacks.
BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError)


class BadArchive(Refused):
    """An archive cannot be opened at all; says why."""


@dataclass(frozen=True)
class HandedFile:
    """A file in an archive."""

    archive: str
    path: str  # its name there, whatever it says
    content: bytes = field(default=b"", metadata=UNSTORED)  # empty where it may not be read
    refused: str = ""  # why it may not
    lms: str = ""  # "canvas", "moodle", or nothing
    user: str = ""  # the platform's number of who handed it in
    labels: tuple[str, ...] = ()  # what they may be called, the likeliest first
    folder: str = ""  # what the platform calls their part of the archive
    file: str = ""  # its name without what the platform put before it
    late: bool = False  # as the platform says
    rank: tuple[int, ...] = ()  # of several, the highest was handed in last
    modified: tuple[int, ...] = ()  # as the archive says


@dataclass
class Budget:
    """What may still be read of an archive and of what lies in it."""

    entries: int = field(default_factory=lambda: MAX_ENTRIES)  # asked for late: tests lower it
    size: int = field(default_factory=lambda: MAX_TOTAL_BYTES)


def entries(path: Path) -> Iterator[HandedFile]:
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
                        yield from _one(path.name, path.stem, name, opened, (), Budget())
        return
    try:
        with zipfile.ZipFile(path) as archive:
            yield from _of_zip(archive, path.name, path.stem, Budget(), "")
    except BROKEN as problem:
        raise BadArchive(f"{path} is no zip file that can be read: {problem}") from problem


def _of_zip(
    archive: zipfile.ZipFile, name: str, stem: str, budget: Budget, inside: str
) -> Iterator[HandedFile]:
    infos = [info for info in archive.infolist() if not info.is_dir() and not NOISE.search(info.filename)]
    budget.entries -= len(infos)
    if budget.entries < 0:
        raise BadArchive(f"{name} holds more than {MAX_ENTRIES} files, so nothing was read.")
    for info in infos:
        shown = inside + info.filename
        refused = _refused(info)
        if refused:
            yield HandedFile(name, shown, refused=refused)
            continue
        try:
            with archive.open(info) as opened:
                yield from _one(name, stem, shown, opened, info.date_time, budget)
        except BROKEN as problem:
            yield HandedFile(name, shown, refused=f"it cannot be read ({problem})")


def _refused(info: zipfile.ZipInfo) -> str:
    parts = PurePosixPath(info.filename.replace("\\", "/")).parts
    if ".." in parts or info.filename.startswith(("/", "\\")) or re.match("[A-Za-z]:", info.filename):
        return "its name leads out of the archive"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a link to another place"
    return "it is locked with a password" if info.flag_bits & 1 else ""


def _one(
    name: str, stem: str, path: str, opened: IO[bytes], modified: tuple[int, ...], budget: Budget
) -> Iterator[HandedFile]:
    """Yield a file, or where it is an archive itself, what lies in that."""
    inner = path.lower().endswith(".zip") and ".zip/" not in path.lower()
    limit = MAX_INNER_BYTES if inner else MAX_FILE_BYTES
    # What an archive says about sizes is not believed: reading itself stops.
    content = opened.read(limit + 1)
    budget.size -= len(content)
    if budget.size < 0:
        raise BadArchive(
            f"{name} holds more than {MAX_TOTAL_BYTES // 10**9} GB, so nothing was taken from it."
        )
    told = replace(said_by(path, stem), archive=name, modified=tuple(modified))
    if len(content) > limit:
        yield replace(told, refused=f"it is larger than {limit // 1_000_000} MB")
    elif inner:
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                yield from _of_zip(archive, name, stem, budget, f"{path}/")
        except BROKEN as problem:
            yield replace(told, refused=f"it is no zip file that can be read ({problem})")
    else:
        yield replace(told, content=content)


def said_by(path: str, stem: str) -> HandedFile:
    """Return what the name of a file in an archive says of who handed it in, and when."""
    parts = path.split("/")
    copies = _copy_number(parts[-1])
    plain = HandedFile("", path, file=parts[-1], rank=(copies,))
    for part in parts:
        own = part == parts[-1]  # no folder: the platform put it all into the file's name
        if found := MOODLE.fullmatch(part):
            folder = f"{found['name']}_{found['user']}_assignsubmission_{found['kind']}"
            return replace(
                plain,
                lms="moodle",
                user=found["user"],
                labels=tuple(name_suffixes(found["name"])),
                folder=f"{folder}_" if own or part.endswith("_") else folder,
                file=(found["file"] if own else "") or plain.file,
            )
        if ANONYMOUS.fullmatch(part):
            return replace(plain, lms="canvas")
        # Canvas makes no folders; one that looks like its names was made by a person.
        found = CANVAS.fullmatch(part) if own or part.endswith(".zip") else None
        if found:
            return replace(
                plain,
                lms="canvas",
                user=found["user"],
                labels=(found["name"],),
                folder=part.removesuffix(found["file"]),
                file=found["file"] if own else plain.file,
                late=bool(found["late"]),
                rank=(int(found["file_id"]), copies),
            )
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
