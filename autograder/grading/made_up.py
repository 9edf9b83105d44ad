"""Find where a notebook makes up the names that it uses, so that nobody who reads it knows what it calls.

`autograder.reading` finds forbidden calls by their names, and `autograder.forbidden` sees them run, which an
answer can silence. One that does both, and makes up its names while it runs, is seen by neither. It may be
honest all the same: so a person is told, and no points are taken.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from autograder.reading import Cell, parsed, text_of

# Functions that take a name as text, and which of their arguments that is: built in, and of libraries.
BUILT_IN = {"getattr": 1, "eval": 0, "exec": 0, "compile": 0, "__import__": 0}
IMPORTED = {"import_module": 0, "attrgetter": 0, "methodcaller": 0, "__getattribute__": 0}
# What holds everything there is, or leads to it without a name.
EVERYTHING = frozenset(
    (
        *("__dict__", "vars", "globals", "getmembers", "getmembers_static", "__subclasses__", "__globals__"),
        *("builtins", "__builtins__", "f_globals", "f_builtins"),
        *("get_objects", "get_referents", "get_referrers", "ctypes", "pickle", "marshal", "CompilationUnit"),
    )
)
MOST_SHOWN = 60


def made_up(cells: Sequence[Cell]) -> str:
    """The first expression in a learner's own cells that stands for something no reader can name; "" if none.

    Attributes of `self` are no such thing: a class's own are set somewhere, under a name.
    """
    for node in (found for cell in cells if cell.own for found in _made_up(parsed(cell.source))):
        shown = " ".join(ast.unparse(node).split())
        return shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}…"
    return ""


def _made_up(tree: ast.AST) -> Iterator[ast.AST]:
    read: set[ast.AST] = set()  # functions that are given a text anybody can read
    for node in ast.walk(tree):  # a call comes before what it consists of
        match node:
            case ast.Call(func=ast.Name(id="getattr") as function, args=[ast.Name(id="self" | "cls"), *_]):
                read.add(function)
            case ast.Call(func=function, args=given) if (place := _place_of_text(function)) is not None:
                read.add(function)
                if not any(map(text_of, given[place : place + 1])):
                    yield node
            case ast.Attribute(value=ast.Name(id="sys"), attr="modules"):
                yield node
            case ast.Attribute(attr=name) | ast.Name(id=name):
                if name in EVERYTHING or (_place_of_text(node) is not None and node not in read):
                    yield node


def _place_of_text(function: ast.AST) -> int | None:
    match function:
        case ast.Name(id=name):
            return {**BUILT_IN, **IMPORTED}.get(name)
        case ast.Attribute(attr=name):  # `model.eval` and `re.compile` are none of these
            return IMPORTED.get(name)
    return None
