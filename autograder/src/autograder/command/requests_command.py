"""The command that collects students' regrade requests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.classroom import regrade_requests
from autograder.classroom.gradebook_roster import class_list
from autograder.classroom.platforms.registry import platforms_of
from autograder.command.console import Root, complain, say
from autograder.grading.class_folder import Class
from autograder.words.language import ngettext


def requests(
    files: Annotated[
        list[Path], typer.Argument(help="CSV files, folders or archives of them: who, lesson, task, request.")
    ],
    course: Root = Path(),
) -> None:
    """Take in what students ask about their scores; the desk shows it, to be answered."""
    class_folder = Class.of(course)
    outcome = regrade_requests.collect_requests(
        class_folder, files, platforms_of(class_folder.banks.course), class_list(class_folder)
    )
    for asked in outcome.new:
        say(f"{asked.student}, {asked.lesson}, {asked.task}: {asked.text}")
    complain(outcome.odd)
    many = len(outcome.new)
    message = ngettext("{number} request is new", "{number} requests are new", many)
    say(f"{message}, {outcome.known} known already. Answer them at the desk: autograder desk")
    if outcome.odd:
        raise typer.Exit(1)
