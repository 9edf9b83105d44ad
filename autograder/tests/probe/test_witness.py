"""What a process that grades hears of forbidden calls, whatever the code beside the witness does."""

from __future__ import annotations

import json
import os
import sys
import traceback

import pytest
import torch
from autograder.grading.sandbox import framing
from autograder.grading.sandbox.forbidden_call_log import read_call_reports
from autograder.probe import forbidden_calls
from support.tiny_lesson import FAMILIES

TASK = "weights"
SOFTMAX = "def weights(x):\n    return torch.softmax(x, 0)"
HONEST = "def weights(x):\n    e = torch.exp(x - x.max())\n    return e / e.sum()"

# What runs before the test cell: each is to keep a call from being heard of.
SILENCERS = {
    "the watch's class": (
        "import autograder.probe.forbidden_calls as f\n"
        "f.Watch.__enter__ = lambda self: self.calls\nf.Watch.__exit__ = lambda *_: None"
    ),
    "all names of the watch's module": (
        "import autograder.probe.forbidden_calls as f\n"
        "for name in [n for n in vars(f) if not n.startswith('__')]:\n"
        "    setattr(f, name, lambda *a, **k: '')"
    ),
    "torch's libraries": (
        "torch.library._scoped_library = torch.library.Library = lambda *a, **k: None\n"
        "torch.library.Library.impl = lambda *a, **k: None"
    ),
    "the dispatcher's functions": (
        "for name in [n for n in dir(torch._C) if n.startswith(('_dispatch', '_parse', '_get_operation'))]:\n"
        "    setattr(torch._C, name, lambda *a, **k: '')"
    ),
    "the dispatcher's classes": (
        "for one in (torch._C._DispatchModule, torch._C._SafeKernelFunction):\n"
        "    for name in ('impl', 'reset', 'call_boxed'):\n"
        "        setattr(one, name, lambda *a, **k: None)"
    ),
    "exit stacks": (
        "import contextlib\ncontextlib.ExitStack.enter_context = lambda *a: None\n"
        "contextlib.contextmanager = contextlib.suppress = contextlib.ExitStack.close = lambda *a: None"
    ),
    "JSON": (
        "import json.encoder, _json\n"
        "json.dumps = json.encoder.encode_basestring_ascii = lambda *a, **k: '{}'\n"
        "_json.encode_basestring_ascii = lambda *a: '\"\"'"
    ),
    "what writes": (
        "import os, posix\n"
        "for one in (os, posix):\n    one.write = lambda *a: 1\n    one.fstat = lambda *a: one.stat('/')"
    ),
    "the senders": (
        "import autograder.grading.sandbox.framing as f\n"
        "f.sender = f.Writer = f.send = lambda *a: None\nf.HEADER = None"
    ),
    "builtins": (
        "import builtins\nfor name in ('OSError', 'ValueError', 'frozenset', 'sorted', 'vars', 'next'):\n"
        "    setattr(builtins, name, lambda *a, **k: 0)"
    ),
    "hashes": "import hashlib, _blake2\nhashlib.blake2b = _blake2.blake2b = None",
    "modules": (
        "for name in ('json', 'os', 'posix', 'autograder.probe.forbidden_calls'):\n"
        "    sys.modules[name] = None"
    ),
    "frames": "sys._getframe = lambda *a: None",
    "caches": "import functools\nfunctools.cache = functools.lru_cache = lambda *a: lambda *a: ''",
    "lines": "import linecache\nlinecache.getline = lambda *a: 1 / 0",
    "warnings": "import warnings\nwarnings.simplefilter('error')\nwarnings.catch_warnings = None",
    "patterns": "import re\nre.compile = re.fullmatch = lambda *a: None",
    "torch's own names": (
        "plain = torch.softmax\n"
        "torch._C._VariableFunctions = torch.Tensor.softmax = torch.softmax = torch.ops.aten = None"
    ),
    "a function mode left on": (
        "class Mode(torch.overrides.TorchFunctionMode):\n"
        "    def __torch_function__(self, function, types, args=(), kwargs=None):\n"
        "        return function(*args, **(kwargs or {}))\n"
        "Mode().__enter__()"
    ),
    "a dispatch mode left on": (
        "from torch.utils._python_dispatch import TorchDispatchMode\n"
        "class Mode(TorchDispatchMode):\n"
        "    def __torch_dispatch__(self, function, types, args=(), kwargs=None):\n"
        "        return function(*args, **(kwargs or {}))\n"
        "Mode().__enter__()"
    ),
    "kernels of its own on top": (
        "own = torch.library.Library('aten', 'IMPL')\n"
        "at_work = torch._C._dispatch_get_computed_kernel_for_dispatch_key('aten::_softmax',\n"
        "    torch._C._parse_dispatch_key('CPU'))\n"
        "def on_top():\n"
        "    own.impl('_softmax', lambda keys, *a: at_work.call_boxed(keys, *a), 'CPU', with_keyset=True)\n"
        "    own.impl('softmax.int', lambda x, d, t=None: torch._softmax(x, d, False),\n"
        "        'CompositeImplicitAutograd')"
    ),
    "a message taken out again": (
        "import os\ndef take_out():\n"
        "    os.read(os.open(f'/proc/self/fd/{pipe}', os.O_RDONLY | os.O_NONBLOCK), 1 << 16)"
    ),
    "messages of its own": (
        "import os, struct, json\n"
        "for n, says in enumerate(('begins', 'ends')):\n"
        "    text = json.dumps(['0' * 16, json.dumps({'number': n, 'says': says, 'task': 'weights'})])\n"
        "    os.write(pipe, struct.pack('>cI', b'F', len(text)) + text.encode())"
    ),
}  # fmt: skip
AROUND = {  # what the answer does besides
    "kernels of its own on top": "def weights(x):\n    on_top()\n    return torch.softmax(x, 0)",
    "a message taken out again": "def weights(x):\n    y = torch.softmax(x, 0)\n    take_out()\n    return y",
    "torch's own names": "def weights(x):\n    return plain(x, 0)",
}


@pytest.fixture(scope="module", autouse=True)
def prepared():
    forbidden_calls.prepare([(TASK, (FAMILIES["softmax"],)), ("free", ())])


def hears(before, answer, cells=(TASK,)):
    """What is heard of a process in which a cell runs, and then a test cell that calls an answer."""
    into, out = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            torch.set_num_threads(1)
            os.close(into)
            watching = forbidden_calls.witness(framing.sender(out, framing.SEEN))
            names = {"torch": torch, "sys": sys, "pipe": out}
            for source in (before, answer):
                exec(compile(source, "<cell>", "exec"), names)
            for cell in cells:
                watching(cell)
                try:
                    names["weights"](torch.ones(3))
                except BaseException:
                    traceback.print_exc()
                watching("")
        finally:
            os._exit(0)
    os.close(out)
    reader, messages = framing.Reader(framing.SEEN, 4096), []
    while piece := os.read(into, 1 << 16):
        messages += [json.loads(payload) for _, payload in reader.feed(piece)]
    os.close(into)
    os.waitpid(child, 0)
    return read_call_reports(messages)


def test_a_call_is_heard_of_with_its_line_and_the_watch_stands_to_the_end():
    actual = hears("", SOFTMAX)

    (reported,) = actual.calls
    assert reported["task"] == TASK
    assert reported["call"] == {
        "name": "torch.softmax", "family": "softmax", "line_number": 2, "function": "weights"
    }  # fmt: skip
    assert actual.watched == {TASK}


@pytest.mark.parametrize(
    "answer",
    [
        HONEST,
        "def weights(x):\n    raise SystemExit",
        "def weights(x):\n    raise KeyboardInterrupt",
        "torch.set_default_device('meta')\ntorch.set_default_dtype(torch.float64)\n" + HONEST,
        "torch.inference_mode().__enter__()\n" + HONEST,
        "torch.set_grad_enabled(False)\ntorch.use_deterministic_algorithms(True)\n" + HONEST,
        "torch.autocast('cpu', torch.bfloat16).__enter__()\n" + HONEST,
        "def weights(x):\n    return torch.vmap(torch.exp)(x)",
        "def weights(x):\n    weights(x)",
        "import warnings\nwarnings.simplefilter('error')\n" + HONEST,
    ],
)
def test_of_an_honest_answer_no_call_is_heard_and_the_watch_stands_to_the_end(answer):
    actual = hears("", answer)
    assert (actual.calls, actual.watched) == ((), {TASK})


@pytest.mark.parametrize("way", SILENCERS)
def test_a_call_is_heard_of_or_the_watch_does_not_stand(way):
    actual = hears(SILENCERS[way], AROUND.get(way, SOFTMAX))
    assert actual.calls or TASK not in actual.watched


def test_only_test_cells_that_forbid_something_are_watched():
    assert hears("", SOFTMAX, ("elsewhere", "free", "")).calls == ()
    assert hears("", SOFTMAX, ("elsewhere", "free", "")).watched == frozenset()


def test_each_test_cell_is_watched_for_itself():
    actual = hears("", SOFTMAX, (TASK, TASK))
    assert len(actual.calls) == 2


def test_a_loop_of_calls_is_told_of_once_a_line():
    many = "\n".join("    torch.softmax(x, 0)" for _ in range(40))
    assert (
        len(hears("", f"def weights(x):\n    for _ in range(99):\n        torch.softmax(x, 0)\n{many}").calls)
        == 10
    )


def test_calls_of_many_threads_are_all_heard_of():
    threads = (
        "import threading\ndef weights(x):\n"
        "    work = [threading.Thread(target=eval(f'lambda: torch.softmax(x, 0)' + '\\n' * n,"
        " {'torch': torch, 'x': x})) for n in range(9)]\n"
        "    [one.start() for one in work]\n    [one.join() for one in work]"
    )
    assert hears("", threads).watched == {TASK}
    assert hears("", threads).calls


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [None],
        [["", "00"], 5],
        [["", "zz"]],
        [["", "00"], ["0" * 16, "[]"]],
        [["", "00"], ["\u00e9", '{"number": 0, "says": "ends", "task": "weights"}']],
        [["", "00"], ["x", '{"number": 0, "says": ["ends"], "task": {}}']],
    ],
)
def test_what_is_no_message_of_the_witness_is_no_watch(messages):
    assert read_call_reports(messages).watched == frozenset()
