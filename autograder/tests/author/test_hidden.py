"""Twins of probes, drawn from a secret: the same question with other numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from autograder.author.authoring import Check, Lesson, Made, Probe, Specimen
from autograder.author.secret_probes import FURTHEST, LEAST_SPREAD, SPREAD, seed_from, twin_of, twins_of
from support.tiny_lesson import plain_task

SCORES = torch.tensor([[3.0, -2.0, 0.0], [1000.0, 1e-6, -0.5]])
MASK = torch.ones(3, 3).triu(1)
PLACES = torch.tensor([2, 0, 1])
ASKS = Probe(
    "asks",
    "some scores",
    {"scores": SCORES, "mask": MASK, "places": PLACES, "heads": 2, "scale": 0.5, "name": None},
    keywords=("mask",),
    then={"x": torch.rand(4, 3, generator=torch.Generator().manual_seed(1))},
)
OTHER = Probe("other", "other scores", {"scores": SCORES + 1}, construct={"d_in": 3}, train=True)
OBJECTS = Probe("objects", "a module", {"model": Made("Model", {"d": 2}), "part": Specimen("linear", {})})
WATCHED = Probe("watched", "in training", {"scores": SCORES}, observe="dropout")


def lesson(*probes: Probe, checks: tuple[Check, ...] = ()) -> Lesson:
    task = plain_task("scale", *probes, signature="scale(scores)", checks=checks)
    return Lesson("01", (task,), {}, lambda generator: {})


def twin(probe: Probe, secret: str = "a secret") -> Probe:
    return next(twins_of(lesson(probe), secret, {})).probes[-1]


def test_every_probe_has_a_twin_that_is_marked_as_hidden():
    (task,) = twins_of(lesson(ASKS, WATCHED), "a secret", {})
    assert [probe.id for probe in task.probes if probe.hidden] == ["asks-hidden", "watched-hidden"]


def test_a_twin_asks_the_same_in_the_same_words_of_the_same_shapes():
    for probe in (ASKS, OTHER):
        result = twin(probe)
        for field in ("says", "keywords", "construct", "train", "dtype", "observe", "settings", "weights"):
            assert getattr(result, field) == getattr(probe, field)
        assert list(result.inputs) == list(probe.inputs)
    assert twin(ASKS).inputs["scores"].shape == SCORES.shape
    assert twin(ASKS).inputs["scores"].dtype == SCORES.dtype


def test_numbers_move_by_a_share_of_themselves_and_keep_sign_zero_and_size():
    moved = twin(ASKS).inputs["scores"]
    assert torch.equal(moved.sign(), SCORES.sign())
    assert bool(((moved - SCORES).abs() <= SPREAD * SCORES.abs() * (1 + 1e-6)).all())
    assert bool((moved != SCORES)[SCORES != 0].all())


def test_large_scores_keep_the_differences_that_softmax_sees():
    scores = torch.tensor([1000.0, 999.0, -1000.0, 50.0, -4.0])
    moved = twin(Probe("large", "scores near 1000", {"x": scores})).inputs["x"]
    assert bool(((moved - scores).abs() <= FURTHEST + 1e-4).all())
    assert bool((moved != scores).all())


def test_a_number_beside_which_that_step_would_be_lost_moves_by_a_share_of_itself():
    numbers = torch.tensor([1e9, -1e30])
    moved = twin(Probe("huge", "very large numbers", {"x": numbers})).inputs["x"]
    assert bool(((moved - numbers).abs() <= LEAST_SPREAD * numbers.abs() * (1 + 1e-5)).all())
    assert bool((moved != numbers).all())


def test_scores_of_whole_numbers_are_the_same_in_whatever_order_they_are_added():
    tokens = torch.tensor([[29.0, 5, 2, 17, -8], [30, 1, -3, 4, 21], [-10, 4, 6, 30, 25]])
    moved = twin(Probe("large", "tokens of large numbers", {"x": tokens})).inputs["x"]
    scores = (moved[:, None] * moved).flip(-1).cumsum(dim=-1)[..., -1]
    assert torch.equal(scores.double(), moved.double() @ moved.double().T)


def test_what_is_hidden_stays_hidden():
    scores = torch.tensor([[-torch.inf, -torch.inf, 2.0], [1.0, -torch.inf, 3.0]]).repeat(8, 1)
    moved = twin(Probe("hidden", "hidden scores", {"x": scores})).inputs["x"]
    assert torch.equal(moved == -torch.inf, scores == -torch.inf)
    assert not bool(moved.isnan().any())


def test_a_probe_that_redraws_gives_its_twin_other_inputs_and_the_rest_moves():
    def redraw(generator):
        return {"heads": 3 + int(torch.randint(100, (1,), generator=generator))}

    probe = replace(ASKS, redraw=redraw)
    result, again, other = (twin(probe, name) for name in ("one", "one", "two"))
    assert list(result.inputs) == list(probe.inputs)
    assert result.inputs["heads"] == again.inputs["heads"]
    assert len({2, result.inputs["heads"], other.inputs["heads"]}) == 3
    assert torch.equal(result.inputs["scores"], twin(ASKS, "one").inputs["scores"])


def test_each_draw_is_another_and_the_same_every_time():
    (task,) = lesson(ASKS).tasks
    drawn = [twin_of(task, ASKS, "a secret", draw) for draw in (0, 1, 2, 2)]
    scores = [probe.inputs["scores"] for probe in drawn]
    assert torch.equal(scores[0], twin(ASKS).inputs["scores"])
    assert not torch.equal(scores[1], scores[0])
    assert not torch.equal(scores[2], scores[1])
    assert torch.equal(scores[3], scores[2])
    assert len({probe.seed for probe in drawn}) == 3


def test_a_twin_is_the_draw_that_is_asked_for_or_there_is_none():
    described = lesson(ASKS, OTHER, checks=(Check("all", 1, ("asks", "other")),))
    (task,) = twins_of(described, "a secret", {("scale", "asks"): 4, ("scale", "other"): None})
    assert [probe.id for probe in task.probes] == ["asks-hidden"]
    assert [check.probes for check in task.checks] == [("asks", "other", "asks-hidden")]
    expected = twin_of(described.tasks[0], ASKS, "a secret", 4).inputs["scores"]
    assert torch.equal(task.probes[-1].inputs["scores"], expected)


def test_what_an_answer_is_called_on_later_moves_as_well():
    assert not torch.equal(twin(ASKS).then["x"], ASKS.then["x"])


@pytest.mark.parametrize("name", ["mask", "places"])
def test_masks_and_whole_numbers_stay(name):
    assert torch.equal(twin(ASKS).inputs[name], ASKS.inputs[name])


def test_the_identity_and_zeros_stay():
    probe = Probe("still", "the identity", {"eye": torch.eye(3), "zeros": torch.zeros(2, 2)})
    result = twin(probe)
    assert torch.equal(result.inputs["eye"], torch.eye(3))
    assert torch.equal(result.inputs["zeros"], torch.zeros(2, 2))


def test_objects_of_the_notebook_get_other_weights_and_the_courses_own_stay():
    result = twin(OBJECTS)
    assert result.inputs["model"].seed != OBJECTS.inputs["model"].seed
    assert result.inputs["model"].construct == {"d": 2}
    assert result.inputs["part"] == OBJECTS.inputs["part"]


def test_what_must_be_refused_yields_no_numbers_and_has_no_twin():
    (task,) = twins_of(lesson(ASKS, replace(OTHER, raises=("ValueError",))), "a secret", {})
    assert [probe.id for probe in task.probes] == ["asks-hidden"]


def test_a_check_asks_for_the_twins_of_its_own_probes():
    checks = (Check("first", 1, ("asks", "watched")), Check("second", 2, ("other",)))
    (task,) = twins_of(lesson(ASKS, OTHER, WATCHED, checks=checks), "a secret", {})
    first, second = (check.probes for check in task.checks)
    assert first == ("asks", "watched", "asks-hidden", "watched-hidden")
    assert second == ("other", "other-hidden")
    assert [check.points for check in task.checks] == [1, 2]


def test_the_same_secret_draws_the_same_and_another_secret_another():
    first, again, other = (twin(ASKS, name).inputs["scores"] for name in ("one", "one", "two"))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_the_visible_probes_are_left_as_they_are():
    before = SCORES.clone()
    list(twins_of(lesson(ASKS), "a secret", {}))
    assert torch.equal(ASKS.inputs["scores"], before)


def test_a_seed_fits_every_generator_and_depends_on_every_name():
    seeds = {seed_from("s", "task", "a"), seed_from("s", "task", "b"), seed_from("s", "other", "a")}
    assert len(seeds) == 3
    for seed in seeds:
        torch.Generator().manual_seed(seed)
