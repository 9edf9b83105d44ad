"""What holds for every test: which go first, and which may run beside others.

`python3 start.py test` runs files side by side, one process for each processor. Some tests hold strangers to
so short a time that a busy machine would make them fail: they are marked `timed`, and nothing else runs while
one of them does.
"""

import gc
import os
import sys
from pathlib import Path

import pytest

from autograder.sandbox import walls as sandbox

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
TURN = pytest.StashKey()


def pytest_collection_modifyitems(items):
    """Files with timed tests go first, and in them what is timed; then the longest files."""

    def rank(path):
        parts = (path, *path.parents)
        return next((number for number, name in enumerate(LONG) if HERE / name in parts), len(LONG))

    timed = {item.path for item in items if item.get_closest_marker("timed")}
    ranks = {path: -1 if path in timed else rank(path) for path in {item.path for item in items}}
    items.sort(key=lambda item: (ranks[item.path], item.path, not item.get_closest_marker("timed")))


def pytest_collection_finish():
    """Thousands of tests stay to the end: the garbage collector need not look at them again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Hold a test back until it may run. Its fixtures are made after that, within its time."""
    if not hasattr(item.config, "workerinput"):
        return (yield)
    if TURN not in item.config.stash:
        item.config.stash[TURN] = Turn(item.config)
    turn = item.config.stash[TURN]
    alone, next_alone = (one is not None and one.get_closest_marker("timed") for one in (item, nextitem))
    turn.take(alone)
    try:
        return (yield)
    finally:
        if not (alone and next_alone):
            turn.end()


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


class Turn:
    """When a process may run tests: beside those of the others, or alone. They agree on that by two files.

    A process keeps the turn to be alone while the next test needs it too: whenever processes wait for one
    another, processors have nothing to do.
    """

    def __init__(self, config):
        # Above the processes' own folders there is one for the whole run.
        place = config._tmp_path_factory.getbasetemp().parent
        self.door = (place / "door").open("w")
        self.room = (place / "room").open("w")
        self.taken = False

    def take(self, alone):
        from fcntl import LOCK_EX, LOCK_SH, LOCK_UN, flock  # Windows has none; there tests run one by one

        if self.taken:
            return
        # Whoever wants to be alone keeps the door shut while it waits, or it would wait for ever.
        flock(self.door, LOCK_EX)
        flock(self.room, LOCK_EX if alone else LOCK_SH)
        flock(self.door, LOCK_UN)
        self.taken = True

    def end(self):
        from fcntl import LOCK_UN, flock

        flock(self.room, LOCK_UN)
        self.taken = False
