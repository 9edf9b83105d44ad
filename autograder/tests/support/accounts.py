"""Accounts of this machine, made by `useradd`, who may see no more of it than its users may."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from shlex import quote

from support import each_command

import autograder

# Programs that make them, and a place that each machine has, where what is covered stays within reach.
PROGRAMS = "unshare", "nsenter", "useradd", "runuser"
HELD = Path("/mnt")
# Where they write for a while. The path is short: Unix sockets lie there.
TEMPORARY = Path("/var/tmp")


@contextmanager
def accounts(root: Path, *names: str) -> Iterator[list[Account]]:
    """Make accounts whose homes lie in a folder.

    They are made in a namespace of their own, where /etc is a copy: this machine's accounts stay as they are.
    A folder on the way to the interpreter or to `place` that only its owner may enter is covered there by one
    that all may enter, and that holds nothing but the way.
    """
    root.chmod(0o755)
    needed = [root, Path(sys.prefix), Path(sys.base_prefix), Path(autograder.__file__).parents[2]]
    lines = ["set -e", f"mount -t tmpfs -o mode=700 tmpfs {HELD}", f"mount -t tmpfs tmpfs {TEMPORARY}"]
    lines += [f"cp -a /etc {HELD}/etc", f"mount --bind {HELD}/etc /etc"]
    for name in names:
        # One of this machine's own with that name is forgotten there.
        lines.append(f"sed -i '/^{name}:/d' /etc/passwd /etc/shadow /etc/group /etc/gshadow")
        lines.append(f"useradd --no-create-home --home-dir {quote(str(root / name))} {name}")
        lines.append(f"install -d -m 700 -o {name} -g {name} {quote(str(root / name))}")
    for number, closed in enumerate(_closed(needed)):
        held = HELD / str(number)
        lines += [f"mkdir {held}", f"mount --rbind {quote(str(closed))} {held}"]
        lines.append(f"mount -t tmpfs -o mode=755 tmpfs {quote(str(closed))}")
        for folder in sorted({path for path in needed if path.is_relative_to(closed)}):
            there, here = quote(str(folder)), quote(str(held / folder.relative_to(closed)))
            lines += [f"mkdir -p {there}", f"mount --rbind {here} {there}"]
    lines += ["echo made", "cat"]  # until nobody asks any more
    command = ["unshare", "--mount", "--propagation", "private", "bash", "-c", "\n".join(lines)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as saved:
        assert saved.stdout is not None
        assert saved.stdout.readline() == "made\n"
        made = [Account(name, root / name, saved.pid) for name in names]
        yield made
        for account in made:
            account.leave()


def why_no_accounts() -> str:
    """Say why no accounts can be made here; nothing where they can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "needs root: nobody else makes accounts"
    if missing := [name for name in PROGRAMS if shutil.which(name) is None]:
        return f"needs {missing[0]}: not installed"
    tried = subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", HELD], check=False)
    return "needs root: it may not mount anything here" if tried.returncode else ""


class Account:
    """Somebody with a home of their own, who runs nbgrader.

    Args:
        name: of the account.
        home: their folder.
        namespace: the process whose view of the machine they have; None for who runs this, with this one.
    """

    def __init__(self, name: str, home: Path, namespace: int | None = None) -> None:
        self.name = name
        self.home = home
        self._namespace = namespace
        if namespace is None:
            home.mkdir()

    def owns(self, folder: Path) -> None:
        """Give a folder to this account, and let nobody else enter it."""
        mine = self.home.stat()
        for path in (folder, *folder.rglob("*")):
            os.chown(path, mine.st_uid, mine.st_gid)
        folder.chmod(0o700)

    def _become(self) -> list[str]:
        """Return what comes before a command, for this account to run it."""
        if self._namespace is None:
            return []
        become = ["nsenter", f"--mount=/proc/{self._namespace}/ns/mnt", "runuser", "-u", self.name, "--"]
        return [*become, "env", f"TMPDIR={TEMPORARY}"]

    @cached_property
    def _commands(self) -> subprocess.Popen[str]:
        """What runs nbgrader's commands for this account, each in a process of its own."""
        reference = {"HOME": str(self.home), "JUPYTER_DATA_DIR": str(self.home)}
        reference["AUTOGRADER_PROGRESS"] = str(self.home / "progress")
        # nbgrader runs `alembic` by its name.
        reference["PATH"] = os.pathsep.join((sysconfig.get_path("scripts"), os.environ.get("PATH", "")))
        return subprocess.Popen(
            [*self._become(), sys.executable, each_command.__file__],
            cwd="/",
            env=os.environ | reference,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def nbgrader(self, folder: Path, *words: object, code: int = 0) -> str:
        """Run one of nbgrader's commands in a folder; what it said.

        Args:
            folder: where to run it.
            words: the command's.
            code: how it ends.
        """
        assert self._commands.stdin
        assert self._commands.stdout
        print(json.dumps([str(folder), [*map(str, words)]]), file=self._commands.stdin, flush=True)
        actual, text = json.loads(self._commands.stdout.readline())
        assert actual == code, text
        assert "Traceback" not in text
        return str(text)

    def leave(self) -> None:
        """End what runs commands, if there were any."""
        if "_commands" in vars(self):
            self._commands.communicate()


def _closed(needed: Sequence[Path]) -> list[Path]:
    """Return the topmost folders on the way to some that only their owner may enter."""
    ups = ([up for up in reversed(path.parents) if not up.stat().st_mode & 0o001] for path in needed)
    return sorted({closed[0] for closed in ups if closed})
