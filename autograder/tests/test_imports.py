"""Imports stand at the top of a module, or say why not; of a room, others import its public modules alone."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import autograder

PACKAGE = Path(autograder.__file__).parent
MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if "template" not in path.parts]
# What loads slowly or may be missing: what else is imported inside a function is of the tool itself.
HEAVY = {"IPython", "fcntl", "nbformat", "nbgrader", "openpyxl", "resource", "safetensors", "ssl", "torch"}
MOST = 38  # groups of such imports in the whole tool


def groups(text: str) -> Iterator[tuple[list[ast.stmt], bool]]:
    """The imports in functions that follow one another, and whether a reason is given for them.

    A reason is a comment beside or above them; a `try` or `with` around them that says what is done where
    they fail.
    """
    lines = text.splitlines()
    functions = (
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    blocks = {
        (block[0].lineno, block[0].col_offset): (node, block)
        for function in functions
        for node in ast.walk(function)
        for name in ("body", "orelse", "finalbody")
        if isinstance(block := getattr(node, name, None), list) and block
    }
    for around, block in blocks.values():
        imports = [node for node in block if isinstance(node, ast.Import | ast.ImportFrom)]
        if imports:
            beside = "\n".join(lines[imports[0].lineno - 2 : imports[-1].end_lineno])
            yield imports, "#" in beside or isinstance(around, ast.Try | ast.With)


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    return [node.module] if isinstance(node, ast.ImportFrom) else [item.name for item in node.names]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_an_import_inside_a_function_is_of_something_heavy_and_says_why_it_is_there(path):
    odd = []
    for imports, is_explained in groups(path.read_text(encoding="utf-8")):
        modules = {module.partition(".")[0] for node in imports for module in imported(node)}
        if not is_explained or not modules <= HEAVY | {"autograder"}:
            odd.append("; ".join(map(ast.unparse, imports)))
    assert odd == []


def test_imports_inside_functions_are_few():
    assert sum(len([*groups(path.read_text(encoding="utf-8"))]) for path in MODULES) <= MOST


def named(path: Path) -> str:
    """A module's full name."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {named(path) for path in MODULES}


def modules_in(path: Path) -> Iterator[str]:
    """The modules of the tool that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module in NAMES:
            full = {f"{node.module}.{item.name}" for item in node.names}
            yield from full & NAMES or {node.module}


IMPORTS = {path: {*modules_in(path)} for path in MODULES}


def public_in(room: str) -> set[str]:
    """The modules that a room names as public; all that it has where it names none."""
    return set(getattr(importlib.import_module(room), "__all__", NAMES_IN[room]))


ROOMS = {named(path) for path in MODULES if path.name == "__init__.py"} - {"autograder"}
NAMES_IN = {
    room: {name.rpartition(".")[2] for name in NAMES if name.rpartition(".")[0] == room} for room in ROOMS
}


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_what_is_imported_of_a_room_from_outside_is_named_by_it(room):
    private = [
        f"{named(path)} imports {module}"
        for path in MODULES
        if not f"{named(path)}.".startswith(f"{room}.")
        for module in IMPORTS[path]
        if module.startswith(f"{room}.")
        and module.removeprefix(f"{room}.").partition(".")[0] not in public_in(room)
    ]
    assert private == []


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_what_a_room_names_is_there(room):
    assert public_in(room) - NAMES_IN[room] == set()
