"""A home of the tests' own: what they and the programs that they start keep, they keep there.

Importing this makes it, before any library has looked where its settings, caches and temporary files lie.
It is removed at the end; `pytest --basetemp=FOLDER` keeps what the tests themselves wrote.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

# What sends a library, or the tool itself, to another place, or has it behave in another way.
ELSEWHERE = (
    *("AUTOGRADER_", "DASK_", "IPYTHON", "JPY_", "JUPYTER", "LC_", "LANG", "MPL", "NBGRADER_"),
    *("PIP_CACHE_DIR", "TORCH", "TRITON", "UV_CACHE_DIR", "XDG_"),
)


def move_in() -> None:
    """Make a new home for this process and those that it starts."""
    home = Path(tempfile.mkdtemp(prefix="tests-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    for name in [name for name in os.environ if name.startswith(ELSEWHERE)]:
        del os.environ[name]
    temporary = home / "tmp"
    temporary.mkdir()
    tempfile.tempdir = str(temporary)
    os.environ.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary)))
    os.environ.update(dict.fromkeys(("HOME", "USERPROFILE"), str(home)))
    # Windows' own folders; platformdirs asks for the second form.
    for name in ("APPDATA", "LOCAL_APPDATA"):
        os.environ[name.replace("_", "")] = os.environ[f"WIN_PD_OVERRIDE_{name}"] = str(home / name)
    os.environ["LC_ALL"] = "C.UTF-8"
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # as start.py sets it: no other kernel called python3
    # Tensors here are tiny: a second thread only waits for the first, and slows whatever runs beside it.
    os.environ.setdefault("OMP_NUM_THREADS", "1")


if "PYTEST_XDIST_WORKER" not in os.environ:  # else whoever started this process has moved in already
    move_in()
