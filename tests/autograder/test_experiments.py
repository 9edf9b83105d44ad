"""Experiments on answers that people really write: the right ones come out alike, the wrong ones do not."""

from __future__ import annotations

import dataclasses
import functools
import random

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from autograder.bank import Made, Probe, Specimen
from autograder.collect import call, call_class, call_module
from autograder.compare import all_close, close
from autograder.experiments import EXPERIMENTS, MEASURES, Subject, influence
from autograder.outcome import Outcome

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


def probe_of(answer, x, construct, observe, settings=None, weights=None, seed=123, **fields):
    """A probe that gives an answer the weights that it draws itself."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = answer(*construct.values())
    drawn = {name: parameter.detach().clone() for name, parameter in module.named_parameters()}
    return Probe(
        "tried",
        "six tokens",
        {"x": x},
        Outcome(),
        construct=construct,
        weights=drawn | (weights or {}),
        observe=observe,
        settings=settings or {},
        **fields,
    )


# Influence: causality and batches

SIZES = {
    "small": ((2, 6, 3), {"d_in": 3, "d_out": 2, "context_length": 6}),
    "longer mask": ((3, 4, 5), {"d_in": 5, "d_out": 8, "context_length": 9}),
    "many numbers": ((2, 8, 16), {"d_in": 16, "d_out": 16, "context_length": 8}),
}


def influences(answer, axis, size="small", dtype="float32", **construct):
    shape, given = SIZES[size]
    settings = {"input": "x", "axis": axis}
    probe = probe_of(answer, numbers(*shape), {**given, **construct}, "influence", settings, dtype=dtype)
    return call_module(answer, probe)


def alone(size):
    return torch.eye(size, dtype=torch.bool)


def causal(size):
    return torch.ones(size, size, dtype=torch.bool).tril()


def by_hand(largest):
    def normalise(self, s):
        s = s / self.d_out**0.5
        e = torch.exp(s - largest(s))
        return e / e.sum(dim=-1, keepdim=True)

    return normalise


def fused(self, x):
    return F.scaled_dot_product_attention(*self.qkv(x), is_causal=True)


class Heads(Attention):
    """Multi-head attention by view and transpose, with an output projection."""

    def __init__(self, d_in, d_out, context_length, dropout=0.0, heads=2):
        super().__init__(d_in, d_out, context_length, dropout)
        self.heads = heads
        self.out_proj = nn.Linear(d_out, d_out)

    def split(self, t):
        return t.view(*t.shape[:2], self.heads, -1).transpose(1, 2)

    def join(self, context):
        return context.transpose(1, 2).reshape(context.shape[0], context.shape[2], -1)

    def forward(self, x):
        q, k, v = (self.split(t) for t in self.qkv(x))
        w = self.drop(self.normalise(self.hide(q @ k.mT)))
        return self.out_proj(self.join(w @ v))


class Stacked(nn.Module):
    """Multi-head attention as a list of single heads."""

    def __init__(self, d_in, d_out, context_length, dropout=0.0):
        super().__init__()
        self.heads = nn.ModuleList(Attention(d_in, d_out, context_length, dropout) for _ in range(3))

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


CAUSAL = {
    "a float buffer": Attention,
    "in place": variant(hide=lambda self, s: s.masked_fill_(upper(s), -INF)),
    "exponentials less the largest of all": variant(normalise=by_hand(lambda s: s.max())),
    "fused": variant(forward=fused),
    "two heads with a bool mask": variant(Heads, hide=lambda self, s: s.masked_fill(upper(s), -INF)),
    "a list of heads": Stacked,
    "dropout that eval mode turns off": variant(drop=lambda self, w: F.dropout(w, 0.5, self.training)),
}


@pytest.mark.parametrize(
    ("size", "dtype"), [("small", "float32"), ("longer mask", "float32"), ("many numbers", "float64")]
)
@pytest.mark.parametrize("way", CAUSAL)
def test_causal_attention_written_in_any_way_lets_no_later_token_and_no_other_batch_in(way, size, dtype):
    (b, tokens, _), _ = SIZES[size]
    outcome = influences(CAUSAL[way], 1, size, dtype)
    assert outcome.error is None
    assert torch.equal(outcome.tensor, causal(tokens))
    assert torch.equal(influences(CAUSAL[way], 0, size, dtype).tensor, alone(b))


LEAKS = {
    "no mask": variant(hide=lambda self, s: s),
    "the own token hidden": variant(hide=lambda self, s: s.masked_fill(upper(s, 0), -1e9)),
    "scores set to -10": variant(hide=lambda self, s: s.masked_fill(upper(s), -10.0)),
    "every token alone": variant(forward=lambda self, x: self.W_value(x)),
}


@pytest.mark.parametrize("size", ["small", "many numbers"])
@pytest.mark.parametrize("way", LEAKS)
def test_attention_that_is_not_causal_does_not_look_causal(way, size):
    (_, tokens, _), _ = SIZES[size]
    assert not torch.equal(influences(LEAKS[way], 1, size).tensor, causal(tokens))


def one_long_sequence(self, x):
    q, k, v = (t.flatten(0, 1) for t in self.qkv(x))
    s = (q @ k.mT)[None]
    return (self.normalise(s.masked_fill(upper(s), -INF)) @ v).view(*x.shape[:2], -1)


MIXED = {
    "the batch as one long sequence": variant(forward=one_long_sequence),
    "the first of the batch for all": variant(
        forward=lambda self, x: Attention.forward(self, x[:1]).expand(x.shape[0], -1, -1)
    ),
}


@pytest.mark.parametrize("way", MIXED)
def test_attention_that_mixes_the_batch_does_not_look_separate(way):
    assert not torch.equal(influences(MIXED[way], 0).tensor, alone(2))


def test_where_an_output_depends_on_what_is_told_by_row_and_column():
    subject = Subject(lambda inputs: inputs["x"] @ torch.tensor([[1.0, 0, 0], [1, 1, 0], [0, 0, 0]]), {})
    seen = influence(dataclasses.replace(subject, inputs={"x": torch.rand(2, 3)}), {"input": "x", "axis": -1})
    assert seen.tolist() == [[True, True, False], [False, True, False], [False, False, False]]


@pytest.mark.parametrize(
    "answer",
    [lambda x: x * torch.nan, lambda x: x + torch.inf, lambda x: torch.full_like(x, -torch.inf)],
    ids=["nan", "inf", "-inf"],
)
def test_what_is_not_finite_before_and_after_has_not_changed(answer):
    probe = Probe("p", "", {"x": numbers(4, 3)}, Outcome(), observe="influence")
    probe = dataclasses.replace(probe, settings={"input": "x", "axis": 0})
    assert not call(answer, probe).tensor.any()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (lambda x: None, "NoneType"),
        (lambda x: [1.0], "list"),
        (lambda x: (2.0, x), "float"),
        (lambda x: 2.0, "float"),
        (lambda x: x.numpy(), "numpy.ndarray"),
    ],
)
@pytest.mark.parametrize("observe", ["influence", "permuted", "dropout"])
def test_what_is_no_tensor_is_the_outcome_itself(observe, answer, kind):
    settings = {"input": "x", "axis": 0, "p": 0.2}
    outcome = call(
        answer, Probe("p", "", {"x": numbers(4, 3)}, Outcome(), observe=observe, settings=settings)
    )
    assert (outcome.error, outcome.type_name) == (None, kind)


@pytest.mark.parametrize("observe", ["influence", "permuted", "dropout"])
def test_a_result_of_another_size_is_the_outcome_itself(observe):
    settings = {"input": "x", "axis": 0, "p": 0.2}
    probe = Probe("p", "", {"x": numbers(4, 3)}, Outcome(), observe=observe, settings=settings)
    # Each of three outputs can be asked about each of four slices.
    assert call(lambda x: x[1:], probe).shape == ((3, 4) if observe == "influence" else (3, 3))
    assert call(lambda x: x.sum(), probe).shape == ()


@pytest.mark.parametrize("observe", ["influence", "permuted"])
def test_a_result_whose_size_changes_from_call_to_call_raises_nothing(observe):
    calls = []

    def shrinking(x):
        calls.append(1)
        return x[: 5 - len(calls)]

    settings = {"input": "x", "axis": 0}
    probe = Probe("p", "", {"x": numbers(4, 3)}, Outcome(), observe=observe, settings=settings)
    assert call(shrinking, probe).error is None


def test_whole_numbers_are_changed_too():
    ids = torch.tensor([3, 1, 4, 1, 5, 2])
    table = numbers(9, 2)
    probe = Probe("p", "", {"x": ids}, Outcome(), observe="influence", settings={"input": "x", "axis": 0})
    assert torch.equal(call(lambda x: table[x].cumsum(0), probe).tensor, causal(6))


@pytest.mark.parametrize("way", ["exponentials less the largest of all", "fused"])
def test_rounding_is_no_influence_where_scores_are_large(way):
    answer = CAUSAL[way]
    shape, construct = SIZES["many numbers"]
    settings = {"input": "x", "axis": 1}
    for seed in range(3):
        x = numbers(*shape, seed=seed, scale=6.0)
        tensor = call_module(answer, probe_of(answer, x, construct, "influence", settings, seed=seed)).tensor
        assert not (tensor & ~causal(8)).any()


def asked(answer, observe, inputs, **settings):
    """What a function does in an experiment."""
    return call(answer, Probe("p", "", inputs, Outcome(), observe=observe, settings=settings))


def test_every_call_of_an_experiment_gets_inputs_of_its_own():
    given = []
    x = numbers(4, 3)
    outcome = asked(lambda x: given.append(x.clone()) or x.zero_(), "influence", {"x": x}, input="x", axis=0)
    assert torch.equal(given[0], x)
    assert [(one != x).any(1).nonzero().flatten().tolist() for one in given[1:]] == [[0], [1], [2], [3]]
    assert outcome.changed_inputs == ("x",)


@pytest.mark.parametrize("observe", ["influence", "permuted"])
def test_an_input_that_only_a_later_call_overwrites_is_told_too(observe):
    calls = []

    def later(x):
        calls.append(1)
        return x + 0 if len(calls) == 1 else x.add_(1)

    assert asked(later, observe, {"x": numbers(4, 3)}, input="x", axis=0).changed_inputs == ("x",)


def test_slices_of_another_input_may_be_more_than_the_outputs():
    """Cross-attention: three tokens that ask, five that are heard, of which the last is hidden."""
    heard = torch.tensor([1.0, 1.0, 1.0, 1.0, 0.0])

    def cross(x, source):
        s = (x @ source.mT).masked_fill(heard == 0, -INF)
        return torch.softmax(s, dim=-1) @ source

    inputs = {"x": numbers(2, 3, 4), "source": numbers(2, 5, 4, seed=6)}
    seen = asked(cross, "influence", inputs, input="source", axis=-2).tensor
    assert torch.equal(seen, (heard == 1).expand(3, 5))


def test_a_mask_is_changed_by_turning_it_round():
    inputs = {"x": numbers(3, 2), "hidden": torch.tensor([False, True, False])}
    seen = asked(
        lambda x, hidden: x.masked_fill(hidden[:, None], 0), "influence", inputs, input="hidden", axis=0
    )
    assert torch.equal(seen.tensor, alone(3))


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_an_influence_is_seen_in_small_and_in_large_numbers(scale, dtype):
    x = numbers(4, 3).to(dtype)
    seen = asked(lambda x: scale * x.cumsum(0), "influence", {"x": x}, input="x", axis=0).tensor
    assert torch.equal(seen, causal(4))


# Another order of the tokens


class Unmasked(Attention):
    def hide(self, s):
        return s


def reordered(answer, shape=(6, 3), axis=0, **construct):
    """Which slices of a module's result are others where its tokens come in another order."""
    given = {"d_in": shape[-1], "d_out": 2, "context_length": 6} | construct
    probe = probe_of(answer, numbers(*shape), given, "permuted", {"input": "x", "axis": axis})
    outcome = call_module(answer, probe)
    assert outcome.error is None
    return outcome.tensor


ORDERLESS = {
    "no mask": Unmasked,
    "nan": variant(forward=lambda self, x: self.W_value(x) * torch.nan),
    "the mean added": variant(forward=lambda self, x: self.W_value(x) + x.mean()),
}


@pytest.mark.parametrize(("shape", "axis"), [((6, 3), 0), ((2, 6, 3), 1)])
@pytest.mark.parametrize("way", ORDERLESS)
def test_what_knows_no_order_gives_the_same_for_another_order(way, shape, axis):
    assert reordered(ORDERLESS[way], shape, axis).tolist() == [False] * 6


ORDERED = {
    "causal": variant(hide=lambda self, s: s.masked_fill(upper(s), -INF)),
    "the first token for all": variant(forward=lambda self, x: self.W_value(x[:1]).expand(x.shape[0], -1)),
}


@pytest.mark.parametrize("way", ORDERED)
def test_what_knows_an_order_gives_something_else_for_another(way):
    assert reordered(ORDERED[way]).any()


@pytest.mark.parametrize("size", range(2, 9))
@pytest.mark.parametrize("special", [0, -1])
def test_a_place_that_counts_for_more_is_noticed_whatever_the_size(size, special):
    seen = asked(lambda x: x + x[special], "permuted", {"x": numbers(size, 3)}, input="x", axis=0).tensor
    assert seen.all()


def test_several_inputs_are_put_into_the_same_order():
    inputs = {"keys": numbers(5, 3), "values": numbers(5, 2, seed=6), "query": numbers(3, seed=7)}
    given = []
    outcome = asked(
        lambda keys, values, query: given.append((keys, values, query)) or values,
        "permuted",
        inputs,
        input="keys,values",
        axis=0,
    )
    assert outcome.tensor.tolist() == [False] * 5
    keys, values, query = given[1]
    assert torch.equal(query, inputs["query"])
    found = [(inputs["keys"] == key).all(dim=1).nonzero().item() for key in keys]
    assert found != list(range(5))
    assert torch.equal(inputs["values"][found], values)


# Dropout


@functools.cache
def dropped(answer, p=0.2, tokens=6, copies=2, batch=1, dtype="float32", reference=Attention):
    """What a module does in training mode where every output is one attention weight."""
    construct = {"d_in": tokens, "d_out": tokens * copies, "context_length": tokens, "dropout": p}
    probe = probe_of(
        reference,
        torch.eye(tokens).repeat(batch, 1, 1),
        construct,
        "dropout",
        {"p": p, "copies": copies},
        {"W_value.weight": torch.eye(tokens).repeat(copies, 1)},
        train=True,
        dtype=dtype,
    )
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
DROPOUT_SIZES = [
    {},
    {"p": 0.1, "tokens": 4, "copies": 3},
    {"p": 0.3, "tokens": 8, "batch": 2, "dtype": "float64"},
]


@pytest.mark.parametrize("size", DROPOUT_SIZES, ids=str)
@pytest.mark.parametrize("way", DROPS)
def test_dropout_on_the_weights_written_in_any_way_measures_the_same(way, size):
    p = size.get("p", 0.2)
    *rest, total = measured(DROPS[way], **size).values()
    assert rest == pytest.approx([1, 1, 1, 1 - p, 1, 1, 1, 1, 1 / (1 - p)], abs=6e-4)
    assert total == pytest.approx(size.get("batch", 1) * size.get("tokens", 6) * size.get("copies", 2))
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


class Drawn(Attention):
    def set_up(self, size):
        super().set_up(size)
        self.keep = (torch.rand(size, size) >= self.dropout.p) / (1 - self.dropout.p)


def on_the_context(self, x):
    q, k, v = self.qkv(x)
    return self.dropout(self.normalise(self.hide(q @ k.mT)) @ v)


FINITE, EVAL, DRAWS, SHARE, COPIES, OWN, COUNTS, EVEN, FACTOR, SIZE = MEASURES
MISTAKES = {
    "none": (dropping(lambda self, w: w), DRAWS),
    "drawn once": (variant(Drawn, drop=lambda self, w: w * self.keep if self.training else w), DRAWS),
    "p kept": (in_training(lambda w, p: w * (torch.rand_like(w) < p) / (1 - p)), SHARE),
    "twice": (dropping(lambda self, w: self.dropout(self.dropout(w))), SHARE),
    "on the context": (variant(forward=on_the_context), COPIES),
    "renormalised": (dropping(renormalised), FINITE),
    "unscaled": (in_training(lambda w, p: w * (torch.rand_like(w) >= p)), FACTOR),
    "scaled in eval mode instead": (dropping(scaled_in_eval), SIZE),
    "whole queries": (dropping(lambda self, w: w * self.dropout(torch.ones_like(w[..., :1]))), OWN),
    "pairs of queries": (
        dropping(lambda self, w: w * self.dropout(torch.ones_like(w[:, ::2])).repeat_interleave(2, 1)),
        OWN,
    ),
    "F.dropout without training": (dropping(lambda self, w: F.dropout(w, self.dropout.p)), EVAL),
    "the weights shrink for good": (dropping(shrinking), EVAL),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_with_dropout_is_told_by_what_it_does(mistake):
    answer, measure = MISTAKES[mistake]
    assert first_difference(answer) == measure
    assert all(first_difference(answer, **size) for size in DROPOUT_SIZES[1:])


@pytest.mark.parametrize("p", [0.1, 0.35])
@pytest.mark.parametrize("way", [name for name, (_, measure) in MISTAKES.items() if measure == OWN])
def test_entries_that_are_dropped_together_are_told_so_and_not_as_another_share(monkeypatch, way, p):
    told = []
    for seed in range(5):
        monkeypatch.setattr("autograder.collect.PROBE_SEED", seed)
        dropped.cache_clear()
        told.append(first_difference(MISTAKES[way][0], p=p))
    dropped.cache_clear()
    assert told == [OWN] * 5


@pytest.mark.parametrize(("tokens", "p"), [(12, 0.1), (10, 0.05), (14, 0.2)])
def test_entries_with_draws_of_their_own_are_not_taken_for_one(monkeypatch, tokens, p):
    for seed in range(10):
        monkeypatch.setattr("autograder.collect.PROBE_SEED", seed)
        dropped.cache_clear()
        assert measured(Attention, p=p, tokens=tokens, copies=1)[OWN] == 1
    dropped.cache_clear()


def test_without_dropout_nothing_is_dropped():
    told = measured(Attention, p=0.0)
    assert told.pop(SIZE) == pytest.approx(12)
    assert {measure for measure, value in told.items() if value == 0} == {DRAWS, OWN, COUNTS}
    assert {value for value in told.values() if value != 0} == {1}


@pytest.mark.parametrize(
    "result",
    [
        lambda self, x: Attention.forward(self, x).sum(),
        lambda self, x: Attention.forward(self, x)[..., :-1],
        lambda self, x: Attention.forward(self, x)[..., :0],
        lambda self, x: Attention.forward(self, x) * 0,
    ],
    ids=["one number", "copies that do not fit", "no numbers", "zeros"],
)
def test_a_result_from_which_nothing_can_be_told_is_the_outcome_itself(result):
    outcome = dropped(variant(forward=result))
    assert outcome.error is None
    assert outcome.shape != (len(MEASURES),)


def test_a_result_with_nan_is_not_said_to_drop_in_eval_mode():
    def forward(self, x):
        return Attention.forward(self, x).index_fill(1, torch.tensor([0]), torch.nan)

    measures = measured(variant(forward=forward))
    assert (measures[EVAL], measures[SIZE]) == (1, pytest.approx(10))


def test_the_share_kept_has_room_for_chance_where_copies_are_dropped_together(monkeypatch):
    alarms = []
    for seed in range(40):
        monkeypatch.setattr("autograder.collect.PROBE_SEED", seed)
        dropped.cache_clear()
        alarms.append(round(measured(Attention, p=0.15, tokens=3, copies=6)[SHARE], 3) != 0.85)
    dropped.cache_clear()
    assert sum(alarms) == 0


@pytest.mark.parametrize("p", [0.36, 0.2, 0.375])
def test_the_factor_is_rounded_alike_for_float32_and_float64(p):
    one, other = (measured(Attention, p=p, dtype=dtype)[FACTOR] for dtype in ("float32", "float64"))
    assert one == other


def drops(x, p):
    return F.dropout(x, p)


FUNCTIONS = {
    "F.dropout": drops,
    "rand": lambda x, p: x * (torch.rand_like(x) > p) / (1 - p),
}


def exactly(x, p):
    """As many entries at each call as p says, and never one more or less."""
    kept = torch.ones(x.numel())
    kept[torch.randperm(x.numel())[: round(p * x.numel())]] = 0
    return x * kept.reshape(x.shape) / (1 - p)


OTHER_FUNCTIONS = {
    "an exact count": (exactly, COUNTS),
    "of infinity": (
        lambda x, p: torch.where(x > x.min(), x, -INF) * F.dropout(torch.ones_like(x), p),
        FINITE,
    ),
    "renormalised": (lambda x, p: (lambda d: d * x.sum() / d.sum())(F.dropout(x, p)), EVEN),
}


def dropping_function(x, p):
    return Probe("p", "", {"x": x, "p": p}, Outcome(), observe="dropout", settings={"p": p, "input": "x"})


@pytest.mark.parametrize("way", FUNCTIONS)
@pytest.mark.parametrize(("shape", "p"), [((6, 6), 0.2), ((10,), 0.3), ((4, 5), 0.1)])
def test_a_function_that_drops_is_measured_against_its_input(way, shape, p):
    outcome = call(FUNCTIONS[way], dropping_function(numbers(*shape) + 3, p))
    *rest, total = outcome.tensor.tolist()
    assert rest == pytest.approx([1, 1, 1, 1 - p, 1, 1, 1, 1, 1 / (1 - p)], abs=6e-4)
    assert total == pytest.approx((numbers(*shape) + 3).abs().sum().item())


@pytest.mark.parametrize("mistake", OTHER_FUNCTIONS)
def test_a_function_with_a_mistake_is_told_by_what_it_does(mistake):
    answer, measure = OTHER_FUNCTIONS[mistake]
    probe = dropping_function(numbers(6, 6) + 3, 0.2)
    same = close(call(answer, probe).tensor, call(drops, probe).tensor)
    assert MEASURES[int((~same).nonzero()[0])] == measure


@pytest.mark.parametrize(
    ("answer", "expected"), [(drops, 0), (lambda x, p: x * F.dropout(torch.ones(2), p)[0], 1)]
)
def test_a_function_is_asked_whether_its_entries_go_together(answer, expected):
    """With as many copies as entries, a right answer drops none of them together."""
    probe = dropping_function(torch.ones(1, 7), 0.7)
    probe = dataclasses.replace(probe, settings={**probe.settings, "copies": 7})
    assert dict(zip(MEASURES, call(answer, probe).tensor.tolist(), strict=True))[COPIES] == expected


# Another device

STAYS, MIXES, RETURNS = 0.0, 1.0, 2.0


def plain_mask(self, size):
    self.mask = torch.ones(size, size).triu(1)


def plain_bool_mask(self, size):
    self.mask = torch.ones(size, size).triu(1).bool()


def not_persistent(self, size):
    self.register_buffer("mask", torch.ones(size, size).triu(1), persistent=False)


def moved(answer, **fields):
    construct = {"d_in": 3, "d_out": 4, "context_length": 6}
    outcome = call_module(answer, probe_of(answer, numbers(2, 6, 3), construct, "other-device", **fields))
    assert outcome.error is None
    return outcome.tensor.item()


def hiding(hide, set_up=Attention.set_up):
    return variant(hide=hide, set_up=set_up)


def filling(**where):
    """Puts the result, token by token, into zeros that were made first."""

    def forward(self, x):
        result = Attention.forward(self, x)
        out = torch.zeros(*result.shape, **({"device": x.device} | where))
        for token in range(x.shape[1]):
            out[:, token] = result[:, token]
        return out

    return variant(forward=forward)


def first(action):
    """Does something with the input and then attends."""
    return variant(forward=lambda self, x: [action(x), Attention.forward(self, x)][1])


AT_HOME = {
    "made on the device": hiding(lambda self, s: s.masked_fill(upper(s, device=s.device), -INF)),
    "where with a single number": hiding(
        lambda self, s: torch.where(torch.ones_like(s).tril() == 1, s, torch.tensor(-INF))
    ),
    "filled in token by token": filling(),
    "one number taken": first(lambda x: x.sum().item()),
}


LEFT_BEHIND = {
    "a plain tensor": (variant(set_up=plain_mask), MIXES),
    "made on the CPU, in place": (hiding(lambda self, s: s.masked_fill_(upper(s), -INF)), MIXES),
    "zeros joined": (
        variant(
            forward=lambda self, x: torch.cat([Attention.forward(self, x), torch.zeros(2, 1, 4)], 1)[:, :-1]
        ),
        MIXES,
    ),
    "cpu() first": (variant(forward=lambda self, x: Attention.forward(self, x.cpu())), RETURNS),
    "to where the mask is": (
        hiding(lambda self, s: s.to(self.mask.device).masked_fill(self.mask.bool(), -INF), plain_mask),
        RETURNS,
    ),
}


def looked_up(where):
    """Adds a position that a table of the module knows, picked by numbers of the input's own."""

    class Table(Attention):
        def set_up(self, size):
            super().set_up(size)
            table = torch.zeros(size, 3)
            if where != "plain":
                self.register_buffer("table", table)
            else:
                self.table = table

        def forward(self, x):
            ids = torch.arange(x.shape[1], device="cpu" if where == "ids" else x.device)
            return super().forward(x + self.table[ids])

    return Table


MORE_LEFT_BEHIND = {
    "zeros on the CPU filled in": (filling(device="cpu"), RETURNS),
    "moved and not kept": (
        hiding(lambda self, s: [self.mask.to(s.device), s.masked_fill(self.mask, -INF)][1], plain_bool_mask),
        MIXES,
    ),
    "made where a plain tensor is": (
        hiding(lambda self, s: s.masked_fill(upper(s, device=self.mask.device), -INF), plain_mask),
        MIXES,
    ),
    "to a plain tensor": (
        hiding(
            lambda self, s: Attention.hide(self, s.to(self.other)),
        ),
        RETURNS,
    ),
    "the type of a plain tensor": (
        hiding(lambda self, s: Attention.hide(self, s.type_as(self.other))),
        RETURNS,
    ),
    "a number of the device with the CPU": (
        variant(forward=lambda self, x: Attention.forward(self, x) * 0 + x.mean() * torch.ones(6, 4)),
        MIXES,
    ),
    "a table on the CPU, looked up": (looked_up("plain"), MIXES),
}
for name in ("to a plain tensor", "the type of a plain tensor"):
    MORE_LEFT_BEHIND[name][0].set_up = lambda self, size: [
        Attention.set_up(self, size),
        setattr(self, "other", torch.ones(2)),
    ]


def remade(self, s):
    """Makes its mask again where it does not fit the scores."""
    if self.mask.device != s.device or self.mask.shape[-1] < s.shape[-1]:
        self.mask = torch.ones(s.shape[-1], s.shape[-1], device=s.device).triu(1)
    return s.masked_fill(self.mask.bool(), -INF)


MORE_AT_HOME = {
    "a table of the device, looked up": looked_up("buffer"),
    "a table of the device, looked up from the CPU": looked_up("ids"),
    "the type of the scores": hiding(lambda self, s: s + torch.full((6, 6), -INF).triu(1).type_as(s)),
    "moved, kept, and used twice": hiding(
        lambda self, s: setattr(self, "mask", self.mask.to(s.device)) or s.masked_fill(self.mask, -INF),
        plain_bool_mask,
    ),
    "filled from the CPU": hiding(
        lambda self, s: torch.ones_like(s).copy_(torch.zeros(6, 6)) + Attention.hide(self, s)
    ),
}


@pytest.mark.parametrize("way", AT_HOME | MORE_AT_HOME)
def test_what_would_run_on_another_device_stays_there(way):
    assert moved((AT_HOME | MORE_AT_HOME)[way]) == STAYS


@pytest.mark.parametrize("way", LEFT_BEHIND | MORE_LEFT_BEHIND)
def test_what_another_device_would_refuse_or_pay_for_is_told(way):
    answer, expected = (LEFT_BEHIND | MORE_LEFT_BEHIND)[way]
    assert moved(answer) == expected


@pytest.mark.xfail(strict=True, reason="the word cpu that the input's device gives is any other word cpu")
def test_a_device_that_is_named_by_the_inputs_own_word_is_the_inputs():
    assert moved(hiding(lambda self, s: s.masked_fill(upper(s, device=s.device.type), -INF))) == STAYS


@pytest.mark.xfail(strict=True, reason="all devices here are the CPU, and the plain mask is there already")
def test_a_mask_that_is_made_again_where_it_is_needed_stays():
    assert moved(hiding(remade, plain_mask)) == STAYS


def test_an_answer_works_on_as_before_while_it_is_watched():
    """A tensor that is moved is the same numbers, and gradients go through it."""
    x = numbers(2, 3).requires_grad_()
    kept = []

    def answer(x):
        y = torch.ones(2, 3, requires_grad=True)
        kept.append((x, y))
        return (x * y.to(x.device)).sum()

    with torch.enable_grad():
        subject = Subject(lambda inputs: answer(**inputs).backward(), {"x": x})
        assert EXPERIMENTS["other-device"](subject, {}).item() == STAYS
    assert torch.equal(kept[0][1].grad, x)


DEVICE_FUNCTIONS = {
    "through numpy": (lambda x: torch.from_numpy(np.tril(x.numpy())), RETURNS),
    "through an array": (lambda x: torch.from_numpy(np.tril(np.array(x))), RETURNS),
}


@pytest.mark.parametrize("way", DEVICE_FUNCTIONS)
def test_a_function_is_asked_about_devices_too(way):
    answer, expected = DEVICE_FUNCTIONS[way]
    outcome = asked(answer, "other-device", {"x": numbers(6, 6)})
    assert outcome.error is None
    assert outcome.tensor.item() == expected


@pytest.mark.parametrize(
    "model",
    [Specimen("mixing", {"weights": torch.eye(3)}), Made("Layer", {"d_in": 2, "d_out": 4}, {})],
    ids=["a specimen", "the learner's own class"],
)
def test_a_module_that_a_function_is_given_is_on_the_device_as_well(model):
    layer = nn.Linear(2, 4)
    if isinstance(model, Made):
        model = dataclasses.replace(model, weights=dict(layer.state_dict()))
    probe = Probe("p", "", {"model": model, "x": numbers(3, 2)}, Outcome(), observe="other-device")
    namespace = {"Layer": nn.Linear}
    assert call(lambda model, x: model(x), probe, namespace).tensor.item() == STAYS
    assert call(lambda model, x: model(torch.zeros(3, 2)) + x.sum(), probe, namespace).tensor.item() == MIXES


# Buffers in the state dict

NAMES = ("mask", "positions")
BUFFER_SIZES = ([6, 6], [6])  # as the solution's, for a context length of 6
MISSING, RIGHT, OTHER_SIZE = 0, 1, 2


def in_state_dict(answer, names=NAMES, sizes=BUFFER_SIZES):
    construct = {"d_in": 3, "d_out": 4, "context_length": 6}
    settings = {"names": list(names), "sizes": list(sizes)}
    probe = probe_of(answer, numbers(2, 6, 3), construct, "buffers", settings)
    outcome = call_module(answer, probe)
    assert (outcome.error, outcome.changed_inputs) == (None, ())
    return outcome.tensor.tolist()


def registered_later(self, size):
    self.register_buffer("mask", None)
    self.mask = torch.ones(size, size).triu(1)
    self.register_buffer("positions", torch.arange(size))


def other_numbers(self, size):
    self.register_buffer("mask", torch.zeros(1, 1, size, size, dtype=torch.bool))
    self.register_buffer("positions", torch.zeros(size, 1))


def other_sizes(self, size):
    self.register_buffer("mask", torch.ones(size + 3, size + 3).triu(1))
    self.register_buffer("positions", torch.zeros(()))


SET_UP = {
    "registered and then assigned": (registered_later, [RIGHT, RIGHT]),
    "of another dtype, with axes of size 1": (other_numbers, [RIGHT, RIGHT]),
    "of another size": (other_sizes, [OTHER_SIZE, OTHER_SIZE]),
    "only one": (Attention.set_up, [RIGHT, MISSING]),
    "not saved": (not_persistent, [MISSING, MISSING]),
}


@pytest.mark.parametrize("way", SET_UP)
def test_each_of_the_solutions_buffers_is_looked_for_in_the_state_dict(way):
    set_up, expected = SET_UP[way]
    assert in_state_dict(variant(set_up=set_up)) == expected


def test_a_buffer_of_a_module_within_is_named_with_it():
    assert in_state_dict(Stacked, ["heads.0.mask", "heads.3.mask"], [[6, 6], [6, 6]]) == [RIGHT, MISSING]


# The way back to an input

ARRIVES, CUT, SPOILT = [True, True], [False, False], [True, False]


def empty_rows_filled(self, x):
    """Attention in which the first query may look at nothing: the nan is replaced afterwards."""
    q, k, v = self.qkv(x)
    w = torch.softmax(q @ k.mT + torch.zeros(6, 6).masked_fill(upper(x @ x.mT, 0), -INF), dim=-1)
    return w.nan_to_num(0.0) @ v


GRADIENTS = {
    "attention": (Attention, ARRIVES),
    "no_grad": (variant(forward=torch.no_grad()(Attention.forward)), CUT),
    "empty rows filled": (variant(forward=empty_rows_filled), SPOILT),
}


@pytest.mark.parametrize("way", GRADIENTS)
def test_the_way_back_to_an_input_is_told_as_whole_cut_or_spoilt(way):
    answer, expected = GRADIENTS[way]
    outcome = in_use("gradient", answer)
    assert outcome.error is None
    assert outcome.tensor.tolist() == expected


@pytest.mark.parametrize("value", [torch.tensor([1, 2]), torch.tensor(True), None, 5], ids=str)
def test_what_has_no_gradient_at_all_is_the_outcome_itself(value):
    outcome = asked(lambda x: value, "gradient", {"x": numbers(2)}, input="x")
    assert outcome.error is None
    assert outcome.shape == (None if value is None else getattr(value, "shape", ()))


# All experiments alike

SETTINGS = {
    "influence": {"input": "x", "axis": 1},
    "permuted": {"input": "x", "axis": 1},
    "dropout": {"p": 0.2, "copies": 2},
    "other-device": {},
    "gradient": {"input": "x"},
    "gradients": {"input": "x"},
    "costs": {"numbers": 100},
    "steps": {"axis": 1, "sizes": [4, 2]},
    "buffers": {"names": ["mask"], "sizes": [[6, 6]]},
    "second-call": {"input": "x", "axis": 1, "size": 4},
    "start-values": {"names": ["W_query.weight", "W_value.weight"]},
}


def in_use(observe, answer, dropout=0.2):
    construct = {"d_in": 3, "d_out": 2, "context_length": 6, "dropout": dropout}
    probe = probe_of(Attention, numbers(2, 6, 3), construct, observe, SETTINGS[observe])
    return call_module(answer, dataclasses.replace(probe, train=observe == "dropout"))


def test_every_experiment_is_tried_here():
    assert set(SETTINGS) == set(EXPERIMENTS) - {"result"}


@pytest.mark.parametrize("observe", SETTINGS)
def test_the_same_answer_yields_the_same_again(observe):
    first, *others = (in_use(observe, Attention).tensor for _ in range(4))
    torch.rand(7)
    assert all(torch.equal(first, other) for other in others)


@pytest.mark.parametrize("observe", SETTINGS)
def test_random_numbers_go_on_as_if_nothing_had_happened(observe):
    torch.manual_seed(3)
    before = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()
    in_use(observe, Attention)
    assert torch.equal(before[0], torch.get_rng_state())
    assert before[1:] == (random.getstate(), np.random.get_state()[1].tolist())


class Raises(Attention):
    def forward(self, x):
        raise ValueError("no")


class Leaves(Attention):
    def forward(self, x):
        raise SystemExit(3)


class RaisesLater(Attention):
    calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls == 2:
            raise ValueError("the second time")
        return super().forward(x)


CALLING = [observe for observe in SETTINGS if observe not in ("buffers", "start-values")]


@pytest.mark.parametrize("observe", CALLING)
@pytest.mark.parametrize(("answer", "kind"), [(Raises, "ValueError"), (Leaves, "SystemExit")])
def test_what_an_answer_raises_in_an_experiment_is_its_outcome(observe, answer, kind):
    error = in_use(observe, answer).error
    assert error.type == kind
    assert error.line.startswith("raise ")


@pytest.mark.parametrize("observe", ["influence", "permuted", "dropout", "second-call"])
def test_what_an_answer_raises_in_a_later_call_is_its_outcome(observe):
    assert in_use(observe, RaisesLater).error.message == "the second time"


@pytest.mark.parametrize("observe", CALLING)
def test_a_learner_can_interrupt_an_experiment(observe):
    class Interrupted(Attention):
        def forward(self, x):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_use(observe, Interrupted)


@pytest.mark.parametrize("observe", SETTINGS)
@pytest.mark.parametrize("value", [None, 5, [1.0], "text", (1, 2)], ids=str)
def test_whatever_a_module_returns_nothing_escapes(observe, value):
    outcome = in_use(observe, variant(forward=lambda self, x: value))
    assert isinstance(outcome, Outcome)


def test_a_result_that_is_no_tensor_in_the_last_call_is_the_outcome_itself():
    class Forgets(Attention):
        evals = 0

        def forward(self, x):
            self.evals += not self.training
            return None if self.evals == 2 else super().forward(x)

    assert in_use("dropout", Forgets).error is None


@pytest.mark.parametrize("observe", SETTINGS)
def test_nothing_that_an_answer_prints_is_seen(observe, capsys):
    in_use(observe, first(lambda x: print("here", x.shape)))
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("observe", "most"),
    [("influence", 7), ("permuted", 2), ("dropout", 259), ("other-device", 1), ("gradient", 1)],
)
def test_an_experiment_calls_an_answer_a_bounded_number_of_times(observe, most):
    calls = []
    in_use(observe, first(lambda x: calls.append(1)))
    assert 1 <= len(calls) <= most


# A second call


class Caching(Attention):
    """Keeps the size of the first sentence that it sees."""

    def forward(self, x):
        self.first = getattr(self, "first", x.shape[1])
        return super().forward(x) * self.first


def second(answer, size=3):
    construct = {"d_in": 3, "d_out": 4, "context_length": 8}
    settings = {"input": "x", "axis": 1, "size": size}
    return call_module(
        answer, probe_of(Attention, numbers(2, 6, 3), construct, "second-call", settings)
    ).tensor


def test_what_is_kept_of_a_shorter_sentence_shows_in_the_next():
    assert all_close(second(Attention), second(Attention, size=6))
    assert not all_close(second(Caching), second(Caching, size=6))


# Start values


class Drawn2(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.one = nn.Parameter(self.draw(d_in, d_out))
        self.other = nn.Parameter(self.draw(d_in, d_out))

    def draw(self, *size):
        return torch.rand(*size)

    def forward(self, x):
        return x @ self.one + x @ self.other


def started(answer, **settings):
    weights = {"one": numbers(4, 300), "other": numbers(4, 300) + 1}
    probe = Probe("p", "", {"x": numbers(2, 4)}, Outcome(), construct={"d_in": 4, "d_out": 300},
                  weights=weights, observe="start-values",
                  settings={"names": list(weights), **settings})  # fmt: skip
    return call_module(answer, probe).tensor.tolist()


class OwnSeeded(Drawn2):
    def __init__(self, d_in, d_out):
        torch.manual_seed(5)
        super().__init__(d_in, d_out)


@pytest.mark.parametrize(
    ("answer", "settings", "told"),
    [
        (Drawn2, {}, [[1.0, 1.0]] * 2),
        (Drawn2, {"range": True}, [[1.0, 1.0, 0.0, 0.5, 1.0]] * 2),
        (OwnSeeded, {}, [[0.0, 1.0]] * 2),
        (variant(Drawn2, draw=lambda self, *size: torch.zeros(*size)), {}, [[0.0, 1.0], [0.0, 0.0]]),
    ],
    ids=["drawn", "drawn in a range", "a seed inside", "not drawn, and alike"],
)
def test_start_values_are_told_by_whether_they_are_drawn_and_by_their_range(answer, settings, told):
    assert started(answer, **settings) == told


# Gradients


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


@pytest.mark.parametrize(
    ("way", "right"),
    [
        (lambda x, y: 2 * x + y, True),
        (lambda x, y: Doubling.apply(x) + y, True),
        (lambda x, y: IgnoresWhatArrives.apply(x) + y, False),
        (lambda x, y: 2 * x.detach() + y, False),
        (lambda x, y: (2 * x + y).detach(), False),
    ],
    ids=["autograd", "by hand", "ignores what arrives", "cut for one input", "cut for both"],
)
def test_gradients_are_told_with_their_numbers(way, right):
    inputs = {"x": numbers(3, 2), "y": numbers(3, 2, seed=6)}
    expected = torch.linspace(-1, 2, 6)
    outcome = asked(way, "gradients", inputs, input="x,y")
    assert all_close(outcome.tensor, torch.cat((2 * expected, expected))) == right


# Costs


def in_pieces(x, y):
    return torch.cat([x[:, :4] @ y[:4] + x[:, 4:] @ y[4:]])


@pytest.mark.parametrize(
    ("way", "told"),
    [
        (lambda x, y: x @ y, [0.0, 0.0]),
        (in_pieces, [0.0, 0.0]),
        (lambda x, y: x.expand(9, 2, 8)[0] @ y, [0.0, 0.0]),
        (lambda x, y: (x.clone().mul_(1) @ y).clone(), [0.0, 0.0]),
        (lambda x, y: (x[:, :, None] * y).sum(1), [48.0, 0.0]),
        (lambda x, y: torch.einsum("ij,jk->ik", torch.cat((x, x, x)), y)[:2], [48.0, 144.0]),
        (lambda x, y: x @ y + x @ y, [0.0, 96.0]),
    ],
    ids=["product", "in pieces", "a large view", "in place", "all products at once", "three times", "twice"],
)
def test_what_an_answer_costs_is_told_where_it_is_too_much(way, told):
    inputs = {"x": numbers(2, 8), "y": numbers(8, 3, seed=6)}
    assert asked(way, "costs", inputs, numbers=40, products=48).tensor.tolist() == told


def test_the_inputs_themselves_cost_nothing():
    assert asked(torch.sum, "costs", {"x": numbers(100)}, numbers=1).tensor.tolist() == [0.0, 0.0]


def test_the_way_back_costs_too():
    x = {"x": numbers(6)}
    settings = {"numbers": 30, "products": 0}
    assert asked(lambda x: x[:5] @ x[:5], "costs", x, **settings).tensor.tolist() == [0.0, 5.0]

    class Wasteful(Doubling):
        @staticmethod
        def backward(ctx, ahead):
            return 2 * ahead + ahead[:, None].expand(6, 6).clone().sum(1)

    assert asked(Wasteful.apply, "costs", x, **settings).tensor.tolist() == [0.0, 0.0]
    assert asked(Wasteful.apply, "costs", x, input="x", **settings).tensor.tolist() == [36.0, 0.0]


# Steps


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
    def __init__(self, most):
        super().__init__(most)
        self.memory, self.end = torch.zeros(most), 0

    def add(self, x):
        self.memory[: len(x)] = x  # always the same place
        return self.memory[: len(x)]


def stepwise(answer, x=(1.0, 2.0, 3.0, 4.0), **settings):
    probe = Probe("p", "", {"x": torch.tensor(x)}, Outcome(), construct={"most": 3}, observe="steps",
                  settings={"method": "add", "axis": 0, **settings})  # fmt: skip
    return call_class(answer, probe)


def test_an_object_is_called_step_by_step_and_what_it_gave_back_before_stays_told():
    assert stepwise(Kept, (1.0, 2.0, 3.0), sizes=[2, 1]).tensor.tolist() == [1.0, 2.0, 1.0, 2.0, 3.0]
    assert stepwise(Overwritten, (1.0, 2.0, 3.0), sizes=[2, 1]).tensor.tolist() == [1.0, 2.0, 3.0]


def test_a_refused_step_is_passed_over_where_that_is_asked_and_raised_elsewhere():
    assert stepwise(Kept, sizes=[1, 3]).error.type == "ValueError"
    went_on = stepwise(Kept, sizes=[1, 2, 1], refuses="ValueError")
    assert went_on.tensor.tolist() == [1.0, 1.0, 2.0, 3.0]
    assert stepwise(Kept, sizes=[4, 0], refuses="KeyError").error.type == "ValueError"
