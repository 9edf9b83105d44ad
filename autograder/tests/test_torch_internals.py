"""What the tool uses of torch beyond what torch promises: each does here what the tool needs it for."""

import ast
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.overrides import TorchFunctionMode

import autograder
from autograder import torch_internals as internals

TOOL = Path(autograder.__file__).parent
PRIVATE = {"_C", "_dynamo", "_pytree", "_python_dispatch", "_cdata", "_parameters", "_buffers", "_modules"}
PRIVATE |= {"_forward_hooks", "_forward_pre_hooks"}


def test_nothing_else_in_the_tool_reaches_into_torch():
    named = set()
    for path in TOOL.rglob("*.py"):
        if path.stem in ("torch_internals", "__init__"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                names = {node.attr}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("torch"):
                names = {*node.module.split("."), *(name.name for name in node.names)}
            elif isinstance(node, ast.Import):
                names = {part for name in node.names for part in name.name.split(".")}
            else:
                continue
            named |= {(path.relative_to(TOOL).as_posix(), name) for name in names & PRIVATE}
    assert named == set()


@pytest.fixture
def noted():
    """The calls of what negates tensors on a CPU, noted by a kernel that then does its work."""
    calls = []
    key = internals.dispatch_key("CPU")
    work = internals.kernel_of("aten::neg.out", key)

    def note(keys, *args, **named):
        calls.append(args[0].shape)
        return internals.call_kernel(work, keys, *args, **named)

    library = internals.new_library("IMPL", "aten", "", "a test's mark", 1)
    with warnings.catch_warnings():  # torch says once in a process that an operator is replaced
        warnings.simplefilter("ignore")
        internals.set_kernel(library, "neg.out", "CPU", note, True)
    yield calls
    internals.remove_kernels(library)


def test_an_operator_does_its_work_while_a_kernel_notes_its_calls(noted):
    result = torch.empty(3)
    torch.neg(torch.arange(3.0), out=result)
    assert result.tolist() == [0, -1, -2]
    assert noted == [(3,)]
    assert "a test's mark" in internals.describe_operator("aten::neg.out")


def test_an_operator_is_as_before_once_kernels_are_removed():
    assert "a test's mark" not in internals.describe_operator("aten::neg.out")
    assert torch.neg(torch.ones(2)).tolist() == [-1, -1]


def test_operators_are_listed_with_the_tables_in_which_they_have_kernels():
    assert {"aten::softmax.int", "aten::_softmax", "aten::bmm"} <= set(internals.operator_names())
    assert internals.has_kernel("aten::_softmax", "CPU")
    assert internals.has_kernel("aten::softmax.int", "CompositeImplicitAutograd")
    assert not internals.has_kernel("aten::softmax.int", "CPU")


def test_an_overload_is_called_by_its_name_and_what_is_none_is_refused():
    assert internals.overload_of("aten::add", "Tensor")(torch.ones(1), torch.ones(1)).tolist() == [2]
    with pytest.raises(RuntimeError):
        internals.overload_of("aten::nonsense", "")


class Heard(TorchFunctionMode):
    """Notes the functions that are called."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.append(func.__name__)
        return func(*args, **(kwargs or {}))


def test_modes_hear_nothing_of_what_is_called_without_them():
    with Heard() as heard:
        torch.ones(1).exp()
        with internals.without_modes():
            torch.ones(1).log()
    assert heard.names == ["ones", "exp"]


class Liar(torch.Tensor):
    """Answers every question with a lie."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return "a lie"


def test_a_subclass_is_not_asked_without_subclasses():
    tensor = torch.ones(2).as_subclass(Liar)
    assert tensor.sum() == "a lie"
    with internals.without_subclasses():
        assert float(torch.Tensor.sum(tensor)) == 2


def test_views_share_a_storage_and_copies_do_not():
    tensor = torch.zeros(2, 3)
    assert internals.storage_id(tensor.mT) == internals.storage_id(tensor)
    assert internals.storage_id(tensor.clone()) != internals.storage_id(tensor)
    assert internals.storage_id(torch.eye(2).to_sparse()) is None


def test_a_modules_attributes_are_found_without_running_its_properties():
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.inner, self.width = nn.Parameter(torch.ones(1)), nn.Linear(1, 1), 7
            self.register_buffer("mask", torch.ones(1))

        @property
        def surprising(self):
            raise AssertionError("it ran")

    parameters, buffers, modules, others = internals.attributes_of(Layer())
    assert (list(parameters), list(buffers), list(modules)) == (["weight"], ["mask"], ["inner"])
    assert others["width"] == 7


def test_hooks_on_a_module_are_counted():
    layer = nn.Linear(1, 1)
    layer.register_forward_hook(lambda *_: None)
    layer.register_forward_pre_hook(lambda *_: None)
    assert (internals.hooks_on(layer), internals.hooks_on(nn.Linear(1, 1))) == (2, 0)


def test_leaves_are_those_of_nested_lists_and_tables():
    assert internals.tree_leaves((1, [2, {"three": 3}])) == [1, 2, 3]


SEES = """
import sys
import torch
from autograder.torch_internals import OperationMode, load_compiler

class Seen(OperationMode):
    names = []
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))

with Seen():
    torch.ones(2, 2) @ torch.ones(2, 2)
print(Seen.names, "torch._dynamo" in sys.modules)
load_compiler()
print("torch._dynamo" in sys.modules)
"""


def test_a_mode_sees_operations_and_does_not_load_the_compiler():
    done = subprocess.run([sys.executable, "-c", SEES], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['ones', 'ones', 'mm'] False", "True"]
