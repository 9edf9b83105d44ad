"""`build --watch`: what is saved is built, what has changed is said, and a mistake ends nothing."""

import shutil
import subprocess
import sys
from collections.abc import Iterator

import nbformat
import pytest
from support.class_course import LESSON

pytestmark = pytest.mark.slow


@pytest.fixture
def course(class_course, tmp_path):
    folder = tmp_path / "course"
    shutil.copytree(class_course.root, folder)
    return folder


@pytest.fixture
def output(course) -> Iterator[str]:
    """The lines that the command prints."""
    command = [sys.executable, "-u", "-m", "autograder", "build", "--watch", LESSON, "--course", str(course)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    yield iter(running.stdout.readline, "")
    running.terminate()
    running.wait()
    running.stdout.close()


def until_it_waits(output) -> list[str]:
    lines = []
    for line in output:
        if line.startswith("Waiting"):
            return lines
        lines.append(line.strip())
    raise AssertionError("it ended: " + "\n".join(lines))


def test_a_saved_sentence_is_built_and_named_and_a_mistake_is_said_and_mended(course, output):
    source = course / "source" / LESSON / f"{LESSON}.py"
    before = source.read_text(encoding="utf-8")
    until_it_waits(output)

    title, rest = before.split("\n", 2)[1], before
    source.write_text(rest.replace(title, f"{title}, saved", 1), encoding="utf-8")
    lines = until_it_waits(output)
    released = nbformat.read(course / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    assert released.cells[0].source.splitlines()[0].endswith(", saved")
    assert f"notebooks/{LESSON}/{LESSON}.ipynb: {released.cells[0]['id']}" in lines
    assert not [line for line in lines if line.startswith("bank/")]

    source.write_text(before.replace("### END SOLUTION", "", 1), encoding="utf-8")
    assert any("Nothing was changed" in line for line in until_it_waits(output))

    source.write_text(before, encoding="utf-8")
    until_it_waits(output)
    released = nbformat.read(course / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    assert not released.cells[0].source.splitlines()[0].endswith(", saved")
