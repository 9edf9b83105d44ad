"""The command that lists a course's mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.author.fault_index import faults_listed
from autograder.command.console import Root, refuse, say
from autograder.records.course import Course
from autograder.words.phrases import listed


def faults(
    word: Annotated[
        str,
        typer.Argument(help="Only mistakes that have this in their id, name or hint.", show_default=False),
    ] = "",
    course: Root = Path(),
) -> None:
    """List the mistakes that the course names, each with the lessons whose tasks show it."""
    listed_faults = faults_listed(Course.of(course), word)
    if not listed_faults:
        refuse(f"No mistake of the course has {word!r} in its id, its name or its hint.")
    for fault in listed_faults:
        say(f"{fault.id}: {fault.name}")
        say(f"    {fault.hint}")
        say(f"    named in {fault.file}, shown in {listed(fault.lessons) or 'no lesson'}")
