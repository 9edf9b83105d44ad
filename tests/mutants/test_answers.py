"""The checks hold for answers that nobody prepared them for, wrong and right, in every lesson."""

from __future__ import annotations

import ast
import importlib
import re
from collections import Counter
from pathlib import Path

import pytest
from autograder.author import authoring
from autograder.author.answer_edits import changed
from autograder.records.answer_findings import CallsForbidden, MatchesKnownWrong, NotDefined, Verdict
from autograder.records.course import Course

from tests.mutants.answers import ROOT, Answer, bare, solutions
from tests.mutants.harness import judge_answer, judge_notebook, load_lesson, message

LESSONS = [
    importlib.import_module(f"tests.mutants.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("lesson_*.py"))
]


def cases(kind: str) -> list:
    actual = []
    for lesson in LESSONS:
        for task, mutants in lesson.TASKS.items():
            for mutant in getattr(mutants, kind):
                marks = [pytest.mark.xfail(strict=True, reason=mutant.xfail)] if mutant.xfail else []
                actual.append(
                    pytest.param(lesson.LESSON, task, mutant, id=f"{task}/{mutant.name}", marks=marks)
                )
    return actual


def kinds(verdict: Verdict) -> set[str]:
    """What the learner is told first; a hint of a known wrong answer beside it counts as its name."""
    named = {MatchesKnownWrong.__name__} if verdict.known_wrong else set()
    return {type(verdict.finding).__name__} | named


@pytest.mark.sample(12)
@pytest.mark.parametrize(("lesson", "task", "mutant"), cases("wrong"))
def test_a_wrong_answer_is_refused_and_told_why(lesson: str, task: str, mutant: Answer) -> None:
    judged = judge_answer(lesson, task, mutant.code)
    texts = message(judged.task, judged.in_notebook) + " | " + message(judged.task, judged.graded)

    assert not judged.graded.passed
    assert judged.graded.earned == mutant.keeps
    assert judged.in_notebook.passed == mutant.notebook_passes
    assert kinds(judged.graded) & set(mutant.finds)
    if mutant.says:
        assert re.search(mutant.says, texts)
    if mutant.never:
        assert not re.search(mutant.never, texts)


@pytest.mark.sample(12)
@pytest.mark.parametrize(("lesson", "task", "mutant"), cases("right"))
def test_a_right_answer_earns_everything_whatever_its_route(lesson: str, task: str, mutant: Answer) -> None:
    judged = judge_answer(lesson, task, mutant.code)

    if mutant.costs:
        for verdict in (judged.in_notebook, judged.graded):
            assert isinstance(verdict.finding, CallsForbidden), message(judged.task, verdict)
            assert verdict.earned == judged.task.points - mutant.costs
            assert "yourself" in message(judged.task, verdict)
        return
    assert judged.in_notebook.passed, message(judged.task, judged.in_notebook)
    assert judged.graded.passed, message(judged.task, judged.graded)
    assert judged.graded.earned == judged.task.points
    assert judged.task.learned in message(judged.task, judged.graded)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.LESSON)
def test_every_task_has_wrong_and_right_answers(lesson) -> None:
    assert list(lesson.TASKS) == list(load_lesson(lesson.LESSON).bank.tasks)
    assert [task for task, mutants in lesson.TASKS.items() if not (mutants.wrong and mutants.right)] == []


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.LESSON)
def test_no_answer_is_held_against_a_task_twice(lesson) -> None:
    for task in authoring.load_lesson(ROOT / "source" / lesson.LESSON).tasks:
        solution, mutants = solutions(lesson.LESSON)[task.id], lesson.TASKS[task.id]
        reference = Counter(
            code_alone(changed(solution, item.changes)) for item in (*task.wrong, *task.right)
        )
        held = {item.name: code_alone(item.code) for item in (*mutants.wrong, *mutants.right)}
        reference.update(held.values())
        assert [name for name, code in held.items() if reference[code] > 1] == [], task.id


def code_alone(text: str) -> str:
    """An answer without comments, docstrings and its way to set spaces."""
    try:
        return ast.unparse(ast.parse(bare(text, comments=True)))
    except SyntaxError:
        return text


def needed() -> list[tuple[str, str]]:
    """The tasks of each lesson that others are built from."""
    course = Course.read(ROOT)
    tasks = {lesson.LESSON: course.load(lesson.LESSON).tasks.values() for lesson in LESSONS}
    return [
        (name, task.id)
        for name, ones in tasks.items()
        for task in ones
        if any(task.id in item.needs for item in ones)
    ]


@pytest.mark.parametrize(("lesson", "task"), needed())
def test_a_cell_that_stops_leaves_the_checks_of_the_others_standing(lesson: str, task: str) -> None:
    judged = judge_notebook(lesson, {task: "1 / 0"})
    tasks = list(load_lesson(lesson).bank.tasks)

    assert list(judged) == tasks
    assert isinstance(judged[task].graded.finding, NotDefined)
    for other in judged.values():
        message(other.task, other.in_notebook)
        message(other.task, other.graded)
    before = tasks[: tasks.index(task)]
    assert all(judged[earlier].graded.passed for earlier in before)
