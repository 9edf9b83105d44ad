"""The command that makes hidden probes on this machine."""

from __future__ import annotations

from pathlib import Path

from autograder.command.console import LessonNames, Root, complain, resolve_lessons, say
from autograder.command.progress_bar import progress_bar
from autograder.grading.hidden_tests.secret import NAME, folder, make
from autograder.records.course import Course


def secret(lessons: LessonNames = None, course: Root = Path()) -> None:
    """Make hidden probes on this machine, so that what is public gives nothing away."""
    loaded_course = Course.of(course)
    names = resolve_lessons(loaded_course.lessons, lessons or [])
    where = folder(loaded_course)
    there = (where / NAME).exists()
    with progress_bar() as bar:
        task = bar.add_task("drawing", total=len(names))
        for name in names:
            left_out = make(loaded_course, name)
            for asked, probe in left_out:
                warning = f"{name}: task {asked}, probe {probe}: no hidden twin is fair to every right answer"
                complain([warning], "yellow")
            bar.update(task, description=name, advance=1)
    say(
        f"The secret {'stays as it was' if there else 'is new'}, and lies in {where}. Every grading run "
        "draws its hidden probes from it.\n"
        "Keep that folder to yourself; without it, submissions are graded by what is public."
    )
