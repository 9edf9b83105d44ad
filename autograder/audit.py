"""Proof that the checks are real.

Every known wrong answer is rejected and named, every right one accepted, every forbidden call caught: by the
bank that lies in the course, as learners get it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from rich.console import Console
from rich.table import Table

from autograder.authoring import load_faults, load_lesson
from autograder.bank import BankError, LessonBank, Task
from autograder.build.answers import changed_answer, evidence_for
from autograder.build.pipeline import ExecutedLesson, execute
from autograder.course import Course
from autograder.edits import Change
from autograder.findings import Verdict
from autograder.judge import judge
from autograder.problems import AuthoringError


@dataclass
class Tally:
    """One task's audit: how many answers were tried, and which did not fare as they should."""

    lesson: str
    task: str
    wrong: int = 0
    rejected: int = 0
    named: int = 0
    right: int = 0
    accepted: int = 0
    forbidden: int = 0
    caught: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        return not self.failures


def audit_lesson(course: Course, name: str) -> list[Tally]:
    """Try every answer that the lesson's `tasks.py` lists, through the same collect and judge as a learner's.

    Raises:
        AuthoringError: the lesson cannot be run, or its bank is of other tasks.
    """
    executed = execute(course, name)
    runs, kept = executed.runs, _kept(course, executed)
    rows = []
    for task in executed.lesson.tasks:
        entry = kept.tasks[task.id]
        caught = task.forbids.caught if task.forbids else ()

        def tried(changes: Sequence[Change], task: Task = task, entry: Task = entry) -> Verdict:
            text = changed_answer(task, changes, runs)
            return judge(entry, evidence_for(entry, text, kept, runs))

        row = Tally(name, task.id, wrong=len(task.wrong), right=len(task.right), forbidden=len(caught))
        for wrong in task.wrong:
            verdict = tried(wrong.changes)
            names = [one.fault for one in verdict.named]
            row.rejected += not verdict.passed
            row.named += names == [wrong.fault]
            if verdict.passed:
                row.failures.append(f"{wrong.fault} is accepted")
            elif names != [wrong.fault]:
                row.failures.append(f"{wrong.fault} is taken for {', '.join(names) or 'nothing known'}")
        for right in task.right:
            verdict = tried(right.changes)
            row.accepted += verdict.passed
            if not verdict.passed:
                row.failures.append(f"{right.id} is rejected: {verdict.finding}")
        for answer in caught:
            verdict = tried(answer.changes)
            found = verdict.right and verdict.forbidden is not None and verdict.earned < verdict.points
            row.caught += found
            if not found:
                row.failures.append(f"{answer.id} is not caught, or wrong besides: {verdict.finding}")
        rows.append(row)
    return rows


def _kept(course: Course, executed: ExecutedLesson) -> LessonBank:
    """Return the lesson's bank, if it was made of these tasks: their ids, probes and wrong answers."""
    name, tasks = executed.name, executed.lesson.tasks
    try:
        kept = course.load(name)
    except BankError as problem:
        raise AuthoringError([f"{name}: it has to be built first ({problem})"]) from problem
    same = [task.id for task in tasks] == list(kept.tasks) and all(
        [one.id for one in kept.tasks[task.id].known_wrong[: len(task.wrong)]]
        == [one.fault for one in task.wrong]
        and (task.kind == "tensor" or list(kept.tasks[task.id].probe) == [one.id for one in task.probes])
        for task in tasks
    )
    if not same:
        raise AuthoringError([f"{name}: its bank is not of these tasks; build it first"])
    return kept


def print_coverage(course: Course, names: Sequence[str], console: Console) -> bool:
    """Print which class task has a wrong answer for which mistake; whether every cell is filled or explained.

    A cell is a count of wrong answers, "no" where the task says why there can be none, and empty where its
    parts do not make the mistake possible.
    """
    faults = load_faults(course.source)
    tasks = [
        task for name in names for task in load_lesson(course.source / name).tasks if task.kind == "module"
    ]
    table = Table(title="Mistakes by class task", padding=0)
    table.add_column("mistake", no_wrap=True)
    for letter, task in zip(ascii_uppercase, tasks, strict=False):
        console.print(f"{letter}: {task.id}")
        table.add_column(letter, justify="center")
    missing: list[str] = []
    for fault in faults.known.values():
        cells = []
        for task in tasks:
            count = sum(wrong.fault == fault.id for wrong in task.wrong)
            possible = bool(fault.parts) and set(fault.parts) <= set(task.parts)
            if possible and not count and fault.id not in task.cannot:
                missing.append(f"{task.id}: {fault.id}")
            cells.append(
                str(count) if count else "no" if fault.id in task.cannot else "?" if possible else ""
            )
        if any(cells):
            table.add_row(fault.id, *cells)
    console.print(table)
    console.print(f"{len(faults.known)} mistakes, {table.row_count} of them in {len(tasks)} class tasks.")
    for line in missing:
        console.print(f"no wrong answer: {line}", style="red", markup=False, highlight=False)
    return not missing


def print_table(rows: Sequence[Tally], console: Console) -> None:
    """Print the audit as a table, its sums, and every failure."""
    table = Table(title="Audit of the checks")
    for column in ("lesson", "task"):
        table.add_column(column, overflow="fold")
    for column in ("wrong rejected", "named", "right accepted", "forbidden caught"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            row.lesson,
            row.task,
            f"{row.rejected} of {row.wrong}",
            f"{row.named} of {row.wrong}",
            f"{row.accepted} of {row.right}",
            f"{row.caught} of {row.forbidden}" if row.forbidden else "",
        )
    table.add_section()
    wrong, right = sum(row.wrong for row in rows), sum(row.right for row in rows)
    forbidden = sum(row.forbidden for row in rows)
    table.add_row(
        "",
        f"{len(rows)} tasks",
        f"{sum(row.rejected for row in rows)} of {wrong}",
        f"{sum(row.named for row in rows)} of {wrong}",
        f"{sum(row.accepted for row in rows)} of {right}",
        f"{sum(row.caught for row in rows)} of {forbidden}",
    )
    console.print(table)
    for row in rows:
        for failure in row.failures:
            console.print(f"{row.lesson}, {row.task}: {failure}", style="red", markup=False, highlight=False)
