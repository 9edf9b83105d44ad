"""Find code that could hide a forbidden call, so that a person looks at it. No points are lost by that.

`autograder.probe.forbidden` sees what torch executes in the process of the check. What gets past it is work
in another process or by another library, torch's and the check's own machinery, and whatever leads there by a
name that no reader can see.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache

from autograder.records.reading import MOST_TEXT, parsed

# Functions that are given a name as text or code as text, and which of their arguments that is.
AS_NAME = ("__import__", "import_module", "attrgetter", "methodcaller", "__getattribute__")
AS_CODE = ("eval", "exec", "compile", "run_cell", "run_code", "ex", "ev")
BY_TEXT = dict.fromkeys(AS_NAME + AS_CODE, 0) | {"getattr": 1, "run_cell_magic": 2}
BUILT_IN = {"getattr", "eval", "exec", "compile"}  # as attributes, `model.eval` and `re.compile` are others
HIDES = frozenset(
    (
        # Other processes.
        *("subprocess", "multiprocessing", "ProcessPoolExecutor", "fork", "forkpty", "system", "popen"),
        *("posix_spawn", "getoutput", "getpipeoutput"),
        # Other languages and compilers.
        "ctypes",
        *("jit", "fx", "export", "_dynamo", "_inductor", "cpp_extension"),
        # What holds everything there is, or leads to it without a name.
        *("__dict__", "vars", "globals", "getmembers", "getmembers_static", "__subclasses__", "__globals__"),
        *("builtins", "__builtins__", "f_globals", "f_builtins", "settrace", "setprofile", "reload"),
        *("get_objects", "get_referents", "get_referrers", "pickle", "marshal", "gc"),
        # Frames and closures, by which the watch's own list can be reached.
        *("inspect", "_getframe", "_current_frames", "currentframe", "getclosurevars", "getmodule", "f_back"),
        *(
            "f_locals",
            "tb_frame",
            "gi_frame",
            "cr_frame",
            "ag_frame",
            "__closure__",
            "cell_contents",
            "__code__",
        ),
        *(
            "get_closurevars",
            "walk_stack",
            "walk_tb",
            "__self__",
            "__reduce__",
            "__reduce_ex__",
            "addaudithook",
        ),
        # Where the watch is.
        *("_C", "_ops", "library", "_library", "_python_dispatch"),
    )
)
# Where a learner's imports may lead. Other libraries, and the course's own, may hold what the task asks for.
LIBRARIES = sys.stdlib_module_names | {
    *("torch", "numpy", "matplotlib", "IPython", "ipywidgets", "pandas", "einops", "tqdm", "autograder"),
    "google",  # a bundled notebook asks Colab for the checks
}
MOST_SHOWN = 60


def hiding(sources: Iterable[str]) -> str:
    """Return the first expression in a learner's cells that could hide a call; "" if none.

    Text can be made to be slow to read: what is more than anybody types is shown instead of being read.
    """
    room = MOST_TEXT
    for source in sources:
        room -= len(source)
        found = _first(source) if room >= 0 else _cut(source)
        if found:
            return found
    return ""


@lru_cache(maxsize=256)
def _first(source: str) -> str:
    try:
        return next((_cut(ast.unparse(node)) for node in _hiding(parsed(source))), "")
    except RecursionError:  # nested so deep on purpose
        return _cut(source)


def _cut(text: str) -> str:
    shown = " ".join(text[: 2 * MOST_SHOWN].split())
    return shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}…"


def _hiding(tree: ast.AST) -> Iterator[ast.AST]:
    called: set[ast.AST] = set()  # functions that are given a text anybody can read
    written_out = _written_out(tree)
    for node in ast.walk(tree):  # a call comes before what it consists of
        match node:
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
                if _name(node) in HIDES or (_takes_text(node) and node not in called):
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
            if parts <= {ast.List, ast.Tuple, ast.Constant} and HIDES.isdisjoint(words):
                loops |= set(ast.walk(node.target))
    names = [
        node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    others = {node.id for node in names if node not in loops}
    others |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return {node.id for node in names} - others


def _is_hiding_import(path: list[str], imported: ast.alias) -> bool:
    ours = ("check", "hint", "progress", "autograder")
    return (
        (imported.asname is not None and imported.name in BY_TEXT)
        or path[0] not in LIBRARIES
        or ("autograder" in path and path[-1] not in ours)
        or path[-2:] == ["sys", "modules"]
        or not HIDES.isdisjoint(path)
    )


def _name(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
