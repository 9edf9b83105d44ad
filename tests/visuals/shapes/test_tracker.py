"""What is recorded of a forward pass, and what is left as it was."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules import module as torch_modules

from visuals import track_shapes

X = torch.ones(5, 7, 3)  # (b, tokens, d_in)


def names(tracker):
    return [row.name for row in tracker.rows]


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_value = nn.Linear(3, 2)

    def forward(self, x):
        return self.W_value(x).relu()


class Heads(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.heads = nn.ModuleList(Head() for _ in range(count))

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


def test_operations_are_called_as_the_learner_wrote_them():
    y = torch.ones(5, 3, 7)
    with track_shapes() as t:
        X @ y
        torch.matmul(X, y)
        X / 2 - 1
        2**X
        _ = -X, X > 0, X.mT
        X[:, 0]
        F.softmax(X, dim=-1)
        torch.softmax(X, dim=-1)
        X.softmax(-1)
        X.masked_fill(X > 5, 0)
        torch.einsum("btd,bsd->bts", X, X)
    signs = ["@", "matmul", "/", "-", "**", "-", ">", "mT", "[…]"]
    assert names(t) == [*signs, "softmax", "softmax", "softmax", ">", "masked_fill", "einsum"]


def test_line_statement_and_function_are_those_of_the_source():
    def doubled(x):
        # The comment is not part of the statement.
        return x * 2  # nor is this one

    with track_shapes() as t:
        doubled(X)
    (row,) = t.rows
    assert row.site.text == "return x * 2"
    assert row.site.function == "doubled"
    assert row.site.line == doubled.__code__.co_firstlineno + 2
    assert row.step == row.site


def test_a_helpers_line_is_told_with_the_line_that_led_there():
    def halved(x):
        return x / 2

    def mean_of(x):
        half = halved(x)
        return half.mean()

    with track_shapes() as t:
        mean_of(X)
    assert [row.site.text for row in t.rows] == ["return x / 2", "return half.mean()"]
    assert [row.step.text for row in t.rows] == ["half = halved(x)", "return half.mean()"]
    assert "mean_of, line" in repr(t)
    assert "[halved, line" in repr(t)


def test_a_statement_over_several_lines_is_shown_on_one():
    with track_shapes() as t:
        y = (
            X.reshape(5, 7, 3, 1)  # a comment between
            .squeeze(3)
            .transpose(1, 2)
        )
    assert [row.name for row in t.rows] == ["reshape", "squeeze", "transpose"]
    assert [row.results[0].names for row in t.rows] == [[], [], ["y"]]
    assert y.shape == (5, 3, 7)


def test_names_of_results_and_operands_are_the_learners():
    with track_shapes() as t:
        keys = X.view(5, 7, 3, 1)
        keys = keys.transpose(1, 2)
        first, rest = keys.split([1, 2], dim=1)
        item, other = first * 2, rest + 1
    actual = [(row.name, [operand.name for operand in row.operands]) for row in t.rows]
    given = [("view", "X"), ("transpose", "keys"), ("split", "keys"), ("*", "first"), ("+", "rest")]
    assert actual == [(operation, [name]) for operation, name in given]
    names = [name for row in t.rows for result in row.results for name in result.names]
    assert names == ["keys", "keys", "first", "rest", "item", "other"]
    assert (item.shape, other.shape) == ((5, 1, 7, 1), (5, 2, 7, 1))


def test_a_helpers_result_has_the_callers_name():
    def halves(x):
        cut = x.chunk(2, dim=1)
        return cut[0], cut[1]

    def turned(x):
        return x.transpose(1, 2)

    with track_shapes() as t:
        left, right = halves(torch.ones(5, 4))
        queries = turned(X)
        left @ right.T
    chunk, transpose = t.rows[1], t.rows[2]
    assert [result.names for result in chunk.results] == [["left"], ["right"]]
    assert transpose.results[0].names == ["queries"]
    assert queries.shape == (5, 3, 7)


def test_attributes_of_a_module_are_named_with_it():
    class Masked(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mask", torch.ones(7, 7))

        def forward(self, x):
            return x * self.mask[:3, :3].sum()

    with track_shapes() as t:
        Masked()(X)
    cut = next(row for row in t.rows if row.name == "[…]")
    assert [operand.name for operand in cut.operands] == ["self.mask"]


@pytest.mark.parametrize(
    ("do", "memory"),
    [
        (lambda x: x.view(7, 15), "view"),
        (lambda x: x.transpose(0, 1), "view"),
        (lambda x: x[1:], "view"),
        (lambda x: x.transpose(0, 1).reshape(105), "copy"),
        (lambda x: x.transpose(0, 1).contiguous(), "copy"),
        (lambda x: x.contiguous(), "same"),
        (lambda x: x.reshape(105), "view"),
        (lambda x: x * 2, "new"),
        (lambda x: x.mul_(2), "in place"),
        (lambda x: x.masked_fill_(x > 2, 0), "in place"),
    ],
)
def test_memory_is_told_as_torch_has_it(do, memory):
    x = torch.ones(5, 7, 3)
    with track_shapes() as t:
        built = do(x)
    result = t.rows[-1].results[0]
    assert result.memory == memory
    assert (result.shape, result.strides) == (tuple(built.shape), built.stride())
    assert result.is_contiguous == built.is_contiguous()
    shares = built.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert shares == (memory in ("view", "same", "in place"))


def test_writing_into_a_tensor_is_marked():
    x = torch.ones(4, 3)
    with track_shapes() as t:
        x += 1
        x[0] = 5
    rows = [(row.name, row.results[0].memory) for row in t.rows]
    assert rows == [("+=", "in place"), ("[…] =", "in place")]


def test_a_module_of_torch_is_one_row():
    layers = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4))
    attention = nn.MultiheadAttention(4, 2, batch_first=True)
    with track_shapes() as t:
        y = layers(X)
        attention(y, y, y)
    rows = [(row.name, row.kind) for row in t.rows]
    assert rows == [("layers", "Sequential"), ("attention", "MultiheadAttention")]
    assert [operand.name for operand in t.rows[0].operands] == ["X"]
    assert [result.shape for result in t.rows[1].results] == [(5, 7, 4), (5, 7, 7)]


def test_a_learners_module_is_opened_and_its_path_shown():
    t = track_shapes(Heads(1))
    t(X)
    rows = [(row.path, row.name) for row in t.rows]
    assert rows == [("heads.0", "self.W_value"), ("heads.0", "relu"), ("", "cat")]


def test_a_learners_module_inside_one_of_torchs_is_opened_too():
    with track_shapes() as t:
        nn.Sequential(Head(), nn.Flatten(1))(X)
    rows = [(row.path, row.name) for row in t.rows if row.kind or row.name == "relu"]
    assert rows == [("0", "self.W_value"), ("0", "relu"), ("", "1")]


def test_loops_are_folded():
    t = track_shapes(Heads(24))
    t(X)
    assert [(row.name, row.times) for row in t.rows] == [("self.W_value", 24), ("relu", 24), ("cat", 1)]


def test_a_loop_whose_shapes_change_shows_each():
    with track_shapes() as t:
        for length in (2, 3, 3):
            X[:, :length]
    assert [(row.results[0].shape, row.times) for row in t.rows] == [((5, 2, 3), 1), ((5, 3, 3), 2)]


def test_the_number_of_rows_is_bounded_and_the_rest_counted():
    with track_shapes(most_rows=3) as t:
        for length in range(1, 8):
            X[:, :length]
    assert len(t.rows) == 3
    assert "4 more operations ran and are not shown: the first 3 are kept" in repr(t)


def test_what_is_no_tensor_operation_is_left_out():
    x = X.clone().requires_grad_()
    with track_shapes() as t:
        print(x.shape, x.size(0), x.is_contiguous(), x.dtype, len(x), x.sum().item())
        nn.Linear(3, 2)
    assert names(t) == ["sum"]


def test_the_backward_pass_is_not_recorded():
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            return x * 2

        @staticmethod
        def backward(context, gradient):
            return gradient * 2

    x = X.clone().requires_grad_()
    with track_shapes() as t:
        loss = Doubled.apply(x).sum()
        torch.autograd.grad(loss, x, retain_graph=True)
        loss.backward()
    assert names(t) == ["sum"] or names(t) == ["*", "sum"]
    assert torch.equal(x.grad, torch.full_like(x, 2.0))


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_values_gradients_and_random_numbers_are_those_without_a_tracker(mode):
    module = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), Head2())
    with mode():
        torch.manual_seed(1)
        expected = module(X)
        torch.manual_seed(1)
        with track_shapes() as t:
            actual = module(X)
    assert torch.equal(actual, expected)
    assert actual.requires_grad == expected.requires_grad
    assert t.rows


class Head2(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_value = nn.Linear(4, 2)

    def forward(self, x):
        return self.W_value(x)


def test_bool_and_integer_tensors_and_tensors_without_strides():
    ids = torch.tensor([2, 0])
    with track_shapes() as t:
        mask = ids > 0
        taken = torch.eye(3)[ids]
        sparse = torch.eye(3).to_sparse()
        (mask & mask, taken + 1)
    assert [row.results[0].shape for row in t.rows if row.name == ">"] == [(2,)]
    assert [row.results[0].strides for row in t.rows if row.name == "to_sparse"] == [None]
    assert sparse.is_sparse
    repr(t)
    t._repr_mimebundle_()


def test_a_tensor_subclass_stays_one():
    class Named(torch.Tensor):
        pass

    named = torch.ones(2, 3).as_subclass(Named)
    with track_shapes() as t:
        result = named.transpose(0, 1) * 2
    assert isinstance(result, Named)
    assert names(t) == ["transpose", "*"]


def test_trackers_can_be_nested():
    with track_shapes() as outer:
        X + 1
        with track_shapes() as inner:
            X * 2
        X - 3
    assert names(inner) == ["*"]
    assert names(outer) == ["+", "*", "-"]


def test_only_the_calls_of_a_module_are_recorded_where_one_is_given():
    head = Head()
    with track_shapes(head) as t:
        X + 1
        head(X)
        X - 1
    assert names(t) == ["self.W_value", "relu"]


def test_the_call_returns_what_the_module_returns_and_begins_a_new_record():
    head = Head()
    t = track_shapes(head)
    t(X)
    assert torch.equal(t(X[:2]), head(X[:2]))
    assert t.rows[0].operands[0].shape == (2, 7, 3)
    assert len(t.rows) == 2


def test_other_threads_are_not_recorded():
    with track_shapes() as t:
        thread = threading.Thread(target=lambda: Head()(X))
        thread.start()
        thread.join()
    assert names(t) == []


def test_no_tensor_is_kept_alive():
    class Kept(nn.Module):
        def forward(self, x):
            result = x * 2
            references.append(weakref.ref(result))
            return result.sum()

    references = []
    t = track_shapes(Kept())
    t(X.clone())
    gc.collect()
    assert [reference() for reference in references] == [None]
    assert len(t.rows) == 2


def hooks():
    return len(torch_modules._global_forward_hooks), len(torch_modules._global_forward_pre_hooks)


def test_nothing_of_the_tracker_stays_behind():
    head = Head()
    before = hooks()
    with track_shapes(head):
        assert hooks() != before
        head(X)
    assert hooks() == before
    assert torch.overrides._get_current_function_mode_stack() == []
    pickle.loads(pickle.dumps(head))
    copy.deepcopy(head)


def test_an_error_passes_through_and_the_record_up_to_it_is_kept():
    before = hooks()
    t = track_shapes(tokens=7)

    def product():
        y = X * 2
        return y @ X

    with pytest.raises(RuntimeError, match="Expected size for first two dimensions") as raised, t:
        product()
    assert hooks() == before
    assert torch.overrides._get_current_function_mode_stack() == []
    assert names(t) == ["*", "@"]
    assert [operand.shape for operand in t.rows[1].operands] == [(5, 7, 3), (5, 7, 3)]
    assert t.rows[1].results == []
    text = repr(t)
    assert "FAILED: RuntimeError" in text
    assert [entry.name for entry in raised.traceback][-1] == "product"
    assert text.splitlines()[-1].endswith("return y @ X")


def test_a_failing_module_of_torch_is_shown_with_what_it_was_given():
    t = track_shapes(Head())
    with pytest.raises(RuntimeError):
        t(torch.ones(2, 4))
    (row,) = t.rows
    assert (row.name, row.operands[0].shape) == ("self.W_value", (2, 4))
    assert row.error.startswith("RuntimeError: mat1 and mat2")


def test_an_error_of_the_learners_own_is_told_with_its_line():
    def refuse(x):
        y = x + 1
        raise ValueError(f"not {len(y)}")

    with pytest.raises(ValueError, match="not 5"), track_shapes() as t:
        refuse(X)
    last = repr(t).splitlines()[-1]
    assert last.startswith("The code stopped with ValueError: not 5, at refuse, line")
    assert last.endswith('raise ValueError(f"not {len(y)}")')


def test_an_interrupt_leaves_nothing_behind():
    class Interrupted(nn.Module):
        def forward(self, x):
            raise KeyboardInterrupt

    before = hooks()
    t = track_shapes(Interrupted())
    with pytest.raises(KeyboardInterrupt):
        t(X)
    assert hooks() == before
    assert torch.overrides._get_current_function_mode_stack() == []


def test_an_unfinished_class_is_waited_for():
    class Stub(nn.Module):
        def forward(self, x): ...

    t = track_shapes(Stub(), tokens=7, expected=[("keys", ("tokens",))])
    message = "No tensor operation has run yet: finish the task above, then run this cell again."
    assert t(X) is None
    assert repr(t) == message
    assert message in t._repr_mimebundle_()["text/html"]
    assert t.flow().alt == message
    assert track_shapes(...)(X) is None


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: track_shapes(X), TypeError, "takes a module or nothing, not Tensor"),
        (lambda: track_shapes(tokens=0), ValueError, "tokens must be at least 1, not 0"),
        (lambda: track_shapes(tokens=2.0), TypeError, "tokens must be a whole number"),
        (lambda: track_shapes(tokens=True), TypeError, "tokens must be a whole number"),
        (lambda: track_shapes()(X), TypeError, "Nothing to call"),
        (
            lambda: track_shapes(b=2, expected=[("keys", ("b", "tokens"))]),
            ValueError,
            r"No size is known for 'tokens'; give it as in track_shapes\(tokens=6\). Known: b.",
        ),
    ],
)
def test_refuses_what_it_cannot_use(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_one_tracker_cannot_record_twice_at_once():
    t = track_shapes()
    with t, pytest.raises(RuntimeError, match="recording already"), t:
        pass
    X + 1
    assert names(t) == []
