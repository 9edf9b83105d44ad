"""What this course forbids is seen under every name, and nothing else is: the patterns in `course.toml`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from autograder.probe.collect_evidence import collect_answer
from autograder.probe.forbidden_calls import family_of
from autograder.records.bank import Forbid, LessonBank, Probe
from autograder.records.course import Course
from autograder.records.run_outcome import ForbiddenCall, Outcome
from support.tiny_lesson import plain_task
from torch import nn

FAMILIES = {family.name: family for family in Course.read(Path(__file__).parents[1]).forbidden}


def seen(answer, family, probe=None, **fields) -> tuple[ForbiddenCall, ...]:
    """The forbidden calls in an answer to a task that forbids this family."""
    x = torch.tensor([1.0, 2.0, 5.0])
    probe = probe or Probe("one", "numbers", {"x": x}, expected=Outcome("torch.Tensor", x))
    families = {"forbids": Forbid((family,), 1), "families": (FAMILIES[family],)}
    task = plain_task("weights", probe, **families, **fields)
    return collect_answer(
        task, LessonBank("01-one", "One", {"as-seen": {}}, {"weights": task}), answer, {}
    ).forbidden


def product(x):
    """A number that is made by products of matrices."""
    return (x[None] @ x[:, None] @ x[None]).sum()


def by_autograd(function, x):
    """What a function makes where gradients are recorded."""
    with torch.enable_grad():
        return function(x.clone().requires_grad_())


def undisturbed(function):
    """A function that does without torch's hooks for Python."""

    def inner(x):
        with torch._C.DisableTorchFunction():
            return function(x)

    return inner


@pytest.mark.parametrize(
    ("family", "answer"),
    [
        ("dropout", lambda x: F.dropout(x, 0.5)),
        ("dropout", lambda x: nn.Dropout(0.5)(x)),
        ("dropout", lambda x: torch.ops.aten.dropout(x, 0.5, True)),
        ("dropout", lambda x: torch.native_dropout(x, 0.5, True)[0]),
        ("dropout", lambda x: F.alpha_dropout(x, 0.5, True)),
        ("dropout", lambda x: nn.Dropout(0.5).eval()(x)),
        ("dropout", lambda x: torch.vmap(lambda row: F.dropout(row, 0.5), randomness="same")(x[None])[0]),
        ("scaled_dot_product_attention", lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None])),
        ("scaled_dot_product_attention", lambda x: torch._C._nn.scaled_dot_product_attention(*[x[None]] * 3)),
        ("scaled_dot_product_attention", lambda x: nn.MultiheadAttention(len(x), 1)(*[x[None]] * 3)[0]),
        (
            "scaled_dot_product_attention",
            undisturbed(lambda x: F.scaled_dot_product_attention(*[x[None]] * 3)),
        ),
        ("MultiheadAttention", lambda x: nn.MultiheadAttention(len(x), 1)(*[x[None]] * 3)[0]),
        ("MultiheadAttention", lambda x: nn.TransformerEncoderLayer(len(x), 1, 2)(x[None])),
        ("running_sums", lambda x: x.cummax(0).values),
        ("running_sums", lambda x: torch.logcumsumexp(x, 0)),
        ("running_sums", lambda x: torch.cumsum(x, 0)),
        ("autograd", lambda x: by_autograd(lambda y: torch.autograd.grad(product(y), y)[0], x)),
        ("autograd", lambda x: by_autograd(lambda y: product(y).backward() or y.grad, x)),
        ("autograd", lambda x: torch.func.grad(product)(x)),
        ("autograd", lambda x: torch.autograd.functional.jacobian(product, x)),
    ],
)
def test_each_family_is_seen(family, answer):
    assert {call.family for call in seen(answer, family)} == {family}


class Heads(nn.MultiheadAttention):
    """The learner's name for torch's class."""

    def __init__(self):
        super().__init__(4, 2, batch_first=True)

    def forward(self, x):
        return super().forward(x, x, x)[0]


def test_a_subclass_of_a_forbidden_module_is_seen():
    x = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(1))
    drawn = {name: item.detach().clone() for name, item in Heads().named_parameters()}
    probe = Probe("one", "a batch", {"x": x}, expected=Outcome("torch.Tensor", x), weights=drawn)

    assert seen(Heads, "MultiheadAttention", probe, kind="module")[0].family == "MultiheadAttention"


@pytest.mark.parametrize(
    ("family", "answer"),
    [
        ("scaled_dot_product_attention", lambda x: torch.softmax(x[:, None] @ x[None], -1) @ x),
        ("MultiheadAttention", lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None])[0]),
        ("dropout", lambda x: x * torch.bernoulli(torch.full_like(x, 0.5)) * 2),
        ("dropout", lambda x: x * (torch.rand(x.shape) > 0.5)),
        ("dropout", lambda x: torch.softmax(x, 0)),
        ("running_sums", lambda x: x.sum(0) + x.max(0).values),
        ("autograd", lambda x: torch.softmax(x[:, None] @ x[None], -1) @ x),
        ("autograd", lambda x: by_autograd(product, x)),
    ],
)
def test_a_call_of_another_family_is_allowed(family, answer):
    assert seen(answer, family) == ()


def test_every_family_is_in_its_own_pattern_and_says_what_to_write():
    for name, family in FAMILIES.items():
        assert family_of(name, (family,)) == name
        assert family.instead
