"""This course's own check, as it judges in a notebook."""

from __future__ import annotations

import re

from autograder.words import feedback_card

from benchmarks.blind_answers import verdict_on
from benchmarks.graders import Attempt, Feedback

POINTS = re.compile(r"(?:happened in|stopped in)\s+line\s+(\d+)")


def grade(attempt: Attempt) -> Feedback:
    """Return the verdict in the words that a learner reads."""
    verdict = verdict_on(attempt.answer, attempt.lesson, attempt.runs)
    text = repr(feedback_card.Feedback(attempt.task, verdict))
    match = POINTS.search(text)
    return Feedback(verdict.passed, text, bool(verdict.named), int(match[1]) if match else None)
