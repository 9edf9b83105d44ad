"""The command that gives a student more time."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Annotated

import typer

from autograder.classroom.gradebook_roster import class_list, ids_of_nobody
from autograder.command.console import LessonName, Root, refuse, resolve_lessons, say
from autograder.grading import late_policy
from autograder.grading.class_folder import Class


def extend(
    student: Annotated[str, typer.Argument(help="A student, by their id, login, number or address.")],
    lesson: LessonName,
    by: Annotated[
        str,
        typer.Argument(
            help="How much later it is due: 3d or 12h, or until when: 2026-03-09T18:00. 0d takes it back."
        ),
    ],
    course: Root = Path(),
) -> None:
    """Give a student more time for a lesson; it is written into class.toml."""
    class_folder = Class.of(course)
    (name,) = resolve_lessons(class_folder.banks.course.lessons, [lesson])
    rules = class_folder.policy  # one that cannot be read is refused before anything is written into it
    more: date | timedelta
    try:
        more = rules.until(name, by)
    except ValueError:
        try:
            more = late_policy.length(by)
        except ValueError as problem:
            refuse(problem)
    student = class_list(class_folder).id_of(student)
    for guess in ids_of_nobody(class_folder, [student]).values():
        refuse(f"Nobody in this class has the id {student}.{guess}")
    before = late_policy.extend(class_folder.banks.course.root, name, student, more)
    was = f" (it was {before})" if before else ""
    deadline = f"{late_policy.length_text(more)} more" if isinstance(more, timedelta) else f"until {by}"
    say(f"{student} has {deadline} for {name}{was}.")
    say("`autograder grade` counts it from now on, without running anything again.")
