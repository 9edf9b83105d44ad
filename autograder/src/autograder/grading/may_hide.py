"""Find code that could hide a forbidden call, so that a person looks at it. No points are lost by that.

`autograder.probe.forbidden` sees what torch executes in the process of the check. What gets past it is work
in another process or by another library, torch's and the check's own machinery, and whatever leads there by a
name that no reader can see.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from autograder.records.reading import MOST_TEXT, parsed

# Functions that are given a name as text or code as text, and which of their arguments that is.
AS_NAME = ("__import__", "import_module", "attrgetter", "methodcaller", "__getattribute__")
AS_CODE = ("eval", "exec", "compile", "run_cell", "run_code", "ex", "ev")
BY_TEXT = dict.fromkeys(AS_NAME + AS_CODE, 0) | {"getattr": 1, "run_cell_magic": 2}
BUILT_IN = {"getattr", "eval", "exec", "compile"}  # as attributes, `model.eval` and `re.compile` are others
# By name, what kind of thing it is: the gravest in a learner's cells is shown.
PROGRAM, HIDDEN, REACH = KINDS = ("program", "hidden", "reach")
UNWATCHED = "unwatched"  # not of code: whoever watches for such calls did not answer
HIDES: Mapping[str, str] = {
    # Other processes.
    **dict.fromkeys(
        (
            *("subprocess", "multiprocessing", "ProcessPoolExecutor", "fork", "forkpty", "system", "popen"),
            *("posix_spawn", "getoutput", "getpipeoutput", "execv", "execve"),
        ),
        PROGRAM,
    ),
    **dict.fromkeys(
        (
            # Other compilers, and torch's own ways of doing the same without its operators.
            *("jit", "fx", "export", "_dynamo", "_inductor", "cpp_extension", "_refs", "_prims", "_decomp"),
            # What holds everything there is, or leads to it without a name.
            *("__dict__", "vars", "globals", "getmembers", "getmembers_static", "__subclasses__"),
            *("builtins", "__builtins__", "reload", "pickle", "marshal"),
            *("__self__", "__reduce__", "__reduce_ex__"),
        ),
        HIDDEN,
    ),
    **dict.fromkeys(
        (
            # Memory and whatever lies in it.
            *("ctypes", "cffi", "gc", "get_objects", "get_referents", "get_referrers"),
            # Frames and closures of code that runs, and what is called between its lines.
            *("inspect", "_getframe", "_current_frames", "currentframe", "getclosurevars", "getmodule"),
            *("f_back", "f_locals", "f_globals", "f_builtins", "tb_frame", "gi_frame", "cr_frame"),
            *("ag_frame", "__globals__", "__closure__", "cell_contents", "__code__", "__wrapped__"),
            *("walk_stack", "walk_tb", "settrace", "setprofile", "monitoring", "addaudithook", "linecache"),
            # Where the watch is.
            *("_C", "_ops", "library", "_library", "_python_dispatch"),
        ),
        REACH,
    ),
}
# Magics that start another program, or run text in another language.
PROGRAMS = frozenset(
    (
        "sx",
        "!",
        "system",
        "bash",
        "sh",
        "script",
        "python",
        "python2",
        "python3",
        "pypy",
        "perl",
        "ruby",
        "run",
        "cython",
    )
)
# A first cell that asks an index for packages by their names brings nothing that the watch does not see:
# there is no network while a class is graded, and a library that is then imported is seen by its name.
INSTALLS = re.compile(
    r"(?:pip3?|python3? -m pip|uv pip|conda|mamba) install"
    r"(?: +(?:-[qUy]|--quiet|--upgrade|--user|--yes"
    r"|['\"]?[a-zA-Z][\w-]*(?:\[[\w,-]+\])?(?:[=<>~!][\w.,=<>~!*]+)?['\"]?))+ *"
)
# Where a learner's imports may lead. Other libraries, and the course's own, may hold what the task asks for.
LIBRARIES = sys.stdlib_module_names | {
    *("torch", "numpy", "matplotlib", "IPython", "ipywidgets", "pandas", "einops", "tqdm", "autograder"),
    "google",  # a bundled notebook asks Colab for the checks
}
MOST_SHOWN = 60
# What a notebook may ask the checks for.
OURS = ("check", "hint", "progress", "join", "leave", "autograder")


@dataclass(frozen=True)
class Hiding:
    """An expression that could hide a call, as text, and what kind of thing it is: one of `KINDS`."""

    code: str
    kind: str = HIDDEN


def hiding(sources: Iterable[str]) -> Hiding | None:
    """Return the gravest expression in a learner's cells that could hide a call, the first of its kind.

    Text can be made to be slow to read: what is more than anybody types is shown instead of being read.
    """
    room = MOST_TEXT
    worst: Hiding | None = None
    for source in sources:
        room -= len(source)
        found = _worst(source) if room >= 0 else Hiding(_cut(source))
        if found and (worst is None or KINDS.index(found.kind) > KINDS.index(worst.kind)):
            worst = found
    return worst


@lru_cache(maxsize=256)
def _worst(source: str) -> Hiding | None:
    try:
        found = [Hiding(_cut(_typed(node)), _kind(node)) for node in _hiding(parsed(source))]
    except RecursionError:  # nested so deep on purpose
        return Hiding(_cut(source))
    return max(found, key=lambda one: KINDS.index(one.kind), default=None)


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
    return ast.unparse(node)


def _kind(node: ast.AST) -> str:
    """Return what kind of thing an expression is that could hide a call."""
    if _magic(node) in PROGRAMS:
        return PROGRAM
    if _of_ours(node):
        return REACH
    names = [_name(part) for part in ast.walk(node)]
    match node:
        case ast.Call(func=function):
            names = [_name(function)]
        case ast.Import(names=imported):
            names = [part for one in imported for part in one.name.split(".")]
        case ast.ImportFrom(module=module, names=imported):
            names = [*(module or "").split("."), *(one.name for one in imported)]
    kinds = [HIDES.get(name, HIDDEN) for name in names if name in HIDES] or [
        REACH if "autograder" in names else HIDDEN
    ]
    return max(kinds, key=KINDS.index)


def _magic(node: ast.AST) -> str:
    match node:
        case ast.Call(
            func=ast.Attribute(attr="run_line_magic" | "run_cell_magic"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return name
    return ""


def _of_ours(node: ast.AST) -> bool:
    """Tell whether an expression leads into the checks, beyond what a notebook may ask them for."""
    match node:
        case ast.Attribute(value=ast.Name(id="autograder"), attr=name):
            return name not in OURS
    return False


def _cut(text: str) -> str:
    shown = " ".join(text[: 2 * MOST_SHOWN].split())
    return shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}…"


def _hiding(tree: ast.AST) -> Iterator[ast.AST]:
    called: set[ast.AST] = set()  # functions that are given a text anybody can read
    written_out = _written_out(tree)
    for node in ast.walk(tree):  # a call comes before what it consists of
        match node:
            case ast.Call(
                func=ast.Attribute(attr="system" | "getoutput") as function, args=[ast.Constant(value=text)]
            ):
                called.add(function)
                if not INSTALLS.fullmatch(str(text).strip()):
                    yield node
            case ast.Call(func=function) if _magic(node) in PROGRAMS:
                called.add(function)
                yield node
            case ast.Call(func=ast.Name(id="getattr") as function, args=[value, *_]) if _is_own(value):
                called.add(function)
            case ast.Call(func=function, args=given) if _takes_text(function):
                called.add(function)
                match given[BY_TEXT[_name(function)] :]:
                    case [ast.Constant(value=str(text)), *_]:
                        yield from _hiding(parsed(text))
                    case [ast.Name(id=name), *_] if name in written_out:
                        pass
                    case _:
                        yield node
            case ast.Attribute(value=ast.Name(id="sys"), attr="modules"):
                yield node
            case ast.Attribute(value=value, attr="compile") if _name(value) != "re":
                yield node
            case ast.Attribute() | ast.Name():
                named = _name(node) in HIDES or _takes_text(node)
                if _of_ours(node) or (named and node not in called):
                    yield node
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
                paths = [[*filter(None, module.split(".")), *alias.name.split(".")] for alias in imported]
                if any(map(_is_hiding_import, paths, imported)):
                    yield node


def _takes_text(function: ast.AST) -> bool:
    name = _name(function)
    return name in BY_TEXT and (isinstance(function, ast.Name) or name not in BUILT_IN)


def _is_own(value: ast.expr) -> bool:
    """Tell whether an expression is `self`, whose attributes are set under names, or leads on from there."""
    while isinstance(value, ast.Attribute):
        value = value.value
    return _name(value) in ("self", "cls")


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


def _is_hiding_import(path: list[str], imported: ast.alias) -> bool:
    return (
        (imported.asname is not None and imported.name in BY_TEXT)
        or path[0] not in LIBRARIES
        or ("autograder" in path and path[-1] not in OURS)
        or path[-2:] == ["sys", "modules"]
        or not HIDES.keys().isdisjoint(path)
    )


def _name(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
