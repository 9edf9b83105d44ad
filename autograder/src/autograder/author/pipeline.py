"""Build lessons, or say which of what is committed no longer matches its source."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.author.answers import Runs, make_bank, run_solution
from autograder.author.authoring import Faults, Lesson, load_faults, load_lesson
from autograder.author.generate import generate, write_notebook
from autograder.author.lint import lint
from autograder.author.namespace import run_cells
from autograder.author.source import predictions, read_source
from autograder.author.texts import false_claims, load_read, shared_in, to_read, unread
from autograder.author.unchanged import same_bank, same_solution
from autograder.experiments import known as experiments
from autograder.judge.decide import judge
from autograder.probe.collect import collect
from autograder.records import bank as bank_files
from autograder.records.bank import AS_SEEN, LessonBank, Task
from autograder.records.cells import package_missing
from autograder.records.course import FILE, Course
from autograder.records.files import write_whole
from autograder.records.findings import Verdict
from autograder.records.problems import AuthoringError


@dataclass(frozen=True)
class ExecutedLesson:
    """A lesson read and run."""

    name: str
    lesson: Lesson
    notebook: NotebookNode
    runs: Runs


@dataclass(frozen=True)
class PreparedLesson(ExecutedLesson):
    """A lesson read and run, but not yet released."""

    bank: LessonBank


def execute(course: Course, name: str) -> ExecutedLesson:
    """Read a lesson, refuse what is wrong with it, and run its solution.

    Raises:
        AuthoringError: names every cell and reason found.
    """
    folder = course.source / name
    path = folder / f"{name}.py"
    if not path.is_file():
        raise AuthoringError([f"{name}: there is no {name}.py"])
    experiments.use(course)
    lesson = load_lesson(folder)
    notebook = read_source(path)
    text = path.read_text(encoding="utf-8")
    problems = lint(text, notebook, lesson, course.forbidden, dict(course.entries))
    if problems:
        raise AuthoringError([f"{name}: {problem}" for problem in problems])
    return ExecutedLesson(
        name,
        lesson,
        notebook,
        run_solution(lesson, notebook, name, families=course.forbidden, steps=course.steps),
    )


def prepare(course: Course, name: str) -> PreparedLesson:
    """Read and run a lesson, and make its bank.

    Raises:
        AuthoringError: names every cell and reason found.
    """
    executed = execute(course, name)
    faults = load_faults(course.source, name)
    lesson_bank = make_bank(executed.lesson, executed.runs, name, faults)
    _refuse_untrue(course, executed, lesson_bank, faults)
    lesson_bank = replace(lesson_bank, predictions=tuple(predictions(executed.notebook)))
    as_seen = executed.runs.namespaces[AS_SEEN]
    unearned = [
        task for task in lesson_bank.tasks.values() if not _verdict(task, lesson_bank, as_seen).passed
    ]
    if unearned:
        raise AuthoringError([f"{name}: the solution does not earn all of {task.id}" for task in unearned])
    return PreparedLesson(name, executed.lesson, executed.notebook, executed.runs, lesson_bank)


def _refuse_untrue(course: Course, executed: ExecutedLesson, made: LessonBank, faults: Faults) -> None:
    """Make sure that somebody has read each text where it is said, and that it speaks of what is there."""
    name = executed.name
    shared, read = shared_in(course, executed.lesson, faults), load_read(course.source / name)
    problems = []
    for task in made.tasks.values():
        new = unread(to_read(task, shared), read.get(task.id, {}))
        problems += [f"task {task.id}: nobody has read there what {fault} says" for fault in new]
        false = false_claims(task, course.claims, executed.runs, executed.notebook)
        problems += [f"task {task.id}: {problem}" for problem in false]
    if problems:
        raise AuthoringError([f"{name}: {problem}" for problem in problems])


def build(course: Course, name: str) -> None:
    """Rebuild a lesson: notebook, solution, bank, and the source notebook that nbgrader reads.

    Raises:
        AuthoringError: the lesson is not as it must be; nothing of it has been changed.
    """
    with tempfile.TemporaryDirectory(prefix="course-build-", ignore_cleanup_errors=True) as fresh:
        made = _make(course, name, Path(fresh))
        write_notebook(made.notebook, course.source / name / f"{name}.ipynb")
        for path, new in _changes(course, name, Path(fresh)).items():
            if new is None:
                path.unlink()
            else:  # another process may have the old file mapped: it keeps that
                write_whole(path, new.read_bytes())


def stale(course: Course, name: str) -> list[str]:
    """Return what a build of a lesson would change, as one line for each file. Changes nothing.

    Raises:
        AuthoringError: the lesson is not as it must be.
    """
    with tempfile.TemporaryDirectory(prefix="course-check-", ignore_cleanup_errors=True) as fresh:
        _make(course, name, Path(fresh))
        changes = _changes(course, name, Path(fresh))
    return [
        f"{_said(path, course)}: {'differs from its source' if new else 'has no source'}"
        for path, new in changes.items()
    ]


def _changes(course: Course, name: str, fresh: Path) -> dict[Path, Path | None]:
    """Return a lesson's files that are not what was made afresh, each with what is; None for what is not."""
    changed: dict[Path, Path | None] = {}
    if not same_bank(fresh / "bank", course.bank, name):
        changed |= {course.bank / new.name: new for new in bank_files.paths(name, fresh / "bank")}
    for folder in ("notebooks", "solutions"):
        made, kept = fresh / folder / name, course.root / folder / name
        for file in sorted(_files(made) | _files(kept)):
            new = made / file
            is_solution = folder == "solutions" and file.suffix == ".ipynb"
            if not new.is_file():
                changed[kept / file] = None
            elif not (same_solution if is_solution else _same_bytes)(new, kept / file):
                changed[kept / file] = new
    return changed


def _files(folder: Path) -> set[Path]:
    """Return the files in a folder and below, but hidden ones, by their path in it."""
    inside = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {path for path in inside if not any(part.startswith(".") for part in path.parts)}


def without_source(course: Course) -> list[str]:
    """Return what was generated from a lesson that `course.toml` does not name, as one line for each."""
    known = set(course.lessons)
    stale = []
    for folder in ("notebooks", "solutions"):
        for path in sorted((course.root / folder).glob("*/")):
            if path.name not in known | set(course.languages) and not path.name.startswith("."):
                stale.append(f"{folder}/{path.name}: has no source")
    for path in sorted(course.bank.glob("*.json")):
        if path.stem not in known:
            stale.append(f"{_said(course.bank / path.stem, course)}: has no source")
    for path in sorted(course.source.glob("*/tasks.py")):
        if path.parent.name not in known:
            stale.append(f"{_said(path.parent, course)}: {FILE} does not name it")
    return stale


def _said(path: Path, course: Course) -> str:
    return os.path.relpath(path, course.root).replace(os.sep, "/")


def _make(course: Course, name: str, workplace: Path) -> PreparedLesson:
    lesson = prepare(course, name)
    bank_files.save(lesson.bank, workplace / "bank")
    generate(course, workplace, name, lesson.notebook)
    _keep_outputs(course, name, workplace)
    _refuse_unearned(lesson, workplace)
    return lesson


def _keep_outputs(course: Course, name: str, workplace: Path) -> None:
    """Show what a cell printed where its package was installed, if it is not installed here."""
    place = Path("solutions") / name / f"{name}.ipynb"
    fresh = nbformat.read(workplace / place, as_version=4)
    wanting = [cell for cell in fresh.cells if package_missing(cell)]
    if not wanting:
        return
    before = course.root / place
    kept = nbformat.read(before, as_version=4).cells if before.is_file() else []
    outputs = {(cell["id"], cell.source): cell.outputs for cell in kept if cell.cell_type == "code"}
    problems = []
    for cell in wanting:
        if (cell["id"], cell.source) in outputs:
            cell.outputs = outputs[cell["id"], cell.source]
        else:
            problems.append(
                f"{name}: cell {cell['id']} is new or changed, and what it prints is not known: install "
                f"{package_missing(cell)}, and build again"
            )
    if problems:
        raise AuthoringError(problems)
    write_notebook(fresh, workplace / place)


def _refuse_unearned(lesson: PreparedLesson, workplace: Path) -> None:
    """Make sure that the untouched release earns nothing, and names everything that its checks look for."""
    path = workplace / "notebooks" / lesson.name / f"{lesson.name}.ipynb"
    namespace = run_cells(nbformat.read(path, as_version=4), f"release of {lesson.name}")
    problems = []
    for task in lesson.bank.tasks.values():
        earned = _verdict(task, lesson.bank, namespace).earned
        if earned:
            problems.append(f"{lesson.name}: the untouched release earns {earned} points for {task.id}")
        if task.name not in namespace:
            problems.append(f"{lesson.name}: the release has no stub for `{task.name}` of {task.id}")
    if problems:
        raise AuthoringError(problems)


def _verdict(task: Task, bank: LessonBank, namespace: Mapping[str, Any]) -> Verdict:
    return judge(task, collect(task, bank, namespace, examining=False), as_seen=True)


def _same_bytes(fresh: Path, kept: Path) -> bool:
    return kept.is_file() and kept.read_bytes() == fresh.read_bytes()
