"""In a learner's own notebook, a cell that needs a name of the course's says which cell has taken it."""

from __future__ import annotations

import pytest

NUMBER = "`check` no longer means the course's: cell [3] gave the name to something else (`float`)."
AGAIN = "run the first cell again"
SETUP = "import torch\nfrom autograder import check, hint, progress"


@pytest.fixture
def say(notebook, shell, capsys):
    """Run a cell whatever it raises; returns what it showed, errors left out."""
    shell.execution_count = 3

    def run(cell):
        capsys.readouterr()
        shell.run_cell(cell, store_history=True)
        return "\n".join(line for line in capsys.readouterr().out.splitlines() if AGAIN in line)

    return run


def test_a_check_that_was_shadowed_says_by_which_cell_and_how_to_get_it_back(say):
    assert say("check = 0.5") == ""
    assert say('check("share")') == f"{NUMBER} Choose another name there, then {AGAIN}."


@pytest.mark.parametrize(
    ("takes", "needs", "says"),
    [
        ("def check(a, b): ...", 'check("share")', "(`function`)"),
        ("class hint: ...", 'hint("share")', "(`type`)"),
        ("check = print", 'check("share")', "(`builtin_function_or_method`)"),
        ("for progress in [1]: pass", "progress()", "(`int`)"),
        ("import torch.nn.functional as torch", "torch.ones(3)", "(`torch.nn.functional`)"),
        ("from os.path import join as check", 'check("share")', "(`function`)"),
        ("def take():\n    global torch\n    torch = None\ntake()", "torch.ones(1)", "(`NoneType`)"),
        ("del check", 'check("share")', "`check` is gone: cell [3] deletes it."),
    ],
)
def test_whatever_took_the_name_is_said(say, takes, needs, says):
    assert say(takes) == ""
    assert says in say(needs)
    assert "cell [3]" in say(needs)


def test_after_the_first_cell_has_run_again_nothing_is_said(say):
    say("check = 0.5")
    say(SETUP)
    assert say('check("share")') == ""
    say("x = 1")
    say("check = 2")
    assert "cell [7]" in say('check("share")')


def test_a_learners_cells_may_use_what_they_named_without_a_word(say):
    say("check = 0.5")
    assert say("check + 1") == ""
    assert say("1 / 0") == ""
    assert say("torch.ones(3)") == ""


def test_a_name_that_a_task_asks_for_is_the_learners(say):
    say(f"{SETUP}\nshare = None")
    say("share = 5")
    assert say("share(3)") == ""


def test_nothing_is_said_while_grades_count(say, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_COURSE_CELLS", "[[], [], []]")
    say("check = 0.5")
    assert say('check("share")') == ""
