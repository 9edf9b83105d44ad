"""Two courses, made with the tool and handed out as bundles, in one environment that holds nothing else."""

from __future__ import annotations

import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from support.environments import Environment

COURSES = ("waves", "folds")
LESSON = "01-convolution"
ASK = """
from autograder import check
answer = check("convolve", lambda signal, kernel: signal.unfold(0, len(kernel), 1) @ kernel)
print(bool(answer), answer)
"""
# Stands in for the shell of a notebook: it tells what would be installed.
SHELL = """
class Shell:
    def run_line_magic(self, name, words):
        print(words)
get_ipython = Shell
"""
VERSION = "from importlib.metadata import version; print(version('lesson-autograder'))"


def autograder(where: Path, *words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "autograder", *words], cwd=where, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def bundles(tmp_path_factory) -> dict[str, Path]:
    """The bundles of two courses with the same tasks, under titles of their own; one has a package."""
    folder = tmp_path_factory.mktemp("courses")
    for name in COURSES:
        autograder(folder, "new-course", name)
        tasks = folder / name / "source" / LESSON / "tasks.py"
        tasks.write_text(
            tasks.read_text(encoding="utf-8").replace("A convolution as a function", name), encoding="utf-8"
        )
    (folder / "folds" / "paper").mkdir()
    (folder / "folds" / "paper" / "__init__.py").write_text("print('a fold')\n", encoding="utf-8")
    described = folder / "folds" / "course.toml"
    described.write_text('preload = ["paper"]\n' + described.read_text(encoding="utf-8"), encoding="utf-8")
    for name in COURSES:
        autograder(folder / name, "build")
        autograder(folder / name, "bundle", LESSON, "--out", str(folder / "handed out" / name))
    return {name: folder / "handed out" / name for name in COURSES}


def newer(tool: Path, folder: Path) -> Path:
    """The tool's wheel under the number of a later version."""
    old, new = tool.name.split("-")[1], "99.0"
    result = folder / tool.name.replace(old, new)
    with zipfile.ZipFile(tool) as before, zipfile.ZipFile(result, "w") as after:
        for name in before.namelist():
            content = before.read(name)
            if ".dist-info/" in name:
                content = content.replace(old.encode(), new.encode())
            after.writestr(name.replace(old, new), content)
    return result


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_courses_share_a_tool_and_neither_needs_the_other(bundles, tmp_path):
    environment = Environment(tmp_path / "environment", "lesson-autograder")

    def output(course: str) -> str:
        return environment.run(bundles[course] / "notebooks" / LESSON, "-c", ASK)

    def wanted(course: str) -> list[str]:
        """What a notebook's first code cell would install."""
        folder = bundles[course] / "notebooks" / LESSON
        notebook = nbformat.read(folder / f"{LESSON}.ipynb", as_version=4)
        cell = next(cell for cell in notebook.cells if cell.cell_type == "code")
        return shlex.split(environment.run(folder, "-c", SHELL + cell.source))

    def names(words: list[str]) -> list[str]:
        return [Path(word).name.split("-")[0] for word in words if word.endswith(".whl")]

    def passed(course: str) -> str:
        return f"True [right] {course} (2 of 2 points)"

    first, second = COURSES
    words = wanted(first)
    assert names(words) == ["lesson_autograder", "waves_course"]
    environment.pip(*words)
    assert "The checks of the course `folds` are not installed here" in output(second)
    words = wanted(second)
    assert names(words) == ["folds_course"]
    environment.pip(*words)
    assert [output(course).splitlines()[0] for course in COURSES] == [passed(course) for course in COURSES]
    assert [wanted(course) for course in COURSES] == [[], []]
    assert environment.run(bundles[second], "-c", "import paper") == "a fold\n"

    # A notebook that lies alone: what its first cell has said counts, and without that, nothing.
    assert "This notebook belongs to no course" in environment.run(tmp_path, "-c", ASK)
    assert environment.run(tmp_path, "-c", ASK, AUTOGRADER_COURSE_NAME=second).startswith(passed(second))

    (tool,) = bundles[first].glob("lesson_autograder-*.whl")
    environment.pip("install", newer(tool, tmp_path))
    assert environment.run(tmp_path, "-c", VERSION) == "99.0\n"
    assert [output(course).splitlines()[0] for course in COURSES] == [passed(course) for course in COURSES]
    assert [wanted(course) for course in COURSES] == [[], []]

    environment.pip("uninstall", "--yes", "folds-course")
    assert output(first).startswith(passed(first))
    assert "The checks of the course `folds` are not installed here" in output(second)
