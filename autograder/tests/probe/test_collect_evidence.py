"""Running an answer and writing down what happened: whatever it does, evidence comes of it."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from math import inf, pi
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from autograder.probe.collect_evidence import (
    call,
    call_class,
    call_module,
    changed_givens,
    collect,
    collect_answer,
    nearest_names,
    observe,
    type_name,
)
from autograder.probe.exceptions import describe_error
from autograder.probe.learner_code import globals_read, makes
from autograder.records.bank import Closer, Made, Probe, without_answers
from autograder.records.run_outcome import MAX_ELEMENTS, ModuleReport, Outcome

X = torch.tensor([1.0, 2.0])
SETTING = 3


@pytest.fixture
def probe():
    return Probe("p", "a vector", {"x": X})


# Looking the answer up


def test_a_name_that_is_not_defined_is_missing_and_comes_with_the_nearest_that_is(lesson, share):
    evidence = collect(share, lesson, {"shares": 1, "x": 2})
    assert (evidence.status, evidence.nearest) == ("missing", ("shares",))


def test_private_names_modules_and_the_notebooks_own_are_not_offered():
    assert nearest_names("_share", {"_shares": 1, "share_": sys}) == ()
    assert nearest_names("out", {"Out": {}, "In": []}) == ()


def test_an_earlier_tasks_answer_is_not_this_one_misspelt(lesson):
    doubled = lesson.tasks["doubled-sums"]
    assert collect(doubled, lesson, {"row_sums": 1, "double_sums": 2}).nearest == ("double_sums",)
    assert collect(doubled, lesson, {"row_sums": 1}).nearest == ()


# Stubs


def documented(x):
    """Shapes: x: (tokens,)."""


def dots(x):
    """Shapes."""


def passes(x):
    pass


def returns_dots(x):
    return ...


def undone(x):
    raise NotImplementedError


def half_done(x):
    return undone(x) if len(x) == 4 else x


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        *((item, "stub") for item in (..., documented, dots, passes, returns_dots, undone, lambda x: None)),
        *((item, "answered") for item in (half_done, lambda x: 0, lambda x: x, print, torch.dot, len)),
        *((item, "not-callable") for item in (None, torch.ones(3))),
    ],
)
def test_what_does_nothing_is_a_stub_and_what_cannot_be_called_is_no_function(lesson, share, answer, status):
    evidence = collect(share, lesson, {"share": answer})
    assert evidence.status == status
    assert list(evidence.outcomes) == (["three", "four"] if status == "answered" else [])
    assert status == "answered" or evidence.answer_type == type_name(answer)


# A closer look


@pytest.mark.parametrize(
    ("answer", "closely"),
    [
        (lambda x: x / x.sum(), False),
        (lambda x: (x.double() / x.double().sum()).float(), False),
        (lambda x: x / x.max(), True),
        (lambda x: 1.001 * x / x.sum(), True),
        (lambda x: (x / x.sum())[None], True),
        (lambda x: x.mul_(1 / x.sum()), True),
    ],
)
def test_only_an_answer_that_is_not_right_at_a_glance_is_looked_at_closely(lesson, share, answer, closely):
    asked = without_answers(lesson).tasks[share.id]
    where_it_counts = replace(asked, closer=Closer(unless=asked.closer.unless))
    for task in (where_it_counts, share):
        evidence = collect_answer(task, lesson, answer, {})
        assert (evidence.examined is not None, evidence.trail is not None) == (closely, closely)


def test_what_the_judge_has_no_use_for_is_not_looked_for(lesson, share):
    bare = replace(share, examined=None, route=None)
    asked = without_answers(replace(lesson, tasks={share.id: bare})).tasks[share.id]
    evidence = collect_answer(asked, lesson, lambda x: x / x.max(), {})
    assert (evidence.examined, evidence.trail) == (None, None)


# Calling


def test_each_call_gets_fresh_inputs(collected, share):
    def destructive(x):
        x.zero_()
        return x

    collected(share, destructive)
    assert share.probe["three"].inputs["x"].tolist() == [1.0, 2.0, 5.0]


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        (lambda x: x.mul_(2), ("x",)),
        (lambda x: x.resize_(1), ("x",)),
        (lambda x: x.unsqueeze_(0), ("x",)),
        (lambda x: setattr(x, "data", x.double()), ("x",)),
        (lambda x: x.requires_grad_(), ()),
    ],
)
def test_an_input_that_was_changed_is_named(change, changed):
    probe = Probe("p", "", {"x": torch.tensor([float("nan"), 1.0])})
    assert call(change, probe).changed_inputs == changed


def test_arguments_go_by_position_or_by_name_as_the_probe_says():
    probe = Probe("p", "", {"x": X, "scale": 3.0, "mode": "sum"}, keywords=("mode",))
    seen = {}

    def function(x, factor, *, mode):
        seen.update(factor=factor, mode=mode)
        return x

    assert call(function, probe).error is None
    assert seen == {"factor": 3.0, "mode": "sum"}


@pytest.mark.parametrize("function", [lambda: X, lambda x, y: x, lambda *, y: y])
def test_a_signature_that_does_not_fit_is_told_apart_from_an_error_inside(probe, function):
    outcome = call(function, probe)
    assert (outcome.error, outcome.uncalled.why) == (None, "arguments")


def test_what_takes_its_arguments_by_name_only_gets_them_so(probe):
    class Scaled(torch.nn.Module):
        def __init__(self, *, factor):
            super().__init__()
            self.factor = factor

        def forward(self, x):
            return x * self.factor

    assert call(lambda *, x: 2 * x, probe).tensor.tolist() == [2.0, 4.0]
    assert call_module(Scaled, replace(probe, construct={"factor": 3.0})).tensor.tolist() == [3.0, 6.0]


class Counter:
    def __init__(self, start):
        self.count = start

    def add(self, x):
        self.count = self.count + x
        return self.count

    @classmethod
    def zero(cls, x):
        return 0 * x


def test_a_method_is_called_of_an_object_or_of_the_class_where_nothing_constructs_one(probe):
    of_object = replace(probe, construct={"start": 3.0}, settings={"method": "add"})
    assert call_class(Counter, of_object).tensor.tolist() == [4.0, 5.0]
    assert call_class(Counter, replace(probe, settings={"method": "zero"})).tensor.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("construct", "method", "signature"),
    [({"begin": 3.0, "end": 4.0}, "add", "(start)"), ({"start": 3.0}, "bad", ".bad()")],
)
def test_a_class_whose_method_cannot_be_called_is_told_why(probe, construct, method, signature):
    bad = type("Bad", (Counter,), {"bad": lambda self: 1})
    outcome = call_class(bad, replace(probe, construct=construct, settings={"method": method}))
    assert (outcome.uncalled.why, outcome.uncalled.name) == ("arguments", signature)


def test_a_method_that_is_missing_is_an_error_like_any_other(probe):
    asked = replace(probe, construct={"start": 3.0}, settings={"method": "missing"})
    assert call_class(Counter, asked).error.type == "AttributeError"


@pytest.mark.parametrize(
    ("results", "shape"), [(lambda x: (x, 2 * x), (2, 2)), (lambda x: torch.stack((x, x)), (2, 2))]
)
def test_results_of_one_shape_count_as_one_tensor_where_a_task_says_so(probe, results, shape):
    assert call(results, replace(probe, settings={"stacked": True})).shape == shape
    assert call(lambda x: (x, x[:1]), replace(probe, settings={"stacked": True})).type_name == "tuple"


def test_a_class_of_which_one_method_is_to_be_written_still_is_a_stub(lesson, share):
    class Half(Counter):
        def add(self, x): ...

    task = replace(share, kind="class")
    assert collect_answer(task, lesson, Half, {}).status == "stub"
    assert collect_answer(task, lesson, lambda x: x, {}).status == "not-callable"


def test_a_builtin_without_a_signature_is_called_all_the_same(probe):
    assert call(torch.sum, probe).tensor == torch.tensor(3.0)


def test_warnings_are_shown_again_afterwards(probe):
    call(lambda x: warnings.simplefilter("ignore"), probe)
    with pytest.warns(UserWarning, match="still here"):
        warnings.warn("still here", stacklevel=1)


def test_the_global_random_state_is_left_as_it_was_where_the_function_raises(probe):
    torch.manual_seed(1)
    expected = torch.get_rng_state()
    call(lambda x: torch.rand(100) / "", probe)
    assert torch.equal(torch.get_rng_state(), expected)


def test_each_call_draws_the_same_random_numbers(probe):
    torch.manual_seed(1)
    first = call(lambda x: torch.rand(3), probe).tensor
    torch.manual_seed(2)
    again = call(lambda x: torch.rand(3), probe).tensor
    assert first.tolist() == again.tolist()


# Errors


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(1), GeneratorExit(), RecursionError("deep")])
def test_whatever_else_is_raised_is_reported(probe, error):
    def failing(x):
        raise error

    report = call(failing, probe).error
    assert report is not None
    assert (report.type, report.message) == (type(error).__name__, str(error))


@pytest.mark.parametrize(
    ("cells", "where"),
    [
        (["def share(x):\n    y = x * 2\n    return torch.matmul(y, '')"], ("return torch.matmul(y, '')", 3)),
        (["def helper(x):\n\n    1 / 0", "def share(x):\n    return helper(x)"], ("return helper(x)", 2)),
        (["@torch.no_grad()\ndef share(x):\n    return library(x)"], ("return library(x)", 3)),
    ],
)
def test_an_error_names_the_learners_own_line_and_not_ours_or_a_librarys(notebook, probe, cells, where):
    notebook.shell.user_ns["library"] = torch.no_grad()(lambda x: x @ torch.ones(7))
    for cell in cells:
        notebook.run(cell)
    error = call(notebook.shell.user_ns["share"], probe).error
    assert error is not None
    assert (error.line, error.line_number, error.function) == (*where, "share")


def test_an_error_that_never_reached_the_learners_code_has_no_line():
    try:
        torch.dot(X, torch.ones(3))
    except RuntimeError as error:
        report = describe_error(error, torch.dot)
    assert (report.line, report.line_number) == ("", None)


def raising(method):
    return type("Strange", (Exception,), {"__str__": method})


def exits(self):
    raise SystemExit


@pytest.mark.parametrize(
    "text", [lambda self: 1 / 0, lambda self: None, exits], ids=["raises", "None", "exits"]
)
def test_an_exception_that_cannot_say_what_it_is_is_reported_without_a_message(probe, text):
    def failing(x):
        raise raising(text)()

    error = call(failing, probe).error
    assert error is not None
    assert (error.type, error.message) == ("Strange", "")


# What was returned


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (torch.ones(1), "torch.Tensor"),
        (torch.nn.Parameter(torch.ones(1)), "torch.Tensor"),
        (np.ones(1), "numpy.ndarray"),
        (np.float32(1), "numpy.float32"),
        ([1.0], "list"),
        (1.0, "float"),
        (True, "bool"),
        (None, "NoneType"),
        (..., "ellipsis"),
        (torch.nn.Linear(1, 1), "torch.Linear"),
        (type("Mine", (), {"__module__": "__main__"})(), "Mine"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value,
)
def test_a_type_is_named_as_the_learner_knows_it(value, expected):
    assert type_name(value) == expected


@pytest.mark.parametrize("module", [None, 5])
def test_a_class_that_hides_where_it_comes_from_has_a_name_all_the_same(module):
    result = type("Mine", (), {"__module__": module})
    assert "Mine" in type_name(result())


@pytest.mark.parametrize(
    ("value", "carried"),
    [
        (torch.zeros(MAX_ELEMENTS), True),
        (torch.zeros(MAX_ELEMENTS + 1), False),
        (torch.zeros(1).expand(10**12), False),
    ],
    ids=["largest", "too large", "huge"],
)
def test_a_huge_result_is_known_by_its_shape_only(value, carried):
    outcome = observe(value)
    assert (outcome.tensor is not None, outcome.shape) == (carried, tuple(value.shape))


def test_a_returned_tensor_is_written_down_as_a_copy():
    value = torch.ones(2)
    outcome = observe(value)
    value.zero_()
    assert outcome.tensor.tolist() == [1.0, 1.0]


def test_a_result_that_requires_a_gradient_is_detached(probe):
    outcome = call(lambda x: x.requires_grad_() * 2, probe)
    assert not outcome.tensor.requires_grad
    assert outcome.tensor.tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(2, "int64"), (0.1, "float64"), (True, "bool"), (np.float32(2.5), "float32"), (np.int64(2), "int64")],
    ids=str,
)
def test_a_number_is_carried_as_a_tensor_without_axes(value, dtype):
    outcome = observe(value)
    assert (outcome.shape, outcome.dtype, outcome.tensor.item()) == ((), dtype, value)


@pytest.mark.parametrize(
    "value", ["text", [1.0], {}, None, 10**30, np.array([None]), np.datetime64("2024")], ids=str
)
def test_what_has_no_numbers_is_known_by_its_type_only(value):
    outcome = observe(value)
    assert (outcome.tensor, outcome.shape, outcome.type_name) == (None, None, type_name(value))


DENSE = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
LAYOUTS = {
    "coo": lambda: DENSE.to_sparse(),
    "csr": lambda: DENSE.to_sparse_csr(),
    "csc": lambda: DENSE.to_sparse_csc(),
    "mkldnn": lambda: DENSE.to_mkldnn(),
    "transposed": lambda: DENSE.T,
    "strided": lambda: torch.zeros(4, 4).index_put((torch.tensor([0, 2]), torch.tensor([0, 2])), X)[::2, ::2],
}


@pytest.mark.filterwarnings("ignore:Sparse CS")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_tensor_of_any_layout_is_written_down_by_its_numbers(layout):
    outcome = observe(LAYOUTS[layout]())
    assert outcome.shape == (2, 2)
    assert outcome.tensor.layout == torch.strided
    assert outcome.tensor.tolist() == DENSE.tolist()


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested")
@pytest.mark.filterwarnings("ignore:.*quantize")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.nested.nested_tensor([X, torch.ones(3)]),
        lambda: torch.quantize_per_tensor(X, 0.1, 0, torch.quint8),
        lambda: Mock(spec=torch.Tensor),
        lambda: np.array([1.0, 2.0], dtype=">f4"),
    ],
    ids=["nested", "quantized", "claims to be a tensor", "foreign byte order"],
)
def test_no_result_however_odd_is_a_fault_of_ours(make):
    assert isinstance(observe(make()), Outcome)


# Tensor subclasses that lie


class Flattering(torch.Tensor):
    """Answers every question with the right numbers and agrees with everybody."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return torch.tensor([0.125, 0.25, 0.625])

    def __eq__(self, other):
        return True

    __hash__ = torch.Tensor.__hash__


class Detached(torch.Tensor):
    """Overrides the very methods that a copy is made with."""

    def detach(self):
        return torch.tensor([0.125, 0.25, 0.625])

    def as_subclass(self, kind):
        return torch.tensor([0.125, 0.25, 0.625])


class Refusing(torch.Tensor):
    def detach(self):
        raise ValueError("no")


@pytest.mark.parametrize("kind", [Flattering, Detached, Refusing])
def test_a_tensor_subclass_is_judged_by_the_numbers_it_holds(kind):
    outcome = observe(torch.tensor([7.0, 8.0]).as_subclass(kind))
    assert type(outcome.tensor) is torch.Tensor
    assert outcome.tensor.tolist() == [7.0, 8.0]


# Givens and globals


GIVENS = {
    "other numbers": lambda table: table + 1,
    "another shape": lambda table: table[:1],
    "another dtype": lambda table: table.double(),
    "a list": lambda table: table.tolist(),
    "gone": lambda table: None,
    "sparse": lambda table: (table + 1).to_sparse(),
    "meta": lambda table: table.to("meta"),
}


@pytest.mark.parametrize("change", GIVENS)
def test_a_given_that_was_changed_is_named(lesson, row_sums, table, change):
    evidence = collect_answer(row_sums, lesson, table.sum(dim=1), {"table": GIVENS[change](table)})
    assert evidence.changed_givens == ("table",)


@pytest.mark.parametrize(
    ("default", "held", "named"),
    [
        (torch.float64, torch.float64, "float64"),
        (torch.float32, torch.float64, ""),
        (torch.float64, torch.float16, ""),
    ],
)
def test_a_given_that_only_the_default_dtype_changed_says_so(lesson, row_sums, table, default, held, named):
    torch.set_default_dtype(default)
    try:
        evidence = collect_answer(row_sums, lesson, table.sum(dim=1), {"table": table.to(held)})
        other_numbers = collect_answer(row_sums, lesson, table.sum(dim=1), {"table": table.to(held) + 1})
    finally:
        torch.set_default_dtype(torch.float32)
    assert (evidence.changed_givens, evidence.default_dtype) == (("table",), named)
    assert other_numbers.default_dtype == ""


def test_a_given_that_was_deleted_is_named(lesson, row_sums, table):
    assert collect_answer(row_sums, lesson, table.sum(dim=1), {}).changed_givens == ("table",)


def test_a_given_that_claims_to_be_equal_is_compared_by_its_numbers(lesson, table):
    flattering = (table + 1).as_subclass(Flattering)
    assert changed_givens(lesson.givens["as-seen"], {"table": flattering}) == ("table",)


def test_a_redrawn_run_compares_with_its_own_givens(lesson, row_sums):
    givens = lesson.givens["redrawn-1"]
    evidence = collect(row_sums, lesson, {**givens, "row_sums": torch.ones(2)}, "redrawn-1")
    assert (evidence.changed_givens, list(evidence.outcomes)) == ((), ["redrawn-1"])


def reads_setting(x):
    return x * SETTING


def reads_inside(x):
    return [X[i] for i in range(len(x))]


def reads_its_argument(X):
    return X * 2


def reads_constants(x):
    return (x * pi).nan_to_num(posinf=inf)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (reads_setting, ("SETTING",)),
        (reads_inside, ("X",)),
        (reads_its_argument, ()),
        (reads_constants, ()),
        (lambda x: torch.softmax(x, dim=0), ()),
        (torch.dot, ()),
    ],
)
def test_data_that_a_function_reads_besides_its_arguments_is_named(function, expected):
    assert globals_read(function) == expected


def test_a_function_that_calls_a_helper_reads_no_data():
    assert globals_read(lambda x: reads_setting(x)) == ()


# What an answer sets for the whole process


SETTINGS = {
    "dtype": (lambda: torch.set_default_dtype(torch.float64), torch.get_default_dtype),
    "gradients": (lambda: torch.set_grad_enabled(False), torch.is_grad_enabled),
    "algorithms": (lambda: torch.use_deterministic_algorithms(1), torch.get_deterministic_debug_mode),
    "device": (lambda: torch.set_default_device("meta"), torch.get_default_device),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_an_answer_sets_for_the_whole_process_is_put_back(share, setting):
    change, read = SETTINGS[setting]
    before = read()

    def answer(x):
        change()
        return x

    call(answer, share.probe["three"])
    assert read() == before


# Tensors of the lesson that a cell leaves alone


def test_a_tensor_that_a_cell_should_leave_alone_is_named_where_it_was_changed(lesson, row_sums, table):
    saved = replace(row_sums, kept={"scores": torch.ones(2)})
    namespace = {"table": table, "scores": torch.ones(2)}
    assert collect_answer(saved, lesson, table.sum(dim=1), namespace).changed_givens == ()
    namespace["scores"] *= 2
    assert collect_answer(saved, lesson, table.sum(dim=1), namespace).changed_givens == ("scores",)


def test_with_other_givens_only_the_givens_themselves_are_compared(lesson, row_sums):
    saved = replace(row_sums, kept={"scores": torch.ones(2)})
    table = lesson.givens["redrawn-1"]["table"]
    evidence = collect_answer(saved, lesson, table.sum(dim=1), {"table": table}, "redrawn-1")
    assert evidence.changed_givens == ()


def test_what_the_lesson_itself_defines_is_not_the_answer_misspelt(lesson, share):
    named = replace(lesson, names=("shares",))
    assert collect(share, named, {"shares": 1}).nearest == ()


# A module that an answer fills


class Halves(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x * self.weight


def filled(fill, **others):
    inputs = {
        name: Made("Halves", {}, {"weight": torch.full((2,), value)})
        for name, value in {"module": 1.0, **others}.items()
    }
    probe = Probe("p", "", inputs, then={"x": torch.ones(2)})
    return call(fill, probe, {"Halves": Halves}).module


def test_a_module_that_is_filled_and_trainable_has_nothing_to_report():
    def fill(module):
        module.weight.data = torch.zeros(2)
        return module

    assert filled(fill) == ModuleReport()


def test_memory_that_is_shared_with_another_module_is_told():
    def borrows(module, other):
        module.weight.data = other.weight.data
        return module

    def copies(module, other):
        module.weight.data = other.weight.data.clone()
        return module

    assert filled(borrows, other=3.0).shared == ("weight",)
    assert filled(copies, other=3.0).shared == ()


def test_a_frozen_copy_is_told():
    def fill(module):
        module.weight = torch.nn.Parameter(torch.zeros(2), requires_grad=False)
        return module

    assert filled(fill).unreached == ("weight",)


def test_a_parameter_that_is_gone_is_told():
    def fill(module):
        del module.weight
        module.weight = torch.zeros(2)
        return module

    assert filled(fill).missing == ("weight",)


# Weights that could not be put in


class Guess(torch.nn.Module):
    """A layer under another name, and one too many."""

    def __init__(self):
        super().__init__()
        self.layer, self.other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)


class GuessesLittle(Guess):
    """The same, and the result hangs on neither."""

    def forward(self, x):
        return 2 * x


@pytest.mark.parametrize(("answer", "numbers"), [(Guess, None), (GuessesLittle, [2.0, 4.0])])
def test_numbers_that_hang_on_weights_of_its_own_are_left_out(probe, answer, numbers):
    outcome = call_module(answer, replace(probe, weights={"weight": torch.ones(2, 2)}))
    assert outcome.module.missing == ("weight",)
    assert outcome.shape == (2,)
    assert (outcome.tensor if numbers is None else outcome.tensor.tolist()) == numbers


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("scores\N{NO-BREAK SPACE}= a @ b", True),  # as a web page has it
        ("first, scores =\N{NO-BREAK SPACE}(1, 2", True),
        ("x = scores == (", False),
        ("x = 1\nscores: int = (", True),
    ],
)
def test_a_cell_that_is_no_python_still_tells_which_name_it_should_make(source, result):
    assert makes(source, "scores") == result
