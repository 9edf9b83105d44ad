"""The command that makes or checks what a class has agreed on."""

from __future__ import annotations

from pathlib import Path

import typer

from autograder.command.console import Root, say
from autograder.grading import late_policy
from autograder.grading.class_folder import Class
from autograder.words.language import ngettext

app = typer.Typer(add_completion=False)


@app.command()
def class_file(course: Root = Path()) -> None:
    """Make class.toml, in which due dates and penalties are written, or check the one that is there."""
    class_folder = Class.of(course)
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
