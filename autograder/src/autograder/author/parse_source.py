"""Read one lesson's percent-format file into a notebook whose cells keep their ids."""

from __future__ import annotations

import ast
from copy import deepcopy
from functools import lru_cache
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode

from autograder.records.cell_roles import FOLDED, is_answer
from autograder.records.file_digests import Identity, identity
from autograder.records.parse_cells import parsed

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def read_source(path: Path) -> NotebookNode:
    """Return the lesson as a notebook, solutions and all, with every id from a header lifted into the cell.

    `answer="task"` and `check="task" points=2` become nbgrader's metadata. A cell without an id gets an empty
    one, which `source_lint` refuses. What only imports, asks for a prediction or reveals it is folded.
    """
    notebook = jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent")
    for cell in notebook.cells:
        cell.metadata.update(_nbgrader_metadata(cell))
        explicit = cell.metadata.pop("id", None) or cell.metadata.get("nbgrader", {}).get("grade_id")
        cell["id"] = str(explicit or "")
        if cell.cell_type == "code" and is_machinery(cell):
            cell.metadata.update(deepcopy(FOLDED))
    notebook.metadata = NotebookNode(
        kernelspec=NotebookNode(KERNELSPEC), language_info=NotebookNode(name="python")
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def _nbgrader_metadata(cell: NotebookNode) -> dict[str, NotebookNode]:
    """Return nbgrader's metadata for a cell whose header is short, and take that header's words away.

    A header with nbgrader's own JSON, which older courses have, stays as it is.
    """
    task, check = cell.metadata.pop("answer", None), cell.metadata.pop("check", None)
    if task is None and check is None:
        return {}
    # A question to answer in words has one cell, which a person grades.
    in_words = cell.cell_type == "markdown"
    marks = NotebookNode(
        cell_type=cell.cell_type,
        grade=check is not None or in_words,
        grade_id=check or (task if in_words else f"{task}-answer"),
        locked=task is None,
        schema_version=3,
        solution=task is not None,
        task=False,
    )
    if "points" in cell.metadata:
        marks["points"] = cell.metadata.pop("points")
    return {"nbgrader": marks}


def is_machinery(cell: NotebookNode) -> bool:
    """Tell whether a cell only imports, or is there to ask for a prediction or to show what came of it.

    The code of the last two says what is asked a second time, and what came before anybody has chosen.
    """
    body = parsed(cell.source).body
    if not body or "nbgrader" in cell.metadata:
        return False
    kinds = {type(statement) for statement in body}
    if kinds & {ast.Import, ast.ImportFrom} and kinds <= {ast.Import, ast.ImportFrom, ast.Expr}:
        return isinstance(body[0], ast.Import | ast.ImportFrom)
    match body[-1]:
        case ast.Expr(value=ast.Call(func=ast.Name(id="reveal"))):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id="predict"))):
            return len(body) == 1
    return False


def answers_in(folder: Path, lesson: str, kind: str = "code") -> dict[str, str]:
    """Return the text of a lesson's own answer cells of one kind, by id; none without its source."""
    for path in (folder / f"{lesson}.py", folder / f"{lesson}.ipynb"):
        if path.is_file():
            return dict(_answers(identity(path), kind))
    return {}


@lru_cache(maxsize=32)
def _answers(file: Identity, kind: str) -> dict[str, str]:
    path = file.path
    notebook = read_source(path) if path.suffix == ".py" else nbformat.read(path, as_version=4)
    return {cell["id"]: cell.source for cell in notebook.cells if is_answer(cell) and cell.cell_type == kind}


def predictions(notebook: NotebookNode, call: str = "predict") -> list[str]:
    """Return the ids that a lesson's cells give to `predict`, or to another call, in order."""
    return [
        node.args[0].value
        for cell in notebook.cells
        if cell.cell_type == "code"
        for node in ast.walk(parsed(cell.source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == call
        if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    ]
