"""The commands that write what a class has agreed on: due dates, extensions, the secret."""

from __future__ import annotations

from datetime import date, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.command.console import (
    MORE,
    LessonName,
    LessonNames,
    Root,
    class_of,
    complain,
    course_of,
    refuse,
    resolve_lessons,
    say,
)
from autograder.command.progress_bar import progress_bar
from autograder.words.language import ngettext
from autograder.words.phrases import listed

if TYPE_CHECKING:
    from autograder.grading.class_folder import Class


app = typer.Typer()


@app.command(rich_help_panel=MORE, epilog="Example: autograder extend jdoe 01 3d")
def extend(
    student: Annotated[str, typer.Argument(help="A student, by the name of their folder.")],
    lesson: LessonName,
    by: Annotated[
        str,
        typer.Argument(
            help="How much later it is due: 3d or 12h, or until when: 2026-03-09T18:00. 0d takes it back."
        ),
    ],
    course: Root = Path(),
) -> None:
    """Give a student more time for a lesson; it is written into class.toml."""
    from autograder.grading import late_policy

    class_folder = class_of(course)
    (name,) = resolve_lessons(class_folder.banks.course.lessons, [lesson])
    rules = class_folder.policy  # one that cannot be read is refused before anything is written into it
    more: date | timedelta
    try:
        more = rules.until(name, by)
    except ValueError:
        try:
            more = late_policy.length(by)
        except ValueError as problem:
            refuse(problem)
    _refuse_nobody(class_folder, student)
    before = late_policy.extend(class_folder.banks.course.root, name, student, more)
    was = f" (it was {before})" if before else ""
    deadline = f"{late_policy.length_text(more)} more" if isinstance(more, timedelta) else f"until {by}"
    say(f"{student} has {deadline} for {name}{was}.")
    say("`autograder grade` counts it from now on, without running anything again.")


@app.command(name="class", rich_help_panel=MORE, epilog="Example: autograder class")
def class_file(course: Root = Path()) -> None:
    """Make class.toml, in which due dates and penalties are written, or check the one that is there."""
    from autograder.grading import late_policy

    class_folder = class_of(course)
    root, lessons = class_folder.banks.course.root, class_folder.banks.course.lessons
    if not (root / late_policy.FILE).exists():
        say(
            f"{late_policy.begin(root, lessons)} is made. Write your due dates into it, then type this again."
        )
        return
    rules = class_folder.policy
    for lesson in lessons:
        due, more = rules.due.get(lesson), [name for name, _ in rules.extensions if name == lesson]
        extended = ngettext(", {number} extension", ", {number} extensions", len(more)) if more else ""
        say(f"{lesson}: {'due ' + rules.told(due) if due else 'no due date'}{extended}")
    share = rules.penalty_per_day
    say("Each day late costs " + ("what nbgrader's settings say." if share is None else f"{share:.0%}."))


def _refuse_nobody(class_folder: Class, student: str) -> None:
    """Refuse a student whom neither the gradebook nor a folder of what was handed in names."""
    from autograder.classroom.gradebook_roster import class_list

    people = class_list(class_folder).people
    handed_in = Path(class_folder.directory.root) / class_folder.directory.submitted_directory
    if student in people or (handed_in / student).is_dir():
        return
    folders = [folder.name for folder in handed_in.iterdir()] if handed_in.is_dir() else []
    if not (people or folders):  # of a class that nobody has brought in yet, nothing can be told
        return
    near = get_close_matches(student, {*people, *folders}, n=3, cutoff=0.5)
    guess = f" Do you mean {listed(near)}?" if near else ""
    refuse(f"Nobody in this class has the id {student}.{guess}")


@app.command(name="secret", rich_help_panel=MORE, epilog="Example: autograder secret 01")
def make_secret(lessons: LessonNames = None, course: Root = Path()) -> None:
    """Make hidden probes on this machine, so that what is public gives nothing away."""
    from autograder.grading.hidden_tests import secret

    loaded_course = course_of(course)
    names = resolve_lessons(loaded_course.lessons, lessons or [])
    with progress_bar() as bar:
        task = bar.add_task("drawing", total=len(names))
        for name in names:
            left_out = secret.make(loaded_course, name)
            for asked, probe in left_out:
                warning = f"{name}: task {asked}, probe {probe}: no hidden twin is fair to every right answer"
                complain([warning], "yellow")
            bar.update(task, description=name, advance=1)
    where = secret.folder(loaded_course)
    say(
        f"The secret lies in {where}. Every grading run draws its hidden probes from it.\n"
        "Keep that folder to yourself; without it, submissions are graded by what is public."
    )
