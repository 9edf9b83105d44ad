import linecache

import pytest
import torch
from autograder.probe.exceptions import describe_error
from autograder.records.run_outcome import Operand
from torch import nn

FILE = "<cell raised>"


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4, 2))
        self.size = 7


def report(code):
    linecache.cache[FILE] = (len(code), None, code.splitlines(keepends=True), FILE)
    namespace = {"torch": torch, "x": torch.ones(5, 3), "layer": Layer(), "pair": (1, 2, 3), "count": 3}
    try:
        exec(compile(code, FILE, "exec"), namespace)
    except Exception as error:
        return describe_error(error, None)
    raise AssertionError("nothing was raised")


X = Operand("x", (5, 3), "float32")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x @ layer.weight", [X, Operand("layer.weight", (4, 2), "float32")]),
        ("y = 2 * (x.T @ x) + x.reshape(count, count)", [X, Operand("count", value="3")]),
        ("torch.cat([x, layer.weight], dim=0)", [X, Operand("layer.weight", (4, 2), "float32")]),
        ("a, b = pair", [Operand("len(pair)", value="3")]),
        ("for row in range(9):\n    x[row]", [X, Operand("row", value="5")]),
        ("(\n    x\n    @ x\n)", [X]),
        ("x.view(layer.size, 2)", [X, Operand("layer.size", value="7")]),
        ("x.sofmax(-1)", []),
        ("def f():\n    count = [count, x @ x]\nf()", []),
    ],
)
def test_what_stood_in_the_expression_that_failed_is_told(code, expected):
    assert list(report(code).operands) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("torch.softmx(x, dim=-1)", "softmax"),
        ("x.tranpose(0, 1)", "transpose"),
        ("x.copy()", ""),
        ("torch.tru(x)", ""),
        ("num_tokens = count\nmax_tokens + 1", ""),
        ("source_length = count\nsource_len + 1", "source_length"),
        ("first, second = pair[:2]\nsecondd + first", "second"),
        ("row_1 = row_2 = x\nrow_3 + 1", ""),
        ("class A(torch.nn.Module):\n    def f(self):\n        return half\nA().f()", ""),
        ("cuont + 1", "count"),
        ("zigzag + 1", ""),
        ("Path = count\nmath.sqrt(2)", ""),
        ("class A(torch.nn.Module):\n    def f(self):\n        return training\nA().f()", "self.training"),
        ("def f():\n    count += 1\nf()", ""),
    ],
)
def test_a_name_that_is_not_there_is_told_by_the_name_that_looks_like_it(code, expected):
    assert report(code).meant == expected


def test_looking_at_what_was_raised_never_raises():
    code = "class Odd:\n    def __dir__(self):\n        raise ValueError\nOdd().anything"
    assert report(code).type == "AttributeError"


def test_code_that_has_no_lines_is_no_fault_of_ours():
    reported = report("def f():\n    x @ x\nf.__code__ = f.__code__.replace(co_linetable=b'')\nf()")
    assert (reported.type, reported.line, reported.line_number) == ("RuntimeError", "", 0)
    # Some Pythons say -1 there. This one works out a line where it finds that number, and leaves others.
    negative = "types.TracebackType(None, sys._getframe(), 0, -2)"
    reported = report(f"import sys, types\nraise ValueError('odd').with_traceback({negative})")
    assert (reported.type, reported.line, reported.line_number) == ("ValueError", "", 0)


class Selfless(nn.Module):
    def forward(x):
        return x

    def step(self, x):
        return x


@pytest.mark.parametrize(("name", "arguments", "expected"), [("forward", 1, "self"), ("step", 2, "")])
def test_a_method_without_self_is_told_from_one_that_gets_too_much(name, arguments, expected):
    with pytest.raises(TypeError) as raised:
        getattr(Selfless(), name)(*[torch.ones(2)] * arguments)
    assert describe_error(raised.value, Selfless).meant == expected
    assert describe_error(raised.value, getattr(Selfless, name)).meant == expected
