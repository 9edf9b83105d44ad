"""What a sandbox needs of the machine, and what its notebooks cannot ask the kernel for."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from autograder.grading.sandbox import bubblewrap, seccomp
from autograder.grading.sandbox.bubblewrap import Inside
from autograder.grading.sandbox.sandbox_client import Job, Worker

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
    code = OWN_WORLD.replace("NUMBER", str(seccomp.CLONE[list(seccomp.MACHINES).index(os.uname().machine)]))
    with Worker(Inside()) as worker:
        ran = worker.run(Job([("one", code)]))
    assert ran.cells["one"][1][0]["data"]["text/plain"] == str([errno.EPERM, errno.ENOSYS])


def test_on_a_processor_whose_calls_are_not_known_there_is_no_sandbox(monkeypatch):
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="riscv64"))
    with pytest.raises(OSError, match="system calls of a riscv64 processor"):
        seccomp.refuse()
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda name: name)
    monkeypatch.setattr(bubblewrap.sys, "platform", "linux")
    assert "riscv64" in bubblewrap.why_not.__wrapped__()


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_every_step_of_the_filter_leads_to_another(machine):
    steps = seccomp.program(machine)
    kinds = [
        seccomp.struct.unpack("=HBBI", steps[position : position + 8]) for position in range(0, len(steps), 8)
    ]
    for position, (kind, yes, no, _) in enumerate(kinds):
        assert kind == seccomp.RETURN or position + 1 + max(yes, no) < len(kinds)


def test_a_python_that_is_told_where_its_libraries_are_finds_them_inside_and_nothing_else(monkeypatch):
    own = f"{bubblewrap.sys.prefix}/lib"
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/opt/secret/lib:{own}")
    command = bubblewrap.command(Inside())
    assert command[command.index("LD_LIBRARY_PATH") + 1] == own


# Takes a file out of the machine's memory that no notebook imports, starts a sandbox, and looks again.
COLD = """
import ctypes, mmap, os, sys, time
from autograder.grading.sandbox.bubblewrap import Inside
from autograder.grading.sandbox.sandbox_client import Job, Worker
libc, name = ctypes.CDLL(None), sys.argv[1]
size = os.path.getsize(name)
def in_memory():
    with open(name, "rb") as file, mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY) as pages:
        seen = (ctypes.c_ubyte * (size // mmap.PAGESIZE + 1))()
        begin = ctypes.c_char.from_buffer(pages)
        libc.mincore(ctypes.c_void_p(ctypes.addressof(begin)), ctypes.c_size_t(size), seen)
        del begin
    return sum(one & 1 for one in seen) * mmap.PAGESIZE >= size
with open(name, "rb") as file:
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
before = in_memory()
with Worker(Inside()) as worker:
    worker.run(Job([("one", "1")]))
    end = time.monotonic() + 20
    while not in_memory() and time.monotonic() < end:
        time.sleep(0.05)
print(before, in_memory())
"""


@pytest.mark.usefixtures("walls")
def test_what_a_run_can_see_is_read_before_the_first(tmp_path):
    file = Path(torch.__file__).parent / "testing/_internal/common_methods_invocations.py"
    done = subprocess.run([sys.executable, "-c", COLD, file], capture_output=True, text=True, check=True)
    before, after = done.stdout.split()
    if before == "True":
        pytest.skip("nothing can be taken out of the memory that these files lie in")
    assert after == "True"


LOOK = """
import glob, os, shutil, subprocess, sys, sysconfig
site = sysconfig.get_path("purelib")
found = glob.glob(site + "/*/include/**/*.h", recursive=True) + glob.glob(site + "/torch/test/*")
found += glob.glob(sysconfig.get_path("stdlib") + "/test/*")
found += [name for name in os.listdir("/usr/lib") if not name.startswith("python") and "-linux-" not in name]
found += [name for name in os.listdir("/usr/bin") if shutil.which(name) and name in ("gdb", "perl", "node")]
print(sorted({name.rpartition("/")[2] for name in found} - {"locale"})[:9])
print(subprocess.run("echo there | tr a-z A-Z; ls / | wc -l | grep -c .; awk 'BEGIN {print 6*7}'",
                     shell=True, capture_output=True, text=True).stdout.split(), shutil.which("bash"))
"""


@pytest.mark.usefixtures("walls")
@pytest.mark.skipif(not list(Path("/usr/lib").glob("*-linux-*/libc.so.6")), reason="libraries lie elsewhere")
def test_a_run_sees_what_notebooks_use_and_nothing_to_build_with():
    with Worker(Inside()) as worker:
        ran = worker.run(Job([("one", LOOK)]))
    assert ran.cells["one"][1][0]["text"] == "[]\n['THERE', '1', '42'] /usr/bin/bash\n"
