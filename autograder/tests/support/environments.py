"""A clean environment: one of its own, into which wheels are installed without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, EntryPoint, distribution
from pathlib import Path

from packaging.requirements import Requirement

# Whatever was installed from a checkout or a file, and not by its name, has this; it is given as a wheel.
OWN = "direct_url.json"


class Environment:
    """A virtual environment that holds what is needed, linked from this one, but nothing of this checkout.

    Args:
        folder: where to make it.
        needs: requirements; of what lies in a checkout, only what that needs is taken.
    """

    def __init__(self, folder: Path, *needs: str) -> None:
        venv.create(folder, symlinks=os.name != "nt")
        self.folder = folder
        place = {"base": str(folder), "platbase": str(folder)}
        self.python = Path(sysconfig.get_path("scripts", "venv", place)) / "python"
        self.packages = Path(sysconfig.get_path("purelib", "venv", place))
        for needed in _needed(needs):
            for top in {file.parts[0] for file in needed.files or ()} - {".."}:
                _copy(Path(str(needed.locate_file(top))), self.packages / top)
            for file in needed.files or ():
                if "share" in file.parts and file.parts[0] == "..":
                    _copy(Path(str(needed.locate_file(file))), self.packages / file)
            for program in needed.entry_points.select(group="console_scripts"):
                self._write(program)

    def _write(self, program: EntryPoint) -> None:
        """Write a program as pip does; on Windows, those of the environment that runs this are found."""
        if os.name != "nt":
            file = self.python.with_name(program.name)
            start = f"import sys\nfrom {program.module} import {program.attr}\nsys.exit({program.attr}())\n"
            file.write_text(f"#!{self.python}\n{start}", encoding="utf-8")
            file.chmod(0o755)

    def pip(self, *words: str | Path) -> None:
        """Run this environment's pip on that one; it installs only what it is given."""
        pip = [sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check", "--quiet"]
        self._run(Path(), [*pip, *words], PIP_NO_INDEX="1")

    def run(self, where: Path, *words: str | Path, **variables: str) -> str:
        """Run its Python in a folder; returns what it says."""
        return self._run(where, [self.python, *words], **variables)

    def _run(self, where: Path, words: list[str | Path], **variables: str) -> str:
        done = subprocess.run(
            list(map(str, words)),
            cwd=where,
            env={**self.variables(), **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (words, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def variables(self) -> dict[str, str]:
        """Return the variables that its programs run with; none is about the Python that runs here."""
        foreign = ("PYTHON", "PYTEST", "NBGRADER", "AUTOGRADER", "VIRTUAL_ENV")
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith(foreign)},
            # nbgrader starts `alembic` by its name.
            "PATH": os.pathsep.join(
                [str(self.python.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
            ),
            "AUTOGRADER_PROGRESS": str(self.folder / "progress"),
            "AUTOGRADER_SECRET": str(self.folder / "secret"),
        }


def _needed(needs: tuple[str, ...]) -> Iterator[Distribution]:
    """Yield what is installed here of these requirements and of all that they need."""
    waiting, seen = [(Requirement(need), "") for need in needs], set()
    while waiting:
        need, extra = waiting.pop()
        if need.marker and not need.marker.evaluate({"extra": extra}):
            continue
        for wanted in ("", *need.extras):
            if (need.name, wanted) not in seen:
                seen.add((need.name, wanted))
                there = distribution(need.name)
                waiting += [(Requirement(line), wanted) for line in there.requires or ()]
                if there.read_text(OWN) is None:
                    yield there


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, copy_function=_link, dirs_exist_ok=True)
    elif source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        _link(source, target)


def _link(source: str | Path, target: str | Path) -> None:
    if not os.path.lexists(target):
        try:
            os.link(source, target)
        except OSError:  # on another disk
            shutil.copy2(source, target)
