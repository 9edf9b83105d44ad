"""What `nbgrader autograde` does with a submission here: rebuild it, run it, judge it from outside."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import nbformat
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbgrader.preprocessors import Execute, NbGraderPreprocessor
from nbgrader.preprocessors.execute import UnresponsiveKernelError
from nbgrader.utils import setenv
from traitlets import Bool

from autograder import records
from autograder.grading import secret
from autograder.grading.grade import Runner, grade
from autograder.grading.rebuild import rebuild
from autograder.grading.running import sandbox
from autograder.grading.running.execute import Executed
from autograder.grading.running.runner import NoSandbox, shared_runner
from autograder.grading.submission import UNREADABLE, one_line
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
            self.log.warning("%s of %s: %s", marks["assignment"], one_line(marks["student"]), one_line(note))
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

    A run only gathers evidence; the points are decided here, in nbgrader's process.
    """

    sandboxed = Bool(
        True,
        help="Run submissions in a sandbox. Without one, a submission runs with your own rights.",
    ).tag(config=True)

    _running = ""  # the id of the cell that was started last

    def preprocess(
        self, notebook: NotebookNode, resources: Resources, km: Any = None
    ) -> tuple[NotebookNode, Resources]:
        marks = resources["nbgrader"]
        lesson = secret.answers(marks["assignment"]).lesson
        notes = tuple(notebook.metadata.pop(NOTES, ()))
        run = self._in_sandbox() if self.sandboxed else partial(self._in_kernel, resources)
        graded = grade(notebook, lesson, run, notes)
        for note in graded.notes[len(notes) :]:
            self.log.warning("%s of %s: %s", marks["assignment"], one_line(marks["student"]), one_line(note))
        return graded.notebook, resources

    def _in_sandbox(self) -> Runner:
        reason = sandbox.why_not()
        if reason:
            raise NoSandbox(reason)
        return shared_runner()

    def _in_kernel(self, resources: Resources, notebook: NotebookNode, run: str) -> Executed:
        # A manager that belonged to a kernel which died cannot start another.
        self.km = None
        self.kc = None
        try:
            with setenv(**{RUN: run, records.PLACE: "off"}):
                executed, _ = super().preprocess(notebook, resources)
            return Executed(executed)
        except DeadKernelError:
            return Executed(notebook, gave_up=f"the kernel died in the cell {self._running}")
        except (CellTimeoutError, UnresponsiveKernelError):
            reason = f"it did not stop within {self.timeout} seconds in the cell {self._running}"
            return Executed(notebook, gave_up=reason)

    def preprocess_cell(
        self, cell: NotebookNode, resources: Resources, index: int
    ) -> tuple[NotebookNode, Resources]:
        self._running = cell["id"]
        return super().preprocess_cell(cell, resources, index)
