"""Print what changes scores between two runs of `grade`."""

from __future__ import annotations

from collections.abc import Iterable

from autograder.classroom.attempt_selection import attempts_to_grade
from autograder.classroom.gradebook_roster import strangers_in_policy
from autograder.classroom.hand_in_times import stamp_late
from autograder.command.console import say
from autograder.grading.class_folder import Class
from autograder.grading.gradebook_writer import follow


def say_score_changes(course: Class, lessons: Iterable[str]) -> None:
    """Bring penalties and excused tasks up to date, and print each change and whom `grade` would change."""
    stamp_late(course)
    for line in (*strangers_in_policy(course), *follow(course), *attempts_to_grade(course, lessons)):
        say(line)
