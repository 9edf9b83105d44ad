"""The steps of `nbgrader autograde`: a submission is read, rebuilt, run, and judged in nbgrader's process."""

from __future__ import annotations

import glob
import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode, from_dict
from nbgrader.api import MissingEntry
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool
from traitlets.config import Config

from autograder.grading import graded_results
from autograder.grading.class_folder import KEY, STAMP, Class
from autograder.grading.grade_submission import grade_plain, rebuild_plain
from autograder.grading.gradebook_writer import GradebookWriter, gradebook_lock, remove
from autograder.grading.grading_banks import HiddenTestSampler
from autograder.grading.job_scheduling import GradeJob, NoSandbox
from autograder.grading.late_policy import FILE as POLICY
from autograder.grading.read_submission import beside, moment, read_plain
from autograder.grading.reader_processes import GRADING, READING, run_limited
from autograder.grading.releases import earlier, ids_in, origin
from autograder.grading.sandbox import bubblewrap
from autograder.grading.sandbox.jupyter_kernels import UNPROTECTED
from autograder.records.cell_roles import claimed_release
from autograder.words.sanitize import one_line

Resources = dict[str, Any]
# How long to wait for another `nbgrader autograde` that asks the same at the same moment.
MOMENT_SECONDS = 2.0
NOTES = "grading_notes"


class EarlierRelease(Exception):
    """A submission belongs to an earlier release with other tasks."""


class SubmittedDirectory(CourseDirectory):
    """nbgrader's course directory, which reads only the first bytes of the files beside a notebook.

    It copies none of these files, since a sparse file can be of any size.
    """

    @classmethod
    def like(cls, other: CourseDirectory) -> SubmittedDirectory:
        """Return a directory with the settings of another one."""
        copy = cls(config=other.config)
        for name in other.trait_names(config=True):
            setattr(copy, name, getattr(other, name))
        folder = glob.escape(str(Path(copy.root, copy.submitted_directory)))
        copy.ignore = [*copy.ignore, f"{folder}/*/*/*", f"{folder}/*/*/.*"]
        return copy

    def get_existing_timestamp(self, dest_path: str) -> datetime | None:
        return moment(beside(Path(dest_path, STAMP)))


class SubmissionExporter(NotebookExporter):
    """nbconvert's notebook exporter, which also accepts files that are not notebooks.

    nbgrader creates one for each run; it has the data that all submissions of the run share.
    """

    def __init__(self, config: Config | None = None, **kw: Any) -> None:
        super().__init__(config=config, **kw)
        if hasattr(self.parent, "coursedir"):
            self.parent.coursedir = SubmittedDirectory.like(self.parent.coursedir)
            if problem := self._problem():  # once, before nbgrader removes what was graded
                self.log.error(problem)
                raise NbGraderException(problem)
            self._know()

    def _problem(self) -> str:
        """Say why nothing can be graded here; empty where it can."""
        lesson, course = self.parent.coursedir.assignment_id, self.course
        note = course.banks.notes.get(lesson) if lesson in course.lessons else ""
        if note and course.policy.require_secret:
            return f"Nothing was graded, since {POLICY} asks for hidden probes: {note}"
        reason = bubblewrap.why_not() if RunAndJudge(parent=self).sandboxed else ""
        return str(NoSandbox(reason)) if reason else ""

    def _know(self) -> None:
        """Have the gradebook know the lesson that is released, though nobody has made the release here."""
        lesson, database = self.parent.coursedir.assignment_id, self.parent.coursedir.db_url
        if lesson in self.course.lessons and database == self.course.database:
            root = self.course.banks.course.root
            with gradebook_lock(database, root, MOMENT_SECONDS), GradebookWriter(self.course) as book:
                with suppress(MissingEntry):
                    if book.nbgrader.find_assignment(lesson).notebooks:
                        return
                book.enter_lesson(lesson)

    @cached_property
    def course(self) -> Class:
        """The class that nbgrader grades."""
        return Class(Path(self.parent.coursedir.root))

    @cached_property
    def draws(self) -> HiddenTestSampler:
        """The sampler that draws the hidden probes of this run."""
        return HiddenTestSampler(self.course.banks)

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        with_metadata = resources or {}
        with_metadata.setdefault("metadata", {}).update(
            {"name": Path(filename).stem, "path": str(Path(filename).parent)}
        )
        # nbgrader reads twice: what was handed in, then what `Rebuild` made of it.
        is_first = not getattr(self.parent, "_sanitizing", True)
        if is_first:
            notebook = nbformat.read(filename, as_version=4)
        else:
            notebook = from_dict(json.loads(run_limited(READING, read_plain, Path(filename))))
        text, resources_out = self.from_notebook_node(notebook, resources=with_metadata, **kw)
        return text, resources_out


class _Step(NbGraderPreprocessor):
    parent: SubmissionExporter

    def _tell(self, marks: Resources, notes: Iterable[str]) -> None:
        for note in notes:
            self.log.warning("%s of %s: %s", marks["assignment"], one_line(marks["student"]), one_line(note))


class Rebuild(_Step):
    """The step that puts a submission's answers into a new copy of the release."""

    def preprocess(self, notebook: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        marks = resources["nbgrader"]
        course = self.parent.course
        with gradebook_lock(marks["db_url"], course.banks.course.root, MOMENT_SECONDS):
            pass  # `autograder grade` is not at work; nbgrader's own runs get along with each other
        now = course.current(marks["assignment"])
        if origin(ids_in(notebook), claimed_release(notebook), now, earlier(now)) is not now:
            raise EarlierRelease(
                f"{marks['student']}: this comes from an earlier release, whose tasks "
                "were others. `autograder grade` grades it by that."
            )
        translations = course.translated_releases(marks["assignment"])
        text, notes = run_limited(READING, rebuild_plain, now.text, translations, json.dumps(notebook))
        self._tell(marks, notes)
        rebuilt = from_dict(json.loads(text))
        rebuilt.metadata[NOTES] = notes
        self._keep_beside(course, marks["student"], marks["assignment"])
        return rebuilt, resources

    def _keep_beside(self, course: Class, student: str, lesson: str) -> None:
        """Have what the exchange put beside a notebook lie beside the graded one, as nbgrader's copy would.

        Not before it is graded: by its time, nbgrader tells whether something newer was handed in.
        """
        there, graded = course.directory.submitted_directory, course.directory.autograded_directory
        for name in (STAMP, KEY):
            copy = course.place(graded, student, lesson) / name
            remove(copy)
            if text := beside(course.place(there, student, lesson) / name):
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(text, encoding="utf-8")


class RunAndJudge(_Step):
    """The step that runs a rebuilt submission with each set of givens, and writes the verdicts into it.

    A run only collects evidence; the points are decided here, in nbgrader's process.
    """

    sandboxed = Bool(
        True,
        help="Run submissions in a sandbox. Without one, a submission runs with your own rights.",
    ).tag(config=True)
    figures = Bool(False, help="Draw the course's own figures, which takes most of a run.").tag(config=True)

    def preprocess(self, notebook: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        marks = resources["nbgrader"]
        course, name = self.parent.course, marks["assignment"]
        note = course.banks.notes.get(name)
        if note:
            self.log.warning("%s: %s", name, note)
        if not self.sandboxed:
            self.log.warning(UNPROTECTED)
        handed_in = "\0".join(cell.source for cell in notebook.cells).encode()
        drawn = self.parent.draws.of(name, handed_in)
        notes = tuple(notebook.metadata.pop(NOTES, ()))
        now, which = course.current(name), (name, marks["student"])
        job = GradeJob(
            *which,
            now.text,
            b"",
            now.banks,
            sandboxed=self.sandboxed,
            solution=now.solution,
            figures=self.figures,
            drawn=drawn,
            translations=course.translated_releases(name),
        )
        result = run_limited(GRADING, grade_plain, job, json.dumps(notebook), notes)
        with graded_results.opened(marks["db_url"]) as store:
            store.write(graded_results.Grading(*which, graded_results.now(), {}, result.notes), result.tasks)
        self._tell(marks, result.notes[len(notes) :])
        return from_dict(json.loads(result.notebook)), resources
