"""The course's answers that stand in for wrong ones: they do what they did, and their text is nowhere."""

from __future__ import annotations

import pytest
from autograder.grading.notebook_runners import SandboxRunner
from autograder.records.bank import AS_SEEN
from autograder.records.cell_roles import STANDS_IN
from nbformat.v4 import new_code_cell, new_notebook
from support.cells import marks
from support.class_course import LESSON

SETUP = "import torch\nfrom torch import nn\nfrom autograder import check, hint, progress"
ANSWER = '''
"""QUETZAL-DOC"""
def total(a, b):
    """QUETZAL-DOC"""
    QUETZAL_VAR = a * b  # QUETZAL-COM
    return QUETZAL_VAR.sum()
'''
# Looks for these words, which are nowhere in it, in all memory: there lies whatever keeps cells.
READ = """
import ctypes
head, tails = "ZTEUQ"[::-1].encode(), (b"COD-LA", b"RAV_LA", b"MOC-LA")
found = set()
for line in open("/proc/self/maps"):
    span, rights, *_ = line.split()
    start, end = (int(part, 16) for part in span.split("-"))
    for place in range(start, end if rights.startswith("rw") else start, 1 << 22):
        piece = ctypes.string_at(place, min(1 << 22, end - place))
        at = piece.find(head)
        while at >= 0:
            if (tail := piece[at + 5 : at + 11][::-1]) in tails:
                found.add(tail)
            at = piece.find(head, at + 1)
print(len(found), total(torch.ones(3), b=torch.ones(3)).item())
"""


def printed(sandbox: SandboxRunner, answer: str, learners: str, before: str = "pass") -> str:
    """Return what a learner's cell prints after an answer of the course's that stands in for theirs."""
    stands_in = {**marks("total-answer", True), STANDS_IN: True}
    cells = [
        new_code_cell(SETUP, id="setup"),
        new_code_cell(before, id="added-by-learner-0"),
        new_code_cell(answer, id="total-answer", metadata=stands_in),
        new_code_cell(learners, id="added-by-learner-1"),
    ]
    sandbox.begin(LESSON)
    outputs = sandbox(new_notebook(cells=cells), AS_SEEN).notebook.cells[-1].outputs
    return "".join(output.get("text", output.get("evalue", "")) for output in outputs).strip()


def test_no_text_of_an_answer_that_stands_in_is_in_the_memory_of_a_run(sandbox):
    assert printed(sandbox, ANSWER, READ) == "0 3.0"


# An answer, what a learner did before it, what they try after it, and what that comes to.
WORKS = {
    "a class": (
        "class Twice(nn.Linear):\n    '''It does.'''\n"
        "    def __init__(self, width, *more, bias=True, **named):\n"
        "        super().__init__(width, width, bias)\n        self.more = (more, named)\n"
        "    def forward(self, x):\n        return 2 * super().forward(x)",
        "torch = nn = 5",
        "it = Twice(2, 7, bias=False, other=1); print(it.bias, it.more, *dict(it.named_parameters()))",
        "None ((7,), {'other': 1}) weight",
    ),
    "a closure": (
        "def count(start):\n    'It counts.'\n    number = start\n    def more(by=1):\n"
        "        nonlocal number\n        number += by\n"
        "        return [number * one for one in range(3)]\n    return more",
        "range = None",
        "more = count(2); more(); print(more(by=2))",
        "[0, 5, 10]",
    ),
    "a tensor": (
        "table = torch.stack([torch.ones(2) * k for k in (0, 1)])",
        "",
        "print(table.sum())",
        "tensor(2.)",
    ),
    "without a body": ("def idle():\n    '''None.'''", "", "print(idle(), idle.__doc__)", "None None"),
    "a magic": ("%precision 3\nvalue = 7", "", "print(value)", "7"),
    "an error": ("def fails():\n    raise KeyError('why')", "", "fails()", "'why'"),
    "its own name": ("def sum(x):\n    return list(x)\nown = sum('a')", "list = 3", "print(own)", "['a']"),
    "is it the main module": ("main = __name__", "", "print(main)", "__main__"),
}


@pytest.mark.parametrize("kind", WORKS)
def test_an_answer_that_stands_in_does_what_it_did(sandbox, kind):
    answer, before, after, wanted = WORKS[kind]
    assert printed(sandbox, answer, after, before or "pass") == wanted
