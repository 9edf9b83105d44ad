"""The answers to earlier lessons: a later lesson uses the learner's own if it is right, else the course's."""

from __future__ import annotations

import ast
import contextlib
import json
import linecache
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.experiments import registry as experiments
from autograder.judge.decide import judge
from autograder.lesson.check_calls import find_course
from autograder.probe.call_answer import isolated_global_state
from autograder.probe.collect_evidence import collect
from autograder.records.authoring_errors import UserError
from autograder.records.bank import LessonBank
from autograder.records.course import FILE
from autograder.records.parse_cells import parsed
from autograder.words.language import _, ngettext

DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


def bring_over(lesson: str, task_id: str, stands_in: Any, *parts: Any) -> Any:
    """Return your own answer to a task of an earlier lesson if it is right, else the course's answer.

    It also prints which of the two is used. The earlier lesson's notebook is looked for in its folder beside
    this lesson's, and in the folders of other bundles of the course. Only imports, functions and classes of
    that notebook are run.

    Args:
        lesson: the earlier lesson's name.
        task_id: the task's id.
        stands_in: the course's own answer, returned if yours is missing or not right yet.
        parts: classes or functions that replace those of the same name in your answer's notebook.
    """
    name = stands_in.__name__
    best = None
    try:
        course = find_course()
        experiments.use(course)
        bank = course.load(lesson)
        for notebook in _notebooks(lesson):
            answer = _answer(notebook, bank, task_id)
            if best is None or answer.earned > best.earned:
                best = answer
            if best.passed:
                break
    except UserError:
        pass
    if best is None:
        print(
            _(
                "The course's own {name} is used: there is no notebook {lesson} beside this one.",
                name=name,
                lesson=lesson,
            )
        )
        return stands_in
    if not best.passed:
        print(
            ngettext(
                "The course's own {name} is used: yours has {earned} of {number} point. "
                "Finish it in {lesson}, save that notebook, and run this cell again.",
                "The course's own {name} is used: yours has {earned} of {number} points. "
                "Finish it in {lesson}, save that notebook, and run this cell again.",
                bank.tasks[task_id].points,
                name=name,
                earned=best.earned,
                lesson=lesson,
            )
        )
        return stands_in
    best.namespace.update({part.__name__: part for part in parts})
    print(_("Your own {name} from {lesson} is used.", name=name, lesson=lesson))
    return best.answer


@dataclass(frozen=True)
class _Found:
    """An answer in an earlier notebook, the names that it reads, and what it earns."""

    answer: Any
    namespace: dict[str, Any]
    earned: int
    passed: bool


def _notebooks(lesson: str) -> Iterator[dict[str, Any]]:
    """Yield the notebooks of a lesson: the one beside this, then those of other bundles, newest first."""
    here = Path.cwd().parent
    root = next((folder for folder in (here, *here.parents) if (folder / FILE).is_file()), None)
    places = [here / lesson / f"{lesson}.ipynb"]
    if (
        root and not (root / "source").exists()
    ):  # a later bundle has a folder of its own, beside the earlier one
        bundles = [path.parent for path in root.parent.glob(f"*/{FILE}") if path.parent != root]
        others = [
            folder / here.relative_to(root) / lesson / f"{lesson}.ipynb"
            for folder in bundles
            if _name(folder) == _name(root)
        ]
        places += sorted(filter(Path.is_file, others), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in places:
        with contextlib.suppress(OSError, ValueError):
            # Not by nbformat, which a student's environment need not have.
            yield json.loads(path.read_text(encoding="utf-8"))


def _name(folder: Path) -> object:
    """Return what the course of a folder is called."""
    with contextlib.suppress(OSError, ValueError):
        return tomllib.loads((folder / FILE).read_text(encoding="utf-8")).get("name")
    return None


def _answer(notebook: dict[str, Any], bank: LessonBank, task_id: str) -> _Found:
    """Return what a notebook defines for a task."""
    task = bank.tasks[task_id]
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.suppress(KeyError, TypeError, AttributeError):  # no notebook at all
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                _define("".join(cell["source"]), f"<cell {bank.lesson}/{cell.get('id', '')}>", namespace)
            if cell.get("id") == f"{task_id}-answer":
                break
    verdict = judge(task, collect(task, bank, namespace, examining=False), as_seen=True)
    return _Found(namespace.get(task.name), namespace, verdict.earned, verdict.passed)


def _define(source: str, name: str, namespace: dict[str, Any]) -> None:
    """Run what a cell defines, and nothing that it does; a definition that fails is left out."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    for statement in parsed(source).body:
        if isinstance(statement, DEFINITIONS):
            with contextlib.suppress(Exception), isolated_global_state():
                exec(compile(ast.Module([statement], []), name, "exec"), namespace)
