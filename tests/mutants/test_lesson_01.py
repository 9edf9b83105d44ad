"""Lesson 01's checks hold for answers that nobody prepared them for, wrong and right."""

from __future__ import annotations

import re
from html import unescape

import pytest

from autograder.bank import Task
from autograder.feedback import plain_text, rich_text
from autograder.findings import MatchesKnownWrong, NotComputed, NotDefined, Verdict
from tests.mutants.harness import Right, Wrong, judge_answer, judge_notebook, load_lesson
from tests.mutants.lesson_01 import LESSON, TASKS

# What a learner must never meet in a message about their own code.
OURS = re.compile(r"Traceback|site-packages|autograder[/\\]|<cell |harness|\bOutcome\(|\bErrorReport\(")


def cases(kind: str) -> list:
    found = []
    for task, mutants in TASKS.items():
        for mutant in getattr(mutants, kind):
            marks = [pytest.mark.xfail(strict=True, reason=mutant.xfail)] if mutant.xfail else []
            found.append(pytest.param(task, mutant, id=f"{task}/{mutant.name}", marks=marks))
    return found


def message(task: Task, verdict: Verdict) -> str:
    """The plain message on one line, after a look at both forms of it."""
    plain = plain_text(task, verdict)
    rich = rich_text(task, verdict)
    assert not OURS.search(plain)
    assert not OURS.search(unescape(rich))
    assert rich.count("<div") == rich.count("</div>")
    assert task.title in plain
    return " ".join(plain.split())


def kinds(verdict: Verdict) -> set[str]:
    """What the learner is told first; a hint of a known wrong answer beside it counts as its name."""
    named = {MatchesKnownWrong.__name__} if verdict.known_wrong else set()
    return {type(verdict.finding).__name__} | named


@pytest.mark.parametrize(("task", "mutant"), cases("wrong"))
def test_a_wrong_answer_is_refused_and_told_why(task: str, mutant: Wrong) -> None:
    judged = judge_answer(LESSON, task, mutant.code)
    texts = message(judged.task, judged.in_notebook) + " | " + message(judged.task, judged.graded)

    assert not judged.graded.passed
    assert judged.graded.earned == mutant.keeps
    assert judged.in_notebook.passed == mutant.notebook_passes
    assert kinds(judged.graded) & set(mutant.finds)
    if mutant.says:
        assert re.search(mutant.says, texts)
    if mutant.never:
        assert not re.search(mutant.never, texts)


@pytest.mark.parametrize(("task", "mutant"), cases("right"))
def test_a_right_answer_earns_everything_whatever_its_route(task: str, mutant: Right) -> None:
    judged = judge_answer(LESSON, task, mutant.code)

    assert judged.in_notebook.passed, message(judged.task, judged.in_notebook)
    assert judged.graded.passed, message(judged.task, judged.graded)
    assert judged.graded.earned == judged.task.points
    assert judged.task.learned in message(judged.task, judged.graded)


def test_every_task_has_at_least_six_wrong_and_three_right_answers() -> None:
    assert list(TASKS) == list(load_lesson(LESSON).bank.tasks)
    for task, mutants in TASKS.items():
        assert len(mutants.wrong) >= 6, task
        assert len(mutants.right) >= 3, task


def test_no_answer_is_held_against_a_task_twice() -> None:
    for task, mutants in TASKS.items():
        for answers in (mutants.wrong, mutants.right):
            for field in ("name", "code"):
                values = [getattr(answer, field) for answer in answers]
                assert len(set(values)) == len(values), task


@pytest.mark.parametrize("task", TASKS)
def test_a_cell_that_stops_leaves_the_checks_of_the_others_standing(task: str) -> None:
    judged = judge_notebook(LESSON, {task: "1 / 0"})

    assert list(judged) == list(TASKS)
    assert isinstance(judged[task].graded.finding, NotDefined)
    for other in judged.values():
        message(other.task, other.in_notebook)
        message(other.task, other.graded)
    before = list(TASKS)[: list(TASKS).index(task)]
    assert all(judged[earlier].graded.passed for earlier in before)


def test_a_later_task_names_the_earlier_one_that_is_not_right() -> None:
    judged = judge_notebook(LESSON, {"query-scores": "attn_scores_2 = inputs @ inputs[2]"})["query-weights"]

    for verdict in (judged.in_notebook, judged.graded):
        assert verdict.unfinished == ("attn_scores_2",)
        assert "`attn_scores_2`, which is not right yet" in message(judged.task, verdict)
        assert "mend that first" in message(judged.task, verdict)


def test_what_is_built_from_typed_in_numbers_names_them_when_graded() -> None:
    typed = "attn_scores_2 = torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])"
    judged = judge_notebook(LESSON, {"query-scores": typed})["query-weights"]

    assert judged.in_notebook.passed
    assert isinstance(judged.graded.finding, NotComputed)
    assert "`attn_scores_2`, which is not right yet" in message(judged.task, judged.graded)
