"""Open archives from strangers, within limits.

A name inside an archive is used only as a label. Nothing is ever unpacked under that name. Every file of an
archive is named, even if its content is not read. Files that programs leave behind are only counted.
"""

from __future__ import annotations

import io
import lzma
import re
import stat
import tarfile
import time
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO

from autograder.grading.read_submission import MAX_FILE_BYTES

MAX_ENTRIES = 200_000
MAX_TOTAL_BYTES = 2_000_000_000
MAX_INNER_BYTES = 40_000_000
# What is read of one student's: files, and their bytes. What is no notebook is not read, and costs nothing.
MAX_FILES_EACH, MAX_BYTES_EACH = 100, 120_000_000
# Of which one archive of theirs may hold so much, since it is unpacked within the limits of what is read.
MAX_UNPACKED_BYTES = 60_000_000
# Files of an archive inside that are mentioned one by one.
MAX_MENTIONED = 1_000
MAX_DEPTH = 8
# What programs put beside what people wrote: a folder of theirs, or a file.
NOISE = re.compile(
    r"(^|/)(__MACOSX|\.ipynb_checkpoints|\.git|\.svn|\.hg|\.?venv|env|node_modules|__pycache__|site-packages"
    r"|\.cache|\.mypy_cache|\.pytest_cache|\.idea|\.vscode)/"
    r"|(^|/)(\._[^/]*|\.DS_Store|desktop\.ini|Thumbs\.db)$"
)
ZIP, TAR = (".zip",), (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
UNOPENED = (".7z", ".rar")
# What is raised by damage, and by ways to pack and to lock that Python lacks.
BROKEN = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError),
    RuntimeError,
)
DRIVE = re.compile("[A-Za-z]:")


@dataclass(frozen=True)
class PackedFile:
    """A file in an archive whose content has not been read."""

    name: str
    modified: tuple[int, ...]
    size: int
    refused: str
    open: Callable[[], IO[bytes]]


@dataclass(frozen=True)
class Member:
    """A file in a student's own archive. Its content is empty if it is not a notebook or was refused."""

    path: str
    modified: tuple[int, ...] = ()
    content: bytes = b""
    refused: str = ""


@dataclass(frozen=True)
class Unpacked:
    """The files in an archive that a student handed in, the number of ignored ones, and the bytes read."""

    members: list[Member]
    noise: int
    size: int


@contextmanager
def open_archive(file: IO[bytes], name: str) -> Iterator[Iterator[PackedFile]]:
    """Open a zip or tar archive, and yield its files.

    Args:
        file: the archive.
        name: its name, whose suffix tells its format.
    """
    if name.lower().endswith(TAR):
        with tarfile.open(fileobj=file) as archive:
            yield _in_tar(archive)
    else:
        with zipfile.ZipFile(file) as packed:
            yield _in_zip(packed)


def in_folder(path: Path) -> Iterator[PackedFile]:
    """Yield the files of a folder, as if it were an archive that a browser has already unpacked."""
    for file in sorted(path.rglob("*")):
        if file.is_file() or file.is_symlink():
            linked = "it is a link to another place" if file.is_symlink() else ""
            name = composed(file.relative_to(path).as_posix())
            yield PackedFile(name, (), file.lstat().st_size, linked, partial(io.FileIO, file))


def _in_zip(archive: zipfile.ZipFile) -> Iterator[PackedFile]:
    for info in archive.infolist():
        if not info.is_dir():
            name = _name_in_zip(info)
            locked = "it is locked with a password" if info.flag_bits & 1 else ""
            link = "it is a link to another place" if stat.S_ISLNK(info.external_attr >> 16) else ""
            refused = _leads_out(name) or link or locked
            yield PackedFile(name, info.date_time, info.file_size, refused, partial(archive.open, info))


def _name_in_zip(info: zipfile.ZipInfo) -> str:
    """Return a file's name, in whatever way a program wrote it.

    Many write UTF-8 without the flag that says so, Finder and rubyzip among them; PowerShell 5.1 writes
    backslashes between folders.
    """
    name = info.orig_filename
    if not info.flag_bits & 0x800:
        try:
            name = name.encode("cp437").decode("utf-8")
        except ValueError:
            name = info.orig_filename
    name = name.partition("\0")[0]
    return composed(name if "/" in name else name.replace("\\", "/"))


def _in_tar(archive: tarfile.TarFile) -> Iterator[PackedFile]:
    size = 0
    for number, info in enumerate(archive):
        size += info.size
        if number > MAX_ENTRIES or size > MAX_TOTAL_BYTES:
            raise tarfile.TarError("it holds too much")
        if not info.isdir():
            name = composed(info.name.removeprefix("./"))
            odd = "" if info.isfile() else "it is a link to another place"
            opens = partial(_in_memory, archive, info) if info.isfile() else io.BytesIO
            modified = time.localtime(info.mtime)[:6] if info.mtime > 0 else ()
            yield PackedFile(name, modified, info.size, _leads_out(name) or odd, opens)


def _in_memory(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    return archive.extractfile(info) or io.BytesIO()


def composed(name: str) -> str:
    """Return a name in Unicode normal form: macOS stores letters and their accents separately."""
    return unicodedata.normalize("NFC", name)


def _leads_out(name: str) -> str:
    outside = ".." in name.replace("\\", "/").split("/") or name.startswith(("/", "\\")) or DRIVE.match(name)
    return "its name leads out of the archive" if outside else ""


def unpacked(content: bytes, name: str, most: int, size: int, depth: int = MAX_DEPTH) -> Unpacked:
    """Return the files of a student's own archive, and of archives nested in it, within one budget.

    Args:
        content: the archive.
        name: its name, whose suffix tells its format.
        most: the number of notebooks that may be read.
        size: the number of bytes that may be read, including those of files that turn out to be too large.
        depth: the number of levels of nested archives that may be opened.
    """
    members: list[Member] = []
    noise, rest = 0, size
    with open_archive(io.BytesIO(content), name) as files:
        for file in files:
            inner = file.name.lower().endswith((*ZIP, *TAR))
            may_be_work = inner or may_be_notebook(file.name)
            if NOISE.search(file.name) or (len(members) >= MAX_MENTIONED and not may_be_work):
                noise += 1
                continue
            member = Member(file.name, tuple(file.modified), refused=file.refused)
            if file.name.lower().endswith(UNOPENED):
                member = replace(member, refused="archives of this kind are not opened here")
            if member.refused or not may_be_work:
                members.append(member)
                continue
            most -= 1
            room = min(MAX_INNER_BYTES if inner else MAX_FILE_BYTES, max(rest, 0))
            if most < 0:
                members.append(
                    replace(member, refused=f"there are more than {MAX_FILES_EACH} files of theirs")
                )
                continue
            with file.open() as opened:
                text = opened.read(room + 1)
            rest -= len(text)
            if len(text) > room:
                members.append(replace(member, refused=f"it is larger than {room // 1_000_000} MB"))
            elif not inner:
                members.append(replace(member, content=text))
            elif not depth:
                members.append(replace(member, refused="it lies in too many archives inside one another"))
            else:
                try:
                    deeper = unpacked(text, file.name, most, max(rest, 0), depth - 1)
                except BROKEN as problem:
                    members.append(replace(member, refused=f"it is no archive that can be read ({problem})"))
                    continue
                rest -= deeper.size
                noise += deeper.noise
                most -= sum(may_be_notebook(member.path) for member in deeper.members)
                members += [replace(member, path=f"{file.name}/{member.path}") for member in deeper.members]
    return Unpacked(members, noise, size - rest)


def may_be_notebook(name: str) -> bool:
    """Tell whether a file may be a notebook, by its name. Other files are not unpacked."""
    last = name.rpartition("/")[2].lower()
    return ".ipynb" in last or last.rpartition(".")[2] in ("json", "txt", last)
