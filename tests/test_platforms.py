"""Where a test runs, and where it does not: Linux has the sandbox; macOS and Windows cannot."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.everywhere import need

ROOT = Path(__file__).parent.parent

WITHOUT_UNIX = """
import builtins, os, sys

import pytest

really_import = builtins.__import__

def imports(name, globals=None, locals=None, fromlist=(), level=0):
    importer = globals or {}
    ours = "/tests/" in importer.get("__file__", "") or importer.get("__name__", "").startswith("autograder")
    if ours and name in ("fcntl", "grp", "pty", "pwd", "resource", "termios"):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return really_import(name, globals, locals, fromlist, level)

builtins.__import__ = imports
for name in ("fork", "mkfifo"):
    delattr(os, name)
# Held-out answers take long to make, and are text.
sys.exit(pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider", "--ignore=tests/mutants", "tests"]))
"""


@pytest.mark.parametrize(
    ("system", "in_ci", "outcome"),
    [
        ("linux", True, "failed"),
        ("linux", False, "skipped"),
        ("darwin", True, "skipped"),
        ("win32", True, "skipped"),
    ],
)
def test_what_is_missing_fails_only_on_the_linux_of_ci(monkeypatch, system, in_ci, outcome):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setenv("CI", "true") if in_ci else monkeypatch.delenv("CI", raising=False)
    need("bubblewrap")
    with pytest.raises(
        {"failed": pytest.fail.Exception, "skipped": pytest.skip.Exception}[outcome],
        match="needs bubblewrap: it is away",
    ):
        need("bubblewrap", "it is away")


@pytest.mark.slow
def test_every_test_is_found_on_a_system_without_unix():
    command = [sys.executable, "-c", WITHOUT_UNIX]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
