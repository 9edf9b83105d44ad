"""Which lessons were built from what is there now, so that they need not be built again.

A stamp holds digests of all that a build of a lesson reads, of all that it wrote, and of the packages that it
used. Stamps are committed with what was built: so a fresh clone can tell what is up to date without a build.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path
from typing import NamedTuple

from autograder.records.course import FILE, Course
from autograder.records.files import write_whole

KEPT = ".built.json"
TOOL = Path(__file__).parents[1]
# No build enters these: `author` may not import them.
OTHER_ROOMS = frozenset({"classroom", "command", "grading", "live", "lti"})
# A build writes the first two, and Python the third.
NOT_READ = (".ipynb", ".mo", ".pyc")


class _File(NamedTuple):
    names: frozenset[str]  # of the file and of the folders that it lies in, without endings
    digest: bytes  # of its place and its content


class Stamps:
    """The stamps of some lessons, read before a build begins.

    Attributes:
        unchanged: the lessons of which all is as a build read and wrote it, on whatever machine.
        current: those of them that were built with the packages of this machine.
    """

    def __init__(self, course: Course, lessons: Sequence[str]) -> None:
        self._course = course
        self._kept = _kept(course.root / KEPT)
        self._packages = _packages()
        self._read = _what_is_read(course, lessons)
        written = _what_was_written(course, lessons)
        built = {lesson: self._kept.get(lesson, ("", "", "")) for lesson in lessons}
        self.unchanged = tuple(
            lesson for lesson in lessons if built[lesson][:2] == (self._read[lesson], written[lesson])
        )
        self.current = tuple(lesson for lesson in self.unchanged if built[lesson][2] == self._packages)

    def keep(self, built: Sequence[str]) -> None:
        """Keep the stamps of lessons that were built from what was there at the beginning.

        Where they cannot be written, all is built again the next time.
        """
        written = _what_was_written(self._course, built)
        stamps = self._kept | {
            lesson: (self._read[lesson], written[lesson], self._packages) for lesson in built
        }
        with suppress(OSError):
            write_whole(self._course.root / KEPT, (json.dumps(stamps, indent=1) + "\n").encode())


def _kept(file: Path) -> dict[str, tuple[str, str, str]]:
    with suppress(OSError, ValueError, TypeError, AttributeError):
        kept = json.loads(file.read_bytes())
        return {name: (str(read), str(written), str(used)) for name, (read, written, used) in kept.items()}
    return {}


def _packages() -> str:
    versions = sorted({f"{each.name} {each.version}" for each in distributions()})
    return hashlib.sha256("\n".join((sys.version, *versions)).encode()).hexdigest()


def _what_is_read(course: Course, lessons: Sequence[str]) -> dict[str, str]:
    """Return the digest of what each lesson's build reads: sources, translations, figures and the tool."""
    folders = [course.source, course.root / "locale", *course.packages().values()]
    folders += [course.tool / "locale"] if course.tool else []
    files = [file for folder in folders for file in _files(folder)]
    files += [_read(course.root, course.root / name) for name in (FILE, "nbgrader_config.py")]
    tool = [file.digest for file in _files(TOOL, OTHER_ROOMS)]
    found = {}
    for lesson in lessons:
        others = set(course.lessons) - {lesson}
        own = [file.digest for file in files if not others & file.names]
        found[lesson] = hashlib.sha256(b"".join((*tool, *own))).hexdigest()
    return found


def _what_was_written(course: Course, lessons: Sequence[str]) -> dict[str, str]:
    """Return the digest of each lesson's files in the bank, `notebooks/` and `solutions/`."""
    folders = (course.bank, course.root / "notebooks", course.root / "solutions")
    files = [file for folder in folders for file in _files(folder, endings=())]
    return {
        lesson: hashlib.sha256(b"".join(file.digest for file in files if lesson in file.names)).hexdigest()
        for lesson in lessons
    }


def _files(root: Path, without: Collection[str] = (), endings: Collection[str] = NOT_READ) -> Iterator[_File]:
    """Yield the files below a folder, but for hidden ones, those with some endings and some folders in it."""
    for folder, below, names in os.walk(root):
        here = Path(folder)
        skipped = without if here == root else ()
        below[:] = sorted(name for name in below if not name.startswith(".") and name not in skipped)
        for name in sorted(names):
            if not name.startswith(".") and Path(name).suffix not in endings:
                yield _read(root, here / name)


def _read(root: Path, file: Path) -> _File:
    inside = file.relative_to(root)
    content = file.read_bytes() if file.is_file() else b""
    digest = hashlib.sha256(inside.as_posix().encode() + b"\0" + content).digest()
    return _File(frozenset(part.split(".")[0] for part in inside.parts), digest)
