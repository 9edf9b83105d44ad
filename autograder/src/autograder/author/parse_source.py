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
    """Return a lesson's percent-format file as a notebook with solutions and with the ids in its headers.

    `answer="task"` and `check="task" points=2` become nbgrader's metadata. A cell without an id gets an empty
    id, which `source_lint` refuses. Cells that only import, ask for a prediction or reveal one are
    collapsed.
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
    """Tell whether a cell only imports, asks for a prediction or reveals one: its code need not be seen.

    The code of a prediction would repeat its question, and the code that reveals it would give the answer
    away.
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
    """Return the text of a lesson's own answer cells, by cell id; nothing if the lesson's source is missing.

    Args:
        folder: the lesson's folder in `source/`.
        lesson: the lesson's name.
        kind: "code" or "markdown", the type of the cells.
    """
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
    """Return the ids in a notebook's calls of `predict`, or of another function, in order.

    Args:
        notebook: the notebook.
        call: the function's name. Its first argument is the id.
    """
    return [
        node.args[0].value
        for cell in notebook.cells
        if cell.cell_type == "code"
        for node in ast.walk(parsed(cell.source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == call
        if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    ]
