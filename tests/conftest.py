"""What holds for every test: which go first, and which may run beside others.

`python3 start.py test` runs files side by side, one process for each processor. Some tests hold strangers to
a time: they are marked `timed`, and nothing else runs while one of them does.
"""

from contextlib import contextmanager

import pytest


def pytest_collection_modifyitems(items):
    """Long files first, timed ones before all: what is long must not be left to the end."""

    def rank(item):
        if item.get_closest_marker("timed"):
            return 0
        return 1 if item.get_closest_marker("slow") or item.get_closest_marker("browser") else 2

    ranks: dict = {}
    for item in items:
        ranks[item.path] = min(rank(item), ranks.get(item.path, 2))
    items.sort(key=lambda item: ranks[item.path])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    """Hold a test back until it may run. Its fixtures are made after that, within its time."""
    alone = item.get_closest_marker("timed") is not None
    with _turn(item.config, alone):
        return (yield)


@contextmanager
def _turn(config, alone):
    """Run beside other processes' tests, or alone. Processes of one run share two files to agree on that."""
    if not hasattr(config, "workerinput"):
        yield
        return
    import fcntl  # Windows has none, and there `start.py` runs tests one by one

    # Above the workers' own folders there is one for the whole run.
    place = config._tmp_path_factory.getbasetemp().parent
    # Whoever wants to be alone keeps the door shut while it waits, or it would wait for ever.
    with (place / "door").open("w") as door, (place / "room").open("w") as room:
        fcntl.flock(door, fcntl.LOCK_EX)
        fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(door, fcntl.LOCK_UN)
        yield
