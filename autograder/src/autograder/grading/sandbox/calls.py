"""System calls that a submission has no use for, and that would get around a limit or a wall.

Linux only; a filter of the kernel's (seccomp), which what a process starts inherits and nobody can lift.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

PR_SET_SECCOMP, FILTER = 22, 2
LOAD, JUMP_EQUAL, JUMP_LEAST, JUMP_ANY, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
REFUSE, UNKNOWN = ERROR | errno.EPERM, ERROR | errno.ENOSYS
# Offsets in the kernel's struct seccomp_data.
NUMBER, MACHINE, FIRST, FOURTH = 0, 4, 16, 16 + 3 * 8
OTHER_TABLE = 0x40000000  # on x86-64, the numbers of another table of calls start here
SHARED_AND_ANONYMOUS = 0x21
# A world of one's own in which one may do everything, and a child that somebody outside has to wait for.
NEW_USER, PARENT = 0x10000000, 0x00008000

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# Calls by their numbers on these machines, in this order.
MMAP, CLONE = (9, 222), (56, 220)
# Its flags cannot be looked at. Who is told that there is no such call takes `clone`.
CLONE3 = 435
REFUSED: dict[str, tuple[int, int]] = {
    # Memory that belongs to no process, and so is counted nowhere.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    # A place to leave notes for the next submission.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Other processes, and parts of the kernel that no notebook needs.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "unshare": (272, 97),
    "setns": (308, 268),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def refuse() -> None:
    """Refuse the calls above to this process and whatever it starts.

    Raises:
        OSError: the kernel takes no filter, or this processor's calls are not known.
    """
    steps = program(os.uname().machine)
    libc = ctypes.CDLL(None, use_errno=True)
    given = _Program(len(steps) // 8, steps)
    if libc.prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(given), 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")


def program(machine: str) -> bytes:
    """Return the filter: a small program in the kernel's own code, eight bytes a step.

    Raises:
        OSError: this processor's calls are not known.
    """
    if machine not in MACHINES:
        raise OSError(f"the system calls of a {machine} processor are not known")
    column = list(MACHINES).index(machine)
    steps = [(LOAD, 0, 0, MACHINE), (JUMP_EQUAL, 1, 0, MACHINES[machine]), (RETURN, 0, 0, KILL)]
    steps += [(LOAD, 0, 0, NUMBER)]
    if machine == "x86_64":
        steps += [(JUMP_LEAST, 0, 1, OTHER_TABLE), (RETURN, 0, 0, REFUSE)]
    for numbers in REFUSED.values():
        steps += [(JUMP_EQUAL, 0, 1, numbers[column]), (RETURN, 0, 0, REFUSE)]
    steps += [(JUMP_EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, UNKNOWN)]
    # Memory that is shared through no file: here both bits have to be set, of the other flags any one.
    steps += [(JUMP_EQUAL, 0, 3, MMAP[column]), (LOAD, 0, 0, FOURTH), (AND, 0, 0, SHARED_AND_ANONYMOUS)]
    steps += [(JUMP_EQUAL, 3, 4, SHARED_AND_ANONYMOUS)]
    steps += [(JUMP_EQUAL, 0, 3, CLONE[column]), (LOAD, 0, 0, FIRST), (JUMP_ANY, 0, 1, NEW_USER | PARENT)]
    steps += [(RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("=HBBI", *step) for step in [*steps, (RETURN, 0, 0, ALLOW)])
