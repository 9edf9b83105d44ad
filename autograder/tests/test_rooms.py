"""The rooms of the package and their functions: what each says of itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import autograder

PACKAGE = Path(autograder.__file__).parent
# What a new course starts from is no part of the package's own.
FILES = [path for path in PACKAGE.rglob("*.py") if "template" not in path.relative_to(PACKAGE).parts]
QUESTIONS = {"How", "What", "When", "Where", "Whether", "Which", "Who", "Whose", "Why"}
ROOMS = sorted({path.parent for path in FILES} - {PACKAGE})


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.relative_to(PACKAGE).as_posix())
def test_a_room_says_what_belongs_there_and_what_does_not(room):
    text = (room / "__init__.py").read_text(encoding="utf-8")
    first, _, rest = text.removeprefix('"""').partition('"""')[0].partition("\n\n")
    assert first.endswith(".")
    assert rest.strip().endswith(".")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_docstring_of_a_function_begins_with_a_question(path):
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]
    asking = {
        function.name
        for function in functions
        if (ast.get_docstring(function) or " ").split(" ")[0] in QUESTIONS
    }
    assert asking == set()
