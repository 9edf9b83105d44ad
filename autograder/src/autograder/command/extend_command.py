"""The command that gives a student more time."""

from __future__ import annotations

from datetime import date, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from autograder.classroom.gradebook_roster import class_list
from autograder.command.console import LessonName, Root, refuse, resolve_lessons, say
from autograder.grading import late_policy
from autograder.grading.class_folder import Class
from autograder.words.phrases import listed


def extend(
    student: Annotated[str, typer.Argument(help="A student, by the name of their folder.")],
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
    _refuse_nobody(class_folder, student)
    before = late_policy.extend(class_folder.banks.course.root, name, student, more)
    was = f" (it was {before})" if before else ""
    deadline = f"{late_policy.length_text(more)} more" if isinstance(more, timedelta) else f"until {by}"
    say(f"{student} has {deadline} for {name}{was}.")
    say("`autograder grade` counts it from now on, without running anything again.")


def _refuse_nobody(class_folder: Class, student: str) -> None:
    """Refuse a student whom neither the gradebook nor a folder of what was handed in names."""
    people = class_list(class_folder).people
    handed_in = Path(class_folder.directory.root) / class_folder.directory.submitted_directory
    if student in people or (handed_in / student).is_dir():
        return
    folders = [folder.name for folder in handed_in.iterdir()] if handed_in.is_dir() else []
    if not (people or folders):  # of a class that nobody has brought in yet, nothing can be told
        return
    near = get_close_matches(student, {*people, *folders}, n=3, cutoff=0.5)
    guess = f" Do you mean {listed(near)}?" if near else ""
    refuse(f"Nobody in this class has the id {student}.{guess}")
