"""nbgrader's steps where this course needs its own: stubs that say what to make, and clean solutions.

`nbgrader_config.py` names these, so nbgrader's own commands and `autograder build` do the same.
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
except ModuleNotFoundError:  # the kernel is another Python: there, no error has anything to say
    get_ipython().set_custom_exc((Exception,), lambda *error, **more: print("{says}"))

"""
WIDGET_MIME = "application/vnd.jupyter.widget-view+json"
STUB = "...  # your code here"


class StubSolutions(ClearSolutions):
    """Replace solutions by `...`, which runs without an error, so that "run all cells" reaches the end.

    A solution that stands at the left margin assigns a tensor: its stub assigns `...` to the same name, so
    that the learner sees what to define. Where a task is to find a bug, the faulty code takes the place of
    the solution: it stands in the source as comments, between BEGIN FAULTY and END FAULTY.
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
    """Write into a released notebook which release it is, and into each answer's cell its stub.

    What comes back is graded by the first. The second is what a learner who starts over goes back to.
    """

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        notebook.metadata[OF_RELEASE] = {RELEASE: release_of(tasks_of(notebook))}
        keep_stubs(notebook)
        return notebook, resources


class TellWrongKernel(NbGraderPreprocessor):
    """Have the cell that imports the checks say which kernel to choose, in one that has none of them.

    Whatever stops there, or in a later cell, says the same, since the cause is the same.
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
    """Keep the text of each answer's cell, as it is now, in the cell's metadata."""
    for cell in filter(is_answer, notebook.cells):
        cell.metadata[OF_RELEASE] = {STUB_OF: cell.source}


def stub_for(source: str) -> str:
    """Return the stub for a solution region: `...`, or `name = ...` where the region assigns a name."""
    region = solution_region(source)
    first = next((line for line in region if line.strip()), " ")
    if not first.startswith((" ", "\t")):
        for statement in ast.parse(textwrap.dedent("\n".join(region))).body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)]):
                    return f"{name} = {STUB}"
    return STUB


def solution_region(source: str) -> list[str]:
    """Return the lines between BEGIN SOLUTION and END SOLUTION; of all regions where there are several."""
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
    """Return the cell without its faulty code."""
    if "BEGIN FAULTY" not in source:
        return source
    before, _, rest = source.partition("### BEGIN FAULTY")
    return before.rstrip() + rest.partition("### END FAULTY")[2]


class ExecuteSolution(Execute):
    """Execute a solution with an empty progress folder, so that the author's own progress stays as it is.

    What a cell prints is one output, however a busy machine cut it on its way: the same source gives the same
    solution.
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
    """Have the cells of a solution show what they showed in an earlier one, without running them."""

    solution = Unicode(help="The earlier solution, executed.").tag(config=True)

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        show_again(notebook, nbformat.read(self.solution, as_version=4))
        return notebook, resources


def show_again(notebook: NotebookNode, earlier: NotebookNode) -> None:
    """Put what the cells of an earlier notebook showed into the cells of the same ids."""
    before = {cell["id"]: cell for cell in earlier.cells if cell.cell_type == "code"}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = before[cell["id"]].outputs
            cell.execution_count = before[cell["id"]].execution_count


class TidySolution(NbGraderPreprocessor):
    """After a solution was executed: drop the solution marks, and widgets that have a picture beside them.

    A widget needs a kernel. The picture in the same output is what a reader on GitHub or in HTML sees.
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
