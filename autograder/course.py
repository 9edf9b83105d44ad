"""A course: a folder with a `course.toml`, which says what the tool cannot know of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from autograder.codec import read_toml
from autograder.files import Identity, identity
from autograder.problems import AuthoringError

if TYPE_CHECKING:
    from autograder.bank import LessonBank

FILE = "course.toml"
# Set to a folder that holds a bank with its `course.toml` beside it: that course counts, and no other.
PACKED = "AUTOGRADER_COURSE"
# Where an installed package says in which folder of it such a bank lies, as "package:folder".
GROUP = "autograder.courses"
NAME_FORM = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Site:
    """What the course's site is told: where the course can be had, and its glossary."""

    repository: str = ""  # the address of its public Git repository; without it, no lesson opens elsewhere
    branch: str = "main"
    hub: str = ""  # the address of a JupyterHub that has nbgitpuller
    glossary: str = ""  # a TOML file of terms; in the file, as seen from there

    def doors(self, lesson: str) -> list[tuple[str, str]]:
        """Where a lesson can be opened: each place with its address."""
        if not self.repository:
            return []
        path = f"notebooks/{lesson}/{lesson}.ipynb"
        project = urlsplit(self.repository).path.strip("/").removesuffix(".git")
        found = [
            ("Colab", f"https://colab.research.google.com/github/{project}/blob/{self.branch}/{path}"),
            ("Binder", f"https://mybinder.org/v2/gh/{project}/{self.branch}?labpath={quote(path, safe='')}"),
        ]
        if self.hub:
            folder = project.rpartition("/")[2]
            pulled = {
                "repo": self.repository,
                "branch": self.branch,
                "urlpath": f"lab/tree/{folder}/{path}",
            }
            found.append(
                ("JupyterLab", f"{self.hub.rstrip('/')}/hub/user-redirect/git-pull?{urlencode(pulled)}")
            )
        return found

    @property
    def colab_cell(self) -> str:
        """The cell that installs the course where only the notebook is."""
        return f"%pip install --quiet git+{self.repository}@{self.branch}" if self.repository else ""


@dataclass(frozen=True)
class Family:
    """Ready-made calls that do the same work, by patterns."""

    name: str  # what a task forbids them by
    instead: str  # what the learner is asked to write, as in "this task asks you to write … yourself"
    names: re.Pattern[str]  # of functions, methods, modules and operators, in Python and in ATen
    operators: re.Pattern[str]  # at which a call is noticed: its own and those that it may be made of


@dataclass(frozen=True)
class Course:
    """A course, as its `course.toml` describes it."""

    root: Path  # the folder of `course.toml`
    # Lower-case words joined by hyphens. A learner's progress and an instructor's secret are kept under it.
    name: str
    title: str  # what people call the course
    lessons: tuple[str, ...]  # in order
    bank: Path  # the folder of the right and wrong answers; in the file, as seen from there
    languages: tuple[str, ...] = ("en",)  # that it is written in, the first one first
    preload: tuple[str, ...] = ()  # modules that every graded notebook imports, so that they are loaded once
    forbidden: tuple[Family, ...] = ()  # what a task can forbid
    site: Site = Site()

    @classmethod
    def read(cls, root: Path) -> Course:
        """Return the course in a folder.

        Raises:
            AuthoringError: its `course.toml` is missing, or not as it must be.
        """
        try:
            return _read(identity(root / FILE))
        except OSError as problem:
            raise AuthoringError([f"{root / FILE}: cannot be read ({problem})"]) from problem

    @classmethod
    def above(cls, folder: Path) -> Course | None:
        """Return the course of a folder, or of the next folder above that has one."""
        folder = folder.resolve()
        return next((cls.read(one) for one in (folder, *folder.parents) if (one / FILE).is_file()), None)

    @classmethod
    def of(cls, folder: Path) -> Course:
        """Return the course that `above` finds.

        Raises:
            AuthoringError: there is none.
        """
        found = cls.above(folder)
        if found is None:
            why = f"There is no {FILE} here: run this in the course folder, or name it with --course."
            raise AuthoringError([why])
        return found

    @classmethod
    def packed(cls, folder: Path) -> Course:
        """Return the course of a bank that has its `course.toml` beside it."""
        return replace(cls.read(folder), bank=folder)

    @classmethod
    def find(cls, folder: Path | None = None) -> Course:
        """Return the course that a folder belongs to, or else the one that an installed package declares.

        Args:
            folder: the working folder if none is named, or the notebook's, where a cell has left that.

        Raises:
            AuthoringError: there is none, or it is not clear which is meant.
        """
        chosen = os.environ.get(PACKED)
        if chosen:
            return cls.packed(Path(chosen))
        notebook = Path(os.environ.get("JPY_SESSION_NAME", "")).parent
        for start in (folder,) if folder else (Path.cwd(), notebook):
            found = cls.above(start)
            if found:
                return found
        installed = [course for entry in entry_points(group=GROUP) if (course := cls._declared(entry))]
        if len(installed) != 1:
            names = ", ".join(course.name for course in installed) or "none"
            raise AuthoringError(
                [f"{folder or Path.cwd()} is in no course: there is no {FILE}. Installed courses: {names}"]
            )
        return installed[0]

    @classmethod
    def _declared(cls, entry: EntryPoint) -> Course | None:
        package = package_folder(entry.module)
        if package is None:
            return None
        folder = package / entry.attr
        # Where a checkout itself is installed, the file lies in its root.
        return cls.packed(folder) if (folder / FILE).is_file() else cls.above(folder)

    @property
    def source(self) -> Path:
        """The folder of the lessons' sources."""
        return self.root / "source"

    def banked(self) -> list[str]:
        """Return the lessons that have a bank, in order."""
        return [name for name in self.lessons if (self.bank / f"{name}.json").is_file()]

    def load(self, lesson: str) -> LessonBank:
        """Return a lesson's bank.

        Raises:
            BankError: it is missing or damaged.
        """
        loaded: LessonBank = banks().load(lesson, self.bank, self.forbidden)
        return loaded

    def lesson_of(self) -> dict[str, str]:
        """Which lesson holds each task, in the course's order.

        Raises:
            BankError: a bank is damaged.
        """
        return {task: name for name in self.banked() for task in banks().task_ids(name, self.bank)}


@dataclass(frozen=True)
class _Forbidden:
    """A table of `forbidden`, as it is written."""

    instead: str
    names: tuple[str, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Described:
    """A `course.toml`, as it is written."""

    name: str
    title: str
    lessons: tuple[str, ...]
    bank: str
    languages: tuple[str, ...] = Course.languages
    preload: tuple[str, ...] = ()
    forbidden: Mapping[str, _Forbidden] = field(default_factory=dict)
    site: Site = Site()

    def __post_init__(self) -> None:
        for name in (self.name, *self.lessons):
            if not NAME_FORM.fullmatch(name):
                raise ValueError(f"`{name}`: a name is lower-case words joined by hyphens")


@lru_cache(maxsize=1)
def banks() -> Any:
    """Return what reads banks, found once: a learner's code may put another in its place."""
    from autograder import bank

    return bank


@lru_cache(maxsize=16)
def _read(file: Identity) -> Course:
    root = file.path.parent
    found = read_toml(_Described, file.path)
    try:
        forbidden = _families(found.forbidden)
    except (KeyError, RecursionError, re.error) as problem:
        raise AuthoringError([f"{file.path}: `forbidden` cannot be read ({problem!r})"]) from problem
    return Course(**{**vars(found), "root": root, "bank": root / found.bank, "forbidden": forbidden})


def package_folder(name: str) -> Path | None:
    """Return the folder of a package that can be imported; None where there is none, or it is a file."""
    spec = find_spec(name)
    return next(map(Path, spec.submodule_search_locations or ()), None) if spec else None


def _families(table: Mapping[str, _Forbidden]) -> tuple[Family, ...]:
    """Return the families of forbidden calls that a course's file describes."""

    def names(name: str) -> list[str]:
        return [
            *table[name].names,
            *(one for other in table[name].also for one in names(other)),
        ]

    def pattern(some: Iterable[str]) -> re.Pattern[str]:
        # The way back through a call that was seen on the way there is no call of the learner's.
        return re.compile(rf"(?!\w*backward)({'|'.join(some)})", re.IGNORECASE)

    operators = pattern(dict.fromkeys(one for name in table for one in names(name)))
    return tuple(
        Family(name, entry.instead, pattern(names(name)), operators) for name, entry in table.items()
    )
