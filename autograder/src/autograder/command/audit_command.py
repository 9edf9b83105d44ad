"""The command that proves that each known mistake is caught and named."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from autograder.author.parallel import each_lesson, processors
from autograder.command import console
from autograder.command.console import (
    AUTHOR,
    AtOnce,
    LessonNames,
    Root,
    complain,
    course_of,
    resolve_lessons,
)
from autograder.records.authoring_errors import AuthoringError

app = typer.Typer()


@app.command(rich_help_panel=AUTHOR, epilog="Example: autograder audit 03")
def audit(
    lessons: LessonNames = None,
    table: Annotated[
        bool, typer.Option("--table", help="Show which class task covers which mistake; try nothing.")
    ] = False,
    jobs: AtOnce = processors(),  # noqa: B008
    course: Root = Path(),
) -> None:
    """Try every known wrong and every other right answer on every task."""
    from autograder.author.audit import audit_lesson, print_coverage, print_table

    loaded_course = course_of(course)
    names = resolve_lessons(loaded_course.lessons, lessons or [])
    if table:
        raise typer.Exit(0 if print_coverage(loaded_course, names, console.out) else 1)
    results = dict(each_lesson(partial(audit_lesson, loaded_course), names, jobs))
    rows = []
    for name in names:
        result = results[name]
        if isinstance(result, AuthoringError):
            complain(result.problems)
            raise typer.Exit(1)
        rows += result
    print_table(rows, console.out)
    if not all(row.sound for row in rows):
        raise typer.Exit(1)
