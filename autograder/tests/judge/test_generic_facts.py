"""What general experiments and the numbers themselves show of an answer that nothing known explains."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import ANY

import pytest
import torch
from autograder.author.build_bank import without_decisions
from autograder.judge.generic_facts import facts
from autograder.probe.collect_evidence import call
from autograder.probe.generic_behaviour import examine, probe_to_examine
from autograder.records.answer_findings import Idle, Reaches, Related, Unsteady
from autograder.records.bank import AS_SEEN, Probe
from support.tiny_lesson import plain_task
from torch import nn


def numbers(*shape):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(5)) + 0.5


def past(x, shift):
    """The sum of all tokens so far."""
    return x.cumsum(1) + shift


def made(function, x, **fields):
    """A task whose solution is this function, tried on one input."""
    probe = Probe("plain", "some tokens", {"x": x, "shift": numbers(x.shape[-1])})
    probe = replace(probe, expected=call(function, probe))
    axes = ("batch", "tokens", "d_in")
    input_axes = {"x": axes, "shift": ("d_in",)}
    task = plain_task("past", probe, axes=axes, dtypes=("float32",), input_axes=input_axes)
    return replace(task, examined=examine(task, function, {}), **fields)


TASK = made(past, numbers(2, 4, 3))


def seen(x, shift):
    return x + shift[:, None] < torch.tensor([1.0, 2.0, 0.5])


def told(function, task=TASK):
    outcomes = {name: call(function, probe) for name, probe in task.probe.items()}
    return facts(task, outcomes, examine(task, function, {}))


def but_one(x, shift):
    result = past(x, shift)
    result[:, 2] = 7
    return result


def related(how, *more, **where):
    return Related(how, *more, probe="plain", **where)


FACTS = {
    "an idle argument": (
        lambda x, shift: x.cumsum(1),
        [Idle(("shift",)), related("input", pytest.approx(-1.0), name="shift")],
    ),
    "all are idle": (lambda x, shift: torch.ones(2, 4, 3), [Idle(("x", "shift"))]),
    "looks ahead": (
        lambda x, shift: x.sum(1, keepdim=True) + shift + 0 * x,
        [Reaches("x", "tokens", "tokens", 0, 1), related("alike", axis=1), related("from", 3.0, axis=1)],
    ),
    "not at itself": (
        lambda x, shift: past(x, shift) - x,
        [Reaches("x", *["tokens"] * 2, 0, 0, missing=True), related("input", pytest.approx(-1.0), name="x")],
    ),
    "one too few": (lambda x, shift: past(x, shift)[:, 1:], [related("last", 3.0, axis=1)]),
    "batch elements mix": (
        lambda x, shift: past(x, shift) + x.mean(0),
        [Reaches("x", "batch", "batch", 1, 0)],
    ),
    "reversed": (lambda x, shift: past(x, shift).flip(1), [related("reversed", axis=1)]),
    "a factor": (lambda x, shift: past(x, shift) * 2, [related("times", pytest.approx(2.0))]),
    "a step": (lambda x, shift: past(x, shift) - 3, [related("plus", pytest.approx(-3.0))]),
    "turned": (lambda x, shift: past(x, shift).mT, [related("turned")]),
    "a few digits": (lambda x, shift: past(x, shift).half().float(), [related("digits", 3)]),
    "all but one slice": (
        but_one,
        [Reaches("x", "tokens", "tokens", 2, 0, missing=True), related("but-one", 2.0, axis=1)],
    ),
    "in another order": (lambda x, shift: past(x, shift)[:, [1, 0, 3, 2]], [related("order", axis=1)]),
    "cut into other axes": (lambda x, shift: past(x, shift).reshape(2, 3, 4).mT, [related("places")]),
    "each row by another factor": (
        lambda x, shift: past(x, shift) * torch.arange(1.0, 5)[:, None],
        [related("rows")],
    ),
    "right at first": (
        lambda x, shift: torch.cat((past(x, shift)[:, :2], x[:, :2] - shift), dim=1),
        [ANY, related("until", 1.0, axis=1)],
    ),
    "wrong signs and sizes": (lambda x, shift: past(x, shift).sqrt().neg(), [related("signs")]),
    "the same in each place": (
        lambda x, shift: past(x, shift)[:, 2:3].expand(x.shape) + x * torch.tensor([0.0, 0.0, 1e-9]),
        [ANY, ANY, related("alike", axis=1)],
    ),
    "nothing to say": (lambda x, shift: past(x, shift).sqrt(), []),
    "overwrites its input": (lambda x, shift: past(x.mul_(1.5), shift), []),
    "nan": (lambda x, shift: past(x, shift) * torch.nan, []),
    "another result in each call": (
        lambda x, shift: past(x, shift) + torch.arange(4.0)[:, None] * torch.rand(()),
        [Unsteady(0.75, ANY)],
    ),
}


@pytest.mark.parametrize(("answer", "expected"), FACTS.values(), ids=FACTS)
def test_what_a_wrong_answer_does_otherwise_is_told(answer, expected):
    assert list(told(answer)) == expected


def test_a_result_that_is_right_to_a_few_digits_by_chance_is_not_told_where_another_is_not():
    large = replace(TASK.probe["plain"], id="large", inputs={"x": 9 * numbers(2, 4, 3), "shift": numbers(3)})
    large = replace(large, expected=call(past, large))
    task = replace(TASK, probes=(*TASK.probes, large))
    assert told(lambda x, shift: past(x, shift) + 0.001 * x**5, task) == ()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda x, shift: seen(x, shift) | (x > 1), [related("true")]),
        (lambda x, shift: seen(x, shift) & (x < 1), [related("false")]),
        (lambda x, shift: seen(x, shift).mT, [related("turned")]),
    ],
    ids=["too many", "too few", "turned"],
)
def test_what_is_wrong_with_true_and_false_is_told(answer, expected):
    task = replace(made(seen, torch.arange(9.0).view(3, 3) / 4), dtypes=("bool",))
    related = [item for item in told(answer, task) if isinstance(item, Related)]
    assert related[:1] == expected


def test_entries_that_should_be_minus_infinity_and_are_not_are_told():
    def hiding(x, shift):
        return past(x, shift).masked_fill(torch.eye(4)[:, :3].bool(), -torch.inf)

    task = made(hiding, numbers(2, 4, 3))
    assert list(told(past, task)) == [related("finite")]
    assert related("finite") not in told(lambda x, shift: hiding(x, shift) + 1, task)


def test_numbers_that_add_up_to_1_along_another_axis_are_told():
    task = made(lambda x, shift: past(x, shift).softmax(dim=-1), numbers(2, 4, 3))
    actual = told(lambda x, shift: past(x, shift).softmax(dim=1), task)
    assert related("shared", 2.0, axis=1) in actual


def test_a_square_result_can_be_turned_too():
    task = made(past, numbers(2, 3, 3))
    assert told(lambda x, shift: past(x, shift).mT, task) == (related("turned"),)


def test_what_is_idle_in_the_solution_as_well_is_not_told():
    task = made(lambda x, shift: x.cumsum(1), numbers(2, 4, 3))
    twice = related("times", pytest.approx(2.0))
    assert told(lambda x, shift: 2 * x.cumsum(1), task) == (twice,)


@pytest.mark.parametrize(
    "change", [{"hidden": True}, {"observe": "influence"}, {"raises": ("ValueError",)}, {"train": True}]
)
def test_only_a_plain_probe_that_may_be_shown_is_examined(change):
    task = replace(TASK, probes=(replace(TASK.probe["plain"], **change),))
    assert probe_to_examine(task.probes) is None


def test_the_probe_with_the_most_different_sizes_is_examined():
    small = replace(TASK.probe["plain"], id="small", inputs={"x": numbers(2, 2, 2), "shift": numbers(2)})
    long = replace(TASK.probe["plain"], id="long", inputs={"x": numbers(2, 500, 3), "shift": numbers(3)})
    task = replace(TASK, probes=(small, long, *TASK.probes))
    assert probe_to_examine(task.probes).id == "plain"


def test_a_probe_with_a_single_token_is_not_the_one_that_is_examined():
    one = replace(TASK.probe["plain"], id="one", inputs={"x": numbers(5, 1, 3), "shift": numbers(3)})
    assert probe_to_examine((one, *TASK.probes)).id == "plain"


def test_a_number_is_not_idle_where_the_solution_takes_no_other():
    def only_two(x, shift, size):
        assert size == 2
        return past(x, shift)

    probe = replace(TASK.probe["plain"], inputs={**TASK.probe["plain"].inputs, "size": 2})
    task = replace(TASK, probes=(probe,))
    task = replace(task, examined=examine(task, only_two, {}))
    assert task.examined.refused == ("size",)
    assert Idle(("size",)) not in told(lambda x, shift, size: past(x, shift) + 1, task)


@pytest.mark.parametrize(
    "answer", [lambda x, shift: 1 / 0, lambda x, shift: [x], lambda x: x], ids=["fails", "no tensor", "other"]
)
def test_what_cannot_be_examined_is_not(answer):
    assert examine(TASK, answer, {}) is None


@pytest.mark.parametrize("hook", [lambda *_: None, lambda _module, _inputs, result: result + 1])
def test_a_module_on_which_a_call_leaves_a_hook_is_not_compared_with_itself(hook):
    def examined(answer):
        inputs = {"x": numbers(2, 4, 3), "shift": nn.Identity()}
        task = replace(TASK, probes=(replace(TASK.probe["plain"], inputs=inputs),))
        return examine(task, answer, {})

    def hooked(x, shift):
        shift.register_forward_hook(hook)
        return shift(x)

    assert (examined(hooked), examined(lambda x, shift: x) is None) == (None, False)


def test_examining_changes_neither_the_input_nor_random_numbers():
    before, state = TASK.probe["plain"].inputs["x"].clone(), torch.get_rng_state()
    examine(TASK, lambda x, shift: x.mul_(2) + torch.rand(3), {})
    assert torch.equal(TASK.probe["plain"].inputs["x"], before)
    assert torch.equal(torch.get_rng_state(), state)


class Weighed(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = nn.Linear(3, 3), nn.Linear(3, 3)
        self.used.weight.requires_grad_(False)

    def forward(self, x, shift):
        return self.used(x) + shift


def test_a_parameter_that_has_no_effect_is_idle_and_keeps_its_value():
    probe = replace(TASK.probe["plain"], weights={"used.weight": torch.eye(3), "unused.bias": numbers(3)})
    task = replace(TASK, kind="module", probes=(probe,))
    examined = examine(task, Weighed, {})
    assert examined.idle == ("unused.weight", "unused.bias")
    axes = [f"{item.input} {item.axis}" for item in examined.influences]
    assert axes == ["x batch", "x tokens", "x d_in", "shift d_in"]
    assert examined.influences[1].moved == ((0,), (1,), (2,), (3,))


def windowed(x, times, saved, negative):
    """The sums so far, times a number, with some of their numbers kept."""
    result = times * x.cumsum(1)
    result[:, :, saved:] = 0
    return -result if negative else result


@pytest.mark.parametrize(
    ("answer", "idle"),
    [
        (lambda x, times, saved, negative: windowed(x, 2.5, saved, negative), ("times",)),
        (lambda x, times, saved, negative: windowed(x, times, 2, negative), ("kept",)),
        (lambda x, times, saved, negative: windowed(x, times, saved, True), ("negative",)),
        (lambda x, times, saved, negative: windowed(x, times, {2: 2}[saved], negative), ()),
        (lambda x, times, saved, negative: windowed(x, times, {2: 2, 4: 2}[saved], negative), ()),
        (windowed, ()),
    ],
    ids=[
        "a number",
        "a count",
        "a flag",
        "one of which any other is refused",
        "one that some refuse",
        "none",
    ],
)
def test_a_number_or_a_flag_that_has_no_effect_is_idle(answer, idle):
    inputs = {"x": numbers(2, 4, 3), "times": 2.5, "kept": 2, "negative": True}
    probe = Probe("plain", "some tokens", inputs)
    probe = replace(probe, expected=call(windowed, probe))
    task = replace(TASK, probes=(probe,), input_axes={"x": ("batch", "tokens", "d_in")})
    task = replace(task, examined=examine(task, windowed, {}))
    assert examine(task, answer, {}).idle == idle
    assert [fact.names for fact in told(answer, task) if isinstance(fact, Idle)] == [idle] * bool(idle)


@pytest.mark.parametrize(
    ("answer", "idle"),
    [
        (lambda x, borders: x.cumsum(1) * borders.diff()[0], ()),
        (lambda x, borders: x[: borders.diff().max() - 1], ()),
        (lambda x, borders: x.clamp(max=0.4) + borders.sum(), ()),
        (lambda x, borders: 0 * x, None),
        (lambda x, borders: x.cumsum(1) * len(borders), ("borders",)),
    ],
    ids=["by their distance", "by how many are between them", "where it falls", "all 0", "by their count"],
)
def test_an_input_is_idle_only_if_it_may_change_in_two_ways(answer, idle):
    inputs = {"x": numbers(2, 4, 3), "borders": torch.tensor([0, 2, 4])}
    probe = replace(TASK.probe["plain"], inputs=inputs)
    examined = examine(replace(TASK, probes=(probe,)), answer, {})
    assert (examined and examined.idle) == idle


def test_a_number_that_a_constructor_takes_and_nothing_uses_is_idle():
    class Scaled(nn.Module):
        def __init__(self, width, times):
            super().__init__()
            self.used, self.times = nn.Linear(width, width), times

        def forward(self, x):
            return self.used(x)

    weights = {"used.weight": torch.eye(3), "used.bias": torch.zeros(3)}
    construct = {"width": 3, "times": 2.0}
    probe = Probe("plain", "some tokens", {"x": numbers(2, 4, 3)}, construct=construct, weights=weights)
    task = replace(TASK, kind="module", probes=(probe,))
    assert examine(task, Scaled, {}).idle == ("times",)


def test_nothing_is_told_of_the_numbers_of_a_hidden_probe():
    hidden = replace(TASK.probe["plain"], hidden=True)
    twice = replace(hidden.expected, tensor=2 * hidden.expected.tensor)
    assert facts(replace(TASK, probes=(hidden,)), {"plain": twice}, None) == ()


def test_of_a_tensor_only_what_the_learner_sees_is_told():
    probe = TASK.probe["plain"]
    seen = (replace(probe, id=AS_SEEN), replace(probe, id="redrawn-1"))
    task = replace(TASK, kind="tensor", probes=seen, examined=None)
    twice = replace(probe.expected, tensor=2 * probe.expected.tensor)
    assert facts(task, {"redrawn-1": twice, AS_SEEN: probe.expected}, None) == ()
    assert facts(task, {AS_SEEN: twice}, None) == (Related("times", pytest.approx(2.0), probe=AS_SEEN),)


def test_of_an_input_with_an_axis_in_two_roles_each_role_is_compared_by_itself():
    task = made(lambda x, shift: (x * x).tril().cumsum(1), numbers(4, 4))
    task = replace(task, axes=("tokens as query", "tokens as key"))
    task = replace(task, input_axes={"x": ("tokens as query", "tokens as key")})
    task = replace(task, examined=examine(task, lambda x, shift: (x * x).tril().cumsum(1), {}))
    right = told(lambda x, shift: (x * x).tril().cumsum(1) + 1e-9, task)
    assert right == ()
    ahead = told(lambda x, shift: (x * x).cumsum(1), task)
    assert ahead[0] == Reaches("x", "tokens as key", "tokens as query", 0, 1)


def test_an_entry_that_need_not_depend_on_its_own_place_is_an_exception_where_the_others_do():
    def all_but_the_first(x, shift):
        return x * torch.tensor([0.0, 1, 1, 1])[:, None] + shift

    def none(x, shift):
        return x.roll(1, 1) + shift

    own = Reaches("x", "tokens", "tokens", 0, 0)
    assert own not in told(lambda x, shift: x + shift, made(all_but_the_first, numbers(2, 4, 3)))
    assert own in told(lambda x, shift: x.roll(1, 1) + x + shift, made(none, numbers(2, 4, 3)))


def test_a_slice_that_the_numbers_cleared_is_an_exception():
    """Which numbers a cut such as top-p sets to 0 follows from all of them."""

    def largest_two(x, shift):
        return torch.softmax(x.where(x >= x.topk(2, dim=1).values[:, -1:], -torch.inf), dim=1)

    task = made(largest_two, torch.tensor([0.0, 1.0, 9.0, 8.5])[None, :, None].repeat(1, 1, 2))
    reaches = told(lambda x, shift: torch.softmax(x, dim=1), task)
    assert [fact for fact in reaches if isinstance(fact, Reaches)] == []


def test_a_single_number_that_matters_only_while_it_falls_has_an_influence():
    def shares(x):
        return torch.softmax(x, 0)

    probe = Probe("plain", "some scores", {"x": torch.tensor([0.6, 0.9, 0.8])})
    probe = replace(probe, expected=call(shares, probe))
    task = replace(TASK, signature="past(x)", axes=("keys",), input_axes={"x": ("keys",)}, probes=(probe,))
    task = replace(task, examined=examine(task, shares, {}))
    reaches = [item for item in told(lambda x: (x - x.max()).exp(), task) if isinstance(item, Reaches)]
    assert reaches == []


def test_what_real_numbers_decided_once_is_no_rule():
    task = made(lambda x, shift: past(x, shift) > 2.5, numbers(2, 4, 3))
    assert task.examined.influences
    assert without_decisions(task, task.examined).influences == ()
    assert without_decisions(TASK, TASK.examined) == TASK.examined


def test_of_a_decision_no_influence_is_told():
    task = made(lambda x, shift: past(x, shift) > 2.5, numbers(2, 4, 3))
    looks_ahead = told(lambda x, shift: past(x.flip(1), shift) > 2.5, task)
    assert not any(isinstance(fact, Reaches) for fact in looks_ahead)
