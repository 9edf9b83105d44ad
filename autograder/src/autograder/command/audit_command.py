"""The command that proves that each known mistake is caught and named."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from autograder.author.audit import audit_lesson, print_coverage, print_table
from autograder.author.parallel import each_lesson, processors
from autograder.command.console import AtOnce, LessonNames, Root, complain, out, resolve_lessons
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course


def audit(
    lessons: LessonNames = None,
    table: Annotated[
        bool, typer.Option("--table", help="Show which class task covers which mistake; try nothing.")
    ] = False,
    jobs: AtOnce = processors(),  # noqa: B008
    course: Root = Path(),
) -> None:
    """Try every known wrong and every other right answer on every task."""
    loaded_course = Course.of(course)
    names = resolve_lessons(loaded_course.lessons, lessons or [])
    if table:
        raise typer.Exit(0 if print_coverage(loaded_course, names, out) else 1)
    results = dict(each_lesson(partial(audit_lesson, loaded_course), names, jobs))
    rows = []
    for name in names:
        result = results[name]
        if isinstance(result, AuthoringError):
            complain(result.problems)
            raise typer.Exit(1)
        rows += result
    print_table(rows, out)
    if not all(row.sound for row in rows):
        raise typer.Exit(1)
