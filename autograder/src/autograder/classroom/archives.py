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
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from autograder.classroom.platforms.protocol import HandedFile, Platform
from autograder.grading.kept import LimitReached, Share
from autograder.grading.submission import MAX_FILE_BYTES
from autograder.records.problems import Refused

MAX_ENTRIES = 200_000
MAX_TOTAL_BYTES = 2_000_000_000
MAX_INNER_BYTES = 40_000_000
# What is read of one student's: files, and their bytes. What is no notebook is not read, and costs nothing.
MAX_FILES_EACH, MAX_BYTES_EACH = 100, 120_000_000
# Of which one archive of theirs may hold so much, since it is unpacked within the limits of what is read.
MAX_UNPACKED_BYTES = 60_000_000

# What browsers and platforms add to the name of a file that is there already.
COPY = re.compile(r"([ _-]*\((?P<number>\d+)\)|-(?P<again>\d+)|[ _-]*copy ?\d*|^copy of )", re.IGNORECASE)
# What systems put into archives beside what people wrote.
NOISE = re.compile(r"(^|/)(__MACOSX/|\.ipynb_checkpoints/|\._|\.DS_Store$|desktop\.ini$|Thumbs\.db$)")
# What is raised by damage, and by ways to pack and to lock that Python lacks.
BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError)


# What a platform's own list does not name.
UNSAID = HandedFile("", "")


class BadArchive(Refused):
    """An archive cannot be opened at all; says why."""


@dataclass
class _Unit:
    """What one student handed in, as far as the archive's own names say, and what may still be read of it."""

    said: HandedFile
    files: int = field(default_factory=lambda: MAX_FILES_EACH)  # asked for late: tests lower it
    size: int = field(default_factory=lambda: MAX_BYTES_EACH)
    share: Share = field(default_factory=Share)


@dataclass(frozen=True)
class _File:
    """A file of an archive before it is read."""

    name: str
    modified: tuple[int, ...]
    size: int
    refused: str
    open: Callable[[], IO[bytes]]


def entries(path: Path, platforms: Collection[Platform]) -> Iterator[HandedFile]:
    """Every file in an archive, or in a folder where a browser has unpacked it already.

    Whose it is the platform says that made the archive: nothing that a student can name does.

    Raises:
        BadArchive: it cannot be opened, or holds too much to be what a class handed in.
    """
    if path.is_dir():
        yield from _of(path, list(_in_folder(path)), platforms)
        return
    try:
        with zipfile.ZipFile(path) as archive:
            yield from _of(path, list(_in_zip(archive)), platforms)
    except BROKEN as problem:
        raise BadArchive(f"{path} is no zip file that can be read: {problem}") from problem


def _in_folder(path: Path) -> Iterator[_File]:
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path).as_posix()
        if file.is_file() and not NOISE.search(name):
            linked = "it is a link to another place" if file.is_symlink() else ""
            yield _File(name, (), file.lstat().st_size, linked, partial(io.FileIO, file))


def _in_zip(archive: zipfile.ZipFile) -> Iterator[_File]:
    for info in archive.infolist():
        if not info.is_dir() and not NOISE.search(info.filename):
            opens = partial(archive.open, info)
            yield _File(info.filename, info.date_time, info.file_size, _refused(info), opens)


def _of(path: Path, files: Sequence[_File], platforms: Collection[Platform]) -> Iterator[HandedFile]:
    if len(files) > MAX_ENTRIES:
        raise BadArchive(f"{path.name} holds more than {MAX_ENTRIES} files, so nothing was read.")
    around = _folders_around([file.name for file in files], platforms)
    told = _told(files, around, platforms)
    platform = told or _platform_of([file.name[len(around) :] for file in files], platforms)
    units: dict[str, _Unit] = {}
    size = MAX_TOTAL_BYTES
    for file in files:
        inside = file.name[len(around) :]
        first = inside.split("/")[0]
        if isinstance(platform, dict):
            said = platform.get(first, UNSAID)
        else:
            said = said_by(inside, path.stem, platform) if platform else said_by(file.name, path.stem, None)
        unit = units.setdefault(first if said.lms else "/".join(file.name.split("/")[:-1]), _Unit(said))
        plain = replace(
            said, archive=path.name, path=file.name, modified=tuple(file.modified), share=unit.share
        )
        for one in _one(unit, plain, file):
            size -= len(one.content)
            if size < 0:
                most = f"{MAX_TOTAL_BYTES // 10**9} GB"
                raise BadArchive(f"{path.name} holds more than {most}, so nothing was taken from it.")
            yield one


def _one(unit: _Unit, plain: HandedFile, file: _File) -> Iterator[HandedFile]:
    """Yield a file, or where it is an archive itself, the notebooks in that."""
    inner = plain.path.lower().endswith(".zip")
    if file.refused or not (inner or may_be_notebook(plain.path)):
        yield replace(plain, refused=file.refused)
        return
    unit.files -= 1
    # What an archive says about sizes is not believed: reading itself stops.
    limit = MAX_INNER_BYTES if inner else MAX_FILE_BYTES
    if unit.files < 0:
        yield replace(plain, refused=f"there are more than {MAX_FILES_EACH} files of theirs")
        return
    try:
        with file.open() as opened:
            content = opened.read(min(limit, max(unit.size, 0)) + 1)
    except BROKEN as problem:
        yield replace(plain, refused=f"it cannot be read ({problem})")
        return
    unit.size -= len(content)
    if len(content) > limit:
        yield replace(plain, refused=f"it is larger than {limit // 1_000_000} MB")
    elif unit.size < 0:
        yield replace(plain, refused=f"their files hold more than {MAX_BYTES_EACH // 1_000_000} MB")
    elif inner:
        try:
            found, size = unit.share.within(
                unpacked, content, max(unit.files, 0), min(max(unit.size, 0), MAX_UNPACKED_BYTES)
            )
        except (LimitReached, *BROKEN) as problem:
            yield replace(plain, refused=f"it is no zip file that can be read ({problem})")
            return
        unit.size -= size
        for name, modified, text, refused in found:
            unit.files -= 1
            file_name = name.split("/")[-1]
            own = () if plain.lms else (*name.split("/")[:-1], file_name.partition(".")[0])
            yield replace(
                plain,
                path=f"{plain.path}/{name}",
                file=file_name,
                content=text,
                refused=refused,
                modified=modified,
                rank=(*plain.rank[:-1], _copy_number(file_name)),
                labels=(*plain.labels, *own),
            )
    else:
        yield replace(plain, content=content)


def unpacked(
    content: bytes, most: int, size: int
) -> tuple[list[tuple[str, tuple[int, ...], bytes, str]], int]:
    """Return the notebooks of a student's own archive: names, times, contents, and why one is not read.

    And how many bytes were read of it, those of what is too large among them.
    """
    found: list[tuple[str, tuple[int, ...], bytes, str]] = []
    left = size
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for file in _in_zip(archive):
            if not may_be_notebook(file.name):
                continue
            text, refused = b"", file.refused
            if len(found) >= most:
                found.append((file.name, (), b"", f"there are more than {MAX_FILES_EACH} files of theirs"))
                break
            if not refused:
                room = min(MAX_FILE_BYTES, max(left, 0))
                with file.open() as opened:
                    text = opened.read(room + 1)
                left -= len(text)
                if len(text) > room:
                    text, refused = b"", f"it is larger than {room // 1_000_000} MB"
            found.append((file.name, tuple(file.modified), text, refused))
    return found, size - left


def may_be_notebook(name: str) -> bool:
    """Tell whether a file may be a notebook, by its name: nothing else is unpacked."""
    last = name.rpartition("/")[2].lower()
    return ".ipynb" in last or last.rpartition(".")[2] in ("json", "txt", last)


def _refused(info: zipfile.ZipInfo) -> str:
    parts = PurePosixPath(info.filename.replace("\\", "/")).parts
    if ".." in parts or info.filename.startswith(("/", "\\")) or re.match("[A-Za-z]:", info.filename):
        return "its name leads out of the archive"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a link to another place"
    return "it is locked with a password" if info.flag_bits & 1 else ""


def _folders_around(names: Sequence[str], platforms: Collection[Platform]) -> str:
    """Return the folders that all files lie in, as where an archive was unpacked into one; no student's."""
    folders = [name.split("/")[:-1] for name in names]
    common = []
    for level in zip(*folders, strict=False):
        if len(set(level)) > 1 or any(one.read_name(level[0], False, UNSAID) for one in platforms):
            break
        common.append(level[0])
    return "".join(f"{one}/" for one in common)


def _told(
    files: Sequence[_File], around: str, platforms: Collection[Platform]
) -> dict[str, HandedFile] | None:
    """Return what a platform's own list in an archive says of its folders; None where there is no list."""
    for platform in platforms:
        for file in files:
            if platform.read_list and file.name == around + platform.list_name and not file.refused:
                with file.open() as opened:
                    told = platform.read_list(opened.read(MAX_FILE_BYTES))
                return {name: replace(said, lms=platform.name) for name, said in told.items()}
    return None


def _platform_of(names: Sequence[str], platforms: Collection[Platform]) -> Platform | None:
    """Return the platform that named most of what lies in an archive; of equals, by the shorter part."""
    counts: dict[str, tuple[int, int]] = {}
    found = {}
    for platform in platforms:
        said = [said_by(name, "", platform) for name in names]
        known = [one for one in said if one.lms]
        if known and 2 * len(known) >= len(names):
            counts[platform.name] = len(known), -sum(len(one.folder) for one in known)
            found[platform.name] = platform
    return found[max(counts, key=lambda name: counts[name])] if counts else None


def said_by(path: str, stem: str, platform: Platform | None) -> HandedFile:
    """Return what the name of a file in an archive says of who handed it in, and when.

    Where the first part of it is a platform's, that alone counts: no student can choose it. Where it is not,
    every part may be a name.
    """
    parts = path.split("/")
    plain = HandedFile("", path, file=parts[-1], rank=(_copy_number(parts[-1]),))
    if platform and (said := platform.read_name(parts[0], len(parts) == 1, plain)):
        return said
    name = parts[-1].partition(".")[0]
    labels = (*(part.removesuffix(".zip") for part in parts[:-1]), name, *name.split(" - ")[:-1], stem)
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
