"""Run these tests where nothing but the tool is: `python tests/alone.py [what pytest is given]`.

The tool's wheel is installed into an environment of its own, with what the extra `test` names, linked from
this one. The tests are copied out of the checkout: no path leads from them to anything beside the tool.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from support.environments import Environment

# Extras that are taken along where they are installed, each with a module of it.
ON_REQUEST = {"live": "uvicorn", "lti": "pylti1p3"}
TOOL = Path(__file__).parents[1]


def main(given: Sequence[str]) -> int:
    """Make the environment, and run pytest in it."""
    with tempfile.TemporaryDirectory(prefix="alone-") as result:
        folder = Path(result).resolve()
        tool = folder / "tool"
        shutil.copytree(TOOL, tool, ignore=shutil.ignore_patterns("__pycache__", ".*_cache", "dist"))
        extras = ",".join(["test", *(extra for extra, module in ON_REQUEST.items() if find_spec(module))])
        environment = Environment(folder / "environment", f"lesson-autograder[{extras}]", "pip")
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        wheel = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, tool]
        subprocess.run(wheel, check=True)
        environment.pip("install", *folder.glob("*.whl"))
        shutil.rmtree(tool / "build", ignore_errors=True)
        command = [environment.python, "-m", "pytest", *given]
        return subprocess.run(command, cwd=tool, env=environment.variables(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
