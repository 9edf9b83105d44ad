"""Where a grader gets its sandboxed runs from: one warm process for as long as the grader itself lives."""

from __future__ import annotations

import atexit
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from nbformat import NotebookNode

from autograder import bank
from autograder.bank import AS_SEEN
from autograder.build.source import is_test
from autograder.grading import secret
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


def write_questions(folder: Path) -> None:
    """Write every lesson's questions, without answers, where a sandbox can show them."""
    for lesson in dict.fromkeys(bank.index().values()):
        bank.save(bank.without_answers(secret.answers(lesson).lesson), folder)


class SandboxRunner:
    """Runs notebooks in a sandbox of its own; to be closed."""

    _kind: type[Worker] | type[Kernels] = Worker
    _gallery: Gallery | None = GALLERY

    def __init__(self, limits: Limits | None = None) -> None:
        self._questions = tempfile.TemporaryDirectory(prefix="questions-")
        self._limits = limits or LIMITS
        write_questions(Path(self._questions.name))
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


@lru_cache(maxsize=2)
def shared_runner(sandboxed: bool = True) -> SandboxRunner:
    """This process's runner, made with the first submission and closed when the process ends."""
    runner = SandboxRunner() if sandboxed else KernelRunner()
    atexit.register(runner.close)
    return runner
