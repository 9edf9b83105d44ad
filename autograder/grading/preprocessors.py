"""What `nbgrader autograde` does with a submission here: rebuild it, run it, judge it from outside."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbgrader.preprocessors import Execute, NbGraderPreprocessor
from nbgrader.preprocessors.execute import UnresponsiveKernelError
from nbgrader.utils import setenv

from autograder import bank as bank_files
from autograder import records
from autograder.bank import AS_SEEN
from autograder.build.source import is_test
from autograder.grading.evidence import bound_outputs, judge_notebook, show_verdict
from autograder.grading.rebuild import rebuild, with_explanation, with_givens
from autograder.grading.submission import UNREADABLE
from autograder.learner import RUN

Resources = dict[str, Any]
NOTES = "grading_notes"


class Rebuild(NbGraderPreprocessor):
    """Put the submission's answers into a fresh copy of the release."""

    def preprocess(self, notebook: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        marks = resources["nbgrader"]
        release = nbformat.read(self._release(marks["assignment"], marks["notebook"]), as_version=4)
        rebuilt = rebuild(release, notebook)
        notes = list(rebuilt.notes)
        unreadable = notebook.metadata.get(UNREADABLE) if isinstance(notebook.metadata, dict) else None
        if unreadable:
            notes = [f"This submission could not be read: {unreadable}. Every task counts as not answered."]
        for note in notes:
            self.log.warning("%s of %s: %s", marks["assignment"], marks["student"], note)
        rebuilt.notebook.metadata[NOTES] = notes
        return rebuilt.notebook, resources

    def _release(self, assignment: str, notebook: str) -> Path:
        coursedir = (
            self.parent.coursedir if hasattr(self.parent, "coursedir") else self.parent.parent.coursedir
        )
        folder = coursedir.format_path(coursedir.release_directory, ".", assignment)
        return Path(folder) / f"{notebook}.ipynb"


class RunAndJudge(Execute):
    """Run a rebuilt submission once for each set of givens, and write the judge's verdicts into it.

    The kernel only gathers evidence; the points are decided here, in nbgrader's process.
    """

    _running = ""  # the id of the cell that was started last

    def preprocess(
        self, notebook: NotebookNode, resources: Resources, km: Any = None
    ) -> tuple[NotebookNode, Resources]:
        lesson = bank_files.load(resources["nbgrader"]["assignment"])
        untouched = deepcopy(notebook)
        executed, stopped = self._run(notebook, resources, AS_SEEN)
        redrawn = {}
        for run, givens in lesson.givens.items():
            if run != AS_SEEN:
                redrawn[run], _ = self._run(with_givens(untouched, givens), resources, run)
        verdicts = judge_notebook(lesson, executed, redrawn, stopped)
        bound_outputs(executed)
        for cell in executed.cells:
            if is_test(cell) and cell["id"] in verdicts:
                show_verdict(cell, lesson.tasks[cell["id"]], verdicts[cell["id"]])
        notes = list(executed.metadata.pop(NOTES, []))
        if stopped:
            notes.append(f"The notebook did not run to its end: {stopped}.")
            self.log.warning("%s: %s", resources["nbgrader"]["student"], notes[-1])
        if notes:
            with_explanation(executed, notes)
        return executed, resources

    def _run(self, notebook: NotebookNode, resources: Resources, run: str) -> tuple[NotebookNode, str]:
        """The executed notebook, and why it stopped early where it did."""
        # A manager that belonged to a kernel which died cannot start another.
        self.km = None
        self.kc = None
        try:
            with setenv(**{RUN: run, records.PLACE: "off"}):
                executed, _ = super().preprocess(notebook, resources)
            return executed, ""
        except DeadKernelError:
            return notebook, f"the kernel died in the cell {self._running}"
        except (CellTimeoutError, UnresponsiveKernelError):
            return notebook, f"it did not stop within {self.timeout} seconds in the cell {self._running}"

    def preprocess_cell(
        self, cell: NotebookNode, resources: Resources, index: int
    ) -> tuple[NotebookNode, Resources]:
        self._running = cell["id"]
        return super().preprocess_cell(cell, resources, index)
