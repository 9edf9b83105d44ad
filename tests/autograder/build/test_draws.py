"""Which draw of a hidden twin is kept: a fair one, whose result no visible probe gives away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from autograder.authoring import Check, Forbid, Lesson, Probe, Right, Task
from autograder.bank import AS_SEEN
from autograder.build.answers import Runs
from autograder.build.draws import MOST_DRAWS, choose_draws
from autograder.build.hidden import twin_of

SECRET = "a secret"
ASKS = Probe("asks", "three numbers", {"x": torch.tensor([1.0, 2.0, 5.0])})
OTHER = Probe("other", "four numbers", {"x": torch.tensor([2.0, 2.0, 4.0, 8.0])})
TASK = Task(
    "share",
    "Shares of a whole",
    name="share",
    kind="function",
    signature="share(x)",
    axes=("tokens",),
    learned="",
    hints=(),
    checks=(Check("shares", 1, ("asks",)),),
    wrong=(),
    probes=(ASKS,),
)

Answer = Callable[[Tensor], Tensor]


def share(x: Tensor) -> Tensor:
    return x / x.sum()


def as_visible(x: Tensor) -> Tensor:
    return share(ASKS.inputs["x"])


def other_on(draws: Sequence[int], otherwise: Answer, usual: Answer = share) -> Answer:
    """An answer that does otherwise on the twin's draws of these numbers."""
    those = [twin_of(TASK, ASKS, SECRET, draw).inputs["x"] for draw in draws]
    return lambda x: (otherwise if any(torch.equal(x, one) for one in those) else usual)(x)


def chosen(task: Task, solution: Answer = share) -> dict[tuple[str, str], int | None]:
    runs = Runs({AS_SEEN: {}}, {AS_SEEN: {"share": solution}})
    return choose_draws(Lesson("Shares", (task,), {}, lambda generator: {}, redraws=0), runs, SECRET)


def with_right(*answers: Answer) -> Task:
    return replace(TASK, right=tuple(Right(f"right-{number}", one) for number, one in enumerate(answers)))


def test_a_first_draw_that_is_fair_and_new_is_kept():
    task = replace(with_right(share, lambda x: share(x.double())), probes=(ASKS, OTHER))
    assert chosen(task) == {("share", "asks"): 0, ("share", "other"): 0}


def test_a_twin_that_a_right_answer_fails_is_drawn_again():
    picky = other_on((0, 1), lambda x: x)
    assert chosen(with_right(share, picky)) == {("share", "asks"): 2}


def test_each_of_the_right_answers_must_pass():
    task = with_right(other_on((0, 2), lambda x: x), other_on((1,), lambda x: x))
    assert chosen(task) == {("share", "asks"): 3}


def test_an_answer_that_only_a_forbidden_call_costs_points_must_pass():
    caught = Right("caught", other_on((0,), lambda x: x))
    assert chosen(replace(TASK, forbids=Forbid(("softmax",), 1, (caught,)))) == {("share", "asks"): 1}


def test_a_twin_with_the_result_of_a_visible_probe_is_drawn_again():
    solution = other_on((0, 1, 2), as_visible)
    assert chosen(with_right(solution), solution) == {("share", "asks"): 3}


def test_the_result_of_any_visible_probe_counts():
    longer = replace(ASKS, id="longer", inputs={"x": torch.tensor([3.0, 3.0, 2.0])})
    task = replace(TASK, probes=(ASKS, longer))
    solution = other_on((0,), lambda x: share(torch.tensor([3.0, 3.0, 2.0])))
    assert chosen(task, solution)["share", "asks"] == 1


def test_a_twin_that_no_draw_makes_fair_is_left_out():
    task = with_right(other_on(range(MOST_DRAWS), lambda x: x))
    assert chosen(task) == {("share", "asks"): None}


def test_where_every_draw_has_a_visible_result_the_first_fair_one_is_kept():
    solution = other_on(range(MOST_DRAWS), as_visible)
    picky = other_on((0, 1), lambda x: x, solution)
    assert chosen(with_right(picky), solution) == {("share", "asks"): 2}


def test_a_fair_twin_with_a_visible_result_is_kept_before_new_ones_that_are_unfair():
    solution = other_on((1,), as_visible)
    picky = other_on((0, *range(2, MOST_DRAWS)), lambda x: x, solution)
    assert chosen(with_right(picky), solution) == {("share", "asks"): 1}


def test_where_the_solution_fails_on_a_twin_the_first_draw_is_kept_for_the_build_to_name():
    def failing(x):
        return share(x) if torch.equal(x, ASKS.inputs["x"]) else x[5]

    assert chosen(with_right(share), failing) == {("share", "asks"): 0}


def test_what_has_no_twin_is_not_drawn():
    refused = replace(ASKS, id="refused", raises=("ValueError",))
    watched = replace(ASKS, id="watched", observe="influence", settings={"input": "x", "axis": 0})
    assert chosen(replace(TASK, probes=(ASKS, refused, watched))) == {("share", "asks"): 0}


def test_a_task_that_the_solution_does_not_define_is_left_to_the_build():
    assert chosen(replace(TASK, name="shares")) == {}
