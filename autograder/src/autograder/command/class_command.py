"""The command that creates or checks `class.toml`, the rules of a class."""

from __future__ import annotations

from pathlib import Path

import typer

from autograder.classroom.gradebook_roster import strangers_in_policy
from autograder.command.console import Root, complain, say
from autograder.grading import late_policy
from autograder.grading.class_folder import Class
from autograder.words.phrases import listed

SECONDS = "%H:%M:%S"


def class_(course: Root = Path()) -> None:
    """Make class.toml, in which due dates and penalties are written, or check the one that is there."""
    class_folder = Class.of(course)
    root, lessons = class_folder.banks.course.root, class_folder.banks.course.lessons
    if not (root / late_policy.FILE).exists():
        say(
            f"{late_policy.begin(root, lessons)} is made. Write your due dates into it, then type this again."
        )
        return
    rules = class_folder.policy
    say(f"Times without a zone are in {rules.zone or 'the zone of this machine (no timezone is set)'}.")
    silent = []
    for lesson in lessons:
        due = rules.due.get(lesson)
        more = [
            f"{student} {_until(rules, lesson, student)}"
            for (name, student), by in rules.extensions.items()
            if by and name == lesson
        ]
        extended = f", more time: {listed(more)}" if more else ""
        attempt = f", attempts: {rules.attempts[lesson]}" if lesson in rules.attempts else ""
        if due or extended or attempt:
            # To the second: a day late begins with its first one.
            when = f"due {rules.local_time(due, SECONDS)}" if due else "no due date"
            say(f"{lesson}: {when}{extended}{attempt}")
        else:
            silent.append(lesson)
    if silent:
        say(f"No due date: {listed(silent)}.")
    share = rules.penalty_per_day
    say(
        "Each day late costs "
        + (
            "what nbgrader's settings say."
            if share is None
            else f"{share:.0%} of the points that were earned."
        )
    )
    secret = "is refused" if rules.require_secret else "goes on, and says so"
    say(f"Without hidden probes, grading {secret} (require_secret).")
    missing = "as much as the rest of their work" if rules.missing_tasks == late_policy.EXCUSE else "nothing"
    say(f"A task that a student's release did not have counts {missing} (missing_tasks).")
    if rules.left:
        say(f"Left out of reports, exports and returns, since they have left: {listed(rules.left)}.")
    if nobody := strangers_in_policy(class_folder):
        complain(nobody)
        raise typer.Exit(1)


def _until(rules: late_policy.Policy, lesson: str, student: str) -> str:
    """Return until when a student has more time for a lesson; how much more, where that has no due date."""
    due = rules.due_for(lesson, student)
    more = late_policy.length_text(rules.extensions[lesson, student])
    return f"until {rules.local_time(due, SECONDS)}" if due else f"{more} more"
