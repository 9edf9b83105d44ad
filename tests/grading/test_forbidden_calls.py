"""Ready-made softmax in lesson 01, graded in the sandbox: seen, or a person is told."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from autograder.author.source import read_source
from autograder.grading.grade import grade
from autograder.grading.rebuild import rebuild, up_to_the_last
from autograder.records.course import Course
from autograder.records.findings import CallsForbidden
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).parents[2]
LESSON = "01-dot-product"
KEPT = ("dot-product", "softmax-naive", "softmax-stable")  # a whole lesson takes longer and shows no more


BY_NAME = "def softmax_naive(x):\n    return torch.softmax(x, dim=0)"
DISGUISED = 'def softmax_stable(x):\n    return getattr(torch, "xamtfos"[::-1])(x, dim=0)'
# What the learner's process says can be silenced there.
SILENCED = """
import contextlib
import autograder.probe.collect

autograder.probe.collect.Watch = lambda *given: contextlib.nullcontext([])
"""


@pytest.fixture(scope="module")
def verdicts(sandbox):
    """The verdicts on the solved tasks with some answers replaced and one cell added at the top."""
    course = Course.read(ROOT)
    solved = up_to_the_last(read_source(ROOT / "source" / LESSON / f"{LESSON}.py"), KEPT)
    release = nbformat.read(ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    release = up_to_the_last(release, KEPT)
    whole = course.load(LESSON)
    lesson = replace(whole, tasks={name: whole.tasks[name] for name in KEPT})

    def run(answers, added="pass"):
        submission = deepcopy(solved)
        for cell in submission.cells:
            cell.source = answers.get(cell["id"], cell.source)
        place = next(number for number, cell in enumerate(submission.cells) if cell["id"] == "setup")
        submission.cells.insert(place + 1, new_code_cell(added))
        return grade(rebuild(release, submission).notebook, lesson, sandbox)

    return run


def test_a_ready_made_softmax_is_seen_and_everything_else_earns_its_points(verdicts):
    graded = verdicts({"softmax-naive-answer": BY_NAME, "softmax-stable-answer": DISGUISED})
    found = graded.verdicts

    for task in ("softmax-naive", "softmax-stable"):
        assert isinstance(found[task].finding, CallsForbidden)
        assert (found[task].earned, found[task].right) == (0, True)
    assert all(verdict.passed for task, verdict in found.items() if not task.startswith("softmax-"))
    shown = next(cell for cell in graded.notebook.cells if cell["id"] == "softmax-naive").outputs[0]
    assert "<code>torch.softmax</code> is used in line 2" in shown.data["text/html"]


def test_where_it_is_not_seen_a_person_is_told(verdicts):
    graded = verdicts({"softmax-stable-answer": DISGUISED}, SILENCED)

    assert graded.verdicts["softmax-stable"].passed
    (note,) = [note for note in graded.notes if note.startswith("softmax-stable")]
    assert "`import autograder.probe.collect` reaches into code that runs, or into the checks" in note


WAYS = {
    "a thread": (
        "import threading\ndef softmax_stable(x):\n    got = []\n"
        "    one = threading.Thread(target=lambda: got.append(torch.softmax(x, 0)))\n"
        "    one.start()\n    one.join()\n    return got[0]"
    ),
    "a process": (
        "import multiprocessing\ndef softmax_stable(x):\n"
        "    return multiprocessing.Pool(1).apply(torch.softmax, (x, 0))"
    ),
    "a module that is asked for": (
        "import inspect\ndef softmax_stable(x):\n"
        "    return inspect.getmodule(torch.nn.functional.relu).softmax(x, 0)"
    ),
    "the course's own": (
        "import visuals.flow\ndef softmax_stable(x):\n"
        "    return torch.tensor(visuals.flow.softmax(x.numpy()), dtype=x.dtype)"
    ),
    "attention": (
        "def softmax_stable(x):\n    one = torch.ones(1, 1)\n"
        "    return torch.nn.functional.scaled_dot_product_attention(\n"
        "        one, x[:, None], torch.eye(len(x)), scale=1.0)[0]"
    ),
    "a subclass in a thread": (
        "import threading\nclass Mine(torch.nn.MultiheadAttention):\n    pass\n"
        "def softmax_stable(x):\n    got = []\n    def work():\n        mine = Mine(1, 1, bias=False)\n"
        "        mine.in_proj_weight.data.fill_(1.0)\n"
        "        got.append(mine(torch.ones(1, 1), x[:, None], x[:, None])[1][0].detach())\n"
        "    one = threading.Thread(target=work)\n    one.start()\n    one.join()\n    return got[0]"
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_way_around_is_seen_or_a_person_is_told(verdicts, way):
    graded = verdicts({"softmax-stable-answer": WAYS[way]})
    found = graded.verdicts["softmax-stable"]
    assert not found.passed or [note for note in graded.notes if note.startswith("softmax-stable")]


def test_of_a_solution_a_person_is_told_nothing(verdicts):
    assert verdicts({}).notes == ()
