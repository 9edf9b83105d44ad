"""The bounds of one run: what they are, and that the kernel holds a process to them."""

from __future__ import annotations

import json
import mmap
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from autograder.grading.sandbox import run_slots
from autograder.grading.sandbox.resource_limits import MEBIBYTE, Limits

confine = pytest.importorskip(
    "autograder.grading.sandbox.namespaces", reason="needs Linux: these modules do", exc_type=ImportError
)
keeper = pytest.importorskip(
    "autograder.grading.sandbox.supervisor", reason="needs Linux: these modules do", exc_type=ImportError
)

HELD = """
import json, resource
from autograder.grading.sandbox.namespaces import set_limits
from autograder.grading.sandbox.resource_limits import Limits
set_limits(Limits(cpu_seconds=7, open_files=20, disk_bytes=1000, memory_bytes=64 * 2**20))
names = ("CPU", "NOFILE", "FSIZE", "CORE")
print(json.dumps({name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in names}))
try:
    bytearray(200 * 2**20)
except MemoryError:
    print("no memory")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux: the limits are its kernel's")
def test_the_kernel_holds_a_process_to_its_limits():
    output = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=True).stdout
    held, memory = output.splitlines()
    assert json.loads(held) == {"CPU": [7, 7], "NOFILE": [20, 20], "FSIZE": [1000, 1000], "CORE": [1, 1]}
    assert memory == "no memory"


def process(proc: Path, number: str, held: int, shared: int) -> None:
    """A process as the kernel shows it: kilobytes of its own memory, and its parts of what is shared."""
    (proc / number).mkdir()
    (proc / number / "status").write_text(f"VmData:\t 9 kB\nRssAnon:\t {held} kB\nRssShmem:\t 1 kB\n")
    (proc / number / "smaps_rollup").write_text(f"Pss: 900 kB\nPss_Anon: {shared} kB\nPss_Shmem: 1 kB\n")


def test_a_tree_of_processes_is_counted_without_its_first(tmp_path):
    for number, held, shared in (("1", 900, 900), ("10", 1, 2), ("7", 500, 300), ("8", 50, 30)):
        process(tmp_path, number, held, shared)
    (tmp_path / "9").mkdir()  # it has ended since it was listed
    (tmp_path / "meminfo").write_text("")
    tree = confine.tree(tmp_path)
    assert [process.name for process in tree] == ["7", "8", "9", "10"]
    assert [confine.memory_held(process) // 1024 for process in tree] == [501, 51, 0, 2]
    assert [confine.share(process) // 1024 for process in tree] == [301, 31, 0, 3]


def times(proc: Path, number: str, own: int, ended: int) -> None:
    (proc / number).mkdir()
    (proc / number / "stat").write_text(f"{number} (odd) name) S 1 1 1 0 0 0 0 0 0 0 {own} 0 {ended} 0 20")


def test_all_processes_of_a_run_take_its_time_and_ended_ones_did(tmp_path):
    second = confine.TICKS
    times(tmp_path, "1", 100 * second, 5 * second)  # the watcher's own work is not the run's
    times(tmp_path, "2", 2 * second, second)
    times(tmp_path, "9", 4 * second, 0)
    assert confine.spent(tmp_path) == 12.0


def test_each_thread_of_a_run_has_its_own_wait(tmp_path):
    for process, thread, nanoseconds in (("1", "1", 9), ("2", "2", 5e8), ("2", "3", 1e9), ("9", "9", 2e9)):
        (tmp_path / process / "task" / thread).mkdir(parents=True)
        (tmp_path / process / "task" / thread / "schedstat").write_text(f"1 {nanoseconds:.0f} 1")
    assert confine.waits(tmp_path) == {"2": 0.5, "3": 1.0, "9": 2.0}


@pytest.mark.parametrize(
    ("processors", "waited", "own"), [(0.0, 0.0, 2.0), (0.5, 1.5, 0.5), (7.0, 0.0, 7.0), (1.0, 2.5, 1.0)]
)
def test_a_runs_time_is_its_own(monkeypatch, processors, waited, own):
    spent, waits = iter([3.0, 3.0 + processors]), iter([{"2": 1.0}, {"2": 1.0, "3": waited}])
    now = iter([50.0, 52.0])
    monkeypatch.setattr(keeper.namespaces, "spent", lambda: next(spent))
    monkeypatch.setattr(keeper.namespaces, "waits", lambda: next(waits))
    monkeypatch.setattr(keeper.time, "monotonic", lambda: next(now))
    clock = keeper._Clock(keeper.framing.Writer(-1))
    clock.look()
    assert clock.own == own


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="needs Linux: the sandbox is made of its namespaces"
)
def test_a_pipe_that_is_spoilt_ends_the_cell_that_spoilt_it():
    (reported, out), (pipe, runner), (seen_in, seen_out) = os.pipe(), os.pipe(), os.pipe()
    for reading in (reported, seen_in):
        os.set_blocking(reading, False)
    for name in (b"given", b"answer"):
        keeper.framing.send(runner, keeper.framing.STARTED, name)
    os.write(seen_out, b"nonsense")
    asks, other = socket.socketpair()
    to_grader = keeper.framing.Writer(out)
    limits, clock, seen = Limits(), keeper._Clock(to_grader), keeper._Seen(to_grader, seen_in)
    how = keeper._pass_on(to_grader, pipe, asks, limits, clock, ["given", "answer"], seen)
    assert how == "garbled"
    to_grader.flush()
    started = keeper.framing.Reader(keeper.framing.STARTED, 100).feed(os.read(reported, 1000))
    assert [name for _, name in started] == [b"given", b"answer"]
    for descriptor in (reported, out, pipe, runner, seen_in, seen_out):
        os.close(descriptor)
    asks.close()
    other.close()


def test_waits_that_are_told_late_do_not_add_up(monkeypatch):
    # Of each tenth of a second, a hundredth is work; every other look comes in the middle of a wait.
    reported = (0.0, 0.05, 0.18, 0.23, 0.36, 0.41, 0.54)
    spent, waits = iter(0.01 * look for look in range(7)), iter({"2": wait} for wait in reported)
    now = iter(0.1 * look for look in range(7))
    monkeypatch.setattr(keeper.namespaces, "spent", lambda: next(spent))
    monkeypatch.setattr(keeper.namespaces, "waits", lambda: next(waits))
    monkeypatch.setattr(keeper.time, "monotonic", lambda: next(now))
    clock = keeper._Clock(keeper.framing.Writer(-1))
    for _ in reported[1:]:
        clock.look()
    assert clock.own == pytest.approx(0.1)  # the work, and the first wait


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux: it reads /proc")
def test_memory_that_processes_share_is_seen_too():
    here = Path("/proc/self")
    before = confine.memory_held(here)
    shared = mmap.mmap(-1, 8 * MEBIBYTE)
    shared.write(b"x" * 8 * MEBIBYTE)
    assert confine.memory_held(here) - before >= 7 * MEBIBYTE


def turns(folder: Path) -> None:
    run_slots._turns[:] = [folder / "turns"]
    for path in (run_slots._turns[0], run_slots._turns[0].with_suffix(".gate")):
        path.touch()


def test_who_is_alone_waits_for_others_and_keeps_them_waiting(tmp_path, monkeypatch):
    monkeypatch.setattr(run_slots, "_turns", [])
    turns(tmp_path)
    order: list[str] = []
    beside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with run_slots.run_slot(alone=False):
            beside.set()
            leave.wait(20)
            order.append("other")

    def alone() -> None:
        with run_slots.run_slot(alone=True):
            order.append("alone")

    threads = [threading.Thread(target=item) for item in (other, alone)]
    threads[0].start()
    assert beside.wait(20)
    with run_slots.run_slot(alone=False):
        pass
    threads[1].start()
    leave.set()
    for thread in threads:
        thread.join(20)
    assert order == ["other", "alone"]
