"""Checks for the course "Attention, step by step".

In a lesson: `check("task-id")` under each task, `hint("task-id")` when stuck, `progress()` at any time.
"""

from autograder.learner import check, hint, progress

__all__ = ["check", "hint", "progress"]
