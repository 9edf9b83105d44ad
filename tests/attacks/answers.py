"""Submissions that try to get what they have not earned, or to bring the run down.

Each is what a learner would hand in: cells changed or added in an otherwise untouched lesson 01. None of them
solves a task, unless `earns` says so. They are run for real, so every one of them is harmless where it
succeeds: it leaves a mark (`MARK`) instead of damage.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import nbformat
from autograder.records.bank import LessonBank
from autograder.records.course import Course
from autograder.records.run_outcome import dtype_name
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from torch import Tensor

# What a successful attack prints, writes or calls itself.
MARK = "attack-succeeded-7f3a"
# What an honest student wrote as a comment, and nobody else may find.
PRIVATE = "written-by-an-honest-student-91c4"
WRONG = "def dot(a, b):\n    return a.sum() - b.sum()"


@dataclass(frozen=True)
class Attack:
    """One submission.

    Args:
        make: changes a copy of the release into what is handed in; may return text that is no notebook.
        earns: points that it earns honestly.
        notes: a word that the notes for the instructor must hold, where a person should know.
        beside: files to be put beside the notebook, by name.
        hand_in: puts something else in the place of the notebook, given its path.
        attention: the checks themselves were made to fail, so a person is asked and no score is written;
            None where that hangs on the clock, by which the submission stops its own cells.
    """

    make: Callable[[NotebookNode], NotebookNode | str | None]
    earns: int = 0
    notes: str = ""
    beside: tuple[tuple[str, str], ...] = ()
    hand_in: Callable[[Path], None] | None = None
    attention: bool | None = False


def answer(notebook: NotebookNode, task: str, code: str) -> None:
    next(cell for cell in notebook.cells if cell["id"] == f"{task}-answer").source = code


def added(code: str, after: str = "setup") -> Callable[[NotebookNode], None]:
    """The wrong answer for the first task, and a cell of the attacker's own."""

    def make(notebook: NotebookNode) -> None:
        answer(notebook, "dot-product", WRONG)
        position = next(i for i, cell in enumerate(notebook.cells) if cell["id"] == after)
        notebook.cells.insert(position + 1, new_code_cell(code))

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
wanted = ("solutions", "gradebook.db", "submitted", "tasks.py", "faults.py", "nbgrader_config.py", "notebooks", "01-dot-product.py")
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
from autograder.records.run_outcome import Evidence, Outcome
from autograder.lesson.check_calls import EvidenceOutput
import autograder.lesson.check_calls, autograder.probe.collect_evidence
def forged(task, *rest, **named):
    return Evidence(task.id, "answered", outcomes={
        probe: Outcome("torch.Tensor", torch.tensor(1.0), (), "float32") for probe in task.probe})
autograder.probe.collect_evidence.collect = autograder.lesson.check_calls.collect = forged
autograder.lesson.check_calls.collect_answer = forged
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
sys.displayhook = lambda value: builtins.print("1000")
ip.displayhook.__class__.__call__ = lambda self, value=None: builtins.print("2")
ip.kernel.do_execute = lambda *arguments, **named: {"status": "ok"}
"""

SHELL = """
import types
ip = get_ipython()
ip.run_cell = lambda *arguments, **named: types.SimpleNamespace(success=True, result=2)
ip.run_code = lambda *arguments, **named: False
"""

PATCHES = """
import torch, torch.testing, autograder.judge.decide, autograder.records.tensor_comparison, autograder.words.feedback_card, autograder.lesson.check_calls
for name in ("allclose", "equal", "isclose", "eq"):
    setattr(torch, name, lambda *arguments, **named: True)
torch.testing.assert_close = lambda *arguments, **named: None
torch.softmax = lambda x, dim: x
torch.dot = lambda a, b: a.sum() - b.sum()
torch.Tensor.__eq__ = lambda self, other: True
autograder.records.tensor_comparison.close = autograder.records.tensor_comparison.all_close = lambda actual, expected: torch.ones(1).bool()
autograder.judge.decide.judge_outcome = lambda *arguments: None
autograder.lesson.check_calls.judge = lambda *arguments: None
"""

STUBBORN = """
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
def dot(a, b):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
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
display({"text/plain": "\\ud800", "application/vnd.autograder.evidence+json": "2"}, raw=True)
display({"text/html": 5, "text/plain": ["a", {"b": None}]}, raw=True)
"""

TYPED_EVIDENCE = """
from IPython.display import display
import base64, json, safetensors.torch
from autograder.records.run_outcome import Evidence, Outcome
from autograder.records.evidence_mime import EVIDENCE_MIME
from autograder.records.evidence_transport import pack
from autograder.records.course import Course
class Forged:
    def __init__(self, task):
        lesson = Course.find().load("01-dot-product")
        self.evidence = Evidence(task, "answered", outcomes={
            probe: Outcome("torch.Tensor", torch.tensor(0.9544), (), "float32")
            for probe in lesson.tasks[task].probe})
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {EVIDENCE_MIME: pack(self.evidence), "text/plain": "2"}
def check(task):
    return Forged(task)
"""

LATER = """
import builtins, threading, time
class Full:
    def __repr__(self):
        return "2"
def later():
    while True:
        builtins.check = get_ipython().user_ns["check"] = lambda *arguments: Full()
        time.sleep(0.01)
threading.Thread(target=later, daemon=True).start()
time.sleep(0.1)
"""

ENVIRONMENT = f"""
import os
secrets = [name for name in os.environ if "SECRET" in name or "TOKEN" in name or "KEY" in name or "PASS" in name]
if secrets or "gradebook" in str(dict(os.environ)):
    print("{MARK}", secrets)
os.environ["NBGRADER_EXECUTION"] = ""
os.environ["AUTOGRADER_RUN"] = "as-seen"
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

# Settings of the whole machine, and the processes that run the sandbox: opened, never written to.
MACHINE = f"""
import os
for place in ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger", "/proc/1/oom_score_adj"):
    try:
        os.close(os.open(place, os.O_WRONLY))
        print("{MARK}", place)
    except OSError:
        pass
"""

OTHERS = f"""
import os
for process in os.listdir("/proc"):
    if not process.isdigit() or int(process) == os.getpid():
        continue
    for part in ("mem", "maps", "environ", "fd/0", "fd/1"):
        try:
            os.close(os.open(f"/proc/{{process}}/{{part}}", os.O_RDONLY))
            print("{MARK}", process, part)
        except OSError:
            pass
    for part in ("root/tmp", "cwd", "root/proc"):
        try:
            print("{MARK}", process, part, os.listdir(f"/proc/{{process}}/{{part}}"))
        except OSError:
            pass
"""

# What is looked for is nowhere in one piece here, or the search would find itself.
MEMORY = f"""
import re
head, tail = "{PRIVATE[-9::-1]}"[::-1].encode(), b"{PRIVATE[:-9:-1]}"
def look():
    with open("/proc/self/mem", "rb", 0) as memory:
        for line in open("/proc/self/maps"):
            span, rights = line.split()[:2]
            if not rights.startswith("rw"):
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            while start < end:
                try:
                    memory.seek(start)
                    piece = memory.read(min(1 << 20, end - start))
                except (OSError, OverflowError):
                    break
                for found in re.finditer(re.escape(head), piece):
                    if piece[found.end() : found.end() + 8][::-1] == tail:
                        return True
                start += 1 << 20
print("{MARK}" if look() else "nothing")
"""

UNCOUNTED = f"""
import ctypes, mmap, os
libc = ctypes.CDLL(None)
MOST = 600 * 2**20
held = 0
keep = []
def touch(area):
    for place in range(0, len(area), 4096):
        area[place] = 1
    keep.append(area)
def shared():
    touch(mmap.mmap(-1, 20 * 2**20))
def zeros():
    touch(mmap.mmap(os.open("/dev/zero", os.O_RDWR), 20 * 2**20))
def file():
    descriptor = os.memfd_create("x")
    keep.append(descriptor)
    os.write(descriptor, b"x" * 20 * 2**20)
def segment():
    if libc.shmget(0, 20 * 2**20, 0o1600) < 0:
        raise OSError
for way in (shared, zeros, file, segment):
    held = 0
    try:
        while held < MOST:
            way()
            held += 20 * 2**20
        print("{MARK}", way.__name__)
    except (OSError, ValueError, AttributeError):
        pass
"""

KEYS = f"""
import ctypes
libc = ctypes.CDLL(None)
for ring in (-1, -2, -3, -4, -5):
    if libc.syscall(248, b"user", b"note", b"for the next", 12, ring) > 0:
        print("{MARK}", ring)
"""

TO_PROCESS_1 = """
import os, signal
for number in range(1, 65):
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        try:
            os.kill(1, number)
        except OSError:
            pass
"""

FORGED_MESSAGES = """
from autograder.records.evidence_mime import EVIDENCE_MIME
ip = get_ipython()
for task in ("dot-product", "query-scores"):
    for kind in ("execute_result", "display_data", "update_display_data"):
        content = {"data": {"text/plain": "2"}, "metadata": {}, "execution_count": 1, "transient": {"display_id": task}}
        ip.display_pub.session.send(None, kind, content, ident=task.encode())
        ip.display_pub.session.send(None, {"header": {"msg_type": kind}, "content": content})
class Two:
    def __repr__(self):
        return "2"
take = ip.display_pub.session.take
ip.display_pub.session.take = lambda kind, content: take(kind, {**content, "data": {"text/plain": "2"}} if "data" in content else content)
"""


def sends(body: str) -> str:
    """Code that writes messages of its own into the pipe on which outputs leave."""
    return f"""
import json, os, struct
def send(kind, message):
    for descriptor in range(3, 64):
        try:
            rest = memoryview(struct.pack(">cI", kind, len(message)) + message)
            while rest:
                rest = rest[os.write(descriptor, rest):]
        except OSError:
            pass
{body}
"""


OTHER_CELLS = sends(
    f"""
send(b"S", b"<img src=x onerror=alert('{MARK}')>")
send(b"C", json.dumps({{"id": "<b>{MARK}", "count": 1, "outputs": []}}).encode())
os._exit(3)
"""
)

MILLION = sends(
    """
one = b'{"output_type":"display_data","data":{},"metadata":{}},'
send(b"C", b'{"id":"setup","count":1,"outputs":[' + one * 1_000_000 + b'0]}')
send(b"C", b'{"id":"setup","count":1,"outputs":[' + b"[]," * 15_000_000 + b'0]}')
send(b"C", b'{"id":"setup","count":1e999,"outputs":' + b"[" * 100_000)
"""
)

STRANGE_EVIDENCE = """
import base64, json
from autograder.lesson.check_calls import EvidenceOutput
from autograder.records.evidence_mime import EVIDENCE_MIME
KINDS = iter([("F8_E4M3", 1, [1]), ("F8_E5M2", 1, []), ("C64", 8, []), ("U16", 2, []), ("F4", 1, [2]), ("F64", 0, [0, 10**12]), ("F64", 8, [1] * 200), ("BOOL", 1, [])] * 9)
def forged(self, include=None, exclude=None):
    kind, size, shape = next(KINDS)
    header = json.dumps({"x": {"dtype": kind, "shape": shape, "data_offsets": [0, size]}}).encode()
    tensors = base64.b64encode(len(header).to_bytes(8, "little") + header + b"\\x01" * size).decode()
    one = {"type_name": "torch.Tensor", "tensor_key": "x", "shape": [3] * 1000, "dtype": "float32", "device": "\\u202e",
           "error": None, "changed_inputs": [], "module": {"missing": [], "unexpected": [], "reshaped": [], "unreached": [], "unsteady": False}}
    said = {"task": self.evidence.task, "status": "answered", "outcomes": {probe: one for probe in self.evidence.outcomes},
            "nearest": ["\\ud800"], "answer_type": "x" * 10**6, "changed_givens": [], "globals_read": [], "note": "<b>\\x1b[31m"}
    return {EVIDENCE_MIME: json.dumps({"evidence": said, "tensors": tensors}), "text/plain": "2"}
EvidenceOutput._repr_mimebundle_ = forged
"""

FAULT = f"""
from autograder.lesson.check_calls import EvidenceOutput
from autograder.records.run_outcome import Evidence
from autograder.records.evidence_mime import EVIDENCE_MIME
from autograder.records.evidence_transport import pack
EvidenceOutput._repr_mimebundle_ = lambda self, include=None, exclude=None: {{
    EVIDENCE_MIME: pack(Evidence(self.evidence.task, "fault", note="\\x1b]0;{MARK}\\x07 a fault\\nall is well: 22 points")), "text/plain": "2"}}
"""

# One odd thing for each task: none of them is right, and none may be a fault of ours.
ODD_TENSORS = {
    "query-scores": "attn_scores_2 = torch.zeros(1).expand(10**9)",
    "context-vector": "context_vec_2 = torch.zeros(3, device='meta')",
    "all-scores": "attn_scores = torch.zeros(6, 6, dtype=torch.complex64).conj()",
    "all-weights": (
        "attn_weights = torch.zeros(6, 6, requires_grad=True) * 1\n"
        "attn_weights.register_hook(lambda gradient: 1 / 0)"
    ),
    "all-contexts": "all_context_vecs = torch.ones(6, 3).to_sparse_csr()",
    "dot-product": "def dot(a, b):\n    return torch.nested.nested_tensor([a, b])",
    "softmax-naive": "def softmax_naive(x):\n    return torch._neg_view(x.double().imag if x.is_complex() else x)",
    "softmax-stable": "def softmax_stable(x):\n    return torch.zeros(0, 10**6).expand(0, 10**6).as_strided((10**7,), (0,))",
    "scores-loops": "def scores_with_loops(x):\n    x.resize_(0)\n    x.data = torch.zeros(3, device='meta')\n    return x",
    "simple-attention": (
        "def simple_attention(x):\n"
        "    return torch.full_like(x, float('nan')).view(torch.int32).add(1).view(torch.float32)"
    ),
}

ODD_OBJECTS = {
    "query-scores": (
        "class Liar(torch.Tensor):\n    @staticmethod\n    def __new__(cls):\n"
        "        return torch.Tensor._make_wrapper_subclass(cls, (6,), dtype=torch.float32)\n"
        "    @classmethod\n    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):\n"
        "        raise SystemExit('no')\nattn_scores_2 = Liar()"
    ),
    "context-vector": (
        "class Text(str):\n    def __eq__(self, other):\n        return True\n    __hash__ = str.__hash__\n"
        "    def __str__(self):\n        return 1\ncontext_vec_2 = Text('x')"
    ),
    "all-scores": "class Number(int):\n    def __int__(self):\n        raise SystemExit\nattn_scores = Number(5)",
    "all-weights": "attn_weights = 10**100_000",
    "all-contexts": "import numpy\nall_context_vecs = numpy.array([object()] * 18).reshape(6, 3)",
    "dot-product": (
        "class Odd:\n    def __call__(self, a, b):\n        return self\n"
        "    def __del__(self):\n        raise SystemExit\n"
        "    def __reduce__(self):\n        return (print, ('x',))\n"
        "    __signature__ = 5\n    __code__ = 'none'\n    __wrapped__ = property(lambda self: self)\ndot = Odd()"
    ),
    "softmax-naive": (
        "class Loud(Exception):\n    def __str__(self):\n        raise SystemExit\n"
        "    __module__ = property(lambda self: 1 / 0)\n"
        "def softmax_naive(x):\n    raise Loud"
    ),
    "softmax-stable": "def softmax_stable(x):\n    raise KeyboardInterrupt",
    "scores-loops": "def scores_with_loops(x):\n    yield x",
    "simple-attention": (
        "class Meta(type):\n    def __getattribute__(cls, name):\n        raise OSError(name)\n"
        "class simple_attention(metaclass=Meta):\n    pass"
    ),
}

POISONS = f"""
import os, sys, site, types
for place in ("/tmp", "/tmp/work", "/tmp/ipython", "/tmp/.local/lib"):
    os.makedirs(place, exist_ok=True)
    for name in ("torch.py", "autograder.py", "sitecustomize.py", "usercustomize.py", "evil.pth", "safetensors.py"):
        with open(os.path.join(place, name), "w") as file:
            file.write("import sys; print('{MARK}')")
sys.path.insert(0, "/tmp/work")
os.environ.update(PYTHONPATH="/tmp/work", PYTHONSTARTUP="/tmp/work/torch.py", PYTHONHOME="/tmp", LD_PRELOAD="/tmp/x.so")
for name in [name for name in sys.modules if name.startswith(("autograder", "safetensors"))]:
    fake = types.ModuleType(name)
    fake.check = fake.pack = fake.collect = lambda *arguments, **named: 2
    sys.modules[name] = fake
"""

BUILTINS = """
import builtins
builtins.all = lambda things: True
builtins.any = lambda things: False
builtins.set = frozenset
builtins.abs = lambda number: 0
"""

AUDIT = """
import sys
def refuse(event, arguments):
    if event in ("import", "open", "object.__getattr__", "exec"):
        raise RuntimeError(event)
sys.addaudithook(refuse)
"""

LATE = """
import atexit, faulthandler, gc, os, signal, sys, threading
atexit.register(os._exit, 0)
faulthandler.dump_traceback_later(1, exit=False)
gc.callbacks.append(lambda *arguments: 1 / 0)
signal.signal(signal.SIGALRM, lambda *arguments: (_ for _ in ()).throw(SystemExit))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
sys.setswitchinterval(1e-6)
threading.excepthook = sys.excepthook = sys.unraisablehook = lambda *arguments: None
threading.settrace(lambda *arguments: None)
"""

# Torch's own softmax where the task is to write one: under a name that no reader finds, in another thread.
IN_A_THREAD = """
import concurrent.futures, operator
pool = concurrent.futures.ThreadPoolExecutor(1)
def softmax_stable(x):
    return pool.submit(operator.methodcaller("softmax", -1), x).result()
"""
NAMESAKE = """
class Mine:
    def softmax(self, x):
        return x.softmax(0)
softmax_stable = Mine().softmax
"""

MAGICS = f"""
%load_ext autoreload
!cat /course/nbgrader_config.py /etc/shadow; sleep 0; touch /course/x && echo {MARK}
%config InlineBackend.figure_formats = {{"svg"}}
%alias_magic check time
input("score?")
"""


# A child whose parent is outside, and has to wait for it. The numbers of the call are those of two processors.
CHILD_OUTSIDE = """
import ctypes, os
call = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
if ctypes.CDLL(None).syscall(call, 0x8000 | 17, None, None, None, None) == 0:
    os._exit(0)
"""

# A cell that says, for as long as it is let, that it has just begun.
BEGINS = sends("import time\nwhile True:\n    send(b'S', b'dot-product-answer')\n    time.sleep(0.05)")

# What keeps processors busy in sessions of their own, while the cell itself does nothing.
BUSY = """
import os, threading, time
for _ in range(55):
    if os.fork() == 0:
        os.setsid()
        for _ in range(7):
            threading.Thread(target=lambda: all(iter(int, 1))).start()
        while True:
            pass
time.sleep(3600)
"""

# Right, and with more text beside it than anybody would read.
SLOW_TEXT = [("x=" + "[a for a in " * 60 + "[1]" + "]" * 60 + "\n") * 45 + f"#{cell}" for cell in range(25)]


def _slow_text(notebook: NotebookNode) -> None:
    answer(notebook, "softmax-naive", "def softmax_naive(x):\n    return x.exp() / x.exp().sum()")
    notebook.cells[1:1] = [new_code_cell(f"0 and exec({text!r})") for text in SLOW_TEXT]


# What fills kernels rather than memory: messages that nobody takes, in sockets and pipes.
UNREAD = """
import fcntl, os, socket
held = []
def fill():
    while True:
        one, other = socket.socketpair()
        one.setblocking(False)
        held.extend((one, other))
        try:
            while True:
                one.send(b"x" * 65536)
        except BlockingIOError:
            pass
for _ in range(20):
    if os.fork() == 0:
        break
try:
    fill()
except OSError:
    import time
    time.sleep(3600)
"""


def _typed(value: Tensor) -> str:
    numbers = ["float('nan')" if number != number else repr(number) for number in value.flatten().tolist()]
    shape = tuple(value.shape)
    return f"torch.tensor([{', '.join(numbers)}], dtype=torch.{dtype_name(value.dtype)}).reshape({shape})"


def _by_heart(notebook: NotebookNode) -> None:
    """All that a public repository says of the answers, learnt by heart: of visible probes, and of both runs."""
    by_heart(notebook, Course.read(Path(__file__).parents[2]).load("01-dot-product"))


def by_heart(notebook: NotebookNode, lesson: LessonBank) -> None:
    """All that somebody knows of a lesson's answers, learnt by heart."""
    choose = "__import__('os').environ.get('AUTOGRADER_RUN', 'as-seen')"
    for task in lesson.tasks.values():
        reference = {
            name: probe for name, probe in task.probe.items() if isinstance(probe.expected.tensor, Tensor)
        }
        if task.kind == "tensor":
            pairs = ", ".join(
                f"'{name}': {_typed(probe.expected.tensor)}" for name, probe in reference.items()
            )
            last = _typed(list(reference.values())[-1].expected.tensor)
            answer(notebook, task.id, f"{task.name} = {{{pairs}}}.get({choose}, {last})")
            continue
        pairs = ", ".join(
            f"(({', '.join(_typed(value) for value in probe.inputs.values())},), {_typed(probe.expected.tensor)})"
            for probe in reference.values()
        )
        code = f"""
KNOWN = [{pairs}]
def {task.name}(*given, known=KNOWN):
    def apart(seen):
        if any(one.shape != other.shape for one, other in zip(seen, given)):
            return float("inf")
        return sum(float((one - other).abs().sum()) for one, other in zip(seen, given))
    return min(known, key=lambda pair: apart(pair[0]))[1]
"""
        answer(notebook, task.id, code)


def _stalls_unseen(notebook: NotebookNode) -> None:
    """Learnt by heart, and where other numbers are asked, it never ends: so nothing of that is to be had."""
    _by_heart(notebook)
    cell = next(cell for cell in notebook.cells if cell["id"] == "dot-product-answer")
    cell.source = "import os\nwhile os.environ['AUTOGRADER_RUN'] != 'as-seen':\n    pass\n" + cell.source


# The course's own first cell imports, and never comes to its end.
NO_IMPORT = """
import builtins
def never(*arguments, **named):
    while True:
        pass
builtins.__import__ = never
"""


def _a_little_in_every_cell(notebook: NotebookNode) -> None:
    """Each of them takes a little too long."""
    for cell in notebook.cells:
        if cell["id"].endswith("-answer"):
            cell.source = "import time\ntime.sleep(2.5)\n" + cell.source


def each(answers: dict[str, str]) -> Callable[[NotebookNode], None]:
    """A code of its own for each task."""

    def make(notebook: NotebookNode) -> None:
        for task, code in answers.items():
            answer(notebook, task, code)

    return make


def _metadata(notebook: NotebookNode) -> None:
    touch = ["touch", f"/tmp/{MARK}"]
    notebook.metadata.kernelspec = {
        "name": f"bash; touch /tmp/{MARK}",
        "display_name": "<script>",
        "argv": touch,
    }
    notebook.metadata.language_info = {"name": "perl", "pygments_lexer": "html", "version": 5}
    notebook.metadata.title = "</title><script>"
    notebook.metadata.widgets = {
        "application/vnd.jupyter.widget-state+json": {"state": {"x": ["y"] * 100_000}}
    }
    notebook.metadata.unreadable_submission = "all is well"
    notebook.metadata.graded_from = "x"
    notebook.metadata.grading_notes = ["full marks"]
    for cell in notebook.cells:
        cell.metadata["collapsed"] = "x" * 1000
        cell.metadata["attachments"] = cell["attachments"] = {"x.svg": {"image/svg+xml": "<svg onload=1>"}}


def _takes_course_ids(notebook: NotebookNode) -> None:
    ids = (
        "setup",
        "dot-product",
        "grading-notes",
        "added-by-learner-0",
        "",
        " ",
        "x" * 65,
        "dot-product-answer",
    )
    for position, name in enumerate(ids):
        cell = new_code_cell(f"print({position})\ndot = lambda a, b: torch.tensor(float('nan'))")
        cell["id"] = name
        notebook.cells.insert(position, cell)


def _bidi(notebook: NotebookNode) -> None:
    """Letters that are not what they look like, in code, in names and in ids."""
    answer(notebook, "dot-product", "def \u200bdot\u202e(a, b):\n    return 1")
    answer(notebook, "softmax-naive", "def softmax_naivé(x):\n    return x  # \u202e\u2066 true \u2069")
    notebook.cells.append(new_code_cell("'\U000e0001' * 3, '\u202e', '\x1b[2J', '\x00'"))
    notebook.cells[-1]["id"] = "\u202e-\u200b"


def _surrogates(notebook: NotebookNode) -> str:
    answer(notebook, "dot-product", WRONG + "  # HERE")
    text = nbformat.writes(notebook)
    return text.replace("HERE", "\\ud800\\udfff\\ud800").replace('"setup"', '"\\udc00"')


def _deep_cells(notebook: NotebookNode) -> str:
    nested = "[" * 900 + "]" * 900
    return (
        '{"nbformat": 4, "nbformat_minor": -1e9, "metadata": ' + nested + ', "cells": ['
        '{"cell_type": "code", "source": '
        + nested
        + ', "id": '
        + nested
        + ', "metadata": {"nbgrader": '
        + nested
        + "}},"
        '{"cell_type": "code", "id": "dot-product-answer", "source": {"0": "x"}, "outputs": NaN, "execution_count": -Infinity},'
        '{"cell_type": "code", "id": "dot-product-answer", "id": 5, "source": ["a", ["b"], 5, null]}]}'
    )


def _long_answer(notebook: NotebookNode) -> None:
    answer(notebook, "dot-product", "x = 1\n" * 500_000)
    answer(notebook, "softmax-naive", "(" * 30_000)
    answer(notebook, "softmax-stable", "x = " + "-" * 30_000 + "1")
    answer(notebook, "scores-loops", "if 1:\n" + "".join(" " * depth + "if 1:\n" for depth in range(1, 150)))


def a_link(to: str) -> Callable[[Path], None]:
    """A link in the place of the notebook."""
    return lambda path: path.symlink_to(to)


def a_hole(path: Path) -> None:
    """A file of 30 GB that takes no room."""
    with path.open("wb") as file:
        file.truncate(30_000_000_000)


FORGED_HEADER = """
import base64, json
class Forged:
    def __init__(self, task):
        tensor = {"dtype": "F32", "shape": SHAPE, "data_offsets": [0, 4]}
        header = json.dumps({f"outcomes/{n}/tensor": tensor for n in range(COUNT)}).encode()
        saved = len(header).to_bytes(8, "little") + header + bytes(4)
        told = {"task": task, "status": "answered", "outcomes": {"seen": {"tensor": {"tensor": "outcomes/0/tensor"}}}}
        self.text = json.dumps({"evidence": told, "tensors": base64.b64encode(saved).decode()})
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"application/vnd.autograder.evidence+json": self.text, "text/plain": "2"}
def check(task):
    return Forged(task)
"""

NAME_THAT_WRITES = f"""
Loud = type("\\x1b]0;{MARK}\\x07\\x1b[2J", (ValueError,), {{}})
def dot(a, b):
    raise Loud("\\x1b[31m")
"""

LEASES = f"""
import fcntl, os, sys
for module in list(sys.modules.values()):
    path = getattr(module, "__file__", None)
    try:
        fcntl.fcntl(os.open(path, os.O_RDONLY), 1024, fcntl.F_WRLCK)
        print("{MARK}")
    except (OSError, TypeError):
        pass
"""

HOLDS = f"""
import ctypes, os
libc = ctypes.CDLL(None)
kept = [libc.inotify_init1(0) for _ in range(200)]
if any(one >= 0 for one in kept):
    print("{MARK}")
try:
    os.chmod("/dev/null", os.stat("/dev/null").st_mode & 0o777)
    print("{MARK}")
except OSError:
    pass
while len(kept) < 10_000:
    kept.append(os.openpty())
"""

CLEARS_THE_LIST = """
import sys, torch
def softmax_stable(x, dim=-1):
    frame = sys._getframe()
    while frame:
        for name in ("forbidden", "calls"):
            if isinstance(frame.f_locals.get(name), list):
                frame.f_locals[name].clear()
        frame = frame.f_back
    return x - x
"""


def a_hole_beside(path: Path) -> None:
    path.write_text('{"cells": []}', encoding="utf-8")
    with (path.parent / "submission_secret.txt").open("wb") as file:
        file.truncate(2_000_000_000)


ATTACKS: dict[str, Attack] = {
    # The rows of what was tried against stock nbgrader.
    "patches-comparisons": Attack(added(PATCHES)),
    "tensor-subclass": Attack(inside(SUBCLASS)),
    "searches-frames": Attack(inside(FRAMES)),
    "edits-tests": Attack(edited(_tag_all)),
    "ipython-hooks": Attack(added(HOOKS)),
    "replaces-run-cell": Attack(added(SHELL)),
    "forges-collect": Attack(added(FORGED_OUTPUT)),
    "searches-files": Attack(added(SEARCH)),
    "reads-bank": Attack(added(BANK)),
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
    # Where `dot` is wrong, the course's own stands in for it while the tasks that are built from it are checked.
    "checks-the-stand-in": Attack(
        added(
            "attn_scores_2 = torch.stack([dot(token, inputs[1]) for token in inputs])\n"
            "softmax_naive = softmax_stable = scores_with_loops = simple_attention = dot\n"
            'check("dot-product")',
            after="query-scores-answer",
        ),
        earns=1,  # the scores of one query are made as they should be
    ),
    "doubles-cells": Attack(edited(_double_everything), notes="was there"),
    "swaps-ids": Attack(edited(_swap_ids)),
    "deletes-tests": Attack(edited(_delete_tests), notes="missing"),
    "strips-metadata": Attack(edited(_strip)),
    "exits": Attack(inside("import os\nos._exit(0)"), notes="ended its own process"),
    "endless-loop": Attack(inside(STUBBORN), notes="did not end"),
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
    "leaves-a-child-outside": Attack(added(CHILD_OUTSIDE)),
    "begins-again-and-again": Attack(inside(BEGINS), notes="stopped"),
    "busy-processes": Attack(inside(BUSY), notes="did not end"),
    "sleeps": Attack(inside("import time\ntime.sleep(3600)"), notes="did not end"),
    "stalls-unseen": Attack(
        _stalls_unseen, notes="With other numbers, the cell dot-product-answer was stopped"
    ),
    "a-little-in-every-cell": Attack(_a_little_in_every_cell, notes="was stopped"),
    # A fault of ours would be no zero, but a person's work.
    "blames-the-course": Attack(
        lambda book: book.cells.insert(0, new_code_cell(NO_IMPORT)), notes="needs a look", attention=True
    ),
    "is-slow-to-read": Attack(_slow_text, earns=2, notes="can run code that is not watched"),
    "has-very-many-parts": Attack(lambda notebook: '{"cells": [' + "{}," * 6_000_000 + "{}]}", notes="parts"),
    "sends-what-nobody-reads": Attack(added(UNREAD)),
    "forges-evidence": Attack(added(TYPED_EVIDENCE, after="dot-product-answer")),
    "writes-to-channel": Attack(inside(CHANNEL)),
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
    "sets-tracer": Attack(
        added(
            "import sys\nsys.settrace(lambda *arguments: (_ for _ in ()).throw(SystemExit))\nsys.setprofile(None)"
        )
    ),
    "nested-json": Attack(lambda notebook: '{"cells": ' + "[" * 200_000 + "]" * 200_000 + "}"),
    "many-cells": Attack(
        edited(lambda notebook: notebook.cells.extend(new_code_cell("1") for _ in range(5_000))),
        notes="added",
    ),
    "opens-machine-settings": Attack(added(MACHINE)),
    "looks-at-other-processes": Attack(added(OTHERS)),
    "searches-memory": Attack(added(MEMORY)),
    "takes-memory-that-nobody-owns": Attack(added(UNCOUNTED)),
    "leaves-keys-in-the-kernel": Attack(added(KEYS)),
    "interrupts-process-1": Attack(added(TO_PROCESS_1)),
    "forges-messages": Attack(added(FORGED_MESSAGES)),
    "speaks-of-other-cells": Attack(inside(OTHER_CELLS), notes="the grader's own channel"),
    "million-outputs": Attack(inside(MILLION)),
    "strange-evidence": Attack(added(STRANGE_EVIDENCE)),
    "forges-a-fault": Attack(added(FAULT), notes="needs a look", attention=True),
    "learnt-by-heart": Attack(_by_heart),
    "odd-tensors": Attack(each(ODD_TENSORS)),
    "odd-objects": Attack(each(ODD_OBJECTS)),
    "poisons-modules": Attack(added(POISONS)),
    "replaces-builtins": Attack(added(BUILTINS)),
    "audits": Attack(added(AUDIT)),
    "alarms-and-hooks": Attack(added(LATE), attention=None),
    "magics": Attack(added(MAGICS)),
    "softmax-in-a-thread": Attack(inside(IN_A_THREAD, "softmax-stable")),
    "softmax-of-a-namesake": Attack(inside(NAMESAKE, "softmax-stable")),
    "edits-metadata": Attack(edited(_metadata)),
    "takes-course-ids": Attack(edited(_takes_course_ids)),
    "letters-that-look-alike": Attack(_bidi),
    "surrogates": Attack(_surrogates),
    "deep-cells": Attack(_deep_cells),
    "long-answers": Attack(_long_answer, notes="were kept"),
    "brings-settings": Attack(
        edited(lambda notebook: None),
        beside=tuple(
            (name, f"open('/tmp/{MARK}', 'w').write('x')")
            for name in (
                *("nbgrader_config.py", "jupyter_config.py", "sitecustomize.py", "tasks.py"),
                *("conftest.py", "torch.py", "autograder/__init__.py"),
            )
        ),
    ),
    "is-a-link-to-the-honest": Attack(
        lambda notebook: None,
        hand_in=a_link("../../aaa-honest/01-dot-product/01-dot-product.ipynb"),
        notes="a link to another place",
    ),
    "is-a-pipe": Attack(
        lambda notebook: None, hand_in=lambda path: os.mkfifo(path), notes="no ordinary file"
    ),
    "is-a-folder": Attack(lambda notebook: None, hand_in=Path.mkdir, notes="no ordinary file"),
    "is-30-gigabytes": Attack(lambda notebook: None, hand_in=a_hole, notes="larger"),
    # The third round.
    "many-axes": Attack(added(FORGED_HEADER.replace("SHAPE", "[1] * 400_000").replace("COUNT", "1"))),
    "many-tensors": Attack(added(FORGED_HEADER.replace("SHAPE", "[1]").replace("COUNT", "20_000"))),
    "many-magics": Attack(inside("!x\n" * 490)),
    "a-long-sum": Attack(inside("def dot(a, b):\n    return " + "0+" * 500 + "a.sum() - b.sum()")),
    "a-name-that-writes": Attack(inside(NAME_THAT_WRITES)),
    "leases": Attack(added(LEASES)),
    "holds-all-it-can": Attack(added(HOLDS)),
    "clears-the-list": Attack(inside(CLEARS_THE_LIST, "softmax-stable")),
    "a-time-of-nines": Attack(edited(lambda notebook: None), beside=(("timestamp.txt", "9" * 30),)),
    "beside-it-a-hole": Attack(lambda notebook: None, hand_in=a_hole_beside, notes="missing"),
}
