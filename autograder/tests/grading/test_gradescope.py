"""A lesson's autograder in a container like Gradescope's: as root, with nothing but what was packed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import nbformat
import pytest
from autograder.author.parse_source import read_source
from autograder.command import app as cli
from support.class_course import FULL, LESSON, class_folder
from typer.testing import CliRunner

import autograder

pytestmark = [
    pytest.mark.usefixtures("walls"),  # bubblewrap makes the container
    pytest.mark.skipif(
        not hasattr(os, "geteuid") or os.geteuid() != 0,
        reason="needs root: nobody else can be in such a container",
    ),
    pytest.mark.skipif(
        Path(sys.prefix).stat().st_mode & 0o005 != 0o005,
        reason="needs an environment that others may enter: students' code runs as another user",
    ),
]
COMMAND = ("gradescope", "01", "--visibility", "after_published")
# What can be earned, as Gradescope says beside each submission.
ASSIGNMENT = '{{"assignment": {{"total_points": "{}"}}}}'
# What a student's code may not do; the answer is right where each of these is refused.
TRIES = """
import os, subprocess, sys

def refused(action):
    try:
        action()
    except (OSError, MemoryError, RuntimeError):
        return True
    return False

def fork():
    for _ in range(200):
        if os.fork() == 0:
            import time
            time.sleep(60)

outcomes = {
    "is root": os.getuid() != 0 and refused(lambda: os.setuid(0)),
    "reads the answers": refused(lambda: os.listdir("/autograder/source")),
    "reads the secret": refused(lambda: open("/autograder/source/secret/secret").read()),
    "writes a result": refused(lambda: open("/autograder/results/results.json", "w")),
    "reads what others handed in": refused(lambda: open("/autograder/submission_metadata.json").read()),
    "changes the checks": refused(lambda: open(sys.modules["autograder"].__file__, "a")),
    "changes the questions": refused(lambda: open(f"{os.environ['AUTOGRADER_COURSE']}/course.toml", "a")),
    "fills the memory": refused(lambda: bytearray(8 << 30)),
    "sees the grader's environment": "AUTOGRADER_SECRET" not in os.environ,
    "starts processes without end": refused(fork),
}
if not all(outcomes.values()):
    raise RuntimeError(", ".join(what for what, held in outcomes.items() if not held))
"""


def packed(folder: Path, *words: str) -> list[str]:
    """The tree that Gradescope makes of a zip."""
    folder.mkdir()
    for name in ("source", "submission", "results"):
        (folder / name).mkdir()
    (folder / "submission_metadata.json").write_text(ASSIGNMENT.format(FULL))
    done = CliRunner().invoke(cli.app, [*COMMAND, *words, "--out", str(folder / "made.zip")])
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(folder / "made.zip") as archive:
        archive.extractall(folder / "source")
        names = archive.namelist()
    (folder / "made.zip").unlink()
    return names


def graded(folder: Path) -> dict:
    """What the autograder tells Gradescope."""
    done = run(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((folder / "results" / "results.json").read_text(encoding="utf-8"))


def run(folder: Path) -> subprocess.CompletedProcess:
    """Run the autograder in a world that has a system, Python and the tree, and no bubblewrap of its own."""
    seen = {"/opt/autograder": sys.prefix, sys.base_prefix: sys.base_prefix}
    package = str(Path(autograder.__file__).parent)
    seen |= {package: package, sysconfig.get_path("purelib"): sysconfig.get_path("purelib")}
    parents = sorted({str(item) for path in seen for item in Path(path).parents if str(item) != "/"})
    command = [
        "bwrap",
        "--cap-add",
        "ALL",
        "--unshare-pid",
        "--clearenv",
        "--setenv",
        "PATH",
        "/usr/bin:/bin",
    ]
    command += ["--perms", "1777", "--tmpfs", "/tmp"]  # first: the checkout may lie below it
    for parent in parents:
        command += ["--perms", "755", "--dir", parent]
    for where in ("/usr", "/bin", "/lib", "/lib64", "/etc/passwd"):
        command += ["--ro-bind-try", where, where]
    for where, shown in seen.items():
        command += ["--ro-bind", shown, where]
    # A checkout's own .pth is relative to where its environment lies, which is elsewhere here.
    command += ["--setenv", "PYTHONPATH", str(Path(package).parent)]
    command += ["--ro-bind", "/dev/null", "/usr/bin/bwrap", "--dev", "/dev", "--proc", "/proc"]
    command += ["--bind", str(folder), "/autograder"]
    return subprocess.run(
        [*command, "bash", "/autograder/source/run_autograder"], capture_output=True, text=True, check=False
    )


@pytest.fixture
def course(class_course, tmp_path, monkeypatch):
    monkeypatch.chdir(class_folder(class_course, tmp_path / "course", LESSON))
    return read_source(Path("source") / LESSON / f"{LESSON}.py")


def test_a_submission_is_graded_in_a_container_and_its_code_reaches_nothing(course, tmp_path):
    folder = tmp_path / "container"
    names = packed(folder)
    assert {"setup.sh", "run_autograder"} <= set(names)
    assert subprocess.run(["bash", "-n", folder / "source" / "setup.sh"], check=False).returncode == 0
    for cell in course.cells:
        if cell["id"] == "by-hand-answer":
            cell.source = f"{TRIES}\n{cell.source}"
        if cell["id"] == "convolve-answer":
            cell.source = cell.source.replace("* kernel", "* kernel.flip(0)")
    (folder / "submission" / "my work").mkdir()
    nbformat.write(course, folder / "submission" / "my work" / "lesson (1).ipynb")
    reported = graded(folder)
    output = [test["output"] for test in reported["tests"] if test["status"] == "failed"]
    assert [text.partition("\n")[0] for text in output] == [
        "[not yet] A convolution as a function (0 of 2 points)",
        "",
    ]
    assert "Your kernel is turned round" in output[0]
    assert (reported["score"], sum(test["max_score"] for test in reported["tests"])) == (3, FULL)
    assert {test["visibility"] for test in reported["tests"]} == {"after_published"}
    assert list((folder / "source" / "secret" / "words").iterdir())  # hidden questions were drawn


@pytest.mark.slow
def test_another_maximum_is_refused_unless_scores_are_to_be_scaled(course, tmp_path):
    for words, expected in (((), None), (("--scale",), 2 * FULL)):
        folder = tmp_path / f"container{len(words)}"
        packed(folder, *words)
        (folder / "submission_metadata.json").write_text(ASSIGNMENT.format(2 * FULL))
        nbformat.write(course, folder / "submission" / f"{LESSON}.ipynb")
        if expected is None:
            done = run(folder)
            assert done.returncode == 1
            assert f"has {FULL:g} points here and {2 * FULL:g} on the platform" in done.stderr
            assert not list((folder / "results").iterdir())
        else:
            reported = graded(folder)
            assert reported["score"] == sum(test["max_score"] for test in reported["tests"]) == expected


def test_what_a_course_says_in_another_language_is_packed(course, tmp_path):
    course_says = Path("bank", "bn", "messages.mo")
    course_says.write_bytes(b"of the course")
    assert f"course/{course_says.as_posix()}" in packed(tmp_path / "container")
