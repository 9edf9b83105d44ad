"""What holds for every test of the course: the same as for the tool's, and which go first.

`python3 start.py test` runs files side by side, one process for each processor.
"""

from pathlib import Path

import pytest
from support.everywhere import (
    longest_first,
    mark_sampled,
    no_word_of_grading,
    pytest_collection_finish,
    walls,
)

__all__ = ["no_word_of_grading", "pytest_collection_finish", "walls"]

HERE = Path(__file__).parent
# Files and folders that take long, the longest first: what is long must not be left to the end.
LONG = (
    "mutants",
    "browser/test_lessons.py",
    "attacks",
    "browser",
    "grading",
    "test_start.py",
    "test_term.py",
)


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what `-m` does not name
def pytest_collection_modifyitems(items):
    """Sample what is much alike for the fixed suite; the longest files go first."""
    mark_sampled(items)
    longest_first(items, HERE, LONG)
