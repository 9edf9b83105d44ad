"""What holds for every test of the tool, and of a course beside it: home, order, sandbox."""

# First: what is imported below looks there for its settings.
import support.own_home  # noqa: F401

# isort: split

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from autograder.grading.sandbox import walls as sandbox


def longest_first(items: list[pytest.Item], folder: Path, long: Sequence[str]) -> None:
    """Sort tests, so that those of files and folders that take long go first, the longest before all."""

    def rank(path: Path) -> int:
        parts = (path, *path.parents)
        return next((number for number, name in enumerate(long) if folder / name in parts), len(long))

    ranks = {path: rank(path) for path in {item.path for item in items}}
    items.sort(key=lambda item: (ranks[item.path], item.path))


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: the garbage collector need not look at them again and again."""
    gc.collect()
    gc.freeze()


def need(missing: str) -> None:
    """Skip what needs something that is missing; fail on the Linux of CI, where nothing may be missing."""
    if missing:
        (pytest.fail if sys.platform == "linux" and "CI" in os.environ else pytest.skip)(missing)


@pytest.fixture(autouse=True)
def no_word_of_grading() -> Iterator[None]:
    """What nbgrader's own steps leave in this process would have later kernels think that they are graded."""
    yield
    os.environ.pop("NBGRADER_EXECUTION", None)


@pytest.fixture(scope="session")
def walls() -> None:
    """Run what asks for this only where the sandbox can be had."""
    need(sandbox.why_not())
