"""How far a failing check and a graded submission walk through the tool: modules crossed, and ways back.

    python3 start.py run python -m benchmarks.rooms [LESSON] [--walk]

A **module** is crossed by a check where a function or method of it runs, once everything is imported and
read: the second time that the check is run. Every task of the lesson is tried with a known wrong answer, with
one that is wrong in no known way, and with one that raises.

A **room** is a folder of the package; `grading/sandbox` is another one than `grading`. The **walk** of a
graded submission is what somebody reads who follows it from `grade_job` on: every function at its first call,
in that order, in the process that grades (what runs in the sandbox is another walk). It **returns** where it
enters a room that it has been in before and has left for a room at the same or a higher level. So to go down
to a lower room and to come back is no return; to go down to the same room again is one.

Functions inside functions count with those around them. A property reads like a field, and what a dataclass
makes is written by nobody: neither counts.
"""

from __future__ import annotations

import argparse
import inspect
import os
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import nbformat
import torch
from autograder.author.lesson_source import LessonSource, read_lesson
from autograder.grading.class_folder import Class
from autograder.grading.grade_submission import close_sandboxes, grade_job
from autograder.grading.job_scheduling import GradeJob
from autograder.records.course import Course
from IPython.core.interactiveshell import InteractiveShell

import autograder
from autograder import check

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(autograder.__file__).parent
# From the ground up; two on one level do not know each other.
LEVELS = (
    *(("records",), ("words",), ("experiments",), ("judge", "probe"), ("lesson",)),
    *(("author",), ("grading",), ("classroom",), ("command",)),
)
MOST_MODULES, MOST_RETURNS = 20, 10

Step = tuple[str, str]  # a module, and a function or method in it


@contextmanager
def watching() -> Iterator[list[Step]]:
    """Yield the functions of the package that this thread calls, each once, by their first calls."""
    steps: list[Step] = []
    met: set[Step] = set()
    properties = _properties()

    def called(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(str(PACKAGE)):
            return
        step = frame.f_globals["__name__"], code.co_qualname.partition(".<")[0]
        if not step[1].startswith("<") and step not in properties and step not in met:
            met.add(step)
            steps.append(step)

    sys.setprofile(called)
    try:
        yield steps
    finally:
        sys.setprofile(None)


def _properties() -> set[Step]:
    """Return all properties of the package that are loaded."""
    properties = set()
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == PACKAGE.name]
    for module in modules:
        for kind in vars(module).values():
            for member in vars(kind).values() if inspect.isclass(kind) else ():
                function = getattr(member, "fget", None) or getattr(member, "func", None)
                if inspect.isfunction(function):
                    properties.add((function.__module__, function.__qualname__))
    return properties


def room_of(module: str) -> str:
    """Return the folder that a module lies in, "grading/sandbox" say; a package is its own folder's."""
    parts = module.split(".")[1:]
    return "/".join(parts if PACKAGE.joinpath(*parts).is_dir() else parts[:-1])


def level_of(room: str) -> int:
    """Return how high a room lies; what lies above all rooms is highest."""
    top = room.partition("/")[0]
    return next((level for level, rooms in enumerate(LEVELS) if top in rooms), len(LEVELS))


def stays(steps: Sequence[Step]) -> list[tuple[str, list[Step], bool]]:
    """Return a walk's stays in rooms: the room, the functions read there, and whether this is a return."""
    walk: list[tuple[str, list[Step], bool]] = []
    left_for: dict[str, str] = {}
    for step in steps:
        room = room_of(step[0])
        if walk and walk[-1][0] == room:
            walk[-1][1].append(step)
            continue
        if walk:
            left_for[walk[-1][0]] = room
        is_return = room in left_for and level_of(left_for[room]) >= level_of(room)
        walk.append((room, [step], is_return))
    return walk


def number_of_returns(walk: Iterable[tuple[str, list[Step], bool]]) -> int:
    """Return how often a walk returns to a room that it has left."""
    return sum(is_return for _, _, is_return in walk)


def wrong_in_no_known_way(value: Any) -> Any:
    """Return the right answer with its first entry changed."""
    if callable(value):
        return lambda *inputs, **named: wrong_in_no_known_way(value(*inputs, **named))
    spoiled = torch.as_tensor(value).clone()
    spoiled.view(-1)[0] += 0.37
    return spoiled


def raising(value: Any) -> Any:
    """Return an answer of the same kind that raises, where it is one that is called."""

    def raises(*inputs: Any, **named: Any) -> Any:
        raise ValueError("this answer raises")

    return raises if callable(value) else wrong_in_no_known_way(value)


def failing_checks(source: LessonSource) -> dict[str, list[list[Step]]]:
    """Return the walks of failing checks, for each way to be wrong one for each task."""
    shell = InteractiveShell.instance()
    as_seen = source.runs.namespaces["as-seen"]
    shell.user_ns.update(as_seen)
    walks: dict[str, list[list[Step]]] = {"known wrong": [], "wrong otherwise": [], "raises": []}
    for task in source.lesson.tasks:
        right = as_seen[task.name]
        known_wrong = source.runs.answer_made(task, source.runs.changed_answer(task, task.wrong[0].changes))
        answers = zip(walks, (known_wrong, wrong_in_no_known_way(right), raising(right)), strict=True)
        for how, answer in answers:
            shell.user_ns[task.name] = answer
            check(task.id)._repr_html_()
            with watching() as steps:
                check(task.id)._repr_html_()
            walks[how].append(steps)
        shell.user_ns[task.name] = right
    return walks


def graded(lesson: str) -> list[Step]:
    """Return the walk of a submission of which the first answer is missing, and all others are right."""
    course = Class(ROOT)
    release = course.current(lesson)
    notebook = nbformat.reads(release.text, as_version=4)
    _first, *others = release.solution
    for cell in notebook.cells:
        if cell["id"] in others:
            cell.source = release.solution[cell["id"]]
    written = nbformat.writes(notebook).encode()
    job = GradeJob(lesson, "amy", release.text, written, release.banks, solution=release.solution)
    with watching() as steps:
        result = grade_job(job)
    close_sandboxes()
    if result.fault:
        sys.exit(f"the submission could not be graded: {result.fault}")
    return steps


def main() -> None:
    """Print both counts, and the walk if asked."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("lesson", nargs="?", default="01-dot-product")
    asked.add_argument("--walk", action="store_true", help="Show the walk, stay by stay.")
    chosen = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"AUTOGRADER_PROGRESS": folder, "AUTOGRADER_SECRET": folder}
        checks = failing_checks(read_lesson(Course.read(ROOT), chosen.lesson))
        walk = stays(graded(chosen.lesson))
    crossed = {how: [{module for module, _ in steps} for steps in walks] for how, walks in checks.items()}
    for how, walks in checks.items():
        counts = sorted(map(len, crossed[how]))
        returns = sorted(number_of_returns(stays(steps)) for steps in walks)
        print(
            f"a check, {how}: {statistics.median(counts):g} modules (median), {counts[-1]} at most; "
            f"{statistics.median(returns):g} returns (median), {returns[-1]} at most"
        )
    most = max((modules for several in crossed.values() for modules in several), key=len)
    print(f"the most: {', '.join(sorted(name.partition('.')[2] for name in most))}")
    if chosen.walk:
        longest = max((stays(steps) for walks in checks.values() for steps in walks), key=number_of_returns)
        for about, shown in ("the failing check with most returns", longest), ("a graded submission", walk):
            print(f"{about}:")
            for room, steps, is_return in shown:
                functions = ", ".join(f"{module.rpartition('.')[2]}.{name}" for module, name in steps)
                print(f"{'  <- ' if is_return else '     '}{room}: {functions}")
    print(
        f"a graded submission: {len(walk)} stays in {len({room for room, _, _ in walk})} rooms, "
        f"{number_of_returns(walk)} returns"
    )
    print(f"aims: at most {MOST_MODULES} modules, at most {MOST_RETURNS} returns")


if __name__ == "__main__":
    main()
