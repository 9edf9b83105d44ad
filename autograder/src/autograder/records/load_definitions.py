"""The loading of a course's Python files, which define tasks, mistakes and additions to the tool."""

from __future__ import annotations

import ast
import importlib.util
from importlib.machinery import SourceFileLoader
from pathlib import Path
from traceback import extract_tb
from types import CodeType
from typing import Any

from autograder.records.authoring_errors import AuthoringError


class _AsItStands(SourceFileLoader):
    """Compiles a file each time: what Python keeps of it is known by size and whole seconds alone."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def defined_by(path: Path, name: str) -> dict[str, Any]:
    """Run a file as a module of that name, and return the names that it defines, with their values.

    Raises:
        AuthoringError: the file is missing or fails.
    """
    spec = importlib.util.spec_from_file_location(name, path, loader=_AsItStands(name, str(path)))
    if spec is None or spec.loader is None or not path.is_file():
        raise AuthoringError([f"{path.parent.name}: there is no {path.name}"])
    module = importlib.util.module_from_spec(spec)
    where = f"{path.parent.name}/{path.name}"
    try:
        spec.loader.exec_module(module)
    except AuthoringError as problem:
        at = _at(path, problem)
        raise AuthoringError([f"{where}, {at}: {part}" for part in problem.problems]) from problem
    except Exception as problem:
        raise AuthoringError([f"{where}: {type(problem).__name__}: {problem}"]) from problem
    return vars(module)


def _at(path: Path, problem: BaseException) -> str:
    """Return the line of a file at which it failed, and the task or the name that it defines there."""
    lines = [frame.lineno for frame in extract_tb(problem.__traceback__) if frame.filename == str(path)]
    outer, inner = lines[0] or 0, lines[-1]
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and statement.lineno <= outer <= (statement.end_lineno or 0):
            words = [node for node in ast.walk(statement) if isinstance(node, ast.keyword)]
            ids = [ast.literal_eval(node.value) for node in words if node.arg == "id"]
            return f"line {inner}, {f'task {ids[0]}' if ids else ast.unparse(statement.targets[0])}"
    return f"line {inner}"
