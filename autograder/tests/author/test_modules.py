"""A task whose answer is a class of modules: weights by name, and all that a route may do otherwise."""

import pytest
import torch
from autograder.author.authoring import Check, Fault, Faults, Lesson, Probe, Task, wrongs
from autograder.author.build_bank import make_bank
from autograder.author.solution_runs import run_solution
from autograder.judge.decide import judge
from autograder.probe.collect_evidence import collect_answer
from autograder.records import answer_findings as f
from autograder.records import bank
from autograder.records.evidence_transport import pack, unpack
from autograder.words.feedback_card import Feedback
from support.tiny_course import solved
from torch import nn


class Projection(nn.Module):
    """The solution: queries and keys, and the softmax of their products."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        scores = (x @ self.W_query) @ (x @ self.W_key).mT  # (tokens, tokens)
        return torch.softmax(scores / self.W_key.shape[1] ** 0.5, dim=-1)


class Unscaled(Projection):
    def forward(self, x):
        return torch.softmax((x @ self.W_query) @ (x @ self.W_key).mT, dim=-1)


class OverQueries(Projection):
    def forward(self, x):
        return torch.softmax((x @ self.W_query) @ (x @ self.W_key).mT / self.W_key.shape[1] ** 0.5, dim=0)


def inputs(*shape, seed=5):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


TASK = Task(
    id="projection",
    title="Queries and keys",
    name="Projection",
    kind="module",
    signature="Projection(d_in, d_out)",
    axes=("tokens as query", "tokens as key"),
    input_axes={"x": ("tokens", "d_in")},
    probes=(
        Probe("seeded", "six tokens", {"x": inputs(6, 3)}, construct={"d_in": 3, "d_out": 2}),
        Probe("other", "four tokens", {"x": inputs(4, 5)}, construct={"d_in": 5, "d_out": 7}, seed=24),
        Probe("double", "float64", {"x": inputs(4, 5)}, construct={"d_in": 5, "d_out": 2}, dtype="float64"),
    ),
    checks=(Check("small", 1, ("seeded",)), Check("other sizes and dtypes", 2, ("other", "double"))),
    learned="You know modules.",
    hints=("Think.",),
    wrong=wrongs("""
        unscaled: / self.W_key.shape[1] ** 0.5 →
        over-queries: dim=-1 → dim=0
        """),
)
FAULTS = Faults({name: Fault(name, "", "Think.") for name in ("unscaled", "over-queries")}, {})


@pytest.fixture(scope="module")
def lesson(tmp_path_factory):
    """The bank of a lesson with that task alone, written and read again."""
    described = Lesson("Modules", (TASK,), {}, lambda generator: {}, redraws=0)
    runs = run_solution(described, solved({"projection": Projection}), "01-modules")
    result = make_bank(described, runs, "01-modules", FAULTS)
    folder = tmp_path_factory.mktemp("bank")
    bank.save(result, folder)
    return bank.load("01-modules", folder)


@pytest.fixture
def judged(lesson):
    """The verdict on an answer, with evidence that went through the text that leaves a sandbox."""

    def judge_it(answer):
        task = lesson.tasks["projection"]
        verdict = judge(task, unpack(pack(collect_answer(task, lesson, answer, {}))))
        assert "Traceback" not in repr(Feedback(task, verdict)) + Feedback(task, verdict).html()
        return verdict

    return judge_it


def output(lesson, verdict):
    return " ".join(repr(Feedback(lesson.tasks["projection"], verdict)).split())


def test_the_solution_passes(judged):
    assert judged(Projection).passed


def test_the_weights_are_those_that_the_solution_draws_under_the_seed(lesson):
    torch.manual_seed(123)
    drawn = Projection(3, 2).W_query
    saved = lesson.tasks["projection"].probe["seeded"].weights["W_query"]
    assert torch.equal(saved, drawn)


@pytest.mark.parametrize(("answer", "reference"), [(Unscaled, "unscaled"), (OverQueries, "over-queries")])
def test_a_known_wrong_class_is_named(judged, answer, reference):
    verdict = judged(answer)
    assert isinstance(verdict.finding, f.MatchesKnownWrong)
    assert (verdict.known_wrong, verdict.earned) == (reference, 0)


def test_a_parameter_of_another_name_is_told_with_those_expected(judged, lesson):
    class Misnamed(nn.Module):
        def __init__(self, d_in, d_out):
            super().__init__()
            self.W_q = nn.Parameter(torch.rand(d_in, d_out))
            self.W_key = nn.Parameter(torch.rand(d_in, d_out))

        def forward(self, x):
            return x

    verdict = judged(Misnamed)
    assert isinstance(verdict.finding, f.WrongParameters)
    text = output(lesson, verdict)
    assert "has no parameter `W_query` and has parameters that should not be there (`W_q`)." in text
    assert "Expected: `W_query` and `W_key`." in text


def test_a_module_without_super_init_is_told_its_own_line(judged, lesson):
    class Forgot(nn.Module):
        def __init__(self, d_in, d_out):
            self.W_query = nn.Parameter(torch.rand(d_in, d_out))

        def forward(self, x):
            return x

    verdict = judged(Forgot)
    assert isinstance(verdict.finding, f.Raised)
    assert verdict.finding.error.line == "self.W_query = nn.Parameter(torch.rand(d_in, d_out))"
    assert "super().__init__()" in output(lesson, verdict)


def test_a_class_that_is_no_module_is_told_so(judged, lesson):
    class Plain:
        def __init__(self, d_in, d_out):
            pass

    verdict = judged(type("Projection", (Plain,), {}))
    assert isinstance(verdict.finding, f.WrongType)
    assert "is a class, but no module" in output(lesson, verdict)


def test_a_function_or_an_instance_is_not_the_class(judged, lesson):
    assert isinstance(judged(lambda x: x).finding, f.NotAFunction)
    verdict = judged(Projection(3, 2))
    assert isinstance(verdict.finding, f.NotAFunction)
    assert "the task asks for a class" in output(lesson, verdict)


def test_the_stub_is_told_to_wait(judged):
    class Stub(nn.Module):
        def __init__(self, d_in, d_out):
            super().__init__()
            ...  # noqa: PIE790

        def forward(self, x):
            """Shapes: …"""
            ...  # noqa: PIE790

    assert isinstance(judged(Stub).finding, f.StillStub)


def test_a_forward_that_gives_back_nothing_is_told_to_return(judged, lesson):
    class Silent(Projection):
        def forward(self, x):
            super().forward(x)

    assert "Is there a `return` at the end?" in output(lesson, judged(Silent))


def test_right_numbers_that_no_gradient_reaches_are_not_enough(judged, lesson):
    class Detached(Projection):
        def forward(self, x):
            scores = (x @ self.W_query) @ (x @ self.W_key.detach()).mT
            return torch.softmax(scores / self.W_key.shape[1] ** 0.5, dim=-1)

    verdict = judged(Detached)
    assert isinstance(verdict.finding, f.BrokenProperty)
    assert "No gradient reaches `W_key`" in output(lesson, verdict)


def test_a_result_that_changes_from_call_to_call_in_eval_mode_is_found(judged, lesson):
    class Restless(Projection):
        calls = 0

        def forward(self, x):
            Restless.calls += 1
            return super().forward(x) + 0.1 * (Restless.calls % 2 == 0)

    assert "different results in eval mode" in output(lesson, judged(Restless))


def test_an_input_edited_in_place_is_named(judged, lesson):
    class Edits(Projection):
        def forward(self, x):
            result = super().forward(x)
            x.mul_(0)
            return result

    verdict = judged(Edits)
    assert "changed its argument `x`" in output(lesson, verdict)


def test_a_module_fixed_to_float32_fails_only_where_another_dtype_is_asked(judged):
    class Fixed(Projection):
        def forward(self, x):
            return super().forward(x) @ torch.eye(x.shape[0], dtype=torch.float32)

    verdict = judged(Fixed)
    assert [result.earned for result in verdict.results] == [1, 0]
