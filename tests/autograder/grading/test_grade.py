"""Which runs a submission gets, and what each of them holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from nbformat import NotebookNode

from autograder.bank import AS_SEEN, LessonBank
from autograder.build.source import is_test
from autograder.course import Course
from autograder.grading.grade import grade
from autograder.sandbox.execute import Executed

ROOT = Path(__file__).parents[3]
LESSON = "01-dot-product"


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
    known = next(iter(Course.read(ROOT).load(LESSON).tasks.values()))
    tasks = {
        name.replace("_", "-"): replace(known, id=name.replace("_", "-"), kind=kind)
        for name, kind in kinds.items()
    }
    return replace(Course.read(ROOT).load(LESSON), tasks=tasks, givens={AS_SEEN: {}, "redrawn-1": {}})


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
