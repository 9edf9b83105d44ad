"""A sandbox of this course."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from autograder.grading.grading_banks import Banks
from autograder.grading.notebook_runners import SandboxRunner
from autograder.records.course import Course

from tests.classes import ROOT


@pytest.fixture(scope="session")
def sandbox(walls: None) -> Iterator[SandboxRunner]:
    """One sandbox of the course for all files, by its public banks: to start one takes many seconds."""
    result = SandboxRunner(Banks.of(Course.read(ROOT)))
    yield result
    result.close()
