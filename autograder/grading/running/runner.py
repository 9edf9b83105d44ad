"""Run a submission's notebooks: in a sandbox whose process stays warm, or in Jupyter kernels."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Protocol

from nbformat import NotebookNode

from autograder.bank import AS_SEEN
from autograder.build.source import is_test
from autograder.grading.running.execute import Executed, execute
from autograder.grading.running.gallery import Gallery
from autograder.grading.running.kernels import Kernels
from autograder.grading.running.limits import Limits
from autograder.grading.running.workers import Worker
from autograder.learner import RUN

LIMITS = Limits()
# One for all of this process's sandboxes: most of a class describes the same pictures.
GALLERY = Gallery()


class Runner(Protocol):
    """Runs a notebook with the givens of a run ("as-seen", "redrawn-1", …) in the environment of that run.

    Of a `quiet` run, only what the tasks' checks put out is kept.
    """

    def __call__(self, notebook: NotebookNode, run: str, /, *, quiet: bool = False) -> Executed: ...


class NoSandbox(Exception):
    """Submissions cannot be shut in on this machine."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"Submissions are not run without a sandbox, and there is none: {reason}. To run them anyway, "
            "with your own rights: `autograder grade --no-sandbox`, or c.RunAndJudge.sandboxed = False in "
            "nbgrader_config.py for `nbgrader autograde`."
        )


class Asking(Protocol):
    """What can write the questions of lessons, and their course's `course.toml`, into a folder."""

    def write_questions(self, folder: Path, /) -> None: ...


class SandboxRunner:
    """Runs notebooks in a sandbox of its own; to be closed."""

    _kind: type[Worker] | type[Kernels] = Worker
    _gallery: Gallery | None = GALLERY

    def __init__(self, banks: Asking, limits: Limits | None = None) -> None:
        self._questions = tempfile.TemporaryDirectory(prefix="questions-")
        self._limits = limits or LIMITS
        banks.write_questions(Path(self._questions.name))
        self._worker = self._kind(Path(self._questions.name), self._limits)
        self.closed = False

    def __call__(self, notebook: NotebookNode, run: str, /, *, quiet: bool = False) -> Executed:
        # Of a run with other givens only the evidence is kept.
        everything = run == AS_SEEN and not quiet
        heard = None if everything else [cell["id"] for cell in notebook.cells if is_test(cell)]
        return execute(self._worker, notebook, {RUN: run}, self._limits, self._gallery, heard)

    def close(self) -> None:
        self.closed = True
        self._worker.close(for_good=True)
        self._questions.cleanup()


class KernelRunner(SandboxRunner):
    """Runs notebooks in Jupyter kernels, with the grader's own rights; to be closed."""

    _kind = Kernels
    _gallery = None  # a kernel draws its pictures itself
