"""A run finds nothing in its sandbox that it could hold on to while others need it, and nothing to read."""

import os
import shutil
import subprocess
import sys
import threading

import pytest
from autograder.grading.sandbox import seccomp
from autograder.grading.sandbox.bubblewrap import Inside
from autograder.grading.sandbox.resource_limits import Limits
from autograder.grading.sandbox.sandbox_client import Job, Worker

pytestmark = pytest.mark.usefixtures("walls")
HELD = "held"
COMMON = """
import ctypes, errno, fcntl, os, sys
libc = ctypes.CDLL(None, use_errno=True)
shared = [os.__file__, "/usr/bin/env", sys.executable]
def tried(call, *given):
    ctypes.set_errno(0)
    return libc.syscall(NUMBERS[call], *given)
def answer(result):
    print("held" if result >= 0 else "refused")
"""
# By its number on x86-64 and on 64-bit ARM.
NUMBERS = {
    "inotify_init": (253, 26), "inotify_init1": (294, 26), "fanotify_init": (300, 262), "flock": (73, 32),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "shmget": (29, 194),
    "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "io_uring_setup": (425, 425), "userfaultfd": (323, 282),
    "perf_event_open": (298, 241), "bpf": (321, 280), "timer_create": (222, 107), "mlockall": (151, 230),
    "setpriority": (141, 140), "sched_setscheduler": (144, 119), "ioprio_set": (251, 30), "sync": (162, 81),
    "sendmsg": (46, 211), "socket": (41, 198), "bind": (49, 200), "listen": (50, 201),
    "accept4": (288, 242), "connect": (42, 203), "setsockopt": (54, 208), "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264), "open_tree": (428, 428), "fsopen": (430, 430),
    "landlock_create_ruleset": (444, 444), "seccomp": (317, 277), "personality": (135, 92),
    "syslog": (103, 116), "acct": (163, 89), "quotactl": (179, 60), "process_vm_readv": (310, 270),
    "ptrace": (101, 117), "kcmp": (312, 272), "mincore": (27, 232), "fadvise64": (221, 223),
    "readahead": (187, 213), "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40),
    "chroot": (161, 51), "mknodat": (259, 33), "swapon": (167, 224), "reboot": (169, 142),
    "init_module": (175, 105), "vmsplice": (278, 75), "splice": (275, 76), "rt_sigqueueinfo": (129, 138),
    "process_madvise": (440, 440), "sysinfo": (99, 179), "statfs": (137, 43), "fstatfs": (138, 44),
    "preadv2": (327, 286), "pwritev2": (328, 287), "cachestat": (451, 451), "futex_waitv": (449, 449),
    "futex_wake": (454, 454), "pidfd_open": (434, 434), "move_pages": (279, 239), "mbind": (237, 235),
}  # fmt: skip
TO_THE_END = {"set_tid_address": (218, 96), "set_robust_list": (273, 99)}
# What a lock, a lease or a note of a change would be kept with; 5 and 6 need a `struct flock`.
FCNTL = {
    "a lease": "fcntl.fcntl(os.open(path, os.O_RDONLY), 1024, fcntl.F_WRLCK)",
    "a lease to read": "fcntl.fcntl(os.open(path, os.O_RDONLY), 1024, fcntl.F_RDLCK)",
    "notes of a folder": "fcntl.fcntl(os.open(os.path.dirname(path), os.O_RDONLY), 1026, 0x80000002)",
    "a lock of its own": "fcntl.lockf(os.open(path, os.O_RDONLY), fcntl.LOCK_SH | fcntl.LOCK_NB)",
    "an open file's lock": "fcntl.fcntl(os.open(path, os.O_RDONLY), 37, bytes(32))",
    "flock": "fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)",
    "who holds a lock": "fcntl.fcntl(os.open(path, os.O_RDONLY), 5, bytes(32))",
    "signals for others": "fcntl.fcntl(os.open(path, os.O_RDONLY), 8, 1)",
    "seals": "fcntl.fcntl(os.open(path, os.O_RDONLY), 1033, 1)",
    "hints to the kernel": "fcntl.fcntl(os.open(path, os.O_RDONLY), 1036, bytes(8))",
    "a large pipe": "fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)",
}
OTHERS = {
    "System V by the library": "answer(libc.shmget(0x1234, 4096, 0o1666))",
    "a POSIX queue": "answer(libc.mq_open(b'/q', os.O_CREAT | os.O_RDWR, 0o666, None))",
    "the watcher's limits": "import resource; resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3))",
    "the watcher's processors": "os.sched_setaffinity(1, {0})",
    "a user of its own": "answer(libc.unshare(0x10000000))",
    "typing for others": "a, b = os.openpty(); fcntl.ioctl(b, 0x5412, b'x')",
    "a device's rights": "os.chmod('/dev/null', os.stat('/dev/null').st_mode & 0o777)",
    "a device's owner": "os.chown('/dev/urandom', -1, -1)",
    "a device's times": "a = os.stat('/dev/full'); os.utime('/dev/full', (a.st_atime, a.st_mtime))",
    "notes on a device": "os.setxattr('/dev/null', 'user.note', b'x')",
    "many terminals": "print(len([os.openpty() for _ in range(60)])); print('held')",
    "queued signals": "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, {40}); "
    "print('held' if os.kill(os.getpid(), 40) or signal.sigwaitinfo({40}).si_pid else 'refused')",
    "memory that stays": "answer(libc.mlock(ctypes.create_string_buffer(4096), 4096))",
    "memory of nobody": "import mmap; mmap.mmap(-1, 4096); print('held')",
    "a page of a file": "import mmap; mmap.mmap(os.open(os.__file__, 0), 4096, 1, 1); print('held')",
    "a page of its own file": "import mmap; f = os.open('/tmp/a', 66); os.truncate(f, 4096); "
    "mmap.mmap(f, 4096, 1); print('held')",
    "a page by the newer flag": "import mmap; mmap.mmap(os.open(os.__file__, 0), 4096, 3, 1); print('held')",
    "pages that are given back": "import mmap; a = mmap.mmap(os.open(os.__file__, 0), 4096, 2, 1); "
    "a.madvise(21); print('held')",
    "pages that are joined": "import mmap; a = mmap.mmap(os.open(os.__file__, 0), 4096, 2, 1); "
    "a.madvise(25); print('held')",
    "a child with a number of the machine's": "number = ctypes.byref(ctypes.c_int()); "
    "made = libc.syscall(CLONE, 0x1000 | 17, 0, number, 0, 0); answer(made) if made else os._exit(0)",
    "to be root outside": "print('held' if os.getuid() == 0 and ROOT else 'refused')",
}


def cells(code):
    column = list(seccomp.MACHINES).index(os.uname().machine)
    numbers = {name: both[column] for name, both in NUMBERS.items()}
    given = f"NUMBERS = {numbers}\nCLONE, FUTEX = {seccomp.CLONE[column]}, {seccomp.FUTEX[column]}\n"
    return [("common", f"{given}ROOT = {os.geteuid() == 0}\n{COMMON}"), ("one", code)]


@pytest.fixture(scope="module")
def worker():
    with Worker(Inside()) as result:
        yield result


def output(worker, code):
    ran = worker.run(Job(cells(code), limits=Limits(cell_seconds=20)))
    outputs = ran.cells.get("one", (0, []))[1]
    return "".join(item.get("text", item.get("ename", "")) for item in outputs)


@pytest.mark.parametrize("call", NUMBERS)
def test_a_call_that_is_not_listed_does_not_exist(worker, call):
    reported = output(worker, f"print(tried({call!r}, 0, 0, 0, 0, 0), ctypes.get_errno() in (38, 1))")
    assert reported == "-1 True\n"


@pytest.mark.parametrize("kind", FCNTL)
def test_no_file_that_others_use_can_be_held(worker, kind):
    code = f"for path in shared:\n    try:\n        {FCNTL[kind]}\n        print('held')\n"
    reported = output(worker, f"{code}    except OSError as problem:\n        print('refused')")
    assert set(reported.split()) == {"refused"}


@pytest.mark.parametrize("kind", OTHERS)
def test_nothing_else_can_be_held_or_changed(worker, kind):
    code = OTHERS[kind]
    assert HELD not in output(
        worker, code if HELD in code or "answer" in code else f"{code}; print('{HELD}')"
    )


READABLE = {
    "who maps a page": "print([p for p in ('smaps', 'smaps_rollup', 'pagemap', 'numa_maps', 'map_files') "
    "for who in ('self', 'thread-self', 'self/task/%d' % os.getpid(), str(os.getpid())) "
    "if os.path.exists(f'/proc/{who}/{p}')])",
    "how busy it is": "import re; print([p for p in ('stat', 'loadavg', 'uptime') "
    "if re.search('\\\\b[1-9]', open('/proc/' + p).read())] + [p for p in os.listdir('/proc') if p in "
    "('vmstat', 'pressure', 'diskstats', 'interrupts', 'softirqs', 'schedstat', 'zoneinfo', 'net', 'sys')])",
    "how much memory is free": "numbers = {l.split()[1] for l in open('/proc/meminfo')} - {'0'}; "
    "print(sorted(numbers)[1:])",
    "a configuration": "print([p for p in ('/usr/local/etc', '/etc/passwd', '/etc/hostname', "
    "'/usr/share/doc', '/usr/src', '/usr/local/share') if os.path.exists(p)])",
    "what the kernel was started with": "print([p for p in ('/proc/cmdline', '/proc/1/cmdline', "
    "'/proc/locks', '/proc/keys', '/proc/modules') if os.path.exists(p) and open(p).read()])",
    "other processes": "print([p for p in os.listdir('/proc') if p.isdigit() and int(p) != os.getpid()])",
    "settings": "print([p for p in ('/proc/sys/kernel', '/sys', '/proc/bus/pci') if os.path.exists(p)])",
}


@pytest.mark.parametrize("kind", READABLE)
def test_nothing_of_the_machine_can_be_read(worker, kind):
    assert output(worker, READABLE[kind]) == "[]\n"


def test_no_mount_says_where_its_files_lie(worker):
    reported = output(worker, "print(open('/proc/self/mountinfo').read())")
    roots = {line.split()[3] for line in reported.splitlines() if line.strip() and " /proc/" not in line}
    assert {root for root in roots if root.count("/") > 1} == set()
    assert "lowerdir=." in reported


def test_what_a_notebook_needs_is_there(worker):
    code = """
import asyncio, json, multiprocessing, socket, sqlite3, subprocess, tempfile, threading, zoneinfo, ssl, uuid
import concurrent.futures, ctypes, numpy, os, torch
def work(x):
    return 2 * x
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    print(list(pool.map(work, [1, 2])))
one, other = multiprocessing.Pipe()
process = multiprocessing.get_context("fork").Process(target=other.send, args=(work(1),))
process.start(); print(one.recv()); process.join()
# Who joins a thread waits without the flag that futexes need here.
libc, thread, called = ctypes.CDLL(None), ctypes.c_ulong(), []
begin = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _: called.append("thread ended"))
libc.pthread_create(ctypes.byref(thread), None, begin, None)
print(libc.pthread_join(thread, None), *called)
torch.set_num_threads(4)
print((torch.ones(600, 600) @ torch.ones(600, 600)).sum().item(), torch.get_num_threads())
torch.set_num_threads(1)
numpy.save("/tmp/a.npy", numpy.arange(4))
print(numpy.load("/tmp/a.npy", mmap_mode="c").sum())
import safetensors.torch
safetensors.torch.save_file({"a": torch.ones(2)}, "/tmp/a.safetensors")
print(safetensors.torch.load_file("/tmp/a.safetensors")["a"].tolist())
torch.save(torch.ones(2), "/tmp/a.pt"); print(torch.load("/tmp/a.pt", mmap=True).tolist())
os.fsync(os.open("/tmp/a.pt", os.O_RDWR))
print(subprocess.run(["echo", "hi"], capture_output=True, text=True).stdout.strip())
!echo there
a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1))
async def wait():
    await asyncio.sleep(0.01); return "waited"
print(asyncio.run(wait()))
print(sqlite3.connect(":memory:").execute("select 1").fetchone())
with tempfile.TemporaryDirectory() as place:
    open(place + "/a", "w").write("x"); os.rename(place + "/a", place + "/b"); print(os.listdir(place))
thread = threading.Thread(target=print, args=("thread",)); thread.start(); thread.join()
print(zoneinfo.ZoneInfo("UTC"), os.cpu_count() > 0, len(os.urandom(3)), uuid.uuid4().version)
print(torch.ones(200, 200).matmul(torch.ones(200, 200)).sum().item())
open("/dev/null", "w").write("x")
import time, signal
signal.signal(signal.SIGALRM, lambda *_: print("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.01); time.sleep(0.1)
x = torch.ones(3, requires_grad=True); (x * 2).sum().backward(); print(x.grad.tolist())
import torch.utils.data
print(len(list(torch.utils.data.DataLoader(torch.arange(4), batch_size=2))))
"""
    wanted = ["[2, 4]", "2", "0 thread ended", "216000000.0 4", "6", "[1.0, 1.0]", "[1.0, 1.0]"]
    wanted += ["hi", "there", "b'x'", "waited", "(1,)", "['b']", "thread"]
    wanted += ["UTC True 3 4", "8000000.0", "alarm", "[2.0, 2.0, 2.0]", "2"]
    assert [line.strip() for line in output(worker, code).splitlines() if line.strip()] == wanted


# How a run could tell another something: what one does to a file that all see, and how the other feels it.
CHANNELS = {
    "waking": ("futex(WAKE)", "futex(WAIT)"),
    "moving who waits": ("futex(REQUEUE)", "futex(WAIT)"),
    "the end of a thread": ("thread_that_ends()", "futex(WAIT)"),
    "the end of who holds a lock": ("holder_that_ends()", "futex(WAIT)"),
    "mapping a page": ("touch()", "count_who_maps()"),
}
ENDS = """
import contextlib, ctypes, os, threading, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
file = os.open("/course/autograder/grading/dask_cluster.py", os.O_RDONLY)
page = libc.mmap(None, 1 << 16, 1, 2, file, 0)
word = page + os.fstat(file).st_size // 4096 * 4096 + 4092  # after the file's end: zero
WAIT, WAKE, REQUEUE = (0, 0), (1, 100), (3, 100)
class Time(ctypes.Structure):
    _fields_ = (("s", ctypes.c_long), ("n", ctypes.c_long))
def futex(what):
    timeout = ctypes.byref(Time(0, 50_000_000)) if what == WAIT else ctypes.c_void_p(100)
    return libc.syscall(FUTEX, ctypes.c_void_p(word), *what, timeout, ctypes.c_void_p(word), 0) == 0
def thread_that_ends():
    tid = NUMBERS["set_tid_address"]
    thread = threading.Thread(target=lambda: libc.syscall(tid, ctypes.c_void_p(word)))
    thread.start(); thread.join()
def holder_that_ends():
    class Head(ctypes.Structure):
        _fields_ = (("next", ctypes.c_void_p), ("offset", ctypes.c_long), ("pending", ctypes.c_void_p))
    if (child := os.fork()) == 0:
        head = Head(None, 0, word)
        head.next = ctypes.addressof(head)
        libc.syscall(NUMBERS["set_robust_list"], ctypes.byref(head), 24)
        os._exit(0)
    os.waitpid(child, 0)
def touch():
    ctypes.c_char.from_address(page).value
    time.sleep(0.02)
    libc.madvise(ctypes.c_void_p(page), 4096, 4)
def count_who_maps():
    ctypes.c_char.from_address(page).value
    with open("/proc/self/smaps") as lines:
        while not next(lines).startswith(f"{page:x}-"):
            pass
        counts.add(next(line for line in lines if line.startswith("Pss:")))
    return len(counts) > 1
counts, felt, end = set(), False, time.monotonic() + 3
with contextlib.suppress(FileNotFoundError):
    while time.monotonic() < end and not felt:
        felt = bool(ACTION) and RECEIVES
        time.sleep(0.001)
print("felt" if felt else "nothing")
"""


@pytest.mark.sample(5)
@pytest.mark.parametrize("kind", CHANNELS)
def test_what_one_run_does_to_a_shared_file_another_does_not_feel(worker, kind):
    column = list(seccomp.MACHINES).index(os.uname().machine)
    given = {name: both[column] for name, both in TO_THE_END.items()}
    begin = f"NUMBERS = {given}\nFUTEX = {seccomp.FUTEX[column]}\n"
    sends, receives = (
        Job([("one", begin + ENDS.replace("ACTION", action).replace("RECEIVES", str(number == 1)))])
        for number, action in enumerate(CHANNELS[kind])
    )
    with Worker(Inside()) as other:
        other.run(Job([("one", "1")]))
        thread = threading.Thread(target=other.run, args=(sends,))
        thread.start()
        ran = worker.run(receives)
        thread.join()
    assert (ran.how, ran.cells["one"][1][0]["text"]) == ("finished", "nothing\n")


@pytest.mark.slow
def test_while_one_run_holds_all_that_it_can_another_is_as_fast_as_alone(worker):
    hold = """
import os, fcntl, time, socket, threading
kept = []
def keep(function):
    try:
        while len(kept) < 5_000:
            kept.append(function())
    except Exception:
        pass
for path in (os.__file__, "/usr/bin/env"):
    try:
        fcntl.fcntl(os.open(path, os.O_RDONLY), 1024, fcntl.F_WRLCK)
    except OSError:
        pass
for function in (os.openpty, os.pipe, lambda: os.open("/dev/null", os.O_RDONLY), socket.socketpair):
    keep(function)
time.sleep(4)
"""
    limits = Limits(cell_seconds=20)
    with Worker(Inside()) as other:
        other.run(Job([("one", "1")]))
        thread = threading.Thread(target=worker.run, args=(Job([("one", hold)], limits=limits),))
        thread.start()
        ran = other.run(Job([("one", "import os\nlen(open(os.__file__).read())\n!echo hi")], limits=limits))
        thread.join()
    assert ran.how == "finished"
    assert ran.cells["one"][1][-1]["text"].strip() == "hi"
    assert ran.seconds < 3


# What takes the kernel's memory, and of a process's own next to nothing.
IN_THE_KERNEL = {
    "what waits in sockets": """
pairs = [socket.socketpair() for _ in range(120)]
for one, other in pairs:
    for end in (one, other):
        end.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                end.send(bytes(65536))
""",
    "tables of memory that was looked at": """
size = 14 << 30
area = mmap.mmap(-1, size, flags=0x4022, prot=mmap.PROT_READ)
for place in range(0, size, 2 << 20):
    area[place]
""",
    "what is waited for": """
waits, (end, _) = [select.epoll() for _ in range(90)], os.pipe()
ends = [os.dup(end) for _ in range(130)]
for wait in waits:
    for end in ends:
        wait.register(end)
""",
    "threads": """
threading.stack_size(1 << 15)
for _ in range(250):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
""",
}


AREAS = """
import ctypes, mmap, os, time
libc = ctypes.CDLL(None)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
area = mmap.mmap(-1, 4096 * COUNT, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
begin = ctypes.addressof(ctypes.c_char.from_buffer(area))
for page in range(0, COUNT, 2):
    libc.mprotect(begin + 4096 * page, 4096, 0)
if any(os.fork() == 0 for _ in range(FORKS)):
    time.sleep(1)
    os._exit(0)
time.sleep(0.5)
"""


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("count", "forks", "how"), [(62_000, 0, "areas"), (6_000, 12, "areas"), (6_000, 1, "finished")]
)
def test_areas_of_memory_are_counted_in_all_processes(worker, count, forks, how):
    code = AREAS.replace("COUNT", str(count)).replace("FORKS", str(forks))
    assert worker.run(Job([("one", code)], limits=Limits(cell_seconds=15))).how == how


@pytest.mark.sample(4)
@pytest.mark.parametrize("kind", IN_THE_KERNEL)
def test_what_the_kernel_holds_for_a_run_is_its_own_memory(worker, kind):
    begin = "import contextlib, mmap, os, select, socket, threading, time\n"
    code = f"{begin}any(os.fork() == 0 for _ in range(26))\n{IN_THE_KERNEL[kind]}\ntime.sleep(20)"
    assert worker.run(Job([("one", code)], limits=Limits(cell_seconds=15))).how == "memory"


ORDINARY = """
import os
from autograder.grading.sandbox.bubblewrap import Inside
from autograder.grading.sandbox.sandbox_client import Job, Worker
with Worker(Inside()) as worker:
    ran = worker.run(Job([("one", "import os; os.getuid()")]))
    print(os.getuid(), ran.how, ran.cells["one"][1][0]["data"]["text/plain"])
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare: nothing here makes another user")
def test_an_ordinary_user_s_sandbox_is_as_closed():
    other = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    done = subprocess.run(
        [*other, sys.executable, "-c", ORDINARY], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["1000", "finished", "0"], done.stderr


def nobody_can_run():
    """Tell whether another user can run this interpreter and read the tool."""
    seen = subprocess.run(
        [sys.executable, "-c", "import autograder, torch"], user="nobody", capture_output=True, check=False
    )
    return seen.returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: nobody else can become another user")
def test_where_another_user_grades_the_sandbox_is_as_closed(tmp_path):
    try:
        can = nobody_can_run()
    except OSError:
        can = False
    if not can:
        pytest.skip("needs a Python that another user can run: this one they cannot")
    tmp_path.chmod(0o777)
    reported = {**os.environ, "HOME": str(tmp_path), "TMPDIR": "/tmp"}
    done = subprocess.run(
        [sys.executable, "-c", ORDINARY],
        user="nobody",
        cwd="/",
        env=reported,
        capture_output=True,
        text=True,
        check=False,
    )
    uid, how, inside = done.stdout.split() or ["", "", done.stderr]
    assert (uid != "0", how, inside) == (True, "finished", "0")


def test_where_root_grades_a_notebook_is_nobody(worker):
    mapped = "65534" if os.geteuid() == 0 else "0"
    code = "import os\nprint(os.getuid(), os.getgid(), os.access('/proc/self/fd', os.R_OK))"
    assert output(worker, code).split() == [mapped, mapped, "True"]
