"""The command that makes the feedback pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.classroom import score_export
from autograder.classroom.return_feedback import make_pages
from autograder.command.console import LessonName, Root, refuse, resolve_lessons, say
from autograder.command.score_changes import say_score_changes, say_what_waits
from autograder.grading.class_folder import Class
from autograder.words.language import ngettext
from autograder.words.phrases import listed


def feedback(
    lesson: LessonName,
    anew: Annotated[bool, typer.Option("--anew", help="Make pages again that are up to date.")] = False,
    course: Root = Path(),
) -> None:
    """Make the feedback pages of a lesson that are missing, or older than the grades."""
    class_folder = Class.of(course)
    (name,) = resolve_lessons(class_folder.lessons, [lesson])
    say_score_changes(class_folder, [name])
    if not any(submission.graded.is_file() for submission in class_folder.submissions(name)):
        refuse(f"Nothing of {name} is graded yet: autograder grade {name}")
    class_scores = score_export.scores(class_folder).without(class_folder.policy.left)
    say_what_waits(class_scores, [name])
    pages, failed = make_pages(class_folder, name, anew)
    say(
        ngettext(
            "{number} page made: {folder}",
            "{number} pages made: {folder}",
            len(pages),
            folder=class_folder.directory.feedback_directory,
        )
    )
    if failed:
        refuse(f"No page could be made for {listed(failed)}.")
