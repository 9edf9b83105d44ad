"""Every finding in words: what is wrong, where, and what to do next."""

from __future__ import annotations

import dataclasses
import math
import re

import pytest
import torch
from autograder.experiments.dropout import MEASURES
from autograder.experiments.registry import EXPERIMENTS
from autograder.records import answer_findings as f
from autograder.records.answer_findings import Verdict
from autograder.records.bank import Probe
from autograder.records.run_outcome import ErrorReport, ForbiddenCall, Operand, Outcome, Uncalled
from autograder.words.fact_wording import fact_text
from autograder.words.finding_wording import short_finding, word, word_whole
from autograder.words.phrases import axis_label, number_text
from support.tiny_lesson import ENTRIES, PAIRS, ROW_SUMS, SHARE, TOTAL, plain_task


def printed(message) -> str:
    """All of a message as one text."""
    return "\n".join([message.headline, *message.details, message.code])


# Not defined, stub, not run


STOPPED = ErrorReport("NameError", "name 'tabel' is not defined", "row_sums = tabel.sum(dim=1)", 2)


@pytest.mark.parametrize(
    "finding", [f.NotDefined(nearest=("row_sum",), error=STOPPED), f.StillStub(error=STOPPED)]
)
def test_a_cell_that_stopped_repeats_its_error_and_says_what_to_do(row_sums, finding):
    message = word(finding, row_sums)
    assert message.headline == (
        "The cell that should make `row_sums` stopped in line 2. NameError: name 'tabel' is not defined"
    )
    assert message.code == "row_sums = tabel.sum(dim=1)"
    assert message.details[0].startswith("A name is used that nothing has defined here")
    assert message.details[1] == "Correct what leads to it and run the cell again, then this one."


def test_what_was_not_run_says_why(share):
    assert word(f.NotRun(reason="the kernel died"), share).headline == (
        "`share` could not be checked: the kernel died."
    )
    assert word(f.NotRun(), share).headline == (
        "`share` could not be checked: the notebook stopped before it got here."
    )


# Raised


def raised(kind, text, **more):
    return f.Raised(ErrorReport(kind, text, **more), probe="three")


@pytest.mark.parametrize(
    ("kind", "text", "line", "advice"),
    [
        ("TypeError", "'float' object is not callable", "self.dropout(w)", "`nn.Dropout(dropout)` makes"),
        ("TypeError", "'Parameter' object is not callable", "", "used with `@`"),
        ("AttributeError", "'Attention' object has no attribute 'W_q'", "q = self.W_q(x)", "`__init__` set"),
        ("IndexError", "list assignment index out of range", "", "`append` adds one"),
        ("IndexError", "list index out of range", "", "an empty list has none"),
        ("IndexError", "tensors used as indices must be long or bool tensors", "x[which]", "`//` does not"),
    ],
)
def test_an_error_that_learners_often_meet_is_explained_first(share, kind, text, line, advice):
    assert advice in word(raised(kind, text, line=line, line_number=3), share).details[0]


@pytest.mark.parametrize(
    ("kind", "text", "line", "never"),
    [
        ("TypeError", "'float' object is not callable", "root = scale(x)", "dropout"),
        ("AttributeError", "'Block' object has no attribute 'W_q'", "q = block.W_q(x)", "__init__"),
        ("IndexError", "list index out of range", "", "tensor"),
    ],
)
def test_an_error_is_explained_by_nothing_that_stands_elsewhere(share, kind, text, line, never):
    assert never not in " ".join(word(raised(kind, text, line=line, line_number=3), share).details)


B, T, D = 2, 5, 3
FOUR_AXES = (2, 4, 5, 3)


@pytest.mark.parametrize(
    ("line", "shapes", "says"),
    [
        ("s = a @ a.T", {"a": (B, T, D)}, "`a.T` turns the shape (2, 5, 3) into (3, 5, 2). A product needs"),
        ("s = a @ a.transpose(1, 2)", {"a": FOUR_AXES}, "`a.transpose(1, 2)` turns the shape (2, 4, 5, 3)"),
        ("return self.q @ k.mT @ v", {"self.q": (B, T, D)}, "In a product of batches"),
        ("s = q @ k", {"q": (B, T, D), "k": (B, 4, D)}, "`k.transpose(-2, -1)` would fit."),
        ("s = q @ k", {"q": (B, T, D), "k": (B, T, 4)}, "the last axis of `q` has size 3, and the last"),
        ("s = q @ k.transpose(-2, -1)", {"q": (B, T, 4), "k": (B, T, D)}, "In a product of batches"),
    ],
)
def test_a_product_that_stops_is_explained_by_the_shapes_of_its_factors(share, line, shapes, says):
    text = "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, 5]."
    operands = tuple(Operand(name, shape, "float32") for name, shape in shapes.items())
    message = word(raised("RuntimeError", text, line=line, line_number=4, operands=operands), share)
    assert says in message.details[0]


def test_a_new_shape_that_holds_other_numbers_is_told_with_how_many(share):
    text = "shape '[2, 5, 4]' is invalid for input of size 30"
    message = word(raised("RuntimeError", text, line="x.view(b, n, h)", line_number=2), share)
    assert message.details[0].startswith("The new shape holds 40 numbers, and the tensor 30.")


def test_an_error_in_what_a_line_calls_is_told_with_that_line(share):
    error = raised(
        "ValueError", "no", line="return helper(x)", line_number=2, function="share", called="helper"
    )
    assert "Line 2 of its cell leads to a call of `helper`, which stops" in printed(word(error, share))


def test_of_a_hook_with_other_arguments_it_is_not_said_to_look_at_what_the_model_is_given(share):
    text = "share.<locals>.keep() takes 2 positional arguments but 3 were given"
    error = raised("TypeError", text, line="model(x)", line_number=2, function="share", called="Model")
    message = printed(word(error, share))
    assert "look at what it is given" not in message
    assert "A forward hook gets three" in message


def test_all_that_a_call_could_have_taken_is_left_out(share):
    text = "masked_fill() received - got (bool, float), but expected one of:\n * (Tensor mask, Tensor value)"
    headline = word(raised("TypeError", text), share).headline
    assert headline.endswith("on three numbers: masked_fill() received - got (bool, float)")


# Wrong type


@pytest.mark.parametrize(
    ("obtained", "article"),
    [
        ("list", "a list"),
        ("int", "an int"),
        ("numpy.ndarray", "a numpy.ndarray"),
        ("ellipsis", "an ellipsis"),
    ],
)
def test_a_wrong_type_is_told_with_its_article(share, obtained, article):
    headline = word(f.WrongType(obtained, probe="three"), share).headline
    assert headline == f"`share` gives back {article} on three numbers, and the task asks for a tensor."


@pytest.mark.parametrize(
    ("fields", "asked_for"),
    [
        ({"settings": {"stacked": True}}, "does not hold tensors of one shape."),
        ({"then": {"x": torch.ones(2)}}, "the task asks for something that can be called."),
    ],
    ids=["several", "put to use"],
)
def test_a_tuple_is_told_by_what_is_asked_for(share, fields, asked_for):
    probe = dataclasses.replace(share.probe["three"], **fields)
    task = dataclasses.replace(share, probes=(probe,))
    assert word(f.WrongType("tuple", probe="three"), task).headline.endswith(asked_for)


@pytest.mark.parametrize(
    ("obtained", "advice"),
    [
        *(("list", "torch.stack"), ("tuple", "comma")),
        *(("numpy.ndarray", "torch.from_numpy"), ("float", "shape (3,)")),
    ],
)
def test_a_wrong_type_gets_the_advice_it_deserves(share, obtained, advice):
    assert advice in word(f.WrongType(obtained, probe="three"), share).details[0]


# Wrong shape


def test_several_tensors_that_are_told_as_one_say_what_axis_0_counts(pairs):
    wrong = f.WrongShape((2, 0), (2, 3), axis=1, probe=pairs.probes[0].id)
    stacked = [dataclasses.replace(probe, settings={"stacked": True}) for probe in pairs.probes]
    several = dataclasses.replace(pairs, probes=tuple(stacked))
    assert "Axis 0 counts the tensors" in printed(word(wrong, several))
    assert "Axis 0 counts the tensors" not in printed(word(wrong, pairs))


def test_a_wrong_number_of_axes_names_those_that_are_asked_for(pairs):
    message = word(f.WrongShape((3,), (3, 3), probe="three"), pairs)
    expected = "2 axes: tokens, one for each query × tokens, one for each key."
    assert message.details == (f"It has 1 axis; the task asks for {expected}",)


# Wrong dtype and not finite


LIKELY_CAUSES = {
    "int64": "Whole numbers",
    "uint8": "Whole numbers",
    "bool": "True",
    "float16": "Half precision",
}


@pytest.mark.parametrize(("dtype", "cause"), LIKELY_CAUSES.items())
def test_a_wrong_dtype_is_told_with_its_likely_cause(share, dtype, cause):
    message = word(f.WrongDtype(dtype, ("float32", "float64"), probe="three"), share)
    assert message.headline == (
        f"The result on three numbers has dtype {dtype}, and the task asks for float32 or float64."
    )
    assert message.details[0].startswith(cause)


# Wrong values


def wrong_values(**fields):
    usual = {"probe": "three", "index": (1,), "obtained": 0.5, "expected": 0.25}
    return f.WrongValues(**{**usual, "largest_error": 0.375, "share_right": 2 / 3, **fields})


def test_entries_that_were_never_filled_in_are_counted(share):
    assert "1 entry is exactly 0" in printed(word(wrong_values(unfilled=1), share))
    assert "2 entries are exactly 0" in printed(word(wrong_values(unfilled=2), share))


@pytest.mark.parametrize("share_right", [0.999, 0.9951])
def test_not_all_entries_are_right_where_one_is_wrong(share, share_right):
    assert "100 %" not in printed(word(wrong_values(share_right=share_right), share))


def test_two_numbers_that_differ_are_shown_so_that_they_differ(share):
    headline = word(wrong_values(obtained=0.95441, expected=0.95444), share).headline
    shown = headline.removesuffix(".").split(" is ")[1].split(" on three numbers and should be ")
    assert shown[0] != shown[1]


# What is known about the whole answer


def verdict(**fields):
    return Verdict("share", (f.CheckResult("a check", 1, 0, f.StillStub()),), **fields)


OPERANDS = (Operand("x", (2, 3), "float32"), Operand("n", value="3"))
BY_LARGEST = f.Named("by-largest", "the numbers are divided by the largest", "Use `x.sum()`.")
NO_SUM = f.Named("no-sum", "nothing is added up", "Add up.")


def test_an_earlier_task_is_not_to_blame_where_the_mistake_is_known(share):
    message = word_whole(wrong_values(), share, verdict(unfinished=("row_sums",), named=(BY_LARGEST,)))
    assert "row_sums" not in printed(message)


@pytest.mark.parametrize(
    ("fact", "says"),
    [
        (
            f.Idle(("W_key.weight",)),
            "In what was tried, `W_key.weight` had little or no effect on the result.",
        ),
        (f.Reaches("x", "b", "b", 0, 1), "of batch element 0 changes when batch element 1 of `x` changes."),
        (f.Reaches("x", "tokens", "tokens", 0, 2), "when token 2 of `x` changes, and it must not."),
        (
            f.Reaches("x", "tokens", "tokens as query", 1, 1, missing=True),
            "when its own place of `x` was changed.",
        ),
        (f.Related("times", -1.0), "Every number has the wrong sign."),
        (f.Related("plus", 0.5), "Every number is off by the same amount, 0.5000."),
        (f.Related("turned"), "These are the right numbers, turned: rows and columns have changed places."),
        (f.Related("reversed", axis=0), "These are the right numbers, in reverse order along axis 0."),
        (f.Related("digits", 3.0), "The numbers are right to about 3 digits only."),
        (f.Related("but-one", 2.0, 1), "All is right but key 2."),
        (f.Related("input", -1.0, name="x"), "The result is the right one minus `x`."),
        (f.Related("shared", 1.0, 0), "Along axis 0 the numbers add up to 1. They should along axis 1."),
        (f.Related("until", 2.0, 1), "Up to key 2 all is right. In each later one something is wrong."),
    ],
)
def test_a_fact_is_told_in_one_sentence(pairs, fact, says):
    assert word_whole(wrong_values(index=(1, 0)), pairs, verdict(facts=(fact,))).headline.endswith(says)


@pytest.mark.parametrize("kind", ["tensor", "function"])
def test_who_may_have_typed_numbers_reads_that_more_digits_earn_nothing(pairs, kind):
    task = dataclasses.replace(pairs, kind=kind)
    message = word_whole(wrong_values(index=(1, 0)), task, verdict(facts=(f.Related("digits", 3.0),)))
    assert ("Typed numbers earn nothing" in printed(message)) == (kind == "tensor")


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ((BY_LARGEST,), "the numbers are divided by the largest."),
        ((BY_LARGEST, NO_SUM), "the numbers are divided by the largest; nothing is added up."),
    ],
)
def test_what_a_check_found_is_said_by_the_names_of_the_mistakes(share, named, says):
    wrong = Verdict("share", (f.CheckResult("a", 1, 0, f.MatchesKnownWrong(probe="three")),), named)
    assert short_finding(share, wrong) == f"What your last check saw fits this: {says}"


def test_what_a_check_found_is_the_headline_where_no_mistake_is_known(share):
    wrong = Verdict("share", (f.CheckResult("a", 1, 0, wrong_values()),))
    assert short_finding(share, wrong) == f"Your last check found: {word(wrong_values(), share).headline}"


@pytest.mark.parametrize("finding", [None, f.NotDefined(), f.StillStub(), f.NotRun(), f.GivensChanged(())])
def test_nothing_was_found_where_nothing_could_be_judged(share, finding):
    assert short_finding(share, Verdict("share", (f.CheckResult("a", 1, 0, finding),))) == ""


def test_globals_that_a_function_reads_are_told_last(share):
    message = word_whole(wrong_values(), share, verdict(globals_read=("table", "scores")))
    assert message.details[-1].startswith("`share` reads `table` and `scores` from the notebook.")


# Small parts


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((0.0, "0"), (-2.0, "-2"), (0.95444, "0.9544"), (12345.678, "12345.6780")),
        *((1e-5, "1.000e-05"), (1.5e9, "1.500e+09"), (math.nan, "nan"), (-math.inf, "-inf")),
    ],
)
def test_a_number_reads_like_in_the_text(value, expected):
    assert number_text(value) == expected


def test_an_axis_with_a_role_is_told_with_it(pairs, share):
    assert axis_label(pairs, 0) == "tokens, one for each query"
    assert axis_label(share, 0) == "tokens"
    assert axis_label(share, 5) == ""


# Experiments

DROPOUT = {"observe": "dropout", "settings": {"p": 0.2, "copies": 2}}


def asked(*axes, name="CausalAttention", kind="module", shown=None, input_axes=None, **probe):
    """A task of which one probe is an experiment; `shown` is what that gives for the solution."""
    shown = torch.zeros(1) if shown is None else shown
    expected = Outcome("torch.Tensor", shown, tuple(shown.shape), str(shown.dtype).removeprefix("torch."))
    return plain_task(
        name,
        Probe("tried", "six tokens", {}, expected=expected, **probe),
        id="task",
        kind=kind,
        axes=axes,
        dtypes=("float32",),
        entries={**ENTRIES, "source": "source token"},
        input_axes=input_axes or {},
    )


def behaves(task, index, obtained, expected=None):
    observe = task.probe["tried"].observe
    right = float(not obtained) if expected is None else expected
    return f.WrongBehaviour(observe, index, float(obtained), right, probe="tried"), task


def test_an_axis_of_several_tensors_is_told_as_that_of_each(pairs):
    probe = dataclasses.replace(pairs.probes[0], settings={"stacked": True})
    task = dataclasses.replace(pairs, probes=(probe, *pairs.probes[1:]))
    each = f.Related("reversed", axis=2, probe=probe.id)
    assert "along axis 1 of each tensor." in fact_text(each, task)
    assert "along axis 0 (which counts the tensors)." in fact_text(dataclasses.replace(each, axis=0), task)


@pytest.mark.parametrize(
    ("column", "expected", "says"),
    [
        (0, 1.0, "Every new `CausalAttention` has the same numbers in `W`."),
        (0, 0.0, "Every new `CausalAttention` has other numbers in `W`."),
        (1, 1.0, "`W` starts with the same numbers as another of the parameters."),
        (1, 0.0, "`W` starts with numbers of its own"),
    ],
)
def test_start_values_are_told_by_what_is_seen_of_them(column, expected, says):
    task = asked("b", "tokens", observe="start-values", settings={"names": ["W"]})
    assert says in printed(word(*behaves(task, (0, column), 1 - expected, expected)))


def influence(axis, *axes, shown=None):
    return asked(*(axes or ("batch", "tokens", "d_out")), observe="influence",
                 settings={"input": "x", "axis": axis}, shown=shown)  # fmt: skip


CAUSAL = torch.ones(4, 4).tril().bool()


@pytest.mark.parametrize("axis", [1, -2])
def test_a_look_ahead_names_both_tokens_and_says_that_one_comes_later(axis):
    message = word(*behaves(influence(axis, shown=CAUSAL), (0, 3), True))
    assert message.headline == "The output of token 0 changes on six tokens when token 3 is changed."
    assert message.details == ("Token 3 comes later and must be hidden.",)


@pytest.mark.parametrize("changed", [0, 2, 3])
def test_a_token_that_has_no_influence_is_named_with_the_one_that_should_see_it(changed):
    message = word(*behaves(influence(1), (3, changed), False))
    assert message.headline == (
        f"The output of token 3 stays the same on six tokens when token {changed} is changed."
    )
    assert message.details == (f"It should depend on token {changed}.",)


@pytest.mark.parametrize("index", [(0, 1), (1, 0)])
def test_a_batch_that_mixes_is_told_so_whichever_axis_it_has(index):
    message = word(*behaves(influence(0), index, True))
    assert message.headline == (
        f"The result of batch element {index[0]} changes on six tokens "
        f"when batch element {index[1]} is changed."
    )
    assert message.details == ("The elements of a batch must not mix.",)


@pytest.mark.parametrize("name", ["b", "batch", "batch_size"])
def test_a_batch_axis_under_any_name_is_told_as_a_batch(name):
    message = word(*behaves(influence(0, name, "tokens", "d_out"), (0, 1), True))
    assert "batch element 0" in message.headline
    assert "comes later" not in printed(message)


@pytest.mark.parametrize("shown", [CAUSAL.T, torch.eye(4).bool(), torch.ones(4, 4).bool()])
def test_nothing_comes_later_where_the_solution_does_not_look_back_alone(shown):
    message = word(*behaves(influence(1, shown=shown), (0, 3), True))
    assert message.details == ("It must not depend on token 3.",)


CROSS = {
    "observe": "influence",
    "settings": {"input": "source", "axis": -2},
    "input_axes": {"source": ("batch", "source", "d_in")},
    "shown": CAUSAL,
}


@pytest.mark.parametrize("changed", [1, 4])
def test_a_slice_of_another_sequence_does_not_come_later(changed):
    message = word(*behaves(asked("batch", "tokens", "d_out", **CROSS), (3, changed), True))
    assert message.headline == (
        f"The output of token 3 changes on six tokens when source token {changed} is changed."
    )
    assert message.details == (f"It must not depend on source token {changed}.",)


@pytest.mark.parametrize("index", [(), (0,), (0, 3, 2)], ids=str)
@pytest.mark.parametrize("observe", [name for name in EXPERIMENTS if name != "other-device"])
def test_what_could_not_be_measured_is_told_without_numbers(observe, index):
    if len(index) == (EXPERIMENTS[observe].axes or 3):
        return
    message = word(*behaves(asked("batch", "tokens", "d_out", observe=observe), index, 0.5, 0.25))
    assert message.headline == "`CausalAttention` does not do what it should on six tokens."
    assert message.details == ("Call it there, and print what comes back, and what is changed afterwards.",)


def test_another_order_of_one_input_is_told_by_that_inputs_name():
    probe = Probe("p", "six tokens", {"q_input": torch.ones(2), "k_input": torch.ones(2)},
                  observe="permuted", settings={"input": "q_input", "axis": 0})  # fmt: skip
    task = dataclasses.replace(asked("tokens", observe="permuted", settings=probe.settings), probes=(probe,))
    message = word(f.WrongBehaviour("permuted", (1,), 1.0, 0.0, probe="p"), task)
    assert message.headline.startswith("Rows of `q_input` in another order do not just change places")
    assert "`k_input`" in message.details[0]


# What is seen, what should be, and what the headline and the advice say.
SAID_OF_DROPOUT = {
    "finite": (0.0, 1.0, "holds nan or inf", "0 times −inf"),
    "left alone in eval mode": (0.0, 1.0, "In eval mode something is dropped", "and nothing is scaled"),
    "draws differ": (0.0, 1.0, "Every call gives the same result", "every call needs a new draw"),
    "share kept": (0.2, 0.8, "20 % of the entries are kept", "p is the share that is dropped."),
    "copies together": (0.0, 1.0, "Numbers that belong together", "Drop what they are made of"),
    "one by one": (0.0, 1.0, "Some entries are always dropped together", "Every entry has a draw of its own"),
    "counts vary": (0.0, 1.0, "drops exactly as many entries", "whatever becomes of the others"),
    "one factor": (0.0, 1.0, "not all multiplied by the same number", "Nothing is normalised after dropout"),
    "factor": (1.0, 1.25, "multiplied by 1 in training mode; with p = 0.2 it should be", "shrink"),
    "size in eval mode": (9.6, 12.0, "without any dropout", "The scaling belongs to training"),
}


@pytest.mark.parametrize("measure", MEASURES)
def test_a_measure_of_dropout_says_what_was_seen_and_what_should_be(measure):
    obtained, expected, headline, detail = SAID_OF_DROPOUT[measure]
    task = asked("batch", "tokens", "d_out", **DROPOUT)
    message = word(*behaves(task, (MEASURES.index(measure),), obtained, expected))
    assert headline in message.headline
    assert detail in message.details[0]


def dropping_function(**settings):
    return asked("rows", "columns", name="dropout", kind="function", observe="dropout",
                 settings={"p": 0.2, "input": "x", **settings})  # fmt: skip


@pytest.mark.parametrize(
    "measure", [name for name in MEASURES if name not in ("left alone in eval mode", "size in eval mode")]
)
def test_a_function_that_drops_is_told_nothing_of_modes_or_softmax(measure):
    obtained, expected, *_ = SAID_OF_DROPOUT[measure]
    text = printed(
        word(*behaves(dropping_function(copies=7), (MEASURES.index(measure),), obtained, expected))
    )
    assert not any(word in text for word in ("training mode", "eval mode", "softmax"))


@pytest.mark.parametrize(
    ("factor", "says", "not_said"),
    [(5.0, "grow", "shrink"), (1.5625, "twice", "shrink"), (0.8, "shrink", "grow")],
)
def test_a_factor_is_told_with_what_it_does_to_the_sums(factor, says, not_said):
    task = asked("batch", "tokens", "d_out", **DROPOUT)
    text = printed(word(*behaves(task, (MEASURES.index("factor"),), factor, 1.25)))
    assert says in text
    assert not_said not in text


def test_a_gradient_that_is_nan_is_told_with_where_it_comes_from():
    message = word(*behaves(asked("tokens", observe="gradient", settings={"input": "x"}), (1,), False))
    assert message.headline == "The gradient back to `x` is not finite on six tokens."
    assert "nan" in message.details[0]


@pytest.mark.parametrize(("place", "name"), [(0, "mask"), (1, "heads.0.positions")])
def test_a_buffer_that_is_not_registered_is_told_with_how_to_register_it(place, name):
    task = asked("tokens", observe="buffers", settings={"names": ["mask", "heads.0.positions"]})
    message = word(*behaves(task, (place,), False))
    assert message.headline == f"`{name}` is not in the state dict of `CausalAttention`."
    assert f'`self.register_buffer("{name.split(".")[-1]}", tensor)`' in message.details[0]


EVERY = {
    "influence": [((0, 1), 1.0, 0.0), ((1, 0), 1.0, 0.0), ((1, 0), 0.0, 1.0), ((1, 1), 0.0, 1.0)],
    "permuted": [((0,), 1.0, 0.0), ((0,), 0.0, 1.0)],
    "dropout": [((i,), *SAID_OF_DROPOUT[measure][:2]) for i, measure in enumerate(MEASURES)],
    "other-device": [((), 1.0, 0.0), ((), 2.0, 0.0)],
    "gradient": [((0,), 0.0, 1.0), ((1,), 0.0, 1.0)],
    "gradients": [((2,), 0.0, 1.0), ((2,), 0.5, 1.0)],
    "costs": [((0,), 99.0, 0.0), ((1,), 99.0, 0.0), ((2,), 99.0, 0.0), ((3,), 99.0, 0.0)],
    "steps": [((5,), 0.5, 0.25)],
    "buffers": [((0,), 0.0, 1.0), ((1,), 0.0, 1.0)],
    "second-call": [((0, 1, 1), 0.5, 0.25)],
    "mode": [((0,), 1.0, 0.0), ((1,), 0.0, 1.0)],
    "start-values": [((0, column), 0.0, 1.0) for column in range(5)],
}


@pytest.mark.parametrize(
    ("observe", "case"), [(observe, case) for observe, cases in EVERY.items() for case in cases], ids=str
)
def test_every_experiment_is_put_into_words_that_name_none_of_our_own(observe, case):
    settings = {
        "input": "x",
        "axis": 1,
        "p": 0.2,
        "names": ["mask", "positions"],
        "numbers": 9,
        "products": 9,
        "calls": 9,
        "operations": 9,
    }
    message = word(*behaves(asked("batch", "tokens", "d_out", observe=observe, settings=settings), *case))
    text = printed(message)
    assert message.headline.endswith(".")
    assert message.details
    assert all(detail.endswith(".") for detail in message.details)
    assert len(message.headline) < 130
    for internal in ("influence", "permuted", "other-device", "experiment", "probe", "meta", "True"):
        assert internal not in text


def test_no_experiment_is_without_words():
    assert set(EVERY) == set(EXPERIMENTS)


@pytest.mark.parametrize(("observe", "cases"), EVERY.items())
def test_an_experiment_knows_how_many_axes_its_tensor_has(observe, cases):
    axes = EXPERIMENTS[observe].axes  # None for the result's own three
    assert {len(index) for index, *_ in cases} == {3 if axes is None else axes}


def test_a_tensor_that_should_be_left_alone_is_named_as_the_lessons_own(share):
    message = word(f.GivensChanged(("scores",)), dataclasses.replace(share, keeps={"scores": torch.ones(2)}))
    assert message.headline == "`scores` no longer holds what the lesson put there, and should be left alone."
    assert "example data" not in printed(message)


# Classes that are needed, later tokens


@pytest.mark.parametrize(
    "reason",
    [
        "is not there yet",
        "is not a class made from `nn.Module`",
        "raises ValueError when it is made",
        "has other parameters than the lesson names",
    ],
)
def test_a_class_that_an_answer_is_tried_on_is_named_with_what_is_wrong_about_it(share, reason):
    message = word(f.NotCalled(Uncalled("earlier", "Causal", reason), probe="three"), share)
    assert message.headline == f"`share` is tried on your class `Causal`, which {reason}."
    assert "run its cell, then run this check again" in message.details[0]
    assert message.code == ""


def test_an_entry_above_the_diagonal_of_a_head_names_query_and_key_too():
    task = asked("batch", "heads", "tokens as query", "tokens as key")
    headline = word(f.BrokenProperty("causal", (0, 1, 1, 2), 0.25, probe="tried"), task).headline
    assert headline.startswith("Entry [0, 1, 1, 2] (batch element 0, head 1, query 1, key 2) is 0.2500")
    assert headline.endswith("query 1 takes something from key 2, which comes later.")


# What each finding says: `…` stands for any text in a line, and at the end for any more lines.
# fmt: off
SAID = [
    ((f.NotDefined(), SHARE),
     "There is no function called `share` yet.\n"
     "Run the cell above first: a cell that has not been run defines nothing.\n…"),
    ((f.NotDefined(), ROW_SUMS), "There is no tensor called `row_sums` yet.\n…"),
    ((f.NotDefined(nearest=("shares", "shave")), SHARE),
     "…\n"
     "`shares` is defined: is that the one?…spelt exactly so…\n…"),
    ((f.NotDefined(error=ErrorReport("SyntaxError", "'[' was never closed")), ROW_SUMS),
     "…`row_sums` stopped. SyntaxError: '[' was never closed\n"
     "…the one before…\n…"),
    ((f.StillStub(), SHARE),
     "`share` is still waiting for you.\n"
     "…Replace the `...` in the cell above…\n…"),
    ((f.GivensChanged(("table",)), ROW_SUMS),
     "`table` no longer holds the lesson's example data…\n"
     "…a name of your own…\n…"),
    ((f.GivensChanged(("a", "b", "c")), ROW_SUMS), "`a`, `b` and `c` no longer hold …\n…"),
    ((f.NotAFunction("int"), SHARE),
     "`share` is an int, and the task asks for a function.\n"
     "…`def share(x):`…\n…"),
    ((f.Raised(ErrorReport("ValueError", "too bad", "return y / 0", 3, "share"), probe="three"), SHARE),
     "`share` raised ValueError on three numbers: too bad\n"
     "It happened in line 3 of its cell.\n"
     "return y / 0"),
    ((f.Raised(ErrorReport("Strange", ""), probe="three"), SHARE), "…: no message\n…"),
    ((raised("NeedsEarlier", "their own"), SHARE), "`share` raised NeedsEarlier…: their own…"),
    ((f.Raised(ErrorReport("RuntimeError", "sizes"), probe="three"), SHARE), "…"),
    ((raised("NameError", "name 'W_key' is not defined", meant="self.W_key"), SHARE),
     "…on three numbers: name 'W_key' is not defined. Write `self.W_key`.\n"
     "In a method, what belongs to the object itself needs `self.` in front of its name."),
    ((raised("AttributeError", "'Tensor' object has no attribute 'W_q'"), SHARE), "…"),
    ((f.Raised(ErrorReport("SystemExit", "0", "exit()", 2), probe="three"), SHARE),
     "`share` ended the program on three numbers instead of returning a result.\n"
     "…`exit()`…\n"
     "exit()"),
    ((f.NotCalled(Uncalled("arguments", "(x, y)", "missing a required argument: 'y'"), probe="three"),
      SHARE),
     "…missing a required argument: 'y'…\n"
     "It is called as `share(x)`, and yours is `share(x, y)`."),
    ((f.WrongType("NoneType", probe="three"), SHARE),
     "`share` gives back nothing on three numbers.\n"
     "…`return`…\n…"),
    ((f.WrongType("bool", probe="pairs"), TOTAL), "…and the task asks for a number.\n…"),
    ((f.WrongType("list", probe="as-seen"), ROW_SUMS),
     "`row_sums` is a list, and the task asks for a tensor.\n…"),
    ((f.WrongShape((3, 2), (3, 3), axis=1, probe="three"), PAIRS),
     "The result has shape (3, 2) on three tokens; it should be (3, 3).\n"
     "Axis 1 (tokens, one for each key) has size 2 and should have 3."),
    ((f.WrongShape((2,), (), probe="pairs"), TOTAL),
     "…it should be ().\n"
     "It has 1 axis; the task asks for one number, without axes."),
    ((f.WrongShape((), (3,), probe="three"), SHARE),
     "…\n"
     "It has no axes; the task asks for 1 axis: tokens."),
    ((f.WrongShape((3,), (2,), axis=0, probe="as-seen"), ROW_SUMS),
     "`row_sums` has shape (3,); it should be (2,).\n…"),
    ((f.WrongDtype("complex64", ("float32",), probe="three"), SHARE), "…"),
    ((f.NotFinite(math.nan, (1,), 1, probe="three"), SHARE),
     "Entry [1] (token 1) is nan on three numbers, and should be a number.\n"
     "nan comes from …inf − inf…the root or logarithm of a number below 0…\n…"),
    ((f.NotFinite(math.inf, (0,), 3, probe="three"), SHARE),
     "Entry [0] (token 0) is inf on three numbers, and should be a number, as should 2 others.\n"
     "…dividing by zero…\n…"),
    ((f.NotFinite(math.nan, (0,), 2, probe="three"), SHARE), "…as should 1 other.\n…"),
    ((f.NotFinite(math.nan, (), 1, probe="pairs"), TOTAL),
     "The result is nan on two pairs, and should be a number.\n…"),
    ((f.MatchesKnownWrong(probe="three"), SHARE), "Not the right numbers yet on three numbers.\n…"),
    ((f.BrokenProperty("sums-to-one", (), 24.0, probe="three"), SHARE),
     "The result adds up to 24 on three numbers; it should add up to 1.\n…"),
    ((f.BrokenProperty("sums-to-one", (2,), 1.25, probe="three"), PAIRS),
     "Row 2 (query 2) adds up to 1.2500 on three tokens; every row should add up to 1.\n…"),
    ((f.BrokenProperty("not-negative", (1,), -0.5, probe="three"), SHARE),
     "Entry [1] (token 1) is -0.5000 on three numbers; no entry should be negative.\n…"),
    ((f.BrokenProperty("symmetric", (0, 2), 3.0, probe="three"), PAIRS),
     "Entry [0, 2] (query 0, key 2) differs from entry [2, 0] on three tokens.\n…"),
    ((f.BrokenProperty("input-untouched", names=("x",), probe="three"), SHARE),
     "`share` changed its argument `x` on three numbers.\n"
     "…`x -= 1`…\n…"),
    ((f.BrokenProperty("input-untouched", names=("a", "b"), probe="pairs"), TOTAL),
     "`total` changed its arguments `a` and `b` on two pairs.\n…"),
    ((wrong_values(), SHARE), "Entry [1] (token 1) is 0.5000 on three numbers and should be 0.2500.\n…"),
    ((wrong_values(), SHARE),
     "…\n"
     "67 % of the entries are right; the largest error is 0.3750."),
    ((wrong_values(probe="pairs", index=()), TOTAL),
     "The result is 0.5000 on two pairs and should be 0.2500."),
    ((wrong_values(rounded=True), SHARE),
     "This looks like the right answer cut to a few decimals on three numbers.\n…\n"
     "…should be 0.2500…\n…"),
    ((f.NotComputed(probe="redrawn-1"), ROW_SUMS),
     "`row_sums` is right for the lesson's own numbers only.\n…its result is not the right one…"),
    ((f.NotComputed(typed=True, probe="redrawn-1"), ROW_SUMS),
     "`row_sums` is right for the lesson's own numbers only.\n…it stays the same: it was typed in…"),
    ((raised("RuntimeError", "sizes", operands=OPERANDS), SHARE),
     "…\nThere, `x` has shape (2, 3) (float32) and `n` is 3.\n…"),
    ((raised("AttributeError", "no", meant="softmax"), SHARE),
     "…A name close to it is there: `softmax`.\n…"),
    ((f.NotFinite(math.nan, (1,), 1, probe="three"), SHARE, verdict(facts=(f.Unsteady(0.25, 0.5),))),
     "Two calls with the same input give different results.\n"
     "Between the calls, 25 % of the entries differ…0.5000…\n…"),
    ((f.MatchesKnownWrong(probe="three"), SHARE, verdict(whole=False, facts=(f.Idle(("x",)),))),
     "Not the right numbers yet on three numbers.\nIn what was tried, `x` had little or no effect on…\n…"),
    ((wrong_values(probe="redrawn-1"), ROW_SUMS),
     "Entry [1] (row 1) is 0.5000 with other example data and should be 0.2500.\n…"),
    ((wrong_values(), SHARE, verdict(unfinished=("row_sums",))),
     "…\n"
     "…`row_sums`, which is not right yet…run this check again…\n…"),
    ((wrong_values(), SHARE, verdict(unfinished=("row_sums", "share"))),
     "…\n"
     "…`row_sums` and `share`, which are not right yet…\n…"),
    ((f.NotFinite(math.nan, (1,), 1, probe="three"), SHARE, verdict(named=(BY_LARGEST,))), "…"),
    ((wrong_values(), SHARE, verdict(facts=(f.Related("times", 3.0), f.Idle(("x", "scale"))))),
     "Every number is 3 times what it should be.\n"
     "…\n"
     "In what was tried, `x` and `scale` had little or no effect on the result.\n"
     "…and should be 0.2500…\n…"),
    ((wrong_values(), SHARE, verdict(facts=(f.Related("times", 1.00002),))),
     "The numbers are right to about 5 digits only.\n"
     "…\n…"),
    (behaves(influence(1), (3, 0), True),
     "The output of token 3 changes on six tokens when token 0 is changed.\n"
     "It must not depend on token 0."),
    (behaves(influence(0), (1, 1), False),
     "The output of batch element 1 stays the same on six tokens when batch element 1 is changed.\n"
     "…"),
    (behaves(asked("batch", "tokens", "d_out", **CROSS), (3, 1), False),
     "The output of token 3 stays the same on six tokens when source token 1 is changed.\n"
     "It should depend on source token 1."),
    (behaves(influence(0, "tokens as query", "tokens as key"), (0, 1), True),
     "The output of token 0 changes…\n…"),
    (behaves(asked("tokens", "d_out", observe="permuted", settings={"input": "x", "axis": 0}), (1,),
      1.0, 0.0),
     "Slices of `x` in another order do not just change places in the result on six tokens.\n"
     "…know no order…\n…"),
    (behaves(dropping_function(p=0.7, copies=7), (MEASURES.index("copies together"),), 1.0, 0.0),
     "Several entries are always dropped together.\n"
     "Every entry has a draw of its own."),
    (behaves(asked("batch", "tokens", "d_out", observe="dropout", settings={"p": 0.0}),
      (MEASURES.index("draws differ"),), 1.0, 0.0),
     "Something is dropped on six tokens, and nothing should be.\n"
     "With p = 0 every entry is kept."),
    (behaves(asked("tokens", observe="other-device"), (), 1.0, 0.0),
     "On another device `CausalAttention` stops: a tensor of its own is still on the CPU.\n"
     "…`device=x.device`…`register_buffer`…\n…"),
    (behaves(asked("tokens", observe="other-device"), (), 2.0, 0.0),
     "On another device, `CausalAttention` copies a tensor back to the CPU.\n"
     "…where the input lives…\n…"),
    (behaves(asked("tokens", observe="gradient", settings={"input": "x"}), (0,), False),
     "No gradient comes back to `x` on six tokens.\n"
     "…`.detach()`…\n…"),
    ((f.NotRefused(("ValueError",), "TypeError", probe="three"), SHARE),
     "`share` stops at three numbers with a TypeError.\n"
     "…ValueError…\n…"),
    ((f.NotRefused(("ValueError",), "AssertionError", probe="three"), SHARE),
     "`share` rightly refuses three numbers, but with an `assert`.\n"
     "The task asks for a ValueError.…\n…"),
    ((f.NotRefused(("ValueError",), "ValueError", "norm.bias", probe="three"), SHARE),
     "`share` rightly refuses three numbers, but its message does not name `norm.bias`.\n"
     "Put the names…\n…"),
    ((f.Raised(ErrorReport("RuntimeError", "sizes", "x @ y", 4, "Attention.forward"), probe="three"), SHARE),
     "…\n"
     "It happened in line 4 of the cell of `Attention`.\n…"),
    ((f.BrokenProperty("causal", (1, 2), 0.25, probe="three"), PAIRS),
     "Entry [1, 2] (query 1, key 2) is 0.2500 on three tokens: query 1 takes something from key 2, "
     "which comes later.\n"
     "Above the diagonal every entry must be 0."),
    ((f.NotRun(), SHARE), "…"),
    ((f.Stale("stopped", error=STOPPED), SHARE), "The cell that should make `share` stopped in line 2. …\n…"),
    ((f.Stale("renamed", ("shares",)), SHARE),
     "The cell above makes `shares` now, and no `share` any more.\n"
     "The check looks for `share`, spelt exactly so: is `shares` meant? Then rename it."),
    ((f.Stale("dropped"), SHARE), "The cell above was run, and makes no `share`.\n…"),
    ((f.Stale("deleted"), SHARE), "The cell that made `share` was deleted.\n…"),
    ((f.Stale("unrun"), SHARE), "The cell above has not been run since the notebook was started.\n…"),
    ((f.Stale("remade", ("a", "b")), SHARE),
     "`a` and `b` were made again after `share` was computed from them.\n…"),
    ((f.Stale("remade", ("a",)), SHARE),
     "`a` was made again after `share` was computed from it.\n"
     "Run the cell above again, then this one."),
    ((f.StillWrong(f.WrongValues, probe="three"), SHARE), "…\n…"),
    ((f.WrongParameters(("W",), (), (), ("W",), probe="three"), SHARE), "…`W`…\n…"),
    ((f.CallsForbidden(ForbiddenCall("torch.softmax", "softmax")), SHARE), "…torch.softmax…\n…"),
]
# fmt: on


@pytest.mark.parametrize(("arguments", "text"), SAID)
def test_a_finding_says_what_is_wrong_and_what_to_do(arguments, text):
    message = (word if len(arguments) == 2 else word_whole)(*arguments)
    shown = "\n".join(filter(None, [message.headline, *message.details, message.code]))
    pattern = ".*".join(map(re.escape, text.removesuffix("\n…").split("…")))
    assert re.fullmatch(pattern + r"(\n.*)*" * text.endswith("\n…"), shown)


def test_every_kind_of_finding_is_said():
    assert {type(arguments[0]) for arguments, _ in SAID} == set(f.Finding.__subclasses__())
