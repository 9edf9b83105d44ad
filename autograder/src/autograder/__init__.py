"""Checks, builds and grades a course of notebooks, whatever it teaches.

In a lesson: `check("task-id")` under each task, `hint("task-id")` when stuck, `progress()` at any time;
`predict("id", …)` before a cell and `reveal("id", …)` after it; `bring_over(…)` to go on with an answer to an
earlier lesson. `join("address", "code")` tells a live room how the checks go, until `leave()`. `quiz()` says
where to begin.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.lesson.carried import bring_over
    from autograder.lesson.joining import join, leave
    from autograder.lesson.learner import check, hint, progress
    from autograder.lesson.placement import quiz
    from autograder.lesson.predictions import predict, reveal

__all__ = ["bring_over", "check", "hint", "join", "leave", "predict", "progress", "quiz", "reveal"]


def __getattr__(name: str) -> Any:
    # Only now, because they import torch: the sandbox's first process, say, stays small without it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from autograder.lesson.front_end import told_of_loading

    with told_of_loading():
        from autograder.lesson import carried, joining, learner, placement, predictions, shadowing
    shadowing.watch()
    homes = {"bring_over": carried, "join": joining, "leave": joining, "quiz": placement}
    homes |= dict.fromkeys(("predict", "reveal"), predictions)
    return getattr(homes.get(name, learner), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
