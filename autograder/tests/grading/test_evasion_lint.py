"""Of code that could hide a forbidden call, a person is told; ordinary code is left alone."""

from __future__ import annotations

import pytest
from autograder.grading import evasion_lint
from autograder.grading.evasion_lint import hiding
from autograder.records.parse_cells import MOST_TEXT

HIDING = {
    "getattr": ("getattr(torch, name)(x)", "getattr(torch, name)"),
    "getattr-of-a-list": ("[getattr(torch, n) for n in names][0](x)", "getattr(torch, n)"),
    "looped-over": ("[getattr(m, n) for n in ['_C']][0](x)", "getattr(m, n)"),
    "set-after-the-loop": ("n = 1\nfor n in ['W_key']:\n    pass\ngetattr(torch, n)", "getattr(torch, n)"),
    "an-argument": ("def f(n):\n    for n in ['W']:\n        getattr(torch, n)", "getattr(torch, n)"),
    "an-alias": ("look = getattr\nlook(torch, name)(x)", "getattr"),
    "the-course's-own": ("import pictures.flow as flow\nflow.softmax(x)", "import pictures.flow as flow"),
    "backwards": ("getattr(torch, 'xamtfos'[::-1])(x)", "getattr(torch, 'xamtfos'[::-1])"),
    "dict": ("torch.__dict__['softmax'](x)", "torch.__dict__"),
    "vars": ("vars(torch)[name](x)", "vars"),
    "eval": ("eval('torch.' + name)(x)", "eval('torch.' + name)"),
    "import": ("__import__(name).softmax(x)", "__import__(name)"),
    "importlib": ("importlib.import_module(name).softmax(x)", "importlib.import_module(name)"),
    "operator": ("operator.methodcaller(name, 0)(x)", "operator.methodcaller(name, 0)"),
    "method": ("x.__getattribute__(name)(0)", "x.__getattribute__(name)"),
    "modules": ("sys.modules['tor' + 'ch'].softmax(x)", "sys.modules"),
    "modules-by-name": ("from sys import modules\nmodules[name].softmax(x)", "from sys import modules"),
    "members": ("dict(inspect.getmembers(torch))[name](x)", "inspect.getmembers"),
    "builtins": ("builtins.getattr(torch, name)(x)", "builtins"),
    "frame": ("sys._getframe().f_globals[name](x)", "sys._getframe().f_globals"),
    "inside-a-text": ("eval('getattr(torch, name)')(x)", "getattr(torch, name)"),
    "inside-a-magic": ("%%time\nlook = torch.__dict__", "torch.__dict__"),
    "a-cell-that-is-run": ("get_ipython().run_cell(text)", "get_ipython().run_cell(text)"),
    "renamed": (
        "from operator import attrgetter as look\nlook(name)(torch)",
        "from operator import attrgetter as look",
    ),
    "imported-under-another-name": ("import ctypes as c\nx = 1", "import ctypes as c"),
    "inside-the-checks": (
        "import autograder.probe.collect_evidence as c\nx = 1",
        "import autograder.probe.collect_evidence as c",
    ),
    "inside-the-checks-by-name": ("from autograder import collect\nx = 1", "from autograder import collect"),
    "silenced": ("torch._C._disabled_torch_function_impl", "torch._C"),
    "another-process": ("os.fork()", "os.fork"),
    "a-shell": ("!python soft.py\n1", "!python soft.py"),
    "another-library": ("from scipy.special import softmax\n1", "from scipy.special import softmax"),
    "compiled": ("torch.compile(f)(x)", "torch.compile"),
    "by-a-text": ("getattr(torch, '_C').f", "_C"),
    "a-layer-by-a-made-name": ("getattr(nn, ''.join(parts))", "getattr(nn, ''.join(parts))"),
    "a-made-name-given-to-a-function": (
        "def layer(name):\n    return getattr(nn, name)\nlayer(chr(95) + 'x')",
        "getattr(nn, name)",
    ),
    "another-module-called-nn": ("import sys as nn\ndef f(n):\n    return getattr(nn, n)", "getattr(nn, n)"),
    "torch-called-nn": ("nn = torch\ndef f(n):\n    return getattr(nn, n)", "getattr(nn, n)"),
    "self-of-a-function": ("def look(self):\n    return self.__dict__", "self.__dict__"),
    "self-given-by-a-call": (
        "def look(self, name):\n    return getattr(self, name)\nlook(torch, 'soft' + 'max')",
        "getattr(self, name)",
    ),
    "self-given-to-a-method": (
        "class A:\n    def look(self, name):\n        return getattr(self, name)\n"
        "A.look(torch, 'soft' + 'max')",
        "getattr(self, name)",
    ),
    "self-replaced": (
        "class A:\n    def look(self):\n        self = torch\n        return self.__dict__",
        "self.__dict__",
    ),
    "script": ("torch.jit.CompilationUnit(text).f(x)", "torch.jit"),
}
ORDINARY = {
    "by-name": "torch.softmax(x, dim=0)",
    "getattr-with-a-text": "getattr(torch, 'softmax')(x)",
    "looped-over-names": "for n, k in [('W_key', 1)]:\n    getattr(old, n)",
    "numpy": "import numpy as np\nimport math, time\nfrom collections import defaultdict",
    "own-attributes": "def forward(self, x):\n    return getattr(self, f'W_{x}')",
    "a-layer-by-its-name": (
        "from torch import nn\nclass A(nn.Module):\n    def __init__(self, activation='GELU'):\n"
        "        self.act = getattr(nn, activation)()"
    ),
    "its-own-table": (
        "class A:\n    def update(self, args):\n        for name in self.__dict__:\n"
        "            self.__dict__[name] = args[name]"
    ),
    "eval-mode": "model.eval()\nmodel.modules()",
    "pattern": "import re\nre.compile(pattern)",
    "no-python": "def f(:",
    "imports": "import torch.nn.functional as F\nfrom autograder import check, hint\nimport autograder",
    "a-live-room": "from autograder import join, leave\njoin('https://room', 'ABCDEFGH')\nleave()",
    "packages": "!pip install -q einops 'numpy>=2' rich[jupyter]==14.*\nx = 1",
    "packages-by-another-name": "!python3 -m pip install --upgrade einops\n!uv pip install x",
    "magic": "%%time\nx = torch.softmax(x, dim=0)",
    "code-in-a-text": "exec('x = 1')",
    "text": "eval('1 + 1')",
}


KINDS = {
    **{
        text: ("program", text)
        for text in (
            "!pip install ./mine",
            "!pip install mine.whl",
            "!pip install -e mine",
            "!pip install -r m",
        )
    },
    "!pip install einops; python mine.py": ("program", "!pip install einops; python mine.py"),
    "%%bash\npython other.py": ("program", "%%bash"),
    "%run other.py": ("program", "%run other.py"),
    "names = !ls": ("program", "!ls"),
    "import subprocess": ("program", "import subprocess"),
    "eval(text)": ("hidden", "eval(text)"),
    "torch._refs.softmax(x)": ("hidden", "torch._refs"),
    "import scipy": ("hidden", "import scipy"),
    "import ctypes": ("reach", "import ctypes"),
    "import sys\nsys._getframe(1)": ("reach", "sys._getframe"),
    "import gc\ngc.get_objects()": ("reach", "gc.get_objects"),
    "from inspect import stack": ("reach", "from inspect import stack"),
    "try:\n    f()\nexcept E as e:\n    e.__traceback__.tb_frame": ("reach", "e.__traceback__.tb_frame"),
    "f.__closure__[0]": ("reach", "f.__closure__"),
    "check.__globals__": ("reach", "check.__globals__"),
    "import autograder\nautograder.probe.forbidden_calls.MOST_CALLS = 0": ("reach", "autograder.probe"),
    "import autograder.probe.forbidden_calls": ("reach", "import autograder.probe.forbidden_calls"),
    "from autograder.probe import forbidden_calls": ("reach", "from autograder.probe import forbidden_calls"),
    "import linecache": ("reach", "import linecache"),
}


def code(sources):
    actual = hiding(sources)
    return actual and actual.code


@pytest.mark.parametrize("source", KINDS)
def test_what_kind_of_thing_could_hide_a_call_is_told(source):
    actual = hiding(["x = 1", source])
    assert (actual.kind, actual.code) == KINDS[source]


def test_a_program_in_a_first_cell_does_not_cover_what_is_graver():
    assert hiding(["!ls", "eval(text)", "import ctypes", "!pwd"]).code == "import ctypes"


@pytest.mark.parametrize("name", HIDING)
def test_an_expression_that_hides_what_it_stands_for_is_named(name):
    source, shown = HIDING[name]
    source = source if "\n" in source else f"def answer(x):\n    return {source}"
    assert code(["x = 1", source]) == shown


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_code_is_left_alone(name):
    assert hiding([ORDINARY[name]]) is None


def test_a_long_expression_is_cut():
    assert code([f"eval({' + '.join(['name'] * 40)})"]).endswith("…")


def test_what_is_too_long_or_too_deep_to_be_read_is_named_by_its_beginning():
    assert code(["x = 1  # " + "long" * 20_000]).startswith("x = 1 # longlong")
    assert code(["getattr(torch, " + "+".join("name" for _ in range(400)) + ")"]).startswith(
        "getattr(torch, name+"
    )


SLOW = {
    "many assignments": "a=1\n" * 10_000,
    "many uses": "a=1\n" + "a;" * 19_000,
    "loops in loops": ("x=" + "[a for a in " * 60 + "[1]" + "]" * 60 + "\n") * 45,
    "long chains": (f"getattr(self{'.a' * 90},b)\n") * 200,
}


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_of_text_that_is_slow_to_read_as_much_as_anybody_types_is_read_and_once(text):
    cells = [f"{text}#{number}" for number in range(25)]
    evasion_lint._read.cache_clear()
    assert all(hiding(cells) for _ in range(20))  # as for many tasks
    assert evasion_lint._read.cache_info().misses <= MOST_TEXT // len(text)
