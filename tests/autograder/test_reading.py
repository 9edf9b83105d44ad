"""Cells are read without being run, magics and all, whatever was made to be hard to read."""

from __future__ import annotations

import ast

import pytest

from autograder.reading import names_made, parsed


def test_the_names_that_cells_leave_behind_are_known():
    cells = [
        "import a.b, c as d\nfrom e import f",
        "x, y = 1, 2\nfor i in range(3):\n    z = i",
        "def g(): w = 1",
        "%matplotlib inline\nclass H: pass",
        "try:\n    x\nexcept OSError as error:\n    [n for n in x]",
    ]

    assert names_made(cells) == ["H", "a", "d", "f", "g", "i", "x", "y", "z"]


@pytest.mark.parametrize("source", ["%%time\nx = 1", "!ls\n?x\nx = 1", "x = 1"])
def test_python_is_found_under_magics(source):
    assert "x = 1" in ast.unparse(parsed(source))


@pytest.mark.parametrize(
    "source",
    ["def f(:", "x = " + "(" * 5000, "x = " + "-" * 5000 + "1", "x = 1\x00", "x = 1 # " + "x" * 100_000],
    ids=range(5),
)
def test_what_is_no_python_or_was_made_to_stop_the_reader_is_nothing(source):
    assert parsed(source).body == []
