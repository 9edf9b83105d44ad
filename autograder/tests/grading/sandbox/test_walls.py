"""What a sandbox needs of the machine, and what its notebooks cannot ask the kernel for."""

from __future__ import annotations

import errno
import os
from types import SimpleNamespace

import pytest
from autograder.grading.sandbox import calls, walls
from autograder.grading.sandbox.walls import Inside
from autograder.grading.sandbox.workers import Job, Worker

# A world of one's own, in which one may do everything, by each of the two calls that make one.
OWN_WORLD = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
found = []
for call in ((NUMBER, 0x10000000 | 17, 0, 0, 0, 0), (435, None, 0)):
    if libc.syscall(*call) == 0:
        os._exit(0)
    found.append(ctypes.get_errno())
found
"""


@pytest.mark.usefixtures("walls")
def test_a_notebook_cannot_make_a_world_of_its_own():
    code = OWN_WORLD.replace("NUMBER", str(calls.CLONE[list(calls.MACHINES).index(os.uname().machine)]))
    with Worker(Inside()) as worker:
        ran = worker.run(Job([("one", code)]))
    assert ran.cells["one"][1][0]["data"]["text/plain"] == str([errno.EPERM, errno.ENOSYS])


def test_on_a_processor_whose_calls_are_not_known_there_is_no_sandbox(monkeypatch):
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="riscv64"))
    with pytest.raises(OSError, match="system calls of a riscv64 processor"):
        calls.refuse()
    monkeypatch.setattr(walls.shutil, "which", lambda name: name)
    monkeypatch.setattr(walls.sys, "platform", "linux")
    assert "riscv64" in walls.why_not.__wrapped__()


@pytest.mark.parametrize("machine", calls.MACHINES)
def test_every_step_of_the_filter_leads_to_another(machine):
    steps = calls.program(machine)
    kinds = [calls.struct.unpack("=HBBI", steps[place : place + 8]) for place in range(0, len(steps), 8)]
    for place, (kind, yes, no, _) in enumerate(kinds):
        assert kind == calls.RETURN or place + 1 + max(yes, no) < len(kinds)


def test_a_python_that_is_told_where_its_libraries_are_finds_them_inside_and_nothing_else(monkeypatch):
    own = f"{walls.sys.prefix}/lib"
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/opt/secret/lib:{own}")
    command = walls.command(Inside())
    assert command[command.index("LD_LIBRARY_PATH") + 1] == own
