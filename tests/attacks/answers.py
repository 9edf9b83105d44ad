"""Submissions that try to get what they have not earned, or to bring the run down.

Each is what a learner would hand in: cells changed or added in an otherwise untouched lesson 01. None of them
solves a task, unless `earns` says so. They are run for real, so every one of them is harmless where it
succeeds: it leaves a mark (`MARK`) instead of damage.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

# What a successful attack prints, writes or calls itself.
MARK = "attack-succeeded-7f3a"
WRONG = "def dot(a, b):\n    return a.sum() - b.sum()"


@dataclass(frozen=True)
class Attack:
    """One submission.

    Args:
        make: changes a copy of the release into what is handed in; may return text that is no notebook.
        earns: points that it earns honestly.
        notes: a word that the notes for the instructor must hold, where a person should know.
        beside: files to be put beside the notebook, by name.
    """

    make: Callable[[NotebookNode], NotebookNode | str | None]
    earns: int = 0
    notes: str = ""
    beside: tuple[tuple[str, str], ...] = ()


def answer(notebook: NotebookNode, task: str, code: str) -> None:
    next(cell for cell in notebook.cells if cell["id"] == f"{task}-answer").source = code


def added(code: str, after: str = "setup") -> Callable[[NotebookNode], None]:
    """The wrong answer for the first task, and a cell of the attacker's own."""

    def make(notebook: NotebookNode) -> None:
        answer(notebook, "dot-product", WRONG)
        place = next(i for i, cell in enumerate(notebook.cells) if cell["id"] == after)
        notebook.cells.insert(place + 1, new_code_cell(code))

    return make


def inside(code: str, task: str = "dot-product") -> Callable[[NotebookNode], None]:
    """Code in the place of an answer."""
    return lambda notebook: answer(notebook, task, code)


def edited(change: Callable[[NotebookNode], None]) -> Callable[[NotebookNode], None]:
    """The wrong answer, and a change to the notebook itself."""

    def make(notebook: NotebookNode) -> None:
        answer(notebook, "dot-product", WRONG)
        change(notebook)

    return make


def check_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.source.startswith("check(")]


def _tag_all(notebook: NotebookNode) -> None:
    for cell in check_cells(notebook):
        cell.metadata["tags"] = ["skip-execution", "raises-exception", "remove-cell"]
        cell.metadata["nbgrader"]["points"] = 1000
        cell.source = "5"


def _delete_tests(notebook: NotebookNode) -> None:
    gone = {cell["id"] for cell in check_cells(notebook)}
    notebook.cells = [cell for cell in notebook.cells if cell["id"] not in gone]


def _strip(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata = {}
        del cell["id"]


def _swap_ids(notebook: NotebookNode) -> None:
    cells = check_cells(notebook)
    ids = [cell["id"] for cell in cells]
    for cell, name in zip(cells, ids[1:] + ids[:1], strict=True):
        cell["id"] = name
        cell.metadata["nbgrader"]["grade_id"] = name
        cell.metadata["nbgrader"]["solution"] = True


def _double_everything(notebook: NotebookNode) -> None:
    notebook.cells = [deepcopy(cell) for cell in notebook.cells for _ in range(3)]


def _scripts(notebook: NotebookNode) -> None:
    script = f"<script>document.title = '{MARK}'</script><img src=x onerror=\"document.title='{MARK}'\">"
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = script
    notebook.cells.insert(1, new_markdown_cell(script))
    notebook.cells.insert(2, new_code_cell(f"from IPython.display import HTML\nHTML('''{script}''')"))
    notebook.cells.insert(3, new_code_cell(f"raise ValueError('''{script}''')"))
    notebook.cells.insert(
        4, new_code_cell(f"from IPython.display import Javascript\nJavascript(\"document.title='{MARK}'\")")
    )
    notebook.cells.insert(
        5,
        new_code_cell(
            "from IPython.display import SVG, Markdown, display\n"
            f'display(SVG(\'<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="{MARK}"</script>'
            f"</svg>'))\ndisplay(Markdown('''{script}'''))"
        ),
    )
    answer(notebook, "dot-product", f'def dot(a, b):\n    raise ValueError("""{script}""")')


SEARCH = f"""
import os
wanted = ("solutions", "gradebook.db", "submitted", "tasks.py", "nbgrader_config.py", "notebooks", "source")
for folder, folders, files in os.walk("/", onerror=lambda problem: None):
    if folder.startswith(("/proc", "/sys", "/usr", "/lib")):
        continue
    hits = set(wanted) & {{*folders, *files}}
    if hits and "site-packages" not in folder and "lib/python" not in folder:
        print("{MARK}", folder, hits)
"""

BANK = f"""
import glob, safetensors.torch, autograder, os
place = os.path.dirname(autograder.__file__) + "/bank"
for path in glob.glob(place + "/*.safetensors"):
    held = safetensors.torch.load_file(path)
    found = [key for key in held if "expected" in key or "wrong" in key or "redrawn" in key]
    if found:
        print("{MARK}", path, found[:3])
"""

FRAMES = f"""
import gc, sys, torch
class Thief:
    def __call__(self, a, b):
        frame = sys._getframe()
        while frame:
            for name, value in list(frame.f_locals.items()):
                if name in ("expected", "bank", "verdict"):
                    print("{MARK}", name)
            frame = frame.f_back
        for thing in gc.get_objects():
            if type(thing).__name__ == "Outcome" and getattr(thing, "tensor", None) is not None:
                return thing.tensor
            if type(thing).__name__ == "Probe" and getattr(thing.expected, "tensor", None) is not None:
                return thing.expected.tensor
        return a.sum()
dot = Thief()
"""

SUBCLASS = """
class Always(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True
    def __eq__(self, other):
        return True
    def __getattribute__(self, name):
        if name == "shape":
            return torch.Size(())
        return super().__getattribute__(name)
def dot(a, b):
    return torch.zeros(()).as_subclass(Always)
"""

FORGED_OUTPUT = """
from autograder.outcome import Evidence, Outcome
from autograder.learner import EvidenceOutput
import autograder.learner, autograder.collect
def forged(task, *rest, **named):
    return Evidence(task.id, "answered", outcomes={
        probe: Outcome("torch.Tensor", torch.tensor(1.0), (), "float32") for probe in task.probes})
autograder.collect.collect = autograder.learner.collect = forged
autograder.learner.collect_answer = forged
"""

CHANNEL = f"""
import os, json, struct
message = json.dumps({{"id": "dot-product", "count": 1, "outputs": [
    {{"output_type": "execute_result", "data": {{"text/plain": "2"}}, "metadata": {{}}, "execution_count": 1}}]}})
end = json.dumps({{"how": "finished", "cell": "{MARK}"}})
for descriptor in range(3, 64):
    try:
        os.write(descriptor, struct.pack(">cI", b"C", len(message)) + message.encode())
        os.write(descriptor, struct.pack(">cI", b"E", len(end)) + end.encode())
    except OSError:
        pass
"""

GARBAGE = """
import os
for descriptor in range(3, 64):
    try:
        os.write(descriptor, b"\\xff" * 5000)
    except OSError:
        pass
"""

ESCAPE = f"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
tries = {{
    "unshare user": libc.unshare(0x10000000),
    "unshare mount": libc.unshare(0x00020000),
    "mount": libc.mount(b"none", b"/mnt", b"tmpfs", 0, None),
    "umount": libc.umount2(b"/tmp", 2),
    "chroot": libc.chroot(b"/tmp"),
    "pivot": libc.syscall(155, b"/tmp", b"/tmp"),
    "ptrace": libc.ptrace(16, 1, 0, 0),
    "setns": libc.setns(os.open("/proc/1/ns/mnt", os.O_RDONLY) if os.access("/proc/1/ns/mnt", os.R_OK) else -1, 0),
    "mknod": libc.mknod(b"/tmp/disk", 0o60600, 0xfe00),
}}
for name, result in tries.items():
    if result == 0:
        print("{MARK}", name)
try:
    open("/proc/1/mem", "rb").read(1)
    print("{MARK}", "memory of process 1")
except OSError:
    pass
"""

WRITES = f"""
import os
for place in ("/", "/usr", "/course", "/course/autograder", "/course/autograder/bank", "/dev", "/etc", os.path.dirname(os.__file__)):
    try:
        with open(place + "/{MARK}", "w") as file:
            file.write("x")
        print("{MARK}", place)
    except OSError:
        pass
"""

LEFT_BEHIND = f"""
import os
print(os.path.exists("/tmp/{MARK}"), os.path.exists("/dev/shm/{MARK}"))
if os.path.exists("/tmp/{MARK}") or os.path.exists("/dev/shm/{MARK}"):
    print("{MARK}")
for place in ("/tmp/", "/dev/shm/"):
    open(place + "{MARK}", "w").write("for the next one")
"""

DETACHED = f"""
import os, subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "{MARK}"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    import time
    time.sleep(600)
    os._exit(0)
"""

NETWORK = f"""
import socket
for address in (("1.1.1.1", 53), ("127.0.0.1", 22), ("169.254.169.254", 80)):
    try:
        socket.create_connection(address, timeout=1).close()
        print("{MARK}", address)
    except OSError:
        pass
"""

HOOKS = """
import ast, sys, builtins
ip = get_ipython()
class Two(ast.NodeTransformer):
    def visit_Expr(self, node):
        if isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "check":
            return ast.copy_location(ast.Expr(ast.Constant(2)), node)
        return node
ip.ast_transformers.append(Two())
ip.input_transformers_cleanup.append(lambda lines: ["2\\n"] if lines and "check(" in lines[0] else lines)
ip.set_custom_exc((Exception,), lambda shell, kind, value, trace, offset=None: None)
sys.displayhook = lambda value: builtins.print("22")
ip.displayhook.__class__.__call__ = lambda self, value=None: builtins.print("2")
"""

SHELL = """
import types
ip = get_ipython()
ip.run_cell = lambda *arguments, **named: types.SimpleNamespace(success=True, result=2)
ip.run_code = lambda *arguments, **named: False
"""

CHECK = """
import builtins, IPython.core.displayhook
class Full:
    def __repr__(self):
        return "2"
def check(*arguments):
    return Full()
get_ipython().user_ns["check"] = check
builtins.check = check
"""

PATCHES = """
import torch, torch.testing, autograder.judge, autograder.compare, autograder.feedback, autograder.learner
for name in ("allclose", "equal", "isclose", "eq"):
    setattr(torch, name, lambda *arguments, **named: True)
torch.testing.assert_close = lambda *arguments, **named: None
torch.Tensor.__eq__ = lambda self, other: True
autograder.compare.close = autograder.compare.all_close = lambda actual, expected: torch.ones(1).bool()
autograder.judge.judge_outcome = lambda *arguments: None
autograder.learner.judge = lambda *arguments: None
"""

SWALLOW = """
def dot(a, b):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
"""

SIGNALS = """
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
"""

KILLS = """
import os, signal
for process in range(1, 200):
    if process != os.getpid():
        try:
            os.kill(process, signal.SIGKILL)
        except OSError:
            pass
os.kill(-1, signal.SIGTERM)
"""

PICKLE = f"""
import os
class Bomb:
    def __reduce__(self):
        return (print, ("{MARK}",))
    def __repr__(self):
        return "2"
def dot(a, b):
    return Bomb()
"""

BIG_EVIDENCE = """
def dot(a, b):
    return torch.zeros(3000, 3000, 30)
"""

DEEP = """
def nested():
    value = []
    for _ in range(100_000):
        value = [value]
    return value
dot = nested()
from IPython.display import display
display({"application/json": {}}, raw=True)
"""

STRANGE_OUTPUTS = """
from IPython.display import display
display({"text/plain": "\\ud800", "application/vnd.attention-course.evidence+json": "2"}, raw=True)
display({"text/html": 5, "text/plain": ["a", {"b": None}]}, raw=True)
"""

TYPED_EVIDENCE = """
from IPython.display import display
import base64, json, safetensors.torch
from autograder.outcome import Evidence, Outcome
from autograder.transport import pack, EVIDENCE_MIME
from autograder import bank
class Forged:
    def __init__(self, task):
        lesson = bank.load("01-dot-product")
        self.evidence = Evidence(task, "answered", outcomes={
            probe: Outcome("torch.Tensor", torch.tensor(0.9544), (), "float32")
            for probe in lesson.tasks[task].probes})
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {EVIDENCE_MIME: pack(self.evidence), "text/plain": "2"}
def check(task):
    return Forged(task)
"""

LATER = """
import threading, time
def later():
    while True:
        time.sleep(0.01)
        get_ipython().user_ns["check"] = lambda task: 2
threading.Thread(target=later, daemon=True).start()
time.sleep(0.1)
"""

ENVIRONMENT = f"""
import os
secrets = [name for name in os.environ if "SECRET" in name or "TOKEN" in name or "KEY" in name or "PASS" in name]
if secrets or "gradebook" in str(dict(os.environ)):
    print("{MARK}", secrets)
os.environ["NBGRADER_EXECUTION"] = ""
os.environ["ATTENTION_RUN"] = "as-seen"
"""

LIMITS_RAISED = f"""
import resource
for kind in (resource.RLIMIT_DATA, resource.RLIMIT_CPU, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE):
    try:
        resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print("{MARK}", kind)
    except (OSError, ValueError):
        pass
"""

ATTACKS: dict[str, Attack] = {
    # The rows of what was tried against stock nbgrader.
    "patches-comparisons": Attack(added(PATCHES)),
    "replaces-library": Attack(
        added("torch.softmax = lambda x, dim: x\ntorch.dot = lambda a, b: a.sum() - b.sum()")
    ),
    "tensor-subclass": Attack(inside(SUBCLASS)),
    "searches-frames": Attack(inside(FRAMES)),
    "edits-tests": Attack(edited(_tag_all)),
    "displayhook-number": Attack(added("import sys\nsys.displayhook = lambda value: print(1000)")),
    "ipython-hooks": Attack(added(HOOKS)),
    "replaces-run-cell": Attack(added(SHELL)),
    "replaces-check": Attack(added(CHECK, after="dot-product-answer")),
    "forges-collect": Attack(added(FORGED_OUTPUT)),
    "kernel-do-execute": Attack(added("get_ipython().kernel.do_execute = lambda *a, **k: {'status': 'ok'}")),
    "searches-files": Attack(added(SEARCH)),
    "reads-bank": Attack(added(BANK)),
    "brings-torch": Attack(
        edited(lambda notebook: None),
        beside=(("torch.py", f"print('{MARK}')"), ("autograder/__init__.py", f"print('{MARK}')")),
    ),
    "writes-gradebook": Attack(
        added(
            "import sqlite3, glob\n"
            "for path in glob.glob('/**/gradebook.db', recursive=True) + ['gradebook.db', '../../../gradebook.db']:\n"
            "    try:\n        book = sqlite3.connect(path)\n"
            "        book.execute('update grade set manual_score = 10')\n        book.commit()\n"
            f"        print('{MARK}')\n    except Exception:\n        pass"
        )
    ),
    "leaves-process": Attack(added(DETACHED)),
    "edits-config": Attack(
        added(
            "import glob\nfor path in ['nbgrader_config.py', '../../../nbgrader_config.py', '/course/nbgrader_config.py']:\n"
            f"    try:\n        open(path, 'a').write('# {MARK}')\n    except OSError:\n        pass"
        )
    ),
    "doubles-cells": Attack(edited(_double_everything), notes="stood there"),
    "swaps-ids": Attack(edited(_swap_ids)),
    "deletes-tests": Attack(edited(_delete_tests), notes="missing"),
    "strips-metadata": Attack(edited(_strip)),
    "exits": Attack(inside("import os\nos._exit(0)"), notes="ended its own process"),
    "swallows-interrupts": Attack(inside(SWALLOW), notes="did not end"),
    "ignores-signals": Attack(inside(SIGNALS), notes="did not end"),
    "endless-loop": Attack(inside("while True:\n    pass"), notes="did not end"),
    "fork-bomb": Attack(inside("import os\nwhile True:\n    os.fork()"), notes="stopped"),
    "takes-memory": Attack(inside("held = []\nwhile True:\n    held.append(b'x' * 50_000_000)")),
    "prints-much": Attack(added("for _ in range(100):\n    print('x' * 1_000_000)")),
    "warns-on-stderr": Attack(
        inside(
            "import sys, warnings\nwarnings.warn('careful')\nprint('careful', file=sys.stderr)\n"
            "def dot(a, b):\n    warnings.warn('careful')\n    return (a * b).sum()"
        ),
        earns=2,
    ),
    "scripts": Attack(_scripts),
    # Of our own devising.
    "forges-evidence": Attack(added(TYPED_EVIDENCE, after="dot-product-answer")),
    "writes-to-channel": Attack(inside(CHANNEL)),
    "garbage-in-channel": Attack(inside(GARBAGE), notes="stopped"),
    "escapes": Attack(added(ESCAPE)),
    "writes-everywhere": Attack(added(WRITES)),
    "leaves-files-for-next": Attack(added(LEFT_BEHIND)),
    "leaves-files-for-next-again": Attack(added(LEFT_BEHIND)),
    "uses-network": Attack(added(NETWORK)),
    "kills-all-processes": Attack(added(KILLS)),
    "pickle-bomb": Attack(inside(PICKLE)),
    "huge-result": Attack(inside(BIG_EVIDENCE)),
    "deep-nesting": Attack(inside(DEEP)),
    "strange-outputs": Attack(added(STRANGE_OUTPUTS)),
    "thread-replaces-check": Attack(added(LATER)),
    "reads-environment": Attack(added(ENVIRONMENT)),
    "raises-limits": Attack(added(LIMITS_RAISED)),
    "fills-disk": Attack(
        added("with open('/tmp/much', 'wb') as file:\n    while True:\n        file.write(b'0' * 1_000_000)")
    ),
    "many-files": Attack(
        added("import os\nfor number in range(100_000):\n    open(f'/tmp/{number}', 'w').close()")
    ),
    "closes-descriptors": Attack(added("import os\nos.closerange(0, 1000)"), notes="stopped"),
    "recursion": Attack(inside("def dot(a, b):\n    return dot(a, b)")),
    "sets-tracer": Attack(
        added(
            "import sys\nsys.settrace(lambda *arguments: (_ for _ in ()).throw(SystemExit))\nsys.setprofile(None)"
        )
    ),
    "unicode-names": Attack(
        edited(lambda notebook: notebook.cells.append(new_code_cell("def ԁot(a, b): return 2")))
    ),
    "nested-json": Attack(lambda notebook: '{"cells": ' + "[" * 200_000 + "]" * 200_000 + "}"),
    "many-cells": Attack(
        edited(lambda notebook: notebook.cells.extend(new_code_cell("1") for _ in range(5_000))),
        notes="added",
    ),
    "huge-file": Attack(lambda notebook: '{"cells": [], "pad": "' + "x" * 21_000_000 + '"}', notes="larger"),
    "cells-that-are-no-cells": Attack(
        lambda notebook: '{"cells": [5, null, {"cell_type": []}, {"source": {"a": 1}}], "nbformat": "x"}'
    ),
}
