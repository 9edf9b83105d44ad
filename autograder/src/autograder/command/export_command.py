"""The command that writes scores into a platform's files, or sends them to the platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from autograder.classroom import score_export as exports
from autograder.classroom.collection import why_without
from autograder.classroom.csv_tables import Table, read_list
from autograder.classroom.platforms.protocol import Platform
from autograder.classroom.platforms.registry import platforms_of
from autograder.classroom.score_export import Merged, Scores
from autograder.command.console import Root, complain, needing, refuse, resolve_lessons, say
from autograder.command.score_changes import say_score_changes, say_what_waits
from autograder.grading.class_folder import Class
from autograder.records.file_digests import write_whole
from autograder.words.language import ngettext


def export(
    lesson: Annotated[
        str, typer.Argument(help="The lesson of a Moodle worksheet, or the only one to fill in or to send.")
    ] = "",
    canvas: Annotated[
        Path | None, typer.Option("--canvas", help="A gradebook as Canvas exported it: fill its columns.")
    ] = None,
    moodle: Annotated[
        Path | None, typer.Option("--moodle", help="A grading worksheet as Moodle exported it: fill it.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option("--sheet", help="A list as the platform named by --platform exported it.")
    ] = None,
    platform: Annotated[
        str, typer.Option("--platform", help="With --sheet: brightspace, or a platform that the course adds.")
    ] = "",
    xlsx: Annotated[
        Path | None, typer.Option("--xlsx", help="Write an Excel workbook of all scores.")
    ] = None,
    scale: Annotated[
        bool,
        typer.Option("--scale", help="Where the platform's maximum is another one, scale the scores to it."),
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Where the filled file goes.")] = None,
    lti: Annotated[
        bool, typer.Option("--lti", help="Send the scores to the platform that `autograder lti` serves.")
    ] = False,
    comments: Annotated[
        bool, typer.Option("--comments", help="With --lti: send what people wrote below answers, too.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --lti: send nothing; show what would be sent.")
    ] = False,
    course: Root = Path(),
) -> None:
    """Put the scores into the file that a learning platform exported, or into a workbook, or send them."""
    sheet_given = canvas or moodle or sheet
    class_folder = Class.of(course)
    platforms = platforms_of(class_folder.banks.course)
    to = platforms.get("canvas" if canvas else "moodle" if moodle else platform)
    files = 4 - [canvas, moodle, sheet, xlsx].count(None)
    _refuse_contradictions(files, to, lesson, lti, comments or dry_run)
    if xlsx and lesson:
        refuse("A workbook has all lessons in it: leave out the lesson.")
    if sheet_given:
        _refuse_unfillable(to, platforms)
    lessons = class_folder.banks.course.lessons
    chosen = resolve_lessons(lessons, [lesson])[0] if lesson else ""
    say_score_changes(class_folder, [chosen] if chosen else lessons)
    class_scores = exports.scores(class_folder).without(class_folder.policy.left)
    say_what_waits(class_scores, [chosen] if chosen else class_scores.lessons)
    if lti:
        _send(class_folder, class_scores, [chosen] if chosen else lessons, scale, comments, dry_run)
    elif xlsx:
        # Not above: what it is made with takes 0.2 s, which no other file needs.
        from autograder.classroom.score_workbook import write_workbook

        write_workbook(class_scores, xlsx, scale)
        say(f"Written: {xlsx}")
    elif sheet_given and to and to.fill:
        table = Table(read_list(sheet_given).text, [kind.lists for kind in platforms.values()])
        target = out or sheet_given.with_stem(f"{sheet_given.stem}-graded")
        merged = to.fill(class_scores, table, chosen, scale)
        for name, students in merged.empty.items():
            for line in why_without(class_folder, name, students):
                say(f"no score: {line}" if chosen else f"no score in {name}: {line}")
        _write_filled(merged, target)


def _send(
    class_folder: Class, class_scores: Scores, names: Sequence[str], scale: bool, comments: bool, dry: bool
) -> None:
    """Send scores by LTI.

    Raises:
        Exit: with 1, if a score could not be sent.
    """
    with needing("grade,lti", "LTI"):
        from autograder.command.lti_exchange import SendOrder, send
    if not send(class_folder, class_scores, SendOrder(names, scale, comments, dry)):
        raise typer.Exit(1)


def _refuse_contradictions(files: int, to: Platform | None, lesson: str, lti: bool, for_lti: bool) -> None:
    """Refuse options that do not go together.

    `files` is how many files were named, `for_lti` whether anything was that only LTI has.
    """
    if lti and files:
        refuse("Name a file, or say --lti.")
    if for_lti and not lti:
        refuse("--comments and --dry-run are for --lti.")
    if not lti and (files != 1 or (to and to.of_one_lesson and not lesson)):
        refuse("Name one file: --canvas GRADEBOOK.csv, --xlsx BOOK.xlsx, or a lesson and --moodle SHEET.csv.")


def _refuse_unfillable(to: Platform | None, platforms: Mapping[str, Platform]) -> None:
    """Refuse a platform whose sheets take no scores."""
    if not (to and to.fill):
        fillable = ", ".join(kind.name for kind in platforms.values() if kind.fill)
        refuse(f"--platform names one whose sheet can be filled: {fillable}.")


def _write_filled(merged: Merged, target: Path) -> None:
    """Write a sheet that is filled in, and print what of it is not.

    Raises:
        Exit: with 1, if a score or a lesson could not be filled in.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, merged.text.encode())
    for line in merged.strangers:
        say(f"left as it was: {line}")
    for line in merged.passed_over:
        say(f"left as it was: {line}")
    for student in merged.missing:
        say(f"has a score and no row: {student}")
    for line in merged.untouched:
        say(f"stays as the platform has it: {line}")
    for name in merged.left_out:
        say(f"is graded, and no column is called so: {name}")
    complain(merged.kept_back)
    filled = ngettext("{number} student filled in.", "{number} students filled in.", merged.filled)
    say(f"{filled} Written: {target}")
    if merged.missing or merged.left_out or merged.kept_back or not merged.filled:
        raise typer.Exit(1)
