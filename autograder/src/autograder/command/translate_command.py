"""The command that brings translation files up to date with a lesson's text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.author import translate as translations
from autograder.command.console import LessonNames, Root, complain, languages_of, resolve_lessons, say
from autograder.records.course import Course


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
    loaded_course = Course.of(course)
    others = languages_of(loaded_course, language or [])
    names = resolve_lessons(translations.files(loaded_course), lessons or [])
    problems: list[str] = []
    for name in names:
        for code in others:
            state = translations.TranslationFile(loaded_course, code, name).update(check)
            say(f"{code}/{state}")
            problems += [f"{code}/{problem}" for problem in state.problems]
    complain(problems)
    if problems:
        raise typer.Exit(1)
