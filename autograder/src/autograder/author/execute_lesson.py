"""Run a lesson's cells in this process and keep the variables they define.

Used by the build and the audit on the course's own source, never on a learner's code.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from nbformat import NotebookNode
from torch import Tensor

from autograder.lesson.missing_answers import missing_answers
from autograder.probe.learner_code import code_parts
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import Value
from autograder.records.cell_roles import is_answer, is_given, is_test


@contextlib.contextmanager
def unwarned() -> Iterator[None]:
    """Suppress warnings inside the `with` block: a warning about a wrong answer is no news to its author."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@dataclass(frozen=True)
class NamespaceSnapshot:
    """The variables just before an answer cell runs, and the state of torch's random generator."""

    variables: Mapping[str, Any]
    random_state: Tensor

    def run(self, text: str, name: str) -> dict[str, Any]:
        """Run an answer cell with another text from this state, and return the variables after it.

        The snapshot itself does not change.

        Args:
            text: the text of the cell.
            name: the file name for tracebacks.

        Raises:
            Exception: any exception of the text itself.
        """
        with unwarned():
            code = compile(text, name, "exec")
        variables = dict(self.variables)
        for key in {name for part in code_parts(code) for name in part.co_names}:
            value = variables.get(key)
            if isinstance(value, Tensor) and not value.requires_grad:
                variables[key] = value.clone()
        with torch.random.fork_rng(devices=[]), contextlib.redirect_stdout(io.StringIO()), unwarned():
            torch.set_rng_state(self.random_state)
            exec(code, variables)
        return variables


def run_cells(
    notebook: NotebookNode,
    lesson: str,
    givens: Mapping[str, Value] | None = None,
    moments: dict[str, NamespaceSnapshot] | None = None,
) -> dict[str, Any]:
    """Execute every code cell except the tests, and return the namespace.

    Args:
        notebook: the lesson with its solutions, or its release.
        lesson: the lesson's name, for messages.
        givens: values that replace the example data after each `given` cell has run.
        moments: a dictionary to fill with a snapshot before each answer cell, by the cell's id.

    Raises:
        AuthoringError: a cell raised an exception. The message names the cell.
    """
    namespace: dict[str, Any] = {"__name__": "__main__", "display": lambda *values: None}
    for cell in notebook.cells:
        if cell.cell_type != "code" or is_test(cell):
            continue
        name = f"<cell {lesson}/{cell['id']}>"
        if moments is not None and is_answer(cell):
            moments[cell["id"]] = NamespaceSnapshot(dict(namespace), torch.get_rng_state())
        if missing_answers(cell.source, namespace):
            continue
        linecache.cache[name] = (len(cell.source), None, cell.source.splitlines(keepends=True), name)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(cell.source, name, "exec"), namespace)
        except Exception as problem:
            raise AuthoringError([f"cell {cell['id']}: {type(problem).__name__}: {problem}"]) from problem
        if givens is not None and is_given(cell):
            namespace.update(
                {key: value.clone() if isinstance(value, Tensor) else value for key, value in givens.items()}
            )
    return namespace
