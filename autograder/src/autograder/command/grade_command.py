"""The command that grades submissions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from autograder.classroom.gradebook_roster import strangers_in_policy
from autograder.command.console import LessonNames, Root, complain, needing, refuse, resolve_lessons, say
from autograder.command.grading_run import Advance, GradeOptions, Say, Summary, grade_class
from autograder.command.progress_bar import progress_bar
from autograder.grading.class_folder import Class
from autograder.grading.sandbox import bubblewrap, cgroups


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
    if dask and no_sandbox:
        refuse("The workers of a cluster always use their sandboxes: leave out --no-sandbox.")
    class_folder = Class.of(course)
    names = resolve_lessons(class_folder.lessons, lessons or [])
    students = frozenset(student or ())
    strangers = sorted(students - set(class_folder.students()))
    if strangers:
        refuse(f"{class_folder.submitted} has no folder for {', '.join(strangers)}.")
    order = GradeOptions(class_folder, names, jobs, students, force, dry_run, not no_sandbox, figures)
    complain(strangers_in_policy(class_folder))  # a mistake in class.toml is all that is said
    if not (dask or no_sandbox or bubblewrap.why_not()):
        say(cgroups.in_force())
    with progress_bar() as bar:
        task = bar.add_task("looking", total=1)

        def tell(line: str) -> None:
            say(line, bar.console)

        def advance(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=name)

        run = partial(_grade_on_cluster, dask) if dask else grade_class
        summary = run(order, tell, advance)
    say(summary.text)
    if summary.nothing:
        complain([f"Nothing was handed in for {', '.join(names)} in {class_folder.submitted}."])
    if summary.faults or summary.interrupted or summary.misplaced or summary.nothing:
        raise typer.Exit(1)


def _grade_on_cluster(address: str, order: GradeOptions, say: Say, advance: Advance) -> Summary:
    with needing("dask", "--dask"):
        from autograder.grading import dask_cluster
    with dask_cluster.connected(address, order.course.banks, order.lessons, say) as executor:
        return grade_class(replace(order, jobs=executor.slots, remote=True), say, advance, executor)
