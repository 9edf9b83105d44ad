"""Forbidden calls are seen while an answer runs, cost what the task says, and change nothing else."""

from __future__ import annotations

import dataclasses
import operator
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
import torch.nn.functional as F
from autograder.judge.decide import judge, with_unfinished
from autograder.probe.collect_evidence import collect_answer
from autograder.probe.forbidden_calls import MOST_CALLS, Watch, family_of
from autograder.records import bank
from autograder.records.answer_findings import CallsForbidden, WrongShape
from autograder.records.bank import Check, Forbid, LessonBank
from autograder.records.evidence_transport import pack, unpack
from autograder.records.run_outcome import ForbiddenCall
from autograder.words.feedback_card import Feedback
from support.tiny_lesson import FAMILIES, function_task
from torch import nn


def named(*names):
    return tuple(FAMILIES[name] for name in names)


SCORES = {"x": torch.tensor([1.0, 2.0, 5.0])}
MANY = {"x": torch.tensor([2.0, 2.0, 4.0, 8.0])}
WEIGHTS = function_task(
    lambda x: torch.softmax(x, 0),
    {"three": ("three scores", SCORES), "four": ("four scores", MANY)},
    {"by-sum": (lambda x: x / x.sum(), "Take exponentials first.")},
    id="weights",
    title="Weights from scores",
    name="weights",
    signature="weights(x)",
    axes=("tokens",),
    learned="Weights add up to 1.",
    hints=("exp()",),
    checks=(Check("three scores", 1, ("three",)), Check("four scores", 2, ("four",))),
    forbids=Forbid(("softmax",), 2),
    families=named("softmax"),
)
LESSON = LessonBank("01-tiny", "Tiny", {"as-seen": {}}, {"weights": WEIGHTS})


def seen(answer, families=("softmax",)):
    task = dataclasses.replace(WEIGHTS, forbids=Forbid(families, 2), families=named(*families))
    return collect_answer(task, LESSON, answer, {})


def verdict_on(answer, task=WEIGHTS):
    return judge(task, unpack(pack(collect_answer(task, LESSON, answer, {}))))


def honest(x):
    e = torch.exp(x - x.max())
    return e / e.sum()


class Inner(nn.Module):
    def forward(self, x):
        eye = torch.eye(len(x))
        return F.scaled_dot_product_attention(torch.ones(1, 1), x[:, None], eye, scale=1.0)[0]


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(Inner())

    def forward(self, x):
        return self.inner(x)


def scripted(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, 0)


with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    compiled = torch.jit.script(scripted)


def undisturbed(function):
    """A function that does without torch's hooks for Python."""

    def inner(x):
        with torch._C.DisableTorchFunction():
            return function(x)

    return inner


POOL = ThreadPoolExecutor(1)  # whose thread is older than any watch
POOL.submit(int).result()


def in_another_thread(x):
    return POOL.submit(operator.methodcaller("soft" + "max", -1), x).result()


class Namesake:
    """A class of the learner's whose method has a forbidden name: it hides nobody else's."""

    def softmax(self, x):
        return x.softmax(0)


def through_cross_entropy(x):
    return torch.stack([-F.cross_entropy(x, torch.tensor(i)) for i in range(len(x))]).exp()


DISGUISED = {
    "torch": lambda x: torch.softmax(x, 0),
    "method": lambda x: x.softmax(0),
    "functional": lambda x: F.softmax(x, 0),
    "layer": lambda x: nn.Softmax(0)(x),
    "log": lambda x: F.log_softmax(x, 0).exp(),
    "min": lambda x: F.softmin(-x, 0),
    "special": lambda x: torch.special.softmax(x, 0),
    "private": lambda x: torch._softmax(x, 0, False),
    "operator": lambda x: torch.ops.aten.softmax.int(x, 0),
    "inner-operator": lambda x: torch.ops.aten._softmax(x, 0, False),
    "getattr": lambda x: getattr(torch, chr(115) + "oftmax")(x, 0),
    "compiled": compiled,
    "past-one-watch": undisturbed(lambda x: torch.softmax(x, 0)),
    "in-another-thread": in_another_thread,
    "beside-a-namesake": Namesake().softmax,
    "sparse": lambda x: torch.sparse.softmax(x[None].to_sparse(), 1).to_dense()[0],
    "of-another-kind": lambda x: x.to_mkldnn().softmax(0).to_dense(),
    "with-gradient": lambda x: x.clone().requires_grad_().softmax(0),
    "inferred": torch.inference_mode()(lambda x: torch.softmax(x, 0)),
    "nested-module": Outer(),
    "inside-another-call": through_cross_entropy,
    "vmapped": lambda x: torch.vmap(lambda row: torch.softmax(row, 0))(x[None])[0],
    "checkpointed": lambda x: torch.utils.checkpoint.checkpoint(torch.softmax, x, 0, use_reentrant=False),
}


@pytest.mark.parametrize("answer", DISGUISED.values(), ids=DISGUISED)
def test_a_forbidden_call_is_seen_in_any_disguise(answer):
    evidence = seen(answer)

    assert {call.family for call in evidence.forbidden} == {"softmax"}
    assert judge(WEIGHTS, evidence).right
    assert judge(WEIGHTS, evidence).earned == 1


class softmax:
    def __call__(self, x):
        return honest(x)


def with_numpy(x):
    import numpy as np

    e = np.exp(x.numpy() - x.numpy().max())
    return torch.from_numpy(e / e.sum())


class Careful(nn.Module):
    """Like nn.Softmax, and written out."""

    def softmax(self, x):
        return honest(x)

    def forward(self, x):
        return self.softmax(x)


def own_gradient(x):
    x = x.clone().requires_grad_()
    (actual,) = torch.autograd.grad(torch.logsumexp(x, 0), x)
    return actual


HONEST = {
    "formula": honest,
    "own-class": softmax(),
    "numpy": with_numpy,
    "own-method": Careful(),
    "logsumexp": lambda x: torch.exp(x - torch.logsumexp(x, 0)),
    "gradient-of-logsumexp": own_gradient,
    "vmap": lambda x: torch.vmap(honest)(x[None])[0],
    "out": lambda x: torch.div(x.exp(), x.exp().sum(), out=torch.empty_like(x)),
}


@pytest.mark.parametrize("answer", HONEST.values(), ids=HONEST)
def test_an_honest_answer_is_not_accused(answer):
    verdict = verdict_on(answer)

    assert verdict.forbidden is None
    assert verdict.passed, verdict.finding


@pytest.mark.parametrize("answer", [*DISGUISED.values(), *HONEST.values()], ids=[*DISGUISED, *HONEST])
def test_watching_changes_no_result(answer):
    plain = collect_answer(dataclasses.replace(WEIGHTS, forbids=None), LESSON, answer, {})

    for probe, outcome in seen(answer).outcomes.items():
        assert torch.equal(outcome.tensor, plain.outcomes[probe].tensor)
        assert outcome.changed_inputs == plain.outcomes[probe].changed_inputs


def test_watching_draws_the_same_random_numbers():
    def noisy(x):
        return x * torch.bernoulli(torch.full_like(x, 0.5)) + torch.randn(len(x))

    plain = collect_answer(dataclasses.replace(WEIGHTS, forbids=None), LESSON, noisy, {})

    for probe, outcome in seen(noisy, ("softmax", "dropout")).outcomes.items():
        assert torch.equal(outcome.tensor, plain.outcomes[probe].tensor)


def test_watching_ends_with_the_answer():
    seen(lambda x: 1 / 0)
    with Watch(named("softmax"), lambda file: True) as calls:
        pass
    torch.softmax(torch.ones(2), 0)

    assert calls == []


@pytest.mark.parametrize(
    "answer",
    [
        lambda x: F.dropout(x, 0.5),
        lambda x: nn.Dropout(0.5)(x),
        lambda x: torch.ops.aten.dropout(x, 0.5, True),
        lambda x: torch.native_dropout(x, 0.5, True)[0],
        lambda x: F.alpha_dropout(x, 0.5, True),
        lambda x: nn.Dropout(0.5).eval()(x),
        lambda x: torch.vmap(lambda row: F.dropout(row, 0.5), randomness="same")(x[None])[0],
    ],
)
def test_another_family_is_seen(answer):
    assert {call.family for call in seen(answer, ("dropout",)).forbidden} == {"dropout"}


@pytest.mark.parametrize(
    "answer",
    [
        lambda x: x * torch.bernoulli(torch.full_like(x, 0.5)) * 2,
        lambda x: x * (torch.rand(x.shape) > 0.5),
        lambda x: torch.softmax(x, 0),
    ],
)
def test_a_call_of_a_family_that_is_not_forbidden_is_allowed(answer):
    assert seen(answer, ("dropout",)).forbidden == ()


def test_nothing_is_watched_where_nothing_is_forbidden():
    with Watch((), lambda file: 1 / 0) as calls:
        torch.softmax(torch.ones(2), 0)

    assert calls == []


def test_a_loop_of_calls_does_not_fill_the_evidence():
    source = "\n".join(["import torch", "def many(x):", *["    torch.softmax(x, 0)"] * 40, "    return x"])
    names = {}
    exec(compile(source, "<cell many>", "exec"), names)

    assert len(seen(names["many"]).forbidden) == MOST_CALLS


def test_the_line_told_is_the_learners_own():
    source = (
        "import torch\ndef helper(x):\n    return torch.softmax(x, 0)\ndef weights(x):\n    return helper(x)"
    )
    names = {}
    exec(compile(source, "<cell lines>", "exec"), names)

    (call,) = seen(names["weights"]).forbidden
    assert (call.name, call.line_number, call.function) == ("torch.softmax", 3, "helper")


def test_what_a_call_is_made_of_is_not_told_beside_it():
    assert [call.name for call in seen(lambda x: F.softmax(x, 0)).forbidden] == ["F.softmax"]


def test_the_way_back_through_a_call_is_no_call():
    assert family_of("_softmax", named("softmax")) == "softmax"
    assert family_of("_softmax_backward_data", named("softmax")) == ""
    assert family_of("native_dropout_backward", named("dropout")) == ""


# The verdict


def test_a_forbidden_call_takes_off_what_the_task_says_and_leaves_the_checks_standing():
    verdict = verdict_on(lambda x: torch.softmax(x, 0))

    assert isinstance(verdict.finding, CallsForbidden)
    assert [result.earned for result in verdict.results] == [1, 2]
    assert (verdict.earned, verdict.points, verdict.passed, verdict.right) == (1, 3, False, True)


def test_points_never_fall_below_zero():
    verdict = verdict_on(lambda x: torch.softmax(x, 0) if len(x) == 3 else x)

    assert sum(result.earned for result in verdict.results) == 1
    assert verdict.earned == 0


def test_an_answer_that_is_wrong_besides_is_told_both():
    verdict = verdict_on(lambda x: torch.softmax(x, 0)[1:])
    text = " ".join(repr(Feedback(WEIGHTS, verdict)).split())

    assert isinstance(verdict.finding, WrongShape)
    assert "has shape (2,)" in text
    assert "`torch.softmax` is used in line" in text
    assert "write softmax yourself" in text


def test_the_message_names_the_call_its_line_and_the_cost():
    source = "import torch\ndef weights(x):\n    return torch.softmax(x, 0)"
    names = {}
    exec(compile(source, "<cell message>", "exec"), names)
    verdict = verdict_on(names["weights"])
    text = " ".join(repr(Feedback(WEIGHTS, verdict)).split())
    html = Feedback(WEIGHTS, verdict).html()

    assert "(1 of 3 points)" in text
    assert "`torch.softmax` is used in line 3; this task asks you to write softmax yourself." in text
    assert "The results are right. The call costs 2 of the 3 points" in text
    assert "ok three scores ok four scores -- softmax, written by yourself (costs 2)" in text
    assert "<code>torch.softmax</code> is used in line 3" in html
    assert html.count('aria-label="right"') == 2
    assert "costs 2" in html


def test_a_call_in_a_helper_names_the_helper():
    call = ForbiddenCall("F.softmax", "softmax", "", 2, "helper")
    evidence = dataclasses.replace(seen(honest), forbidden=(call,))

    text = " ".join(repr(Feedback(WEIGHTS, judge(WEIGHTS, evidence))).split())
    assert "is used in line 2 of the cell of `helper`; this task" in text


def test_what_a_call_is_named_is_escaped():
    call = ForbiddenCall("<script>", "softmax", "<i>", 1, "<u>")
    verdict = judge(WEIGHTS, dataclasses.replace(seen(honest), forbidden=(call,)))

    assert "&lt;script&gt;" in Feedback(WEIGHTS, verdict).html()
    for tag in ("<script>", "<i>", "<u>"):
        assert tag not in Feedback(WEIGHTS, verdict).html()


def test_a_call_of_a_family_that_the_task_allows_costs_nothing():
    call = ForbiddenCall("torch.dropout", "dropout")
    assert judge(WEIGHTS, dataclasses.replace(seen(honest), forbidden=(call,))).passed


def test_a_forbidden_call_in_an_earlier_task_is_not_called_unfinished():
    later = dataclasses.replace(WEIGHTS, id="later", name="later", needs=("weights",), forbids=None)
    lesson = dataclasses.replace(LESSON, tasks={"weights": WEIGHTS, "later": later})
    earlier = {"weights": verdict_on(lambda x: torch.softmax(x, 0))}
    wrong = judge(later, seen(lambda x: x))

    assert with_unfinished(wrong, later, lesson, earlier).unfinished == ()


def test_a_bank_keeps_what_is_forbidden(tmp_path):
    given = dataclasses.replace(WEIGHTS, forbids=Forbid(("softmax", "dropout"), 2))
    bank.save(dataclasses.replace(LESSON, tasks={"weights": given}), tmp_path)

    saved = bank.load("01-tiny", tmp_path, tuple(FAMILIES.values())).tasks["weights"]
    assert (saved.forbids, saved.families) == (given.forbids, named("softmax", "dropout"))
