"""The command that packs feedback pages for a platform."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.classroom import return_feedback as packing
from autograder.classroom import score_export
from autograder.classroom.collection import why_without
from autograder.classroom.gradebook_roster import class_list
from autograder.classroom.platforms.protocol import Platform
from autograder.classroom.platforms.registry import platforms_of
from autograder.classroom.return_feedback import Packed
from autograder.command.console import LessonName, Root, refuse, resolve_lessons, say
from autograder.command.score_changes import say_score_changes, say_what_waits
from autograder.grading.class_folder import Class
from autograder.words.language import ngettext


def return_(
    lesson: LessonName,
    moodle: Annotated[bool, typer.Option("--moodle", help="A zip for Moodle's feedback files.")] = False,
    canvas: Annotated[bool, typer.Option("--canvas", help="A zip for Canvas' upload.")] = False,
    folder: Annotated[bool, typer.Option("--folder", help="A folder for each student.")] = False,
    platform: Annotated[
        str, typer.Option("--platform", help="A zip for another platform, which the course adds: its name.")
    ] = "",
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Pack pages that are older than the grades.")
    ] = False,
    changed: Annotated[
        bool, typer.Option("--changed", help="Leave out pages that were returned before as they are now.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where to.", show_default="returned/LESSON, or LESSON.zip")
    ] = None,
    course: Root = Path(),
) -> None:
    """Pack the feedback pages of a lesson for upload, each under the name that the platform knows."""
    asked = {"moodle": moodle, "canvas": canvas, "folder": folder, platform: bool(platform)}
    chosen = [form for form, is_asked in asked.items() if is_asked]
    if len(chosen) != 1:
        refuse("Say one of --moodle, --canvas, --folder and --platform.")
    class_folder = Class.of(course)
    (name,) = resolve_lessons(class_folder.lessons, [lesson])
    platforms = platforms_of(class_folder.banks.course)
    if chosen[0] not in platforms:
        refuse(f"There is no platform {chosen[0]}. There are: {', '.join(platforms)}.")
    to = platforms[chosen[0]]
    ending = f"{name}-{to.name}.zip" if to.knows_pages else name
    target = out or Path(class_folder.directory.root) / "returned" / ending
    say_score_changes(class_folder, [name])
    say_what_waits(score_export.scores(class_folder).without(class_folder.policy.left), [name])
    packed = packing.give_back(class_folder, name, to, target, anyway, changed)
    _say_who_is_left_out(packed, name, to)
    there = {submission.student for submission in class_folder.submissions(name)}
    absent = class_list(class_folder).people.keys() - there - {*class_folder.policy.left}
    for line in why_without(class_folder, name, sorted(absent)):
        say(f"no page: {line}")
    if packed.stale and not anyway:
        refuse("Nothing was packed: students would read what no longer holds. Or say --anyway.")
    if packed.as_before and not packed.files:
        say(f"Nothing was packed: no page of {name} has changed since it was returned.")
        raise typer.Exit(1 if packed.without or packed.unknown else 0)
    if not packed.files and packed.unknown:
        raise typer.Exit(2)
    if not packed.files:
        refuse(f"There is no feedback to return for {name}.")
    held = ngettext(
        "{file} holds the feedback of {number} student.",
        "{file} holds the feedback of {number} students.",
        len(packed.files),
        file=target,
    )
    say(held)
    if packed.as_before:
        same = ngettext(
            "{number} page is as it was when it was returned before",
            "{number} pages are as they were when they were returned before",
            len(packed.as_before),
        )
        others = len(packed.as_before) < len(packed.files)
        advice = ", and left out" if changed else "; --changed packs the others alone" if others else ""
        say(f"{same}{advice}.")
    if packed.without or packed.stale or packed.unknown:
        raise typer.Exit(1)


def _say_who_is_left_out(packed: Packed, lesson: str, to: Platform) -> None:
    """Say for whom there is no page in what was packed, and what helps."""
    for students, why in (
        (
            packed.without,
            ngettext(
                "{number} student has no feedback yet: autograder feedback {lesson}",
                "{number} students have no feedback yet: autograder feedback {lesson}",
                len(packed.without),
                lesson=lesson,
            ),
        ),
        (
            packed.stale,
            ngettext(
                "{number} student has feedback older than their grades: autograder feedback {lesson}",
                "{number} students have feedback older than their grades: autograder feedback {lesson}",
                len(packed.stale),
                lesson=lesson,
            ),
        ),
        (
            packed.unknown,
            ngettext(
                "{number} student was not collected from {platform}, so it does not know the file: --folder",
                "{number} students were not collected from {platform}, so it does not know their files: "
                "--folder",
                len(packed.unknown),
                platform=to.title,
            ),
        ),
    ):
        if students:
            say(f"{why}: {', '.join(students)}")
