"""Every finding in words: what is wrong, where, and what to do next."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch

from autograder import findings as f
from autograder.bank import Check, Probe, Task
from autograder.experiments import EXPERIMENTS, MEASURES
from autograder.findings import Verdict
from autograder.outcome import ErrorReport, Outcome
from autograder.wording import EXPERIMENT_AXES, axis_label, found, number_text, shape_text, word


def said(message) -> str:
    """All of a message as one text."""
    return "\n".join([message.headline, *message.details, message.code])


# Not defined, stub, not run


def test_a_function_that_is_not_defined_is_asked_for_by_name(share):
    message = word(f.NotDefined(), share)
    assert message.headline == "There is no function called `share` yet."
    assert message.details[0] == "Run the cell above first: a cell that has not been run defines nothing."


def test_a_tensor_that_is_not_defined_is_called_a_tensor(row_sums):
    assert word(f.NotDefined(), row_sums).headline == "There is no tensor called `row_sums` yet."


def test_the_nearest_name_is_offered_first(share):
    message = word(f.NotDefined(nearest=("shares", "shave")), share)
    assert message.details[0].startswith("`shares` is defined: is that the one?")
    assert "spelt exactly so" in message.details[0]


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
    assert message.details[0].startswith("A name is used before anything has defined it")
    assert message.details[1] == "Correct that line and run the cell again, then this one."


def test_a_cell_that_python_could_not_read_says_where_to_look(row_sums):
    message = word(f.NotDefined(error=ErrorReport("SyntaxError", "'[' was never closed")), row_sums)
    assert message.headline.endswith("`row_sums` stopped. SyntaxError: '[' was never closed")
    assert "the one before" in message.details[0]


def test_a_stub_says_where_to_write(share):
    message = word(f.StillStub(), share)
    assert message.headline == "`share` is still waiting for you."
    assert "Replace the `...` in the cell above" in message.details[0]


def test_what_was_not_run_says_why(share):
    assert word(f.NotRun(reason="the kernel died"), share).headline == (
        "`share` could not be checked: the kernel died."
    )
    assert word(f.NotRun(), share).headline == (
        "`share` could not be checked: the notebook stopped before it got here."
    )


def test_a_changed_given_is_named(row_sums):
    message = word(f.GivensChanged(names=("table",)), row_sums)
    assert message.headline.startswith("`table` no longer holds the lesson's example data")
    assert "a name of your own" in message.details[0]


def test_several_changed_givens_are_listed(row_sums):
    headline = word(f.GivensChanged(names=("a", "b", "c")), row_sums).headline
    assert headline.startswith("`a`, `b` and `c` no longer hold ")


def test_what_is_no_function_is_told_with_the_signature_to_write(share):
    message = word(f.NotAFunction(obtained="int"), share)
    assert message.headline == "`share` is an int, and the task asks for a function."
    assert "`def share(x):`" in message.details[0]


# Raised


def test_an_error_is_told_with_its_type_message_input_and_line(share):
    error = ErrorReport("ValueError", "too bad", "return y / 0", 3, "share")
    message = word(f.Raised("three", error), share)
    assert message.headline == "`share` raised ValueError on three numbers: too bad"
    assert message.details == ("It happened in line 3 of its cell.",)
    assert message.code == "return y / 0"


def test_an_error_without_a_message_says_so(share):
    assert word(f.Raised("three", ErrorReport("Strange", "")), share).headline.endswith(": no message")


def test_an_error_without_a_line_of_the_learners_names_none(share):
    message = word(f.Raised("three", ErrorReport("RuntimeError", "sizes")), share)
    assert (message.details, message.code) == ((), "")


def raised(kind, text, **more):
    return f.Raised("three", ErrorReport(kind, text, **more))


def test_a_name_without_self_is_told_with_it(share):
    message = word(raised("NameError", "name 'W_key' is not defined", meant="self.W_key"), share)
    assert message.headline.endswith("on three numbers: name 'W_key' is not defined. Write `self.W_key`.")
    assert message.details == (
        "In a method, what belongs to the object itself needs `self.` in front of its name.",
    )


@pytest.mark.parametrize(
    ("kind", "text", "advice"),
    [
        ("TypeError", "'float' object is not callable", "`nn.Dropout(dropout)` makes a layer of it"),
        ("TypeError", "'Parameter' object is not callable", "used with `@`"),
        ("AttributeError", "'Attention' object has no attribute 'W_q'", "Does `__init__` set it"),
    ],
)
def test_an_error_that_learners_often_meet_is_explained_first(share, kind, text, advice):
    assert advice in word(raised(kind, text, line_number=3), share).details[0]


def test_an_attribute_of_a_tensor_is_not_looked_for_in_init(share):
    assert word(raised("AttributeError", "'Tensor' object has no attribute 'W_q'"), share).details == ()


def test_all_that_a_call_could_have_taken_is_left_out(share):
    text = "masked_fill() received - got (bool, float), but expected one of:\n * (Tensor mask, Tensor value)"
    headline = word(raised("TypeError", text), share).headline
    assert headline.endswith("on three numbers: masked_fill() received - got (bool, float)")


def test_ending_the_program_says_what_to_take_out(share):
    message = word(f.Raised("three", ErrorReport("SystemExit", "0", "exit()", 2)), share)
    assert message.headline == "`share` ended the program on three numbers instead of returning a result."
    assert "`exit()`" in message.details[0]
    assert message.code == "exit()"


def test_a_wrong_signature_shows_both(share):
    error = ErrorReport("SignatureMismatch", "missing a required argument: 'y'", "(x, y)")
    message = word(f.Raised("three", error), share)
    assert "missing a required argument: 'y'" in message.headline
    assert message.details == ("It is called as `share(x)`, and yours is `share(x, y)`.",)


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
    headline = word(f.WrongType("three", obtained), share).headline
    assert headline == f"`share` gives back {article} on three numbers, and the task asks for a tensor."


def test_a_function_that_gives_back_nothing_is_asked_for_its_return(share):
    message = word(f.WrongType("three", "NoneType"), share)
    assert message.headline == "`share` gives back nothing on three numbers."
    assert "`return`" in message.details[0]


@pytest.mark.parametrize(
    ("obtained", "advice"),
    [
        ("list", "torch.stack"),
        ("tuple", "comma"),
        ("numpy.ndarray", "torch.from_numpy"),
        ("float", "shape (3,)"),
    ],
)
def test_a_wrong_type_gets_the_advice_it_deserves(share, obtained, advice):
    assert advice in word(f.WrongType("three", obtained), share).details[0]


def test_where_a_number_is_asked_for_it_is_called_a_number(total):
    headline = word(f.WrongType("pairs", "bool"), total).headline
    assert headline.endswith("and the task asks for a number.")


def test_a_tensor_of_the_wrong_type_is_named_itself(row_sums):
    headline = word(f.WrongType("as-seen", "list"), row_sums).headline
    assert headline == "`row_sums` is a list, and the task asks for a tensor."


# Wrong shape


def test_a_wrong_size_names_the_axis_its_size_and_the_one_it_should_have(pairs):
    message = word(f.WrongShape("three", (3, 2), (3, 3), axis=1), pairs)
    assert message.headline == "The result has shape (3, 2) on three tokens; it should be (3, 3)."
    assert message.details == ("Axis 1 (tokens, one for each key) has size 2 and should have 3.",)


def test_a_wrong_number_of_axes_names_those_that_are_asked_for(pairs):
    message = word(f.WrongShape("three", (3,), (3, 3)), pairs)
    expected = "2 axes: tokens, one for each query × tokens, one for each key."
    assert message.details == (f"It has 1 axis; the task asks for {expected}",)


def test_a_number_that_came_with_axes_is_asked_for_without(total):
    message = word(f.WrongShape("pairs", (2,), ()), total)
    assert message.headline.endswith("it should be ().")
    assert message.details == ("It has 1 axis; the task asks for one number, without axes.",)


def test_a_number_where_axes_are_asked_for_has_no_axes(share):
    message = word(f.WrongShape("three", (), (3,)), share)
    assert message.details == ("It has no axes; the task asks for 1 axis: tokens.",)


def test_the_shape_of_a_tensor_is_told_of_the_tensor(row_sums):
    headline = word(f.WrongShape("as-seen", (3,), (2,), axis=0), row_sums).headline
    assert headline == "`row_sums` has shape (3,); it should be (2,)."


# Wrong dtype and not finite


@pytest.mark.parametrize(
    ("dtype", "advice"),
    [
        ("int64", "Whole numbers"),
        ("uint8", "Whole numbers"),
        ("bool", "comparison"),
        ("float16", "Half precision"),
    ],
)
def test_a_wrong_dtype_is_told_with_its_likely_cause(share, dtype, advice):
    message = word(f.WrongDtype("three", dtype, ("float32", "float64")), share)
    assert message.headline == (
        f"The result on three numbers has dtype {dtype}, and the task asks for float32 or float64."
    )
    assert message.details[0].startswith((advice, "True and False"))


def test_a_rare_dtype_gets_no_advice(share):
    assert word(f.WrongDtype("three", "complex64", ("float32",)), share).details == ()


def test_nan_is_told_with_its_place_and_cause(share):
    message = word(f.NotFinite("three", math.nan, (1,), 1), share)
    assert message.headline == "Entry [1] (token 1) is nan on three numbers."
    assert message.details[0].startswith("nan comes from 0/0 or inf/inf or 0 times inf")


def test_infinity_is_told_with_its_place_and_cause(share):
    message = word(f.NotFinite("three", math.inf, (0,), 3), share)
    assert message.headline == "Entry [0] (token 0) is inf on three numbers, and so are 2 others."
    assert "dividing by zero" in message.details[0]


def test_one_other_entry_that_is_not_finite_is_counted_in_the_singular(share):
    headline = word(f.NotFinite("three", math.nan, (0,), 2), share).headline
    assert headline.endswith("and so is 1 other.")


def test_a_single_number_that_is_not_finite_is_the_result(total):
    assert word(f.NotFinite("pairs", math.nan, (), 1), total).headline == "The result is nan on two pairs."


# Known wrong answers and properties


def test_a_known_wrong_answer_leaves_the_naming_to_its_hint(share):
    headline = word(f.MatchesKnownWrong("three"), share).headline
    assert headline == "Not the right numbers yet on three numbers."


def test_weights_that_do_not_add_up_to_one_say_to_what_they_do(share):
    finding = f.BrokenProperty("three", "sums-to-one", (), 24.0, 0)
    assert (
        word(finding, share).headline == "The weights add up to 24 on three numbers; they should add up to 1."
    )


def test_a_row_that_does_not_add_up_to_one_is_named(pairs):
    finding = f.BrokenProperty("three", "sums-to-one", (2,), 1.25, 1)
    assert word(finding, pairs).headline == (
        "Row 2 (query 2) adds up to 1.2500 on three tokens; every row should add up to 1."
    )


def test_another_axis_that_does_not_add_up_to_one_is_a_slice(pairs):
    finding = f.BrokenProperty("three", "sums-to-one", (2,), 0.5, 0)
    assert word(finding, pairs).headline.startswith("Slice 2 (key 2) adds up to 0.5000")


def test_a_negative_weight_is_named(share):
    headline = word(f.BrokenProperty("three", "not-negative", (1,), -0.5), share).headline
    assert headline == "Entry [1] (token 1) is -0.5000 on three numbers; a weight is never negative."


def test_an_entry_that_differs_from_its_mirror_image_is_named_with_it(pairs):
    headline = word(f.BrokenProperty("three", "symmetric", (0, 2), 3.0), pairs).headline
    assert headline == "Entry [0, 2] (query 0, key 2) differs from entry [2, 0] on three tokens."


def test_a_changed_argument_is_named_with_what_to_do(share):
    message = word(f.BrokenProperty("three", "input-untouched", (), "x"), share)
    assert message.headline == "`share` changed its argument `x` on three numbers."
    assert "`x -= 1`" in message.details[0]


def test_several_changed_arguments_are_named_each(total):
    headline = word(f.BrokenProperty("pairs", "input-untouched", (), "a, b"), total).headline
    assert headline == "`total` changed its arguments `a` and `b` on two pairs."


# Wrong values


def wrong_values(**fields):
    return f.WrongValues(
        **{
            "probe": "three",
            "index": (1,),
            "obtained": 0.5,
            "expected": 0.25,
            "largest_error": 0.375,
            "share_right": 2 / 3,
            **fields,
        }
    )


def test_wrong_values_name_the_first_entry_obtained_and_expected(share):
    message = word(wrong_values(), share)
    assert message.headline == "Entry [1] (token 1) is 0.5000 on three numbers and should be 0.2500."


def test_wrong_values_tell_the_share_right_and_the_largest_error(share):
    message = word(wrong_values(), share)
    assert message.details == ("67 % of the entries are right; the largest error is 0.3750.",)


def test_a_wrong_number_has_no_entries_to_count(total):
    message = word(wrong_values(probe="pairs", index=()), total)
    assert message.headline == "The result is 0.5000 on two pairs and should be 0.2500."
    assert message.details == ()


def test_rounded_values_are_told_to_be_computed(share):
    message = word(wrong_values(rounded=True), share)
    assert message.headline == "This looks like the right answer cut to a few decimals on three numbers."
    assert "should be 0.2500" in said(message)


def test_entries_that_were_never_filled_in_are_counted(share):
    assert "1 entry is exactly 0" in said(word(wrong_values(unfilled=1), share))
    assert "2 entries are exactly 0" in said(word(wrong_values(unfilled=2), share))


def test_a_tensor_that_is_right_for_the_lessons_own_numbers_only_is_told_so(row_sums):
    headline = word(f.NotComputed("redrawn-1"), row_sums).headline
    assert headline == "`row_sums` is right for the lesson's own numbers only."


@pytest.mark.parametrize("share_right", [0.999, 0.9951])
def test_not_all_entries_are_right_where_one_is_wrong(share, share_right):
    assert "100 %" not in said(word(wrong_values(share_right=share_right), share))


def test_two_numbers_that_differ_are_shown_so_that_they_differ(share):
    headline = word(wrong_values(obtained=0.95441, expected=0.95444), share).headline
    shown = headline.removesuffix(".").split(" is ")[1].split(" on three numbers and should be ")
    assert shown[0] != shown[1]


def test_a_tensor_wrong_with_other_givens_says_so(row_sums):
    headline = word(wrong_values(probe="redrawn-1"), row_sums).headline
    assert headline == "Entry [1] (row 1) is 0.5000 with other example data and should be 0.2500."


# What is known about the whole answer


def verdict(**fields):
    return Verdict("share", (f.CheckResult("a check", 1, 0, f.StillStub()),), **fields)


def test_an_unfinished_earlier_task_is_told_first(share):
    message = word(wrong_values(), share, verdict(unfinished=("row_sums",)))
    assert "`row_sums`, which is not right yet" in message.details[0]
    assert "run this check again" in message.details[0]


def test_several_unfinished_earlier_tasks_are_told_in_the_plural(share):
    details = word(wrong_values(), share, verdict(unfinished=("row_sums", "share"))).details
    assert "`row_sums` and `share`, which are not right yet" in details[0]


BY_LARGEST = f.Named("by-largest", "the numbers are divided by the largest", "Use `x.sum()`.")
NO_SUM = f.Named("no-sum", "nothing is added up", "Add up.")


def test_an_earlier_task_is_not_to_blame_where_the_mistake_is_known(share):
    message = word(wrong_values(), share, verdict(unfinished=("row_sums",), named=(BY_LARGEST,)))
    assert "row_sums" not in said(message)


def test_where_nan_comes_from_is_not_told_beside_a_known_mistake(share):
    nan = f.NotFinite("three", math.nan, (1,), 1)
    assert word(nan, share, verdict(named=(BY_LARGEST,))).details == ()


def test_what_experiments_show_is_told_before_the_numbers(share):
    facts = (f.Related("times", 3.0), f.Idle(("x", "scale")))
    message = word(wrong_values(), share, verdict(facts=facts))
    assert message.headline == "Every number is 3 times what it should be."
    assert message.details[1] == "`x` and `scale` can change without any effect on the result."
    assert "and should be 0.2500" in message.details[2]


@pytest.mark.parametrize(
    ("fact", "says"),
    [
        (f.Idle(("W_key.weight",)), "`W_key.weight` can change without any effect on the result."),
        (
            f.Reaches("x", "b", 0, 1),
            "The result of batch element 0 changes when batch element 1 of `x` changes.",
        ),
        (
            f.Reaches("x", "num_tokens", 0, 2),
            "The result of token 0 changes when token 2 of `x` changes, and it must not.",
        ),
        (
            f.Reaches("x", "tokens as query", 1, 1, missing=True),
            "The result of query 1 does not depend on its own place of `x`.",
        ),
        (f.Related("times", -1.0), "Every number has the wrong sign."),
        (f.Related("plus", 0.5), "Every number is off by the same amount, 0.5000."),
        (f.Related("turned"), "These are the right numbers, turned: rows and columns have changed places."),
        (f.Related("reversed", axis=0), "These are the right numbers in reverse order along axis 0."),
        (f.Related("digits", 3.0), "The numbers are right to about 3 digits only."),
        (f.Related("but-one", 2.0, 1), "All is right but key 2."),
    ],
)
def test_a_fact_is_told_in_one_sentence(pairs, fact, says):
    assert word(wrong_values(index=(1, 0)), pairs, verdict(facts=(fact,))).headline == says


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ((BY_LARGEST,), "Your last check found: the numbers are divided by the largest."),
        (
            (BY_LARGEST, NO_SUM),
            "Your last check found two mistakes: "
            "the numbers are divided by the largest; nothing is added up.",
        ),
    ],
)
def test_what_a_check_found_is_said_by_the_names_of_the_mistakes(share, named, says):
    wrong = Verdict("share", (f.CheckResult("a", 1, 0, f.MatchesKnownWrong("three")),), named)
    assert found(share, wrong) == says


def test_what_a_check_found_is_the_headline_where_no_mistake_is_known(share):
    wrong = Verdict("share", (f.CheckResult("a", 1, 0, wrong_values()),))
    assert found(share, wrong) == f"Your last check found: {word(wrong_values(), share).headline}"


@pytest.mark.parametrize("finding", [None, f.NotDefined(), f.StillStub(), f.NotRun(), f.GivensChanged()])
def test_nothing_was_found_where_nothing_could_be_judged(share, finding):
    assert found(share, Verdict("share", (f.CheckResult("a", 1, 0, finding),))) == ""


def test_globals_that_a_function_reads_are_told_last(share):
    message = word(wrong_values(), share, verdict(globals_read=("table", "scores")))
    assert message.details[-1].startswith("`share` reads `table` and `scores` from the notebook.")


@pytest.mark.parametrize(
    "kind",
    [kind for kind in f.Finding.__subclasses__() if kind not in (f.BrokenProperty, f.WrongBehaviour)],
)
def test_every_kind_of_finding_has_words(kind, share):
    fields = {field.name for field in dataclasses.fields(kind)}
    settings = {"obtained": (1,), "expected": (2,)} if kind is f.WrongShape else {}
    assert word(kind(**({"probe": "three"} if "probe" in fields else {}), **settings), share).headline


# Small parts


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0"),
        (3.0, "3"),
        (-2.0, "-2"),
        (0.95444, "0.9544"),
        (12345.678, "12345.6780"),
        (1e-5, "1.000e-05"),
        (1.5e9, "1.500e+09"),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
    ],
)
def test_a_number_reads_like_in_the_text(value, expected):
    assert number_text(value) == expected


@pytest.mark.parametrize(("shape", "expected"), [((), "()"), ((3,), "(3,)"), ((6, 3), "(6, 3)")])
def test_a_shape_reads_like_in_torch(shape, expected):
    assert shape_text(shape) == expected
    assert shape_text(torch.Size(shape)) == expected


def test_an_axis_with_a_role_is_told_with_it(pairs, share):
    assert axis_label(pairs, 0) == "tokens, one for each query"
    assert axis_label(share, 0) == "tokens"
    assert axis_label(share, 5) == ""


# Experiments

DROPOUT = {"observe": "dropout", "settings": {"p": 0.2, "copies": 2}}


def asked(*axes, name="CausalAttention", kind="module", **probe):
    """A task of which one probe is an experiment."""
    expected = Outcome("torch.Tensor", torch.zeros(1), (1,), "float32")
    return Task(
        id="task",
        title="",
        name=name,
        kind=kind,
        signature=f"{name}(x)",
        axes=axes,
        number=False,
        dtypes=("float32",),
        learned="",
        hints=(),
        needs=(),
        properties=(),
        checks=(Check("all", 1, ("tried",)),),
        probes={"tried": Probe("tried", "six tokens", {}, expected, **probe)},
        known_wrong=(),
    )


def behaves(task, index, obtained, expected=None):
    observe = task.probes["tried"].observe
    right = float(not obtained) if expected is None else expected
    return word(f.WrongBehaviour("tried", observe, index, float(obtained), right), task)


def influence(axis, *axes):
    return asked(*(axes or ("batch", "tokens", "d_out")), observe="influence",
                 settings={"input": "x", "axis": axis})  # fmt: skip


@pytest.mark.parametrize("axis", [1, -2])
def test_a_look_ahead_names_both_tokens_and_says_that_one_comes_later(axis):
    message = behaves(influence(axis), (0, 3), True)
    assert message.headline == "The output of token 0 changes on six tokens when token 3 is changed."
    assert message.details == ("Token 3 comes later and must be hidden.",)


def test_a_look_back_that_should_not_be_is_not_said_to_come_later():
    message = behaves(influence(1), (3, 0), True)
    assert message.headline == "The output of token 3 changes on six tokens when token 0 is changed."
    assert message.details == ("It must not depend on token 0.",)


@pytest.mark.parametrize("changed", [0, 2, 3])
def test_a_token_that_has_no_influence_is_named_with_the_one_that_should_see_it(changed):
    message = behaves(influence(1), (3, changed), False)
    assert message.headline == (
        f"The output of token 3 stays the same on six tokens when token {changed} is changed."
    )
    assert message.details == (f"It should depend on token {changed}.",)


@pytest.mark.parametrize("index", [(0, 1), (1, 0)])
def test_a_batch_that_mixes_is_told_to_leave_the_first_axis_alone(index):
    message = behaves(influence(0), index, True)
    assert message.headline == (
        f"The result of batch element {index[0]} changes on six tokens "
        f"when batch element {index[1]} is changed."
    )
    assert message.details == ("The elements of a batch must not mix: leave the first axis alone.",)


def test_a_batch_element_that_has_no_influence_is_called_an_element():
    assert behaves(influence(0), (1, 1), False).headline == (
        "The output of batch element 1 stays the same on six tokens when batch element 1 is changed."
    )


@pytest.mark.parametrize("name", ["b", "batch", "batch_size"])
def test_a_batch_axis_under_any_name_is_told_as_a_batch(name):
    message = behaves(influence(0, name, "tokens", "d_out"), (0, 1), True)
    assert "batch element 0" in message.headline
    assert "comes later" not in said(message)


@pytest.mark.parametrize("name", ["tokens", "num_tokens"])
def test_tokens_under_a_longer_name_are_called_tokens(name):
    message = behaves(influence(1, "batch", name, "d_out"), (0, 1), True)
    assert message.headline == "The output of token 0 changes on six tokens when token 1 is changed."
    assert message.details == ("Token 1 comes later and must be hidden.",)


@pytest.mark.parametrize("axis", [1, 3])
def test_only_tokens_come_later(axis):
    task = influence(axis, "batch", "heads", "tokens", "d_out")
    assert "comes later" not in said(behaves(task, (0, 1), True))


CROSS = {"observe": "influence", "settings": {"input": "source", "axis": -2, "changed": "source token"}}


def test_a_slice_that_is_changed_is_called_what_the_probe_calls_it():
    message = behaves(asked("batch", "tokens", "d_out", **CROSS), (3, 1), False)
    assert message.headline == (
        "The output of token 3 stays the same on six tokens when source token 1 is changed."
    )
    assert message.details == ("It should depend on source token 1.",)


@pytest.mark.parametrize("changed", [1, 4])
def test_a_slice_of_another_sequence_does_not_come_later(changed):
    message = behaves(asked("batch", "tokens", "d_out", **CROSS), (3, changed), True)
    assert message.headline == (
        f"The output of token 3 changes on six tokens when source token {changed} is changed."
    )
    assert message.details == (f"It must not depend on source token {changed}.",)


def test_an_axis_with_a_role_is_told_by_its_name():
    message = behaves(influence(0, "tokens as query", "tokens as key"), (0, 1), True)
    assert message.headline.startswith("The output of token 0 changes")


@pytest.mark.parametrize("index", [(), (0,), (0, 3, 2)], ids=str)
@pytest.mark.parametrize("observe", [name for name in EXPERIMENTS if name not in ("result", "other-device")])
def test_what_could_not_be_measured_is_told_without_numbers(observe, index):
    if len(index) == EXPERIMENT_AXES.get(observe, 3):
        return
    message = behaves(asked("batch", "tokens", "d_out", observe=observe), index, 0.5, 0.25)
    assert message.headline == "`CausalAttention` does not give back what it should on six tokens."
    assert message.details == ("Print its result there, and the `.shape`: is it what the task asks for?",)


def test_another_order_that_matters_is_told_with_what_attention_knows():
    task = asked("tokens", "d_out", observe="permuted", settings={"input": "x", "axis": 0})
    message = behaves(task, (1,), 1.0, 0.0)
    assert (
        message.headline == "Tokens in another order do not just change places in the result on six tokens."
    )
    assert "knows no order" in message.details[0]


def test_another_order_of_one_input_is_told_by_that_inputs_name():
    probe = Probe("p", "six tokens", {"q_input": torch.ones(2), "k_input": torch.ones(2)}, Outcome(),
                  observe="permuted", settings={"input": "q_input", "axis": 0})  # fmt: skip
    task = dataclasses.replace(
        asked("tokens", observe="permuted", settings=probe.settings), probes={"p": probe}
    )
    message = word(f.WrongBehaviour("p", "permuted", (1,), 1.0, 0.0), task)
    assert message.headline.startswith("Rows of `q_input` in another order do not just change places")
    assert "`k_input`" in message.details[0]


SAID_OF_DROPOUT = {
    "finite": (0.0, 1.0, "In training mode the result holds nan or inf on six tokens.", "0 times −inf"),
    "left alone in eval mode": (
        0.0,
        1.0,
        "In eval mode something is still dropped on six tokens, or training has left something behind.",
        "nothing is dropped and nothing is scaled",
    ),
    "draws differ": (
        0.0,
        1.0,
        "Every call gives the same result in training mode on six tokens.",
        "a new draw belongs into every call",
    ),
    "share kept": (
        0.2,
        0.8,
        "With p = 0.2, 20 % of the entries are kept in training mode; it should be 80 %.",
        "p is the share that is dropped.",
    ),
    "copies together": (
        0.0,
        1.0,
        "Numbers that belong to one weight are dropped one by one in training mode.",
        "not on the context vectors",
    ),
    "one by one": (
        0.0,
        1.0,
        "Some entries are always dropped together in training mode.",
        "Every weight has a draw of its own",
    ),
    "counts vary": (
        0.0,
        1.0,
        "Every call drops exactly as many entries in training mode.",
        "whatever becomes of the others",
    ),
    "one factor": (
        0.0,
        1.0,
        "In training mode the kept entries are not all multiplied by the same number.",
        "nothing is normalised after it",
    ),
    "factor": (
        1.0,
        1.25,
        "The kept entries are multiplied by 1 in training mode; with p = 0.2 it should be 1/(1-p) = 1.2500.",
        "shrink",
    ),
    "size in eval mode": (
        9.6,
        12.0,
        "In eval mode the result is not what it should be without any dropout on six tokens.",
        "The scaling belongs to training",
    ),
}


def test_every_measure_of_dropout_is_told_here():
    assert tuple(SAID_OF_DROPOUT) == MEASURES


@pytest.mark.parametrize("measure", MEASURES)
def test_a_measure_of_dropout_says_what_was_seen_and_what_should_be(measure):
    obtained, expected, headline, detail = SAID_OF_DROPOUT[measure]
    task = asked("batch", "tokens", "d_out", **DROPOUT)
    message = behaves(task, (MEASURES.index(measure),), obtained, expected)
    assert message.headline == headline
    assert detail in message.details[0]


@pytest.mark.parametrize(("p", "shown"), [(0.1, "0.1"), (0.25, "0.25"), (0.5, "0.5")])
def test_p_is_written_as_a_person_writes_it(p, shown):
    task = asked("tokens", observe="dropout", settings={"p": p})
    index = (MEASURES.index("share kept"),)
    assert behaves(task, index, 1.0, 1 - p).headline.startswith(f"With p = {shown}, 100 % of")


def dropping_function(**settings):
    return asked("rows", "columns", name="dropout", kind="function", observe="dropout",
                 settings={"p": 0.2, "input": "x", **settings})  # fmt: skip


@pytest.mark.parametrize(
    "measure", [name for name in MEASURES if name not in ("left alone in eval mode", "size in eval mode")]
)
def test_a_function_that_drops_is_told_nothing_of_modes_or_softmax(measure):
    obtained, expected, *_ = SAID_OF_DROPOUT[measure]
    text = said(behaves(dropping_function(copies=7), (MEASURES.index(measure),), obtained, expected))
    assert not any(word in text for word in ("training mode", "eval mode", "softmax"))


@pytest.mark.parametrize(
    ("factor", "says", "not_said"),
    [(5.0, "grow", "shrink"), (1.5625, "twice", "shrink"), (0.8, "shrink", "grow")],
)
def test_a_factor_is_told_with_what_it_does_to_the_sums(factor, says, not_said):
    task = asked("batch", "tokens", "d_out", **DROPOUT)
    text = said(behaves(task, (MEASURES.index("factor"),), factor, 1.25))
    assert says in text
    assert not_said not in text


def test_numbers_that_are_dropped_together_and_should_not_be_are_told_so():
    message = behaves(dropping_function(p=0.7, copies=7), (MEASURES.index("copies together"),), 1.0, 0.0)
    assert message.headline == "Several entries are always dropped together."
    assert message.details == ("Every entry has a draw of its own.",)


def test_a_draw_where_there_should_be_none_is_not_said_to_be_missing():
    task = asked("batch", "tokens", "d_out", observe="dropout", settings={"p": 0.0})
    message = behaves(task, (MEASURES.index("draws differ"),), 1.0, 0.0)
    assert message.headline == "Something is dropped on six tokens, and nothing should be."
    assert message.details == ("With p = 0 every entry is kept.",)


def test_a_module_that_stops_on_another_device_is_told_both_ways_out():
    message = behaves(asked("tokens", observe="other-device"), (), 1.0, 0.0)
    assert message.headline == (
        "On another device `CausalAttention` stops: a tensor of its own is still on the CPU."
    )
    assert "`device=x.device`" in message.details[0]
    assert "`register_buffer`" in message.details[0]


def test_a_module_that_goes_back_to_the_cpu_is_told_the_price():
    message = behaves(asked("tokens", observe="other-device"), (), 2.0, 0.0)
    assert message.headline == "On another device, `CausalAttention` copies a tensor back to the CPU."
    assert "where the input lives" in message.details[0]


def test_a_gradient_that_does_not_come_back_is_told_with_what_cuts_it():
    message = behaves(asked("tokens", observe="gradient", settings={"input": "x"}), (0,), False)
    assert message.headline == "No gradient comes back to `x` on six tokens."
    assert "`.detach()`" in message.details[0]


def test_a_gradient_that_is_nan_is_told_with_where_it_comes_from():
    message = behaves(asked("tokens", observe="gradient", settings={"input": "x"}), (1,), False)
    assert message.headline.startswith("The result is right on six tokens, but the gradient ")
    assert "`x`" in message.headline
    assert "nan" in message.details[0]


@pytest.mark.parametrize(("place", "name"), [(0, "mask"), (1, "heads.0.positions")])
def test_a_buffer_that_is_not_registered_is_told_with_how_to_register_it(place, name):
    task = asked("tokens", observe="buffers", settings={"names": ["mask", "heads.0.positions"]})
    message = behaves(task, (place,), False)
    assert message.headline == f"`{name}` is not in the state dict of `CausalAttention`."
    assert f'`self.register_buffer("{name.split(".")[-1]}", tensor)`' in message.details[0]


EVERY = {
    "influence": [((0, 1), 1.0, 0.0), ((1, 0), 1.0, 0.0), ((1, 0), 0.0, 1.0), ((1, 1), 0.0, 1.0)],
    "permuted": [((0,), 1.0, 0.0), ((0,), 0.0, 1.0)],
    "dropout": [((i,), *SAID_OF_DROPOUT[measure][:2]) for i, measure in enumerate(MEASURES)],
    "other-device": [((), 1.0, 0.0), ((), 2.0, 0.0)],
    "gradient": [((0,), 0.0, 1.0), ((1,), 0.0, 1.0)],
    "buffers": [((0,), 0.0, 1.0), ((1,), 0.0, 1.0)],
    "second-call": [((0, 1, 1), 0.5, 0.25)],
    "start-values": [((0, column), 0.0, 1.0) for column in range(5)],
}


@pytest.mark.parametrize(
    ("observe", "case"), [(observe, case) for observe, cases in EVERY.items() for case in cases], ids=str
)
def test_every_experiment_is_put_into_words_that_name_none_of_our_own(observe, case):
    settings = {"input": "x", "axis": 1, "p": 0.2, "names": ["mask", "positions"]}
    message = behaves(asked("batch", "tokens", "d_out", observe=observe, settings=settings), *case)
    text = said(message)
    assert message.headline.endswith(".")
    assert message.details
    assert all(detail.endswith(".") for detail in message.details)
    assert len(message.headline) < 130
    for internal in ("influence", "permuted", "other-device", "experiment", "probe", "meta", "True"):
        assert internal not in text


def test_no_experiment_is_without_words():
    assert set(EVERY) == set(EXPERIMENTS) - {"result"}


def test_every_experiments_axes_are_known():
    assert set(EXPERIMENT_AXES) == set(EVERY) - {"second-call"}  # which gives the result itself
    for observe, axes in EXPERIMENT_AXES.items():
        assert {len(index) for index, *_ in EVERY[observe]} == {axes}


def test_a_tensor_that_should_be_left_alone_is_named_as_the_lessons_own(share):
    message = word(
        f.GivensChanged(names=("scores",)), dataclasses.replace(share, keeps={"scores": torch.ones(2)})
    )
    assert message.headline == "`scores` no longer holds what the lesson put there, and should be left alone."
    assert "example data" not in said(message)


def test_another_exception_than_the_one_asked_for_is_not_said_to_be_none(share):
    message = word(f.NotRefused("three", ("ValueError",), "TypeError"), share)
    assert message.headline == "`share` stops at three numbers with a TypeError."
    assert "ValueError" in message.details[0]


def test_an_assert_is_told_to_be_right_but_not_what_is_asked_for(share):
    message = word(f.NotRefused("three", ("ValueError",), "AssertionError"), share)
    assert message.headline == "`share` rightly refuses three numbers, but with an `assert`."
    assert message.details[0].startswith("The task asks for a ValueError.")


def test_a_line_of_an_earlier_class_is_said_to_stand_in_that_classs_cell(share):
    error = ErrorReport("RuntimeError", "sizes", "x @ y", 4, "Attention.forward")
    details = word(f.Raised("three", error), share).details
    assert details[0] == "It happened in line 4 of the cell of `Attention`."


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
    message = word(f.Raised("three", ErrorReport("NeedsEarlier", reason, line="Causal")), share)
    assert message.headline == f"`share` is tried on your class `Causal`, which {reason}."
    assert "run its cell, then run this check again" in message.details[0]
    assert message.code == ""
    assert "NeedsEarlier" not in said(message)


def test_weight_on_a_later_token_names_query_and_key(pairs):
    message = word(f.BrokenProperty("three", "causal", (1, 2), 0.25), pairs)
    assert message.headline == (
        "Entry [1, 2] (query 1, key 2) is 0.2500 on three tokens: "
        "query 1 gives weight to key 2, which comes later."
    )
    assert message.details == ("Above the diagonal every weight must be 0.",)


def test_weight_on_a_later_token_in_a_head_names_query_and_key_too():
    task = asked("batch", "heads", "tokens as query", "tokens as key")
    headline = word(f.BrokenProperty("tried", "causal", (0, 1, 1, 2), 0.25), task).headline
    assert headline.startswith("Entry [0, 1, 1, 2] (batch 0, head 1, query 1, key 2) is 0.2500")
    assert headline.endswith("query 1 gives weight to key 2, which comes later.")
