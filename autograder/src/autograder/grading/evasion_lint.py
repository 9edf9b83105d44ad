"""A search for code that might hide a forbidden call, so that a person looks at it. It takes no points away.

`autograder.probe.forbidden_calls` sees everything that torch executes in the process of the check. It does
not see work in another process or by another library, changes to torch's or the check's own machinery, and
names that no reader can see. `evasion_names` lists these ways by kind. `monkeypatch_lint` finds attributes
that are set on objects which are not the learner's own, or looked up under a name that `static_strings`
cannot read.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from autograder.grading.evasion_names import (
    BELOW,
    BUILT_IN,
    BY_PARTS,
    BY_TEXT,
    HARMLESS,
    HIDDEN,
    HIDES,
    IN_TEXTS,
    INSTALLS,
    KINDS,
    LIBRARIES,
    MODULES,
    OF_IPYTHON,
    OF_SHELL,
    PARTS,
    PROGRAM,
    PROGRAMS,
    REACH,
    STATEMENTS,
    TEXT_OR_FUNCTION,
    UNPICKLING,
)
from autograder.grading.monkeypatch_lint import SETTERS, CellFacts, facts, foreign_settings, hidden_lookups
from autograder.grading.static_strings import last_name
from autograder.records.parse_cells import MOST_TEXT, parsed

UNWATCHED = "unwatched"  # not of code: whoever watches for such calls did not answer
MOST_SHOWN = 60
# What a notebook may ask the checks for.
OURS = ("check", "hint", "progress", "join", "leave", "autograder")
# Methods that make a text nobody can read before.
OPTIONS = re.compile(r"^\s*(?:-\w+(?: *\d+)?\s+)+")  # of a magic, before its statement
MAKES_TEXT = {"join", "format", "replace", "decode", "str", "chr", "read", "read_text", "fromhex"}


@dataclass(frozen=True)
class Evasion:
    """An expression that might hide a call, as text, with its kind, which is one of `KINDS`."""

    code: str
    kind: str = HIDDEN


def hiding(sources: Iterable[str]) -> Evasion | None:
    """Return the first expression of the gravest kind in a learner's cells that might hide a call; else None.

    Code can be written so that it takes long to analyse. If it is longer than a person would type, it is
    returned unread.
    """
    room = MOST_TEXT
    worst: Evasion | None = None
    evasion: Evasion | None
    facts_of_cells: list[CellFacts] = []
    asked: list[tuple[CellFacts, tuple[int, int]]] = []
    for source in sources:
        room -= len(source)
        evasion = Evasion(_cut(source))
        if room >= 0:
            evasion, more, lookups = _read(source)
            facts_of_cells += more
            asked += [(more[0], position) for position in lookups]
        if evasion and (worst is None or KINDS.index(evasion.kind) > KINDS.index(worst.kind)):
            worst = evasion
    if worst is None or worst.kind == PROGRAM:
        worst = next((Evasion(_cut(text)) for text in hidden_lookups(facts_of_cells, asked)), worst)
    if worst is None or worst.kind != REACH:
        settings = (Evasion(_cut(text), REACH) for text in foreign_settings(facts_of_cells))
        worst = next(settings, worst)
    return worst


@lru_cache(maxsize=256)
def _read(source: str) -> tuple[Evasion | None, tuple[CellFacts, ...], list[tuple[int, int]]]:
    """Return the gravest expression of a cell, what is known of its names, and its lookups."""
    try:
        tree = parsed(source)
        facts_of_cell = (facts(source), *(facts(text) for _, text in _codes(tree, _plain_uses(tree))))
        nodes = set(ast.walk(tree))
        suspicions: list[Evasion] = []
        lookups: list[tuple[int, int]] = []
        for node, kind in _hiding(tree):
            match node:
                case ast.Call(func=ast.Name(id="getattr"), args=[_, _, *_] as given) if (
                    node in nodes and not (isinstance(given[0], ast.Starred))
                ):
                    lookups.append((node.lineno, node.col_offset))
                case _:
                    suspicions.append(Evasion(_cut(_typed(node)), kind))
    except RecursionError:  # nested so deep on purpose
        return Evasion(_cut(source)), (), []
    return max(suspicions, key=lambda hiding: KINDS.index(hiding.kind), default=None), facts_of_cell, lookups


def _typed(node: ast.AST) -> str:
    """Return an expression as a learner would have typed it."""
    match node:
        case ast.Call(func=ast.Attribute(attr="system" | "getoutput"), args=[ast.Constant(value=str(text))]):
            return f"!{text}"
        case ast.Call(
            func=ast.Attribute(attr="run_line_magic" | "run_cell_magic"),
            args=[ast.Constant(value=str(name)), ast.Constant(value=str(given)), *rest],
        ):
            return f"{'%' * (1 + len(rest))}{name} {given}".strip()
        case ast.FunctionDef(name=name):
            return f"def {name}"
    return ast.unparse(node)


def _cut(text: str) -> str:
    shown = " ".join(text[: 2 * MOST_SHOWN].split())
    return shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}…"


def _kind(*names: str) -> str:
    """Return the gravest kind that some names have."""
    kinds = [HIDES.get(name) or PARTS.get(name) for name in names]
    return max((kind for kind in kinds if kind), key=KINDS.index, default=HIDDEN)


def _hiding(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield what could hide a call, and its kind."""
    plain = _plain_uses(tree)
    written_out = _written_out(tree)
    for node in ast.walk(tree):  # a call comes before what it consists of
        match node:
            case ast.Call():
                yield from _of_call(node, plain, written_out)
            case ast.Attribute() | ast.Name():
                yield from _of_name(node, plain)
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
                for alias in imported:
                    path = [*filter(None, module.split(".")), *alias.name.split(".")]
                    if _is_hiding_import(path, alias, bool(module)):
                        kind = REACH if path[0] == "autograder" else BY_PARTS.get(path[0]) or _kind(*path)
                        yield node, kind
            case ast.MatchClass(kwd_attrs=names) if not HIDES.keys().isdisjoint(names):
                yield node, _kind(*names)
            case ast.FunctionDef(name=name) if name in HIDES:
                yield node, _kind(name)
            case ast.Constant(value=str()) | ast.BinOp() if node not in plain:
                yield from _of_text(node)
    for node, text in _codes(tree, plain):
        inner = max((kind for _, kind in _hiding(parsed(text))), key=KINDS.index, default="")
        if inner:
            yield node, inner


def _of_call(node: ast.Call, plain: set[ast.AST], written_out: set[str]) -> Iterator[tuple[ast.AST, str]]:
    function, given, name = node.func, node.args, last_name(node.func)
    magic = _magic(node)
    for keyword in node.keywords:
        allowed = UNPICKLING.get(keyword.arg or "", keyword)
        if allowed is not keyword and not (
            isinstance(keyword.value, ast.Constant) and keyword.value.value == allowed
        ):
            yield node, PROGRAM if keyword.arg == "num_workers" else HIDDEN
        elif name in ("wraps", "update_wrapper") and keyword.arg in ("assigned", "updated"):
            yield node, HIDDEN
    match node:
        case ast.Call(func=ast.Attribute(attr="system" | "getoutput"), args=[ast.Constant(value=text)]):
            plain.add(function)
            if not INSTALLS.fullmatch(str(text).strip()):
                yield node, PROGRAM
        case ast.Call() if magic in PROGRAMS:
            plain.update((function, *given))
            yield node, PROGRAM
        case ast.Call() if _takes_text(function):
            plain.add(function)
            match given[BY_TEXT[name] :]:
                case [ast.Constant(value=str(text)), *_]:
                    yield from _hiding(parsed(text))
                case [ast.Name(id=other), *_] if other in written_out:
                    pass
                case _:
                    yield node, HIDDEN
        case ast.Call() if name in TEXT_OR_FUNCTION and not magic:
            statements = [*given, *(keyword.value for keyword in node.keywords if keyword.arg in STATEMENTS)]
            sure = isinstance(function, ast.Attribute) and last_name(function.value) == "timeit"
            if any(_makes_text(node) or (sure and isinstance(node, ast.Name)) for node in statements):
                yield node, HIDDEN
        case ast.Call() if name == "load" and (
            len(given) > 2 or any(not keyword.arg for keyword in node.keywords)
        ):
            yield node, HIDDEN


def _of_name(node: ast.Attribute | ast.Name, plain: set[ast.AST]) -> Iterator[tuple[ast.AST, str]]:
    name = last_name(node)
    if node in plain:
        return
    match node:
        case ast.Attribute(value=ast.Name(id="autograder")) if name not in OURS:
            yield node, REACH
        case ast.Attribute(value=ast.Name(id=module)) if module in BY_PARTS:
            if name not in HARMLESS[module]:
                yield node, BY_PARTS[module]
        case ast.Attribute(value=ast.Name(id="IPython")) if (name,) not in OF_IPYTHON and name[:1] != "_":
            yield node, REACH
        case ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython"))) if name not in OF_SHELL:
            yield node, REACH
        case ast.Attribute(value=ast.Name(id="sys"), attr="modules"):
            yield node, HIDDEN
        case ast.Attribute(value=ast.Name(id="string"), attr="Formatter"):
            yield node, HIDDEN
        case ast.Attribute(attr="compile", value=value) if last_name(value) != "re":
            yield node, HIDDEN
        case ast.Attribute(attr="__class__" | "__bases__", ctx=ast.Store()):
            yield node, HIDDEN
        case ast.Attribute(value=ast.Name(id="torch"), attr="ops"):
            yield node, HIDDEN
        case _ if name in HIDES or (name in PARTS and isinstance(node, ast.Attribute)):
            yield node, _kind(*map(last_name, ast.walk(node)))
        case _ if _takes_text(node) or name in SETTERS - {"update_wrapper"}:
            yield node, HIDDEN


def _of_text(node: ast.Constant | ast.BinOp) -> Iterator[tuple[ast.AST, str]]:
    """Yield a text that names what hides a call, for something that reads it."""
    text = _folded(node)
    if text and (named := IN_TEXTS.search(text)):
        ours = "autograder" in named[0] or "/proc" in named[0]
        yield node, REACH if ours else _kind(named[0])


def _folded(node: ast.AST) -> str:
    """Return a text that is put together from others; "" for none."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = _folded(left), _folded(right)
            return first + second if first and second else ""
    return ""


def _codes(tree: ast.AST, plain: set[ast.AST]) -> Iterator[tuple[ast.AST, str]]:
    """Yield the texts of a cell that read as code: some library may run them."""
    for node in ast.walk(tree):
        text = OPTIONS.sub("", _folded(node))
        looks_so = "." in text and ("=" in text or "import" in text or "(" in text)
        if (
            looks_so
            and node not in plain
            and any(not isinstance(statement, ast.Expr) for statement in parsed(text).body)
        ):
            yield node, text


def _plain_uses(tree: ast.AST) -> set[ast.AST]:
    """Return the nodes that hide nothing where they stand, whatever they are called."""
    plain: set[ast.AST] = set()
    bound = _bound(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant() as told):
                plain.add(told)
            case ast.BinOp(left=left, right=right) if node in plain or _folded(node):
                plain.update((left, right))  # of a text that is read as a whole
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Call(func=function)]):
                plain.add(function)  # `"model" in locals()`
            case ast.Call(func=function) if last_name(function) in SETTERS:
                plain.add(function)
            case ast.Attribute(value=value, attr=attr) if attr in HARMLESS.get(last_name(value), ()):
                plain.update((node, value))
            case ast.Name(id=name) if name in bound:
                plain.add(node)
            case ast.ClassDef(body=body):
                plain |= {part for method in body for part in _tables_of_self(method)}
            case ast.FunctionDef() | ast.Lambda():  # there, they are the function's own
                plain |= {
                    part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == "locals"
                }
    return plain


def _tables_of_self(method: ast.AST) -> Iterator[ast.AST]:
    """Yield where a method reads or sets what its own object holds by name, as `getattr(self, name)` does."""
    match method:
        case ast.FunctionDef(args=ast.arguments(args=[ast.arg(arg="self"), *_])):
            names = [part for part in ast.walk(method) if isinstance(part, ast.Name) and part.id == "self"]
            if all(isinstance(name.ctx, ast.Load) for name in names):
                for part in ast.walk(method):
                    if isinstance(part, ast.Attribute) and part.attr == "__dict__" and part.value in names:
                        yield part


def _bound(tree: ast.AST) -> set[str]:
    """Return the names that a cell gives to things of its own, of which none is Python's or imported."""
    names: set[str] = set()
    imported: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.FunctionDef(name=name):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                imported |= {alias.asname or alias.name.split(".")[0] for alias in aliases}
    bound = names - imported - BY_TEXT.keys() - SETTERS - set(dir(builtins))
    return {name for name in bound if not name.startswith("__")}


def _makes_text(node: ast.AST) -> bool:
    """Tell whether an expression makes a text, of which nobody knows what it says."""
    match node:
        case ast.JoinedStr():
            return True
        case ast.BinOp(left=left, right=right):
            return any(
                isinstance(operand, ast.JoinedStr) or _folded(operand) or _makes_text(operand)
                for operand in (left, right)
            )
        case ast.Call(func=function):
            return last_name(function) in MAKES_TEXT
    return False


def _magic(node: ast.AST) -> str:
    match node:
        case ast.Call(
            func=ast.Attribute(attr="run_line_magic" | "run_cell_magic"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return name
    return ""


def _takes_text(function: ast.AST) -> bool:
    name = last_name(function)
    return name in BY_TEXT and (isinstance(function, ast.Name) or name not in BUILT_IN)


def _written_out(tree: ast.AST) -> set[str]:
    """Return the names that only ever stand for what loops take from lists that are written out."""
    loops: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.List | ast.Tuple):
            parts = {type(part) for part in ast.walk(node.iter)} - {ast.Load, ast.Name}
            words = {part.value for part in ast.walk(node.iter) if isinstance(part, ast.Constant)}
            if parts <= {ast.List, ast.Tuple, ast.Constant} and HIDES.keys().isdisjoint(words):
                loops |= set(ast.walk(node.target))
    names = [
        node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    others = {node.id for node in names if node not in loops}
    others |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return {node.id for node in names} - others


def _is_hiding_import(path: list[str], imported: ast.alias, of_module: bool) -> bool:
    first, below = path[0], tuple(path[:2])
    doors = [name for name, part in pairwise([*path, ""]) if part not in HARMLESS.get(name, ())]
    if first in BY_PARTS:
        return imported.asname is not None or (of_module and path[-1] not in HARMLESS[first])
    return (
        (imported.asname is not None and imported.name in BY_TEXT)
        or first not in LIBRARIES
        or ((first in MODULES or (first[0] == "_" and first != "__future__")) and below not in BELOW)
        or ("autograder" in path and path[-1] not in OURS)
        or (first == "IPython" and len(path) > 1 and not _is_of_ipython(path[1:]))
        or path in (["sys", "modules"], ["string", "Formatter"], ["torch", "ops"])
        or imported.name in SETTERS - {"update_wrapper"}
        or any(name in HIDES or name in PARTS for name in doors)
    )


def _is_of_ipython(path: list[str]) -> bool:
    return any(tuple(path[: len(allowed)]) == allowed for allowed in OF_IPYTHON)
