"""What holds for every test of the tool, and which go first.

They are mirrored by rooms, and need nothing but the tool, what its extra `test` names, and the course that
`autograder new-course` makes.
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
from support.fixtures import *  # noqa: F403 - pytest finds a fixture where its name stands

__all__ = ["no_word_of_grading", "pytest_collection_finish", "walls"]

HERE = Path(__file__).parent
# Files and folders that take long, the longest first: what is long must not be left to the end.
LONG = (
    "test_new_course.py",
    "command",
    "grading",
    "author/site",
    "author",
    "test_two_courses.py",
    "classroom",
)


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what `-m` does not name
def pytest_collection_modifyitems(items):
    """Sample what is much alike for the fixed suite; the longest files go first."""
    mark_sampled(items)
    longest_first(items, HERE, LONG)
