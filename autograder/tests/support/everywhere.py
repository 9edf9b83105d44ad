"""What holds for every test of the tool, and of a course beside it: home, order, sandbox."""

# First: what is imported below looks there for its settings.
import support.own_home  # noqa: F401

# isort: split

import gc
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest
from autograder.grading.sandbox import bubblewrap as sandbox


def longest_first(items: list[pytest.Item], folder: Path, long: Sequence[str]) -> None:
    """Sort tests, so that those of files and folders that take long go first, the longest before all."""

    def rank(path: Path) -> int:
        parts = (path, *path.parents)
        return next((number for number, name in enumerate(long) if folder / name in parts), len(long))

    ranks = {path: rank(path) for path in {item.path for item in items}}
    items.sort(key=lambda item: (ranks[item.path], item.path))


def mark_sampled(items: list[pytest.Item]) -> None:
    """Mark most of the tests that are much alike as slow, so that the fixed suite holds a sample of them.

    Of a test or a file that is marked `sample(every)`, the first case and each one `every` later stay in
    it. The fixed suite, `-m "not slow"`, is the same at every commit.
    """
    seen: Counter[str] = Counter()
    for item in items:
        for node, marker in item.iter_markers_with_node():
            if marker.name == "sample":
                family = node.nodeid.partition("[")[0]
                if seen[family] % marker.args[0]:
                    item.add_marker(pytest.mark.slow)
                seen[family] += 1


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: the garbage collector need not look at them again and again."""
    gc.collect()
    gc.freeze()


def need(name: str, problem: str = "") -> None:
    """Skip a test that needs something which is missing; fail on the Linux of CI, which has all.

    Args:
        name: what is needed; `start.py test` counts the skipped tests by it.
        problem: why it cannot be had; nothing is missing where this is empty.
    """
    if problem:
        why = f"needs {name}: {problem}"
        if sys.platform == "linux" and "CI" in os.environ:
            pytest.fail(why, pytrace=False)
        pytest.skip(why, allow_module_level=True)


def need_modules(name: str, *modules: str) -> None:
    """Skip a test, or a file of them, where modules are not installed; fail on the Linux of CI."""
    missing = [module for module in modules if find_spec(module) is None]
    need(name, f"not installed: {', '.join(missing)}" if missing else "")


@pytest.fixture(autouse=True)
def no_word_of_grading() -> Iterator[None]:
    """What nbgrader's own steps leave in this process would have later kernels think that they are graded."""
    yield
    os.environ.pop("NBGRADER_EXECUTION", None)


@pytest.fixture(scope="session")
def walls() -> None:
    """Run what asks for this only where the sandbox can be had."""
    need("bubblewrap", sandbox.why_not())
