"""Wrong answers made together: which are, what is kept of them, and that both mistakes are then named."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
import torch
from autograder.author.answer_edits import Edit, combined_text
from autograder.author.authoring import Fault, Faults, Lesson, OnResult, Probe, rights, wrongs
from autograder.author.build_bank import make_task, with_known_wrong
from autograder.author.solution_runs import SolutionRuns, run_solution
from autograder.experiments.registry import EXPERIMENTS
from autograder.judge.known_mistakes import explain
from support.tiny_course import solved
from support.tiny_lesson import plain_task


def steps(x):
    if not len(x):
        raise ValueError("nothing to do")
    x = x / 2
    x = x + 1
    return x.flip(0)


X = torch.tensor([[1.0, 2.0], [5.0, 3.0], [4.0, 9.0]])
WRONG = wrongs("""
    no-half: cell
        def steps(x):
            x[0]
            return (x + 1).flip(0)
    no-half: / 2 →
    no-one: + 1 →
    no-turn: .flip(0) →
    takes-empty: not len(x) → False
    summed: x + 1 → x.cumsum(0) + 1
    zeros: return x → return 0 * x
    """)
TASK = plain_task(
    "steps",
    Probe("three", "three tokens", {"x": X}),
    Probe("empty", "no tokens", {"x": torch.ones(0, 2)}, raises=("ValueError",)),
    Probe("tried", "three tokens", {"x": X}, observe="influence", settings={"input": "x", "axis": 0}),
    axes=("tokens", "d_in"),
    wrong=WRONG,
    right=rights("""
        late: x / 2 → x
            .flip(0) → .flip(0) / 2 + 0.5
        later: x / 2 → x
            .flip(0) → .flip(0) * 0.5 + 0.5
        """),
)
FAULTS = Faults(
    {wrong.fault: Fault(wrong.fault, "", "") for wrong in WRONG}, {}, (("no-half", "no-one", "no-turn"),)
)


@pytest.fixture(scope="module")
def runs():
    lesson = Lesson("Steps", (TASK,), {}, lambda generator: {}, redraws=0)
    return run_solution(lesson, solved({"steps": steps}), "01")


@pytest.fixture(scope="module")
def result(runs):
    return with_known_wrong(make_task(TASK, runs), runs, FAULTS)


def test_what_does_something_new_together_is_kept(result):
    members = [tuple(place for place in row if place >= 0) for row in result.explanations.members.tolist()]
    alone, reworded = [(position,) for position in range(len(WRONG))], [(1,), (2,), (6,)]
    # "no-half" has two wordings, the small edit first. What is all zeros hides whatever else there is.
    pairs = [(1, 2), (0, 2), (1, 5), (0, 5), (1, 3), (0, 3), (1, 4), (2, 5), (2, 3), (2, 4)]
    others = [(5, 3), (5, 4), (3, 4), (6, 4)]
    tried = [*alone, *reworded, *pairs, *others, (1, 2, 3), (0, 2, 3)]
    assert members[: len(tried)] == tried
    # A function is quick: what else is new are the same mistakes in the wordings of right answers.
    assert {(1, 2), (1, 6)} <= set(members[len(tried) :]) <= {*permutations(range(7), 2), (1, 2, 3)}


def test_a_mistake_that_adds_nothing_to_another_is_not_kept_beside_it(runs):
    # Where it leaves early, nothing is turned; what the experiment shows of both at once is not tried.
    both = wrongs("""
        summed: x = x / 2 → return x.cumsum(0)
        no-turn: .flip(0) →
        """)
    result = with_known_wrong(make_task(replace(TASK, wrong=both), runs), runs, replace(FAULTS, together=()))
    assert result.explanations.members.tolist() == [[0], [1]]


def test_of_an_error_that_is_right_the_solutions_own_line_is_not_kept(result):
    error = result.probe["empty"].expected.error
    assert (error.type, error.line, error.function) == ("ValueError", "", "")


def test_an_experiment_is_made_with_one_mistake_alone_and_where_another_wording_shows_it_otherwise(
    runs, monkeypatch
):
    outcomes_of = SolutionRuns.outcomes_of

    def run(self, task, text, probes, *steady):
        tried.append(text) if "tried" in {probe.id for probe in probes} else None
        return outcomes_of(self, task, text, probes, *steady)

    tried: list[str] = []
    monkeypatch.setattr(SolutionRuns, "outcomes_of", run)
    with_known_wrong(make_task(TASK, runs), runs, FAULTS)
    solution = runs.solutions["steps"]
    reworded = {
        combined_text(solution, [WRONG[position].changes, right.changes])
        for position in (1, 2, 6)
        for right in TASK.right
    }
    assert tried[: len(WRONG)] == [runs.changed_answer(TASK, wrong.changes) for wrong in WRONG]
    assert tried[len(WRONG) :]
    assert set(tried[len(WRONG) :]) <= reworded


@pytest.mark.parametrize("places", [(2, 1), (3, 5), (4, 6), (1, 2, 3)], ids=str)
def test_mistakes_made_together_are_all_named(result, runs, places):
    text = runs.changed_answer(TASK, [change for position in places for change in WRONG[position].changes])
    explained = explain(result, runs.outcomes_of(TASK, text, result.probes))
    assert {item.id for item in explained.wrong} == {WRONG[position].fault for position in places}


def test_a_mistake_is_named_in_another_wording_too(result, runs):
    text = runs.changed_answer(TASK, [*WRONG[2].changes, *TASK.right[0].changes])
    explained = explain(result, runs.outcomes_of(TASK, text, result.probes))
    assert [item.id for item in explained.wrong] == ["no-one"]


def test_an_experiment_that_both_mistakes_show_in_is_not_tried(result):
    table = result.explanations
    kinds = table.on(table.probes)[0][table.members.tolist().index([5, 3, -1])].tolist()
    assert [table.kinds[kind][0] == "untried" for kind in kinds] == [False, False, True]


class Sums:
    def __init__(self, start):
        self.total = start

    def add(self, x):
        self.total = self.total + x.sum(0)
        return 2 * self.total


def test_two_mistakes_that_show_piece_by_piece_only_are_both_named():
    settings = {"method": "add", "axis": 0, "sizes": [2, 1]}
    task = plain_task(
        "Sums",
        Probe("pieces", "two pieces", {"x": X}, construct={"start": 1.0}, observe="steps", settings=settings),
        kind="class",
        signature="Sums(start).add(x)",
        axes=("d_in",),
        wrong=wrongs("""
            new-only: self.total + x.sum(0) → x.sum(0)
            not-twice: 2 * self.total → self.total
            """),
    )
    lesson = Lesson("Sums", (task,), {}, lambda generator: {}, redraws=0)
    runs = run_solution(lesson, solved({"Sums": Sums}), "01")
    faults = Faults({wrong.fault: Fault(wrong.fault, "", "") for wrong in task.wrong}, {})
    built = with_known_wrong(make_task(task, runs), runs, faults)
    text = runs.changed_answer(task, [change for wrong in task.wrong for change in wrong.changes])
    explained = explain(built, runs.outcomes_of(task, text, built.probes))
    assert {item.id for item in explained.wrong} == {"new-only", "not-twice"}


def test_an_experiment_whose_numbers_are_telling_is_tried_with_both(runs, monkeypatch):
    monkeypatch.setitem(EXPERIMENTS, "influence", replace(EXPERIMENTS["influence"], telling=True))
    table = with_known_wrong(make_task(TASK, runs), runs, FAULTS).explanations
    kinds = table.on(table.probes)[0][table.members.tolist().index([5, 3, -1])].tolist()
    assert "untried" not in {table.kinds[kind][0] for kind in kinds}


def test_a_mistake_is_tried_where_answers_run_and_without_touching_the_lesson(runs):
    before = torch.get_rng_state()
    with_known_wrong(make_task(TASK, runs), runs, FAULTS)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ([Edit("flip(0)", "flip(0)[1:]")], {"first-lost"}),
        ([*WRONG[2].changes, Edit("flip(0)", "flip(0)[1:]")], {"no-one", "first-lost"}),
        ([Edit("flip(0)", "flip(0).T")], set()),
    ],
    ids=["alone", "with another", "not asked for"],
)
def test_a_mistake_made_with_a_result_is_named_without_an_answer_that_shows_it(runs, changes, named):
    lost = OnResult("first-lost", lambda result, axis: result.narrow(axis, 1, 2), ("tokens",))
    turned = OnResult("turned", lambda result, axis: result.T)
    reference = FAULTS.known | {name: Fault(name, "", "") for name in ("first-lost", "turned")}
    task = replace(TASK, cannot={"turned": "nobody does"})
    built = with_known_wrong(make_task(task, runs), runs, Faults(reference, {}, (), (lost, turned)))
    explained = explain(built, runs.outcomes_of(TASK, runs.changed_answer(TASK, changes), built.probes))
    assert {item.id for item in explained.wrong} == named


def test_what_a_mistake_makes_of_rounding_is_not_known(runs):
    nearly_zero = Probe("nearly-zero", "one token", {"x": torch.tensor([[-1.9998, 2.0]])})
    task = replace(TASK, probes=(*TASK.probes, nearly_zero))
    upside_down = OnResult("upside-down", lambda result, axis: 1 / result)
    faults = Faults({**FAULTS.known, "upside-down": Fault("upside-down", "", "")}, {}, (), (upside_down,))
    table = with_known_wrong(make_task(task, runs), runs, faults).explanations
    alone = table.members[:, 0] == len(WRONG)
    kind = table.on(("three", "nearly-zero"))[0][alone]
    assert [table.kinds[position][0] for position in kind.flatten().tolist()] == ["(3, 2)", "untried"]
