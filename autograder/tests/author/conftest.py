"""The tiny course, with some of its text replaced."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from autograder.author.authoring import Lesson, load_lesson
from autograder.author.parse_source import read_source
from autograder.author.source_lint import lint
from autograder.records.course import Course
from support.tiny_course import FAULTS, NAME, SOURCE, TASKS, Edit, edited, write_course


@pytest.fixture
def course_with(tmp_path: Path) -> Callable[..., Course]:
    """Makes the tiny course with some of its source, its tasks or its faults replaced."""

    def make(
        source: tuple[Edit, ...] = (), tasks: tuple[Edit, ...] = (), faults: tuple[Edit, ...] = ()
    ) -> Course:
        texts = ((SOURCE, source), (TASKS, tasks), (FAULTS, faults))
        return write_course(tmp_path / "course", *(edited(text, *edits) for text, edits in texts))

    return make


@pytest.fixture
def tiny_lesson(course_with: Callable[..., Course]) -> Lesson:
    return load_lesson(course_with().source / NAME)


@pytest.fixture
def problems(course_with: Callable[..., Course]) -> Callable[..., list[str]]:
    """What `source_lint` says about the tiny lesson with some of its source or its tasks replaced."""

    def find(source: tuple[Edit, ...] = (), tasks: tuple[Edit, ...] = ()) -> list[str]:
        course = course_with(source, tasks)
        folder = course.source / NAME
        path = folder / f"{NAME}.py"
        text = path.read_text(encoding="utf-8")
        return lint(text, read_source(path), load_lesson(folder), course.forbidden, dict(course.entries))

    return find


@pytest.fixture
def source_text() -> str:
    return SOURCE
