"""The command that reports the misunderstandings of a class."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.classroom import class_report as reports
from autograder.command.console import Root, out, refuse, resolve_lessons, say
from autograder.grading.class_folder import Class
from autograder.records.quiz import FEWEST_PEOPLE
from autograder.words.language import speak


def report(
    lesson: Annotated[str, typer.Argument(help="A lesson, as 01-dot-product or 01; or: quiz.")],
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page that needs no other file; lessons only.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write a table with a line for each task or figure.")
    ] = None,
    course: Root = Path(),
) -> None:
    """Show what a class misunderstood in a lesson that is graded, or what it learned by its quiz."""
    class_folder = Class.of(course)
    speak(class_folder.banks.course.bank, class_folder.banks.course.languages)
    if lesson == "quiz":
        _report_quiz(class_folder, html, csv)
        return
    (name,) = resolve_lessons(list(class_folder.banks.folders), [lesson])
    lesson_report = reports.report(class_folder, name)
    if not lesson_report.students:
        refuse(f"Nothing of {name} is graded yet: `autograder grade {name}` comes first.")
    reports.print_report(lesson_report, out)
    for path, text in ((html, reports.as_html), (csv, reports.as_csv)):
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(lesson_report), encoding="utf-8")
            say(f"Written: {path}")


def _report_quiz(class_folder: Class, html: Path | None, csv: Path | None) -> None:
    """Show what a class learned, and write its figures into a table."""
    # Not above: it loads torch, and the report of a lesson does without.
    from autograder.classroom import quiz_report as quiz_reports

    if html:
        refuse("There is no page of the quiz: --csv writes its figures.")
    quiz_report = quiz_reports.quiz_report(class_folder)
    if quiz_report is None:
        refuse(f"Nothing is shown: fewer than {FEWEST_PEOPLE} people agreed to be counted.")
    quiz_reports.print_quiz(quiz_report, out)
    if csv:
        csv.parent.mkdir(parents=True, exist_ok=True)
        csv.write_text(quiz_reports.as_csv(quiz_report), encoding="utf-8")
        say(f"Written: {csv}")
