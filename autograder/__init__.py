"""Checks, builds and grades a course of notebooks, whatever it teaches.

In a lesson: `check("task-id")` under each task, `hint("task-id")` when stuck, `progress()` at any time.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.learner import check, hint, progress

__all__ = ["check", "hint", "progress"]


def __getattr__(name: str) -> Any:
    # Only now, because they import torch: the sandbox's first process, say, stays small without it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from autograder import learner

    return getattr(learner, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
