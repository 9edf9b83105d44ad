"""Making the bank from the solution: what would make a check worthless is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from autograder.author.audit import audit_lesson
from autograder.author.authoring import load_faults, load_lesson
from autograder.author.build_bank import make_bank
from autograder.author.lesson_source import read_lesson
from autograder.author.parse_source import read_source
from autograder.author.pipeline import current_bank
from autograder.author.solution_runs import run_solution
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import AS_SEEN, KnownWrong, save
from support.tiny_course import TASKS

NAME = "01-tiny"
DOUBLE = "= x.double() / x.double().sum()"


@pytest.fixture
def refused(course_with):
    """Why the tiny lesson with some of it replaced is refused."""

    def find(source=(), tasks=(), faults=()):
        with pytest.raises(AuthoringError) as caught:
            current_bank(read_lesson(course_with(source, tasks, faults), NAME))
        return caught.value.problems

    return find


@pytest.fixture
def built_bank(course_with):
    return lambda source=(), tasks=(), faults=(): current_bank(
        read_lesson(course_with(source, tasks, faults), NAME)
    )


# What the bank holds


def test_the_expected_outcome_is_what_the_solution_itself_gives(built_bank):
    tasks = built_bank().tasks
    assert tasks["share"].probe["three"].expected.tensor.tolist() == [0.125, 0.25, 0.625]
    assert tasks["row-sums"].probe[AS_SEEN].expected.tensor.tolist() == [6.0, 16.0]


def test_a_known_wrong_answer_is_kept_with_what_its_mistake_is_called_and_where_it_is_explained(built_bank):
    expected = KnownWrong(
        "by-count", "Divide by the sum, not by the count.", "divided by the count", "01-tiny#title"
    )
    assert built_bank().tasks["share"].known_wrong[1] == expected


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("→ len(x)\n", "→ len(x)\n            hint: {name}: {whole}\n", "share: the sum"),
        ("    hints=", '    words={"whole": "x.sum()"},\n    hints=', "Divide by x.sum(), not by the count."),
    ],
    ids=["a hint of its own", "a word of its own"],
)
def test_a_task_may_say_otherwise_what_a_hint_says_to_all(built_bank, old, new, hint):
    end = 'learned="Shares add up to 1.",\n'
    tasks = ((end + old, end + new),) if old.startswith("    hints") else ((old, new),)
    assert built_bank(tasks=tasks).tasks["share"].known_wrong[1].hint == hint


def test_a_tensor_is_made_once_with_each_set_of_givens(built_bank):
    result = built_bank()
    probes = result.tasks["row-sums"].probe
    assert list(probes) == [AS_SEEN, "redrawn-1"]
    for run, probe in probes.items():
        assert torch.equal(probe.expected.tensor, result.givens[run]["table"].sum(dim=1))
    assert not torch.equal(result.givens[AS_SEEN]["table"], result.givens["redrawn-1"]["table"])


def test_the_bank_is_made_without_drawing_the_lessons_figures(built_bank):
    figure = '# %% id="figure" tags=["figure"]\nwidth = 2\n1 / 0\n\n# %% id="shown"'
    used = ("largest number:", "width:"), ("table.max()", "width")
    assert built_bank(source=(('# %% id="shown"', figure), *used)).tasks


def test_an_answer_runs_at_the_moment_of_its_cell_and_leaves_no_trace(course_with):
    course = course_with()
    described = load_lesson(course.source / NAME)
    runs = run_solution(described, read_source(course.source / NAME / f"{NAME}.py"), NAME)
    moment, result = runs.moments[AS_SEEN]["row-sums-answer"], []
    for seed in (1, 2):
        state = torch.manual_seed(seed).get_state()
        result.append(moment.run("row_sums = table.zero_() + torch.rand(3)", "<cell>")["row_sums"])
        assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(*result)
    assert torch.equal(moment.variables["table"], runs.givens[AS_SEEN]["table"])
    assert "row_sums" not in moment.variables


# Solutions


def test_a_name_that_the_solution_does_not_define_is_named(refused):
    (problem,) = refused(source=(("def share", "def shares"),))
    assert problem == f"{NAME}: task share: the solution defines no share"


def test_a_solution_that_fails_on_a_probe_is_named_with_its_error(refused):
    actual = refused(source=(("return x / x.sum()", "return x / x.sum() if len(x) == 3 else x / []"),))
    assert actual == [f"{NAME}: task share: probe four: the solution raises TypeError"]


def test_a_solution_that_gives_no_tensor_is_named_with_what_it_gives(refused):
    actual = refused(source=(("return x / x.sum()", "return (x / x.sum()).tolist()"),))
    gives = "the solution gives list"
    assert actual == [f"{NAME}: task share: probe {probe}: {gives}" for probe in ("three", "four")]


def test_a_solution_with_other_axes_than_named_is_refused(refused):
    actual = refused(source=(("table.sum(dim=1)", "table.sum(dim=1)[:, None]"),))
    expected = f"{NAME}: task row-sums: probe as-seen: the solution has 2 axes, and the task names ('rows',)"
    assert expected in actual


def test_a_cell_that_fails_is_named_with_its_error(refused):
    assert refused(source=(("table.max()", "1 / 0"),)) == ["cell shown: ZeroDivisionError: division by zero"]


@pytest.mark.parametrize(
    ("old", "new", "task"),
    [
        ("return x / x.sum()", "return (x / x.sum()).half()", "share"),
        ("table.sum(dim=1)", "table.sum(dim=1).int()", "row-sums"),
    ],
    ids=["half", "int"],
)
def test_a_solution_below_100_percent_is_named(refused, old, new, task):
    assert f"{NAME}: the solution does not earn all of {task}" in refused(source=((old, new),))


def test_a_given_that_no_cell_defines_is_named(refused):
    actual = refused(tasks=(('given_axes={"table"', 'given_axes={"tables": (), "table"'),))
    assert actual == [f"{NAME}: no given cell defines tables"]


# Known wrong answers


def test_a_known_wrong_answer_that_passes_is_named(refused):
    actual = refused(tasks=(("→ x.max()", "→ (x).sum()"),))
    assert f"{NAME}: task share: the known wrong answer by-largest passes" in actual


def test_a_known_wrong_tensor_that_passes_is_named(refused):
    actual = refused(tasks=(("→ table.mean", "→ (2 * table / 2).sum"),))
    assert f"{NAME}: task row-sums: the known wrong answer means passes" in actual


def test_a_known_wrong_answer_that_is_wrong_on_one_probe_is_wrong_enough(built_bank):
    item = (("x.max()", "(x.sum() if len(x) == 3 else 1)"),)
    assert built_bank(tasks=item).tasks["share"].known_wrong[0].id == "by-largest"


MEANS = f"{NAME}: task row-sums: the wrong answer means: "


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("→ table.mean", "→ tables.mean", "an answer fails: NameError: name 'tables' is not defined"),
        ("→ table.mean", "→ table.mean(", "an answer fails: SyntaxError: "),
        ("table.sum →", "tables →", "cell row-sums-answer: the edit of 'tables' expects 1 place"),
        ("table.sum →", "row →", "cell row-sums-answer: the edit of 'row' expects 1 place"),
        ("table.sum → table.mean", "= 1\n            dim → axis", "cell row-sums-answer: two"),
        ("→ table.mean", "→ table.sum", "cell row-sums-answer: its edits change nothing"),
        ("means: ", "mean: ", "faults.py does not name it"),
    ],
)
def test_a_wrong_answer_that_cannot_be_made_is_named_with_task_mistake_and_cell(refused, old, new, problem):
    (actual,) = refused(tasks=((old, new),))
    assert actual.replace("answer mean:", "answer means:").startswith(MEANS + problem)


def test_a_line_that_is_no_change_is_named_with_task_answer_and_line(refused):
    line = TASKS[: TASKS.index("wrong=wrongs")].count("\n") + 1
    assert refused(tasks=(("→ x.max()", "-> x.max()"),)) == [
        f"{NAME}/tasks.py, line {line}, task share: line 2 of the table, by-largest: "
        "'x.sum() -> x.max()' is no change, such as `old → new`"
    ]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"by-count"', '"means"', "faults.py: means is named 2 times"),
        ("FAULTS =", 'TOGETHER = (("means", "mean"),)\nFAULTS =', "faults.py: mean is used"),
        ("FAULTS =", "1 / 0\nFAULTS =", "source/faults.py: ZeroDivisionError: division by zero"),
        ("{whole}.", "{part}.", f"{NAME}: task share: the wrong answer by-largest: by-largest: its hint"),
    ],
)
def test_what_is_wrong_with_the_mistakes_themselves_is_named(refused, old, new, problem):
    assert refused(faults=((old, new),))[0].startswith(problem)


# A mistake that only one lesson knows
OWN = 'from autograder.author.authoring import Fault\nFAULTS = (Fault("half", "a half", "Take all."),)\n'
HALF = (("by-largest: ", "half: x / → x / 2 /\n        by-largest: "),)


def test_a_lessons_own_mistake_is_known_to_it(course_with):
    course = course_with(tasks=HALF)
    (course.source / NAME / "faults.py").write_text(OWN, encoding="utf-8")
    assert "half" in {item.id for item in current_bank(read_lesson(course, NAME)).tasks["share"].known_wrong}


def test_a_lessons_own_mistake_is_not_known_to_another(course_with):
    course = course_with(tasks=HALF)
    (course.source / "02-other").mkdir()
    (course.source / "02-other" / "faults.py").write_text(OWN, encoding="utf-8")
    with pytest.raises(AuthoringError) as caught:
        current_bank(read_lesson(course, NAME))
    assert caught.value.problems == [f"{NAME}: task share: the wrong answer half: faults.py does not name it"]


def test_a_mistake_that_the_course_and_a_lesson_both_name_is_refused(course_with):
    course = course_with()
    (course.source / NAME / "faults.py").write_text(OWN.replace("half", "means"), encoding="utf-8")
    with pytest.raises(AuthoringError) as caught:
        current_bank(read_lesson(course, NAME))
    assert caught.value.problems == ["faults.py: means is named 2 times"]


SIGN = ("FAULTS = (", 'FAULTS = (Fault("sign", "sign turned", "", parts=("share",)),')
SHOWN = "sign: x / → -x /\n        "


def of_part(cannot="", wrong="", parts='"share",'):
    """The tiny tasks, where the first has parts, and says what it cannot show or shows it."""
    return (
        ("by-largest: ", f"{wrong}by-largest: "),
        ('    input_axes={"x"', f'    parts=({parts}), cannot={{{cannot}}},\n    input_axes={{"x"'),
    )


@pytest.mark.parametrize("tasks", [of_part(wrong=SHOWN), of_part('"sign": "why"'), of_part(parts="")])
def test_a_mistake_is_shown_or_said_not_to_be_possible_where_a_tasks_parts_ask_for_it(built_bank, tasks):
    assert built_bank(tasks=tasks, faults=(SIGN,)).tasks["share"].points == 3


@pytest.mark.parametrize(
    ("tasks", "problem"),
    [
        (of_part(), "no wrong answer shows sign; write one, or say in `cannot` why there is none"),
        (of_part('"sign": "why"', SHOWN), "`cannot` names sign, which a wrong answer shows"),
        (of_part('"sign": "why"', parts=""), "`cannot` names sign, which its parts do not make possible"),
    ],
)
def test_a_gap_in_what_a_task_shows_is_named(refused, tasks, problem):
    assert refused(tasks=tasks, faults=(SIGN,)) == [f"{NAME}: task share: {problem}"]


def test_an_answer_that_breaks_a_demand_and_keeps_all_points_is_named(course_with):
    # Right on the probe that a check asks for, and wrong on another.
    course = course_with(tasks=(("by-count: x.sum() → len(x)", "by-count: x.sum() → x[:3].sum()"),))
    source = read_lesson(course, NAME)
    share, rows = source.lesson.tasks
    asked = replace(share, checks=share.checks[:1], demands={"it": "by-count", "all": "by-largest"})
    with pytest.raises(AuthoringError) as caught:
        make_bank(replace(source.lesson, tasks=(asked, rows)), source.runs, NAME, load_faults(course.source))
    (problem,) = caught.value.problems
    assert problem == f"{NAME}: task share: by-count breaks the demand 'it' and keeps all points"


def test_two_known_wrong_answers_that_no_probe_tells_apart_are_named(refused):
    actual = refused(tasks=(("→ len(x)", "→ (1 * x).max()"),))
    assert actual == [f"{NAME}: task share: no probe tells by-count from by-largest"]


def test_two_known_wrong_answers_that_fail_alike_are_named(refused):
    actual = refused(tasks=(("x.sum() → len(x)", "= x @ x[:1]"), ("x.sum() → x.max()", "= 2 * (x @ x[:1])")))
    assert actual == [f"{NAME}: task share: no probe tells by-count from by-largest"]


def test_a_different_right_answer_that_is_rejected_is_named(refused):
    actual = refused(tasks=((DOUBLE, "= x"),))
    assert len(actual) == 1
    assert actual[0].startswith(f"{NAME}: task share: the right answer double is rejected (")


# Axes


def test_two_axes_of_the_same_size_in_every_probe_are_named(refused):
    actual = refused(
        source=(("[[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]", "[[1.0, 2.0], [4.0, 7.0]]"),),
        tasks=(("torch.rand(2, 3", "torch.rand(2, 2"),),
    )
    assert actual == [f"{NAME}: task row-sums: in every probe the axes columns and rows have the same size"]


SQUARE = (
    ('    axes=("tokens",),\n', '    axes=("tokens", "d_in"),\n'),
    ('input_axes={"x": ("tokens",)}', 'input_axes={"x": ("tokens", "d_in")}'),
    ("torch.tensor([1.0, 2.0, 5.0])", "torch.tensor([[1.0, 2.0], [3.0, 5.0]])"),
    ("    properties=(\"sums-to-one\",),\n", ""),
)  # fmt: skip


def test_square_probes_of_a_function_are_named(refused):
    actual = refused(tasks=(*SQUARE, ("torch.tensor([2.0, 2.0, 4.0, 8.0])", "torch.eye(3) + 1")))
    assert actual == [f"{NAME}: task share: in every probe the axes d_in and tokens have the same size"]


def test_one_probe_that_tells_the_axes_apart_is_enough(built_bank):
    result = built_bank(tasks=(*SQUARE, ("torch.tensor([2.0, 2.0, 4.0, 8.0])", "torch.rand(2, 3) + 1")))
    assert result.tasks["share"].axes == ("tokens", "d_in")


def test_one_name_for_two_sizes_is_named(refused):
    actual = refused(tasks=(('{"table": ("rows", "columns")}', '{"table": ("rows", "rows")}'),))
    assert f"{NAME}: task row-sums: in probe as-seen the axis rows is both 2 and 3" in actual


def test_a_probe_with_another_number_of_axes_than_named_is_named(refused):
    actual = refused(tasks=(('{"table": ("rows", "columns")}', '{"table": ("rows",)}'),))
    assert f"{NAME}: task row-sums: probe as-seen has 2 axes where ('rows',) are named" in actual


# tasks.py


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (("LESSON = Lesson(", "OTHER = Lesson("), f"{NAME}/tasks.py: defines no LESSON"),
        (("import torch\n", "import torch\n1 / 0\n"), f"{NAME}/tasks.py: ZeroDivisionError: division by"),
        (("import torch\n", "import torch (\n"), f"{NAME}/tasks.py: SyntaxError"),
    ],
)
def test_a_tasks_file_that_cannot_be_used_is_named(refused, edit, reason):
    assert refused(tasks=(edit,))[0].startswith(reason)


@pytest.mark.parametrize("name", ["tasks.py", f"{NAME}.py"])
def test_a_missing_file_is_named(course_with, name):
    course = course_with()
    (course.source / NAME / name).unlink()
    with pytest.raises(AuthoringError, match=f"there is no {name}"):
        current_bank(read_lesson(course, NAME))


# What a task forbids

SHARE_END = f'    right=rights("double: {DOUBLE}"),\n)'
SAID = ("# Text about it.", "# Do without `torch.softmax`.")
CAUGHT = "torch.softmax(x.log(), 0)"


def forbidding(answer=CAUGHT, end=SHARE_END, points=2):
    caught = f'rights("torch: = {answer}")'
    forbids = f'    forbids=Forbid(("softmax",), points={points}, caught={caught}),\n)'
    return (("import Check, Lesson", "import Check, Forbid, Lesson"), (end, end[:-1] + forbids))


def test_the_bank_holds_what_is_forbidden(built_bank):
    tasks = built_bank((SAID,), forbidding()).tasks

    assert [family.name for family in tasks["share"].families] == ["softmax"]
    assert tasks["share"].forbids.points == 2
    assert tasks["row-sums"].forbids is None


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("1 * x / x.sum()", "torch makes no forbidden call that is seen"),
        ("torch.softmax(x, 0)", "torch is not right otherwise"),
        ("x +", "torch cannot be made (an answer fails: SyntaxError"),
    ],
)
def test_an_answer_that_should_be_caught_and_is_not_is_refused(refused, answer, problem):
    assert problem in refused((SAID,), forbidding(answer))[0]


def test_a_solution_that_makes_the_call_is_refused(refused):
    source = (SAID, ("return x / x.sum()", "return x / x.sum() + 0 * torch.softmax(x, 0)"))

    assert refused(source, forbidding()) == [f"{NAME}: the solution does not earn all of share"]


def test_a_right_answer_that_makes_the_call_is_refused(refused):
    tasks = (*forbidding(), (DOUBLE, "= torch.softmax(x.double().log(), 0)"))

    assert "the right answer double is rejected" in refused((SAID,), tasks)[0]


def test_the_audit_tries_answers_by_the_bank_that_lies_there(course_with):
    course = course_with()
    with pytest.raises(AuthoringError, match="has to be built first"):
        audit_lesson(course, NAME)
    result = current_bank(read_lesson(course, NAME))
    share = result.tasks["share"]
    blind = replace(share, explanations=None)
    save(replace(result, tasks={**result.tasks, "share": blind}), course.bank)

    failures = [f"{name} is taken for nothing known" for name in ("by-largest", "by-count")]
    assert audit_lesson(course, NAME)[0].failures == failures
    save(replace(result, tasks={**result.tasks, "share": replace(share, known_wrong=())}), course.bank)
    with pytest.raises(AuthoringError, match="build it first"):
        audit_lesson(course, NAME)


def test_the_audit_counts_answers_that_are_caught(course_with):
    course = course_with((SAID,), forbidding())
    save(current_bank(read_lesson(course, NAME)), course.bank)
    lowest = audit_lesson(course, NAME)

    rows = [(row.task, row.tried["forbidden caught"], row.sound) for row in lowest]
    assert rows == [("share", [True], True), ("row-sums", [], True)]
    # Of each wrong answer's card, how many words are seen at once.
    assert [len(row.words) for row in lowest] == [len(row.tried["wrong rejected"]) for row in lowest]
    assert min(words for row in lowest for words in row.words) > 0
