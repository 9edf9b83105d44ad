"""Prove that the checks recognise wrong and right answers.

With the committed bank, which learners get too, every known wrong answer must be rejected and named, every
right one accepted, and every forbidden call caught.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from string import ascii_uppercase

from rich.console import Console
from rich.table import Table

from autograder.author.answer_edits import AnyEdit
from autograder.author.authoring import load_faults, load_lesson
from autograder.author.lesson_source import LessonSource, read_lesson
from autograder.judge.decide import judge
from autograder.records.answer_findings import Raised, Verdict
from autograder.records.authoring_errors import AuthoringError
from autograder.records.bank import BankError, LessonBank, Task
from autograder.records.course import Course
from autograder.words.feedback_card import Feedback
from autograder.words.language import ngettext

# What is tried: that known wrong answers are rejected and named, right ones accepted, forbidden calls caught.
TRIED = ("wrong rejected", "named", "right accepted", "forbidden caught")


@dataclass
class Tally:
    """The audit of one task: for each kind of test, which answers passed it; and a line for each failure."""

    lesson: str
    task: str
    tried: dict[str, list[bool]] = field(default_factory=lambda: {name: [] for name in TRIED})
    failures: list[str] = field(default_factory=list)
    words: list[int] = field(default_factory=list)  # the numbers of visible words on the wrong answers' cards

    @property
    def sound(self) -> bool:
        """Whether no answer failed its test."""
        return not self.failures


def audit_lesson(course: Course, name: str) -> list[Tally]:
    """Judge every answer that the lesson's `tasks.py` lists, in the same way as a learner's.

    Returns:
        The audit of each task.

    Raises:
        AuthoringError: the lesson cannot be run, or its bank is of other tasks.
    """
    source = read_lesson(course, name)
    runs, bank_on_disk = source.runs, _committed_bank(source)
    rows = []
    for task in source.lesson.tasks:
        entry = bank_on_disk.tasks[task.id]

        def tried(changes: Sequence[AnyEdit], task: Task = task, entry: Task = entry) -> Verdict:
            text = runs.changed_answer(task, changes)
            return judge(entry, runs.evidence_for(entry, text, bank_on_disk))

        row = Tally(name, task.id)
        rejected, named, accepted, caught_rightly = row.tried.values()
        for wrong in task.wrong:
            verdict = tried(wrong.changes)
            names = [fault.fault for fault in verdict.named]
            rejected.append(not verdict.passed)
            # An error may say by itself what is wrong.
            is_named = names == [wrong.fault] or (not names and isinstance(verdict.finding, Raised))
            named.append(is_named)
            if verdict.passed:
                row.failures.append(f"{wrong.fault} is accepted")
                continue
            row.words.append(Feedback(entry, verdict).visible_words)
            if not is_named:
                row.failures.append(f"{wrong.fault} is taken for {', '.join(names) or 'nothing known'}")
        for right in task.right:
            verdict = tried(right.changes)
            accepted.append(verdict.passed)
            if not verdict.passed:
                row.failures.append(f"{right.id} is rejected: {verdict.finding}")
        for answer in task.caught:
            verdict = tried(answer.changes)
            caught_rightly.append(
                verdict.right and verdict.forbidden is not None and verdict.earned < verdict.points
            )
            if not caught_rightly[-1]:
                row.failures.append(f"{answer.id} is not caught, or wrong besides: {verdict.finding}")
        rows.append(row)
    return rows


def _committed_bank(source: LessonSource) -> LessonBank:
    """Return the lesson's bank, if it was made of these tasks: their ids, probes and wrong answers."""
    name, tasks = source.name, source.lesson.tasks
    try:
        bank_on_disk = source.course.load(name)
    except BankError as problem:
        raise AuthoringError([f"{name}: it has to be built first ({problem})"]) from problem
    same = [task.id for task in tasks] == list(bank_on_disk.tasks) and all(
        [mistake.id for mistake in bank_on_disk.tasks[task.id].known_wrong[: len(task.wrong)]]
        == [wrong.fault for wrong in task.wrong]
        and (
            task.kind == "tensor"
            or list(bank_on_disk.tasks[task.id].probe) == [probe.id for probe in task.probes]
        )
        for task in tasks
    )
    if not same:
        raise AuthoringError([f"{name}: its bank is not of these tasks; build it first"])
    return bank_on_disk


def print_coverage(course: Course, names: Sequence[str], console: Console) -> bool:
    """Print a table of mistakes and class tasks, and tell whether it is complete.

    A cell shows the number of wrong answers of the task with that mistake, "no" if the task says why there
    can be none, "?" if there should be one and is not, and nothing if the task has no part in which the
    mistake is possible.

    Returns:
        True if no wrong answer is missing.
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
    known = ngettext("{number} mistake", "{number} mistakes", len(faults.known))
    where = ngettext("in {number} class task", "in {number} class tasks", len(tasks))
    console.print(f"{known}, {table.row_count} of them {where}.")
    for line in missing:
        console.print(f"no wrong answer: {line}", style="red", markup=False, highlight=False)
    return not missing


def print_table(rows: Sequence[Tally], console: Console) -> None:
    """Print the audit as a table with its sums, and then every failure."""
    table = Table(title="Audit of the checks")
    for column in ("lesson", "task"):
        table.add_column(column, overflow="fold")
    for column in TRIED:
        table.add_column(column, justify="right")
    for row in rows:
        counts = (f"{sum(some)} of {len(some)}" if some else "" for some in row.tried.values())
        table.add_row(row.lesson, row.task, *counts)
    table.add_section()
    all_tried = ([verdict for row in rows for verdict in row.tried[name]] for name in TRIED)
    table.add_row(
        "",
        ngettext("{number} task", "{number} tasks", len(rows)),
        *(f"{sum(some)} of {len(some)}" for some in all_tried),
    )
    console.print(table)
    if words := [number for row in rows for number in row.words]:
        console.print(f"Words seen at once of a card: {median(words):g} (median), {max(words)} (most).")
    for row in rows:
        for failure in row.failures:
            console.print(f"{row.lesson}, {row.task}: {failure}", style="red", markup=False, highlight=False)
