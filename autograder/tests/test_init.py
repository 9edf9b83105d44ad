"""The package itself: what lessons import from it, and what it costs to have it."""

import subprocess
import sys

import pytest

import autograder


@pytest.mark.parametrize(
    "name", ["bring_over", "check", "hint", "join", "leave", "predict", "progress", "quiz", "reveal"]
)
def test_lessons_find_here_what_the_learner_calls(name):
    assert getattr(autograder, name).__name__ == name
    assert name in dir(autograder)


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'autograder' has no attribute 'chek'"):
        _ = autograder.chek


@pytest.mark.parametrize("module", ["autograder.grading.sandbox.supervisor", "autograder.command.app"])
def test_the_sandboxs_first_process_and_the_commands_help_do_without_torch(module):
    code = f"import sys, {module}; print('torch' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_where_only_the_checks_are_installed_the_command_says_what_it_needs():
    lacking = "import sys; sys.modules['typer'] = None; from autograder.__main__ import main; main()"
    reported = subprocess.run([sys.executable, "-c", lacking], capture_output=True, text=True, check=False)
    assert (reported.returncode, "needs typer" in reported.stderr, "Traceback" in reported.stderr) == (
        1,
        True,
        False,
    )
