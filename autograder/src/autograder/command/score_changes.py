"""Print what changes scores between two runs of `grade`, and what a person has still to look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autograder.classroom.attempt_selection import attempts_to_grade
from autograder.classroom.gradebook_roster import strangers_in_policy
from autograder.classroom.hand_in_times import stamp_late
from autograder.classroom.score_export import Scores
from autograder.command.console import say
from autograder.grading.class_folder import Class
from autograder.grading.gradebook_writer import follow
from autograder.words.language import ngettext
from autograder.words.phrases import listed


def say_score_changes(course: Class, lessons: Iterable[str]) -> None:
    """Bring penalties and excused tasks up to date, and print each change and whom `grade` would change."""
    stamp_late(course)
    for line in (*strangers_in_policy(course), *follow(course), *attempts_to_grade(course, lessons)):
        say(line)


def say_what_waits(class_scores: Scores, lessons: Sequence[str]) -> None:
    """Print which scores of some lessons a person has still to look at, and whose unread answers are."""
    for lesson in lessons:
        if class_scores.by_hand[lesson]:
            looked_at = ngettext(
                "{lesson}: {number} task has points given by hand, and was graded again since: {tasks}. A "
                "button on the desk's page of the task says that the points stay.",
                "{lesson}: {number} tasks have points given by hand, and were graded again since: {tasks}. A "
                "button on the desk's page of each task says that the points stay.",
                len(class_scores.by_hand[lesson]),
                lesson=lesson,
                tasks=listed(class_scores.by_hand[lesson]),
            )
            say(looked_at)
        if class_scores.waiting[lesson]:
            still_to_read = ngettext(
                "{lesson}: {number} answer is still to be read: {who}.",
                "{lesson}: {number} answers are still to be read: {who}.",
                len(class_scores.waiting[lesson]),
                lesson=lesson,
                who=listed(sorted({*class_scores.waiting[lesson]})),
            )
            say(still_to_read)
