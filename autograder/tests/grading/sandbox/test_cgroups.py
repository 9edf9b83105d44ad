"""Control groups: which one is found and made ready, what bounds a run, and that a run is in it.

The kernels of the makers' machines pass no controller of memory on. So what is found and written is tried on
a made-up tree, and what needs the kernel (to enter a group, to end it) on a real group without bounds.
"""

from __future__ import annotations

import os
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from autograder.grading.sandbox.resource_limits import MEBIBYTE, Limits

cgroups = pytest.importorskip(
    "autograder.grading.sandbox.cgroups", reason="needs Linux: these modules do", exc_type=ImportError
)
workers = pytest.importorskip(
    "autograder.grading.sandbox.sandbox_client", reason="needs Linux: these modules do", exc_type=ImportError
)

SCOPE = "user.slice/user-7.slice/user@7.service/app.slice/run-u 1.scope"


class Made:
    """A made-up tree: a mount of version 2 with a delegated group, and a process in it."""

    def __init__(self, folder: Path) -> None:
        self.mount, self.process = folder / "a mount", folder / "self"
        self.own = self.mount / SCOPE
        self.group(self.own, procs="103\n104\n", controllers="cpu memory pids")
        self.process.mkdir()
        self.says(SCOPE)
        place = str(self.mount).replace(" ", r"\040")
        (self.process / "mountinfo").write_text(
            "22 1 0:20 / /sys rw - sysfs sysfs rw\n"
            f"30 22 0:26 / {place} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
        )

    def says(self, path: str) -> None:
        (self.process / "cgroup").write_text(f"9:name=systemd:/x\n0::/{path}\n")

    def group(self, folder: Path, procs: str = "", controllers: str = "") -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in {
            "cgroup.procs": procs,
            "cgroup.controllers": controllers,
            "cgroup.subtree_control": "",
            "cgroup.kill": "",
            "memory.max": "max\n",
            "memory.swap.max": "max\n",
            "memory.oom.group": "0\n",
            "memory.events": "low 0\noom 0\noom_kill 0\n",
            "pids.max": "max\n",
            "pids.events": "max 0\n",
        }.items():
            (folder / name).write_text(text)
        return folder


@pytest.fixture
def result(tmp_path, monkeypatch) -> Made:
    monkeypatch.setattr(os, "geteuid", lambda: 7)  # who is not root, to whom all may be written to
    return Made(tmp_path)


def test_processes_go_into_a_leaf_before_controllers_are_passed_on(result):
    leaf = result.group(result.own / "grader")
    assert cgroups.find(result.process) == result.own
    assert (leaf / "cgroup.procs").read_text() == "104\n"  # the last of both
    assert (result.own / "cgroup.subtree_control").read_text() == "+memory +pids\n"


def test_another_process_of_the_grader_finds_the_group_that_is_ready(result):
    leaf = result.group(result.own / "grader", procs="103\n")
    (result.own / "cgroup.subtree_control").write_text("memory pids\n")
    result.says(f"{SCOPE}/grader")
    assert cgroups.find(result.process) == result.own
    assert (leaf / "cgroup.procs").read_text() == "103\n"


def test_a_group_that_is_not_ours_is_left_alone(result, monkeypatch):
    def why() -> str:
        with pytest.raises(cgroups.Unavailable) as refused:
            cgroups.find(result.process)
        assert (result.own / "cgroup.subtree_control").read_text() == ""
        assert not (result.own / "grader").exists()
        return str(refused.value)

    (result.own / "cgroup.controllers").write_text("cpu pids\n")
    assert "controllers of memory are not passed on" in why()
    (result.own / "cgroup.controllers").write_text("cpu memory pids\n")
    monkeypatch.setattr(os, "geteuid", lambda: 0)  # root may write to a group that nobody gave to it
    assert "not delegated" in why()
    result.says("")  # the root of all groups, or of a container's
    assert "no control group of version 2 is this process's own" in why()
    (result.process / "mountinfo").write_text("22 1 0:20 / /sys rw - sysfs sysfs rw\n")
    assert "no control group of version 2 is this process's own" in why()
    (result.process / "cgroup").unlink()
    assert "no control groups" in why()


def test_a_run_is_bounded_and_what_the_kernel_counts_says_why_it_ended(result):
    group = cgroups.Group(result.group(result.own / "run"))
    group.bound(Limits(memory_bytes=100 * MEBIBYTE, disk_bytes=MEBIBYTE, processes=2))
    bounds = {
        name: (group.folder / name).read_text().strip()
        for name in ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max")
    }
    most = {"memory.max": str(102 * MEBIBYTE), "pids.max": str(2 * cgroups.THREADS_EACH)}
    assert bounds == {**most, "memory.swap.max": "0", "memory.oom.group": "1"}
    assert group.why_ended() == ""
    (group.folder / "pids.events").write_text("max 3\n")
    assert group.why_ended() == "processes"
    (group.folder / "memory.events").write_text("low 0\noom 1\noom_kill 1\noom_group_kill 1\n")
    assert group.why_ended() == "memory"
    group.bound(Limits())  # the next run is not blamed for what the last one did
    assert group.why_ended() == ""


def real_group() -> Path:
    """Return a group of this machine's own, or skip: one below which others can be made."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        if after.startswith("cgroup2 "):
            folder = Path(before.split(" ")[4]) / f"autograder-test-{os.getpid()}-{time.monotonic_ns()}"
            try:
                folder.mkdir()
            except OSError:
                break
            return folder
    pytest.skip("needs a tree of control groups that can be written to")


class Unbounded(cgroups.Group):
    """A real group, of a kernel that passes no controllers on."""

    why = ""

    def bound(self, limits: Limits) -> None:
        pass

    def why_ended(self) -> str:
        return self.why


def test_whoever_enters_a_group_is_ended_with_it():
    group = Unbounded(real_group())
    entrance = group.entrance()
    child = os.fork()
    if child == 0:
        os.write(entrance, b"0")
        while True:
            time.sleep(1)
    os.close(entrance)
    while (group.folder / "cgroup.procs").read_text() != f"{child}\n":
        time.sleep(0.01)
    group.remove()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -9
    assert not group.folder.exists()


def test_a_run_is_in_its_group_and_sees_nothing_of_it(walls):
    group = Unbounded(real_group())
    inside: list[str] = []
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            inside.extend((group.folder / "cgroup.procs").read_text().split())
            time.sleep(0.01)

    watching = threading.Thread(target=look)
    watching.start()
    start = partial(workers.start_sandbox, make=lambda: group)
    seen = (
        "import os, time\ntime.sleep(0.5)\nprint(sorted(os.listdir('/proc/self/fd')), os.path.exists('/sys'))"
    )
    with workers.Worker(workers.Inside(), start) as worker:
        ran = worker.run(
            workers.Job([("a", seen), ("b", "import subprocess as s; s.Popen(['sleep', '99'])")])
        )
        assert (group.folder / "cgroup.procs").read_text() == ""  # what it left behind has ended
        Unbounded.why = "memory"
        killed = worker.run(workers.Job([("a", "import os; os.kill(os.getpid(), 9)")]))
        Unbounded.why = ""
        honest = worker.run(workers.Job([("a", "print(1)")]))
        done.set()
        watching.join()
    assert ran.how == honest.how == "finished"
    assert inside  # while it ran
    assert ran.cells["a"][1][0]["text"].endswith("False\n")
    assert len(eval(ran.cells["a"][1][0]["text"].rpartition(" ")[0])) <= 8
    assert (killed.how, killed.cell) == ("memory", "a")
    assert not group.folder.exists()
