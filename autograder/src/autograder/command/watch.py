"""Rebuild lessons each time that a file that their builds read is saved."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.author.build_inputs import Inputs
from autograder.author.build_record import shown_path
from autograder.command.console import say
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course

PAUSE = 0.5  # seconds between two looks

Parts = Mapping[str, str]  # digests of a file's cells by their ids, or of the whole under ""


def watch(course: Course, names: Sequence[str], words: Sequence[str]) -> None:
    """Build lessons, and rebuild each when a file that its build reads has changed, until Ctrl-C.

    Args:
        course: the course, as it is at the beginning.
        names: the lessons' names.
        words: further arguments of the `build` command.
    """
    last: dict[str, str] = {}
    while True:
        now = _read(course.root, names)
        changed = [name for name in names if now[name] != last.get(name)]
        if changed:
            last = now
            before = _built(course, changed)
            # In a process of its own it imports code as it is now, and what is wrong ends it alone.
            build = [sys.executable, "-m", "autograder", "build", *changed, "--course", str(course.root)]
            subprocess.run([*build, *words], check=False)
            for line in _differing(before, _built(course, changed)):
                say(f"  {line}")
            say("Waiting for a file to be saved; Ctrl-C ends this.")
        time.sleep(PAUSE)


def _read(root: Path, names: Sequence[str]) -> dict[str, str]:
    """Return digests of what builds read, by lesson; or why it cannot be read, as a build says it."""
    try:
        inputs = Inputs(Course.read(root))
        return {name: inputs.read(name) for name in names}
    except (AuthoringError, OSError, ValueError) as problem:
        return dict.fromkeys(names, str(problem))


def _built(course: Course, names: Sequence[str]) -> dict[str, Parts]:
    """Return what builds have written, by the path in the course."""
    return {shown_path(path, course): _parts(path) for name in names for path in _files(course, name)}


def _files(course: Course, name: str) -> Iterator[Path]:
    """Yield a lesson's built files, in every language."""
    for folder in (course.root / "notebooks", course.root / "solutions"):
        yield from sorted(folder.glob(f"**/{name}/{name}.ipynb"))
    yield from sorted(path for path in course.bank.glob(f"**/{name}*") if path.is_file())


def _parts(path: Path) -> Parts:
    content = path.read_bytes()
    if path.suffix != ".ipynb":
        return {"": hashlib.sha256(content).hexdigest()}
    return {cell["id"]: json.dumps(cell, sort_keys=True) for cell in json.loads(content)["cells"]}


def _differing(before: Mapping[str, Parts], after: Mapping[str, Parts]) -> Iterator[str]:
    """Yield a line for each file that is another now, with the cells that are."""
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path, {}), after.get(path, {})
        changed = [part for part in dict.fromkeys([*old, *new]) if old.get(part) != new.get(part)]
        if changed:
            yield f"{path}: {', '.join(changed)}".rstrip(": ")
