"""Ready-made softmax in lesson 01, graded in the sandbox: seen, or a person is told."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from autograder.author.parse_source import read_source
from autograder.grading.grade_notebook import grade
from autograder.grading.rebuild_submission import rebuild, up_to_the_last
from autograder.records.answer_findings import CallsForbidden
from autograder.records.course import Course
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).parents[2]
LESSON = "01-dot-product"
KEPT = ("dot-product", "softmax-naive", "softmax-stable")  # a whole lesson takes longer and shows no more


BY_NAME = "def softmax_naive(x):\n    return torch.softmax(x, dim=0)"
DISGUISED = 'def softmax_stable(x):\n    return getattr(torch, "xamtfos"[::-1])(x, dim=0)'


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
        position = next(number for number, cell in enumerate(submission.cells) if cell["id"] == "setup")
        submission.cells.insert(position + 1, new_code_cell(added))
        return grade(rebuild(release, submission).notebook, lesson, sandbox)

    return run


def test_a_ready_made_softmax_is_seen_and_everything_else_earns_its_points(verdicts):
    graded = verdicts({"softmax-naive-answer": BY_NAME, "softmax-stable-answer": DISGUISED})
    actual = graded.verdicts

    for task in ("softmax-naive", "softmax-stable"):
        assert isinstance(actual[task].finding, CallsForbidden)
        assert (actual[task].earned, actual[task].right) == (0, True)
    assert all(verdict.passed for task, verdict in actual.items() if not task.startswith("softmax-"))
    shown = next(cell for cell in graded.notebook.cells if cell["id"] == "softmax-naive").outputs[0]
    assert "<code>torch.softmax</code> is used in line 2" in shown.data["text/html"]


# Cells that come first. Each is to keep the call from being seen.
SILENCERS = {
    "evidence without it": (
        "import contextlib, autograder.probe.collect_evidence\n"
        "autograder.probe.collect_evidence.Watch = lambda *given: contextlib.nullcontext([])"
    ),
    "JSON without it": (
        "import json\ndumps = json.dumps\n"
        "def without(value, *a, **k):\n"
        "    if isinstance(value, dict) and isinstance(value.get('evidence'), dict):\n"
        "        value['evidence'].pop('forbidden', None)\n"
        "    return dumps(value, *a, **k)\n"
        "json.dumps = without"
    ),
    "exit stacks that open nothing": (
        "import contextlib\nenter = contextlib.ExitStack.enter_context\n"
        "contextlib.ExitStack.enter_context = lambda self, one: None"
    ),
    "a text that timeit runs": (
        "import timeit\ntimeit.timeit('import autograder.probe.forbidden_calls as f; "
        "f.Watch.__enter__ = lambda s: s.calls; f.Watch.__exit__ = lambda s, *p: None', number=1)"
    ),
    "a field of a format": (
        "import string\ndef reach(function, *names):\n    for name in names:\n"
        "        field = '0.__globals__[' + name + ']'\n"
        "        function = string.Formatter().get_field(field, (function,), {})[0]\n    return function\n"
        "watch = reach(check, '_checked', '_evidence', 'collect', 'collect_answer', 'Watch')\n"
        "watch.__enter__ = lambda self: self.calls\nwatch.__exit__ = lambda self, *problem: None"
    ),
    "a mode that computes when the evidence is packed": (
        "from torch.overrides import TorchFunctionMode\n"
        "class Late(TorchFunctionMode):\n"
        "    def __torch_function__(self, function, types, args=(), kwargs=None):\n"
        "        out = function(*args, **(kwargs or {}))\n"
        "        if getattr(function, '__name__', '') == 'contiguous' and out.ndim == 1:\n"
        "            return torch.softmax(out, 0)\n"
        "        return out\n"
        "Late().__enter__()"
    ),
    "a watch that is taken away at its last moment": (
        "import autograder.lesson.check_calls, autograder.probe.forbidden_calls as f\n"
        "for library in f._end.__closure__:\n"
        "    libraries = library.cell_contents\n"
        "    if isinstance(libraries, dict):\n        gone = libraries\n"
        "reset, honest = torch._C._DispatchModule.reset, autograder.lesson.check_calls.collect\n"
        "def collect(*given):\n    [reset(one) for one in gone.values()]\n    return honest(*given)\n"
        "autograder.lesson.check_calls.collect = collect"
    ),
}


@pytest.mark.parametrize("way", SILENCERS)
def test_what_a_learner_replaces_keeps_no_call_from_costing_points_or_a_person_is_told(verdicts, way):
    answer = "def softmax_stable(x):\n    return x" if "packed" in way else DISGUISED
    graded = verdicts({"softmax-stable-answer": answer}, SILENCERS[way])
    verdict = graded.verdicts["softmax-stable"]
    assert not verdict.passed or graded.flags["softmax-stable"]


def test_where_the_watch_cannot_be_believed_a_person_is_told(verdicts):
    message = 'struct.pack(">cI", b"F", 10) + b\'["0", "1"]\''
    graded = verdicts(
        {},
        "import os, stat, struct\n"
        "pipes = [n for n in range(3, 64) if os.path.exists(f'/dev/fd/{n}')]\n"
        f"os.write(max(n for n in pipes if stat.S_ISFIFO(os.fstat(n).st_mode)), {message})",
    )
    assert all(verdict.passed for verdict in graded.verdicts.values())
    assert [name for name, flags in graded.flags.items() if flags == ("may-hide",)] == list(KEPT[1:])
    assert all("did not answer while its check ran" in note for note in graded.notes)


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
    actual = graded.verdicts["softmax-stable"]
    assert not actual.passed or [note for note in graded.notes if note.startswith("softmax-stable")]


def test_of_a_solution_a_person_is_told_nothing(verdicts):
    assert verdicts({}).notes == ()
