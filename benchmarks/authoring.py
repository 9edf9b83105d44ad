"""What an author waits for: a look at everything, a wording changed in lesson 03, and a task added to it.

A change can be tried as soon as the released notebook is written; the other languages' solutions follow.

    python3 start.py run python -m benchmarks.authoring [--anew]

All is done in a copy. Beside the seconds on the clock stand those of the processor, to which other work on
the machine does less, and its load. `--anew` builds everything from nothing as well, for minutes.
"""

from __future__ import annotations

import argparse
import compileall
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.random_edits import ROOT, autograder, copied

LESSON = "03-causal"


def add_task(root: Path, lesson: str) -> None:
    """Add the task of the authors' page to a lesson of a course."""
    page = (ROOT / "docs" / "authoring.md").read_text(encoding="utf-8").replace("01-dot-product", lesson)
    cells, task, fault = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    folder = root / "source" / lesson
    insert(folder / f"{lesson}.py", r'(?=# %% \[markdown\] id="recap")', cells + "\n")
    insert(folder / "tasks.py", r"(?=LESSON = Lesson\()", task + "\n")
    insert(folder / "tasks.py", r"tasks=\((?:\n {8}.*)*\n", "        MEAN_VECTOR,\n")
    insert(folder / "faults.py", r"FAULTS = \(\n", f"{fault},\n")


def change_wording(root: Path, lesson: str) -> None:
    """Add a sentence to a lesson."""
    sentence = '# %% [markdown] id="one-more"\n# One more sentence.\n\n'
    insert(root / "source" / lesson / f"{lesson}.py", r'(?=# %% \[markdown\] id="recap")', sentence)


def insert(path: Path, after: str, text: str) -> None:
    """Insert a text into a file, after what a pattern finds first."""
    old = path.read_text(encoding="utf-8")
    match = re.search(after, old)
    assert match, f"{path} has nothing like {after}"
    path.write_text(old[: match.end()] + text + old[match.end() :], encoding="utf-8")


def timed(root: Path, what: str, *words: str) -> None:
    """Print what a command takes, and when the lesson's notebook is written, if it is."""
    clock, before = time.time(), os.times()
    code = autograder(root, *words)
    seconds, after = time.time() - clock, os.times()
    processor = sum(after[2:4]) - sum(before[2:4])
    released = (root / "notebooks" / LESSON / f"{LESSON}.ipynb").stat().st_mtime - clock
    tried = f"can be tried after {released:.1f} s, all done after " if released > 0 else ""
    print(
        f"{what}: {tried}{seconds:.1f} s, {processor:.1f} s of the processor, load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    if code:
        sys.exit(f"{words} ended with {code}")


def main() -> None:
    """Time what an author does, each time in lessons of which all is current."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--anew", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="authoring-") as folder:
        current = copied(Path(folder) / "current")
        compileall.compile_dir(current, quiet=1)  # as an author's tool is after its first use
        autograder(current, "build")
        timed(current, "build --check of everything", "build", "--check")
        wording, task = (Path(shutil.copytree(current, Path(folder) / name)) for name in ("wording", "task"))
        change_wording(wording, LESSON)
        timed(wording, f"a sentence more in {LESSON}", "build", LESSON)
        add_task(task, LESSON)
        timed(task, "the texts of a task more confirmed", "messages", LESSON, "mean-vector", "--confirm")
        timed(task, f"a task more in {LESSON}", "build", LESSON)
        if chosen.anew:
            timed(current, "everything from nothing", "build", "--anew")


if __name__ == "__main__":
    main()
