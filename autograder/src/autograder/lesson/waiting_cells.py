"""Cells that wait for a learner's answers: their first line is a comment such as `# needs share, table`.

While one of these names is missing or still a stub, the cell is skipped, and a sentence says so. So a
lesson's own cells need not test whether an answer exists, and running all cells of an untouched lesson raises
no error.
"""

from __future__ import annotations

import ast
import contextlib
from typing import Any

from autograder.lesson import interactive_session
from autograder.lesson.check_calls import find_course
from autograder.lesson.missing_answers import missing_answers
from autograder.records.authoring_errors import UserError
from autograder.words.language import _


def watch() -> None:
    """Skip waiting cells from the next cell on, if this code runs in a notebook."""
    shell = interactive_session.shell()
    if shell is not None and not any(isinstance(rewriter, _Waiting) for rewriter in shell.ast_transformers):
        waiting = _Waiting(shell)
        shell.events.register("pre_run_cell", waiting.before)
        shell.ast_transformers.append(waiting)


class _Waiting:
    """Knows what the cell that is about to be compiled waits for."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self._missing: list[str] = []

    def before(self, info: Any) -> None:
        """Record which of the names that a cell needs are missing."""
        self._missing = missing_answers(info.raw_cell, self.shell.user_ns)

    def visit(self, cell: ast.Module) -> ast.Module:
        """Return the cell, or an empty one while it waits; IPython calls this."""
        missing, self._missing = self._missing, []
        if missing:
            with contextlib.suppress(UserError):
                find_course()  # its language is spoken from now on
            print(_("Skipped: this cell needs {names}.", names=", ".join(f"`{name}`" for name in missing)))
            cell.body.clear()
        return cell
