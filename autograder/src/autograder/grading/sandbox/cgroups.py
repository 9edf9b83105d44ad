"""Control groups, with which the kernel limits the memory and processes of a run, where they are available.

Control groups of version 2 count memory that no process's own numbers show: page tables, records of memory
areas, and data in pipes and sockets. They are available if a part of their tree is delegated to the grader,
as by `systemd-run --user --scope -p Delegate=yes autograder grade`. Elsewhere only the watcher of
`supervisor.py` counts.

    the delegated group ─┬─ grader       this process, its workers, and the sandboxes' own processes
                         └─ run-…        a runner and all that it starts: one group for each sandbox

The grader makes and reads these groups. The sandbox gets one descriptor, with which a runner enters its group
before it does anything else. The runner then closes the descriptor, and no file of a group is visible inside.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from autograder.grading.sandbox.resource_limits import Limits

CONTROLLERS = ("memory", "pids")
LEAF = "grader"
# Threads count as processes here; the watcher bounds processes more closely, a hundredth of a second later.
THREADS_EACH = 64
# What marks a group as delegated, for whoever may write to all of them.
DELEGATED = ("user.delegate", "trusted.delegate")
REMOVED_SECONDS, LOOK_SECONDS = 5.0, 0.01
# The events of a group that explain why a run ended, by the file that counts them.
EVENTS = {"memory": ("memory.events", "oom_kill"), "processes": ("pids.events", "max")}
_numbers = itertools.count(1)


class Unavailable(Exception):
    """No control group can be made here; the message says why."""


class Group:
    """The control group of one sandbox's runs.

    Args:
        folder: the group's folder, which exists already.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._before: Mapping[str, int] = {}

    def bound(self, limits: Limits) -> None:
        """Set the limits of the next run, and start to count its events.

        Raises:
            OSError: the kernel refuses a limit.
        """
        # What lies in its /tmp and /dev/shm has a limit of its own, and counts as memory here.
        memory = limits.memory_bytes + 2 * limits.disk_bytes
        for name, value in {
            "memory.max": memory,
            "memory.swap.max": 0,
            "memory.oom.group": 1,
            "pids.max": limits.processes * THREADS_EACH,
        }.items():
            with contextlib.suppress(FileNotFoundError):  # kernels without swap bound none
                _write(self.folder / name, value)
        self._before = self._events()

    def why_ended(self) -> str:
        """Return "memory" or "processes" if the kernel has enforced that limit in this run; else ""."""
        now = self._events()
        return next((why for why in EVENTS if now[why] > self._before.get(why, 0)), "")

    def end(self) -> None:
        """Kill every process in the group."""
        with contextlib.suppress(OSError):  # before Linux 5.14, what ends them is their process 1 alone
            _write(self.folder / "cgroup.kill", 1)

    def entrance(self) -> int:
        """Return a descriptor of the group: a process that writes "0" to it enters the group."""
        return os.open(self.folder / "cgroup.procs", os.O_WRONLY)

    def remove(self) -> None:
        """Kill every process in the group, and remove the group."""
        self.end()
        until = time.monotonic() + REMOVED_SECONDS
        while True:
            try:
                self.folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError as problem:
                if problem.errno != errno.EBUSY or time.monotonic() > until:
                    return  # it is empty or ends soon, and bounds nobody
            time.sleep(LOOK_SECONDS)

    def _events(self) -> dict[str, int]:
        return {why: _event(self.folder / name, event) for why, (name, event) in EVENTS.items()}


def make(root: Path | None = None) -> Group | None:
    """Return a new group for a sandbox's runs, below the delegated group; None if there is no such group."""
    try:
        folder = (root or delegated()) / f"run-{os.getpid()}-{next(_numbers)}"
        folder.mkdir()
    except (Unavailable, OSError):
        return None
    group = Group(folder)
    if not all((folder / name).exists() for name in ("memory.max", "pids.max")):
        group.remove()  # somebody has taken the controllers away again
        return None
    return group


def why_not() -> str:
    """Return the reason why no control groups can be made on this machine; "" if they can."""
    try:
        delegated()
    except Unavailable as problem:
        return str(problem)
    return ""


def in_force() -> str:
    """Return a sentence that says how the memory and processes of each run are limited on this machine."""
    if why := why_not():
        return (
            "Memory and processes of each run are counted by the grader, since no control group bounds them: "
            f"{why}."
        )
    return "Memory and processes of each run are bounded by the kernel (cgroup v2), its own memory included."


@lru_cache(maxsize=1)
def _find_delegated() -> Path | Unavailable:
    try:
        return find(Path("/proc/self"))
    except Unavailable as problem:
        return problem


def delegated() -> Path:
    """Return the folder of the delegated group that this process is in, prepared for groups below it.

    Raises:
        Unavailable: no group is delegated.
    """
    delegated_group = _find_delegated()
    if isinstance(delegated_group, Unavailable):
        raise delegated_group
    return delegated_group


def find(process: Path) -> Path:
    """Return the folder of the delegated group that a process is in, prepared for groups below it.

    Args:
        process: the process's folder in /proc.

    Raises:
        Unavailable: the process is in no delegated group.
    """
    own_group = _own_group(process)
    if own_group.name == LEAF and _words(own_group.parent / "cgroup.subtree_control").issuperset(CONTROLLERS):
        return own_group.parent  # another process of this grader, or this one, has made it ready
    missing = [name for name in CONTROLLERS if name not in _words(own_group / "cgroup.controllers")]
    if missing:
        raise Unavailable(f"its controllers of {' and '.join(missing)} are not passed on to this process")
    if not _is_delegated(own_group):
        raise Unavailable("this process's group is not delegated to it")
    try:
        leaf = own_group / LEAF
        leaf.mkdir(exist_ok=True)
        # No group with processes of its own may bound others below it.
        for number in (own_group / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                _write(leaf / "cgroup.procs", number)
        _write(own_group / "cgroup.subtree_control", " ".join(f"+{name}" for name in CONTROLLERS))
    except OSError as problem:
        raise Unavailable(f"the kernel refuses it ({problem.strerror})") from problem
    return own_group


def _own_group(process: Path) -> Path:
    """Return the folder of a process's group of version 2."""
    try:
        lines = (process / "cgroup").read_text().splitlines()
        mounts = (process / "mountinfo").read_text().splitlines()
    except OSError:
        raise Unavailable("this system has no control groups") from None
    path = next((line.removeprefix("0::") for line in lines if line.startswith("0::")), "")
    for line in mounts:
        before, _, after = line.partition(" - ")
        if after.split(" ")[0] != "cgroup2":
            continue
        root, group = (_unescaped(part) for part in before.split(" ")[3:5])
        if path.strip("/") and Path(path).is_relative_to(root):
            return Path(group) / Path(path).relative_to(root)
    raise Unavailable("no control group of version 2 is this process's own")


def _unescaped(path: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), path)


def _is_delegated(group: Path) -> bool:
    """Tell whether a group is given to whoever runs this; that root may write to it does not say so."""
    files = ("cgroup.procs", "cgroup.subtree_control")
    if not all(os.access(path, os.W_OK) for path in (group, *(group / name for name in files))):
        return False
    if os.geteuid() != 0:
        return True
    for name in DELEGATED:
        with contextlib.suppress(OSError):
            return os.getxattr(group, name) == b"1"
    return False


def _write(path: Path, value: object) -> None:
    """Write to a file of the kernel's, which is there already.

    Raises:
        OSError: it is not, or the kernel refuses.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC)
    try:
        os.write(descriptor, f"{value}\n".encode())
    finally:
        os.close(descriptor)


def _words(path: Path) -> set[str]:
    try:
        return set(path.read_text().split())
    except OSError:
        return set()


def _event(path: Path, name: str) -> int:
    with contextlib.suppress(OSError, ValueError):
        for line in path.read_text().splitlines():
            word, _, number = line.partition(" ")
            if word == name:
                return int(number)
    return 0
