"""Where a notebook makes up its names, a person is told; ordinary code is left alone."""

from __future__ import annotations

import pytest

from autograder.grading.made_up import made_up
from autograder.reading import Cell

MADE_UP = {
    "getattr": ("getattr(torch, name)(x)", "getattr(torch, name)"),
    "an-alias": ("look = getattr\nlook(torch, name)(x)", "getattr"),
    "backwards": ("getattr(torch, 'xamtfos'[::-1])(x)", "getattr(torch, 'xamtfos'[::-1])"),
    "dict": ("torch.__dict__['softmax'](x)", "torch.__dict__"),
    "vars": ("vars(torch)[name](x)", "vars"),
    "eval": ("eval('torch.' + name)(x)", "eval('torch.' + name)"),
    "import": ("__import__(name).softmax(x)", "__import__(name)"),
    "importlib": ("importlib.import_module(name).softmax(x)", "importlib.import_module(name)"),
    "operator": ("operator.methodcaller(name, 0)(x)", "operator.methodcaller(name, 0)"),
    "method": ("x.__getattribute__(name)(0)", "x.__getattribute__(name)"),
    "modules": ("sys.modules['tor' + 'ch'].softmax(x)", "sys.modules"),
    "members": ("dict(inspect.getmembers(torch))[name](x)", "inspect.getmembers"),
    "builtins": ("builtins.getattr(torch, name)(x)", "builtins"),
    "frame": ("sys._getframe().f_globals[name](x)", "sys._getframe().f_globals"),
    "script": ("torch.jit.CompilationUnit(text).f(x)", "torch.jit.CompilationUnit"),
}
ORDINARY = {
    "by-name": "torch.softmax(x, dim=0)",
    "getattr-with-a-text": "getattr(torch, 'soft' + 'max')(x)",
    "own-attributes": "def forward(self, x):\n    return getattr(self, f'W_{x}')",
    "eval-mode": "model.eval()\nmodel.modules()",
    "pattern": "import re\nre.compile(pattern)",
    "no-python": "def f(:",
    "text": "eval('1 + 1')",
}


@pytest.mark.parametrize("name", MADE_UP)
def test_an_expression_that_hides_what_it_stands_for_is_named(name):
    source, shown = MADE_UP[name]
    assert (
        made_up(
            [Cell("x = 1"), Cell(f"def answer(x):\n    return {source}" if "\n" not in source else source)]
        )
        == shown
    )


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_code_is_left_alone(name):
    assert made_up([Cell(ORDINARY[name])]) == ""


def test_the_courses_own_cells_are_left_alone():
    assert made_up([Cell("getattr(torch, name)", own=False)]) == ""


def test_a_long_expression_is_cut():
    assert made_up([Cell(f"eval({' + '.join(['name'] * 40)})")]).endswith("…")
