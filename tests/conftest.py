"""What holds for every test of the course: the same as for the tool's, and which go first.

`python3 start.py test` runs files side by side, one process for each processor.
"""

from pathlib import Path

from support.everywhere import (
    leave_out_some,
    longest_first,
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
    "test_contributing.py",
    "test_platforms.py",
)


def pytest_collection_modifyitems(items, config):
    """Each commit tries some of what takes long or is much alike; the longest files go first."""
    leave_out_some(items, config)
    longest_first(items, HERE, LONG)
