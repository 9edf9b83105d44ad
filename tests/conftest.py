"""What holds for every test: where they live, and which go first.

`python3 start.py test` runs files side by side, one process for each processor.
"""

# First: what is imported below looks there for its settings.
import tests.own_home  # noqa: F401

# isort: split

import gc
import os
import sys
from pathlib import Path

import pytest
from autograder.grading.sandbox import walls as sandbox

HERE = Path(__file__).parent
# Files and folders that take long, the longest first: what is long must not be left to the end.
LONG = (
    "mutants",
    "browser/test_lessons.py",
    "attacks",
    "autograder/test_new_course.py",
    "browser",
    "autograder/grading",
    "test_start.py",
    "test_term.py",
    "autograder/site",
    "autograder/build",
    "test_contributing.py",
    "test_platforms.py",
    "autograder/sandbox",
    "autograder/exchange",
)


def pytest_collection_modifyitems(items):
    """The longest files go first."""

    def rank(path):
        parts = (path, *path.parents)
        return next((number for number, name in enumerate(LONG) if HERE / name in parts), len(LONG))

    ranks = {path: rank(path) for path in {item.path for item in items}}
    items.sort(key=lambda item: (ranks[item.path], item.path))


def pytest_collection_finish():
    """Thousands of tests stay to the end: the garbage collector need not look at them again and again."""
    gc.collect()
    gc.freeze()


def need(missing):
    """Skip what needs something that is missing; fail on the Linux of CI, where nothing may be missing."""
    if missing:
        (pytest.fail if sys.platform == "linux" and "CI" in os.environ else pytest.skip)(missing)


@pytest.fixture(autouse=True)
def no_word_of_grading():
    """What nbgrader's own steps leave in this process would have later kernels think that they are graded."""
    yield
    os.environ.pop("NBGRADER_EXECUTION", None)


@pytest.fixture(scope="session")
def walls():
    """Run what asks for this only where the sandbox can be had."""
    need(sandbox.why_not())
