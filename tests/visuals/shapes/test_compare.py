"""The first line that departs is named, and right code is never accused."""

from __future__ import annotations

import pytest
import torch

from tests.mutants import lesson_04, lesson_05, lesson_06
from tests.mutants.answers import Answer, solutions
from visuals import track_shapes
from visuals.shapes.causes import is_explained

CROSS_SIZES = {"b": 2, "target": 5, "source": 7, "d_model": 12, "heads": 4, "head_dim": 3}
CROSS = [
    (("q", "queries"), ("b", "heads", "target", "head_dim")),
    (("k", "keys"), ("b", "heads", "source", "head_dim")),
    (("v", "values"), ("b", "heads", "source", "head_dim")),
    (("scores",), ("b", "heads", "target", "source")),
    (("weights", "softmax()"), ("b", "heads", "target", "source")),
    ("output", ("b", "target", "d_model")),
]
ONE_HEAD = [
    (("queries", "q"), ("b", "tokens", "d_out")),
    (("keys", "k"), ("b", "tokens", "d_out")),
    (("values", "v"), ("b", "tokens", "d_out")),
    (("scores", "attn_scores"), ("b", "tokens", "tokens")),
    (("weights", "attn_weights", "softmax()"), ("b", "tokens", "tokens")),
    ("output", ("b", "tokens", "d_out")),
]


def watched(call, sizes):
    """The record of a call that may fail."""
    t = track_shapes(**sizes)
    try:
        with t:
            call()
    except (RuntimeError, IndexError, TypeError):
        pass
    return t


def fused(namespace, sizes, sentences):
    module = namespace["MultiHeadAttention"](3, 8, 9, 0.1, 2)
    return watched(lambda: module(sentences), sizes)


def causal_heads(namespace, sizes, sentences):
    module = namespace["CausalHeads"](3, 8, 9, 2)
    return watched(lambda: module(sentences), sizes)


def encoder_heads(namespace, sizes, sentences):
    module = namespace["EncoderHeads"](3, 8, 2)
    return watched(lambda: module(sentences), sizes)


def cross(namespace):
    module = namespace["MultiHeadAttention"](12, 4)
    target, source = torch.ones(2, 5, 12), torch.ones(2, 7, 12)
    return watched(lambda: module(target, source, source, torch.ones(2, 1, 1, 7)), CROSS_SIZES)


def answers(lesson, task, kind):
    actual = getattr(lesson.TASKS[task], kind)
    return [pytest.param(answer, id=answer.name) for answer in actual]


def code_of(lesson, task, name):
    every: tuple[Answer, ...] = lesson.TASKS[task].wrong + lesson.TASKS[task].right
    return next(answer.code for answer in every if answer.name == name)


def given(lesson, task):
    """The code in which a learner is to find the bug."""
    return solutions(lesson)[task].faulty


# Right code


def test_the_solution_agrees_in_every_name(solved, sizes, steps, sentences):
    actual = fused(solved("05-multi-head"), sizes, sentences).compare(steps)
    assert not actual.departs
    assert actual.agreeing == ("queries", "keys", "values", "scores", "weights", "context", "output")
    assert actual.absent == ()
    assert actual.text.startswith("Nothing departs from what the lesson expects.")


@pytest.mark.parametrize("answer", answers(lesson_05, "multi-head-attention", "right"))
def test_another_right_fused_class_is_not_accused(answer, solved, sizes, steps, sentences):
    namespace = solved("05-multi-head", {"multi-head-attention": answer.code})
    assert (
        fused(namespace, sizes, sentences).compare(steps).text.startswith(("Nothing departs", "Nothing to"))
    )


@pytest.mark.parametrize("answer", answers(lesson_05, "bug-view-without-transpose", "right"))
def test_heads_mended_in_another_way_are_not_accused(answer, solved, sizes, steps, sentences):
    namespace = solved("05-multi-head", {"bug-view-without-transpose": answer.code})
    assert not causal_heads(namespace, sizes, sentences).compare(steps).departs


@pytest.mark.parametrize("answer", answers(lesson_06, "multi-head-attention-module", "right"))
def test_another_right_class_for_two_sentences_is_not_accused(answer, solved):
    namespace = solved("06-encoder-decoder", {"multi-head-attention-module": answer.code})
    assert not cross(namespace).compare(CROSS).departs


@pytest.mark.parametrize("answer", answers(lesson_04, "causal-attention", "right"))
def test_another_right_class_with_one_head_is_not_accused(answer, solved, sentences):
    module = solved("04-dropout", {"causal-attention": answer.code})["CausalAttention"](3, 8, 9, 0.1)
    t = watched(lambda: module(sentences), {"b": 5, "tokens": 7, "d_in": 3, "d_out": 8})
    assert not t.compare(ONE_HEAD).departs


def test_the_classes_of_lesson_02_have_the_shapes_of_one_sentence(solved, sentences):
    namespace = solved("02-trainable")
    expected = [(names, tuple(axis for axis in axes if axis != "b")) for names, axes in ONE_HEAD]
    for name in ("SelfAttention_v1", "SelfAttention_v2"):
        t = track_shapes(namespace[name](3, 8), tokens=7, d_in=3, d_out=8)
        t(sentences[0])
        actual = t.compare(expected)
        assert not actual.departs
        assert "queries" in actual.agreeing
        assert "output" in actual.agreeing


def test_the_steps_of_lesson_03_are_named_in_the_notebook(solved):
    namespace = solved("03-causal")
    scores = torch.ones(6, 6)
    with track_shapes(tokens=6) as t:
        mask = namespace["causal_mask"](6)
        weights = torch.softmax(scores.masked_fill(mask.bool(), -torch.inf), dim=-1)
    actual = t.compare([("mask", ("tokens", "tokens")), ("weights", ("tokens", "tokens"))])
    assert actual.agreeing == ("mask", "weights")
    assert weights.shape == (6, 6)


def test_einsum_with_the_tokens_before_the_heads_is_right(sizes, steps, sentences):
    def attention(x):
        queries = keys = values = (x @ torch.ones(3, 8)).unflatten(-1, (2, 4))
        scores = torch.einsum("bqhd,bkhd->bqhk", queries, keys)
        weights = scores.softmax(dim=-1)
        return torch.einsum("bqhk,bkhd->bqhd", weights, values).flatten(2)

    with track_shapes(**sizes) as t:
        output = attention(sentences)
    assert output.shape == (5, 7, 8)
    assert not t.compare(steps).departs


def test_an_error_that_is_caught_is_no_departure(sizes, steps, sentences):
    def merged(x):
        try:
            return x.transpose(0, 1).view(35, 3)
        except RuntimeError:
            return x.transpose(0, 1).reshape(35, 3)

    with track_shapes(**sizes) as t:
        merged(sentences)
    assert not t.compare(steps).departs


def test_parameters_under_an_expected_name_are_not_compared(sizes, steps):
    weights = torch.nn.Parameter(torch.ones(8, 3))
    with track_shapes(**sizes) as t:
        weights = weights.view(2, 4, 3)
    assert t.compare(steps).absent[4] == "weights"
    assert len(weights) == 2


def test_a_variable_called_output_is_not_the_output(sizes, sentences):
    class Module(torch.nn.Module):
        def forward(self, x):
            output = x.transpose(1, 2)
            return output.transpose(1, 2)

    t = track_shapes(Module(), **sizes)
    t(sentences)
    assert not t.compare([("output", ("b", "tokens", "d_in"))]).departs


def test_names_that_the_code_does_not_use_are_said_to_be_left_out(sizes, steps, sentences):
    with track_shapes(**sizes) as t:
        keys = sentences.transpose(0, 1)
    actual = t.compare([("queries", ("b", "tokens", "d_in")), ("keys", ("tokens", "b", "d_in"))])
    assert actual.absent == ("queries",)
    assert "Not compared, because your code has no such name: queries." in actual.text
    assert len(keys) == 7


# Wrong code


def test_a_missing_transpose_is_found_where_it_is_missing(solved, sizes, steps, sentences):
    mended = solutions("05-multi-head")["bug-view-without-transpose"].text
    code = mended.replace("self.head_dim).transpose(1, 2)", "self.head_dim)")
    actual = causal_heads(solved("05-multi-head", {"bug-view-without-transpose": code}), sizes, sentences)
    actual = actual.compare(steps)
    assert actual.operation.site.text.startswith("queries = self.W_query(x).view(")
    assert actual.name == "queries"
    assert actual.expected == "(b, heads, tokens, head_dim)"
    assert actual.found == "(b, tokens, heads, head_dim) = (5, 7, 2, 4)"
    assert actual.cause.startswith("axes 1 and 2 are the other way round: a transpose(1, 2) is missing")


def test_of_three_splits_the_one_without_a_transpose_is_found(sizes, steps, sentences):
    def scores_of(x):
        queries = (x @ torch.ones(3, 8)).view(5, 7, 2, 4).transpose(1, 2)
        keys = (x @ torch.ones(3, 8)).view(5, 7, 2, 4)
        return queries @ keys.transpose(2, 3)

    actual = watched(lambda: scores_of(sentences), sizes).compare(steps)
    assert actual.operation.site.text.startswith("keys = ")
    assert "transpose(1, 2) is missing" in actual.cause
    assert actual.error.startswith("RuntimeError")


def test_heads_that_were_never_split_are_found(sizes, steps, sentences):
    def scores_of(x):
        queries = (x @ torch.ones(3, 8)).view(5, 7, 2, 4).transpose(1, 2)
        keys = x @ torch.ones(3, 8)
        return queries @ keys.transpose(2, 3)

    actual = watched(lambda: scores_of(sentences), sizes).compare(steps)
    assert actual.operation.site.text == "keys = x @ torch.ones(3, 8)"
    assert actual.cause == "heads and head_dim are still one axis of 8: it has to be split"


def test_view_in_place_of_transpose_is_found_although_the_shape_is_right(solved, sizes, steps, sentences):
    code = given("05-multi-head", "bug-view-without-transpose")
    t = causal_heads(solved("05-multi-head", {"bug-view-without-transpose": code}), sizes, sentences)
    actual = t.compare(steps)
    assert actual.operation.name == "view"
    assert actual.operation.site.text.startswith("queries = self.W_query(x).view(b, self.num_heads")
    assert "the shape (b, heads, tokens, head_dim) is right, what is in it is not" in actual.text
    assert "From (b, tokens, d_out), split the last axis first" in actual.text


def test_heads_joined_without_transposing_back_are_found(solved, sizes, steps, sentences):
    code = given("05-multi-head", "bug-merge-without-transpose")
    t = encoder_heads(solved("05-multi-head", {"bug-merge-without-transpose": code}), sizes, sentences)
    actual = t.compare(steps)
    assert actual.operation.site.text == "context = context.reshape(b, num_tokens, -1)"
    assert "bring tokens back to its place with transpose first, then join" in actual.cause


def test_a_mask_that_is_not_cut_is_found(solved, sizes, steps, sentences):
    code = code_of(lesson_05, "multi-head-attention", "mask-not-cut")
    actual = fused(solved("05-multi-head", {"multi-head-attention": code}), sizes, sentences).compare(steps)
    assert "masked_fill_" in actual.operation.site.text
    assert "on axis -1 7 (tokens) meets 9" in actual.cause
    assert "has to be cut to the tokens present" in actual.cause


def test_keys_reshaped_with_the_querys_length_are_found(solved):
    code = given("06-encoder-decoder", "bug-query-length")
    namespace = solved("06-encoder-decoder", {"bug-query-length": code})
    queries, keys = torch.ones(2, 5, 12), torch.ones(2, 7, 12)
    actual = watched(lambda: namespace["cross_scores"](queries, keys, 4), CROSS_SIZES).compare(CROSS)
    assert actual.operation.site.text.startswith("k = k.reshape(batch_size, max_sequence_length")
    assert "k has the shape (b, source, d_model): 168 numbers do not fill (2, 5, 4, 3)" in actual.cause
    assert actual.cause.endswith("Its axis 1 is 7 (source), not 5 (target)")


def test_a_source_cut_to_the_targets_length_is_found_although_nothing_fails(solved):
    code = code_of(lesson_06, "bug-query-length", "source-cut")
    namespace = solved("06-encoder-decoder", {"bug-query-length": code})
    queries, keys = torch.ones(2, 5, 12), torch.ones(2, 7, 12)
    actual = watched(lambda: namespace["cross_scores"](queries, keys, 4), CROSS_SIZES).compare(CROSS)
    assert actual.error == ""
    assert actual.operation.site.text == "k = k[:, :max_sequence_length]"


def test_another_width_of_the_output_is_found(solved, sentences):
    code = code_of(lesson_04, "causal-attention", "weights-times-the-input")
    module = solved("04-dropout", {"causal-attention": code})["CausalAttention"](3, 8, 9, 0.1)
    t = watched(lambda: module(sentences), {"b": 5, "tokens": 7, "d_in": 3, "d_out": 8})
    actual = t.compare(ONE_HEAD)
    assert (actual.name, actual.operation.site.text) == ("output", "context_vec = attn_weights @ x")
    assert actual.cause == "axis 2 has the size 3 (d_in), not d_out"


@pytest.mark.parametrize(
    ("fail", "cause"),
    [
        (lambda x: x @ x, "in (b, tokens, d_in) @ (b, tokens, d_in) the last axis on the left, 3 (d_in)"),
        (lambda x: x @ torch.ones(4, 3, 2), "axes before the last two must agree, and 5 (b) meets 4"),
        (lambda x: x + torch.ones(4, 3), "on axis -2 7 (tokens) meets 4"),
        (lambda x: x.transpose(1, 2).view(5, 21), "do not lie in reading order, as after a transpose"),
        (lambda x: torch.nn.Linear(8, 2)(x), "takes 8 numbers on the last axis; x has 3 (d_in) there"),
        (lambda x: x.view(4, -1), "105 numbers do not fill (4, -1)"),
    ],
)
def test_a_failing_line_is_told_with_its_cause(fail, cause, sizes, sentences):
    actual = watched(lambda: fail(sentences), sizes).compare([])
    assert cause in actual.text
    assert "This line fails" in actual.text


@pytest.mark.parametrize(
    ("actual", "expected", "explained"),
    [
        ((5, 2, 7, 4), (5, 2, 7, 4), True),
        ((10, 7, 4), (5, 2, 7, 4), True),
        ((7, 4), (5, 2, 7, 4), True),
        ((5, 1, 7, 8), (5, 2, 7, 4), True),
        ((5, 7, 2, 4), (5, 7, 8), True),
        ((5, 7, 2, 2), (5, 2, 7, 7), False),
        ((5, 2, 6, 4), (5, 2, 7, 4), False),
        ((1,), (5, 2), True),
    ],
)
def test_a_shape_may_be_the_expected_one_in_other_axes(actual, expected, explained):
    assert is_explained(actual, expected) == explained


def test_a_comparison_is_shown_as_text_and_html(sizes, steps, sentences):
    with track_shapes(**sizes) as t:
        keys = sentences @ torch.ones(3, 5)
    actual = t.compare([("keys", ("b", "tokens", "d_out"))])
    bundle = actual._repr_mimebundle_()
    assert bundle["text/plain"] == repr(actual)
    assert "<code>keys = sentences @ torch.ones(3, 5)</code>" in bundle["text/html"]
    assert len(keys) == 5


def test_sizes_that_others_share_make_no_accusation_of_mixing():
    """Three tokens and three numbers: which axis is which cannot be known."""
    x = torch.ones(2, 6, 4)
    with track_shapes(b=2, tokens=6, heads=2, head_dim=2, d_in=3) as t:
        x.reshape(2, 2, 6, 2)
    assert not t.compare([("keys", ("b", "heads", "tokens", "head_dim"))]).departs
