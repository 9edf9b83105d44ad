"""Build lessons, or list the committed files that no longer match their source."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat

from autograder.author.artifact_diff import same_bank, same_solution
from autograder.author.build_bank import make_bank, reworded
from autograder.author.build_inputs import Inputs
from autograder.author.build_record import BANKS, RELEASE, Stages, of_bank, of_solution, shown_path
from autograder.author.build_stages import TaskKeys, release_key, solution_key
from autograder.author.execute_lesson import run_cells
from autograder.author.fair_draws import with_exam
from autograder.author.lesson_source import LessonSource, read_lesson
from autograder.author.nbgrader_generate import generate, write_notebook
from autograder.author.parse_source import predictions
from autograder.author.task_lint import refused_at_once, untrue
from autograder.judge.decide import judge
from autograder.probe.collect_evidence import collect
from autograder.records import bank as bank_files
from autograder.records.answer_findings import Verdict
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import AS_SEEN, LessonBank, Task
from autograder.records.cell_roles import package_missing
from autograder.records.course import Course
from autograder.records.file_digests import write_whole


def current_bank(source: LessonSource, stages: Stages | None = None) -> LessonBank:
    """Return a lesson's bank, of which only what is not current is made.

    Args:
        source: the lesson's source.
        stages: the digests of the last build, to skip what is current; None to make the whole bank.

    Raises:
        AuthoringError: the tasks have problems, or the solution fails. The message lists every problem.
    """
    course, lesson, faults, stages = source.course, source.lesson, source.faults, stages or Stages()
    source.refuse(refused_at_once(source))
    keys = TaskKeys(Inputs(course), source)
    if stages.is_current(BANKS, keys.of_all()) and all(
        of_bank(task.id) in stages.before for task in lesson.tasks
    ):
        stages.now |= {of_bank(task.id): stages.before[of_bank(task.id)] for task in lesson.tasks}
        bank = course.load(source.name)
        tasks = [reworded(task, bank.tasks[task.id], course.forbidden, faults) for task in lesson.tasks]
        bank = replace(bank, tasks={task.id: task for task in tasks})
    else:
        runs = source.runs
        current = [task.id for task in lesson.tasks if stages.is_current(of_bank(task.id), keys.of(task))]
        before = course.load(source.name).tasks if current else {}
        bank = make_bank(lesson, runs, source.name, faults, {task: before[task] for task in current})
        bank = with_exam(bank, lesson, runs, course.exam.keys() - {*current})
        tried = [task for task in bank.tasks.values() if task.id not in current]
        source.refuse(
            [
                f"the solution does not earn all of {task.id}"
                for task in tried
                if not _verdict(task, bank, runs.namespaces[AS_SEEN]).passed
            ]
        )
    source.refuse(untrue(source, bank.tasks.values()))
    return replace(bank, predictions=tuple(predictions(source.notebook)))


def build(course: Course, name: str, stages: Stages | None = None) -> None:
    """Rebuild a lesson: its notebook, its solution, its bank, and the source notebook that nbgrader reads.

    Args:
        course: the course.
        name: the lesson's name.
        stages: the digests of the last build, to skip what is current; it notes which stages were run. None
            to run every stage.

    Raises:
        AuthoringError: the lesson is invalid; no file has been changed.
    """
    with tempfile.TemporaryDirectory(prefix="course-build-", ignore_cleanup_errors=True) as fresh:
        stages = stages or Stages()
        source = read_lesson(course, name)
        _make(source, Path(fresh), stages)
        write_notebook(source.notebook, course.source / name / f"{name}.ipynb")
        for path, new in _changes(source, Path(fresh), stages).items():
            if new is None:
                path.unlink()
            else:  # another process may have the old file mapped: it keeps that
                write_whole(path, new.read_bytes())


def stale(course: Course, name: str, stages: Stages | None = None) -> list[str]:
    """Return a line for each file that a build of a lesson would change, but change nothing.

    Args:
        course: the course.
        name: the lesson's name.
        stages: the digests of the last build, to skip what is current; None to run every stage.

    Raises:
        AuthoringError: the lesson is invalid.
    """
    with tempfile.TemporaryDirectory(prefix="course-check-", ignore_cleanup_errors=True) as fresh:
        stages = stages or Stages()
        source = read_lesson(course, name)
        _make(source, Path(fresh), stages)
        changes = _changes(source, Path(fresh), stages)
    return [
        f"{shown_path(path, course)}: {'differs from its source' if new else 'has no source'}"
        for path, new in changes.items()
    ]


def _changes(source: LessonSource, fresh: Path, stages: Stages) -> dict[Path, Path | None]:
    """Return a lesson's files that are not what was made afresh, each with what is; None for what is not."""
    changed: dict[Path, Path | None] = {}
    course, name = source.course, source.name
    same_shown = _same_bytes if stages.reads_another(of_solution()) else same_solution
    if not same_bank(fresh / "bank", course.bank, name):
        changed |= {course.bank / new.name: new for new in bank_files.paths(name, fresh / "bank")}
    for folder in ("notebooks", "solutions"):
        built, committed = fresh / folder / name, course.root / folder / name
        for file in sorted(_files(built) | _files(committed)):
            new = built / file
            is_solution = folder == "solutions" and file.suffix == ".ipynb"
            if not new.is_file():
                changed[committed / file] = None
            elif not (same_shown if is_solution else _same_bytes)(new, committed / file):
                changed[committed / file] = new
    return changed


def _files(folder: Path) -> set[Path]:
    """Return the files in a folder and below, but hidden ones, by their path in it."""
    inside = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {path for path in inside if not any(part.startswith(".") for part in path.parts)}


def _make(source: LessonSource, workplace: Path, stages: Stages) -> None:
    """Make all of a lesson in a folder."""
    course, name = source.course, source.name
    bank = current_bank(source, stages)
    bank_files.save(bank, workplace / "bank")
    if same_bank(workplace / "bank", course.bank, name):  # what is there may be rounded otherwise, and stays
        for file in bank_files.paths(name, course.bank):
            shutil.copyfile(file, workplace / "bank" / file.name)
    inputs = Inputs(course)
    key = solution_key(inputs, replace(course, bank=workplace / "bank").load(name), source.notebook)
    solved = course.root / "solutions" / name / f"{name}.ipynb"
    shown = {"shown": solved} if stages.is_current(of_solution(), key) else {}
    generate(course, workplace, name, source.notebook, **shown)
    _keep_outputs(course, name, workplace)
    _refuse_unearned(source, inputs, bank, workplace, stages)


def _keep_outputs(course: Course, name: str, workplace: Path) -> None:
    """Show what a cell printed where its package was installed, if it is not installed here."""
    path = Path("solutions") / name / f"{name}.ipynb"
    fresh = nbformat.read(workplace / path, as_version=4)
    wanting = [cell for cell in fresh.cells if package_missing(cell)]
    if not wanting:
        return
    before = course.root / path
    committed_cells = nbformat.read(before, as_version=4).cells if before.is_file() else []
    outputs = {
        (cell["id"], cell.source): cell.outputs for cell in committed_cells if cell.cell_type == "code"
    }
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
    write_notebook(fresh, workplace / path)


def _refuse_unearned(
    source: LessonSource, inputs: Inputs, bank: LessonBank, workplace: Path, stages: Stages
) -> None:
    """Make sure that the untouched release earns nothing, and names everything that its checks look for."""
    name = source.name
    released = nbformat.read(workplace / "notebooks" / name / f"{name}.ipynb", as_version=4)
    banks = [stages.now[of_bank(task)] for task in bank.tasks]
    if stages.is_current(RELEASE, release_key(inputs, released, banks)):
        return
    namespace = run_cells(released, f"release of {name}")
    problems = []
    for task in bank.tasks.values():
        earned = _verdict(task, bank, namespace).earned
        if earned:
            problems.append(f"the untouched release earns {earned} points for {task.id}")
        if task.name not in namespace:
            problems.append(f"the release has no stub for `{task.name}` of {task.id}")
    source.refuse(problems)


def _verdict(task: Task, bank: LessonBank, namespace: Mapping[str, Any]) -> Verdict:
    return judge(task, collect(task, bank, namespace, examining=False), as_seen=True)


def _same_bytes(fresh: Path, committed: Path) -> bool:
    return committed.is_file() and committed.read_bytes() == fresh.read_bytes()
