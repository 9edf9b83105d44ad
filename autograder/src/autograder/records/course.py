"""A course: a folder with a `course.toml`, which describes the course to the tool."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from autograder.records import bank, operator_families
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import LessonBank
from autograder.records.file_digests import Identity, identity
from autograder.records.operator_families import Family
from autograder.records.serialization import read_toml

FILE = "course.toml"
# Set to a folder that holds a bank with its `course.toml` beside it: that course counts, and no other.
PACKED = "AUTOGRADER_COURSE"
# Set to a course's name by a notebook that may lie in no folder of it.
NAMED = "AUTOGRADER_COURSE_NAME"
# Set by the notebooks of an exam, whose checks only say that an answer is received.
EXAM = "AUTOGRADER_EXAM"
# Where an installed package says in which folder such a bank lies: course = "package" or "package:folder".
GROUP = "autograder.courses"
NAME_FORM = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class NoCourse(AuthoringError):
    """A notebook belongs to no course, or its course is neither in a folder above it nor installed.

    Args:
        problems: the problems, worded for an author.
        name: the course's name; empty if none is known.
    """

    def __init__(self, problems: list[str], name: str = "") -> None:
        super().__init__(problems)
        self.name = name


@dataclass(frozen=True)
class Front:
    """The animation on a site's first page: a function, as module:name, that returns an explorer.

    `says` is a sentence above it. Where nothing can move, as on the page that JupyterLab opens with,
    `picture` replaces it, and `shows` describes the picture.
    """

    explorer: str = ""
    says: str = ""
    picture: str = ""
    shows: str = ""


@dataclass(frozen=True)
class Inside:
    """An explorer, folded on every page of the site but its lesson's; `cell` is written as lesson#cell.

    `fold` is the title of the fold, `says` a sentence above the explorer, and `chosen` its initial settings.
    """

    cell: str = ""
    fold: str = ""
    says: str = ""
    chosen: Mapping[str, str | int] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Site:
    """The settings of the course's site: its repository, its glossary, and the texts of its first page."""

    repository: str = ""  # the address of its public Git repository; without it, no lesson opens elsewhere
    branch: str = "main"
    hub: str = ""  # the address of a JupyterHub with nbgitpuller
    glossary: str = ""  # a TOML file of terms; in the file, as seen from there
    reading: str = ""  # a TOML file of phrases for readers who run nothing
    icon: str = ""  # a picture for the browser's tab
    picture: str = ""  # a picture for links to the site
    says: str = ""  # a description of the course in a few sentences
    can: tuple[str, ...] = ()  # the abilities that the course gives
    front: Front = field(default_factory=Front)
    inside: Inside = field(default_factory=Inside)

    def doors(self, lesson: str) -> list[tuple[str, str]]:
        """Return the services that can open a lesson, with the address for each."""
        if not self.repository:
            return []
        path = f"notebooks/{lesson}/{lesson}.ipynb"
        project = urlsplit(self.repository).path.strip("/").removesuffix(".git")
        open_doors = [
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
            open_doors.append(
                ("JupyterLab", f"{self.hub.rstrip('/')}/hub/user-redirect/git-pull?{urlencode(pulled)}")
            )
        return open_doors


@dataclass(frozen=True)
class Adds:
    """A course's additions to the tool: Python files, with paths relative to its `course.toml`."""

    # Experiments, properties and specimens, which run beside a learner's code: students get this file.
    experiments: str = ""
    platforms: str = ""  # learning platforms; it stays with the instructor
    mine: str = ""  # a program that runs with a learner's own package, in which it gets a copy


@dataclass(frozen=True)
class Claims:
    """Regular expressions for the claims in texts about mistakes; the build verifies what they match."""

    right_numbers: str = ""  # a phrase that calls the numbers right
    # Phrases, each with the code that the statement, the solution or the wrong answer must contain.
    code: Mapping[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()  # words of code that a text may use before the lesson does


@dataclass(frozen=True)
class Course:
    """A course, as its `course.toml` describes it."""

    root: Path  # the folder of `course.toml`
    # Lower-case words joined by hyphens. A learner's progress and an instructor's secret are kept under it.
    name: str
    title: str  # its usual name
    lessons: tuple[str, ...]  # in order
    bank: Path  # the folder of the right and wrong answers; in the file, as seen from there
    languages: tuple[str, ...] = ("en",)  # the languages of its texts, the first one first
    preload: tuple[str, ...] = ()  # modules that every graded notebook imports, so that they are loaded once
    forbidden: tuple[Family, ...] = ()  # the groups of calls that a task can forbid
    # The seconds that one cell of a lesson may take while it is graded, where they differ from the default.
    cell_seconds: Mapping[str, int] = field(default_factory=dict, hash=False)
    # The meanings of solutions' variables, by name.
    steps: Mapping[str, str] = field(default_factory=dict, hash=False)
    # The names of one entry along each axis, or in each role of an axis.
    entries: tuple[tuple[str, str], ...] = ()
    claims: Claims = field(default_factory=Claims, hash=False)
    site: Site = Site()
    adds: Adds = Adds()
    # The lesson that examines what the others teach, if any: it can be longer; quiz and review pass over it.
    capstone: str = ""
    quiz: str = ""  # a TOML file of the placement quiz, relative to `course.toml`
    review: str = ""  # a TOML file of review questions
    # The tasks that an exam can ask, each with its minutes.
    exam: Mapping[str, int] = field(default_factory=dict, hash=False)
    # The tasks whose answers `add_to_mine` collects, by module; those of earlier lessons first.
    mine: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    # The metadata of every built notebook, by the platform that reads it.
    notebook: Mapping[str, Mapping[str, bool]] = field(default_factory=dict, hash=False)

    @classmethod
    def read(cls, root: Path) -> Course:
        """Return the course in a folder.

        Raises:
            AuthoringError: its `course.toml` is missing or not valid.
        """
        try:
            return _read(identity(root / FILE))
        except OSError as problem:
            raise AuthoringError([f"{root / FILE}: cannot be read ({problem})"]) from problem

    @classmethod
    def above(cls, folder: Path) -> Course | None:
        """Return the course in a folder, or in the nearest folder above it; None if there is none."""
        folder = folder.resolve()
        return next(
            (cls.read(parent) for parent in (folder, *folder.parents) if (parent / FILE).is_file()), None
        )

    @classmethod
    def of(cls, folder: Path) -> Course:
        """Return the course in a folder, or in the nearest folder above it.

        Raises:
            AuthoringError: there is none.
        """
        course = cls.above(folder)
        if course is None:
            why = f"There is no {FILE} here: run this in the course folder, or name it with --course."
            raise AuthoringError([why])
        return course

    @classmethod
    def packed(cls, folder: Path) -> Course:
        """Return the course of a bank folder that also contains its `course.toml`."""
        return replace(cls.read(folder), bank=folder)

    @classmethod
    def find(cls, folder: Path | None = None) -> Course:
        """Return the course that a notebook names, or else the one whose folder it is in.

        A student's folder may contain only the course's `course.toml`; then the installed course of that name
        is returned.

        Args:
            folder: the notebook's folder; without it, the working folder, and then the folder in which the
                notebook was started.

        Raises:
            NoCourse: the notebook belongs to no course, or its course is not here.
        """
        packed = os.environ.get(PACKED)
        if packed:
            return cls.packed(Path(packed))
        notebook = Path(os.environ.get("JPY_SESSION_NAME", "")).parent
        starts = (folder,) if folder else (Path.cwd(), notebook)
        course = next(filter(None, map(cls.above, starts)), None)
        name = os.environ.get(NAMED) or (course.name if course else "")
        if course and course.name == name and course.bank.is_dir():
            return course
        if not name:
            raise NoCourse([f"{starts[0]} is in no course: there is no {FILE} in it or above it"])
        declared = installed().get(name)
        course = cls._in_package(declared) if declared else None
        if course is None:
            raise NoCourse([f"the course {name} is not installed, and {starts[0]} is not in it"], name)
        return course

    @classmethod
    def _in_package(cls, folder: Path) -> Course | None:
        # Where a checkout itself is installed, the file lies in its root.
        return cls.packed(folder) if (folder / FILE).is_file() else cls.above(folder)

    @property
    def tool(self) -> Path | None:
        """The folder of the tool's own distribution if it is inside the course's folder; else None."""
        folder = Path(__file__).parents[3]
        return folder if folder.is_relative_to(self.root) and (folder / "pyproject.toml").is_file() else None

    @property
    def colab_cell(self) -> str:
        """The code that installs the course beside a lone notebook, as in Colab; "" without a repository."""
        if not self.site.repository:
            return ""
        requirement = f"git+{self.site.repository}@{self.site.branch}"
        tool = (
            [f"{requirement}#subdirectory={self.tool.relative_to(self.root).as_posix()}"] if self.tool else []
        )
        return f"%pip install --quiet {' '.join([*tool, requirement])}\n%env {NAMED}={self.name}"

    @property
    def source(self) -> Path:
        """The folder of the lessons' sources."""
        return self.root / "source"

    def beside_banks(self) -> dict[str, bytes]:
        """Return the content of the course's files that a bank needs beside it, by their paths in the course.

        Raises:
            OSError: one is missing.
        """
        names = [FILE, *filter(None, (self.adds.experiments, self.adds.mine, self.quiz, self.review))]
        return {name: (self.root / name).read_bytes() for name in names}

    def packages(self) -> dict[str, Path]:
        """Return the folder of each of the course's own packages that can be imported, by name."""
        folders = {name: package_folder(name) for name in self.preload}
        return {name: path for name, path in folders.items() if path}

    def banked(self) -> list[str]:
        """Return the lessons that have a bank, in order."""
        return [name for name in self.lessons if (self.bank / f"{name}.json").is_file()]

    def load(self, lesson: str) -> LessonBank:
        """Return a lesson's bank.

        Raises:
            BankError: it is missing or damaged.
        """
        return bank.load(lesson, self.bank, self.forbidden, self.entries)

    def lesson_of(self) -> dict[str, str]:
        """Return the lesson of each task by the task's id, in the course's order.

        Raises:
            BankError: a bank is damaged.
        """
        return {task: name for name in self.banked() for task in bank.task_ids(name, self.bank)}


@dataclass(frozen=True)
class _Described:
    """A `course.toml`, as it is written."""

    name: str
    title: str
    lessons: tuple[str, ...]
    bank: str
    languages: tuple[str, ...] = Course.languages
    preload: tuple[str, ...] = ()
    forbidden: Mapping[str, operator_families.Described] = field(default_factory=dict)
    cell_seconds: Mapping[str, int] = field(default_factory=dict)
    steps: Mapping[str, str] = field(default_factory=dict)
    entries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by what one entry is called
    claims: Claims = field(default_factory=Claims)
    site: Site = Site()
    adds: Adds = Adds()
    capstone: str = ""
    quiz: str = ""
    review: str = ""
    exam: Mapping[str, int] = field(default_factory=dict)
    mine: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notebook: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (self.name, *self.lessons):
            if not NAME_FORM.fullmatch(name):
                raise ValueError(f"`{name}`: a name is lower-case words joined by hyphens")


@lru_cache(maxsize=16)
def _read(file: Identity) -> Course:
    root = file.path.parent
    described = read_toml(_Described, file.path)
    try:
        forbidden = operator_families.families(described.forbidden)
    except (KeyError, RecursionError, re.error) as problem:
        raise AuthoringError([f"{file.path}: `forbidden` cannot be read ({problem!r})"]) from problem
    entries = tuple((axis, entry) for entry, axes in described.entries.items() for axis in axes)
    fields_here = {"root": root, "bank": root / described.bank, "forbidden": forbidden, "entries": entries}
    return Course(**{**vars(described), **fields_here})


def installed() -> dict[str, Path]:
    """Return the folders of installed packages that contain courses, by the course's name."""
    packages = ((entry, package_folder(entry.module)) for entry in entry_points(group=GROUP))
    return {entry.name: package / (entry.attr or "") for entry, package in packages if package}


def package_folder(name: str) -> Path | None:
    """Return the folder of a package that can be imported; None if there is none, or it is a single file."""
    spec = find_spec(name)
    return next(map(Path, spec.submodule_search_locations or ()), None) if spec else None
