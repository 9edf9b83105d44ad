"""Find where a notebook makes up the names that it uses, so that nobody who reads it knows what it calls.

`autograder.reading` finds forbidden calls by their names, and `autograder.forbidden` sees them run, which an
answer can silence. One that does both, and makes up its names while it runs, is seen by neither. It may be
honest all the same: so a person is told, and no points are taken.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import torch

from autograder.reading import MOST_TEXT, Cell, parsed, text_of

# Functions that take a name as text, and which of their arguments that is: built in, and of libraries.
BUILT_IN = {"getattr": 1, "__import__": 0}
IMPORTED = {"import_module": 0, "attrgetter": 0, "methodcaller": 0, "__getattribute__": 0}
# Functions that take code as text.
RUN_BUILT_IN = {"eval": 0, "exec": 0, "compile": 0}
RUN = {"run_cell_magic": 2, "run_cell": 0, "run_code": 0, "ex": 0, "ev": 0}
# As attributes, `model.eval` and `re.compile` are something else.
BY_ATTRIBUTE = IMPORTED | RUN
BY_NAME = BY_ATTRIBUTE | BUILT_IN | RUN_BUILT_IN
# What holds everything there is, or leads to it without a name, or keeps torch from telling of calls.
EVERYTHING = frozenset(
    (
        *("__dict__", "vars", "globals", "getmembers", "getmembers_static", "__subclasses__", "__globals__"),
        *("builtins", "__builtins__", "f_globals", "f_builtins", "settrace", "setprofile"),
        *("get_objects", "get_referents", "get_referrers", "ctypes", "pickle", "marshal", "CompilationUnit"),
        *("_C", "_python_dispatch", "DisableTorchFunction", "DisableTorchFunctionSubclass"),
    )
)
# Where torch's own names are.
TORCH = (torch, torch.nn, torch.nn.functional, torch.Tensor)
MOST_SHOWN = 60


def made_up(cells: Sequence[Cell]) -> str:
    """The first expression in a learner's own cells that stands for something no reader can name; "" if none.

    Attributes of `self` are no such thing: a class's own are set somewhere, under a name. Nor are names that
    a loop takes from a list in front of all eyes, unless they are torch's.
    """
    for cell in cells:
        if cell.own and len(cell.source) > MOST_TEXT:
            return _cut(cell.source)  # it is not read
        if cell.own:
            try:
                for node in _made_up(parsed(cell.source)):
                    return _cut(ast.unparse(node))
            except RecursionError:  # nested so deep on purpose
                return _cut(cell.source)
    return ""


def _cut(text: str) -> str:
    shown = " ".join(text[: 2 * MOST_SHOWN].split())
    return shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}…"


def _made_up(tree: ast.AST) -> Iterator[ast.AST]:
    read: set[ast.AST] = set()  # functions that are given a text anybody can read
    looped = _looped_over(tree)
    for node in ast.walk(tree):  # a call comes before what it consists of
        match node:
            case ast.Call(func=ast.Name(id="getattr") as function, args=[value, *_]) if _is_own(value):
                read.add(function)
            case ast.Call(func=function, args=given) if (place := _place_of_text(function)) is not None:
                read.add(function)
                text = next((text_of(one) for one in given[place : place + 1]), "")
                if not text and not looped.get(_name(given[place]) if len(given) > place else ""):
                    yield node
                elif _name(function) in RUN_BUILT_IN | RUN:
                    yield from _made_up(parsed(text))
            case ast.Attribute(value=ast.Name(id="sys"), attr="modules"):
                yield node
            case ast.Attribute() | ast.Name():
                if _name(node) in EVERYTHING or (_place_of_text(node) is not None and node not in read):
                    yield node
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
                if any(_is_no_ordinary_import(module, one) for one in imported):
                    yield node


def _is_own(value: ast.expr) -> bool:
    """Whether an expression is `self`, or leads on from there."""
    while isinstance(value, ast.Attribute):
        value = value.value
    return _name(value) in ("self", "cls")


def _looped_over(tree: ast.AST) -> dict[str, bool]:
    """For each name, whether it only ever stands for texts that are written out, and none is torch's."""
    found: dict[str, bool] = {}
    loops: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.For(target=target, iter=values) | ast.comprehension(target=target, iter=values):
                for name, texts in _pairs(target, values):
                    loops.add(name)
                    ordinary = bool(texts) and not any(
                        hasattr(place, one) for place in TORCH for one in texts
                    )
                    found[name.id] = found.get(name.id, True) and ordinary
            case ast.arg(arg=argument):
                found[argument] = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in loops:
            found[node.id] = False
    return found


def _pairs(target: ast.expr, values: ast.expr) -> Iterator[tuple[ast.Name, list[str]]]:
    """The names of a loop, each with the texts that it is given; without any where one cannot be read."""
    rows = values.elts if isinstance(values, ast.List | ast.Tuple) else []
    match target:
        case ast.Name():
            texts = list(map(text_of, rows))
            yield target, texts if all(texts) else []
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            for place, one in enumerate(targets):
                column = [
                    row.elts[place] for row in rows if isinstance(row, ast.Tuple) and place < len(row.elts)
                ]
                whole = ast.List(column if len(column) == len(rows) else [])
                yield from _pairs(one, whole)


def _is_no_ordinary_import(module: str, imported: ast.alias) -> bool:
    path = [*module.split("."), *imported.name.split(".")]
    renamed = imported.asname is not None and imported.name in BUILT_IN | IMPORTED
    inside_ours = "autograder" in (module.partition(".")[0], path[1]) and path[-2:] not in (
        ["autograder", "check"],
        ["autograder", "hint"],
        ["autograder", "progress"],
        ["", "autograder"],
    )
    everything = path[-2:] == ["sys", "modules"] or not EVERYTHING.isdisjoint(path)
    return renamed or inside_ours or everything


def _name(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _place_of_text(function: ast.AST) -> int | None:
    return (BY_NAME if isinstance(function, ast.Name) else BY_ATTRIBUTE).get(_name(function))
