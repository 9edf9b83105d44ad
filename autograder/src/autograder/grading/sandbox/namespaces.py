"""The isolation of a process before it runs a stranger's code. Linux only; used inside the sandbox.

The sandbox itself (bubblewrap) decides which files exist, and removes the network. This module gives each
submission in that sandbox its own processes, mounts, network and System V objects, limits, and no capability
at all.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import re
import resource
import shutil
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.grading.sandbox.bubblewrap import HIDDEN, NOBODY
from autograder.grading.sandbox.resource_limits import MEBIBYTE, Limits

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x08000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_MOVE, MS_REC, MS_PRIVATE = 4096, 8192, 16384, 1 << 18
MNT_DETACH = 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
# What libraries read of the machine: how many processors and how much memory it has. Numbers that change as
# others use it are 0, or all of its memory.
OF_MACHINE = ("cpuinfo", "meminfo", "stat", "uptime", "loadavg", "filesystems", "version")
# What a run sees of its own process. The rest (smaps, pagemap) tells who else maps the same page of a file.
OF_ITSELF = (
    *("cmdline", "comm", "fd", "limits", "maps", "mountinfo", "mounts", "stat", "statm", "status"),
    "uid_map",
)
# Where a keeper and a watcher look for processes: they stay in the /proc that a run's own then covers.
PROC = Path()
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
TERMINALS = 16  # of one run, at one time
# What the kernel reads at least when it is told to read ahead.
AHEAD = 128 * 1024
MADV_COLLAPSE, LARGE_PAGE = 25, 2 * MEBIBYTE
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP = 1, 4, 24
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 38, 47, 4
CAPABILITY_VERSION_3 = 0x20080522
LAST_CAPABILITY = 63
# Threads and allocators reserve far more addresses than they use.
ADDRESSES = 16 * 1024 * MEBIBYTE
# So many threads are asked how long they waited.
MOST_WAITING = 64
TICKS = os.sysconf("SC_CLK_TCK")
# What the kernel may hold for one open file or one thread: what waits in a socket, say.
KERNELS = 256 * 1024


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


def own_root(shown: Sequence[str], covered: Sequence[str]) -> bool:
    """Give the sandbox a new root, whose mounts do not reveal where its files are on the machine.

    To the kernel, the files of each sandbox are then different ones, so that no file lock reaches another
    sandbox.

    Args:
        shown: the visible folders and files, read-only.
        covered: folders in them that are hidden.

    Returns:
        Whether it succeeded: kernels before 5.11 allow such mounts only to root.
    """
    base, empty = "/tmp/.root", "/tmp/.empty"
    flags = MS_NOSUID | MS_NODEV
    links = [(name, os.readlink(f"/{name}")) for name in os.listdir("/") if os.path.islink(f"/{name}")]
    before = os.getcwd()
    try:
        _call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
        os.makedirs(base)
        os.makedirs(empty)
        _call("mount", b"tmpfs", base.encode(), b"tmpfs", flags, b"mode=755")
        for name, target in links:
            os.symlink(target, f"{base}/{name}")
        os.makedirs(f"{base}/tmp")
        _call("mount", b"tmpfs", f"{base}/tmp".encode(), b"tmpfs", flags, b"mode=1777")
        for name in shown:
            there = f"{base}{name}"
            if os.path.isfile(name):
                os.makedirs(os.path.dirname(there), exist_ok=True)
                shutil.copy(name, there)  # with the right to run it
                continue
            os.makedirs(there, exist_ok=True)
            os.chdir(name)  # what is mounted is called `.`
            layers = f"lowerdir=.:{empty}".encode()
            _call("mount", b"overlay", there.encode(), b"overlay", MS_RDONLY | flags, layers)
            for link in filter(os.path.islink, (f"{os.path.dirname(name)}/lib64",)):
                with contextlib.suppress(FileExistsError):
                    os.symlink(os.readlink(link), f"{base}{link}")
        for name in ("/dev", "/proc"):
            os.makedirs(f"{base}{name}")
            _call("mount", name.encode(), f"{base}{name}".encode(), None, MS_BIND | MS_REC, None)
        os.chdir(base)
        number = PIVOT_ROOT[os.uname().machine]
        if _libc.syscall(number, b".", b".") != 0:
            raise OSError(ctypes.get_errno(), "pivot_root")
    except OSError:
        os.chdir(before)
        return False
    _call("umount2", b".", MNT_DETACH)
    os.chdir("/tmp")
    for name in covered:
        _call("mount", b"tmpfs", name.encode(), b"tmpfs", flags | MS_RDONLY, b"mode=755")
    _call("mount", b"none", b"/", None, MS_REMOUNT | MS_BIND | MS_RDONLY | flags, None)
    return True


def read_once(folders: Sequence[str], seconds: float) -> None:
    """Read all files that a run can see, so that timing does not reveal which of them another run has read.

    The kernel reads them into its cache in the background.

    Args:
        folders: the visible folders.
        seconds: the time after which the remaining files are left unread.
    """
    end = time.monotonic() + seconds
    due = [folder for folder in folders if os.path.isdir(folder)]
    while due and time.monotonic() < end:
        with contextlib.suppress(OSError), os.scandir(due.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    due.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    with contextlib.suppress(OSError):
                        file = os.open(entry.path, os.O_RDONLY)
                        try:
                            for offset in range(0, os.fstat(file).st_size, AHEAD):
                                os.posix_fadvise(file, offset, AHEAD, os.POSIX_FADV_WILLNEED)
                        finally:
                            os.close(file)


def read_only_devices() -> None:
    """Protect the machine's device nodes from changes to their owner, permissions and times.

    Writing data to a device still works.
    """
    for name in DEVICES:
        flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NOEXEC
        _libc.mount(b"none", f"/dev/{name}".encode(), None, flags, None)  # fails where there is no such


def unshare() -> None:
    """Enter new namespaces for mounts, network and System V objects; children also get one for processes.

    Raises:
        OSError: the kernel does not allow it.
    """
    _call("unshare", CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET)
    _call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)


def enter(namespace: int) -> None:
    """Enter a namespace, given by its descriptor; one for processes takes effect for later children only.

    Raises:
        OSError: the kernel does not allow it.
    """
    _call("setns", namespace, 0)


def fresh_folders(limits: Limits) -> None:
    """Mount an empty /tmp and /dev/shm of limited size, which no other run sees."""
    options = f"size={limits.disk_bytes},nr_inodes={limits.files_on_disk},mode=1777".encode()
    for folder in (b"/tmp", b"/dev/shm"):
        _call("mount", b"tmpfs", folder, b"tmpfs", MS_NOSUID | MS_NODEV, options)
    for pair in filter(None, os.environ.get(HIDDEN, "").split(":")):
        copy, _, target = pair.partition("=")
        os.makedirs(target)
        _call("mount", copy.encode(), target.encode(), None, MS_BIND | MS_REC, None)


def own_proc() -> None:
    """Mount a read-only /proc with only this namespace's processes, and make it the working directory.

    If the kernel refuses one, the sandbox's /proc stays: its other processes have capabilities, so only
    processes with these can inspect them.
    """
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    for options in (b"hidepid=2", None):  # no process that has capabilities is seen
        if _libc.mount(b"proc", b"/proc", b"proc", flags, options) == 0:
            break
    _call("mount", b"none", b"/proc", None, MS_REMOUNT | MS_BIND | MS_RDONLY | flags, None)
    os.chdir("/proc")


def machine() -> dict[str, str]:
    """Return the texts of /proc that describe the machine, by file name, with changing numbers fixed."""
    texts = {name: Path("/proc", name).read_text() for name in OF_MACHINE}
    texts["cpuinfo"] = re.sub(r"(?m)^(cpu MHz\s*): .*", r"\1: 1000.000", texts["cpuinfo"])
    for name in ("stat", "uptime", "loadavg"):
        texts[name] = re.sub(r"\b\d+(\.\d+)?", "0", texts[name])
    total = re.findall(r"MemTotal: *(\d+)", texts["meminfo"])[0]
    texts["meminfo"] = "".join(
        re.sub(r"\b\d+", total if line.startswith(("MemTotal", "MemFree", "MemAvailable")) else "0", line)
        for line in texts["meminfo"].splitlines(keepends=True)
    )
    return texts


def cover_proc(machine: Mapping[str, str]) -> None:
    """Replace /proc by the part that a run may see: texts about the machine, and the run's first process.

    The processes that it starts see that process, too. A runner does this first, since later it has no right
    to mount anything.

    Args:
        machine: the texts about the machine, by file name.
    """
    mount_point, number = "/tmp/.proc", os.readlink("/proc/self")
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    mount = f"{mount_point}/{number}"
    os.mkdir(mount_point)
    _call("mount", b"tmpfs", mount_point.encode(), b"tmpfs", flags, b"mode=755")
    for name, text in machine.items():
        Path(mount_point, name).write_text(text)
    os.mkdir(mount)
    for name, leads_to in {"self": number, "thread-self": number, "mounts": "self/mounts"}.items():
        os.symlink(leads_to, f"{mount_point}/{name}")
    os.symlink(sys.executable, f"{mount}/exe")
    for name in OF_ITSELF:
        shown = f"{mount}/{name}"
        (os.mkdir if name == "fd" else os.mknod)(shown)
        _call("mount", f"/proc/{number}/{name}".encode(), shown.encode(), None, MS_BIND, None)
    _call("mount", mount_point.encode(), b"/proc", None, MS_MOVE, None)
    _call("mount", b"none", b"/proc", None, MS_REMOUNT | MS_BIND | MS_RDONLY | flags, None)
    os.rmdir(mount_point)


def own_terminals() -> None:
    """Mount a small set of terminals for this run, since the whole machine has a limited number."""
    options = f"newinstance,ptmxmode=0666,mode=620,max={TERMINALS}".encode()
    _libc.mount(b"devpts", b"/dev/pts", b"devpts", MS_NOSUID | MS_NOEXEC, options)


def no_shared_zeros() -> None:
    """Replace /dev/zero by /dev/null, because memory shared through /dev/zero is counted for no process."""
    _call("mount", b"/dev/null", b"/dev/zero", None, MS_BIND, None)


def use_large_pages() -> None:
    """Move this process's memory into large pages, so that a fork copies smaller page tables.

    This works from Linux 6.1 on; elsewhere nothing changes.
    """
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, rights, _, _, _, *name = line.split()
        start, end = (int(address, 16) for address in addresses.split("-"))
        if rights.startswith("rw") and name in ([], ["[heap]"]) and end - start >= LARGE_PAGE:
            _libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), MADV_COLLAPSE)


def die_with_parent() -> None:
    """Make the kernel kill this process when its parent ends."""
    _call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def not_to_be_traced() -> None:
    """Forbid processes without capabilities to inspect or trace this process."""
    _call("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)


def drop_capabilities() -> None:
    """Drop every capability, for this process and all that it starts."""
    for capability in range(LAST_CAPABILITY + 1):
        _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails beyond the kernel's last, or without any
    _libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    if len(Path("/proc/self/uid_map").read_text().splitlines()) > 1:  # where root grades
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        _call("prctl", PR_SET_DUMPABLE, 1, 0, 0, 0)  # else it could not look at itself
    _call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    header = _Header(CAPABILITY_VERSION_3, 0)
    _call("capset", ctypes.byref(header), (_Data * 2)())


def set_limits(limits: Limits) -> None:
    """Set the limits that the kernel enforces for each single process."""
    whole, held = _size("VmSize"), _size("VmData")
    for kind, most in (
        (resource.RLIMIT_DATA, held + limits.memory_bytes),
        # Addresses cost nothing, but the tables of those that were looked at do.
        (resource.RLIMIT_AS, whole + limits.memory_bytes + ADDRESSES),
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_FSIZE, limits.disk_bytes),
        # Of one byte, the kernel starts no program that would take it.
        (resource.RLIMIT_CORE, 1),
        # One user's runs have these in common.
        (resource.RLIMIT_SIGPENDING, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        _, hard = resource.getrlimit(kind)
        value = int(most) if hard == resource.RLIM_INFINITY else min(int(most), hard)
        resource.setrlimit(kind, (value, value))


def _size(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return 0


def tree(proc: Path = PROC) -> list[Path]:
    """Return the folders in /proc of all processes but the first, in the order of their numbers."""
    numbers = [int(entry.name) for entry in os.scandir(proc) if entry.name.isdigit() and entry.name != "1"]
    return [proc / str(number) for number in sorted(numbers)]


def memory_held(process: Path) -> int:
    """Return the bytes of memory that a process holds, shared memory included; 0 if it has ended."""
    return sum(parts(process))


def parts(process: Path) -> tuple[int, int]:
    """Return the bytes that a process holds, and those that the kernel holds for it; zeros if it has ended.

    The kernel holds page tables, and buffers for open files and threads, for which the largest size is
    assumed.
    """
    folder, files = process / "fd", 0
    try:
        lines = (process / "status").read_text().splitlines()
        with contextlib.suppress(OSError):
            files = folder.stat().st_size or len(os.listdir(folder))  # Linux before 6.2 gives no size
        threads = _kilobytes(lines, ("Threads:",))
        tables = 1024 * _kilobytes(lines, ("VmPTE:",))
        memory = 1024 * _kilobytes(lines, ("RssAnon:", "RssShmem:", "VmSwap:"))
    except (OSError, ValueError):
        return 0, 0
    return memory, tables + KERNELS * (files + threads)


def areas(process: Path, most: int) -> int:
    """Return the number of memory areas of a process, counted up to about `most`; 0 if it has ended.

    The kernel keeps a record of each, which no memory limit counts.
    """
    count = 0
    with contextlib.suppress(OSError), (process / "maps").open("rb", buffering=0) as maps:
        while count <= most and (piece := maps.read(1 << 16)):
            count += piece.count(b"\n")
    return count


def spent(proc: Path = PROC) -> float:
    """Return the processor seconds of all processes but the first, including those that have ended."""
    ticks = 0
    for process in (proc / "1", *tree(proc)):
        with contextlib.suppress(OSError, ValueError):  # it has ended meanwhile
            times = (process / "stat").read_text().rpartition(")")[2].split()[11:15]
            ticks += sum(map(int, times[2:] if process.name == "1" else times))
    return ticks / TICKS


def waits(proc: Path = PROC) -> dict[str, float]:
    """Return the seconds for which each thread of the notebook has waited for a processor.

    A cell may wait for another thread or process that itself waits: while any of them does, clock time is not
    the cell's own time.
    """
    seconds: dict[str, float] = {}
    for process in tree(proc):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
            for thread in itertools.islice(os.scandir(process / "task"), MOST_WAITING - len(seconds)):
                seconds[thread.name] = int(Path(thread.path, "schedstat").read_text().split()[1]) / 1e9
    return seconds


def share(process: Path) -> int:
    """Return the bytes that a process holds, in which shared memory counts in proportion.

    This takes a hundred times as long as `memory_held`, and meanwhile the process cannot fork.
    """
    try:
        lines = (process / "smaps_rollup").read_text().splitlines()
        return 1024 * _kilobytes(lines, ("Pss_Anon:", "Pss_Shmem:", "SwapPss:")) + parts(process)[1]
    except PermissionError:
        return memory_held(process)
    except (OSError, ValueError):
        return 0


def _kilobytes(lines: Sequence[str], names: tuple[str, ...]) -> int:
    return sum(int(line.split()[1]) for line in lines if line.startswith(names))
