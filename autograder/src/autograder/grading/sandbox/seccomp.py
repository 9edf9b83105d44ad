"""The system calls that a submission may make; for all others, the kernel reports that they do not exist.

Linux only: a kernel filter (seccomp), which child processes inherit and nobody can remove. Libraries react to
a missing call as on an older kernel, and use another. The list leaves out calls on objects that other runs
share (leases and locks of files, notifications, keys, System V and POSIX objects, passed descriptors, queued
signals), on memory that counts for no process (such as data in a socket that nobody reads), and on other
processes or the machine.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterator
from functools import lru_cache

PR_SET_SECCOMP, FILTER = 22, 2
LOAD, JUMP_EQUAL, JUMP_ANY, AND, RETURN = 0x20, 0x15, 0x45, 0x54, 0x06
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
REFUSE, UNKNOWN = ERROR | errno.EPERM, ERROR | errno.ENOSYS
DONE, CHANGED, INVALID = ERROR | 0, ERROR | errno.EAGAIN, ERROR | errno.EINVAL
# Offsets in the kernel's struct seccomp_data; of an argument's eight bytes, a rule reads the lower half.
NUMBER, MACHINE, FIRST = 0, 4, 16
# Worlds of one's own, a child that somebody outside has to wait for, and a descriptor of a process, whose
# number counts all processes of the machine.
NEW_WORLDS, PARENT, PIDFD = 0x7E020000, 0x00008000, 0x00001000
# In the operation of `futex`: that only one process is meant, and what is left without the flags.
FUTEX_PRIVATE, FUTEX_COMMAND, FUTEX_WAITS = 0x80, 0x7F, (0, 9)

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# By what a notebook needs them for: each call with its numbers on these machines, in this order.
ALLOWED = {
    "files that it can see, and those of its own": """
        read:0/63 write:1/64 open:2/- close:3/57 stat:4/- fstat:5/80 lstat:6/- newfstatat:262/79
        statx:332/291 lseek:8/62 pread64:17/67 pwrite64:18/68 readv:19/65 writev:20/66 preadv:295/69
        pwritev:296/70 openat:257/56 openat2:437/437 access:21/-
        faccessat:269/48 faccessat2:439/439 readlink:89/- readlinkat:267/78 getdents:78/- getdents64:217/61
        getcwd:79/17 chdir:80/49 fchdir:81/50 rename:82/- renameat:264/38 renameat2:316/276 mkdir:83/-
        mkdirat:258/34 rmdir:84/- creat:85/- link:86/- linkat:265/37 unlink:87/- unlinkat:263/35
        symlink:88/- symlinkat:266/36 chmod:90/- fchmod:91/52 fchmodat:268/53 fchmodat2:452/452 chown:92/-
        fchown:93/55 lchown:94/- fchownat:260/54 utime:132/- utimes:235/- utimensat:280/88 futimesat:261/-
        truncate:76/45 ftruncate:77/46 fallocate:285/47 umask:95/166 dup:32/23 dup2:33/- dup3:292/24
        close_range:436/436 sendfile:40/71
        copy_file_range:326/285 getxattr:191/8 lgetxattr:192/9 fgetxattr:193/10 listxattr:194/11
        llistxattr:195/12 flistxattr:196/13
    """,
    "pipes, and sockets in pairs": """
        pipe:22/- pipe2:293/59 socketpair:53/199 getsockname:51/204 getpeername:52/205 getsockopt:55/209
        sendto:44/206 recvfrom:45/207 recvmsg:47/212 recvmmsg:299/243 shutdown:48/210
    """,
    "memory of its own": """
        munmap:11/215 mprotect:10/226 mremap:25/216 brk:12/214 msync:26/227
        pkey_mprotect:329/288 pkey_alloc:330/289 pkey_free:331/290 get_mempolicy:239/236
    """,
    "processes and threads of its own": """
        fork:57/- vfork:58/- execve:59/221 execveat:322/281 exit:60/93 exit_group:231/94 wait4:61/260
        waitid:247/95 kill:62/129 tkill:200/130 tgkill:234/131 getpid:39/172 getppid:110/173 gettid:186/178
        getpgid:121/155 setpgid:109/154 getpgrp:111/- getsid:124/156 setsid:112/157 set_tid_address:218/96
        set_robust_list:273/99 get_robust_list:274/100 rseq:334/293
        membarrier:324/283 arch_prctl:158/- sched_yield:24/124 sched_getaffinity:204/123
        sched_getparam:143/121 sched_getscheduler:145/120 sched_get_priority_max:146/125
        sched_get_priority_min:147/126 sched_rr_get_interval:148/127 getpriority:140/141
        restart_syscall:219/128
    """,
    "signals": """
        rt_sigaction:13/134 rt_sigprocmask:14/135 rt_sigreturn:15/139 rt_sigpending:127/136
        rt_sigtimedwait:128/137 rt_sigsuspend:130/133 sigaltstack:131/132 pause:34/- signalfd:282/-
        signalfd4:289/74
    """,
    "waiting and clocks": """
        select:23/- pselect6:270/72 poll:7/- ppoll:271/73 epoll_create:213/- epoll_create1:291/20
        epoll_ctl:233/21 epoll_wait:232/- epoll_pwait:281/22 epoll_pwait2:441/441 eventfd:284/-
        eventfd2:290/19 nanosleep:35/101 clock_nanosleep:230/115 clock_gettime:228/113 clock_getres:229/114
        gettimeofday:96/169 time:201/- alarm:37/- setitimer:38/103 getitimer:36/102 timerfd_create:283/85
        timerfd_settime:286/86 timerfd_gettime:287/87
    """,
    "what it is and may use": """
        uname:63/160 getrlimit:97/163 setrlimit:160/164 getrusage:98/165 times:100/153
        getrandom:318/278 getuid:102/174 geteuid:107/175 getgid:104/176 getegid:108/177 getresuid:118/148
        getresgid:120/150 getgroups:115/158 setuid:105/146 setgid:106/144 setreuid:113/145 setregid:114/143
        setresuid:117/147 setresgid:119/149 capget:125/90 getcpu:309/168
    """,
}
# Calls with their numbers, the argument that is looked at, and what it may be.
CHECKED = {
    # Descriptors are copied and their flags read and set; no leases, notifications, locks, or larger pipes.
    "fcntl": ((72, 25), 1, (0, 1, 2, 3, 4, 1030, 1032)),
    # What is asked of terminals and sockets; nothing is typed into a terminal.
    "ioctl": (
        (16, 29),
        1,
        (
            *(0x5401, 0x5402, 0x5403, 0x5404, 0x5409, 0x540B, 0x540E, 0x540F, 0x5410, 0x5413, 0x5414, 0x541B),
            *(0x5421, 0x5422, 0x5441, 0x5450, 0x5451, 0x80045430, 0x40045431),
        ),
    ),
    # Names of threads and of memory, what one is told when a parent ends, and that no rights are gained.
    "prctl": ((157, 167), 0, (1, 2, 3, 15, 16, 21, 23, 38, 39, 0x53564D41)),
    # Limits and processors of its own process, not of the one that watches it.
    "prlimit64": ((302, 261), 0, (0,)),
    "sched_setaffinity": ((203, 122), 0, (0,)),
    # What is advised about a run's own memory; not that pages of a file be dropped, joined, or compared.
    "madvise": ((28, 233), 2, (0, 1, 2, 3, 4, 8, 9, 10, 11, 14, 15, 16, 17, 18, 19)),
}
# Of `mmap`, the bits that say who sees what is written: nobody else. Other runs map the same files.
MMAP, SHARING, NOBODY_ELSE = (9, 222), 0x0F, 0x02
# A run's own files lie in memory, where nothing is to be done; to flush a disk, others would wait.
FLUSHES = ((74, 82), (75, 83))
CLONE, FUTEX = (56, 220), (202, 98)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def refuse() -> None:
    """Install the filter for this process and all that it starts.

    Raises:
        OSError: the kernel accepts no filter, or this processor's calls are not known.
    """
    steps = program(os.uname().machine)
    libc = ctypes.CDLL(None, use_errno=True)
    given = _Program(len(steps) // 8, steps)
    if libc.prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(given), 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")


def allowed(column: int) -> Iterator[int]:
    """Yield the numbers of the calls that are allowed with any arguments, for one kind of processor.

    Args:
        column: the processor's column in the table of calls.
    """
    for calls in ALLOWED.values():
        for call in calls.split():
            number = call.partition(":")[2].split("/")[column]
            if number != "-":
                yield int(number)


@lru_cache  # what forks itself for each notebook makes it once for all
def program(machine: str) -> bytes:
    """Return the filter as a program in the kernel's bytecode, with eight bytes for each step.

    Args:
        machine: the kind of processor, as `os.uname` names it.

    Raises:
        OSError: this processor's calls are not known.
    """
    if machine not in MACHINES:
        raise OSError(f"the system calls of a {machine} processor are not known")
    column = list(MACHINES).index(machine)
    steps = [(LOAD, 0, 0, MACHINE), (JUMP_EQUAL, 1, 0, MACHINES[machine]), (RETURN, 0, 0, KILL)]
    steps += [(LOAD, 0, 0, NUMBER)]
    for number in allowed(column):
        steps += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
    for numbers, argument, values in CHECKED.values():
        steps += [(JUMP_EQUAL, 0, 2 + 2 * len(values), numbers[column]), (LOAD, 0, 0, FIRST + 8 * argument)]
        for value in values:
            steps += [(JUMP_EQUAL, 0, 1, value), (RETURN, 0, 0, ALLOW)]
        steps += [(RETURN, 0, 0, REFUSE)]
    steps += [(JUMP_EQUAL, 0, 5, MMAP[column]), (LOAD, 0, 0, FIRST + 8 * 3), (AND, 0, 0, SHARING)]
    steps += [(JUMP_EQUAL, 1, 0, NOBODY_ELSE), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    for numbers in FLUSHES:
        steps += [(JUMP_EQUAL, 0, 1, numbers[column]), (RETURN, 0, 0, DONE)]
    steps += _futex(column)
    # The flags of `clone3` cannot be looked at. Who is told that there is no such call takes `clone`.
    steps += [
        (JUMP_EQUAL, 0, 4, CLONE[column]),
        (LOAD, 0, 0, FIRST),
        (JUMP_ANY, 0, 1, NEW_WORLDS | PARENT | PIDFD),
    ]
    steps += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in [*steps, (RETURN, 0, 0, UNKNOWN)])


def _futex(column: int) -> list[tuple[int, int, int, int]]:
    """Return the steps that let one process wait and wake in its own memory alone.

    Otherwise a page of a file that several runs map, if only to run it, would be a place to wait and to wake.
    Who waits there is told that the word has changed, and looks again, as `pthread_join` does: to refuse only
    the waking would not do, since the kernel itself wakes where a thread that ends asked for it.
    """
    waits = [(JUMP_EQUAL, 0, 1, wait) for wait in FUTEX_WAITS]
    steps = [(LOAD, 0, 0, FIRST + 8), (JUMP_ANY, 0, 1, FUTEX_PRIVATE), (RETURN, 0, 0, ALLOW)]
    steps += [(AND, 0, 0, FUTEX_COMMAND)]
    steps += [step for wait in waits for step in (wait, (RETURN, 0, 0, CHANGED))]
    steps += [(RETURN, 0, 0, INVALID)]
    return [(JUMP_EQUAL, 0, len(steps), FUTEX[column]), *steps]
