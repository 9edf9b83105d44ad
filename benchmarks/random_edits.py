"""Whether a build by steps gives what a build from nothing gives, after edits drawn at random.

    python3 start.py run python -m benchmarks.random_edits [--edits N] [--seed S] [--lessons 01-dot-product …]

Each edit is made in a copy of the course and its tool: in the source, tasks, mistakes, translations, the tool
or the figures. Then a lesson is built by steps, and in another copy from nothing. What both wrote must be
the same bytes, but for what a cell measures.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import nbformat
from autograder.records.cell_roles import is_measured, package_missing
from autograder.records.course import Course

ROOT = Path(__file__).parents[1]
COPIED = (
    "source",
    "locale",
    "visuals",
    "bank",
    "notebooks",
    "solutions",
    "autograder/src",
    "autograder/locale",
)
FILES = ("autograder/pyproject.toml", "course.toml", ".built.json", "nbgrader_config.py", "pyproject.toml")

Change = str | Callable[[re.Match[str]], str]


def one_more(match: re.Match[str]) -> str:
    """Return what was matched with its number, the second group, raised by one."""
    return f"{match[1]}{int(match[2]) + 1}"


# Of each kind of edit: the files that it may be made in, a line that it needs, and what becomes of that.
KINDS: dict[str, tuple[str, str, Change]] = {
    "a sentence": ("source/{lesson}/{lesson}.py", r"^# (The|This|A|In|It) ", r"# Now: \1 "),
    "what a cell prints": ("source/{lesson}/{lesson}.py", r'print\(f"', 'print(f"So: '),
    "a comment in a cell": ("source/{lesson}/{lesson}.py", r"^([a-z_]+ = .*)$", r"\1  # as said"),
    "a hint": ("source/{lesson}/tasks.py", r"^( +hint: )", r"\1Look: "),
    "a title": ("source/{lesson}/tasks.py", r'^(    learned="|    title=")', r"\1So: "),
    "a number of a probe": ("source/{lesson}/tasks.py", r"((?:randn|ones|rand)\(\(?)(\d+)", one_more),
    "a wrong answer less": ("source/{lesson}/tasks.py", r"^ {8}[a-z][a-z-]+: .* → .*\n", ""),
    "a mistake of the lesson": ("source/{lesson}/faults.py", r'^(        ")([A-Z])', r"\1Mind this. \2"),
    "a shared mistake": ("source/faults.py", r'^(        ")([A-Z])', r"\1Mind this. \2"),
    "a translation": ("locale/*/{lesson}.po", r'^(msgstr ")(?=[^"])', r"\1… "),
    "a comment in the tool": ("autograder/src/autograder/*/*.py", r"^(from __future__ .*)$", r"\1  # why"),
    "a message of the tool": ("autograder/src/autograder/words/*.py", r'(\b_\(")([A-Z])', r"\1Mind this. \2"),
    "a constant of the tool": ("autograder/src/autograder/judge/*.py", r"^([A-Z_]+ = )(\d+)\b", one_more),
    "a number of a figure": ("visuals/lessons/{topic}/**/*.py", r"^(.*[=(, ])(\d+)\b", one_more),
    "an explorer": ("visuals/lessons/{topic}/**/*.js", r"^(import .*|export .*)$", r"\1 // why"),
    "a size in any figure": ("visuals/**/*.py", r"^([A-Z_]+(?:: \w+)? = )(\d+)\b", one_more),
    "a comment in any figure": ("visuals/**/*.py", r"^(from __future__ .*|import .*)$", r"\1  # why"),
}  # fmt: skip


def copied(root: Path) -> Path:
    """Copy the course and its tool, with what was built of them."""
    for name in COPIED:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, root / name)
    return root


def edit(root: Path, lesson: str, kind: str, chance: random.Random) -> str:
    """Make an edit of a kind in a course, and return where; "" if a lesson has no place for it."""
    folders, pattern, change = KINDS[kind]
    topic = lesson.partition("-")[2].replace("-", "_")
    places = [
        (path, match)
        for path in sorted(root.glob(folders.format(lesson=lesson, topic=topic)))
        for match in re.finditer(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    for path, match in chance.sample(places, len(places)):
        text = path.read_text(encoding="utf-8")
        new = match.expand(change) if isinstance(change, str) else change(match)
        after = text[: match.start()] + new + text[match.end() :]
        if path.suffix != ".py" or is_python(after):  # else the line goes on in the next
            path.write_text(after, encoding="utf-8")
            line = text.count("\n", 0, match.start()) + 1
            return f"{path.relative_to(root)}:{line}"
    return ""


def is_python(text: str) -> bool:
    """Tell whether a text is Python."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def autograder(root: Path, *words: str) -> int:
    """Return the exit code of a command that runs on a copy with the copy's own tool and figures."""
    paths = os.pathsep.join([str(root / "autograder" / "src"), str(root)])
    done = subprocess.run(
        [sys.executable, "-P", "-m", "autograder", *words, "--course", str(root)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        check=False,
    )
    return done.returncode


def built(root: Path, lesson: str) -> list[Path]:
    """Return the files that a lesson's build has made."""
    patterns = (f"notebooks/**/{lesson}/*", f"solutions/**/{lesson}/*", f"bank/**/{lesson}*")
    return [file for pattern in patterns for file in root.glob(pattern) if file.is_file()]


def remove_built(root: Path, lesson: str) -> None:
    """Remove what a lesson's build has made, but for what cells show whose package is not here."""
    for file in built(root, lesson):
        if file.parts[-3] != "solutions":
            file.unlink()
            continue
        notebook = nbformat.read(file, as_version=4)
        notebook.cells = [cell for cell in notebook.cells if package_missing(cell)]
        nbformat.write(notebook, file)


def content(file: Path) -> bytes:
    """Return what is in a file, without what the cells of a notebook measure."""
    if not file.is_file():
        return b""
    if file.suffix != ".ipynb":
        return file.read_bytes()
    notebook = nbformat.read(file, as_version=4)
    for cell in notebook.cells:
        if is_measured(cell):
            cell.outputs = []
    return nbformat.writes(notebook).encode()


def differing(steps: Path, nothing: Path, lesson: str) -> list[str]:
    """Return the files of a lesson that two builds made differently."""
    paths = {file.relative_to(root) for root in (steps, nothing) for file in built(root, lesson)}
    return [str(path) for path in sorted(paths) if content(steps / path) != content(nothing / path)]


def tried(seed: int, lessons: Sequence[str]) -> tuple[str, list[str]]:
    """Make an edit, build by steps and from nothing; return what was edited, and what differs."""
    chance = random.Random(seed)
    kind = list(KINDS)[seed % len(KINDS)]
    with tempfile.TemporaryDirectory(prefix="random-edits-") as folder:
        steps, nothing = copied(Path(folder) / "steps"), Path(folder) / "nothing"
        places = (
            (lesson, edit(steps, lesson, kind, chance)) for lesson in chance.sample(lessons, len(lessons))
        )
        lesson, edited = next((lesson, edited) for lesson, edited in places if edited)
        what = f"{lesson}: {kind} ({edited})"
        autograder(steps, "messages", lesson, "--confirm")  # a build refuses a text that nobody has read
        shutil.copytree(steps, nothing)
        remove_built(nothing, lesson)
        codes = autograder(steps, "build", lesson), autograder(nothing, "build", lesson, "--anew")
        if codes[0] != codes[1]:
            return what, [f"ends with {codes[0]} by steps and {codes[1]} from nothing"]
        return (f"{what}, refused", []) if codes[0] else (what, differing(steps, nothing, lesson))


def main() -> None:
    """Try edits, and print each with what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--edits", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lessons", nargs="*", default=list(Course.read(ROOT).lessons))
    chosen = parser.parse_args()
    wrong = 0
    for seed in range(chosen.seed, chosen.seed + chosen.edits):
        what, different = tried(seed, chosen.lessons)
        print(f"{seed}: {what}: {', '.join(different) or 'the same'}", flush=True)
        wrong += bool(different)
    print(f"{chosen.edits - wrong} of {chosen.edits} edits: the same by steps and from nothing")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
