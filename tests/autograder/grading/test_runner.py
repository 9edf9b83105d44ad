"""Where notebooks are run: what a runner owns ends with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.course import Course
from autograder.grading.runner import KernelRunner, NoSandbox, SandboxRunner
from autograder.grading.secret import Banks
from autograder.sandbox.workers import SandboxFailed

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("kind", [SandboxRunner, KernelRunner])
def test_a_runner_that_is_closed_leaves_no_questions_and_runs_nothing_more(kind):
    runner = kind(Banks.of(Course.read(ROOT)))
    questions = Path(runner._questions.name)
    assert {path.suffix for path in questions.iterdir()} == {".json", ".safetensors", ".toml"}
    runner.close()
    assert not questions.exists()
    with pytest.raises(SandboxFailed):
        runner(new_notebook(cells=[new_code_cell("1", id="one")]), "as-seen")


def test_who_has_no_sandbox_is_told_both_ways_to_do_without():
    said = str(NoSandbox("bubblewrap is not installed"))
    assert "there is none: bubblewrap is not installed." in said
    assert "`autograder grade --no-sandbox`" in said
    assert "c.RunAndJudge.sandboxed = False" in said
