"""The command that makes a new course from the template."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Annotated

import typer

from autograder import author
from autograder.command.console import refuse, say


def new_course(
    folder: Annotated[Path, typer.Argument(help="A folder that is empty, or not there yet.")],
) -> None:
    """Make a small course that works: one lesson, to be replaced by your own."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        refuse(f"{folder} is not empty, and nothing was written.")
    shutil.copytree(
        Path(author.__file__).parent / "template",
        folder,
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    described = folder / "course.toml"
    name = re.sub("[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-") or "course"
    text = described.read_text(encoding="utf-8").replace("a-new-course", name)
    described.write_text(text, encoding="utf-8", newline="\n")
    say(f"{folder} holds a course now. Its README.md says what comes next.")
