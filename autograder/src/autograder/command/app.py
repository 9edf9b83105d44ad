"""The `autograder` command."""

from __future__ import annotations

from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.command import console
from autograder.command.audit_command import app as audit_command
from autograder.command.build_command import app as build_command
from autograder.command.class_commands import app as exchange
from autograder.command.class_settings_commands import app as class_settings_commands
from autograder.command.console import (
    MORE,
    TERM,
    LessonNames,
    Root,
    class_of,
    complain,
    refuse,
    resolve_lessons,
    say,
)
from autograder.command.desk_command import app as desk_command
from autograder.command.export_command import app as export_command
from autograder.command.live_command import app as live
from autograder.command.lti_commands import app as platform
from autograder.command.message_commands import app as message_commands
from autograder.command.new_course_command import app as new_course_command
from autograder.command.progress_bar import progress_bar
from autograder.command.site_command import app as site_command
from autograder.command.translate_command import app as translate_command
from autograder.words.language import speak

if TYPE_CHECKING:
    from autograder.command import grade_command as command
    from autograder.grading.class_folder import Class

app = typer.Typer(
    cls=console.Commands,
    context_settings=console.HELP,
    invoke_without_command=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Build a course, prove its checks, grade a class.",
)
for commands in (
    build_command,
    translate_command,
    site_command,
    audit_command,
    message_commands,
    new_course_command,
    desk_command,
    export_command,
    class_settings_commands,
    exchange,
    live,
):
    app.add_typer(commands)
app.add_typer(platform, name="lti", rich_help_panel=MORE)


@app.callback()
def _of_all(
    version: Annotated[bool, typer.Option("--version", help="Print the version, and exit.")] = False,
) -> None:
    if version:
        say(metadata.version("lesson-autograder"))
        raise typer.Exit


@app.command(rich_help_panel=TERM, epilog="Example: autograder grade 01")
def grade(
    lessons: LessonNames = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="How many submissions run at one time.")] = 2,
    student: Annotated[list[str] | None, typer.Option("--student", help="Only this student's.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Grade again what is graded already.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing; say what would change.")] = False,
    dask: Annotated[str, typer.Option("--dask", help="Grade on the cluster of this Dask scheduler.")] = "",
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Run submissions with your own rights.")
    ] = False,
    figures: Annotated[
        bool, typer.Option("--figures", help="Draw the course's own figures, which takes most of a run.")
    ] = False,
    course: Root = Path(),
) -> None:
    """Grade what was handed in: into nbgrader's gradebook and autograded/."""
    from autograder.command import grade_command as command
    from autograder.grading.sandbox import bubblewrap, cgroups

    if dask and no_sandbox:
        refuse("The workers of a cluster always use their sandboxes: leave out --no-sandbox.")
    class_folder = class_of(course)
    names = resolve_lessons(class_folder.lessons, lessons or [])
    students = frozenset(student or ())
    strangers = sorted(students - set(class_folder.students()))
    if strangers:
        refuse(f"{class_folder.submitted} has no folder for {', '.join(strangers)}.")
    order = command.GradeOptions(class_folder, names, jobs, students, force, dry_run, not no_sandbox, figures)
    _ = class_folder.policy  # a mistake in it is all that is said
    if not (dask or no_sandbox or bubblewrap.why_not()):
        say(cgroups.in_force())
    with progress_bar() as bar:
        task = bar.add_task("looking", total=1)

        def tell(line: str) -> None:
            say(line, bar.console)

        def advance(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=name)

        if dask:
            summary = _grade_on_cluster(dask, order, tell, advance)
        else:
            summary = command.grade_class(order, tell, advance)
    say(summary.text)
    if summary.nothing:
        complain([f"Nothing was handed in for {', '.join(names)} in {class_folder.submitted}."])
    if summary.faults or summary.interrupted or summary.misplaced or summary.nothing:
        raise typer.Exit(1)


def _grade_on_cluster(
    address: str, order: command.GradeOptions, say: command.Say, advance: command.Advance
) -> command.Summary:
    from autograder.command import grade_command as command

    try:
        from autograder.grading import dask_cluster
    except ModuleNotFoundError as missing:
        if missing.name not in ("distributed", "tornado"):
            raise
        refuse("--dask needs a package that is not installed here: pip install distributed")
    with dask_cluster.connected(address, order.course.banks, order.lessons, say) as executor:
        return command.grade_class(replace(order, jobs=executor.slots, remote=True), say, advance, executor)


@app.command(rich_help_panel=TERM, epilog="Example: autograder report 01")
def report(
    lesson: Annotated[str, typer.Argument(help="A lesson, as 01-dot-product or 01; or: quiz.")],
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page that needs no other file.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write a table with a line for each task or figure.")
    ] = None,
    course: Root = Path(),
) -> None:
    """Show what a class misunderstood in a lesson that is graded, or what it learned by its quiz."""
    from autograder.classroom import class_report as reports

    class_folder = class_of(course)
    speak(class_folder.banks.course.bank, class_folder.banks.course.languages)
    if lesson == "quiz":
        _report_quiz(class_folder, html, csv)
        return
    (name,) = resolve_lessons(list(class_folder.banks.folders), [lesson])
    lesson_report = reports.report(class_folder, name)
    if not lesson_report.students:
        refuse(f"Nothing of {name} is graded yet: `autograder grade {name}` comes first.")
    reports.print_report(lesson_report, console.out)
    for path, text in ((html, reports.as_html), (csv, reports.as_csv)):
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(lesson_report), encoding="utf-8")
            say(f"Written: {path}")


def _report_quiz(class_folder: Class, html: Path | None, csv: Path | None) -> None:
    """Show what a class learned, and write its figures into a table."""
    from autograder.classroom import quiz_report as reports
    from autograder.records.quiz import FEWEST_PEOPLE

    if html:
        refuse("There is no page of the quiz: --csv writes its figures.")
    quiz_report = reports.quiz_report(class_folder)
    if quiz_report is None:
        refuse(f"Nothing is shown: fewer than {FEWEST_PEOPLE} people agreed to be counted.")
    reports.print_quiz(quiz_report, console.out)
    if csv:
        csv.parent.mkdir(parents=True, exist_ok=True)
        csv.write_text(reports.as_csv(quiz_report), encoding="utf-8")
        say(f"Written: {csv}")


def main() -> None:
    """Entry point of the `autograder` command."""
    app()
