"""The command that packs the bundle for students."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import nbformat
import typer

from autograder.classroom.bundle_wheels import release
from autograder.classroom.exam_release import write_releases
from autograder.classroom.student_bundle import bundle as pack
from autograder.command.console import Root, resolve_lessons, say
from autograder.grading.grading_banks import Banks
from autograder.grading.releases import title_of
from autograder.records.course import Course

READABLE = (
    "What remains readable in the checks, because feedback needs it: the expected results on the example "
    "data and the public probes, and the hints. Solutions, hidden probes and the other example data are "
    "not in it."
)


def bundle(
    lessons: Annotated[list[str], typer.Argument(help="Every lesson that students have by now: 01 02.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="A zip file or a folder.", show_default="COURSE.zip")
    ] = None,
    url: Annotated[
        str, typer.Option("--url", help="The address of a folder where the wheels will be found, for Colab.")
    ] = "",
    hints: Annotated[
        int | None,
        typer.Option("--hints", min=0, help="How many hints each task keeps; the last one tells nearly all."),
    ] = None,
    exam: Annotated[
        bool, typer.Option("--exam", help="An exam: checks only say “received”, and no answer is packed.")
    ] = False,
    course: Root = Path(),
) -> None:
    """Pack what students get: notebooks, start.py and the checks, without solutions or hidden probes."""
    loaded_course = Course.of(course)
    names = resolve_lessons(loaded_course.lessons, lessons)
    target = out or Path(f"{loaded_course.name}{'-exam' if exam else ''}.zip")
    asked = [task for name in names for task in write_releases(loaded_course, name, names)] if exam else []
    files = pack(loaded_course, names, target, url, hints, exam)
    say(f"{target} holds {', '.join(names)}:")
    for name in files:
        say(f"  {name}")
    if exam:
        say(
            f"It asks {', '.join(asked)}. Of these it holds no answer, hint or mistake; the repository of a "
            "public course does. In this folder, the exam is now what the lesson is graded by: "
            f"`autograder build {' '.join(names)}` brings the lesson back."
        )
    else:
        say(READABLE)
    for name in names:
        text = release(loaded_course, name).read_text(encoding="utf-8")
        points = sum(
            cell.metadata.get("nbgrader", {}).get("points", 0)
            for cell in nbformat.reads(text, as_version=4).cells
        )
        title = title_of(name, text)
        say(f"On Canvas or Moodle, create an assignment that is called {title} and has {points:g} points.")
    for name, note in Banks.of(loaded_course).notes.items():
        if name in names:
            say(f"{name}: {note}. Make them before you grade.")
