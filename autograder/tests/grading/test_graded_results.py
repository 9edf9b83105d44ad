"""What grading found is kept as data, by both doors, and says why a score has changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from autograder.grading import graded_results
from autograder.grading.graded_results import Change, Grading, TaskResult

FIRST = Grading("01-sums", "ada", "2026-01-01T00:00:00+00:00", {"submission": "1", "lesson": "1"})
SHARE = TaskResult("01-sums", "ada", "share", 1, 3, faults=("no-scale",), finding="WrongValues", answer="x")


@pytest.fixture
def database(tmp_path: Path) -> str:
    with closing(sqlite3.connect(tmp_path / "gradebook.db")) as connection:
        # An empty file is taken for a gradebook that lost all it held, and is left as it is.
        connection.execute("CREATE TABLE student (id TEXT)")
    return f"sqlite:///{tmp_path / 'gradebook.db'}"


def written(database: str, grading: Grading, *results: TaskResult) -> list[Change]:
    with graded_results.opened(database) as store:
        store.write(grading, results)
    with graded_results.opened(database) as store:
        return store.read(Change)


def test_what_was_written_is_read_again_by_lesson_and_by_student(database):
    eve = replace(SHARE, student="eve", points=None)
    written(database, FIRST, SHARE)
    written(database, replace(FIRST, student="eve"), eve)
    with graded_results.opened(database) as store:
        assert store.read(TaskResult) == [SHARE, eve]
        assert store.read(TaskResult, "01-sums", "eve") == [eve]
        assert store.read(TaskResult, "02-more") == []
        assert [item.student for item in store.read(Grading, "01-sums")] == ["ada", "eve"]


@pytest.mark.parametrize(
    ("made_from", "why"),
    [
        ({"submission": "2", "lesson": "1"}, "submission changed"),
        ({"submission": "2", "lesson": "2"}, "submission and lesson changed"),
        ({"submission": "1", "lesson": "1"}, "graded again"),
    ],
)
def test_a_score_that_changes_leaves_a_record_of_why(database, made_from, why):
    assert written(database, FIRST, SHARE) == []
    later = replace(FIRST, at="2026-02-01T00:00:00+00:00", made_from=made_from)
    assert written(database, later, replace(SHARE, points=3.0)) == [
        Change("01-sums", "ada", "share", later.at, 1, 3.0, why)
    ]


def test_a_gradebook_that_is_not_there_holds_nothing_and_is_not_made(tmp_path):
    with graded_results.opened(f"sqlite:///{tmp_path / 'none.db'}") as store:
        assert store.read(TaskResult) == []
    assert list(tmp_path.iterdir()) == []
