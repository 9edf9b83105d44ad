"""What the names in an archive say of who handed something in, and when."""

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
    """Return the folders that all files lie in, as where an archive was unpacked into one; no student's."""
    folders = [name.split("/")[:-1] for name in names]
    common = []
    for level in zip(*folders, strict=False):
        if len(set(level)) > 1 or any(platform.read_name(level[0], False, UNSAID) for platform in platforms):
            break
        common.append(level[0])
    return "".join(f"{folder}/" for folder in common)


def platform_of(names: Sequence[str], platforms: Collection[Platform]) -> Platform | None:
    """Return the platform that named most of what lies in an archive; of equals, by the shorter part."""
    counts: dict[str, tuple[int, int]] = {}
    known_by = {}
    for platform in platforms:
        named = [owner for name in names if (owner := owner_by_name(name, "", platform)).lms]
        if named and 2 * len(named) >= len(names):
            counts[platform.name] = len(named), -sum(len(owner.folder) for owner in named)
            known_by[platform.name] = platform
    return known_by[max(counts, key=lambda name: counts[name])] if counts else None


def owner_by_name(path: str, stem: str, platform: Platform | None) -> HandedFile:
    """Return what the name of a file in an archive says of who handed it in, and when.

    Where the first part of it is a platform's, that alone counts: no student can choose it. Where it is not,
    every part may be a name.
    """
    parts = path.split("/")
    plain = HandedFile("", path, file=parts[-1], copy=copy_number(parts[-1]))
    if platform and (owner := platform.read_name(parts[0], len(parts) == 1, plain)):
        return owner
    names = stems(parts[-1])
    labels = (*(part.removesuffix(".zip") for part in parts[:-1]), *names, *names[0].split(" - ")[:-1], stem)
    return replace(plain, labels=labels)


def guesses_in(folder: str) -> tuple[Guess, ...]:
    """Return what a folder's name may say of somebody after a prefix that all folders share.

    So GitHub Classroom calls repositories: `01-dot-product-jdoe`.
    """
    words = folder.split("-")
    ends = range(1, len(words))
    return tuple(Guess("-".join(words[end:]), "-".join(words[:end]), by_all=True) for end in ends)


def stems(file: str) -> tuple[str, ...]:
    """Return a file's name without its ending, and without what a browser added to a copy."""
    start, dot, _ = file.partition(".ipynb")
    stem = start if dot else file.rpartition(".")[0] or file
    return tuple(dict.fromkeys((stem, COPY.sub("", stem))))


def copy_number(file: str) -> int:
    """Return what a browser numbered a copy of a file; 0 where it did not."""
    match = COPY.search(file.rpartition(".")[0])
    return int((match["number"] or match["again"] or 0) if match else 0)


def handed_in_by_name(file: str, lesson: str) -> tuple[str, ...]:
    """Return what a file's name says beside the lesson's: `amy` in `amy_01-dot-product (1).ipynb`."""
    stem = COPY.sub("", file.rpartition(".")[0])
    rest = re.sub(re.escape(lesson).replace(r"\-", "[-_ ]"), "", stem, flags=re.IGNORECASE)
    return (rest,) if rest != stem else ()
