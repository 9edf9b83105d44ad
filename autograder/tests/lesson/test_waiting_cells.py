"""A cell that needs an answer is skipped with a sentence until the answer is there."""

from __future__ import annotations

import pytest

CELL = "# needs share, table\nprint('runs')"
SKIPPED = "Skipped: this cell needs `share`.\n"


@pytest.fixture
def say(notebook, shell, capsys):
    """Run a cell; returns what it printed."""

    def run(cell):
        capsys.readouterr()
        shell.run_cell(cell).raise_error()
        return capsys.readouterr().out

    return run


STUBS = {
    "nothing": "",
    "a tensor": "share = ...  # your code here",
    "a function": "def share(x):\n    '''Halve.'''\n    ...  # your code here",
    "a function without gradients": "@torch.no_grad()\ndef share(x):\n    ...",
    "a class": "class share(torch.nn.Module):\n"
    "    def __init__(self):\n        super().__init__()\n        ...\n"
    "    def forward(self, x):\n        ...",
    "a class of which one method is given": "class share:\n"
    "    @staticmethod\n    def forward(x):\n        return x\n"
    "    @staticmethod\n    def backward(x):\n        ...",
}


@pytest.mark.parametrize("stub", STUBS.values(), ids=STUBS)
def test_a_cell_is_skipped_while_its_answer_is_missing_or_a_stub(say, stub):
    say(stub)
    assert say(CELL) == SKIPPED


@pytest.mark.parametrize(
    "answer",
    [
        "share = table / 2",
        "share = None",
        "def share(x):\n    return x",
        "@torch.no_grad()\ndef share(x):\n    return x",
        "class share:\n    def __call__(self, x):\n        return x",
        "class share: pass",
    ],
)
def test_a_cell_runs_once_its_answer_is_there_whatever_it_is(say, answer):
    say(answer)
    assert say(CELL) == "runs\n"


def test_only_the_first_line_counts_and_only_for_this_cell(say):
    assert say("x = 1\n# needs share\nprint('runs')") == "runs\n"
    say(CELL)
    assert say("print('runs')") == "runs\n"
