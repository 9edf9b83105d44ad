"""What `nbgrader autograde` does with a submission here: rebuild it, run it, judge it from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool

from autograder.grading import secret
from autograder.grading.grade import Runner, grade
from autograder.grading.rebuild import rebuild
from autograder.grading.running import sandbox
from autograder.grading.running.kernels import UNPROTECTED
from autograder.grading.running.runner import NoSandbox, shared_runner
from autograder.grading.submission import UNREADABLE, one_line

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


class RunAndJudge(NbGraderPreprocessor):
    """Run a rebuilt submission once for each set of givens, and write the judge's verdicts into it.

    A run only gathers evidence; the points are decided here, in nbgrader's process.
    """

    sandboxed = Bool(
        True,
        help="Run submissions in a sandbox. Without one, a submission runs with your own rights.",
    ).tag(config=True)

    def preprocess(self, notebook: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        marks = resources["nbgrader"]
        lesson = secret.answers(marks["assignment"]).lesson
        notes = tuple(notebook.metadata.pop(NOTES, ()))
        graded = grade(notebook, lesson, self._runner(), notes)
        for note in graded.notes[len(notes) :]:
            self.log.warning("%s of %s: %s", marks["assignment"], one_line(marks["student"]), one_line(note))
        return graded.notebook, resources

    def _runner(self) -> Runner:
        if not self.sandboxed:
            self.log.warning(UNPROTECTED)
            return shared_runner(sandboxed=False)
        reason = sandbox.why_not()
        if reason:
            raise NoSandbox(reason)
        return shared_runner()
