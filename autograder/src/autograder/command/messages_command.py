"""The command that prints the messages that a lesson's tasks can give to a learner."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.author.message_review import confirm as keep
from autograder.author.message_review import messages_of, messages_text
from autograder.command.console import LessonName, Root, resolve_lessons, say
from autograder.records.course import Course
from autograder.words.language import ngettext


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
    loaded_course = Course.of(course)
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
