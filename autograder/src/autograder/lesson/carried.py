"""Go on with an answer to an earlier lesson: the learner's own if it is right, the course's if not."""

from __future__ import annotations

import ast
import contextlib
import json
import linecache
from pathlib import Path
from typing import Any

from autograder.experiments import known as experiments
from autograder.judge.decide import judge
from autograder.lesson.learner import find_course
from autograder.probe.calling import quietly
from autograder.probe.collect import collect
from autograder.records.problems import Refused
from autograder.records.reading import parsed
from autograder.words.language import _, ngettext

DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


def bring_over(lesson: str, task_id: str, stands_in: Any) -> Any:
    """Return the learner's own answer to a task of an earlier lesson, and a line that says whose it is.

    The lessons' notebooks are looked for as they lie in the course: each in a folder of its own name, side by
    side. Of an earlier one, only imports, functions and classes are run.

    Args:
        lesson: the earlier lesson's name.
        task_id: the task's id.
        stands_in: the course's own answer. It is returned where the learner's is not there or not right yet.
    """
    name = stands_in.__name__
    try:
        # Not by nbformat, which a student's environment need not have.
        cells = json.loads(Path("..", lesson, f"{lesson}.ipynb").read_text(encoding="utf-8"))["cells"]
        course = find_course()
        experiments.use(course)
        bank = course.load(lesson)
    except (OSError, ValueError, KeyError, TypeError, Refused):
        print(
            _(
                "The course's own {name} is used: there is no notebook {lesson} beside this one.",
                name=name,
                lesson=lesson,
            )
        )
        return stands_in
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells:
        if cell["cell_type"] == "code":
            _define("".join(cell["source"]), f"<cell {lesson}/{cell.get('id', '')}>", namespace)
        if cell.get("id") == f"{task_id}-answer":
            break
    task = bank.tasks[task_id]
    verdict = judge(task, collect(task, bank, namespace, examining=False), as_seen=True)
    if not verdict.passed:
        print(
            ngettext(
                "The course's own {name} is used: yours has {earned} of {number} point. "
                "Finish it in {lesson}, save that notebook, and run this cell again.",
                "The course's own {name} is used: yours has {earned} of {number} points. "
                "Finish it in {lesson}, save that notebook, and run this cell again.",
                task.points,
                name=name,
                earned=verdict.earned,
                lesson=lesson,
            )
        )
        return stands_in
    print(_("Your own {name} from {lesson} is used.", name=name, lesson=lesson))
    return namespace[task.name]


def _define(source: str, name: str, namespace: dict[str, Any]) -> None:
    """Run what a cell defines, and nothing that it does; a definition that fails is left out."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    for statement in parsed(source).body:
        if isinstance(statement, DEFINITIONS):
            with contextlib.suppress(Exception), quietly():
                exec(compile(ast.Module([statement], []), name, "exec"), namespace)
