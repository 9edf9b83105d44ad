"""The runners of submissions' notebooks: a sandbox with a process that is kept ready, or Jupyter kernels."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from nbformat import NotebookNode

from autograder.grading import job_scheduling
from autograder.grading.grading_banks import NONE, Banks, Files
from autograder.grading.hidden_tests.secret import OWN_FOLDER
from autograder.grading.rebuild_submission import only_needed
from autograder.grading.sandbox.bubblewrap import INSIDE, PACKAGE, Inside
from autograder.grading.sandbox.execute_notebook import Executed, RunIncomplete, execute
from autograder.grading.sandbox.jupyter_kernels import Kernels
from autograder.grading.sandbox.resource_limits import Budget, Limits
from autograder.grading.sandbox.sandbox_client import Job, SandboxFailed, Worker
from autograder.lesson import progress_store
from autograder.lesson.check_calls import EXECUTION, RUN, UNEXAMINED
from autograder.lesson.shadowed_names import COURSE_CELLS, bound_for_all, described
from autograder.lesson.stand_in_answers import sealed
from autograder.records.bank import AS_SEEN, classes_made
from autograder.records.cell_roles import STANDS_IN, copied, is_learners, is_test
from autograder.records.course import PACKED, installed

# A cell may take so many seconds where the course names no other number. Notes and findings name it, so it
# must not change with the load: only where all of the course's own solution takes more than a part of it, as
# on a slow machine, does it grow, in wide steps.
CELL_SECONDS, PART, STEP = 3, 1 / 3, 3
# All cells of a run may take so many times that, and all runs of a submission so many times as long as one.
CELLS, RUNS = 10, 2
# The order in which a set of texts is gone through must be the same in each of the grader's processes.
ENVIRONMENT = {EXECUTION: "autograde", progress_store.PROGRESS: "off", "PYTHONHASHSEED": "0"}
# What notebooks import beside the course's own, and what checks, results and figures load as they go.
PRELOAD = (
    "import torch\ntorch.set_num_threads(1)",  # threads do not survive a fork: none may be started before it
    "import numpy.random, torch.testing",
    # Optimizers load it at their first step, and so does work on `meta`; a seed reads what code led to it.
    "from autograder.torch_internals import load_compiler\nload_compiler()\ntorch.manual_seed(0)",
    "from autograder import check, hint, progress",
    "from autograder.grading.sandbox_preload import try_all_checks\ntry_all_checks()",
    # What shows a figure and a result is loaded with the first of them. Not every course draws.
    "from contextlib import suppress\nwith suppress(ImportError):\n"
    "    import matplotlib.pyplot as plt\n    plt.plot([1, 2])\nimport torch\ntorch.ones(2)",
)
QUESTIONS = "questions"
# A user that no system has: what runs as this one is nobody else's.
NOBODYS = 64_999
EMPTY: Mapping[str, str] = MappingProxyType({})
# What was drawn for a submission is read before its own code can have a hand in that.
READ = "autograder.grading.sandbox_preload:read_questions"
# What a task forbids is told before it happens: what lies beside a learner's code could not be believed.
WITNESS = "autograder.probe.forbidden_calls:witness"


class Runner(Protocol):
    """A function that runs a notebook with one set of givens ("as-seen", "redrawn-1", …).

    A `quiet` run keeps only the outputs of the tasks' checks, and tries no general experiments. Cells in
    `stopped`, which an earlier run had to stop, are not run again. `questions` are a bank's files that the
    checks read in place of the public ones. Code in a `confined` run cannot send data away; only there may
    the course's answers run beside a learner's code.
    """

    confined: bool

    def __call__(
        self,
        notebook: NotebookNode,
        run: str,
        /,
        *,
        quiet: bool = False,
        stopped: Mapping[str, str] = EMPTY,
        questions: Files = NONE,
    ) -> Executed: ...


class SandboxRunner:
    """A runner in a sandbox of its own; the caller must close it.

    Args:
        banks: the banks whose questions its notebooks may ask.
        limits: the limits of one run.
    """

    confined = True
    witness = (
        WITNESS  # what tells of calls that tasks forbid; "" where nothing that a run says would be heard
    )

    def __init__(self, banks: Banks, limits: Limits | None = None) -> None:
        self._questions = tempfile.TemporaryDirectory(prefix="questions-")
        self._limits = limits or job_scheduling.LIMITS
        self._measured: dict[str, tuple[Limits, frozenset[str] | None] | SandboxFailed] = {}
        self._worker = self._made(Path(self._questions.name) / QUESTIONS, banks)
        self._banks, self._of = banks, self._limits
        # The names that cells must define to stay in a quiet run; None where no cell may be left out.
        self._needed: frozenset[str] | None = None
        self._budget = Budget()
        self._asked = frozenset[str]()
        self.closed = False

    def _made(self, questions: Path, banks: Banks) -> Worker | Kernels:
        questions.mkdir(mode=0o755)  # below a folder that nobody else may enter
        banks.write_questions(questions)
        course = banks.course
        # These hold answers, and inside a package they would lie there for all to read.
        covered = {course.bank, PACKAGE / "author" / "template", *installed().values()}
        inside = Inside(
            {**course.packages(), QUESTIONS: questions},
            tuple(folder for folder in covered if folder.is_dir()),
            {**ENVIRONMENT, PACKED: f"{INSIDE}/{QUESTIONS}"},
            (*(f"import {name}" for name in course.preload), *PRELOAD),
        )
        return Worker(inside)

    def __call__(
        self,
        notebook: NotebookNode,
        run: str,
        /,
        *,
        quiet: bool = False,
        stopped: Mapping[str, str] = EMPTY,
        questions: Files = NONE,
    ) -> Executed:
        # Of a run with other givens only the evidence is kept.
        everything = run == AS_SEEN and not quiet
        if self._needed is not None and not everything:
            notebook = only_needed(notebook, self._needed)
        wanted = None if everything else [cell["id"] for cell in notebook.cells if is_test(cell)]
        notebook = self._without_text_of_answers(notebook)
        ours = described(_sources_of_course(notebook), self._asked)
        environment = {RUN: run, COURSE_CELLS: ours}
        if not everything:
            environment[UNEXAMINED] = "1"
        read = READ if questions else ""
        job = Job((), environment, wanted, self._of, questions, PACKED, read, self.witness)
        return execute(self._worker, notebook, job, stopped, self._budget)

    def _without_text_of_answers(self, notebook: NotebookNode) -> NotebookNode:
        """Return a notebook in which answers of the course's that stand in for others are compiled code."""
        if any(cell.metadata.get(STANDS_IN) for cell in notebook.cells):
            names = bound_for_all(_sources_of_course(notebook), self._asked)
            notebook = copied(notebook)
            for cell in notebook.cells:
                if cell.metadata.get(STANDS_IN):
                    cell.source = sealed(cell.source, names)
        return notebook

    def begin(
        self,
        lesson: str,
        solved: Callable[[], NotebookNode] | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Begin a new submission, whose runs have a common time budget.

        In a quiet run, cells that only display something are left out, provided that the checks find the same
        in the course's own answers without these cells.

        Args:
            lesson: the lesson's name.
            solved: makes the lesson with the course's own answers; if these take long, the limits grow.
            limits: other limits of one run than before.

        Raises:
            SandboxFailed: not even the course's own answers run to their end.
        """
        if limits is not None and limits != self._limits:
            self._limits = limits
            self._measured.clear()
        self._of, self._needed, self._budget = self._limits, None, Budget()
        self._asked = self._names_asked(lesson)
        if solved is not None:
            if lesson not in self._measured:
                bank = self._banks.lesson(lesson)
                self._measured[lesson] = self._measure(lesson, solved(), classes_made(bank))
            measured = self._measured[lesson]
            if isinstance(measured, SandboxFailed):
                raise measured
            self._of, self._needed = measured
        self._budget = Budget(RUNS * self._of.seconds)

    def _names_asked(self, lesson: str) -> frozenset[str]:
        return frozenset(task.name for task in self._banks.lesson(lesson).tasks.values())

    def _measure(
        self, lesson: str, solved: NotebookNode, classes: frozenset[str]
    ) -> tuple[Limits, frozenset[str] | None] | SandboxFailed:
        try:
            ran = self(solved, AS_SEEN, quiet=True)
            without = self(only_needed(solved, classes), AS_SEEN, quiet=True)
        except RunIncomplete as problem:  # a busy machine, which the next submission may not find
            raise SandboxFailed(f"the course's own solution of {lesson} was stopped ({problem})") from problem
        if ran.stops or ran.gave_up:
            why = "; ".join(f"{cell}: {reason}" for cell, reason in ran.stops.items()) or ran.gave_up
            return SandboxFailed(f"the course's own solution of {lesson} was stopped ({why})")
        cell: float = self._banks.course.cell_seconds.get(lesson, CELL_SECONDS)
        while min(ran.seconds, without.seconds) > PART * cell:  # the first may have had something to load
            cell *= STEP
        most = self._limits
        limits = replace(
            most, cell_seconds=min(most.cell_seconds, cell), seconds=min(most.seconds, CELLS * cell)
        )
        same = _evidence_outputs(without.notebook) == _evidence_outputs(ran.notebook)
        return limits, classes if same else None

    def close(self) -> None:
        """Close the sandbox or kernels, and delete the questions."""
        self.closed = True
        self._worker.close(for_good=True)
        self._questions.cleanup()


def _sources_of_course(notebook: NotebookNode) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "code" and not is_learners(cell)]


def _evidence_outputs(executed: NotebookNode) -> list[list[Any]]:
    """Return what the checks put out."""
    return [[output.get("data") for output in cell.outputs] for cell in executed.cells if is_test(cell)]


class KernelRunner(SandboxRunner):
    """A runner in Jupyter kernels, with the grader's own rights; the caller must close it."""

    confined = False
    user: int | None = None  # the user who runs them; None for the grader
    witness = ""

    def begin(
        self,
        lesson: str,
        solved: Callable[[], NotebookNode] | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Begin a new submission, with limits in clock time that do not depend on the course's answers."""
        self._of = limits or self._of
        self._budget = Budget(RUNS * self._of.seconds)
        self._asked = self._names_asked(lesson)

    def _made(self, questions: Path, banks: Banks) -> Worker | Kernels:
        questions.mkdir()
        banks.write_questions(questions)
        more = {PACKED: str(questions), "OMP_NUM_THREADS": "1"}
        return Kernels({**self._environment(questions.parent), **more, **ENVIRONMENT}, self.user)

    def _environment(self, shared: Path) -> dict[str, str]:
        variables = {name: value for name, value in os.environ.items() if name != OWN_FOLDER}
        path = os.pathsep.join(filter(None, (str(PACKAGE.parent), variables.get("PYTHONPATH"))))
        return {**variables, "PYTHONPATH": path}


class OtherUserRunner(KernelRunner):
    """A runner in Jupyter kernels as a user without an account, who cannot read the grader's files.

    Only root can use it. The caller must close it.
    """

    user = NOBODYS

    def _made(self, questions: Path, banks: Banks) -> Worker | Kernels:
        shared = questions.parent
        for name, folder in banks.course.packages().items():
            shutil.copytree(folder, shared / name, ignore=shutil.ignore_patterns("__pycache__"))
        worker = super()._made(questions, banks)
        for path in (shared, *shared.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        return worker

    def _environment(self, shared: Path) -> dict[str, str]:
        variables = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        home = {"HOME": "/tmp", "USER": "student", "LOGNAME": "student", "PYTHONDONTWRITEBYTECODE": "1"}
        return {**variables, **home, "PYTHONPATH": f"{shared}{os.pathsep}{PACKAGE.parent}"}
