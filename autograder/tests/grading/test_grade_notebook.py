"""Which runs a submission gets, and what each of them holds."""

from __future__ import annotations

import subprocess
import sys
from copy import deepcopy
from dataclasses import replace

import pytest
from autograder.grading.grade_notebook import Graded, grade, results_of
from autograder.grading.notebook_evidence import GraderFault
from autograder.grading.notebook_runners import Runner
from autograder.grading.rebuild_submission import rebuild
from autograder.grading.sandbox.execute_notebook import Executed
from autograder.records.bank import AS_SEEN, LessonBank
from autograder.records.cell_roles import ADDED, is_answer, is_test
from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_code_cell, new_notebook
from support.tiny_lesson import LESSON, SHARE


@pytest.fixture
def runs() -> dict[str, list[str]]:
    return {}


def graded(
    release: NotebookNode, lesson: LessonBank, runs: dict[str, list[str]], figures: bool = False
) -> NotebookNode:
    def run(notebook: NotebookNode, name: str, /, *, quiet: bool = False, **how: object) -> Executed:
        runs[name] = [cell["id"] for cell in notebook.cells]
        runs["drawn"] = [cell["id"] for cell in notebook.cells if cell.source.startswith("draw(")]
        return Executed(notebook)

    return grade(release, lesson, run, figures=figures).notebook


def with_kinds(**kinds: str) -> LessonBank:
    """A lesson with these tasks, by kind."""
    tasks = {
        name.replace("_", "-"): replace(SHARE, id=name.replace("_", "-"), kind=kind)
        for name, kind in kinds.items()
    }
    return replace(LESSON, tasks=tasks, givens={AS_SEEN: {}, "redrawn-1": {}})


def test_a_run_with_other_givens_ends_with_the_last_tensor_and_checks_tensors_alone(release, runs):
    graded(release, with_kinds(share="function", row_sums="tensor"), runs)
    everything = [cell["id"] for cell in release.cells]
    assert runs[AS_SEEN] == everything
    assert runs["redrawn-1"] == [name for name in everything[:-1] if name != "share"]


def test_without_a_tensor_there_is_no_other_run(release, runs):
    graded(release, with_kinds(share="function", row_sums="module"), runs)
    assert "redrawn-1" not in runs


@pytest.mark.parametrize("figures", [False, True])
def test_figures_are_drawn_where_that_is_asked_for_and_stay_in_the_notebook(release, runs, figures):
    notebook = graded(release, with_kinds(share="function", row_sums="function"), runs, figures)
    assert runs["drawn"] == ["figure"] * figures
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in release.cells]


def test_the_submission_that_was_given_keeps_its_checks(release, runs):
    graded(release, with_kinds(share="function", row_sums="tensor"), runs)
    assert [cell["id"] for cell in release.cells if is_test(cell)] == ["share", "row-sums"]


def stopped(name: str, run: str) -> Runner:
    """A runner that had to stop a cell in one of the runs."""

    def ran(notebook: NotebookNode, this: str, /, **how: object) -> Executed:
        return Executed(notebook, {name: "it did not end within 3 seconds"} if this == run else {})

    return ran


def cell_ids(release: NotebookNode) -> tuple[str, str]:
    """A cell of the course before all answers, and one behind the first."""
    code = [cell for cell in release.cells if cell.cell_type == "code"]
    first = next(n for n, cell in enumerate(code) if is_answer(cell))
    assert first > 0
    return code[0]["id"], code[first + 1]["id"]


@pytest.mark.parametrize("run", [AS_SEEN, "redrawn-1"])
def test_a_cell_of_ours_that_is_stopped_before_any_answer_is_our_fault(release, run):
    ours, theirs = cell_ids(release)
    lesson = with_kinds(share="function", row_sums="tensor")
    with pytest.raises(GraderFault, match=f"own cell {ours} was stopped: it did not end"):
        grade(release, lesson, stopped(ours, run))
    # Behind the learner's own code, that code may be the reason.
    assert any(theirs in note for note in grade(release, lesson, stopped(theirs, run)).notes)


def test_a_cell_of_ours_that_is_stopped_behind_what_a_learner_added_is_not_our_fault(release):
    ours, _ = cell_ids(release)
    added = deepcopy(release)
    added.cells.insert(0, new_code_cell("while True: pass", id=f"{ADDED}0"))
    assert grade(added, with_kinds(share="function"), stopped(ours, AS_SEEN)).verdicts["share"].earned == 0


WRITTEN = {
    "cell_type": "markdown",
    "id": "why",
    "source": "*Write your answer here.*",
    "metadata": {"nbgrader": {"grade": True, "solution": True, "grade_id": "why", "points": 3}},
}


@pytest.mark.parametrize(("text", "is_answered"), [("*Write your answer here.*", False), ("Because.", True)])
def test_a_written_answer_that_nobody_touched_counts_as_none(text, is_answered):
    release = new_notebook(cells=[from_dict(WRITTEN)])
    submission = new_notebook(cells=[from_dict({**WRITTEN, "source": text})])
    result = Graded(rebuild(release, submission).notebook, {}, (), {})
    released = {cell["id"]: cell.source for cell in release.cells}
    (actual,) = results_of(LESSON, "ada", "r", result, released)
    assert (actual.answered, actual.possible, actual.answer) == (is_answered, 3.0, text)


def test_what_runs_submissions_loads_nothing_of_nbgrader():
    code = "import sys, autograder.grading.grade_submission; print('nbgrader' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_what_hands_submissions_out_does_not_load_torch():
    code = "import sys, autograder.command.grading_run; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
