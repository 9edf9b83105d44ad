"""Define this course's own steps for nbgrader: stubs that say what to define, and tidy solutions.

`nbgrader_config.py` names these classes, so nbgrader's own commands and `autograder build` give the same
result.
"""

from __future__ import annotations

import ast
import os
import tempfile
import textwrap
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions, Execute, NbGraderPreprocessor
from traitlets import Dict, Unicode, default

from autograder.author.answer_edits import faulty_code
from autograder.lesson import progress_store
from autograder.records.cell_roles import OF_RELEASE, RELEASE, STUB_OF, is_answer, release_of, tasks_of
from autograder.words.phrases import N_

# What the first cell says in a kernel that has no checks.
WRONG_KERNEL = N_(
    "This Python does not have the course: choose the kernel in its folder .venv "
    "(in VS Code at the top right), then run this cell again."
)[0]
GUARD = """\
try:
    import autograder
except ModuleNotFoundError:  # the kernel is another Python: there, no cell can show what it is meant to
    get_ipython().set_custom_exc((Exception,), lambda *error, **more: print("{says}"))
    get_ipython().input_transformers_cleanup.append(
        lambda lines: lines if lines[0][0] in "%!" else ["import autograder\\n", *lines]
    )

"""
WIDGET_MIME = "application/vnd.jupyter.widget-view+json"
STUB = "...  # your code here"


class StubSolutions(ClearSolutions):
    """Replace each solution by `...`, which runs without an error, so that "run all cells" reaches the end.

    A solution that begins at the left margin assigns a tensor. Its stub assigns `...` to the same name, so
    that the learner sees which name to define. If the task is to find a bug, the faulty code replaces the
    solution; the source keeps it as comments between BEGIN FAULTY and END FAULTY.
    """

    def _replace_solution_region(self, cell: NotebookNode, language: str) -> bool:
        before: dict[str, str] = self.code_stub  # type: ignore[has-type]
        if cell.cell_type == "code":
            faulty = faulty_code(cell.source)
            self.code_stub = {**before, "python": faulty or stub_for(cell.source)}
            cell.source = without_faulty(cell.source)
        try:
            return bool(super()._replace_solution_region(cell, language))
        finally:
            self.code_stub = before


class MarkRelease(NbGraderPreprocessor):
    """Write its id into a release's metadata, and the stub of each answer cell into the cell's metadata.

    The grader finds the release of a submission by its id. A learner who starts over gets the stub back.
    """

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        notebook.metadata[OF_RELEASE] = {RELEASE: release_of(tasks_of(notebook))}
        keep_stubs(notebook)
        return notebook, resources


class TellWrongKernel(NbGraderPreprocessor):
    """Make the cell that imports the checks name the right kernel, if it runs in a kernel without the checks.

    Every later cell gives the same message and does nothing else: without the checks, it would print a stub.
    """

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        for cell in notebook.cells:
            if cell.cell_type == "code" and "from autograder import" in cell.source:
                if "nbgrader" not in cell.metadata:  # nbgrader guards what it has marked
                    cell.source = GUARD.format(says=WRONG_KERNEL) + cell.source
                break
        return notebook, resources


def keep_stubs(notebook: NotebookNode) -> None:
    """Copy the current text of each answer cell into the cell's metadata."""
    for cell in filter(is_answer, notebook.cells):
        cell.metadata[OF_RELEASE] = {STUB_OF: cell.source}


def stub_for(source: str) -> str:
    """Return the stub for a cell's source: `name = ...` if its solution assigns a name, else `...`."""
    region = solution_region(source)
    first = next((line for line in region if line.strip()), " ")
    if not first.startswith((" ", "\t")):
        for statement in ast.parse(textwrap.dedent("\n".join(region))).body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)]):
                    return f"{name} = {STUB}"
    return STUB


def solution_region(source: str) -> list[str]:
    """Return the lines between BEGIN SOLUTION and END SOLUTION, from every such region of a cell."""
    lines: list[str] = []
    inside = False
    for line in source.splitlines():
        if "BEGIN SOLUTION" in line:
            inside = True
        elif "END SOLUTION" in line:
            inside = False
        elif inside:
            lines.append(line)
    return lines


def without_faulty(source: str) -> str:
    """Return a cell's source without its faulty code."""
    if "BEGIN FAULTY" not in source:
        return source
    before, _, rest = source.partition("### BEGIN FAULTY")
    return before.rstrip() + rest.partition("### END FAULTY")[2]


class ExecuteSolution(Execute):
    """Execute a solution with an empty progress folder, so that the author's own progress is not changed.

    All text that a cell prints becomes one output, even if it arrives in pieces on a busy machine: the same
    source gives the same solution.
    """

    environment = Dict(help="Variables for the kernel, beside this process's own.").tag(config=True)

    @default("coalesce_streams")
    def _one_output_for_each_stream(self) -> bool:
        return True

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any], km: Any = None
    ) -> tuple[NotebookNode, dict[str, Any]]:
        with tempfile.TemporaryDirectory(prefix="progress-") as folder:
            # Given to the kernel, not set here: two solutions may be executed side by side.
            self._variables = {**os.environ, progress_store.PROGRESS: folder, **self.environment}
            executed, resources = super().preprocess(notebook, resources, km)
        return executed, resources

    def start_new_kernel(self, **kwargs: Any) -> None:
        super().start_new_kernel(env=self._variables, **kwargs)


class ShownBefore(NbGraderPreprocessor):
    """Copy the outputs of an earlier solution's cells into this one, instead of running it."""

    solution = Unicode(help="The earlier solution, executed.").tag(config=True)

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        show_again(notebook, nbformat.read(self.solution, as_version=4))
        return notebook, resources


def show_again(notebook: NotebookNode, earlier: NotebookNode) -> None:
    """Copy the outputs of an earlier notebook's code cells to the cells with the same ids."""
    before = {cell["id"]: cell for cell in earlier.cells if cell.cell_type == "code"}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = before[cell["id"]].outputs
            cell.execution_count = before[cell["id"]].execution_count


class TidySolution(NbGraderPreprocessor):
    """Remove solution marks from an executed solution, and widgets whose output also has a picture.

    A widget needs a kernel. A reader on GitHub or of an HTML page sees the picture in the same output.
    """

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        cell.source = "\n".join(
            line
            for line in without_faulty(cell.source).splitlines()
            if "BEGIN SOLUTION" not in line and "END SOLUTION" not in line
        )
        if cell.cell_type == "code":
            for output in cell.outputs:
                data = output.get("data", {})
                if "image/png" in data or "<img " in data.get("text/html", ""):
                    data.pop(WIDGET_MIME, None)
        return cell, resources

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        notebook, resources = super().preprocess(notebook, resources)
        notebook.metadata.pop("widgets", None)
        # The interpreter's own version would make every machine's solutions differ.
        notebook.metadata["language_info"] = NotebookNode(name="python")
        return notebook, resources
