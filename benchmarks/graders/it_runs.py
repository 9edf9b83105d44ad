"""No grader at all: the cell runs, and a call on the notebook's example returns."""

from __future__ import annotations

from benchmarks.graders import Attempt, Feedback, stopped


def grade(attempt: Attempt) -> Feedback:
    """Refuse what stops with an error, in the error's own words."""
    if attempt.error is not None:
        return stopped(attempt) or Feedback(False)
    called = attempt.on_example()
    return stopped(attempt, called and called[0]) or Feedback(True)
