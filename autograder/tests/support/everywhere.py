"""What holds for every test of the tool, and of a course beside it: home, order, sandbox."""

# First: what is imported below looks there for its settings.
import support.own_home  # noqa: F401

# isort: split

import gc
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from autograder.grading.sandbox import walls as sandbox

# Of the files and tests that take long, each commit tries one in so many.
SLOW_ONE_IN = 6


def longest_first(items: list[pytest.Item], folder: Path, long: Sequence[str]) -> None:
    """Sort tests, so that those of files and folders that take long go first, the longest before all."""

    def rank(path: Path) -> int:
        parts = (path, *path.parents)
        return next((number for number, name in enumerate(long) if folder / name in parts), len(long))

    ranks = {path: rank(path) for path in {item.path for item in items}}
    items.sort(key=lambda item: (ranks[item.path], item.path))


def leave_out_some(items: list[pytest.Item], config: pytest.Config) -> None:
    """Leave a share of the tests that take long or are much alike; which, the commit's name picks.

    Of a test that is marked `rotating(share)`, that share of its cases stays. Of all files and tests that are
    marked `slow(seconds)`, one in `SLOW_ONE_IN` stays, so that each commit's take about as long together.

    All stay where `TESTS=all` is set, where a file or a keyword was asked for, and outside of git.
    """
    asked = config.option.keyword or any(".py" in word for word in config.args)
    commit = "" if asked or os.environ.get("TESTS") == "all" else _commit(config.rootpath)
    if not commit:
        return
    # By family: one case in how many stays, and the tests of each case. All that is slow is one family.
    families: dict[str, tuple[int, dict[str, list[pytest.Item]]]] = {}
    length: dict[str, float] = {}
    for item in items:
        for node, marker in item.iter_markers_with_node():
            if marker.name == "slow":
                length[node.nodeid] = marker.args[0]
                families.setdefault("", (SLOW_ONE_IN, {}))[1].setdefault(node.nodeid, []).append(item)
            elif marker.name == "rotating":
                family = item.nodeid.partition("[")[0]
                families.setdefault(family, (round(1 / marker.args[0]), {}))[1][item.nodeid] = [item]
    out: set[pytest.Item] = set()
    for one_in, cases in families.values():
        parts = [0.0] * one_in
        for case in sorted(cases, key=lambda case: -length.get(case, 1.0)):
            shortest = parts.index(min(parts))
            parts[shortest] += length.get(case, 1.0)
            if shortest != int(commit, 16) % one_in:
                out.update(cases[case])
    items[:] = [item for item in items if item not in out]
    config.hook.pytest_deselected(items=list(out))


def _commit(folder: Path) -> str:
    """Return how the commit's name begins; "" outside of git."""
    command = ["git", "rev-parse", "--short=6", "HEAD"]
    try:
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return said.stdout.strip()[:6] if said.returncode == 0 else ""


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
