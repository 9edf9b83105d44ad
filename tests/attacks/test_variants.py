"""Variants of what was tried, written from SECURITY.md alone: each costs little, and nobody else anything.

Two causes are tried: what the grader reads of a stranger's bytes, and what a run could hold that others need.
"""

import base64
import io
import json
import zipfile

import pytest
from autograder.grading import reader_processes
from autograder.grading.reader_processes import READING, LimitReached
from autograder.grading.sandbox.bubblewrap import Inside
from autograder.grading.sandbox.resource_limits import Limits
from autograder.grading.sandbox.sandbox_client import Job, Worker

from benchmarks import inputs
from benchmarks.inputs import code, reading, shown, stream, submission

pytestmark = pytest.mark.sample(5)

MOST_SECONDS, MOST_MEGABYTES = 10.0, 300.0


def evidence(header, tensors=b"\0" * 4, **more):
    """Evidence whose tensors are described so."""
    text = json.dumps(header).encode()
    saved = base64.b64encode(len(text).to_bytes(8, "little") + text + tensors).decode()
    return json.dumps({"evidence": {"task": "t", "status": "answered", **more}, "tensors": saved})


def one(shape=(1,), dtype="F32", offsets=(0, 4)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def archive(files, method=zipfile.ZIP_DEFLATED):
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", method) as packed:
        for name, content in files:
            packed.writestr(name, content)
    return result.getvalue()


def lies(old, new):
    """An archive that says something else of itself than it holds."""
    return archive([("a.ipynb", b"0" * 1000)]).replace(old, new)


def in_itself(depth):
    result = b"{}"
    for _ in range(depth):
        result = archive([("a.zip", result)])
    return result


CELL = {"cell_type": "code", "metadata": {}}
# By name: what reads it, and what is read.
LIMITS = {
    "a page of signs": ("grade", lambda: submission([{"source": "<" * 19_000_000}])),
    "very many cells": ("grade", lambda: submission([{"source": "a"}] * 99_000)),
    "text in single letters": ("grade", lambda: submission([{**CELL, "source": ["a"] * 3_000_000}])),
    "ids of a megabyte": ("grade", lambda: submission([{**CELL, "id": "x" * 1_000_000}] * 15)),
    "one id for all": ("grade", lambda: submission([{**CELL, "id": "a", "source": "1"}] * 30_000)),
    "marks in marks": (
        "grade",
        lambda: submission([{"metadata": {"nbgrader": {"grade_id": [[[]]]}}}] * 9_000),
    ),
    "a release of a megabyte": (
        "grade",
        lambda: json.dumps({"cells": [], "metadata": {"autograder": {"release": "x" * 1_000_000}}}).encode(),
    ),
    "a name of 40,000 letters": ("grade", lambda: code("a" * 39_000 + " = 1", 200)),
    "letters that grow": ("grade", lambda: code("\ufdfa" * 13_000 + " = 1", 200)),
    "functions in functions": ("grade", lambda: code("x = " + "lambda: " * 4_900 + "1", 100)),
    "decorators": ("grade", lambda: code("@a\n" * 9_000 + "def f(): pass", 200)),
    "one value for many": ("grade", lambda: code("a = " * 9_000 + "1", 200)),
    "a chain of comparisons": ("grade", lambda: code("a<" * 19_000 + "a", 200)),
    "else-ifs": ("grade", lambda: code("if a: pass\n" + "elif a: pass\n" * 2_900, 200)),
    "cases": ("grade", lambda: code("match a:\n" + " case 1: pass\n" * 2_500, 200)),
    "withs": ("grade", lambda: code("with " + "a," * 9_000 + "a: pass", 200)),
    "texts in a row": ("grade", lambda: code("x = " + "''" * 19_000, 200)),
    "a number of digits": ("grade", lambda: code("x = " + "9" * 39_000, 200)),
    "a number beyond": ("grade", lambda: code("x = 1e" + "9" * 39_000, 200)),
    "loops in loops": ("grade", lambda: code("x = " + "[a for a in " * 90 + "a" + "]" * 90, 500)),
    "stars": ("grade", lambda: code("x = " + "*a," * 12_000, 200)),
    "globals": ("grade", lambda: code("def f():\n" + " global a\n" * 3_900, 200)),
    "formats in formats": ("grade", lambda: code("x = f'" + "{a!r:{b}}" * 4_000 + "'", 200)),
    "timed assignments": ("grade", lambda: code("x = %time y\n" * 3_000, 200)),
    "questions": ("grade", lambda: code("?x\n" * 13_000, 200)),
    "form feeds": ("grade", lambda: code("\f\t \f" * 9_000 + "x = 1", 200)),
    "carriage returns": ("outputs", lambda: stream("a\r" * 2_000_000)),
    "steps back": ("outputs", lambda: stream("a\b" * 2_000_000)),
    "colours that begin": ("outputs", lambda: stream("\x1b[" * 2_000_000)),
    "colours of many numbers": ("outputs", lambda: stream("\x1b[" + "1;" * 2_000_000 + "m")),
    "kinds of a display": (
        "outputs",
        lambda: [
            {"output_type": "display_data", "metadata": {}, "data": {f"a/{n}": "x" for n in range(90_000)}}
        ],
    ),
    "formulas shown": ("outputs", lambda: shown("text/latex", "$x$" * 1_000_000)),
    "a drawing": ("outputs", lambda: shown("image/svg+xml", "<svg>" * 400_000)),
    "entities": ("html", lambda: "&amp;" * 400_000),
    "comments that do not end": ("html", lambda: "<!--" * 500_000),
    "declarations": ("html", lambda: "<![CDATA[" * 200_000),
    "attributes": ("html", lambda: "<b " + "a=a " * 400_000 + ">"),
    "quotes that do not end": ("html", lambda: '<b a="' * 300_000),
    "references": ("markdown", lambda: "[a]: b\n" * 200_000),
    "lists in lists": ("markdown", lambda: "\n".join(" " * 2 * n + "- a" for n in range(1_200))),
    "backticks": ("markdown", lambda: "`" * 999_999 + " a " + "``" * 400_000),
    "underlines": ("markdown", lambda: "_a__b" * 300_000),
    "links in links": ("markdown", lambda: "[a](" * 400_000),
    "addresses": ("markdown", lambda: "<a@b.c>" * 200_000),
    "pictures": ("markdown", lambda: "![a](data:image/png;base64,AA)" * 60_000),
    "a shape that overflows": ("evidence", lambda: evidence({"a": one((2**62, 4))})),
    "a shape below zero": ("evidence", lambda: evidence({"a": one((-1,))})),
    "numbers of a kind unknown": ("evidence", lambda: evidence({"a": one(dtype="F7")})),
    "tensors that overlap": ("evidence", lambda: evidence({str(n): one() for n in range(64)})),
    "numbers beyond the end": ("evidence", lambda: evidence({"a": one((2**40,), offsets=(0, 2**42))})),
    "a note of megabytes": ("evidence", lambda: evidence({}, note="x" * 3_900_000)),
    "names of megabytes": ("evidence", lambda: evidence({}, outcomes={"x" * 3_000_000: {}})),
    "an archive of links to itself": ("archive", lambda: in_itself(30)),
    "an archive of many names": ("archive", lambda: archive([(f"{n}.ipynb", b"") for n in range(30_000)])),
    "an archive of long names": (
        "archive",
        lambda: archive([("a" * 65_000 + f"{n}", b"") for n in range(200)]),
    ),
    "an archive of another packing": (
        "archive",
        lambda: archive([("a.ipynb", b"0" * 90_000_000)], zipfile.ZIP_LZMA),
    ),
    "an archive that says less": (
        "archive",
        lambda: lies((1000).to_bytes(4, "little"), (1).to_bytes(4, "little")),
    ),
    "an archive that ends early": ("archive", lambda: archive([("a.ipynb", b"0" * 9_000)])[:-40]),
}
READERS = {
    "grade": inputs.grade,
    "outputs": inputs.outputs,
    "html": inputs.safe_html,
    "markdown": lambda text: inputs.markdown2html(None, text),
    "evidence": inputs.evidence,
    "archive": inputs.archive,
}


def spent(kind):
    """In a kept process: read a variant, and return the seconds and megabytes that this took."""
    reader, make = LIMITS[kind]
    return reading(READERS[reader], make())


@pytest.mark.parametrize("kind", LIMITS)
def test_a_file_costs_little_or_its_own_submission(kind):
    from tests.attacks import test_variants as here  # by its name, which another process finds

    try:
        seconds, megabytes = reader_processes.run_limited(READING, here.spent, kind)
    except LimitReached:
        seconds, megabytes = READING.processor_seconds, READING.memory_bytes / 2**20
    assert seconds <= MOST_SECONDS
    assert megabytes <= MOST_MEGABYTES
    assert reader_processes.run_limited(READING, abs, -1) == 1


# What a run could hold that others need, or leave to them. Each says "held" where it got hold of something.
HOLDS = {
    "a lock of an open file": "fcntl.fcntl(shared(), 38, bytes(32)); held()",
    "a lock that waits": "fcntl.lockf(shared(), fcntl.LOCK_SH); held()",
    "who gets its signals": "fcntl.fcntl(shared(), 15, bytes(8)); held()",
    "a lease by another number": "fcntl.fcntl(shared(), 1024, 2); held()",
    "a file's attributes": "fcntl.ioctl(shared(), 0x40086602, bytes(8)); held()",
    "a frozen file system": "fcntl.ioctl(os.open('/', os.O_RDONLY), 0xC0045877, bytes(4)); held()",
    "a copy that shares": "os.copy_file_range(shared(), os.open('/tmp/a', 66, 0o600), 10); held()",
    "room on the disk": "os.posix_fallocate(os.open('/tmp/a', 66, 0o600), 0, 10**9); held()",
    "notes on a shared file": "os.setxattr(os.__file__, 'user.a', b'x'); held()",
    "a shared file's times": "os.utime(os.__file__); held()",
    "a shared file's rights": "os.chmod(os.__file__, 0o777); held()",
    "a second name": "os.link(os.__file__, '/tmp/a'); held()",
    "a name in its place": "os.rename(os.__file__, '/tmp/a'); held()",
    "a folder beside it": "os.mkdir(os.path.dirname(os.__file__) + '/mine'); held()",
    "a device": "os.mknod('/tmp/a', 0o20666, os.makedev(1, 1)); held()",
    "the machine's memory": "open('/dev/mem', 'rb'); held()",
    "the machine's messages": "open('/dev/kmsg', 'rb'); held()",
    "the machine's clock": "time.clock_settime(time.CLOCK_REALTIME, time.time()); held()",
    "the machine's name": "socket.sethostname('mine'); held()",
    "random bytes for all": "fcntl.ioctl(os.open('/dev/random', os.O_RDWR), 0x40085203, bytes(16)); held()",
    "another's priority": "os.setpriority(os.PRIO_USER, 0, 19); held()",
    "its own priority": "os.nice(-5); held()",
    "a turn of its own": "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)); held()",
    "another group": "os.setgid(1); os.setgroups([0, 1]); held()",
    "another user": "os.setuid(1); held()",
    "shared memory by name": "multiprocessing.shared_memory.SharedMemory('a', True, 10); left('/dev/shm/a')",
    "a named semaphore": "multiprocessing.get_context('fork').Semaphore(); left('/dev/shm')",
    "a socket in a file": "socket.socket(1).bind('/tmp/a'); left('/tmp/a')",
    "a socket without a file": "socket.socket(1).bind(b'\\0mine'); left('abstract')",
    "a port": "socket.create_server(('0.0.0.0', 4444)); left('port')",
    "a pipe in a file": "os.mkfifo('/tmp/pipe'); left('/tmp/pipe')",
    "a file in /tmp": "open('/tmp/file', 'w').close(); left('/tmp/file')",
    "a file that is open": "global_file = open('/tmp/open', 'w'); os.unlink('/tmp/open')",
    "names in the environment": "os.environ['MINE'] = 'x'; left('environ')",
    "a module": "sys.modules['mine'] = sys; left('module')",
    "a handler": "signal.signal(signal.SIGTERM, signal.SIG_IGN); left('handler')",
    "the folder that it is in": "os.chdir('/'); left('folder')",
    "what files may do": "os.umask(0); left('umask')",
    "all of its memory": "kept = [bytearray(1 << 20) for _ in range(400)]",
    "all of its files": "kept = [open('/dev/null') for _ in range(200)]",
    "all of its terminals": "kept = [os.openpty() for _ in range(20)]",
    "sleeping threads": "[threading.Thread(target=time.sleep, args=(60,)).start() for _ in range(20)]",
}
AROUND = """
import fcntl, multiprocessing, multiprocessing.shared_memory, os, signal, socket, sys, threading, time
shared = lambda: os.open(os.__file__, os.O_RDONLY)
held = lambda: print("held")
left = lambda what: None
try:
    {code}
except (OSError, ValueError, AttributeError, ImportError, MemoryError) as problem:
    print("refused", type(problem).__name__)
"""
# What the next run looks at.
AFTER = """
import os, signal, sys
found = [one for one in ("/dev/shm", "/tmp") if [name for name in os.listdir(one) if name != "work"]]
found += [one for one in ("MINE",) if one in os.environ] + [one for one in ("mine",) if one in sys.modules]
found += [signal.SIGTERM] if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN else []
print(found, os.getcwd(), oct(os.umask(0o22)), os.path.getsize(os.__file__) > 0)
"""


@pytest.fixture(scope="module")
def worker(walls):
    with Worker(Inside()) as result:
        yield result


def output(worker, source):
    ran = worker.run(Job([("one", source)], limits=Limits(cell_seconds=20)))
    return ran.how, "".join(
        out.get("text", out.get("evalue", "")) for out in ran.cells.get("one", (0, []))[1]
    )


@pytest.fixture(scope="module")
def untouched(walls):
    """What a run finds before anything was tried: where the environment lies in /tmp, that is there."""
    with Worker(Inside()) as result:
        actual = output(result, AFTER)
    assert actual[0] == "finished"
    assert actual[1].endswith("/tmp/work 0o22 True\n")
    return actual


@pytest.mark.parametrize("kind", HOLDS)
def test_nothing_is_held_and_the_next_run_finds_nothing_of_it(worker, untouched, kind):
    assert "held" not in output(worker, AROUND.format(code=HOLDS[kind]))[1]
    assert output(worker, AFTER) == untouched
