"""The command that takes a lesson's new text into the catalogues of its translations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.command.console import (
    AUTHOR,
    LessonNames,
    Root,
    complain,
    course_of,
    refuse,
    resolve_lessons,
    say,
)

if TYPE_CHECKING:
    from autograder.records.course import Course


app = typer.Typer()


@app.command(rich_help_panel=AUTHOR, epilog="Example: autograder translate --language bn")
def translate(
    lessons: LessonNames = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", help="A language, as bn. All if none is named.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; list what is wrong in translations.")
    ] = False,
    course: Root = Path(),
) -> None:
    """Gather what there is to translate into locale/, and say how far the translations are."""
    from autograder.author import translate as translations

    loaded_course = course_of(course)
    others = languages_of(loaded_course, language or [])
    names = resolve_lessons(translations.files(loaded_course), lessons or [])
    problems: list[str] = []
    for name in names:
        for file in others:
            state = translations.update(loaded_course, file, name, check)
            say(f"{file}/{state}")
            problems += [f"{file}/{problem}" for problem in state.problems]
    complain(problems)
    if problems:
        raise typer.Exit(1)


def languages_of(course: Course, names: Sequence[str]) -> list[str]:
    """Return the languages that were asked for, or all that the course is translated into."""
    for name in names:
        if name not in course.languages[1:]:
            refuse(
                f"The course is not translated into {name}: course.toml names {', '.join(course.languages)}."
            )
    return list(names) or list(course.languages[1:])
