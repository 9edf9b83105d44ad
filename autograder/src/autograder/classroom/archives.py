"""Archives as strangers filled them: what lies in them, read within limits, and what its names say.

A name inside an archive is only a label here. Nothing is ever unpacked under it. Every file of an archive
comes back as a `HandedFile`, even one that is not read; files that programs keep come back as a number.
"""

from __future__ import annotations

import io
import lzma
import re
import stat
import tarfile
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO

from autograder.classroom.platforms.protocol import Guess, HandedFile, Platform
from autograder.grading.read_submission import MAX_FILE_BYTES
from autograder.grading.worker_pool import LimitReached, TimeBudget
from autograder.records.errors import UserError

MAX_ENTRIES = 200_000
MAX_TOTAL_BYTES = 2_000_000_000
MAX_INNER_BYTES = 40_000_000
# A platform's own list of an archive; one with all results of a large class is long.
MAX_LIST_BYTES = 200_000_000
# What is read of one student's: files, and their bytes. What is no notebook is not read, and costs nothing.
MAX_FILES_EACH, MAX_BYTES_EACH = 100, 120_000_000
# Of which one archive of theirs may hold so much, since it is unpacked within the limits of what is read.
MAX_UNPACKED_BYTES = 60_000_000
# Files of an archive inside that are mentioned one by one.
MAX_MENTIONED = 1_000
MAX_DEPTH = 8

# What browsers and platforms add to the name of a file that is there already.
COPY = re.compile(r"([ _-]*\((?P<number>\d+)\)|-(?P<again>\d{1,3})|[ _-]*copy ?\d*|^copy of )", re.IGNORECASE)
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


# What a platform's own list does not name.
UNSAID = HandedFile("", "")


class BadArchive(UserError):
    """An archive cannot be opened at all; says why."""


@dataclass
class _Unit:
    """What one student handed in, as far as the archive's own names say, and what may still be read of it."""

    said: HandedFile
    files: int = field(default_factory=lambda: MAX_FILES_EACH)  # asked for late: tests lower it
    size: int = field(default_factory=lambda: MAX_BYTES_EACH)
    share: TimeBudget = field(default_factory=TimeBudget)


@dataclass(frozen=True)
class _File:
    """A file of an archive before it is read."""

    name: str
    modified: tuple[int, ...]
    size: int
    refused: str
    open: Callable[[], IO[bytes]]


@dataclass(frozen=True)
class Member:
    """A file of a student's own archive; its content is empty where it is no notebook, or was refused."""

    path: str
    modified: tuple[int, ...] = ()
    content: bytes = b""
    refused: str = ""


@dataclass(frozen=True)
class Unpacked:
    """The files of a student's own archive, how many programs left in it, and the bytes that were read."""

    members: list[Member]
    noise: int
    size: int


def entries(
    path: Path, platforms: Collection[Platform], wanted: Callable[[str], bool] | None = None
) -> Iterator[HandedFile]:
    """Yield every file in an archive, in a folder where a browser has unpacked it already, or one notebook.

    Whose it is the platform says that made the archive: nothing that a student can name does.

    Args:
        path: the archive, folder or notebook.
        platforms: those that it may come from.
        wanted: tells by its name whether a file is read; what may be a notebook if none.

    Raises:
        BadArchive: it cannot be opened, or holds too much to be what a class handed in.
    """
    if path.is_dir():
        yield from _of(path, list(_in_folder(path)), platforms, wanted or may_be_notebook)
        return
    if path.name.lower().endswith(UNOPENED):
        raise BadArchive(
            f"{path}: archives of this kind are not opened here. Unpack it, and name the folder."
        )
    try:
        if path.suffix.lower() in (".ipynb", ".json", ".txt", ".html"):
            lone = _File(_composed(path.name), (), path.stat().st_size, "", partial(io.FileIO, path))
            yield from _of(path, [lone], platforms, wanted or may_be_notebook)
            return
        with path.open("rb") as file, _opened(file, path.name) as files:
            yield from _of(path, list(files), platforms, wanted or may_be_notebook)
    except BROKEN as problem:
        what = "tar" if path.name.lower().endswith(TAR) else "zip"
        raise BadArchive(f"{path} is no {what} file that can be read: {problem}") from problem


@contextmanager
def _opened(file: IO[bytes], name: str) -> Iterator[Iterator[_File]]:
    """Open an archive and yield its files, by the archive's name."""
    if name.lower().endswith(TAR):
        with tarfile.open(fileobj=file) as archive:
            yield _in_tar(archive)
    else:
        with zipfile.ZipFile(file) as packed:
            yield _in_zip(packed)


def _in_folder(path: Path) -> Iterator[_File]:
    for file in sorted(path.rglob("*")):
        if file.is_file() or file.is_symlink():
            linked = "it is a link to another place" if file.is_symlink() else ""
            name = _composed(file.relative_to(path).as_posix())
            yield _File(name, (), file.lstat().st_size, linked, partial(io.FileIO, file))


def _in_zip(archive: zipfile.ZipFile) -> Iterator[_File]:
    for info in archive.infolist():
        if not info.is_dir():
            name = _name_in_zip(info)
            locked = "it is locked with a password" if info.flag_bits & 1 else ""
            link = "it is a link to another place" if stat.S_ISLNK(info.external_attr >> 16) else ""
            refused = _leads_out(name) or link or locked
            yield _File(name, info.date_time, info.file_size, refused, partial(archive.open, info))


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
    return _composed(name if "/" in name else name.replace("\\", "/"))


def _in_tar(archive: tarfile.TarFile) -> Iterator[_File]:
    size = 0
    for number, info in enumerate(archive):
        size += info.size
        if number > MAX_ENTRIES or size > MAX_TOTAL_BYTES:
            raise tarfile.TarError("it holds too much")
        if not info.isdir():
            name = _composed(info.name.removeprefix("./"))
            odd = "" if info.isfile() else "it is a link to another place"
            opens = partial(_in_memory, archive, info) if info.isfile() else io.BytesIO
            yield _File(name, (), info.size, _leads_out(name) or odd, opens)


def _in_memory(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    return archive.extractfile(info) or io.BytesIO()


def _composed(name: str) -> str:
    """Return a name in one normal form: macOS writes letters and their accents apart."""
    return unicodedata.normalize("NFC", name)


def _leads_out(name: str) -> str:
    outside = ".." in name.replace("\\", "/").split("/") or name.startswith(("/", "\\")) or DRIVE.match(name)
    return "its name leads out of the archive" if outside else ""


def _of(
    path: Path, files: Sequence[_File], platforms: Collection[Platform], wanted: Callable[[str], bool]
) -> Iterator[HandedFile]:
    if len(files) > MAX_ENTRIES:
        raise BadArchive(f"{path.name} holds more than {MAX_ENTRIES} files, so nothing was read.")
    theirs = [file for file in files if not NOISE.search(file.name)]
    if len(theirs) < len(files):
        yield replace(UNSAID, archive=path.name, noise=len(files) - len(theirs))
    around = _folders_around([file.name for file in theirs], platforms)
    listed = _listed(theirs, around, platforms)
    platform = listed or _platform_of([file.name[len(around) :] for file in theirs], platforms)
    stem = "" if path.is_file() and theirs and path.name == theirs[0].name else path.stem
    all_said = [_said(file, around, stem, platform) for file in theirs]
    agreed = _agreed([said for _, said in all_said])
    units: dict[str, _Unit] = {}
    size = MAX_TOTAL_BYTES
    for file, (first, said) in zip(theirs, all_said, strict=True):
        said = replace(said, guesses=tuple(agreed[guess] for guess in said.guesses))
        unit = units.setdefault(first if said.lms else "/".join(file.name.split("/")[:-1]), _Unit(said))
        plain = replace(
            said, archive=path.name, path=file.name, modified=tuple(file.modified), share=unit.share
        )
        for entry in _read(unit, plain, file, wanted):
            size -= len(entry.content)
            if size < 0:
                most = f"{MAX_TOTAL_BYTES // 10**9} GB"
                raise BadArchive(f"{path.name} holds more than {most}, so nothing was taken from it.")
            yield entry


def _said(
    file: _File, around: str, stem: str, platform: Platform | dict[str, HandedFile] | None
) -> tuple[str, HandedFile]:
    """Return the first part of a file's name that is no folder around all, and what its names say."""
    inside = file.name[len(around) :]
    first = inside.split("/")[0]
    if isinstance(platform, dict):
        return first, platform.get(first, UNSAID)
    return first, said_by(inside, stem, platform) if platform else said_by(file.name, stem, None)


def _agreed(all_said: Sequence[HandedFile]) -> dict[Guess, Guess]:
    """Return the guesses of an archive, each with whether the archive's other files bear it out."""
    folders = {said.folder: said.guesses for said in all_said if said.lms}
    counts = Counter(prefix for guesses in folders.values() for prefix in {guess.prefix for guess in guesses})
    return {
        guess: replace(guess, shared=counts[guess.prefix] >= (len(folders) if guess.by_all else 2))
        for guesses in folders.values()
        for guess in guesses
    }


def _read(unit: _Unit, plain: HandedFile, file: _File, wanted: Callable[[str], bool]) -> Iterator[HandedFile]:
    """Yield a file, or where it is an archive itself, the files in that."""
    inner = plain.path.lower().endswith((*ZIP, *TAR))
    if plain.path.lower().endswith(UNOPENED) and not file.refused:
        file = replace(
            file, refused="archives of this kind are not opened here: unpack it, and collect the folder"
        )
    if file.refused or not (inner or wanted(plain.path)):
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
        yield from _unpack(unit, plain, content)
    else:
        yield replace(plain, content=content)


def _unpack(unit: _Unit, plain: HandedFile, content: bytes) -> Iterator[HandedFile]:
    """Yield the files of a student's own archive."""
    room = max(unit.files, 0), min(max(unit.size, 0), MAX_UNPACKED_BYTES)
    try:
        found = unit.share.within(unpacked, content, plain.path, *room)
    except (LimitReached, *BROKEN) as problem:
        yield replace(plain, refused=f"it is no archive that can be read ({problem})")
        return
    unit.size -= found.size
    if found.noise:
        yield replace(plain, path=f"{plain.path}/…", noise=found.noise)
    if not found.members:
        yield replace(plain, what="an archive that holds no file of theirs")
    for member in found.members:
        unit.files -= may_be_notebook(member.path)
        name = member.path.split("/")[-1]
        own = () if plain.lms else (*member.path.split("/")[:-1], *stems(name))
        yield replace(
            plain,
            path=f"{plain.path}/{member.path}",
            file=name,
            content=member.content,
            refused=member.refused,
            modified=member.modified or plain.modified,
            copy=_copy_number(name),
            labels=(*plain.labels, *own),
        )


def unpacked(content: bytes, name: str, most: int, size: int, depth: int = MAX_DEPTH) -> Unpacked:
    """Return the files of a student's own archive, and of archives in it to any depth, within one budget.

    Args:
        content: the archive.
        name: its name, by whose ending it is opened.
        most: notebooks that may be read of it.
        size: bytes that may be read of it, those of what is too large among them.
        depth: archives inside one another that may be opened.
    """
    members: list[Member] = []
    noise, rest = 0, size
    with _opened(io.BytesIO(content), name) as files:
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
                most -= sum(may_be_notebook(found.path) for found in deeper.members)
                members += [replace(found, path=f"{file.name}/{found.path}") for found in deeper.members]
    return Unpacked(members, noise, size - rest)


def may_be_notebook(name: str) -> bool:
    """Tell whether a file may be a notebook, by its name: nothing else is unpacked."""
    last = name.rpartition("/")[2].lower()
    return ".ipynb" in last or last.rpartition(".")[2] in ("json", "txt", last)


def _folders_around(names: Sequence[str], platforms: Collection[Platform]) -> str:
    """Return the folders that all files lie in, as where an archive was unpacked into one; no student's."""
    folders = [name.split("/")[:-1] for name in names]
    common = []
    for level in zip(*folders, strict=False):
        if len(set(level)) > 1 or any(platform.read_name(level[0], False, UNSAID) for platform in platforms):
            break
        common.append(level[0])
    return "".join(f"{folder}/" for folder in common)


def _listed(
    files: Sequence[_File], around: str, platforms: Collection[Platform]
) -> dict[str, HandedFile] | None:
    """Return what a platform's own list in an archive says of its folders; None where there is no list."""
    for platform in platforms:
        for file in files:
            if platform.read_list and file.name == around + platform.list_name and not file.refused:
                with file.open() as opened:
                    said = platform.read_list(opened.read(MAX_LIST_BYTES))
                return {name: replace(entry, lms=platform.name) for name, entry in said.items()}
    return None


def _platform_of(names: Sequence[str], platforms: Collection[Platform]) -> Platform | None:
    """Return the platform that named most of what lies in an archive; of equals, by the shorter part."""
    counts: dict[str, tuple[int, int]] = {}
    known_by = {}
    for platform in platforms:
        known = [said for name in names if (said := said_by(name, "", platform)).lms]
        if known and 2 * len(known) >= len(names):
            counts[platform.name] = len(known), -sum(len(said.folder) for said in known)
            known_by[platform.name] = platform
    return known_by[max(counts, key=lambda name: counts[name])] if counts else None


def said_by(path: str, stem: str, platform: Platform | None) -> HandedFile:
    """Return what the name of a file in an archive says of who handed it in, and when.

    Where the first part of it is a platform's, that alone counts: no student can choose it. Where it is not,
    every part may be a name.
    """
    parts = path.split("/")
    plain = HandedFile("", path, file=parts[-1], copy=_copy_number(parts[-1]))
    if platform and (said := platform.read_name(parts[0], len(parts) == 1, plain)):
        return said
    names = stems(parts[-1])
    labels = (*(part.removesuffix(".zip") for part in parts[:-1]), *names, *names[0].split(" - ")[:-1], stem)
    return replace(plain, labels=labels)


def stems(file: str) -> tuple[str, ...]:
    """Return a file's name without its ending, and without what a browser added to a copy."""
    start, dot, _ = file.partition(".ipynb")
    stem = start if dot else file.rpartition(".")[0] or file
    return tuple(dict.fromkeys((stem, COPY.sub("", stem))))


def _copy_number(file: str) -> int:
    match = COPY.search(file.rpartition(".")[0])
    return int((match["number"] or match["again"] or 0) if match else 0)


def handed_in_by_name(file: str, lesson: str) -> tuple[str, ...]:
    """Return what a file's name says beside the lesson's: `amy` in `amy_01-dot-product (1).ipynb`."""
    stem = COPY.sub("", file.rpartition(".")[0])
    rest = re.sub(re.escape(lesson).replace(r"\-", "[-_ ]"), "", stem, flags=re.IGNORECASE)
    return (rest,) if rest != stem else ()
