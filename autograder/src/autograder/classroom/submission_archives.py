"""Read a class's submissions from an archive, with each file's owner as the platform states it.

Every file of an archive is returned as a `HandedFile`, even one whose content is not read. Files that
programs leave behind are only counted.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from autograder.classroom.file_names import (
    UNSAID,
    copy_number,
    folders_around,
    guesses_in,
    owner_by_name,
    platform_of,
    stems,
)
from autograder.classroom.platforms.protocol import Guess, HandedFile, Platform
from autograder.classroom.unpacking import (
    BROKEN,
    MAX_BYTES_EACH,
    MAX_ENTRIES,
    MAX_FILES_EACH,
    MAX_INNER_BYTES,
    MAX_TOTAL_BYTES,
    MAX_UNPACKED_BYTES,
    NOISE,
    TAR,
    UNOPENED,
    ZIP,
    PackedFile,
    composed,
    in_folder,
    may_be_notebook,
    open_archive,
    unpacked,
)
from autograder.grading.read_submission import MAX_FILE_BYTES
from autograder.grading.reader_processes import LimitReached, TimeBudget
from autograder.records.authoring_errors import UserError

# A platform's own list of an archive; one with all results of a large class is long.
MAX_LIST_BYTES = 200_000_000


class BadArchive(UserError):
    """An archive cannot be opened. The message says why."""


@dataclass
class _Unit:
    """What one student handed in, as far as the archive's own names say, and what may still be read of it."""

    owner: HandedFile
    files: int = field(default_factory=lambda: MAX_FILES_EACH)  # asked for late: tests lower it
    size: int = field(default_factory=lambda: MAX_BYTES_EACH)
    share: TimeBudget = field(default_factory=TimeBudget)


def entries(
    path: Path, platforms: Collection[Platform], wanted: Callable[[str], bool] | None = None
) -> Iterator[HandedFile]:
    """Yield every file in an archive, in a folder that a browser has unpacked, or in a single notebook.

    Only the platform's own naming decides who owns a file, not a name that a student can choose.

    Args:
        path: the archive, folder or notebook.
        platforms: the platforms that it may come from.
        wanted: tells by a file's name whether to read its content; by default, possible notebooks are read.

    Raises:
        BadArchive: the archive cannot be opened, or is too large to be a class's submissions.
    """
    if path.is_dir():
        yield from _of(path, list(in_folder(path)), platforms, wanted or may_be_notebook)
        return
    if path.name.lower().endswith(UNOPENED):
        raise BadArchive(
            f"{path}: archives of this kind are not opened here. Unpack it, and name the folder."
        )
    try:
        if path.suffix.lower() in (".ipynb", ".json", ".txt", ".html"):
            lone = PackedFile(composed(path.name), (), path.stat().st_size, "", partial(io.FileIO, path))
            yield from _of(path, [lone], platforms, wanted or may_be_notebook)
            return
        with path.open("rb") as file, open_archive(file, path.name) as files:
            yield from _of(path, list(files), platforms, wanted or may_be_notebook)
    except BROKEN as problem:
        what = "tar" if path.name.lower().endswith(TAR) else "zip"
        raise BadArchive(f"{path} is no {what} file that can be read: {problem}") from problem


def _of(
    path: Path, files: Sequence[PackedFile], platforms: Collection[Platform], wanted: Callable[[str], bool]
) -> Iterator[HandedFile]:
    if len(files) > MAX_ENTRIES:
        raise BadArchive(f"{path.name} holds more than {MAX_ENTRIES} files, so nothing was read.")
    theirs = [file for file in files if not NOISE.search(file.name)]
    if len(theirs) < len(files):
        yield replace(UNSAID, archive=path.name, noise=len(files) - len(theirs))
    around = folders_around([file.name for file in theirs], platforms)
    listed = _listed(theirs, around, platforms)
    platform = listed or platform_of([file.name[len(around) :] for file in theirs], platforms)
    stem = "" if path.is_file() and theirs and path.name == theirs[0].name else path.stem
    all_said = [_first_folder_and_owner(file, around, stem, platform) for file in theirs]
    agreed = _agreed(all_said)
    units: dict[str, _Unit] = {}
    size = MAX_TOTAL_BYTES
    for file, (first, handed_file) in zip(theirs, all_said, strict=True):
        handed_file = replace(handed_file, guesses=tuple(agreed[guess] for guess in handed_file.guesses))
        unit = units.setdefault(
            first if handed_file.lms else "/".join(file.name.split("/")[:-1]), _Unit(handed_file)
        )
        plain = replace(
            handed_file, archive=path.name, path=file.name, modified=tuple(file.modified), share=unit.share
        )
        for entry in _read(unit, plain, file, wanted):
            size -= len(entry.content)
            if size < 0:
                most = f"{MAX_TOTAL_BYTES // 10**9} GB"
                raise BadArchive(f"{path.name} holds more than {most}, so nothing was taken from it.")
            yield entry


def _first_folder_and_owner(
    file: PackedFile, around: str, stem: str, platform: Platform | dict[str, HandedFile] | None
) -> tuple[str, HandedFile]:
    """Return the folder or file that is one person's, and what its names say."""
    inside = file.name[len(around) :]
    first = inside.split("/")[0]
    if isinstance(platform, dict):
        return first, platform.get(first, UNSAID)
    if platform and (owner := owner_by_name(inside, stem, platform)).lms:
        return first, owner
    folder = first if "/" in inside else around.rstrip("/").rpartition("/")[2]
    owner = owner_by_name(file.name if not platform else inside, stem, None)
    return folder or first, replace(owner, guesses=guesses_in(folder))


def _agreed(all_said: Sequence[tuple[str, HandedFile]]) -> dict[Guess, Guess]:
    """Return the guesses of an archive, each with whether the archive's other files bear it out."""
    folders = {
        handed_file.folder if handed_file.lms else first: handed_file
        for first, handed_file in all_said
        if handed_file.lms or handed_file.guesses
    }
    counts = Counter(
        prefix
        for handed_file in folders.values()
        for prefix in {guess.prefix for guess in handed_file.guesses}
    )
    least = {
        handed_file.lms: len(folders) if handed_file.lms else max(2, len(folders))
        for handed_file in folders.values()
    }
    return {
        guess: replace(guess, shared=counts[guess.prefix] >= (least[handed_file.lms] if guess.by_all else 2))
        for handed_file in folders.values()
        for guess in handed_file.guesses
    }


def _read(
    unit: _Unit, plain: HandedFile, file: PackedFile, wanted: Callable[[str], bool]
) -> Iterator[HandedFile]:
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
        contents = unit.share.within(unpacked, content, plain.path, *room)
    except (LimitReached, *BROKEN) as problem:
        yield replace(plain, refused=f"it is no archive that can be read ({problem})")
        return
    unit.size -= contents.size
    if contents.noise:
        yield replace(plain, path=f"{plain.path}/…", noise=contents.noise)
    if not contents.members:
        yield replace(plain, what="an archive that holds no file of theirs")
    for member in contents.members:
        unit.files -= may_be_notebook(member.path)
        name = member.path.split("/")[-1]
        labels = () if plain.lms else (*member.path.split("/")[:-1], *stems(name))
        yield replace(
            plain,
            path=f"{plain.path}/{member.path}",
            file=name,
            content=member.content,
            refused=member.refused,
            modified=member.modified or plain.modified,
            copy=copy_number(name),
            labels=(*plain.labels, *labels),
        )


def _listed(
    files: Sequence[PackedFile], around: str, platforms: Collection[Platform]
) -> dict[str, HandedFile] | None:
    """Return what a platform's own list in an archive says of its folders; None where there is no list."""
    for platform in platforms:
        for file in files:
            if platform.read_list and file.name == around + platform.list_name and not file.refused:
                with file.open() as opened:
                    owners = platform.read_list(opened.read(MAX_LIST_BYTES))
                return {name: replace(entry, lms=platform.name) for name, entry in owners.items()}
    return None
