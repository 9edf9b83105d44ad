"""The command that packs a lesson's autograder for Gradescope."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.classroom.gradescope_zip import VISIBILITIES, pack
from autograder.command.console import LessonName, Root, refuse, resolve_lessons, say
from autograder.records.course import Course


def gradescope(
    lesson: LessonName,
    out: Annotated[
        Path | None, typer.Option("--out", help="A zip file.", show_default="LESSON-gradescope.zip")
    ] = None,
    visibility: Annotated[
        str,
        typer.Option(
            "--visibility", help="When tests are seen: visible, after_due_date, after_published or hidden."
        ),
    ] = "visible",
    scale: Annotated[
        bool,
        typer.Option("--scale", help="Where Gradescope's maximum is another one, scale the scores to it."),
    ] = False,
    course: Root = Path(),
) -> None:
    """Pack a lesson's autograder for Gradescope, which grades each submission in a container of its own."""
    loaded_course = Course.of(course)
    (name,) = resolve_lessons(loaded_course.lessons, [lesson])
    if visibility not in VISIBILITIES:
        refuse(f"There is no visibility {visibility}. There are: {', '.join(VISIBILITIES)}.")
    path = pack(loaded_course, name, out or Path(f"{name}-gradescope.zip"), visibility, scale)
    say(f"{path} holds the autograder of {name}. Upload it to Gradescope, under “Configure Autograder”.")
    say("It holds the answers, so give it to nobody else. Its hidden probes are drawn for it alone.")
