"""The sandbox's shell beside a real kernel: the same cells leave the same outputs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest
from autograder.grading.sandbox.ipython_shell import MOST_TEXT, Outputs
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

CELLS = {
    "print": "print('one')\nprint('two', end='')",
    "stderr": "import sys\nprint('out', flush=True)\nprint('trouble', file=sys.stderr)",
    "result": "x = [1, 2]\nx",
    "nothing": "x = 3",
    "suppressed": "x;",
    "last-result": "4 * 4\n_ + 1",
    "error": "def f(n):\n    return 1 / n\n\n\nf(0)",
    "name-error": "undefined_name",
    "chained": "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('no a') from e",
    "kept-errors": "[one['evalue'] for one in get_ipython().history_manager.exceptions.values()]",
    "syntax": "def f(:\n    pass",
    "indentation": "if True:\nprint('x')",
    "system-exit": "raise SystemExit(2)",
    "after-exit": "print('still here')",
    "display": "from IPython.display import *\ndisplay(HTML('<b>b</b>'), 7)\nMarkdown('*m*')",
    "rich": (
        "class Rich:\n"
        "    def _repr_html_(self):\n        return '<i>rich</i>'\n"
        "    def _repr_latex_(self):\n        return '$x$'\n"
        "    def __repr__(self):\n        return 'plain'\n"
        "Rich()"
    ),
    "mimebundle": (
        "class Bundle:\n"
        "    def _repr_mimebundle_(self, include=None, exclude=None):\n"
        "        return {'text/plain': 'p', 'application/json': {'a': 1}}, {'application/json': {'e': 1}}\n"
        "Bundle()"
    ),
    "bytes": "class Pixels:\n    def _repr_png_(self):\n        return b'\\x89PNG'\nPixels()",
    "bytes-displayed": "handle = display(Pixels(), display_id='pixels')\nhandle.update(Pixels())",
    "broken-repr": "class Broken:\n    def __repr__(self):\n        raise RuntimeError('no words')\nBroken()",
    "clear": "from IPython.display import clear_output\nprint('gone')\nclear_output()\nprint('kept')",
    "clear-wait": "for n in range(3):\n    clear_output(wait=True)\n    print('step', n)",
    "clear-last": "print('kept')\nclear_output(wait=True)",
    "update": "handle = display('first', display_id='one')\nhandle.update('second')\nprint('between')",
    "update-twice": "display(1, display_id='two')\ndisplay(2, display_id='two')\n"
    "display(3, display_id='two', update=True)",
    "await": "import asyncio\nawait asyncio.sleep(0)\nprint('awaited')\nawait asyncio.sleep(0, 'value')",
    "magic": "%precision 2\n3.14159",
    "magic-back": "%precision",
    "cell-magic": "%%capture caught\nprint('caught')",
    "captured": "caught.stdout",
    "no-magic": "%nosuchmagic",
    "magic-inside": "if True:\n    %precision 3\n1.23456",
    "magic-assigned": "n = 2\ndigits = %precision\ndigits",
    "system": "x = 1\n!echo said",
    "system-assigned": "said = !echo said\nsaid",
    "question": "x = 1\nx?",
    "call-without-brackets": "x = 1\n/len 'four'",
    "after-another-line-end": "x = 1\r%precision 4\r\n1.23456",
    "no-question": "1 != 2  # is it?",
    "modulo": "(7\n% 4)",
    "indented": "    x = 1\n    x + 1",
    "prompts": ">>> x = 1\n>>> x + 1",
    "dedent": "if True:\n        x = 1\n    x = 2",
    "open-bracket": "x = (1,\n",
    "open-text": "x = '''open",
    "escape": "import re\nre.match('\\d', '1').group()",
    "async": "async def ones():\n    yield 1\n[one async for one in ones()]",
    "not-await": "awaited = 'async'\nawaited",
    "torch": "import torch\ntorch.arange(6.).reshape(2, 3)",
    "warning": "import warnings\nwarnings.simplefilter('always')\nwarnings.warn('careful')",
    "figure": (
        "%matplotlib inline\nimport matplotlib.pyplot as plt\n"
        "fig, ax = plt.subplots(figsize=(2, 1))\nax.plot([1, 2], [2, 1])\nprint('drawn')"
    ),
    "figure-shown": "plt.figure(figsize=(1, 1))\nplt.show()\nprint('after')",
    "widget": "import ipywidgets\nipywidgets.IntSlider(value=3)",
    "widget-shown": "display(ipywidgets.HTML('x'))",
    "long": "print('x' * 50_000)",
    "unicode": "print('π × 2 — ✓')\n'日本'",
    "history": "In[1][:5], sorted(Out)[:3], [name for name in dir() if name.startswith('_i')][:3]",
    "mixed": "import sys\nfor n in range(3):\n    print(n)\n    print(-n, file=sys.stderr)",
    "progress": "for n in range(4):\n    print('\\rstep', n, end='')",
    "input": "input('who? ')",
    "getpass": "import getpass\ngetpass.getpass()",
    "shown-here": "handle = display('first', display_id='late')\nprint('below')",
    "updated-later": "handle.update('second')\nprint('elsewhere')",
    "timeit": "%%timeit -n 1 -r 1 -q\npass",
    "who": "%who_ls module",
    "assertion": "def check_shape(x):\n    assert x.shape == (2,), x.shape\n\n\ncheck_shape(torch.ones(3))",
    "group": "raise ExceptionGroup('several', [ValueError('a'), TypeError('b')])",
    "warning-in-a-library": "torch.tensor(torch.ones(2))",
    "names": "sorted(set(dir()) & {'plt', 'x', 'f', 'torch', 'shell', 'Shell', 'sys', '_1', '_'})",
}
# How the sandbox shows the stack of an error.
PLAIN_STACKS = ["--InteractiveShell.xmode=Plain"]
# Runs in a process of its own: IPython allows one shell in each.
DRIVER = """
import json, sys
from autograder.grading.sandbox.ipython_shell import Shell
shell = Shell()
shell.warm_up(['import matplotlib.pyplot', '1 + 1'])
cells = json.load(sys.stdin)
found = {name: [count, outputs] for name, count, outputs in shell.run(iter(cells.items()))}
json.dump(found, sys.stdout)
"""


def settled(value: Any) -> Any:
    """Outputs without what differs from one process to the next: ids, addresses, numbered files."""
    text = json.dumps(value, sort_keys=True)
    text = re.sub(r"\b[0-9a-f]{32}\b", "ID", text)
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
    text = re.sub(r"([~/][^\s\"\\:<>]*ipykernel_\d+/)?\b\d+\.py", "CELL", text)
    return json.loads(text)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Tracebacks write it as ~."""
    return dict.fromkeys(("HOME", "TMPDIR"), str(tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="module")
def in_shell(home: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps(CELLS),
        env={"PATH": "/usr/bin:/bin", **home, "MPLBACKEND": "module://matplotlib_inline.backend_inline"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    actual: dict[str, Any] = json.loads(done.stdout)
    return actual


@pytest.fixture(scope="module")
def in_kernel(home: dict[str, str]) -> dict[str, Any]:
    notebook = new_notebook(cells=[new_code_cell(source, id=name) for name, source in CELLS.items()])
    client = NotebookClient(
        notebook, allow_errors=True, coalesce_streams=True, timeout=60, extra_arguments=PLAIN_STACKS
    )
    client.execute(env={**os.environ, **home})
    return {cell["id"]: [cell.execution_count, cell.outputs] for cell in notebook.cells}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_leaves_what_it_leaves_in_a_kernel(in_shell, in_kernel, name):
    assert settled(in_shell[name]) == settled(in_kernel[name])


# How outputs are put together


def kept(outputs: Outputs) -> list[tuple[str, str]]:
    return [(output["name"], output["text"]) for output in outputs.finished()]


def test_text_of_one_stream_is_one_output_and_stdout_comes_first():
    outputs = Outputs()
    for stream, text in (("stderr", "a"), ("stdout", "b"), ("stderr", "c"), ("stdout", "d")):
        outputs.text(stream, text)
    assert kept(outputs) == [("stdout", "bd"), ("stderr", "ac")]


def test_what_a_carriage_return_overwrote_is_gone():
    outputs = Outputs()
    for step in range(3):
        outputs.text("stdout", f"\rstep {step}")
    outputs.text("stdout", "\r\nend")
    assert kept(outputs) == [("stdout", "step 2\r\nend")]


def test_what_is_printed_beyond_the_most_is_counted_and_not_kept():
    outputs = Outputs()
    for _ in range(3):
        outputs.text("stdout", "x" * (MOST_TEXT // 2 + 1))
    ((_, text),) = kept(outputs)
    assert text == "x" * MOST_TEXT + f"\n… {MOST_TEXT // 2 + 3} more characters were cut off …"


def test_what_was_cleared_takes_no_room():
    outputs = Outputs()
    for step in range(5):
        outputs.message("clear_output", {"wait": True}, {})
        outputs.text("stdout", f"{step}" * (MOST_TEXT // 2))
    assert kept(outputs) == [("stdout", "4" * (MOST_TEXT // 2))]


def test_a_message_that_is_no_output_leaves_nothing():
    outputs = Outputs()
    outputs.message("comm_open", {"comm_id": "1"}, {})
    outputs.message("status", {"execution_state": "busy"}, {})
    assert outputs.finished() == []
