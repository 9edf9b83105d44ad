"""The walls of the sandbox: bubblewrap decides which files a submission can see."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from autograder.grading.sandbox import seccomp

PACKAGE = Path(__file__).parents[2]  # this tool, all of it
INSIDE = "/course"
# Names, for what runs inside, folders below /tmp that a submission needs all the same: "copy=place:…".
HIDDEN = "SANDBOX_HIDDEN_FOLDERS"
KEEPER = "autograder.grading.sandbox.supervisor"
# A small world in which the sandbox's first process may do everything.
WORLD = (
    # As process 1: one of bubblewrap's own would have no capabilities, and so be open to all.
    *("bwrap", "--unshare-all", "--unshare-user", "--as-pid-1", "--cap-add", "ALL"),
    # Root in there, whoever started it: else bubblewrap would put a second world around the processes, and
    # they could enter no namespace of the first.
    *("--uid", "0", "--gid", "0"),
)
# What a Python with its compiled libraries needs of the system, read-only. Of the rest, whatever a machine's
# owner put into it could be read: a configuration below /usr/local, say. And less is read once, at the start.
SYSTEM = (
    *("/usr/lib64", "/usr/lib/locale", "/usr/share/zoneinfo", "/usr/share/fonts", "/usr/share/terminfo"),
    *("/bin", "/sbin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"),
)
# Where a system keeps what it made for one kind of processor; elsewhere, all libraries lie in one folder.
LIBRARIES, ALL_LIBRARIES = "/usr/lib/*-linux-*", "/usr/lib"
# Programs that notebooks call, and what shells call in their place.
PROGRAMS = """
    [ awk base64 basename bash cat chmod cmp cp cut date dd df diff dirname du echo egrep env expr false fgrep
    find free grep gzip head hostname id kill ldconfig ln ls md5sum mkdir mktemp mv nice nohup nproc od paste
    printenv printf ps pwd readlink realpath rev rm rmdir sed seq sh sha256sum sleep sort split stat tail tar
    tee test timeout touch tr true tty uname uniq unzip uptime wc which whoami xargs yes zip
"""
PATHS = "/usr/bin:/bin:/usr/sbin:/sbin"
# And of the folders in which this interpreter and its packages are installed.
OF_PYTHON = ("bin", "lib", "lib32", "lib64", "pyvenv.cfg")
# What is only needed to make or to test a library: of a folder of packages, and of Python's own.
OF_PACKAGES = ("*/include", "torch/share", "torch/test")
OF_STANDARD_LIBRARY = ("test", "idlelib", "config-*", "site-packages")
# Called as `../.venv/bin/python`, it names a folder on its way that is not in there.
PYTHON = os.path.normpath(sys.executable)
# Who is who in there where root grades, as the kernel is told: who runs notebooks is nobody outside.
NOBODY = 65534
ONE_USER = "0 0 1\n"
TWO_USERS = f"{ONE_USER}{NOBODY} {NOBODY} 1\n"
# The environment variables that a notebook sees beside those of `Inside`; there are no others.
ENVIRONMENT = {
    "PATH": f"{Path(PYTHON).parent}:/usr/bin:/bin",
    "PYTHONPATH": INSIDE,
    "PYTHONDONTWRITEBYTECODE": "1",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "IPYTHONDIR": "/tmp/ipython",
    "MPLCONFIGDIR": "/tmp/matplotlib",
    # What a Jupyter kernel sets, so that figures are drawn into the notebook.
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    # One notebook is one thread: those of a library would not survive a fork.
    "OMP_NUM_THREADS": "1",
}


# What a sandbox of this process has read before its first run: then the machine has it in its memory.
_READ: set[str] = set()


@dataclass(frozen=True)
class Inside:
    """The content of a sandbox beside Python and this package."""

    # The folders that notebooks see, by the path below `INSIDE`; a later one may cover a part.
    folders: Mapping[str, Path] = field(default_factory=dict)
    covered: tuple[Path, ...] = ()  # folders in these or among Python's own that are hidden
    environment: Mapping[str, str] = field(default_factory=dict)  # environment variables
    # Cells to run once before the first notebook; only the modules that they load stay.
    preload: tuple[str, ...] = ()


def command(inside: Inside, identity: Sequence[str] = (), group: int = -1) -> list[str]:
    """Return the command that starts a sandbox with its warm process.

    Args:
        inside: the content of the sandbox.
        identity: further arguments for bubblewrap, such as user ids.
        group: the descriptor through which runs enter their control group; -1 if there is none.
    """
    walls = [
        *(*WORLD, *identity),
        *("--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox"),
        *("--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),
    ]
    seen: dict[str, list[str]] = {}
    for path in map(Path, dict.fromkeys((*SYSTEM, *_system_places(), *_python_places()))):
        if path.is_symlink():
            walls += ["--symlink", os.readlink(path), str(path)]
        elif path.exists():
            walls += ["--ro-bind", str(path), str(path)]
            seen[str(path)] = [str(path)]
    for name in filter(None, (shutil.which(program, path=PATHS) for program in PROGRAMS.split())):
        walls += ["--ro-bind", os.path.realpath(name), name]
        seen[name] = [name]
    hidden = []
    for number, folder in enumerate(_python_folders()):
        if not folder.startswith("/tmp/"):
            continue
        seen[folder] = [folder]
        # Every submission gets a /tmp of its own, which would hide this one: keep a second way to it.
        seen[folder].append(f"/python-{number}")
        hidden.append(f"/python-{number}={folder}")
        walls += [part for path in seen[folder] for part in ("--ro-bind", folder, path)]
    walls += ["--setenv", HIDDEN, ":".join(hidden)]
    for name, shown in {PACKAGE.name: PACKAGE, **inside.folders}.items():
        walls += ["--ro-bind", str(shown), f"{INSIDE}/{name}"]
        seen.setdefault(str(shown), []).append(f"{INSIDE}/{name}")
    covers = [
        str(Path(way) / covered.relative_to(folder))
        for covered in (*inside.covered, *_not_needed())
        for folder in filter(covered.is_relative_to, seen)
        for way in seen[folder]
    ]
    for hides in covers:
        # Read-only: what one submission could leave there, the next would find.
        walls += ["--tmpfs", hides, "--remount-ro", hides]
    for name, value in {**ENVIRONMENT, **_libraries(), **inside.environment}.items():
        walls += ["--setenv", name, value]
    walls += ["--remount-ro", "/", "--remount-ro", "/dev", "--chdir", "/tmp"]
    visible = sorted({path for ways in seen.values() for path in ways})
    plan: dict[str, object] = {
        "preload": inside.preload,
        "shown": visible,
        "covered": covers,
        "group": group,
    }
    plan["unread"] = [path for path in visible if path not in _READ]
    _READ.update(visible)
    return [*walls, "--", PYTHON, "-s", "-m", KEEPER, json.dumps(plan)]


def _system_places() -> list[str]:
    """Return the folders of the system's libraries and of its own Python."""
    folders = [str(folder) for folder in sorted(Path("/").glob(LIBRARIES[1:]))]
    if not any(Path(folder, "libc.so.6").exists() for folder in (*folders, "/usr/lib64", "/lib64")):
        return [ALL_LIBRARIES]
    of_python = [path for path in sys.path if path.startswith(f"{ALL_LIBRARIES}/python")]
    return [*folders, *of_python]


def _not_needed() -> list[Path]:
    """Return folders of this interpreter and of its packages that no notebook looks into."""
    packages = {Path(path) for path in sys.path if path.endswith("-packages")}
    folders = [folder for path in packages for name in OF_PACKAGES for folder in path.glob(name)]
    standard = Path(sysconfig.get_path("stdlib"))
    folders += [folder for name in OF_STANDARD_LIBRARY for folder in standard.glob(name)]
    return [folder for folder in folders if folder.is_dir() and folder not in packages]


def _python_places() -> list[str]:
    """Return what a notebook needs of the folders of this interpreter and of its packages."""
    folders = (folder for folder in _python_folders() if not folder.startswith("/tmp/"))
    return [f"{folder}/{name}" for folder in folders for name in OF_PYTHON]


def _libraries() -> dict[str, str]:
    """Return where this Python is told to look for its own libraries, as on clusters that load it so."""
    paths = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    libraries = [
        path for path in paths if any(path.startswith(f"{folder}/lib") for folder in _python_folders())
    ]
    return {"LD_LIBRARY_PATH": ":".join(libraries)} if libraries else {}


def _python_folders() -> list[str]:
    """Return the folders of this interpreter and of its packages, but none inside another."""
    prefixes = {str(Path(path).resolve()) for path in (sys.base_prefix, sys.prefix, sys.exec_prefix)}
    prefixes |= {str(Path(path)) for path in (sys.base_prefix, sys.prefix)}
    outside = [path for path in sorted(prefixes) if path != "/usr"]
    return [folder for folder in outside if not any(folder.startswith(other + "/") for other in outside)]


@lru_cache(maxsize=1)
def as_nobody() -> bool:
    """Tell whether notebooks run as nobody: if root grades, and everybody may read the files they need."""
    needed = [PACKAGE, PACKAGE / "__init__.py", *map(Path, _python_folders())]
    return os.geteuid() == 0 and all(path.stat().st_mode & 0o004 for path in needed)


@lru_cache(maxsize=1)
def why_not() -> str:
    """Return why no sandbox can be started here; "" if one can."""
    if not sys.platform.startswith("linux"):
        return "a sandbox needs Linux"
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (on Debian and Ubuntu: apt-get install bubblewrap)"
    trial = [*WORLD, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    try:
        seccomp.program(os.uname().machine)
        done = subprocess.run(trial, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return f"bubblewrap does not run here ({problem})"
    return "" if done.returncode == 0 else f"bubblewrap does not run here ({done.stderr.strip()[:200]})"
