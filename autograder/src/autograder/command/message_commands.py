"""The commands that list a course's mistakes, and all that is said to a learner."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.command.console import (
    AUTHOR,
    LessonName,
    Root,
    course_of,
    refuse,
    resolve_lessons,
    say,
)
from autograder.words.language import ngettext
from autograder.words.phrases import listed

app = typer.Typer()


@app.command(rich_help_panel=AUTHOR, epilog="Example: autograder faults scale")
def faults(
    word: Annotated[
        str,
        typer.Argument(help="Only mistakes that have this in their id, name or hint.", show_default=False),
    ] = "",
    course: Root = Path(),
) -> None:
    """List the mistakes that the course names, each with the lessons whose tasks show it."""
    from autograder.author.fault_index import faults_listed

    listed_faults = faults_listed(course_of(course), word)
    if not listed_faults:
        refuse(f"No mistake of the course has {word!r} in its id, its name or its hint.")
    for fault in listed_faults:
        say(f"{fault.id}: {fault.name}")
        say(f"    {fault.hint}")
        say(f"    named in {fault.file}, shown in {listed(fault.lessons) or 'no lesson'}")


@app.command(rich_help_panel=AUTHOR, epilog="Example: autograder messages 01 dot")
def messages(
    lesson: LessonName,
    tasks: Annotated[
        list[str] | None, typer.Argument(help="Tasks of it, as dot. All if none is named.")
    ] = None,
    unread: Annotated[
        bool, typer.Option("--unread", help="Print only what nobody has read in its task.")
    ] = False,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Print nothing; keep that the texts of these tasks were read.")
    ] = False,
    course: Root = Path(),
) -> None:
    """Print every message that the tasks of a lesson can give, as a learner reads it."""
    from autograder.author.message_review import confirm as keep
    from autograder.author.message_review import messages_of, messages_text

    loaded_course = course_of(course)
    (name,) = resolve_lessons(loaded_course.lessons, [lesson])
    reviews = []
    for review in messages_of(loaded_course, name, tasks or []):
        reviews.append(review)
        if not confirm:
            say(messages_text(review, unread))
    if confirm:
        new = keep(loaded_course, name, reviews)
        say(
            ngettext(
                "{number} text is new among those read.", "{number} texts are new among those read.", new
            )
        )
