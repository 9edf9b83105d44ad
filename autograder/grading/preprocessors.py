"""What `nbgrader autograde` does with a submission here: rebuild it, run it, judge it from outside."""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool

from autograder.build.source import answers_in
from autograder.console import one_line
from autograder.course import Course
from autograder.grading import verdicts
from autograder.grading.batch import runner_for
from autograder.grading.course import Class
from autograder.grading.grade import grade
from autograder.grading.policy import FILE as POLICY
from autograder.grading.policy import Policy
from autograder.grading.rebuild import rebuild, solved
from autograder.grading.releases import earlier, origin
from autograder.grading.runner import NoSandbox, SandboxRunner
from autograder.grading.secret import Banks, Draws, new_word
from autograder.grading.submission import UNREADABLE
from autograder.sandbox import walls
from autograder.sandbox.kernels import UNPROTECTED

Resources = dict[str, Any]
NOTES = "grading_notes"
RUN_SECONDS = 600


class NoSecret(Exception):
    """There are no hidden probes, and the class asks for them."""


class EarlierRelease(Exception):
    """A submission comes from a release whose tasks were others."""


class Rebuild(NbGraderPreprocessor):
    """Put the submission's answers into a fresh copy of the release."""

    def preprocess(self, notebook: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        marks = resources["nbgrader"]
        course = Class(Path(_course_directory(self).root))
        now = course.current(marks["assignment"])
        if origin(notebook, now, earlier(course.banks.course.root, now)) is not now:
            raise EarlierRelease(
                f"{marks['student']}: this comes from an earlier release, whose tasks "
                "were others. `autograder grade` grades it by that."
            )
        rebuilt = rebuild(nbformat.reads(now.text, as_version=4), notebook)
        notes = list(rebuilt.notes)
        unreadable = notebook.metadata.get(UNREADABLE) if isinstance(notebook.metadata, dict) else None
        if unreadable:
            notes = [f"This submission could not be read: {unreadable}. Every task counts as not answered."]
        for note in notes:
            self.log.warning("%s of %s: %s", marks["assignment"], one_line(marks["student"]), one_line(note))
        rebuilt.notebook.metadata[NOTES] = notes
        return rebuilt.notebook, resources


class RunAndJudge(NbGraderPreprocessor):
    """Run a rebuilt submission once for each set of givens, and write the judge's verdicts into it.

    A run only gathers evidence; the points are decided here, in nbgrader's process.
    """

    sandboxed = Bool(
        True,
        help="Run submissions in a sandbox. Without one, a submission runs with your own rights.",
    ).tag(config=True)
    figures = Bool(False, help="Draw the course's own figures, which takes most of a run.").tag(config=True)

    def preprocess(self, notebook: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        marks = resources["nbgrader"]
        banks = Banks.of(Course.find(Path(_course_directory(self).root)))
        name = marks["assignment"]
        note = banks.notes.get(name)
        if note and Policy.read(banks.course.root, banks.course.lessons).require_secret:
            raise NoSecret(f"Nothing was graded, since {POLICY} asks for hidden probes: {note}")
        if note:
            self.log.warning("%s: %s", name, note)
        handed_in = "\0".join(cell.source for cell in notebook.cells).encode()
        drawn = Draws(banks, _word(time.time() // RUN_SECONDS)).of(name, handed_in)
        lesson = banks.lesson(name, drawn)
        notes = tuple(notebook.metadata.pop(NOTES, ()))
        solution = answers_in(_folder(self, "source_directory", marks["assignment"]), marks["notebook"])
        released = _released(self, marks).read_text(encoding="utf-8")
        runner = self._runner(banks)
        known = solved(nbformat.reads(released, as_version=4), solution) if solution else None
        runner.begin(name, known)
        questions = banks.questions(name, drawn)
        graded = grade(notebook, lesson, runner, notes, solution, self.figures, questions)
        release = verdicts.release_id(released)
        which = marks["assignment"], marks["student"]
        with verdicts.opened(marks["db_url"]) as store:
            results = verdicts.results_of(lesson, marks["student"], release, graded)
            store.write(verdicts.Grading(*which, verdicts.now(), {}, graded.notes), results)
        for note in graded.notes[len(notes) :]:
            self.log.warning("%s of %s: %s", marks["assignment"], one_line(marks["student"]), one_line(note))
        return graded.notebook, resources

    def _runner(self, banks: Banks) -> SandboxRunner:
        if not self.sandboxed:
            self.log.warning(UNPROTECTED)
        elif reason := walls.why_not():
            raise NoSandbox(reason)
        return runner_for(banks, self.sandboxed)


@lru_cache(maxsize=1)
def _word(when: float) -> str:
    """The word that questions are drawn by: nbgrader grades one student after the other, and names no run."""
    return new_word()


def _released(step: NbGraderPreprocessor, marks: Resources) -> Path:
    """The release of the notebook that is graded."""
    return _folder(step, "release_directory", marks["assignment"]) / f"{marks['notebook']}.ipynb"


def _folder(step: NbGraderPreprocessor, name: str, assignment: str) -> Path:
    """A lesson's folder among nbgrader's: `name` is the name of a directory in its configuration."""
    coursedir = _course_directory(step)
    return Path(coursedir.format_path(getattr(coursedir, name), ".", assignment))


def _course_directory(step: NbGraderPreprocessor) -> Any:
    return step.parent.coursedir if hasattr(step.parent, "coursedir") else step.parent.parent.coursedir
