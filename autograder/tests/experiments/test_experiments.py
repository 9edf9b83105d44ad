"""Experiments on answers that people really write: the right ones come out alike, the wrong ones do not.

Each way below takes a path of its own through an experiment. Hundreds more are tried in tests/mutants, by
what a learner is told of them.
"""

from __future__ import annotations

import dataclasses
import functools
import random

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from autograder.experiments.base import Subject
from autograder.experiments.dropout import MEASURES
from autograder.experiments.other_device import MIXES, RETURNS, STAYS
from autograder.experiments.registry import EXPERIMENTS
from autograder.probe.collect_evidence import call, call_class, call_module
from autograder.records.bank import Made, Probe, Specimen
from autograder.records.tensor_comparison import all_close, close
from torch import nn

INF = torch.inf


def numbers(*shape, seed=5, scale=1.0):
    return scale * torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


class Attention(nn.Module):
    """Causal attention in small steps, so that a variant replaces one of them."""

    def __init__(self, d_in, d_out, context_length, dropout=0.0):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.set_up(context_length)

    def set_up(self, size):
        self.register_buffer("mask", torch.ones(size, size).triu(1))

    def qkv(self, x):
        return self.W_query(x), self.W_key(x), self.W_value(x)

    def hide(self, s):
        return s.masked_fill(self.mask.bool()[: s.shape[-1], : s.shape[-1]], -INF)

    def normalise(self, s):
        return torch.softmax(s / self.d_out**0.5, dim=-1)

    def drop(self, w):
        return self.dropout(w)

    def forward(self, x):
        q, k, v = self.qkv(x)
        return self.drop(self.normalise(self.hide(q @ k.mT))) @ v


def variant(base=Attention, **methods):
    return type("Answer", (base,), methods)


def upper(s, diagonal=1, **where):
    """True above the diagonal of scores."""
    return torch.ones(s.shape[-1], s.shape[-1], **where).triu(diagonal).bool()


def first(action):
    """Does something with the input and then attends."""
    return variant(forward=lambda self, x: [action(x), Attention.forward(self, x)][1])


def probe_of(answer, x, construct, observe, settings=None, weights=None, seed=123, **fields):
    """A probe that gives an answer the weights that it draws itself."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = answer(*construct.values())
    drawn = {name: parameter.detach().clone() for name, parameter in module.named_parameters()}
    asked = {"observe": observe, "settings": settings or {}, "construct": construct}
    return Probe("tried", "six tokens", {"x": x}, weights=drawn | (weights or {}), **asked, **fields)


def asked(answer, observe, inputs, **settings):
    """What a function does in an experiment."""
    return call(answer, Probe("p", "", inputs, observe=observe, settings=settings))


SETTINGS = {
    "influence": {"input": "x", "axis": 1},
    "permuted": {"input": "x", "axis": 1},
    "dropout": {"p": 0.2, "copies": 2},
    "other-device": {},
    "gradient": {"input": "x"},
    "gradients": {"input": "x"},
    "costs": {"numbers": 100},
    "steps": {"axis": 1, "sizes": [4, 2]},
    "buffers": {"names": ["mask", "positions"], "sizes": [[6, 6], [6]]},  # as the solution's
    "second-call": {"input": "x", "axis": 1, "size": 4},
    "mode": {"input": "x", "given": ["eval"]},
    "start-values": {"names": ["W_query.weight", "W_value.weight"]},
}


def in_use(observe, answer, drawn_by=Attention, **settings):
    """What a module does in an experiment on two sentences of six tokens."""
    construct = {"d_in": 3, "d_out": 4, "context_length": 6, "dropout": 0.2}
    asks = {**SETTINGS[observe], **settings}
    probe = probe_of(drawn_by, numbers(2, 6, 3), construct, observe, asks)
    return call_module(answer, dataclasses.replace(probe, train=observe == "dropout"))


# What modules do


def alone(size):
    return torch.eye(size, dtype=torch.bool).tolist()


def causal(size):
    return torch.ones(size, size, dtype=torch.bool).tril().tolist()


def less_the_largest_of_all(self, s):
    e = torch.exp((s - s.max()) / self.d_out**0.5)
    return e / e.sum(dim=-1, keepdim=True)


def fused(self, x):
    return F.scaled_dot_product_attention(*self.qkv(x), is_causal=True)


def hiding(hide, set_up=Attention.set_up):
    return variant(hide=hide, set_up=set_up)


def plain_mask(self, size):
    self.mask = torch.ones(size, size).triu(1).bool()


def remade(self, s):
    """Makes its mask again where it does not fit the scores."""
    if self.mask.device != s.device:
        self.mask = torch.ones(s.shape[-1], s.shape[-1], device=s.device).triu(1)
    return s.masked_fill(self.mask.bool(), -INF)


def filling(**where):
    """Puts the result, token by token, into zeros that were made first."""

    def forward(self, x):
        result = Attention.forward(self, x)
        out = torch.zeros(*result.shape, **({"device": x.device} | where))
        for token in range(x.shape[1]):
            out[:, token] = result[:, token]
        return out

    return variant(forward=forward)


def looked_up(ids):
    """Adds a position that a table picks; either the table or the numbers that pick are on the CPU."""

    class Table(Attention):
        def set_up(self, size):
            super().set_up(size)
            self.register_buffer("table", torch.zeros(size, 3))
            self.plain = torch.zeros(size, 3)

        def forward(self, x):
            picks = torch.arange(x.shape[1], device="cpu" if ids == "cpu" else x.device)
            return super().forward(x + (self.table if ids == "cpu" else self.plain)[picks])

    return Table


def empty_rows_filled(self, x):
    """Attention in which the first query may look at nothing: the nan is replaced afterwards."""
    q, k, v = self.qkv(x)
    w = torch.softmax(q @ k.mT + torch.zeros(6, 6).masked_fill(upper(x @ x.mT, 0), -INF), dim=-1)
    return w.nan_to_num(0.0) @ v


def registered_later(self, size):
    self.register_buffer("mask", None)
    self.mask = torch.ones(size, size).triu(1)
    self.register_buffer("positions", torch.zeros(1, size, 1))


def other_sizes(self, size):
    self.register_buffer("mask", torch.ones(size + 3, size + 3).triu(1))
    self.register_buffer("positions", torch.zeros(()))


def not_saved(self, size):
    self.register_buffer("mask", torch.ones(size, size).triu(1), persistent=False)


no_mask = variant(hide=lambda self, s: s)
ALL, NONE = [True] * 6, [False] * 6
# What is asked, of which answer, and what is written down.
MODULES = {
    "a float buffer": ("influence", Attention, causal(6)),
    "exponentials less the largest of all": (
        "influence", variant(normalise=less_the_largest_of_all), causal(6)),
    "fused": ("influence", variant(forward=fused), causal(6)),
    "no mask": ("influence", no_mask, [ALL] * 6),
    "every token alone": ("influence", variant(forward=lambda self, x: self.W_value(x)), alone(6)),
    "a batch apart": ("influence", Attention, alone(2), {"axis": 0}),
    "the first of the batch for all": (
        "influence",
        variant(forward=lambda self, x: Attention.forward(self, x[:1]).expand(x.shape[0], -1, -1)),
        [[True, False], [True, False]], {"axis": 0}),
    "no order": ("permuted", no_mask, NONE),
    "no order, and nan": ("permuted", variant(forward=lambda self, x: self.W_value(x) * torch.nan), NONE),
    "the first token for all": (
        "permuted", variant(forward=lambda self, x: self.W_value(x[:, :1]).expand(-1, 6, -1)), ALL),
    "where with a single number": ("other-device", hiding(
        lambda self, s: torch.where(torch.ones_like(s).tril() == 1, s, torch.tensor(-INF))), STAYS),
    "filled in token by token": ("other-device", filling(), STAYS),
    "filled from the CPU": ("other-device", hiding(
        lambda self, s: torch.ones_like(s).copy_(torch.zeros(6, 6)) + Attention.hide(self, s)), STAYS),
    "a table of the device, looked up from the CPU": ("other-device", looked_up("cpu"), STAYS),
    "the type of the scores": (
        "other-device", hiding(lambda self, s: s + torch.full((6, 6), -INF).triu(1).type_as(s)), STAYS),
    "moved, kept, and used twice": ("other-device", hiding(
        lambda self, s: setattr(self, "mask", self.mask.to(s.device)) or s.masked_fill(self.mask, -INF),
        plain_mask), STAYS),
    "a plain tensor": ("other-device", variant(set_up=plain_mask), MIXES),
    "moved and not kept": ("other-device", hiding(
        lambda self, s: [self.mask.to(s.device), s.masked_fill(self.mask, -INF)][1], plain_mask), MIXES),
    "made where a plain tensor is": ("other-device", hiding(
        lambda self, s: s.masked_fill(upper(s, device=self.mask.device), -INF), plain_mask), MIXES),
    "a number of the device with the CPU": ("other-device", variant(
        forward=lambda self, x: Attention.forward(self, x) * 0 + x.mean() * torch.ones(6, 4)), MIXES),
    "a table on the CPU, looked up": ("other-device", looked_up("device"), MIXES),
    "cpu() first": (
        "other-device", variant(forward=lambda self, x: Attention.forward(self, x.cpu())), RETURNS),
    "to where the mask is": ("other-device", hiding(
        lambda self, s: s.to(self.mask.device).masked_fill(self.mask, -INF), plain_mask), RETURNS),
    "the type of a plain tensor": ("other-device", hiding(
        lambda self, s: Attention.hide(self, s.type_as(torch.ones(2)))), RETURNS),
    "zeros on the CPU filled in": ("other-device", filling(device="cpu"), RETURNS),
    "a gradient that arrives": ("gradient", Attention, [True, True]),
    "no_grad": ("gradient", variant(forward=torch.no_grad()(Attention.forward)), [False, False]),
    "empty rows filled": ("gradient", variant(forward=empty_rows_filled), [True, False]),
    "registered and then assigned, axes of size 1": ("buffers", variant(set_up=registered_later), [1, 1]),
    "of another size": ("buffers", variant(set_up=other_sizes), [2, 2]),
    "only one": ("buffers", Attention, [1, 0]),
    "not saved": ("buffers", variant(set_up=not_saved), [0, 0]),
}  # fmt: skip
NOT_YET = {
    "the word cpu that the input's device gives is any other word cpu": hiding(
        lambda self, s: s.masked_fill(upper(s, device=s.device.type), -INF)
    ),
    "all devices here are the CPU, and the plain mask is there already": hiding(remade, plain_mask),
}


@pytest.mark.parametrize("way", MODULES)
def test_what_a_module_does_is_written_down(way):
    observe, answer, expected, *settings = MODULES[way]
    outcome = in_use(observe, answer, **(settings[0] if settings else {}))
    assert (outcome.error, outcome.changed_inputs) == (None, ())
    assert outcome.tensor.tolist() == expected


@pytest.mark.parametrize(
    "answer",
    [pytest.param(way, marks=pytest.mark.xfail(strict=True, reason=why)) for why, way in NOT_YET.items()],
)
def test_what_is_not_seen_yet_of_devices(answer):
    assert in_use("other-device", answer).tensor.item() == STAYS


@pytest.mark.parametrize("way", ["exponentials less the largest of all", "fused"])
def test_rounding_is_no_influence_where_scores_are_large(way):
    answer, construct = MODULES[way][1], {"d_in": 16, "d_out": 16, "context_length": 8}
    for seed in range(3):
        x = numbers(2, 8, 16, seed=seed, scale=6.0)
        probe = probe_of(answer, x, construct, "influence", SETTINGS["influence"], seed=seed)
        assert not (call_module(answer, probe).tensor & ~torch.tensor(causal(8))).any()


def test_an_answer_works_on_as_before_while_it_is_watched():
    """A tensor that is moved is the same numbers, and gradients go through it."""
    x = numbers(2, 3).requires_grad_()
    saved = []

    def answer(x):
        y = torch.ones(2, 3, requires_grad=True)
        saved.append((x, y))
        return (x * y.to(x.device)).sum()

    with torch.enable_grad():
        subject = Subject(lambda inputs: answer(**inputs).backward(), {"x": x})
        assert EXPERIMENTS["other-device"].run(subject, {}).item() == STAYS
    assert torch.equal(saved[0][1].grad, x)


@pytest.mark.parametrize(
    "model",
    [Specimen("mixing", {"weights": torch.eye(3)}), Made("Layer", {"d_in": 2, "d_out": 4}, {})],
    ids=["a specimen", "the learner's own class"],
)
def test_a_module_that_a_function_is_given_is_on_the_device_as_well(model):
    if isinstance(model, Made):
        model = dataclasses.replace(model, weights=dict(nn.Linear(2, 4).state_dict()))
    probe = Probe("p", "", {"model": model, "x": numbers(3, 2)}, observe="other-device")
    namespace = {"Layer": nn.Linear}
    assert call(lambda model, x: model(x), probe, namespace).tensor.item() == STAYS
    assert call(lambda model, x: model(torch.zeros(3, 2)) + x.sum(), probe, namespace).tensor.item() == MIXES


# What functions do


class Doubling(torch.autograd.Function):
    """Twice its input, and a way back that a variant gets wrong."""

    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, ahead):
        return 2 * ahead


class IgnoresWhatArrives(Doubling):
    @staticmethod
    def backward(ctx, ahead):
        return torch.full_like(ahead, 2.0)


class Wasteful(Doubling):
    @staticmethod
    def backward(ctx, ahead):
        return 2 * ahead + ahead[:, None].expand(6, 6).clone().sum(1)


def cross(x, source):
    """Three tokens that ask, five that are heard, of which the last is hidden."""
    s = (x @ source.mT).masked_fill(torch.tensor([0.0, 0, 0, 0, 1]) == 1, -INF)
    return torch.softmax(s, dim=-1) @ source


def in_pieces(x, y):
    return torch.cat([x[:, :4] @ y[:4] + x[:, 4:] @ y[4:]])


FOUR, PAIR = {"x": numbers(4, 3)}, {"x": numbers(2, 8), "y": numbers(8, 3, seed=6)}
BOTH = {"x": numbers(3, 2), "y": numbers(3, 2, seed=6)}
FIRST = {"input": "x", "axis": 0}
MOST = {"numbers": 40, "products": 48}
RAMP = torch.linspace(-1, 2, 6)
MEMORY = torch.empty(4, 3)
FUNCTIONS = {
    "small numbers": ("influence", lambda x: 1e-2 * x.cumsum(0), FOUR, FIRST, causal(4)),
    "large numbers": (
        "influence", lambda x: 1e3 * x.cumsum(0), {"x": numbers(4, 3).double()}, FIRST, causal(4)),
    "nan before and after": ("influence", lambda x: x * torch.nan, FOUR, FIRST, [[False] * 4] * 4),
    "infinite before and after": ("influence", lambda x: x + INF, FOUR, FIRST, [[False] * 4] * 4),
    "of whole numbers": ("influence", lambda x: numbers(9, 2)[x].cumsum(0),
                         {"x": torch.tensor([3, 1, 4, 1, 5, 2])}, FIRST, causal(6)),
    "more slices than outputs": (
        "influence", cross, {"x": numbers(2, 3, 4), "source": numbers(2, 5, 4, seed=6)},
        {"input": "source", "axis": -2}, [[True] * 4 + [False]] * 3),
    "fewer outputs than slices": ("influence", lambda x: x[2:], FOUR, FIRST,
                                  [[False, False, True, False], [False, False, False, True]]),
    "of a mask": ("influence", lambda x, hidden: x.masked_fill(hidden[:, None], 0),
                  {"x": numbers(3, 2), "hidden": torch.tensor([False, True, False])},
                  {"input": "hidden", "axis": 0}, alone(3)),
    "into one memory": ("influence", lambda x: torch.cumsum(x, 0, out=MEMORY), FOUR, FIRST, causal(4)),
    "the mean added": ("permuted", lambda x: x + x.mean(0), FOUR, FIRST, [False] * 4),
    "through numpy": (
        "other-device", lambda x: torch.from_numpy(np.tril(x.numpy())), {"x": numbers(6, 6)}, {}, RETURNS),
    "through an array": (
        "other-device", lambda x: torch.from_numpy(np.tril(np.array(x))), {"x": numbers(6, 6)}, {}, RETURNS),
    "product": ("costs", lambda x, y: x @ y, PAIR, MOST, [0.0] * 6),
    "product in pieces": ("costs", in_pieces, PAIR, MOST, [0.0] * 6),
    "a large view": ("costs", lambda x, y: x.expand(9, 2, 8)[0] @ y, PAIR, MOST, [0.0] * 6),
    "in place": ("costs", lambda x, y: (x.clone().mul_(1) @ y).clone(), PAIR, MOST, [0.0] * 6),
    "all products at once": (
        "costs", lambda x, y: (x[:, :, None] * y).sum(1), PAIR, MOST, [48.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    "three times": ("costs", lambda x, y: torch.einsum("ij,jk->ik", torch.cat((x, x, x)), y)[:2], PAIR, MOST,
                    [48.0, 144.0, 0.0, 0.0, 0.0, 0.0]),
    "twice": ("costs", lambda x, y: x @ y + x @ y, PAIR, MOST, [0.0, 96.0, 0.0, 0.0, 0.0, 0.0]),
    "more products than asked for": (
        "costs", in_pieces, PAIR, {**MOST, "calls": 1}, [0.0, 0.0, 2.0] + [0.0] * 3),
    "more operations than asked for": (
        "costs", lambda x, y: x @ y + x @ y, PAIR, {"operations": 2}, [0.0] * 3 + [3.0, 0.0, 0.0]),
    "the inputs themselves": ("costs", torch.sum, {"x": numbers(100)}, {"numbers": 1}, [0.0] * 6),
    "a vector's products": (
        "costs", lambda x: x[:5] @ x[:5], {"x": numbers(6)}, {"numbers": 30, "products": 0},
        [0.0, 5.0, 0.0, 0.0, 0.0, 0.0]),
    "the way back, not asked for": (
        "costs", Wasteful.apply, {"x": numbers(6)}, {"numbers": 30}, [0.0] * 6),
    "the way back": (
        "costs", Wasteful.apply, {"x": numbers(6)}, {"numbers": 30, "input": "x"}, [36.0] + [0.0] * 5),
    "kept together": (
        "costs", lambda x: sum([x + 1, x + 2, x]), {"x": numbers(6)}, {"alive": 18}, [0.0] * 4 + [24.0, 0.0]),
    "let go": ("costs", lambda x: (((x + 1) * 2) * 3) * 4, {"x": numbers(6)}, {"alive": 18}, [0.0] * 6),
    "a tensor made in NumPy": (
        "costs", lambda x: torch.from_numpy(np.exp(x.numpy())), {"x": numbers(6)}, {}, [0.0] * 5 + [6.0]),
    "an array of a tensor": (
        "costs", lambda x: x + np.asarray(x).max(), {"x": numbers(6)}, {}, [0.0] * 5 + [6.0]),
    "a list of a tensor": (
        "costs", lambda x: torch.tensor(x.tolist()), {"x": numbers(6)}, {}, [0.0] * 5 + [6.0]),
    "a list of indices": (
        "costs", lambda x: torch.tensor(x.argsort().tolist()), {"x": numbers(6)}, {}, [0.0] * 6),
    "a single number": ("costs", lambda x: x * float(x.max()), {"x": numbers(6)}, {}, [0.0] * 6),
}  # fmt: skip


@pytest.mark.parametrize("way", FUNCTIONS)
def test_what_a_function_does_is_written_down(way):
    observe, answer, inputs, settings, expected = FUNCTIONS[way]
    outcome = asked(answer, observe, inputs, **settings)
    assert outcome.error is None
    assert outcome.tensor.tolist() == expected


@pytest.mark.parametrize(
    ("way", "right"),
    [
        (lambda x, y: Doubling.apply(x) + y, True),
        (lambda x, y: IgnoresWhatArrives.apply(x) + y, False),
        (lambda x, y: 2 * x.detach() + y, False),
        (lambda x, y: (2 * x + y).detach(), False),
    ],
    ids=["by hand", "ignores what arrives", "cut for one input", "cut for both"],
)
def test_gradients_are_told_with_their_numbers(way, right):
    outcome = asked(way, "gradients", BOTH, input=["x", "y"])
    assert all_close(outcome.tensor, torch.cat((2 * RAMP, RAMP))) == right


@pytest.mark.parametrize("size", [2, 5])
@pytest.mark.parametrize("special", [0, -1])
def test_a_place_that_counts_for_more_is_noticed_whatever_the_size(size, special):
    assert asked(lambda x: x + x[special], "permuted", {"x": numbers(size, 3)}, **FIRST).tensor.all()


def test_several_inputs_are_put_into_the_same_order():
    inputs = {"keys": numbers(5, 3), "values": numbers(5, 2, seed=6), "query": numbers(3, seed=7)}
    given = []

    def answer(keys, values, query):
        given.append((keys, values, query))
        return values

    outcome = asked(answer, "permuted", inputs, input=["keys", "values"], axis=0)
    assert outcome.tensor.tolist() == [False] * 5
    keys, values, query = given[1]
    assert torch.equal(query, inputs["query"])
    actual = [(inputs["keys"] == key).all(dim=1).nonzero().item() for key in keys]
    assert actual != list(range(5))
    assert torch.equal(inputs["values"][actual], values)


# Dropout


@functools.cache
def dropped(answer, p=0.2, tokens=6, copies=2, batch=1, dtype="float32", seed=0):
    """What a module does in training mode where every output is one attention weight."""
    construct = {"d_in": tokens, "d_out": tokens * copies, "context_length": tokens, "dropout": p}
    probe = probe_of(
        Attention,
        torch.eye(tokens).repeat(batch, 1, 1),
        construct,
        "dropout",
        {"p": p, "copies": copies},
        {"W_value.weight": torch.eye(tokens).repeat(copies, 1)},
        train=True,
        dtype=dtype,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograder.probe.collect_evidence.PROBE_SEED", seed)
        return call_module(answer, probe)


def measured(answer, **fields):
    outcome = dropped(answer, **fields)
    assert outcome.error is None
    return dict(zip(MEASURES, outcome.tensor.tolist(), strict=True))


def first_difference(answer, **fields):
    """The first measure that differs from the right one, or nothing."""
    expected, actual = dropped(Attention, **fields).tensor, dropped(answer, **fields).tensor
    return next((MEASURES[i] for i, same in enumerate(close(actual, expected)) if not same), "")


def dropping(drop):
    return variant(drop=drop)


def in_training(drop):
    return variant(drop=lambda self, w: drop(w, self.dropout.p) if self.training else w)


DROPS = {
    "nn.Dropout": Attention,
    "rand by hand": in_training(lambda w, p: w * (torch.rand_like(w) >= p) / (1 - p)),
    "row by row": dropping(lambda self, w: torch.stack([torch.stack([*map(self.dropout, b)]) for b in w])),
}
OTHER_SIZE = {"p": 0.3, "tokens": 8, "batch": 2, "dtype": "float64"}


@pytest.mark.parametrize("size", [{}, OTHER_SIZE], ids=["small", "large"])
@pytest.mark.parametrize("way", DROPS)
def test_dropout_on_the_weights_written_in_any_way_measures_the_same(way, size):
    p = size.get("p", 0.2)
    *rest, total = measured(DROPS[way], **size).values()
    assert rest == pytest.approx([1, 1, 1, 1 - p, 1, 1, 1, 1, 1 / (1 - p)], abs=6e-4)
    assert total == pytest.approx(size.get("batch", 1) * size.get("tokens", 6) * 2)
    assert first_difference(DROPS[way], **size) == ""


def renormalised(self, w):
    w = self.dropout(w)
    return w / w.sum(dim=-1, keepdim=True)


def scaled_in_eval(self, w):
    p = self.dropout.p
    return w * (torch.rand_like(w) >= p) if self.training else w * (1 - p)


def shrinking(self, w):
    """Training leaves something behind that eval mode meets."""
    self.calls = getattr(self, "calls", 0) + self.training
    return self.dropout(w) * (1 - self.calls / 1000)


def on_the_context(self, x):
    q, k, v = self.qkv(x)
    return self.dropout(self.normalise(self.hide(q @ k.mT)) @ v)


FINITE, EVAL, DRAWS, SHARE, COPIES, OWN, COUNTS, EVEN, FACTOR, SIZE = MEASURES
WHOLE_QUERIES = dropping(lambda self, w: w * self.dropout(torch.ones_like(w[..., :1])))
MISTAKES = {
    "none": (dropping(lambda self, w: w), DRAWS),
    "p kept": (in_training(lambda w, p: w * (torch.rand_like(w) < p) / (1 - p)), SHARE),
    "twice": (dropping(lambda self, w: self.dropout(self.dropout(w))), SHARE),
    "on the context": (variant(forward=on_the_context), COPIES),
    "renormalised": (dropping(renormalised), FINITE),
    "unscaled": (in_training(lambda w, p: w * (torch.rand_like(w) >= p)), FACTOR),
    "scaled in eval mode instead": (dropping(scaled_in_eval), SIZE),
    "whole queries": (WHOLE_QUERIES, OWN),
    "F.dropout without training": (dropping(lambda self, w: F.dropout(w, self.dropout.p)), EVAL),
    "the weights shrink for good": (dropping(shrinking), EVAL),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_with_dropout_is_told_by_what_it_does(mistake):
    answer, measure = MISTAKES[mistake]
    assert first_difference(answer) == measure
    assert first_difference(answer, **OTHER_SIZE)


@pytest.mark.parametrize(
    ("answer", "fields", "measure", "expected"),
    [
        (WHOLE_QUERIES, {"p": 0.1}, OWN, 0),
        (Attention, {"p": 0.1, "tokens": 12, "copies": 1}, OWN, 1),
        (Attention, {"p": 0.15, "tokens": 3, "copies": 6}, SHARE, 0.85),
    ],
    ids=["dropped together", "draws of their own", "room for chance"],
)
def test_chance_never_looks_like_another_way_to_drop(answer, fields, measure, expected):
    actual = {round(measured(answer, seed=seed, **fields)[measure], 3) for seed in range(20)}
    assert actual == {expected}


def test_without_dropout_nothing_is_dropped():
    reported = measured(Attention, p=0.0)
    assert reported.pop(SIZE) == pytest.approx(12)
    assert {measure for measure, value in reported.items() if value == 0} == {DRAWS, OWN, COUNTS}
    assert {value for value in reported.values() if value != 0} == {1}


@pytest.mark.parametrize(
    "result",
    [lambda result: result.sum(), lambda result: result[..., :-1], lambda result: result * 0],
    ids=["one number", "copies that do not fit", "zeros"],
)
def test_a_result_from_which_nothing_can_be_told_is_the_outcome_itself(result):
    outcome = dropped(variant(forward=lambda self, x: result(Attention.forward(self, x))))
    assert outcome.error is None
    assert outcome.shape != (len(MEASURES),)


def test_a_result_with_nan_is_not_said_to_drop_in_eval_mode():
    def forward(self, x):
        return Attention.forward(self, x).index_fill(1, torch.tensor([0]), torch.nan)

    measures = measured(variant(forward=forward))
    assert (measures[EVAL], measures[SIZE]) == (1, pytest.approx(10))


@pytest.mark.parametrize("p", [0.36, 0.375])
def test_the_factor_is_rounded_alike_for_float32_and_float64(p):
    item, other = (measured(Attention, p=p, dtype=dtype)[FACTOR] for dtype in ("float32", "float64"))
    assert item == other


def exactly(x, p):
    """As many entries at each call as p says, and never one more or less."""
    saved = torch.ones(x.numel())
    saved[torch.randperm(x.numel())[: round(p * x.numel())]] = 0
    return x * saved.reshape(x.shape) / (1 - p)


DROPPING = {
    "rand": (lambda x, p: x * (torch.rand_like(x) > p) / (1 - p), ""),
    "an exact count": (exactly, COUNTS),
    "of infinity": (
        lambda x, p: torch.where(x > x.min(), x, -INF) * F.dropout(torch.ones_like(x), p),
        FINITE,
    ),
    "renormalised": (lambda x, p: (lambda d: d * x.sum() / d.sum())(F.dropout(x, p)), EVEN),
}


@pytest.mark.parametrize("way", DROPPING)
def test_a_function_that_drops_is_measured_against_its_input(way):
    answer, measure = DROPPING[way]
    inputs = {"x": numbers(6, 6) + 3, "p": 0.2}
    reported = [asked(entry, "dropout", inputs, p=0.2, input="x").tensor for entry in (answer, F.dropout)]
    different = (~close(*reported)).nonzero()
    assert (MEASURES[int(different[0])] if len(different) else "") == measure
    assert reported[1][-1].item() == pytest.approx(inputs["x"].abs().sum().item())


@pytest.mark.parametrize(
    ("answer", "expected"), [(F.dropout, 0), (lambda x, p: x * F.dropout(torch.ones(2), p)[0], 1)]
)
def test_a_function_is_asked_whether_its_entries_go_together(answer, expected):
    """With as many copies as entries, a right answer drops none of them together."""
    reported = asked(answer, "dropout", {"x": torch.ones(1, 7), "p": 0.7}, p=0.7, input="x", copies=7)
    assert dict(zip(MEASURES, reported.tensor.tolist(), strict=True))[COPIES] == expected


# What is called step by step, with less before, or made anew


class Kept:
    """Joins what it is given, up to six numbers."""

    def __init__(self, most):
        self.most, self.all = most, torch.zeros(0)

    def add(self, x):
        if len(self.all) + len(x) > self.most:
            raise ValueError("full")
        self.all = torch.cat((self.all, x))
        return self.all


class Overwritten(Kept):
    def add(self, x):
        self.memory = getattr(self, "memory", torch.zeros(self.most))
        self.memory[: len(x)] = x  # always the same place
        return self.memory[: len(x)]


@pytest.mark.parametrize(
    ("answer", "settings", "reported"),
    [
        (Kept, {"sizes": [2, 1, 0]}, [1, 2, 1, 2, 3, 1, 2, 3]),
        (Overwritten, {"sizes": [2, 1]}, [1, 2, 3]),
        (Kept, {"sizes": [1, 3]}, "ValueError"),
        (Kept, {"sizes": [1, 3, 1], "refuses": "ValueError"}, [1, 1, 5]),
        (Kept, {"sizes": [4, 0], "refuses": "KeyError"}, "ValueError"),
        (Kept, {"sizes": [1], "counts": "most"}, [1, 3]),
        (Kept, {"sizes": [1], "counts": "count"}, "AttributeError"),
        (Kept, {"sizes": [1, 1], "counts": "most", "room": "all"}, [1, 1, 2, 3, 2]),
        (Kept, {"sizes": [1], "room": "nowhere"}, [1, 0]),
    ],
    ids=[
        "kept",
        "overwritten later",
        "refused",
        "passed over",
        "refused otherwise",
        "counted",
        "not counted",
        "memory that grows",
        "no memory of that name",
    ],
)
def test_an_object_is_called_step_by_step_and_what_it_gave_back_before_stays_told(answer, settings, reported):
    x = torch.arange(1.0, 1 + sum(settings["sizes"]))
    probe = Probe("p", "", {"x": x}, construct={"most": 3}, observe="steps",
                  settings={"method": "add", "axis": 0, **settings})  # fmt: skip
    outcome = call_class(answer, probe)
    assert (outcome.error.type if outcome.error else outcome.tensor.tolist()) == reported


def test_an_input_is_given_as_a_list_of_pieces_of_which_none_may_be_changed():
    given = []
    probe = Probe("p", "", {"x": numbers(5, 2), "y": numbers(2)}, settings={"lists": {"x": (0, [2, 3])}})
    call(lambda x, y: given.append((x, y)) or y, probe)
    ((x, y),) = given
    assert ([len(piece) for piece in x], type(x), type(y)) == ([2, 3], list, torch.Tensor)
    assert torch.equal(torch.cat(x), numbers(5, 2))
    assert call(lambda x, y: (x[1].zero_(), y)[1], probe).changed_inputs == ("x",)


def test_an_input_can_be_given_so_that_it_is_gone_through_once():
    probe = Probe("p", "", {"x": numbers(5, 2)}, settings={"once": ["x"]})
    assert torch.equal(call(lambda x: torch.stack(list(x)), probe).tensor, numbers(5, 2))
    assert call(lambda x: x[0], probe).error.type == "TypeError"


def test_what_arrives_piece_by_piece_is_gone_when_the_next_piece_is_asked_for():
    probe = Probe("p", "", {"x": numbers(5, 2)}, settings={"arriving": ["x"]})
    used = call(lambda x: torch.stack([row + 0 for row in x]), probe).tensor
    collected = call(lambda x: torch.stack(list(x)), probe).tensor
    assert torch.equal(used, numbers(5, 2))
    assert not collected.any()


@pytest.mark.parametrize(("mode", "training"), [("", False), ("training", True), ("as left", True)])
def test_a_module_that_comes_back_is_used_in_the_mode_that_is_asked_for(mode, training):
    result = nn.Dropout(1.0)
    probe = Probe("p", "", {}, then={"x": torch.ones(3)}, settings={"mode": mode} if mode else {})
    assert call(lambda: result, probe).tensor.tolist() == [0.0 if training else 1.0] * 3


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        *((lambda x: x.eval(), [False, False]), (lambda x: x.train(), [True, True])),
        *((lambda x: x, [False, True]), (lambda x: x[0].train(), [True, True])),
    ],
    ids=["eval", "training", "as it is", "a part"],
)
def test_the_mode_that_a_module_is_left_in_is_told(answer, left):
    result = nn.Sequential(nn.Dropout())
    subject = Subject(lambda inputs: answer(inputs["x"]), {"x": result})
    actual = EXPERIMENTS["mode"].run(subject, {"input": "x", "given": ["eval", "training"]})
    assert actual.tolist() == left


class Caching(Attention):
    """Keeps the size of the first sentence that it sees."""

    def forward(self, x):
        self.first = getattr(self, "first", x.shape[1])
        return super().forward(x) * self.first


@pytest.mark.parametrize(("answer", "same"), [(Attention, True), (Caching, False)])
def test_what_is_kept_of_a_shorter_sentence_shows_in_the_next(answer, same):
    short, whole = (in_use("second-call", answer, size=size).tensor for size in (3, 6))
    assert all_close(short, whole) == same


class Random(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.one = nn.Parameter(self.draw(d_in, d_out))
        self.other = nn.Parameter(self.draw(d_in, d_out))

    def draw(self, *size):
        return torch.rand(*size)

    def forward(self, x):
        return x @ self.one + x @ self.other


class OwnSeeded(Random):
    def __init__(self, d_in, d_out):
        torch.manual_seed(5)
        super().__init__(d_in, d_out)


@pytest.mark.parametrize(
    ("answer", "settings", "reported"),
    [
        (Random, {}, [[1.0, 1.0]] * 2),
        (Random, {"range": True}, [[1.0, 1.0, 0.0, 0.5, 1.0]] * 2),
        (OwnSeeded, {}, [[0.0, 1.0]] * 2),
        (variant(Random, draw=lambda self, *size: torch.zeros(*size)), {}, [[0.0, 1.0], [0.0, 0.0]]),
    ],
    ids=["drawn", "drawn in a range", "a seed inside", "not drawn, and alike"],
)
def test_start_values_are_told_by_whether_they_are_drawn_and_by_their_range(answer, settings, reported):
    weights = {"one": numbers(4, 300), "other": numbers(4, 300) + 1}
    probe = Probe("p", "", {"x": numbers(2, 4)}, construct={"d_in": 4, "d_out": 300},
                  weights=weights, observe="start-values",
                  settings={"names": list(weights), **settings})  # fmt: skip
    assert call_module(answer, probe).tensor.tolist() == reported


# All experiments alike

CALLING = [observe for observe in SETTINGS if observe not in ("buffers", "start-values")]


def test_every_experiment_is_tried_here():
    assert set(SETTINGS) == set(EXPERIMENTS) - {"result"}


@pytest.mark.parametrize("observe", SETTINGS)
def test_the_same_answer_yields_the_same_again_and_random_numbers_go_on_as_before(observe):
    torch.manual_seed(3)
    before = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()
    item, other = (in_use(observe, Attention).tensor for _ in range(2))
    assert torch.equal(item, other)
    assert torch.equal(before[0], torch.get_rng_state())
    assert before[1:] == (random.getstate(), np.random.get_state()[1].tolist())


def raising(error, at=1):
    class Raises(Attention):
        calls = 0

        def forward(self, x):
            self.calls += 1
            if self.calls == at:
                raise error("no")
            return super().forward(x)

    return Raises


@pytest.mark.parametrize("observe", CALLING)
def test_what_an_answer_raises_in_an_experiment_is_its_outcome(observe):
    for error in (ValueError, SystemExit):
        actual = in_use(observe, raising(error)).error
        assert (actual.type, actual.line) == (error.__name__, 'raise error("no")')
    with pytest.raises(KeyboardInterrupt):
        in_use(observe, raising(KeyboardInterrupt))


@pytest.mark.parametrize("observe", ["influence", "permuted", "dropout", "second-call"])
def test_what_an_answer_raises_in_a_later_call_is_its_outcome(observe):
    assert in_use(observe, raising(ValueError, at=2)).error.message == "no"


@pytest.mark.parametrize("observe", CALLING)
@pytest.mark.parametrize("value", [None, 5, (2.0, torch.ones(1))], ids=str)
def test_what_is_no_tensor_is_the_outcome_itself(observe, value):
    outcome = in_use(observe, variant(forward=lambda self, x: value))
    assert outcome.error is None
    assert observe == "other-device" or outcome.type_name in (type(value).__name__, "float")


@pytest.mark.parametrize("value", [torch.tensor([1, 2]), torch.tensor(True)], ids=str)
def test_what_has_no_gradient_at_all_is_the_outcome_itself(value):
    assert asked(lambda x: value, "gradient", {"x": numbers(2)}, input="x").shape == value.shape


@pytest.mark.parametrize("observe", ["influence", "permuted"])
def test_a_result_whose_size_changes_from_call_to_call_raises_nothing(observe):
    calls = []

    def changing(x):
        calls.append(1)
        return x[: 5 - len(calls)]

    assert asked(changing, observe, FOUR, **FIRST).error is None


def test_a_result_that_is_no_tensor_in_the_last_call_is_the_outcome_itself():
    class Forgets(Attention):
        evals = 0

        def forward(self, x):
            self.evals += not self.training
            return None if self.evals == 2 else super().forward(x)

    assert in_use("dropout", Forgets).error is None


def test_every_call_of_an_experiment_gets_inputs_of_its_own():
    given, x = [], numbers(4, 3)
    outcome = asked(lambda x: given.append(x.clone()) or x.zero_(), "influence", {"x": x}, **FIRST)
    assert torch.equal(given[0], x)
    assert [(item != x).any(1).nonzero().flatten().tolist() for item in given[1:]] == [[0], [1], [2], [3]]
    assert outcome.changed_inputs == ("x",)


@pytest.mark.parametrize("observe", ["influence", "permuted"])
def test_an_input_that_only_a_later_call_overwrites_is_told_too(observe):
    calls = []

    def later(x):
        calls.append(1)
        return x + 0 if len(calls) == 1 else x.add_(1)

    assert asked(later, observe, FOUR, **FIRST).changed_inputs == ("x",)


@pytest.mark.parametrize(
    ("observe", "most"),
    [("influence", 7), ("permuted", 2), ("dropout", 259), ("other-device", 1), ("gradient", 1)],
)
def test_an_experiment_calls_an_answer_quietly_and_a_bounded_number_of_times(observe, most, capsys):
    calls = []
    in_use(observe, first(lambda x: calls.append(print("here"))))
    assert 1 <= len(calls) <= most
    assert capsys.readouterr() == ("", "")
