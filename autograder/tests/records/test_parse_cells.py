"""Cells are read without being run, magics and all, whatever was made to be hard to read."""

from __future__ import annotations

import ast

import pytest
from autograder.records.parse_cells import changed_in, names_of, parsed


@pytest.mark.parametrize("source", ["%%time\nx = 1", "!ls\n?x\nx = 1", "x = 1"])
def test_python_is_found_under_magics(source):
    assert "x = 1" in ast.unparse(parsed(source))


def test_a_stray_backslash_is_read_without_a_warning():
    assert ast.unparse(parsed(r'path = "\d"')) == r"path = '\\d'"


@pytest.mark.parametrize(
    "source",
    ["def f(:", "x = " + "(" * 5000, "x = " + "-" * 5000 + "1", "x = 1\x00", "x = 1 # " + "x" * 100_000],
    ids=range(5),
)
def test_what_is_no_python_or_was_made_to_stop_the_reader_is_nothing(source):
    assert parsed(source).body == []


@pytest.mark.parametrize("source", ["nonlocal x", "x = " + "-" * 3000 + "y", "def f(:"], ids=range(3))
def test_what_does_not_compile_names_nothing(source):
    assert names_of(source) == (frozenset(), frozenset())


@pytest.mark.parametrize(
    ("source", "bound", "used"),
    [
        ("x = f(x)", "x", "fx"),
        ("x += y", "x", "xy"),
        ("x = 1\ny = x", "xy", ""),
        ("def f():\n    return f(x)", "f", "x"),
        ("x = [x for x in y]", "x", "y"),
        ("class A:\n    pass\n\nA = f(A)", "A", "f"),
    ],
)
def test_what_a_cell_needs_of_others_is_told_from_what_it_makes(source, bound, used):
    assert names_of(source) == (frozenset(bound), frozenset(used))


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("x[0] = y", "x"),
        ("x.a.b = y", "x"),
        ("del x[0]", "x"),
        ("x += y", "x"),
        ("with y:\n    x.append(1)", "x"),
        ("x.a.load()", "x"),
        ("y = print(x[0].add_(1))", "x"),
        ("x().a = 1", "x"),
        ("y = x.sum()\nshow(x)\nx", ""),
    ],
)
def test_what_a_cell_changes_in_place_is_told_from_what_it_reads(source, changed):
    assert changed_in(source) == frozenset(filter(None, [changed]))
