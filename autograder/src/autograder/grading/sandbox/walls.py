"""The sandbox's walls: which files a submission can see, put up with bubblewrap."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from autograder.grading.sandbox import calls

PACKAGE = Path(__file__).parents[2]  # this tool, all of it
INSIDE = "/course"
# Names, for what runs inside, folders below /tmp that a submission needs all the same: "copy=place:…".
HIDDEN = "SANDBOX_HIDDEN_FOLDERS"
KEEPER = "autograder.grading.sandbox.keeper"
# A small world in which the sandbox's first process may do everything.
WORLD = (
    # As process 1: one of bubblewrap's own would have no capabilities, and so be open to all.
    *("bwrap", "--unshare-all", "--unshare-user", "--as-pid-1", "--cap-add", "ALL"),
    # Root in there, whoever started it: else bubblewrap would put a second world around the processes, and
    # they could enter no namespace of the first.
    *("--uid", "0", "--gid", "0"),
)
# What a Python with its compiled libraries needs of the system, read-only.
SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"),
    *("/etc/ld.so.cache", "/etc/alternatives"),
)
# The environment variables that a notebook sees beside those of `Inside`; there are no others.
ENVIRONMENT = {
    "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
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


@dataclass(frozen=True)
class Inside:
    """What a sandbox holds beside Python and this package."""

    # What its notebooks see, by the place below `INSIDE`; a later one may cover a part.
    folders: Mapping[str, Path] = field(default_factory=dict)
    covered: tuple[Path, ...] = ()  # folders in these or among Python's own that they must not find
    environment: Mapping[str, str] = field(default_factory=dict)  # variables that they see
    # Cells that are run once, before the first notebook, and leave nothing but what they loaded.
    preload: tuple[str, ...] = ()


def command(inside: Inside) -> list[str]:
    """Return the command that starts a sandbox with its warm process."""
    walls = [
        *WORLD,
        *("--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox"),
        *("--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),
    ]
    for name in SYSTEM:
        place = Path(name)
        if place.is_symlink():
            walls += ["--symlink", os.readlink(place), name]
        elif place.exists():
            walls += ["--ro-bind", name, name]
    seen = {name: [name] for name in SYSTEM}
    hidden = []
    for number, folder in enumerate(_python_folders()):
        seen[folder] = [folder]
        if folder.startswith("/tmp/"):
            # Every submission gets a /tmp of its own, which would hide this one: keep a second way to it.
            seen[folder].append(f"/python-{number}")
            hidden.append(f"/python-{number}={folder}")
        walls += [part for way in seen[folder] for part in ("--ro-bind", folder, way)]
    walls += ["--setenv", HIDDEN, ":".join(hidden)]
    for name, shown in {PACKAGE.name: PACKAGE, **inside.folders}.items():
        walls += ["--ro-bind", str(shown), f"{INSIDE}/{name}"]
        seen.setdefault(str(shown), []).append(f"{INSIDE}/{name}")
    for covered in inside.covered:
        for folder in filter(covered.is_relative_to, seen):
            for way in seen[folder]:
                hides = str(Path(way) / covered.relative_to(folder))
                # Read-only: what one submission could leave there, the next would find.
                walls += ["--tmpfs", hides, "--remount-ro", hides]
    for name, value in {**ENVIRONMENT, **inside.environment}.items():
        walls += ["--setenv", name, value]
    walls += ["--remount-ro", "/", "--remount-ro", "/dev", "--chdir", "/tmp"]
    cells = json.dumps(inside.preload)
    return [*walls, "--", sys.executable, "-s", "-m", KEEPER, cells]


def _python_folders() -> list[str]:
    """Return the folders of this interpreter and of its packages, but none inside another."""
    found = {str(Path(place).resolve()) for place in (sys.base_prefix, sys.prefix, sys.exec_prefix)}
    found |= {str(Path(place)) for place in (sys.base_prefix, sys.prefix)}
    outside = [
        place for place in sorted(found) if not place.startswith(("/usr/", "/bin/")) and place != "/usr"
    ]
    return [one for one in outside if not any(one.startswith(other + "/") for other in outside)]


@lru_cache(maxsize=1)
def why_not() -> str:
    """Why no sandbox can be had here; empty where one can."""
    if not sys.platform.startswith("linux"):
        return "a sandbox needs Linux"
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (on Debian and Ubuntu: apt-get install bubblewrap)"
    trial = [*WORLD, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    try:
        calls.program(os.uname().machine)
        done = subprocess.run(trial, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return f"bubblewrap does not run here ({problem})"
    return "" if done.returncode == 0 else f"bubblewrap does not run here ({done.stderr.strip()[:200]})"
