"""Print output, refuse invalid requests, and interpret names that were typed, for all commands."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console
from typer.core import TyperGroup

from autograder.records.authoring_errors import UserError
from autograder.words.sanitize import visible

if TYPE_CHECKING:
    from autograder.records.course import Course

Root = Annotated[Path, typer.Option("--course", help="The course folder.", show_default="this folder")]
LessonName = Annotated[str, typer.Argument(help="A lesson, as 01-dot-product or 01.")]
AtOnce = Annotated[int, typer.Option("--jobs", min=1, help="How many lessons are done at one time.")]
LessonNames = Annotated[
    list[str] | None, typer.Argument(help="Lessons, as 01-dot-product or 01. All if none is named.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Write nothing; say what would be done.")]

# What a folder, a disk or a file's rights refuse: a person can mend it, and the code is not at fault.
OF_THE_DISK = frozenset({errno.EROFS, errno.ENOSPC, errno.EDQUOT})
OF_THE_MACHINE = frozenset(
    {
        *(*OF_THE_DISK, errno.EACCES, errno.EPERM),
        *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG),  # a path that was typed
    }
)

out = Console()
errors = Console(stderr=True)


def say(text: object, console: Console = out, style: str | None = None) -> None:
    """Print a text line by line and literally: markup and control characters in it have no effect."""
    for line in str(text).split("\n"):
        console.print(visible(line), style=style, markup=False, highlight=False, soft_wrap=True)


def complain(problems: Iterable[object], style: str = "red") -> None:
    """Print each problem on the error output."""
    for problem in problems:
        say(problem, errors, style)


def refuse(why: object) -> NoReturn:
    """Print the reason why the request is refused, and end the command with status 2."""
    complain([why])
    raise typer.Exit(2) from None


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """End the command if an import inside the `with` block fails, and say which packages to install.

    Args:
        extra: the extra of the tool that installs the packages.
        what: the feature that needs them, at the start of a sentence.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.startswith("autograder"):
            raise
        refuse(f"{missing}. {what} needs more packages: pip install 'lesson-autograder[{extra}]'")


class Commands(TyperGroup):
    """A group of commands that turns known errors in a course, a gradebook or a file into one sentence."""

    def main(self, *words: Any, **settings: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # a terminal may know nothing but ASCII
                stream.reconfigure(errors="backslashreplace")
        return super().main(*words, **settings)

    def invoke(self, ctx: Any) -> Any:
        mask = os.umask(0)  # which a command of a class makes narrower
        os.umask(mask)
        try:
            return super().invoke(ctx)
        except UserError as problem:
            refuse(problem)
        except shutil.Error as problem:  # of a folder: what of it could not be copied, where to, and why
            _, to, why = problem.args[0][0]
            refuse(f"{to}: {why}.")
        except OSError as problem:
            if problem.errno == errno.EADDRINUSE:
                refuse("Another program uses that port: name a free one with --port, or any with --port 0.")
            if problem.errno == errno.EADDRNOTAVAIL:
                refuse("This machine has no such address.")
            if problem.errno in OF_THE_DISK and problem.filename is None:  # while a file was written
                refuse(f"{problem.strerror}.")
            if problem.filename is None or problem.errno not in OF_THE_MACHINE:
                raise
            refuse(f"{problem.filename}: {problem.strerror}.")
        finally:
            os.umask(mask)


def resolve_lessons(lessons: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the lessons with the given names or numbers; all lessons if none are given.

    Args:
        lessons: all lessons of the course.
        names: the names or numbers that were typed.
    """
    if not lessons:
        refuse("There is no lesson here: run this in the course folder, or name it with --course.")
    chosen = []
    for name in names:
        number = name.lstrip("0")
        matches = [
            lesson for lesson in lessons if name == lesson or lesson.split("-")[0].lstrip("0") == number
        ]
        if not matches:
            refuse(f"There is no lesson {name}. There are: {', '.join(lessons)}.")
        chosen += matches
    return list(dict.fromkeys(chosen)) or list(lessons)


def languages_of(course: Course, names: Sequence[str]) -> list[str]:
    """Return the languages with the given codes, or all translations of the course if none are given."""
    for name in names:
        if name not in course.languages[1:]:
            refuse(
                f"The course is not translated into {name}: course.toml names {', '.join(course.languages)}."
            )
    return list(names) or list(course.languages[1:])
