"""Find the problems in a lesson's tasks that can be found without running any answer."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from autograder.author.answer_edits import Solution
from autograder.author.authoring import Faults, Lesson
from autograder.author.build_bank import as_known, missing_faults, of_task
from autograder.author.lesson_source import LessonSource
from autograder.author.shared_text_check import false_claims, load_read, shared_in, to_read, unread
from autograder.author.solution_runs import edited
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import Task
from autograder.records.course import Course

GRADE_ID = re.compile(r'(?:"grade_id": |\b(?:answer|check)=)"([^"]+)"')


def refused_at_once(source: LessonSource) -> list[str]:
    """Return the problems in a lesson's tasks, as far as they can be found without running anything."""
    problems, faults = [*_duplicate_ids(source.course, source.name, source.lesson)], source.faults
    written: list[Task] = []
    for task in source.lesson.tasks:
        wrong = [*_answer_problems(task, source.solutions[task.id], faults)]
        problems += of_task(task, wrong or missing_faults(task, faults))
        if not wrong:
            mistakes = tuple(as_known(answer, task, faults) for answer in task.wrong)
            written.append(replace(task, known_wrong=mistakes))
    return problems or untrue(source, written)


def untrue(source: LessonSource, tasks: Iterable[Task]) -> list[str]:
    """Return a problem for each shared hint that nobody has read in its task, and for each false claim.

    Args:
        source: the lesson's source.
        tasks: the tasks to check, with their known wrong answers.
    """
    course = source.course
    shared, read = shared_in(course, source.lesson, source.faults), load_read(course.source / source.name)
    problems = []
    for task in tasks:
        new = unread(to_read(task, shared), read.get(task.id, {}))
        problems += of_task(task, (f"nobody has read there what {fault} says" for fault in new))
        problems += of_task(
            task, false_claims(task, course.claims, source.solutions[task.id], source.notebook)
        )
    return problems


def _answer_problems(task: Task, solution: Solution, faults: Faults) -> Iterator[str]:
    """Yield which wrong answers show no mistake of the course, or are edits that do not fit the solution."""
    for wrong in task.wrong:
        called = f"the wrong answer {wrong.fault}"
        if wrong.fault not in faults.known:
            yield f"{called}: faults.py does not name it"
            continue
        try:
            as_known(wrong, task, faults)
            edited(task, wrong.changes, solution)
        except AuthoringError as problem:
            yield from (f"{called}: {line}" for line in problem.problems)
    for answer in (*task.right, *task.caught):
        try:
            edited(task, answer.changes, solution)
        except AuthoringError as problem:
            called = answer.id if answer in task.caught else f"the right answer {answer.id}"
            yield f"{called} cannot be made ({'; '.join(problem.problems)})"


def _duplicate_ids(course: Course, name: str, lesson: Lesson) -> Iterator[str]:
    """Yield the ids of tasks and mistakes that another lesson has, too."""
    task_ids = {task.id for task in lesson.tasks}
    for other in course.lessons:
        path = course.source / other / f"{other}.py"
        if other != name and path.is_file():
            for task in sorted(task_ids.intersection(GRADE_ID.findall(path.read_text(encoding="utf-8")))):
                yield f"task {task}: {other} has a task of this id"
    named = _faults_named(course)
    mine = named.get(name, Counter())
    for other, names in named.items():
        if other != name:
            for fault in sorted(mine.keys() & names.keys()):
                yield f"faults.py: {fault} is named in {other}, too"


def _faults_named(course: Course) -> Mapping[str, Counter[str]]:
    """Return the ids of the mistakes that each lesson's `faults.py` names; none of one that is no Python."""
    named = {}
    for path in sorted(course.source.glob("*/faults.py")):
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (OSError, SyntaxError, ValueError):
            continue
        named[path.parent.name] = Counter(
            node.args[0].value
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Fault"
            if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
        )
    return named
