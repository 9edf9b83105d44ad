"""Which draw of a hidden twin is kept: a fair one, whose result no visible probe gives away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from autograder.author.answer_edits import Cell
from autograder.author.authoring import Check, Forbid, Lesson, Probe, Right, Task
from autograder.author.build_bank import make_task
from autograder.author.fair_draws import MOST_DRAWS, choose_draws, with_exam
from autograder.author.secret_probes import twin_of
from autograder.author.solution_runs import run_solution
from autograder.records.bank import LessonBank
from support.tiny_course import solved
from support.tiny_lesson import plain_task

SECRET = "a secret"
ASKS = Probe("asks", "three numbers", {"x": torch.tensor([1.0, 2.0, 5.0])})
OTHER = Probe("other", "four numbers", {"x": torch.tensor([2.0, 2.0, 4.0, 8.0])})
TASK = plain_task("share", ASKS)

SHARE = "def share(x):\n    return x / x.sum()"
DOUBLE = "def share(x):\n    return x.double() / x.double().sum()"
AS_VISIBLE = "torch.tensor([0.125, 0.25, 0.625])"


def other_on(draws: Sequence[int], otherwise: str, usual: str = SHARE) -> str:
    """An answer that does otherwise on the twin's draws of these numbers."""
    those = [twin_of(TASK, ASKS, SECRET, draw).inputs["x"].tolist() for draw in draws]
    return (
        f"{usual}\n\nusual = share\n\ndef share(x, usual=usual):\n"
        f"    those = torch.tensor({those})\n"
        f"    return {otherwise} if len(x) == 3 and (those == x).all(1).any() else usual(x)"
    )


def chosen(task: Task, solution: str = SHARE) -> dict[tuple[str, str], int | None]:
    lesson = Lesson("Shares", (task,), {}, lambda generator: {}, redraws=0)
    return choose_draws(lesson, run_solution(lesson, solved({"share": solution}), "01"), SECRET)


def with_right(*answers: str) -> Task:
    return replace(
        TASK, right=tuple(Right(f"right-{number}", (Cell(item),)) for number, item in enumerate(answers))
    )


def test_a_first_draw_that_is_fair_and_new_is_kept():
    task = replace(with_right(DOUBLE), probes=(ASKS, OTHER))
    assert chosen(task) == {("share", "asks"): 0, ("share", "other"): 0}


def test_a_twin_that_a_right_answer_fails_is_drawn_again():
    picky = other_on((0, 1), "x")
    assert chosen(with_right(DOUBLE, picky)) == {("share", "asks"): 2}


def test_each_of_the_right_answers_must_pass():
    task = with_right(other_on((0, 2), "x"), other_on((1,), "x"))
    assert chosen(task) == {("share", "asks"): 3}


def test_an_answer_that_only_a_forbidden_call_costs_points_must_pass():
    caught = Right("caught", (Cell(other_on((0,), "x")),))
    assert chosen(replace(TASK, forbids=Forbid(("softmax",), 1, (caught,)))) == {("share", "asks"): 1}


def test_a_twin_with_the_result_of_a_visible_probe_is_drawn_again():
    solution = other_on((0, 1, 2), AS_VISIBLE)
    assert chosen(TASK, solution) == {("share", "asks"): 3}


def test_the_result_of_any_visible_probe_counts():
    longer = replace(ASKS, id="longer", inputs={"x": torch.tensor([3.0, 3.0, 2.0])})
    task = replace(TASK, probes=(ASKS, longer))
    solution = other_on((0,), "torch.tensor([0.375, 0.375, 0.25])")
    assert chosen(task, solution)["share", "asks"] == 1


def test_a_twin_that_no_draw_makes_fair_is_left_out():
    task = with_right(other_on(range(MOST_DRAWS), "x"))
    assert chosen(task) == {("share", "asks"): None}


def test_where_every_draw_has_a_visible_result_the_first_fair_one_is_kept():
    solution = other_on(range(MOST_DRAWS), AS_VISIBLE)
    picky = other_on((0, 1), "x", solution)
    assert chosen(with_right(picky), solution) == {("share", "asks"): 2}


def test_a_fair_twin_with_a_visible_result_is_kept_before_new_ones_that_are_unfair():
    solution = other_on((1,), AS_VISIBLE)
    picky = other_on((0, *range(2, MOST_DRAWS)), "x", solution)
    assert chosen(with_right(picky), solution) == {("share", "asks"): 1}


def test_where_the_solution_fails_on_a_twin_the_first_draw_is_kept_for_the_build_to_name():
    failing = "def share(x):\n    return x / 8 if x.tolist() == [1.0, 2.0, 5.0] else x[5]"
    assert chosen(with_right(DOUBLE), failing) == {("share", "asks"): 0}


def test_what_has_no_twin_is_not_drawn():
    refused = replace(ASKS, id="refused", raises=("ValueError",))
    assert chosen(replace(TASK, probes=(ASKS, refused))) == {("share", "asks"): 0}


def test_a_task_that_the_solution_does_not_define_is_left_to_the_build():
    assert chosen(replace(TASK, name="shares")) == {}


def test_an_exam_asks_hidden_numbers_that_no_check_asks():
    task = replace(with_right(DOUBLE), checks=(Check("shares", 1, ("asks", "other")),), probes=(ASKS, OTHER))
    lesson = Lesson("Shares", (task, replace(task, id="again")), {}, lambda generator: {}, redraws=0)
    runs = run_solution(lesson, solved({"share": SHARE, "again": SHARE}), "01")
    bank = LessonBank("01", "Shares", {}, {each.id: make_task(each, runs) for each in lesson.tasks})
    tasks = with_exam(bank, lesson, runs, {"share", "elsewhere"}).tasks
    assert tasks["again"].exam == ()
    exam = tasks["share"].in_exam()
    assert exam.checks[0].probes == ("asks", "other", "asks-hidden", "other-hidden")
    for name in ("asks", "other"):
        visible, hidden = exam.probe[name], exam.probe[f"{name}-hidden"]
        assert hidden.hidden
        assert not torch.equal(visible.inputs["x"], hidden.inputs["x"])
        assert torch.allclose(hidden.expected.tensor, hidden.inputs["x"] / hidden.inputs["x"].sum())
