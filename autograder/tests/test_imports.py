"""Imports stand at the top of a module; those inside functions are few, and each says why it is there."""

import ast
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
