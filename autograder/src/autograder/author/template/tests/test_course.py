"""What is made of the course's source is up to date, and its checks are real."""

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
