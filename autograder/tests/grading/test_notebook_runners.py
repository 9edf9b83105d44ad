"""Where notebooks are run: what a runner owns ends with it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from autograder.grading import grade_submission
from autograder.grading.grading_banks import Banks
from autograder.grading.job_scheduling import NoSandbox
from autograder.grading.notebook_runners import QUESTIONS, KernelRunner, SandboxRunner
from autograder.grading.sandbox.execute_notebook import RunIncomplete
from autograder.grading.sandbox.sandbox_client import Job, RunResult, SandboxFailed
from autograder.lesson.check_calls import UNEXAMINED
from autograder.records import bank, course
from autograder.records.course import Course
from nbformat.v4 import new_code_cell, new_notebook
from support.class_course import LESSON, OTHER


class Played:
    """In the place of a sandbox: each run takes a time, and is stopped in a cell if it is said so.

    What a check puts out hangs on how many cells ran, if it is said so.
    """

    def __init__(self, seconds: float = 0, stops: bool = False, counts: bool = False) -> None:
        self.seconds, self.stops, self.counts = seconds, stops, counts
        self.limits: list[tuple[float, float]] = []
        self.cells: list[str] = []
        self.unexamined = False

    def run(self, job: Job, alone: bool = False) -> RunResult:
        self.limits.append((job.limits.cell_seconds, job.limits.seconds))
        self.cells = [name for name, _ in job.cells]
        self.unexamined = UNEXAMINED in job.environment
        output = {"output_type": "display_data", "metadata": {}, "data": {"text/plain": str(len(job.cells))}}
        cells = {"check": (1, [output])} if self.counts else {}
        stops = self.stops and "one" in self.cells
        return RunResult(cells, "died" if stops else "finished", "one", self.seconds)

    def close(self, for_good: bool) -> None:
        pass


@pytest.fixture
def runner(class_course: Course) -> Iterator[SandboxRunner]:
    result = SandboxRunner(Banks.of(class_course))
    yield result
    result.close()


NOTEBOOK = new_notebook(cells=[new_code_cell("1", id="one")])


@pytest.mark.parametrize(
    ("takes", "stated", "limits"),
    [
        (0.0, {}, (3, 30)),
        (0.9, {}, (3, 30)),
        (1.1, {}, (9, 90)),
        (8.0, {}, (27, 180.0)),
        (60.0, {}, (30.0, 180.0)),
        (0.9, {LESSON: 10, OTHER: 20}, (10, 100)),
        (0.9, {OTHER: 20}, (3, 30)),
    ],
)
def test_how_long_a_cell_may_take_does_not_hang_on_the_load(class_course, takes, stated, limits):
    runner = SandboxRunner(Banks.of(replace(class_course, cell_seconds=stated)))
    runner._worker = played = Played(takes)
    runner.begin(LESSON, lambda: NOTEBOOK)
    for _ in range(2):
        runner(NOTEBOOK, "as-seen")
    runner.close()
    assert played.limits[2:] == [limits] * 2


def test_each_submission_has_time_of_its_own(runner):
    runner._worker = Played(25.0)
    for _ in range(2):
        runner.begin(LESSON)
        for _ in range(15):  # of 25 seconds, where a submission has 360
            runner(NOTEBOOK, "as-seen")
    with pytest.raises(RunIncomplete):
        runner(NOTEBOOK, "as-seen")


@pytest.mark.parametrize("counts", [False, True])
def test_cells_that_only_show_are_left_out_where_the_checks_of_the_solution_find_the_same(runner, counts):
    check = new_code_cell("check()", id="check")
    check.metadata = {"nbgrader": {"grade": True}}
    notebook = new_notebook(cells=[*NOTEBOOK.cells, check])
    runner._worker = played = Played(counts=counts)
    runner.begin(LESSON, lambda: notebook)
    for run, quiet in (("as-seen", True), ("redrawn-1", False)):
        runner(notebook, run, quiet=quiet)
        assert (played.cells, played.unexamined) == (["one", "check"] if counts else ["check"], True)
    runner(notebook, "as-seen")
    assert (played.cells, played.unexamined) == (["one", "check"], False)


def test_where_the_solution_is_stopped_no_submission_is_to_blame(runner):
    runner._worker = played = Played(0.5, stops=True)
    for _ in range(2):
        with pytest.raises(SandboxFailed, match=f"own solution of {OTHER} was stopped"):
            runner.begin(OTHER, lambda: NOTEBOOK)
        tried, played.limits = played.limits, []
    assert tried == []


@pytest.mark.parametrize("kind", [SandboxRunner, KernelRunner])
def test_a_runner_that_is_closed_leaves_no_questions_and_runs_nothing_more(class_course, kind):
    runner = kind(Banks.of(class_course))
    questions = Path(runner._questions.name) / QUESTIONS
    written = {str(path.relative_to(questions)) for path in questions.rglob("*.*")}
    asked = {str(path) for lesson in class_course.lessons for path in bank.paths(lesson, Path())}
    assert written == asked | {"course.toml", class_course.adds.experiments}
    runner.close()
    assert not questions.exists()
    with pytest.raises(SandboxFailed):
        runner(NOTEBOOK, "as-seen")


def test_where_a_bank_was_rebuilt_no_runner_goes_on_that_asks_the_old_one(class_course, tmp_path):
    lesson = class_course.lessons[0]
    for path in bank.paths(lesson, class_course.bank):
        shutil.copy(path, tmp_path)
    banks = Banks(class_course, {lesson: tmp_path}, {})
    first = grade_submission.runner_for(banks, sandboxed=False)
    assert grade_submission.runner_for(banks, sandboxed=False) is first
    text = tmp_path / f"{lesson}.json"
    text.write_bytes(text.read_bytes() + b"\n")
    second = grade_submission.runner_for(banks, sandboxed=False)
    assert (second is first, first.closed, second.closed) == (False, True, False)
    grade_submission.close_sandboxes()


@pytest.mark.usefixtures("walls")
def test_no_answers_of_an_installed_course_or_of_the_template_are_inside(class_course, monkeypatch):
    entry = EntryPoint("other", "yaml", course.GROUP)  # as if that package held a course
    monkeypatch.setattr(course, "entry_points", lambda group: [entry])
    code = "import os, sys, autograder\n"
    code += "package = next(place for place in sys.path if os.path.isdir(place + '/yaml')) + '/yaml'\n"
    code += "os.listdir(os.path.dirname(autograder.__file__) + '/author/template'), os.listdir(package)"
    runner = SandboxRunner(Banks.of(class_course))
    ran = runner(new_notebook(cells=[new_code_cell(code, id="one")]), "as-seen")
    runner.close()
    assert ran.notebook.cells[0].outputs[0].data["text/plain"] == "([], [])"


def test_who_has_no_sandbox_is_told_both_ways_to_do_without():
    output = str(NoSandbox("bubblewrap is not installed"))
    assert "there is none: bubblewrap is not installed." in output
    assert "`autograder grade --no-sandbox`" in output
    assert "c.RunAndJudge.sandboxed = False" in output
