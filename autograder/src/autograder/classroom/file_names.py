"""Read the names of files in an archive: who submitted a file, and when."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from autograder.classroom.platforms.protocol import Guess, HandedFile, Platform

# What browsers and platforms add to the name of a file that is there already.
COPY = re.compile(r"([ _-]*\((?P<number>\d+)\)|-(?P<again>\d{1,3})|[ _-]*copy ?\d*|^copy of )", re.IGNORECASE)
# What a platform's own list does not name.
UNSAID = HandedFile("", "")


def folders_around(names: Sequence[str], platforms: Collection[Platform]) -> str:
    """Return the folders that contain all files, such as one into which an archive was unpacked.

    A folder that a platform has named for a student is not among them.
    """
    folders = [name.split("/")[:-1] for name in names]
    common = []
    for level in zip(*folders, strict=False):
        if len(set(level)) > 1 or any(platform.read_name(level[0], False, UNSAID) for platform in platforms):
            break
        common.append(level[0])
    return "".join(f"{folder}/" for folder in common)


def platform_of(names: Sequence[str], platforms: Collection[Platform]) -> Platform | None:
    """Return the platform whose naming fits most files of an archive; None if none fits at least half."""
    counts: dict[str, tuple[int, int]] = {}
    known_by = {}
    for platform in platforms:
        named = [owner for name in names if (owner := owner_by_name(name, "", platform)).lms]
        if named and 2 * len(named) >= len(names):
            counts[platform.name] = len(named), -sum(len(owner.folder) for owner in named)
            known_by[platform.name] = platform
    return known_by[max(counts, key=lambda name: counts[name])] if counts else None


def owner_by_name(path: str, stem: str, platform: Platform | None) -> HandedFile:
    """Return the owner and time of a file, as its name in an archive states them.

    If a platform has named the first part of the path, only that part counts, since students cannot choose
    it. Otherwise, every part may be a name.

    Args:
        path: the file's path in the archive.
        stem: the archive's name without its suffix.
        platform: the platform that made the archive, if it is known.
    """
    parts = path.split("/")
    plain = HandedFile("", path, file=parts[-1], copy=copy_number(parts[-1]))
    if platform and (owner := platform.read_name(parts[0], len(parts) == 1, plain)):
        return owner
    names = stems(parts[-1])
    labels = (*(part.removesuffix(".zip") for part in parts[:-1]), *names, *names[0].split(" - ")[:-1], stem)
    return replace(plain, labels=labels)


def guesses_in(folder: str) -> tuple[Guess, ...]:
    """Return the possible names in a folder's name after a prefix that all folders share.

    GitHub Classroom names repositories so: `01-dot-product-jdoe`.
    """
    words = folder.split("-")
    ends = range(1, len(words))
    return tuple(Guess("-".join(words[end:]), "-".join(words[:end]), by_all=True) for end in ends)


def stems(file: str) -> tuple[str, ...]:
    """Return a file's name without its suffix, and also without the number that a browser adds to a copy."""
    start, dot, _ = file.partition(".ipynb")
    stem = start if dot else file.rpartition(".")[0] or file
    return tuple(dict.fromkeys((stem, COPY.sub("", stem))))


def copy_number(file: str) -> int:
    """Return the number that a browser added to the name of a copy; 0 if there is none."""
    match = COPY.search(file.rpartition(".")[0])
    return int((match["number"] or match["again"] or 0) if match else 0)


def handed_in_by_name(file: str, lesson: str) -> tuple[str, ...]:
    """Return what a file's name holds beside its lesson's name, as a tuple of one; () without that name."""
    stem = COPY.sub("", file.rpartition(".")[0])
    rest = re.sub(re.escape(lesson).replace(r"\-", "[-_ ]"), "", stem, flags=re.IGNORECASE)
    return (rest,) if rest != stem else ()
