"""The command that adds a class list to the gradebook."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from autograder.classroom.class_roster import Person, read_people
from autograder.classroom.csv_tables import read_list
from autograder.classroom.gradebook_roster import class_list, enrol, refuse_namesakes, undo
from autograder.classroom.gradebook_roster import remove as remove_student
from autograder.classroom.platforms.registry import platforms_of
from autograder.command.console import DryRun, Root, needing, refuse, say
from autograder.grading.class_folder import Class
from autograder.words.language import ngettext
from autograder.words.phrases import listed

# Names of a list in a guessed encoding: by so many, a person sees whether the guess is right.
MOST_SHOWN_OF_A_GUESS = 5


def roster(
    file: Annotated[
        Path | None, typer.Argument(help="A list of students from Canvas, Moodle or a spreadsheet.")
    ] = None,
    lti: Annotated[
        bool, typer.Option("--lti", help="Ask the platform that `autograder lti` serves for its list.")
    ] = False,
    new: Annotated[
        bool, typer.Option("--new", help="Take people in whose names are known and whose ids are not.")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take back the last change of the class list.")
    ] = False,
    remove: Annotated[
        str, typer.Option("--remove", help="Take one student out, by their id, who has handed in nothing.")
    ] = "",
    dry_run: DryRun = False,
    course: Root = Path(),
) -> None:
    """Put a class list into nbgrader's gradebook."""
    class_folder = Class.of(course)
    if (bool(file), lti, undo, bool(remove)).count(True) != 1:
        refuse("Name a list of students, or say --lti, --undo or --remove.")
    if remove:
        person = remove_student(class_folder, remove, dry_run)
        say(f"{'Would be taken' if dry_run else 'Taken'} out of the class: {person.who}")
        return
    if undo:
        _undo_roster(class_folder, dry_run)
        return
    if file:
        people = read_people(file, [kind.lists for kind in platforms_of(class_folder.banks.course).values()])
        _show_guess(file, people)
        if not any(person.first_name or person.last_name for person in people):
            say(f"No names are read from {file.name}: none of its columns is called `name` or `last name`.")
        if not new:
            refuse_namesakes(class_list(class_folder), people)
        enrolment = enrol(class_folder, people, dry_run, file.name)
    else:
        with needing("grade,lti", "LTI"):
            from autograder.command.lti_exchange import class_list as platform_list
        people, enrolment = platform_list(class_folder, dry_run, new)
    there = class_list(class_folder)
    named = {there.merged(person).id for person in people}
    gone = [person.who for student, person in there.people.items() if student not in named]
    for person in enrolment.new:
        say(f"new: {person.who}")
    for person in enrolment.returned:
        say(f"taken out by hand before, and in the class again: {person.who}: --remove {person.id}")
    for person in enrolment.changed:
        say(f"changed: {person.who}: {enrolment.description(person)}")
    summary = ngettext(
        "{file} names {number} student: {new} new, {changed} changed, {same} as before.",
        "{file} names {number} students: {new} new, {changed} changed, {same} as before.",
        len(people),
        file=file.name if file else "The platform",
        new=len(enrolment.new),
        changed=len(enrolment.changed),
        same=len(people) - len(enrolment.new) - len(enrolment.changed),
    )
    if gone:
        say(
            ngettext(
                "{number} student of the gradebook is not in it, and stays: {who}",
                "{number} students of the gradebook are not in it, and stay: {who}",
                len(gone),
                who=", ".join(gone),
            )
        )
    say(summary + (" Nothing was written." if dry_run else ""))


def _show_guess(file: Path, people: Sequence[Person]) -> None:
    """Say which encoding a list was read in, where it is a guess, with names to judge it by."""
    if encoding := read_list(file).guessed_encoding:
        names = listed(
            [person.name for person in people if not person.name.isascii()][:MOST_SHOWN_OF_A_GUESS]
        )
        say(
            f"{file.name} does not say its encoding, and is no UTF-8; it was read as {encoding}: {names}. "
            "If these names are wrong, save the list as CSV UTF-8 and type the command again; "
            "`autograder roster --undo` takes this one back."
        )


def _undo_roster(class_folder: Class, dry: bool) -> None:
    before = class_list(class_folder).people
    undone = undo(class_folder, dry)
    at = class_folder.policy.local_time(datetime.fromisoformat(undone.change.at))
    say(f"The last change of the class list: {undone.change.source or 'a list'}, {at}")
    for student in undone.removed:
        say(f"taken out: {before[student].who}")
    for student in undone.restored:
        values = undone.change.before[student]
        person = Person(student, values.get("first_name", ""), values.get("last_name", ""))
        say(f"as before: {person.who}")
    counts = f"{len(undone.removed)} taken out of the class, {len(undone.restored)} as they were before"
    say(f"{'Would be taken back' if dry else 'Taken back'}: {counts}.")
    if undone.stay:
        stay = listed([before[student].who for student in undone.stay])
        say(f"These have handed something in, and stay: {stay}.")
