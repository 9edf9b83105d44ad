"""The fixed suite: of tests that are much alike it holds a spread sample, the same in every run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import pytest

@pytest.mark.parametrize("number", range(7))
@pytest.mark.sample(3)
def test_alike(number): pass

@pytest.mark.slow
def test_slow(): pass

def test_always(): pass
"""
SAMPLED_FILE = "import pytest\npytestmark = pytest.mark.sample(2)\n" + "".join(
    f"def test_{name}(): pass\n" for name in "abc"
)
CONFTEST = """
import pytest
from support.everywhere import mark_sampled

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    mark_sampled(items)

def pytest_configure(config):
    for marker in ("sample(every)", "slow"):
        config.addinivalue_line("markers", marker)
"""
FIXED = ["alike[0]", "alike[3]", "alike[6]", "always", "a", "c"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-m", "not slow"], FIXED),
        ([], [*(f"alike[{number}]" for number in range(7)), "slow", "always", "a", "b", "c"]),
    ],
    ids=["the fixed suite", "all"],
)
def test_a_run_tries_what_it_should(tmp_path, words, expected):
    for name, text in {"test_1.py": TESTS, "test_2.py": SAMPLED_FILE, "conftest.py": CONFTEST}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q", *words, "."]
    where = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(command, cwd=tmp_path, env=where, capture_output=True, text=True, check=False)
    assert [line.partition("::test_")[2] for line in done.stdout.splitlines() if "::" in line] == expected
