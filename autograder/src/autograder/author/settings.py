"""Configure nbgrader for a course of this tool. A course's `nbgrader_config.py` calls `configure`.

The classes that are named here are documented where they are defined: in `autograder.author.preprocessors`
and in `autograder.grading`.
"""

from __future__ import annotations

from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from traitlets.config import Config, ConfigFileNotFound, PyFileConfigLoader

from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course

# The file that holds them.
CONFIG = "nbgrader_config.py"
# Whether the tool itself reads them, and none of nbgrader's programs.
_OWN: ContextVar[bool] = ContextVar("own", default=False)


def read(root: Path) -> Config:
    """Return nbgrader's settings from a course's folder.

    Raises:
        AuthoringError: the folder has no `nbgrader_config.py`.
    """
    token = _OWN.set(True)
    try:
        return PyFileConfigLoader(CONFIG, path=str(root)).load_config()
    except ConfigFileNotFound:
        raise AuthoringError([f"There is no {CONFIG} beside {root / 'course.toml'}."]) from None
    finally:
        _OWN.reset(token)


def configure(c: Any, file: str) -> None:
    """Set up nbgrader, in place, to use the course's folders and this tool's grading.

    Args:
        c: nbgrader's configuration.
        file: the path of the course's `nbgrader_config.py`, which is in the same folder as its `course.toml`.
    """
    # The folder in which this file is named: a class may link to the file of another one.
    root = Path(file).absolute().parent
    course = Course.read(root)
    if not _OWN.get():
        _write_sources(course)
    c.CourseDirectory.course_id = course.name
    c.CourseDirectory.source_directory = "source"
    c.CourseDirectory.release_directory = "notebooks"
    c.CourseDirectory.solution_directory = "solutions"
    # A lesson's folder holds its source, its tasks and what was read, answers and all: never copy these
    # beside a notebook.
    c.CourseDirectory.ignore = ["*.py", "*.pyc", "*.toml", "__pycache__", ".ipynb_checkpoints"]
    _set_release_steps(c)
    _set_grading_steps(c, root)
    _set_running(c)


def _set_release_steps(c: Any) -> None:
    """Set what makes the released notebook and the solved one."""
    c.ClearSolutions.code_stub = {"python": "...  # your code here"}
    c.ClearSolutions.text_stub = "*Write your answer here.*"

    c.GenerateAssignment.preprocessors = [
        "nbgrader.preprocessors.LockCells",
        "autograder.author.preprocessors.StubSolutions",
        "nbgrader.preprocessors.ClearOutput",
        "nbgrader.preprocessors.CheckCellMetadata",
        "nbgrader.preprocessors.ComputeChecksums",
        "autograder.grading.gradebook_task_changes.MoveCells",
        "nbgrader.preprocessors.ClearHiddenTests",
        "nbgrader.preprocessors.ClearMarkScheme",
        "nbgrader.preprocessors.ComputeChecksums",
        "nbgrader.preprocessors.CheckCellMetadata",
        "autograder.author.preprocessors.MarkRelease",
        "autograder.author.preprocessors.TellWrongKernel",
    ]
    c.GenerateAssignment.exporter_class = "autograder.author.nbgrader_generate.ReleaseExporter"
    c.GenerateSolution.preprocessors = [
        "nbgrader.preprocessors.LockCells",
        "nbgrader.preprocessors.ClearOutput",
        "nbgrader.preprocessors.ClearMarkScheme",
        "autograder.author.preprocessors.ExecuteSolution",
        "autograder.author.preprocessors.TidySolution",
    ]
    # notebooks/ and solutions/ are committed: make them anew instead of skipping what is there.
    c.GenerateAssignment.force = True
    c.GenerateSolution.force = True


def _set_grading_steps(c: Any, root: Path) -> None:
    """Set what grades a submission, and what shows it to students and to the formgrader."""
    # A submission's answers are put into a fresh copy of the release, run, and judged outside the kernel.
    c.Autograde.exporter_class = "autograder.grading.nbgrader_autograde.SubmissionExporter"
    c.Autograde.sanitize_preprocessors = ["autograder.grading.nbgrader_autograde.Rebuild"]
    c.Autograde.autograde_preprocessors = [
        "autograder.grading.nbgrader_autograde.RunAndJudge",
        "nbgrader.preprocessors.LimitOutput",
        "nbgrader.preprocessors.SaveAutoGrades",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    c.AssignLatePenalties.plugin_class = "autograder.grading.late_policy.LatePenalty"
    c.LatePenalty.root = str(root)
    # Feedback and the formgrader show what strangers wrote: it must not act in the reader's browser.
    c.GenerateFeedback.exporter_class = "autograder.grading.feedback_page.FeedbackExporter"
    c.FeedbackExporter.root = str(root)
    c.HTMLExporter.preprocessors = [
        "autograder.grading.sanitize_html.SafeOutputs",
        "autograder.grading.sanitize_html.MarkingScheme",
    ]
    c.MarkingScheme.source = str(root / "source")
    c.HTMLExporter.filters = {"markdown2html": "autograder.grading.sanitize_html.markdown2html"}


def _set_running(c: Any) -> None:
    """Set how notebooks are executed."""
    c.Execute.timeout = 120  # the first cell imports torch, which takes long on a busy machine
    c.ExecuteSolution.timeout = 600  # a lesson may train something, on a busy machine too
    for step in (c.Execute, c.ExecuteSolution):
        step.iopub_timeout = 60  # of 4 s, a busy machine needs more
    c.Execute.record_timing = False
    # A kernel on this machine warns about a network that it does not use.
    c.Execute.extra_arguments = ["--IPKernelApp.log_level=40"]


def _write_sources(course: Course) -> None:
    """Write the notebooks that nbgrader makes releases of, where a lesson is newer than its own."""
    for lesson in course.lessons:
        text, notebook = (course.source / lesson / f"{lesson}{ending}" for ending in (".py", ".ipynb"))
        with suppress(OSError):  # a folder that may only be read is graded all the same
            if not text.is_file() or (
                notebook.is_file() and notebook.stat().st_mtime >= text.stat().st_mtime
            ):
                continue
            # Where all is there, nbgrader's programs start without what these import.
            from autograder.author.nbgrader_generate import write_notebook
            from autograder.author.parse_source import read_source

            release = read_source(text)
            release.metadata.update({platform: dict(marks) for platform, marks in course.notebook.items()})
            write_notebook(release, notebook)
