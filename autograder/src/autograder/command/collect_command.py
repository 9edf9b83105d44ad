"""The command that collects submissions from a learning platform's archives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from autograder.classroom.class_roster import Roster, read_people
from autograder.classroom.collect_submissions import collect_files
from autograder.classroom.collection import Collected, Request
from autograder.classroom.gradebook_roster import class_list
from autograder.classroom.platforms.protocol import HandedFile
from autograder.classroom.platforms.registry import platforms_of
from autograder.command.console import DryRun, Root, complain, refuse, resolve_lessons, say
from autograder.grading.class_folder import Class
from autograder.words.language import ngettext

# Files of one folder that are named one by one where they are no notebooks.
MOST_OF_A_FOLDER = 10


def collect(
    files: Annotated[
        list[Path], typer.Argument(help="Archives from Canvas or Moodle, or any zip or folder.")
    ],
    lesson: Annotated[str, typer.Option("--lesson", help="The lesson that they are of; else it shows.")] = "",
    times: Annotated[
        Path | None,
        typer.Option("--times", help="A list of who handed in when, such as Moodle's grading worksheet."),
    ] = None,
    who: Annotated[
        list[str] | None,
        typer.Option(
            "--who",
            help="Whose something is: the platform's number or a file's name, =, ids: 71=amy or 71=amy,bob.",
        ),
    ] = None,
    dry_run: DryRun = False,
    course: Root = Path(),
) -> None:
    """Put what a learning platform collected into submitted/, and say what belongs to whom."""
    class_folder = Class.of(course)
    lessons = tuple(class_folder.lessons)
    (expected,) = resolve_lessons(lessons, [lesson]) if lesson else [""]
    platforms = platforms_of(class_folder.banks.course)
    lists = [kind.lists for kind in platforms.values()]
    when = tuple(read_people(times, lists, class_folder.policy.zone)) if times else None
    students = class_list(class_folder)
    named = _named(who or (), students)
    if not students.people:
        refuse("The gradebook names no students, so nobody can be matched. First: autograder roster FILE.csv")
    order = Request(class_folder, lessons, students, platforms, expected, named, when, dry_run)
    outcome = collect_files(order, files)
    _tell(outcome, students, dry_run)
    complain(outcome.useless)
    if outcome.needs_a_look:
        raise typer.Exit(1)


def _named(pairs: Iterable[str], students: Roster) -> dict[str, str]:
    named = {}
    for pair in pairs:
        called, _, ids = pair.rpartition("=")
        owners = [students.id_of(identifier) for identifier in ids.split(",")]
        if not called or not set(owners) <= students.people.keys():
            refuse(f"--who {pair}: what comes after the = is the id of nobody in the roster.")
        named[called] = ",".join(dict.fromkeys(owners))
    return named


def _by_folder(files: Sequence[HandedFile]) -> Iterator[str]:
    """Yield a line for each of some files, and of those in one folder a number after the first few."""
    folders: dict[str, list[HandedFile]] = {}
    for file in files:
        folders.setdefault(f"{file.archive} {file.folder or file.path.rpartition('/')[0]}", []).append(file)
    for several in folders.values():
        for file in several[:MOST_OF_A_FOLDER]:
            reason = file.refused or file.what
            yield file.path + (f": {reason}" if reason else "")
        if (more := len(several) - MOST_OF_A_FOLDER) > 0:
            yield f"… and {more} more beside {several[0].path}"


def _tell(outcome: Collected, students: Roster, dry: bool) -> None:
    for placed in outcome.placed:
        several = f", the last of {len(placed.before) + 1} versions" if placed.before else ""
        who = students.people[placed.student].who
        say(f"{who}, {placed.lesson}: {placed.state}{several} ← {placed.entry.path}")
    for lesson, missing in outcome.missing.items():
        if missing:
            people = ", ".join(students.people[student].who for student in missing)
            students_missing = ngettext("{number} student", "{number} students", len(missing))
            say(f"\n{lesson}: nothing from {students_missing}: {people}")
    if outcome.others:
        files = ngettext("{number} file", "{number} files", len(outcome.others))
        say(f"\nNo notebook, so not graded: {files}")
        for line in _by_folder(outcome.others):
            say(f"  {line}")
    if outcome.refused:
        say("\nNot read, since a limit was reached or the file is damaged:")
        for line in _by_folder(outcome.refused):
            say(f"  {line}")
    for note in outcome.notes:
        say(f"\n{note}")
    if outcome.unplaced:
        unplaced = ngettext(
            "{number} notebook could not be placed:",
            "{number} notebooks could not be placed:",
            len(outcome.unplaced),
        )
        say(f"\n{unplaced}")
        for entry, reason in outcome.unplaced:
            say(f"  {entry.path}: {reason}")
    by_lesson = {
        lesson: sum(placed.lesson == lesson for placed in outcome.placed) for lesson in outcome.missing
    }
    counted = ", ".join(
        ngettext("{lesson} from {number} student", "{lesson} from {number} students", number, lesson=lesson)
        for lesson, number in by_lesson.items()
    )
    end = "Nothing was written." if dry else "The archives themselves are kept in collected/archives/."
    counts = outcome.counts
    files = ngettext("{number} file", "{number} files", sum(counts.values()))
    each = ", ".join(f"{number} {name}" for name, number in counts.items())
    say(f"\n{counted or 'No notebook found'}; {len(outcome.unplaced)} not placed. {end}")
    say(f"{files} in all: {each}.")
