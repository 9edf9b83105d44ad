"""Which known mistakes explain an answer: alone, together, side by side, or none of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from autograder.judge.failure_signatures import UNTRIED, failure_signature, tabulate
from autograder.judge.known_mistakes import explain
from autograder.probe.collect_evidence import call
from autograder.records.bank import Check, Probe
from autograder.records.run_outcome import ErrorReport, ModuleReport, Outcome, Reshaped
from support.tiny_lesson import knowing, plain_task

NAN, INF = float("nan"), float("inf")


def answer(*faults, raised=ValueError, words="nothing to share"):
    """An answer that makes these mistakes: halve, add one and turn round, and refuse what is empty."""

    def run(x):
        if not len(x) and "takes-empty" not in faults:
            raise raised(words)
        x = x if "no-half" in faults else x / 2
        x = x if "no-one" in faults else x + 1
        x = x.double() if "double" in faults else x
        return x if "no-turn" in faults else x.flip(0)

    return run


def done(function, task=None):
    return {name: call(function, probe) for name, probe in (task or TASK).probe.items()}


def asked():
    probes = [
        Probe("three", "three numbers", {"x": torch.tensor([1.0, 2.0, 5.0])}),
        Probe("four", "four numbers", {"x": torch.tensor([2.0, 2.0, 4.0, 8.0])}),
        Probe("even", "the same twice", {"x": torch.tensor([4.0, 4.0])}),
        Probe("empty", "no numbers", {"x": torch.ones(0)}, raises=("ValueError",)),
    ]
    probes = [replace(probe, expected=call(answer(), probe)) for probe in probes]
    checks = Check("first", 1, ("three", "even")), Check("other", 1, ("four",)), Check("no", 1, ("empty",))
    return plain_task("steps", *probes, checks=checks, dtypes=("float32",))


TASK = asked()
ALONE = {name: done(answer(name)) for name in ("no-half", "no-one", "no-turn", "takes-empty", "double")}
TASK = knowing(TASK, {**ALONE, "no-half and no-one": done(answer("no-half", "no-one"))})


def names(outcomes, task=TASK):
    return [item.id for item in explain(task, outcomes).wrong]


@pytest.mark.parametrize("fault", ALONE)
def test_a_mistake_is_known_by_what_it_does(fault):
    assert names(done(answer(fault))) == [fault]


def test_two_mistakes_that_were_tried_together_are_both_known():
    assert names(done(answer("no-one", "no-half"))) == ["no-half", "no-one"]


@pytest.mark.parametrize(
    "result",
    [lambda x: answer("no-half")(x) * 3, lambda x: answer("no-half")(x) + 3],
    ids=["times a factor", "shifted"],
)
def test_a_mistake_is_not_named_where_its_numbers_are_others(result):
    assert names(done(result)) == []


def test_two_mistakes_that_leave_each_other_alone_are_known_without_that():
    explained = explain(TASK, done(answer("no-turn", "takes-empty")))
    assert [item.id for item in explained.wrong] == ["no-turn", "takes-empty"]
    assert (explained.results, explained.whole) == ({"three", "four", "empty"}, True)


def test_a_mistake_beside_the_numbers_is_known_with_one_in_them():
    explained = explain(TASK, done(answer("no-turn", "double")))
    assert [item.id for item in explained.wrong] == ["no-turn", "double"]
    assert ("even", "dtype") in explained.marks


@pytest.mark.parametrize("fault", ["no-half", "no-turn"])
def test_a_mistake_that_explains_one_check_and_not_another_is_named_as_a_part(fault):
    explained = explain(TASK, done(lambda x: answer(fault)(x) + 7 * (len(x) == 4)))
    assert [item.id for item in explained.wrong] == [fault]
    assert ("four" in explained.results, explained.whole) == (False, False)


def test_two_mistakes_that_show_in_other_checks_are_both_named_beside_what_nothing_explains():
    probe = Probe("five", "five numbers", {"x": torch.tensor([3.0, 1.0, 4.0, 1.0, 5.0])})
    probe = replace(probe, expected=call(answer(), probe))
    task = asked()
    task = replace(task, probes=(*task.probes, probe), checks=(*task.checks, Check("last", 1, ("five",))))
    alone = {
        "first-wrong": done(lambda x: answer()(x) + 2.5 * (len(x) == 3), task),
        "other-wrong": done(lambda x: answer()(x) * (3 if len(x) == 4 else 1), task),
    }

    def both(x):
        return answer()(x) * (3 if len(x) == 4 else 1) + 2.5 * (len(x) == 3) + 7 * (len(x) == 5)

    explained = explain(knowing(task, alone), done(both, task))
    assert {item.id for item in explained.wrong} == {"first-wrong", "other-wrong"}
    assert (explained.results, explained.whole) == ({"three", "four"}, False)


def test_a_cause_is_not_named_where_it_would_give_another_shape():
    alone = {"folded": done(lambda x: answer()(x)[:2] + 0 * (len(x) - 2) + (len(x) == 2))}
    task = knowing(asked(), alone)
    assert names(done(lambda x: answer()(x) + (len(x) == 2) + 7 * (len(x) == 3), task), task) == []


def test_where_a_mistake_shows_otherwise_than_alone_no_other_alone_explains_that():
    outcomes = done(lambda x: answer("no-half")(x) + 7 * (len(x) == 4))
    task = knowing(TASK, {**ALONE, "strange": done(answer()) | {"four": outcomes["four"]}})
    assert names(outcomes, task) == ["no-half"]


@pytest.mark.parametrize("fault", ["takes-empty", "no-half"])
def test_a_later_check_names_a_mistake_where_something_else_hides_it_in_the_first(fault):
    assert names(done(lambda x: answer(fault)(x) + 7 * (len(x) == 3))) == [fault]


def failing(error):
    def run(x):
        if len(x) == 3:
            raise error
        return answer()(x)

    return run


@pytest.mark.parametrize(
    ("reference", "result", "expected"),
    [
        (["size 3"], IndexError("size 3"), ["size 3"]),
        (["size 3"], IndexError("only 3"), ["size 3"]),
        (["size 3", "only 3"], IndexError("only 3"), ["only 3"]),
        (["size 3", "only 3"], IndexError("no more than 3"), []),
        (["size 3"], IndexError("size 4"), []),
        (["size 3"], TypeError("size 3"), []),
        (["a"], IndexError("b"), []),
        (["name 'a'"], NameError("name 'a'"), []),
    ],
    ids=[
        "the same words",
        "other words about the same sizes",
        "the words of one",
        "the words of neither",
        "other sizes",
        "another type",
        "no sizes",
        "a slip",
    ],
)
def test_a_call_that_stops_is_known_by_its_error_and_the_sizes_in_it(reference, result, expected):
    table = {words: done(failing(IndexError(words))) for words in reference}
    assert names(done(failing(result)), knowing(TASK, table)) == expected


def test_of_two_mistakes_that_raise_the_same_a_parameter_of_a_wrong_size_tells_which():
    raises = {**done(answer()), **dict.fromkeys(("three", "four", "even"), raised("IndexError", "a"))}
    turned = ModuleReport(reshaped=(Reshaped("W", (2, 3), (3, 2)),))
    sized = {name: replace(item, module=turned) for name, item in raises.items()}
    task = knowing(TASK, {"counted": raises, "turned": sized})
    assert (names(raises, task), names(sized, task)) == (["counted"], ["turned"])


@pytest.mark.parametrize(("observe", "named"), [("gradient", ["no-half"]), ("result", [])])
def test_an_experiment_that_fails_in_one_wording_only_rules_nothing_out(observe, named):
    probes = tuple(replace(item, observe=observe) if item.id == "four" else item for item in TASK.probes)
    elsewhere = {**ALONE["no-half"], "four": done(failing(IndexError("a")))["three"]}
    task = knowing(replace(TASK, probes=probes), {"no-half": elsewhere})
    assert names({**ALONE["no-half"], "four": done(answer())["four"]}, task) == named


def test_a_probe_that_passes_rules_out_what_would_fail_on_it():
    assert names(done(lambda x: answer(*["no-half"] * (len(x) != 4))(x))) == []


def test_of_mistakes_that_explain_as_much_only_what_they_have_in_common_is_named():
    strange = done(lambda x: x + 100)
    pairs = {"no-half and no-one": strange, "no-half and no-turn": strange}
    explained = explain(knowing(TASK, {**ALONE, **pairs}), strange)
    assert ([item.id for item in explained.wrong], explained.results) == (["no-half"], frozenset())
    assert names(strange, knowing(TASK, {"no-half": strange, "no-one": strange})) == []


def test_of_two_explanations_that_fit_the_one_with_fewer_mistakes_is_named():
    table = {**ALONE, "no-half and no-one": ALONE["no-turn"]}
    assert names(ALONE["no-turn"], knowing(TASK, table)) == ["no-turn"]


@pytest.mark.parametrize("words", ["nothing to share", "in words of its own"])
def test_on_what_must_be_refused_words_do_not_count(words):
    assert names(done(answer("no-half", words=words))) == ["no-half"]


@pytest.mark.parametrize("error", [AssertionError, KeyError])
def test_a_refusal_by_another_name_is_no_part_of_another_mistake(error):
    explained = explain(TASK, done(answer("no-half", raised=error)))
    assert [item.id for item in explained.wrong] == ["no-half"]
    assert explained.marks == frozenset()


def test_what_is_taken_instead_of_refused_is_known_whatever_comes_of_it():
    assert names(done(lambda x: answer()(x) if len(x) else torch.full((7,), 3.0))) == ["takes-empty"]


@pytest.mark.parametrize("seen", [["four"], ["three", "even"]])
def test_what_was_not_seen_does_not_count(seen):
    outcomes = done(answer("no-half"))
    assert names({name: outcomes[name] for name in seen}) == ["no-half"]


@pytest.mark.parametrize("outcomes", [{}, done(answer())], ids=["nothing", "all right"])
def test_where_nothing_is_wrong_no_mistake_is_named(outcomes):
    assert explain(TASK, outcomes).wrong == ()


def endless(value):
    """What an answer yields whose every number is this one."""
    return {name: Outcome("torch.Tensor", torch.full((2,), value), (2,), "float32") for name in TASK.probe}


@pytest.mark.parametrize(
    ("result", "outcomes", "proven"),
    [
        ({}, done(answer("no-half")), "same"),
        ({}, done(answer("no-half", "no-one")), "same"),
        ({}, done(answer("no-turn", "takes-empty")), "likeness"),
        ({}, done(answer("takes-empty")), ""),
        ({"endless": endless(NAN)}, endless(NAN), "ending"),
        ({"zero": endless(0.0)}, endless(0.0), "ending"),
        ({}, done(lambda x: answer("no-half")(x) + 7 * (len(x) == 4)), "same"),
    ],
)
def test_what_is_proven_of_a_mistake_is_told(result, outcomes, proven):
    task = knowing(TASK, {**ALONE, "no-half and no-one": done(answer("no-half", "no-one")), **result})
    assert explain(task, outcomes).shown == proven


def test_of_what_was_not_tried_nothing_is_proven():
    outcomes = done(answer("no-half", "no-turn"))
    assert explain(untried("even"), outcomes).shown == "likeness"


def untried(*names):
    """The task, where two mistakes together were not tried on some probes."""
    both = done(answer("no-half", "no-turn"))
    sights = [
        {item: failure_signature(TASK, probe, wrong[item]) for item, probe in TASK.probe.items()}
        for wrong in (*ALONE.values(), both)
    ]
    sights[-1] |= dict.fromkeys(names, UNTRIED)
    members = [*((position,) for position in range(len(ALONE))), (0, 2)]
    return replace(TASK, explanations=tabulate(members, sights))


def test_where_two_mistakes_were_not_tried_together_whatever_they_do_is_theirs():
    outcomes = done(answer("no-half", "no-turn"))
    outcomes["even"] = replace(outcomes["even"], tensor=torch.tensor([70.0, 7.0]))
    explained = explain(untried("even"), outcomes)
    assert [item.id for item in explained.wrong] == ["no-half", "no-turn"]
    assert ("even" in explained.results, explained.whole) == (True, True)


def test_beside_an_error_two_mistakes_explain_the_other_checks_only():
    outcomes = done(answer("no-half", "no-turn")) | {"even": Outcome(error=ErrorReport("IndexError", "no"))}
    explained = explain(untried("even"), outcomes)
    assert ("even" in explained.results, explained.whole) == (False, False)


def test_a_parameter_that_is_missing_is_no_work_of_two_mistakes_that_lack_none():
    outcomes = done(answer("no-half", "no-turn"))
    outcomes["even"] = replace(outcomes["even"], module=ModuleReport(missing=("W",)))
    assert not explain(untried("even"), outcomes).whole


def test_two_mistakes_are_not_named_where_each_alone_shows_and_the_answer_is_right():
    outcomes = done(answer("no-half", "no-turn")) | {"even": done(answer())["even"]}
    assert names(outcomes, untried("even")) == []


@pytest.mark.parametrize(("dtype", "reference"), [(torch.float32, ["no-half"]), (torch.int64, [])])
def test_whole_numbers_may_agree_once_by_chance(dtype, reference):
    def cast(outcome):
        return outcome if outcome.tensor is None else replace(outcome, tensor=outcome.tensor.to(dtype))

    probes = tuple(replace(probe, expected=cast(probe.expected)) for probe in TASK.probes)
    wrong = {name: cast(outcome) for name, outcome in ALONE["no-half"].items()}
    task = knowing(replace(TASK, probes=probes), {"no-half": wrong})
    other = cast(done(lambda x: answer()(x) + 70)["four"])
    assert names({"three": wrong["three"], "four": other}, task) == reference


def test_what_was_not_tried_explains_nothing_by_itself():
    assert names(done(lambda x: answer()(x) + 7), untried("three", "four", "even")) == []


@pytest.mark.parametrize(("varies", "reference"), [(True, ["no-one"]), (False, [])])
def test_a_mistake_with_a_number_in_it_is_known_by_which_results_are_wrong(varies, reference):
    wrong = tuple(replace(item, varies=varies and item.id == "no-one") for item in TASK.known_wrong)
    assert names(done(lambda x: answer("no-one")(x) + 0.3), replace(TASK, known_wrong=wrong)) == reference


def test_an_answer_that_overflows_is_not_explained_by_every_other_that_does():
    endless = {name: Outcome("torch.Tensor", torch.full((2,), INF), (2,), "float32") for name in TASK.probe}
    task = knowing(TASK, {"endless": endless})
    assert names(endless, task) == ["endless"]
    assert names(done(answer("no-half")), task) == []


def test_a_second_mistake_is_not_read_from_numbers_that_are_all_nan():
    lost = {"four": Outcome("torch.Tensor", torch.full((4,), NAN), (4,), "float32")}
    both = done(answer("no-half")) | lost
    task = knowing(TASK, {**ALONE, "ends": done(answer()) | lost, "no-half and ends": both})
    explained = explain(task, both)
    assert ([item.id for item in explained.wrong], explained.whole) == (["no-half"], False)


# What is seen of one outcome


def outcome(value, **fields):
    tensor = torch.as_tensor(value)
    return Outcome("torch.Tensor", tensor, tuple(tensor.shape), "float32", **fields)


def raised(kind, message, line=""):
    return Outcome(error=ErrorReport(kind, message, line))


@pytest.mark.parametrize(
    ("item", "other", "same"),
    [
        (outcome([1.0, 2.0]), outcome([1.0, 2.00001]), True),
        (outcome([1.0, 2.0]), outcome([2.0, 1.0]), False),
        (outcome([1.0, 2.0]), outcome([[1.0], [2.0]]), False),
        (outcome([NAN, 2.0]), outcome([NAN, 2.0]), True),
        (outcome([NAN, 2.0]), outcome([INF, 2.0]), False),
        (outcome([INF, 2.0]), outcome([-INF, 2.0]), False),
        (outcome(torch.ones(0)), outcome(torch.ones(0)), True),
        (raised("RuntimeError", "sizes 3 and 4"), raised("RuntimeError", "of 4 and 3"), True),
        (raised("RuntimeError", "sizes 3 and 4"), raised("RuntimeError", "sizes 5 and 16"), False),
        (raised("RuntimeError", "no 'w' in it"), raised("RuntimeError", "no 'q' in it"), True),
        (raised("RuntimeError", "sizes"), raised("RuntimeError", "types"), False),
        (raised("ValueError", "no"), raised("TypeError", "no"), False),
        (
            raised("ValueError", "no", "raise no"),
            raised("ValueError", "never", "if x: raise never"),
            True,
        ),
        (raised("ValueError", "no", "raise no"), raised("ValueError", "never", "raised(x)"), False),
        (raised("ValueError", "no"), outcome([1.0]), False),
        (Outcome("list"), Outcome("list"), True),
        (Outcome("list"), Outcome("tuple"), False),
    ],
)
def test_two_wrong_results_are_the_same_by_their_numbers_or_by_what_is_raised(item, other, same):
    task = knowing(TASK, {"it": dict.fromkeys(TASK.probe, item)})
    assert names({"three": other}, task) == (["it"] if same else [])


@pytest.mark.parametrize(
    ("done", "result", "marks"),
    [
        (raised("ValueError", "other words"), "", set()),
        (raised("AssertionError", "no"), "", {"refused as AssertionError"}),
        (outcome([1.0]), "accepted", set()),
        (Outcome("list"), "accepted", set()),
    ],
)
def test_of_what_must_be_refused_only_that_is_seen_and_by_what_name(done, result, marks):
    seen = failure_signature(TASK, TASK.probe["empty"], done)
    assert (seen.result, seen.numbers, seen.marks) == (result, (), marks)


RIGHT = TASK.probe["three"].expected


@pytest.mark.parametrize(
    ("fields", "marks"),
    [
        ({"changed_inputs": ("x",)}, {"changes x"}),
        ({"tensor": RIGHT.tensor.double()}, {"dtype"}),
        ({"type_name": "numpy.ndarray"}, {"type numpy.ndarray"}),
        ({"module": ModuleReport(unsteady=True)}, {"unsteady"}),
        ({"module": ModuleReport(unreached=("W",))}, {"no gradient"}),
        ({"module": ModuleReport(unreached=("W",), frozen=("W",))}, {"frozen"}),
        ({"module": ModuleReport(shared=("W",))}, {"shares W"}),
        ({"module": ModuleReport(reshaped=(Reshaped("W", (2, 3), (3, 2)),))}, {"shape of W"}),
        ({"module": ModuleReport(("W.bias",), unexpected=("V.bias",))}, {"lacks W.bias", "extra other"}),
        ({"module": ModuleReport(unexpected=("W.bias",))}, {"extra W.bias"}),
    ],
)
def test_what_is_wrong_beside_right_numbers_is_marked(fields, marks):
    probe = replace(TASK.probe["three"], weights={"W.weight": torch.ones(1)})
    seen = failure_signature(TASK, probe, replace(RIGHT, **fields))
    assert (seen.result, seen.marks) == ("", marks)
