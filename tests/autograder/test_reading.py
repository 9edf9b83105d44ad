"""What a reader of cells takes for a forbidden call, and what not."""

from __future__ import annotations

from textwrap import dedent

import pytest

from autograder import bank, reading
from autograder.bank import Forbids, LessonBank, Task
from autograder.reading import Cell, functions_that_call, names_made, read

SETUP = """
import torch
from torch import nn
import torch.nn.functional as F
from functools import partial
import numpy as np

inputs = torch.rand(6, 3)
reference = torch.softmax(inputs @ inputs[1], dim=0)
layer = nn.Softmax(dim=0)
"""
GIVEN = ("inputs", "reference", "layer", "torch", "nn", "F", "partial", "np")


def task(
    kind: bank.TaskKind = "function", families: tuple[str, ...] = ("softmax",), name: str = "answer"
) -> Task:
    return Task(
        id=name.replace("_", "-"),
        title="A task",
        name=name,
        kind=kind,
        signature=name,
        axes=(),
        number=False,
        dtypes=(),
        learned="",
        hints=(),
        needs=(),
        properties=(),
        checks=(),
        probes={},
        known_wrong=(),
        forbids=Forbids(families, 1, GIVEN),
    )


OTHER = task("tensor", name="earlier")


def found(*cells: str, kind: bank.TaskKind = "function", families: tuple[str, ...] = ("softmax",)):
    asked = task(kind, families)
    lesson = LessonBank("01-tiny", "Tiny", {}, {"earlier": OTHER, "answer": asked})
    texts = [Cell(SETUP, own=False), *(Cell(dedent(cell).strip("\n")) for cell in cells)]
    return read(asked, lesson, texts)


def names(*cells: str, **kind):
    return [call.name for call in found(*cells, **kind)]


CALLED = {
    "torch": "def answer(x):\n    return torch.softmax(x, 0)",
    "method": "def answer(x):\n    return x.softmax(0)",
    "method-of-a-result": "def answer(x):\n    return (x - x.max()).softmax(0)",
    "functional": "def answer(x):\n    return F.softmax(x, 0)",
    "layer": "def answer(x):\n    return nn.Softmax(dim=0)(x)",
    "log": "def answer(x):\n    return F.log_softmax(x, 0).exp()",
    "special": "def answer(x):\n    return torch.special.softmax(x, 0)",
    "private": "def answer(x):\n    return torch._softmax(x, 0, False)",
    "operator": "def answer(x):\n    return torch.ops.aten._softmax.default(x, 0, False)",
    "alias": "s = torch.softmax\ndef answer(x):\n    return s(x, 0)",
    "alias-of-a-module": "import torch as t\ndef answer(x):\n    return t.softmax(x, 0)",
    "local-alias": "def answer(x):\n    s = torch.softmax\n    return s(x, 0)",
    "import-as": "from torch.nn.functional import softmax as s\ndef answer(x):\n    return s(x, 0)",
    "import-inside": "def answer(x):\n    from torch import softmax as s\n    return s(x, 0)",
    "import-star": "from torch.nn.functional import *\ndef answer(x):\n    return softmax(x, 0)",
    "getattr": 'def answer(x):\n    return getattr(torch, "soft" + "max")(x, 0)',
    "dunder-import": 'def answer(x):\n    return __import__("torch").softmax(x, 0)',
    "partial": "answer = partial(torch.softmax, dim=0)",
    "the-thing-itself": "answer = nn.Softmax(dim=0)",
    "lambda": "answer = lambda x: torch.softmax(x, 0)",
    "default-value": "def answer(x, f=torch.softmax):\n    return f(x, 0)",
    "decorator": """
        def by_torch(f):
            return lambda x: torch.softmax(x, 0)

        @by_torch
        def answer(x):
            return x
    """,
    "exec": 'def answer(x):\n    return eval("torch.softmax(x, 0)")',
    "nested-function": "def answer(x):\n    def own(y): return torch.softmax(y, 0)\n    return own(x)",
    "dead-branch": "def answer(x):\n    if len(x) == 7:\n        return torch.softmax(x, 0)\n    return x",
    "under-a-magic": "%%time\ndef answer(x):\n    return torch.softmax(x, 0)",
    "beside-a-magic": "%matplotlib inline\ndef answer(x):\n    return torch.softmax(x, 0)",
    "sdpa": "def answer(x):\n    return F.scaled_dot_product_attention(x, x, x)",
    "scipy": "import scipy.special\ndef answer(x):\n    return scipy.special.softmax(x)",
}


@pytest.mark.parametrize("source", CALLED.values(), ids=CALLED)
def test_a_forbidden_call_is_found_under_any_name_that_can_be_read(source):
    assert set(names(source))


CALLED_BY_A_CLASS = {
    "attribute": """
        class answer(nn.Module):
            def __init__(self):
                super().__init__()
                self.soft = nn.Softmax(dim=-1)

            def forward(self, x):
                return self.soft(x)
    """,
    "base": "class answer(nn.Softmax):\n    pass",
    "base-in-between": "class Mine(nn.Softmax):\n    pass\n\nclass answer(Mine):\n    pass",
    "nested-module": """
        class Inner(nn.Module):
            def forward(self, x):
                return F.softmax(x, -1)

        class answer(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = Inner()
    """,
    "patched-afterwards": """
        class answer(nn.Module):
            def forward(self, x):
                return x

        answer.forward = lambda self, x: torch.softmax(x, -1)
    """,
}


@pytest.mark.parametrize("source", CALLED_BY_A_CLASS.values(), ids=CALLED_BY_A_CLASS)
def test_a_class_is_read_with_what_it_is_made_of(source):
    assert len(names(source, kind="module")) == 1


FOR_A_TENSOR = {
    "at-once": ["answer = torch.softmax(inputs[0], 0)"],
    "through-a-name": ["w = torch.softmax(inputs[0], 0)\nanswer = w / w.sum()"],
    "in-another-cell": ["w = torch.softmax(inputs[0], 0)", "answer = w"],
    "through-a-function": ["def f(x):\n    return torch.softmax(x, 0)", "answer = f(inputs[0])"],
    "in-a-loop": [
        "answer = torch.empty(6, 3)\nfor i in range(6):\n    answer[i] = torch.softmax(inputs[i], 0)"
    ],
    "in-place": ["answer = torch.empty(3)\nanswer.copy_(torch.softmax(inputs[0], 0))"],
    "out": ["answer = torch.empty(3)\ntorch.softmax(inputs[0], 0, out=answer)"],
    "from-a-list": ["rows = []\nfor x in inputs:\n    rows.append(x.softmax(0))\nanswer = torch.stack(rows)"],
    "unpacked": ["answer, rest = torch.softmax(inputs[0], 0), 3"],
    "walrus": ["(answer := torch.softmax(inputs[0], 0))"],
    "without-gradient": ["with torch.no_grad():\n    answer = torch.softmax(inputs[0], 0)"],
}


@pytest.mark.parametrize("cells", FOR_A_TENSOR.values(), ids=FOR_A_TENSOR)
def test_a_tensor_is_followed_to_what_it_is_computed_from(cells):
    assert len(names(*cells, kind="tensor")) == 1


HONEST = {
    "comment": ["def answer(x):\n    # not torch.softmax(x, 0)\n    return x.exp() / x.exp().sum()"],
    "docstring": ['def answer(x):\n    """Like torch.softmax(x, 0)."""\n    return x.exp() / x.exp().sum()'],
    "text": ['def answer(x):\n    print("no torch.softmax here")\n    return x.exp()'],
    "own-function": [
        "def softmax(x):\n    return x.exp() / x.exp().sum()",
        "def answer(x):\n    return softmax(x)",
    ],
    "own-function-hides-the-import": [
        "from torch import softmax",
        "def softmax(x):\n    return x.exp()",
        "def answer(x):\n    return softmax(x)",
    ],
    "own-name": ["def answer(x):\n    softmax = x.exp()\n    return softmax / softmax.sum()"],
    "own-argument": ["def answer(x, softmax=None):\n    return x.exp()"],
    "own-class": [
        "class Softmax:\n    def __call__(self, x):\n        return x.exp()",
        "def answer(x):\n    return Softmax()(x)",
    ],
    "own-method": [
        "class Helper:\n    def softmax(self, x):\n        return x.exp()\nhelper = Helper()",
        "def answer(x):\n    return helper.softmax(x)",
    ],
    "compared-below": [
        "def answer(x):\n    return x.exp() / x.exp().sum()\n\n"
        "assert torch.allclose(answer(inputs[0]), torch.softmax(inputs[0], 0))"
    ],
    "compared-in-a-scratch-cell": [
        "def answer(x):\n    return x.exp()",
        "print(torch.softmax(inputs[0], 0))",
    ],
    "an-earlier-try": [
        "def answer(x):\n    return torch.softmax(x, 0)",
        "def answer(x):\n    return x.exp()",
    ],
    "an-earlier-try-under-a-magic": [
        "def answer(x):\n    return torch.softmax(x, 0)",
        "%%time\ndef answer(x):\n    return x.exp()",
    ],
    "another-function-beside": [
        "def other(x):\n    return torch.softmax(x, 0)\n\ndef answer(x):\n    return x.exp()"
    ],
    "numpy": ["def answer(x):\n    e = np.exp(x.numpy())\n    return torch.from_numpy(e / e.sum())"],
    "logsumexp": ["def answer(x):\n    return (x - x.logsumexp(0)).exp()"],
    "given": ["def answer(x):\n    return x.exp() + reference"],
    "asked-for-a-kind": ["def answer(x):\n    return x.exp() if not isinstance(x, nn.Softmax) else x"],
    "a-name-in-a-loop": [
        "row = torch.softmax(inputs[0], 0)",
        "def answer(x):\n    return torch.stack([row.exp() for row in x])",
    ],
    "no-python": ["def answer(x):\n    return torch.softmax(x, 0", "def answer(x):\n    return x.exp()"],
    "another-framework's-name": ["import mylib as m\ndef answer(x):\n    return m.softmax(x)"],
}


@pytest.mark.parametrize("cells", HONEST.values(), ids=HONEST)
def test_nobody_is_accused_of_a_call_that_the_answer_does_not_make(cells):
    assert names(*cells) == []


HONEST_TENSORS = {
    "compared-below": ["answer = inputs[0].exp()\nassert answer.shape == torch.softmax(inputs[0], 0).shape"],
    "another-task's": ["earlier = torch.softmax(inputs[0], 0)", "answer = earlier * 2"],
    "given": ["answer = reference * 2"],
    "tried-before": ["answer = torch.softmax(inputs[0], 0)", "answer = inputs[0].exp()"],
    "used-afterwards": ["answer = inputs[0].exp()\nshown = torch.softmax(answer, 0)"],
    "the-same-name-before": ["w = torch.softmax(inputs[0], 0)\nw = inputs[0]\nanswer = w.exp()"],
}


@pytest.mark.parametrize("cells", HONEST_TENSORS.values(), ids=HONEST_TENSORS)
def test_a_tensor_is_not_accused_of_what_it_is_not_computed_from(cells):
    assert names(*cells, kind="tensor") == []


def test_a_course_cell_is_held_against_nobody():
    asked = task()
    lesson = LessonBank("01-tiny", "Tiny", {}, {"answer": asked})
    shared = Cell("import torch\ndef ours(x):\n    return torch.softmax(x, 0)", own=False)

    assert read(asked, lesson, [shared, Cell("def answer(x):\n    return ours(x)")]) == ()


def test_a_call_is_told_with_its_line_and_what_stands_around_it():
    call, *_ = found(
        "def helper(x):\n    y = 2 * x\n    return F.softmax(y, 0)", "def answer(x):\n    return helper(x)"
    )

    assert (call.name, call.family) == ("F.softmax", "softmax")
    assert (call.line_number, call.line, call.function) == (3, "return F.softmax(y, 0)", "helper")


def test_a_line_under_a_cell_magic_is_counted_from_the_top_of_the_cell():
    call, *_ = found("%%time\ndef answer(x):\n    return torch.softmax(x, 0)")

    assert (call.line_number, call.line) == (3, "return torch.softmax(x, 0)")


@pytest.mark.parametrize(
    ("family", "call"),
    [
        ("dropout", "F.dropout(x, 0.5)"),
        ("dropout", "nn.Dropout(0.5)(x)"),
        ("dropout", "torch.feature_dropout(x, 0.5, True)"),
        ("scaled_dot_product_attention", "torch._C._nn.scaled_dot_product_attention(x, x, x)"),
        ("scaled_dot_product_attention", "nn.MultiheadAttention(2, 1)(x, x, x)[0]"),
        ("MultiheadAttention", "F.multi_head_attention_forward(x)"),
        ("MultiheadAttention", "nn.TransformerEncoderLayer(4, 2)(x)"),
    ],
)
def test_each_family_has_many_names(family, call):
    assert len(names(f"def answer(x):\n    return {call}", families=(family,))) == 1


@pytest.mark.parametrize(
    ("families", "source"),
    [
        (("MultiheadAttention",), "def answer(x):\n    return F.scaled_dot_product_attention(x, x, x)"),
        (("scaled_dot_product_attention",), "def answer(x):\n    return torch.softmax(x @ x.mT, -1) @ x"),
        (("dropout",), "def answer(x):\n    return x * torch.bernoulli(x)"),
        (("MultiheadAttention", "dropout"), "def answer(x):\n    return torch.softmax(x, -1)"),
    ],
)
def test_what_is_not_named_is_allowed(families, source):
    assert names(source, families=families) == []


def test_a_task_that_forbids_nothing_is_not_read(monkeypatch):
    monkeypatch.setattr(reading, "parsed", lambda source: 1 / 0)
    asked = Task(**{**task().__dict__, "forbids": None})
    lesson = LessonBank("01-tiny", "Tiny", {}, {"answer": asked})

    assert read(asked, lesson, [Cell("def answer(x):\n    return torch.softmax(x, 0)")]) == ()


@pytest.mark.parametrize(
    "source",
    [
        "answer = " + "(" * 5000 + "x" + ")" * 5000,
        "answer = " + "-" * 5000 + "1",
        "answer = " + "+".join("x" * 6000),
        "answer = x" + ".y" * 5000,
        "answer = " + "lambda: " * 3000 + "1",
        "a = b\nb = c\nc = a\nanswer = a.softmax",
        "def answer(x):\n    return answer(x)",
        "answer = '" + "x" * 1_000_000 + "'",
        "a0 = 1\n" + "\n".join(f"a{n + 1} = a{n} + a{n}" for n in range(3000)) + "\nanswer = a3000",
        "answer = 1\x00",
    ],
    ids=range(10),
)
def test_text_that_was_made_to_stop_the_reader_does_not(source):
    found(source, kind="tensor")


def test_the_names_that_cells_define_are_known():
    cells = [
        "import a.b, c as d\nfrom e import f",
        "x, y = 1, 2\nfor i in range(3):\n    z = i",
        "def g(): w = 1",
    ]

    assert names_made(cells) == ["a", "d", "f", "g", "i", "x", "y", "z"]


def test_a_function_of_the_course_that_does_what_is_forbidden_is_found():
    cells = [SETUP, "def shares(x):\n    return F.softmax(x, 0)\n\ndef other(x):\n    return x"]

    assert [(number, name) for number, name, _ in functions_that_call(cells, ("softmax",))] == [(1, "shares")]
