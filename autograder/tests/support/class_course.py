"""A course for a class: the one that `autograder new-course` makes, with a lesson more and a translation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from autograder.records.course import Course
from filelock import FileLock
from support.template import TEMPLATE

LESSON, OTHER = "01-convolution", "02-strides"
NAME = "a-new-course"
# What the tasks of the first lesson are worth together.
FULL = 5.0
# Its source: a lesson, and a translation of the first one.
MORE = Path(__file__).parent / "strides"
ADDS = '\n[adds]\nexperiments = "source/signals.py"\n'


def built(temporary: pytest.TempPathFactory) -> Course:
    """Build the course, once for all processes that run tests side by side."""
    own = temporary.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "class course"
    done = folder.with_name("class course is built")
    with FileLock(f"{folder}.lock"):
        if not done.exists():
            write(folder)
            run(folder, "build")
            done.touch()
    return Course.read(folder)


def write(folder: Path) -> None:
    """Write the course's source."""
    shutil.copytree(TEMPLATE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(MORE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    described = folder / "course.toml"
    text = described.read_text(encoding="utf-8")
    for old, new in (('["en"]', '["en", "bn"]'), (f'["{LESSON}"]', f'["{LESSON}", "{OTHER}"]')):
        assert text.count(old) == 1
        text = text.replace(old, new)
    described.write_text(text + ADDS, encoding="utf-8")


def run(where: Path, *words: str) -> None:
    """Run the tool's command in a folder."""
    command = [sys.executable, "-m", "autograder", *words]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def class_folder(course: Course, folder: Path, *lessons: str) -> Path:
    """A class's folder: some of the course's lessons as they are released, and the course's own answers."""
    for lesson in lessons:
        for name in ("notebooks", "source"):
            shutil.copytree(course.root / name / lesson, folder / name / lesson)
    for name in ("course.toml", "nbgrader_config.py", "pyproject.toml", course.adds.experiments):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(course.root / name, folder / name)
    shutil.copytree(course.bank, folder / course.bank.name, dirs_exist_ok=True)
    return folder
