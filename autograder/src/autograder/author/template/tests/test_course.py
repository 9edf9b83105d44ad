"""Test that the built files are up to date with the source, and that the checks recognise wrong answers."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("what", [["build", "--check"], ["audit"]], ids=["build", "audit"])
def test_the_course_is_whole(what):
    command = [sys.executable, "-m", "autograder", *what, "--course", str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
