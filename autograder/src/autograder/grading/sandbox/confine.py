"""Shut a process in before it runs a stranger's code. Linux only; used inside the sandbox.

The sandbox itself (bubblewrap) decides which files exist and that there is no network. What is here gives
each submission, within that sandbox, processes, mounts, network and System V objects of its own, limits, and
no capability at all.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import resource
import signal
import socket
import struct
from pathlib import Path

from autograder.grading.sandbox.limits import MEBIBYTE, Limits
from autograder.grading.sandbox.walls import HIDDEN

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x08000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP = 1, 4, 24
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 38, 47, 4
CAPABILITY_VERSION_3 = 0x20080522
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
LAST_CAPABILITY = 63
# Threads and allocators reserve far more addresses than they use.
ADDRESSES = 16 * 1024 * MEBIBYTE
# The number of the process that runs the cells: the first after the watcher.
NOTEBOOK = "2"
TICKS = os.sysconf("SC_CLK_TCK")


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Data(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


_libc = ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def unshare() -> None:
    """Leave the parent's mounts, network and System V objects; the next child starts processes of its own.

    Raises:
        OSError: the kernel does not allow it.
    """
    _call("unshare", CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET)
    _call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)


def enter(namespace: int) -> None:
    """Go into a namespace; for one of processes, only later children do.

    Raises:
        OSError: the kernel does not allow it.
    """
    _call("setns", namespace, 0)


def network_of_one() -> None:
    """In a network that was just made: let a process talk to itself, as everywhere."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", IFF_UP)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, request)


def fresh_folders(limits: Limits) -> None:
    """Make an empty /tmp and /dev/shm of limited size, that nobody else sees."""
    options = f"size={limits.disk_bytes},nr_inodes={limits.files_on_disk},mode=1777".encode()
    for folder in (b"/tmp", b"/dev/shm"):
        _call("mount", b"tmpfs", folder, b"tmpfs", MS_NOSUID | MS_NODEV, options)
    for pair in filter(None, os.environ.get(HIDDEN, "").split(":")):
        copy, _, place = pair.partition("=")
        os.makedirs(place)
        _call("mount", copy.encode(), place.encode(), None, MS_BIND | MS_REC, None)


def own_proc() -> None:
    """Make a /proc that shows this tree of processes alone, and that nothing can be written to.

    Where the kernel refuses one, the sandbox's stays: what else is seen there has capabilities, and so can
    only be looked at by those who have them. Read-only, because /proc/sys holds settings of the whole
    machine, and a process that runs as root may change them without any capability.
    """
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    _libc.mount(b"proc", b"/proc", b"proc", flags, None)
    _call("mount", b"none", b"/proc", None, MS_REMOUNT | MS_BIND | MS_RDONLY | flags, None)


def no_shared_zeros() -> None:
    """Take /dev/zero away: memory shared through it counts as nobody's own."""
    _call("mount", b"/dev/null", b"/dev/zero", None, MS_BIND, None)


def die_with_parent() -> None:
    """Have the kernel end this process when its parent ends."""
    _call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def not_to_be_traced() -> None:
    """Nobody without capabilities may look into this process or stop it."""
    _call("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)


def drop_capabilities() -> None:
    """Give up every capability, for this process and whatever it starts."""
    for capability in range(LAST_CAPABILITY + 1):
        _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails beyond the kernel's last, or without any
    _libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    _call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    header = _Header(CAPABILITY_VERSION_3, 0)
    _call("capset", ctypes.byref(header), (_Data * 2)())


def set_limits(limits: Limits) -> None:
    """Limits that the kernel holds a single process to."""
    whole, held = _size("VmSize"), _size("VmData")
    for kind, most in (
        (resource.RLIMIT_DATA, held + limits.memory_bytes),
        # Addresses cost nothing, but the tables of those that were looked at do.
        (resource.RLIMIT_AS, whole + limits.memory_bytes + ADDRESSES),
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_FSIZE, limits.disk_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        value = int(most) if hard == resource.RLIM_INFINITY else min(int(most), hard)
        resource.setrlimit(kind, (value, value))


def _size(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return 0


def tree(proc: Path = Path("/proc")) -> list[Path]:
    """All processes besides the first, in the order of their numbers, by which threads are counted too."""
    numbers = [int(entry.name) for entry in os.scandir(proc) if entry.name.isdigit() and entry.name != "1"]
    return [proc / str(number) for number in sorted(numbers)]


def held(process: Path) -> int:
    """Return the bytes that a process holds, with all that it shares; none if it has ended meanwhile."""
    try:
        return _bytes(process / "status", ("RssAnon:", "RssShmem:"))
    except (OSError, ValueError):
        return 0


def spent(proc: Path = Path("/proc")) -> tuple[float, float]:
    """Seconds of processors that processes besides the first took, and that the notebook waited for one.

    Processes that have ended count; what waited is the thread that runs the notebook's cells.
    """
    ticks = 0
    for process in (proc / "1", *tree(proc)):
        with contextlib.suppress(OSError, ValueError):  # it has ended meanwhile
            own = (process / "stat").read_text().rpartition(")")[2].split()[11:15]
            ticks += sum(map(int, own[2:] if process.name == "1" else own))
    waited = 0
    with contextlib.suppress(OSError, ValueError, IndexError):
        waited = int((proc / NOTEBOOK / "schedstat").read_text().split()[1])
    return ticks / TICKS, waited / 1e9


def share(process: Path) -> int:
    """Return the bytes that a process holds; what it shares counts in parts.

    This takes a hundred times as long as `held`, and meanwhile the process cannot fork.
    """
    try:
        return _bytes(process / "smaps_rollup", ("Pss_Anon:", "Pss_Shmem:"))
    except PermissionError:
        return held(process)
    except (OSError, ValueError):
        return 0


def _bytes(file: Path, names: tuple[str, ...]) -> int:
    lines = file.read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(names))
