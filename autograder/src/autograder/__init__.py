"""Check, build and grade a course of notebooks, whatever it teaches.

In a lesson: `check("task-id")` under each task, `hint("task-id")` when stuck, `progress()` at any time;
`predict("id", …)` before a cell and `reveal("id", …)` after it; `bring_over(…)` to continue with an answer
from an earlier lesson. `join("address", "code")` reports the results of checks to a live room, until
`leave()`. `quiz()` says where to begin, `class_quiz("before")` asks the questions of a class's quiz, and
`review()` repeats questions on earlier lessons. `exam("task-id")` sets a task in a blank cell, until
`hand_in()`. `add_to_mine("task-id")` saves a right answer in the learner's own package.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.lesson.check_calls import check, hint, progress
    from autograder.lesson.class_quiz import class_quiz
    from autograder.lesson.exam import exam, hand_in
    from autograder.lesson.import_answer import bring_over
    from autograder.lesson.join_live import join, leave
    from autograder.lesson.learner_package import add_to_mine
    from autograder.lesson.placement_quiz import quiz
    from autograder.lesson.predictions import predict, reveal
    from autograder.lesson.review import review

__all__ = [
    "add_to_mine",
    "bring_over",
    "check",
    "class_quiz",
    "exam",
    "hand_in",
    "hint",
    "join",
    "leave",
    "predict",
    "progress",
    "quiz",
    "reveal",
    "review",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Only now, because they import torch: the sandbox's first process, say, stays small without it.
    from autograder.lesson.interactive_session import told_of_loading

    with told_of_loading():
        from autograder.lesson import (
            cell_runs,
            check_calls,
            class_quiz,
            exam,
            import_answer,
            join_live,
            learner_package,
            placement_quiz,
            predictions,
            review,
            shadowed_names,
            waiting_cells,
        )
    shadowed_names.watch()
    waiting_cells.watch()
    cell_runs.watch()
    learner_package.watch()
    homes = {"bring_over": import_answer, "join": join_live, "leave": join_live, "quiz": placement_quiz}
    homes |= {"exam": exam, "hand_in": exam, "add_to_mine": learner_package, "review": review}
    homes |= {"class_quiz": class_quiz}
    homes |= dict.fromkeys(("predict", "reveal"), predictions)
    return getattr(homes.get(name, check_calls), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
