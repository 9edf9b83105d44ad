"""Report the misunderstandings of a class in one lesson from its grades: numbers, mistakes, examples."""

from __future__ import annotations

import ast
import contextlib
import csv
import io
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import ceil
from statistics import StatisticsError, correlation, fmean, median
from typing import Any
from unicodedata import normalize

import nbformat
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.classroom import gradebook_queries
from autograder.classroom.gradebook_queries import Mark
from autograder.classroom.pages import render
from autograder.grading import graded_results
from autograder.grading.class_folder import Class
from autograder.grading.graded_results import Grading, TaskResult
from autograder.grading.read_submission import NOT_READ
from autograder.records import answer_findings
from autograder.records.answer_findings import Finding
from autograder.records.bank import KnownWrong, with_texts
from autograder.records.cell_roles import headings
from autograder.words.language import _, ngettext, spoken, translated
from autograder.words.phrases import in_short
from autograder.words.sanitize import one_line, visible

# With fewer students, discrimination says more about chance than about the task.
ENOUGH = 15
EXAMPLES, EXAMPLE_LINES = 2, 25
BINS = 10
# Below this, a task is answered better by those who do worse elsewhere.
DOUBTFUL = -0.2
# What is said in the next lecture: so many mistakes, each made by this share of the class at least.
MOST_SAID, WORTH_SAYING = 4, 0.1
# Characters of an answer that is compared with others; longer ones are compared as they were typed.
MOST_COMPARED = 10_000
# In the table of mistakes against tasks.
MOST_SHOWN = 15
# What stands before the title of a question: the lesson's number of it, which code tasks do not bear either.
NUMBER = re.compile(r"^[^·]*\d+ · ")


@dataclass(frozen=True)
class Mistake:
    """A mistake in a report, with the number of students who made it."""

    fault: str  # its id in the course's vocabulary; "" for answers without a known mistake
    name: str
    hint: str  # the hint for the learner
    section: str  # the section of the lessons that explains it, in words; "" for none
    students: int
    tasks: tuple[str, ...]  # the titles of the tasks in which it was made
    examples: tuple[str, ...] = ()  # answers with it, without names and comments, the commonest first


@dataclass(frozen=True)
class TaskReport:
    """The results of a class on one task."""

    id: str
    title: str
    possible: float
    # The numbers of students with all of its points, some or none, without an answer, or with an answer to
    # read.
    right: int
    partly: int
    wrong: int
    empty: int
    waiting: int
    difficulty: float | None  # the share of its points that the class earned; None without grades
    # The correlation of its points with those for all other tasks; None for too few students, or if all did
    # the same.
    discrimination: float | None
    lost: float  # the points that the class lost on it
    mistakes: tuple[Mistake, ...]  # the commonest first


@dataclass(frozen=True)
class Report:
    """The results of a class on a lesson."""

    lesson: str
    title: str
    students: int
    possible: float
    scores: tuple[float, ...]  # each student's points, from the lowest to the highest
    tasks: tuple[TaskReport, ...]
    mistakes: tuple[Mistake, ...]  # the mistakes in all tasks together, the commonest first
    say: tuple[str, ...]  # sentences for the next lecture
    unreadable: int = 0  # the number of students whose file could not be read

    @property
    def about_unreadable(self) -> str:
        """A sentence on the files that could not be read; "" if there is none."""
        return (
            ngettext(
                "The file of {number} student could not be read: it counts as not answered in every task.",
                "The files of {number} students could not be read: they count as not answered in every task.",
                self.unreadable,
            )
            if self.unreadable
            else ""
        )


def report(course: Class, lesson: str) -> Report:
    """Return the report of a lesson, computed from the stored grades. Nothing is graded."""
    with graded_results.opened(course.database) as store:
        results = [
            result for result in store.read(TaskResult, lesson) if result.student not in course.policy.left
        ]
        unreadable = {
            grading.student
            for grading in store.read(Grading, lesson)
            if any(note.startswith(NOT_READ) for note in grading.notes)
        }
    with gradebook_queries.opened(course.database) as book:
        marks_of = {(mark.student, mark.task): mark for mark in book.of(lesson)}
    by_task: dict[str, list[TaskResult]] = defaultdict(list)
    for result in results:
        by_task[result.task].append(result)
    totals: dict[str, float] = defaultdict(float)
    for result in results:
        totals[result.student] += _points(result, marks_of)
    words = Words(course, lesson)
    tasks = tuple(_task(words, name, some, marks_of, totals) for name, some in by_task.items())
    mistakes = tuple(_mistakes(words, results, examples=False))
    possible = sum(task.possible for task in tasks)
    idle = len(totals) - len({result.student for result in results if result.answered})
    say = tuple(_say(tasks, mistakes, len(totals), idle))
    return Report(
        lesson,
        words.bank.title,
        len(totals),
        possible,
        tuple(sorted(totals.values())),
        tasks,
        mistakes,
        say,
        len(unreadable & totals.keys()),
    )


def as_csv(report: Report) -> str:
    """Return the report as a CSV table with one row for each task."""
    text = io.StringIO()
    rows = [
        {
            "task": task.id,
            "title": task.title,
            "points": f"{task.possible:g}",
            "students": report.students,
            "right": task.right,
            "partly": task.partly,
            "wrong": task.wrong,
            "not answered": task.empty,
            "to be read": task.waiting,
            "difficulty": _rounded(task.difficulty),
            "discrimination": _rounded(task.discrimination),
            "points lost": f"{task.lost:g}",
            "mistakes": "; ".join(f"{each.fault or each.name}: {each.students}" for each in task.mistakes),
        }
        for task in report.tasks
    ]
    # In quotes, no other sign between columns than ours makes a cell of a part of one.
    table = csv.DictWriter(text, list(rows[0]), lineterminator="\n", quoting=csv.QUOTE_ALL)
    table.writeheader()
    table.writerows({name: _spreadsheet_value(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _rounded(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _spreadsheet_value(value: object) -> object:
    """Return a value that a spreadsheet takes for no formula: it may hold a student's own text."""
    if not isinstance(value, str):
        return value
    text = visible(value)
    plain = normalize("NFKC", text).lstrip()  # wide signs begin a formula, too
    return f"'{text}" if plain.startswith(("=", "+", "-", "@")) else text


class Words:
    """The titles of a lesson's tasks, mistakes and sections, for people to read."""

    def __init__(self, course: Class, lesson: str) -> None:
        self.bank = with_texts(course.banks.described(lesson), translated)
        self._course = course
        self._notebooks: dict[str, Mapping[str, tuple[str, str]]] = {}
        self._known = {
            (task.id, mistake.id): mistake
            for task in self.bank.tasks.values()
            for mistake in reversed(task.known_wrong)
        }

    def title(self, task: str) -> str:
        """Return a task's title, or else the heading above it, or else its id."""
        task_entry = self.bank.tasks.get(task)
        return (
            task_entry.title if task_entry else NUMBER.sub("", self._heading(self.bank.lesson, task)) or task
        )

    def known(self, task: str, fault: str) -> KnownWrong:
        """Return a known mistake of a task; one with only its id if the bank does not list it."""
        return self._known.get((task, fault)) or KnownWrong(fault, "", fault)

    def says(self, result: TaskResult) -> str:
        """Return the mistakes or the kind of failure in an answer as a short phrase; "" if it is right."""
        return "; ".join(self.known(result.task, fault).name for fault in result.faults) or _unnamed(result)

    def section(self, section: str) -> str:
        """Return a section's title and lesson in words, or "" if the section comes in a later lesson.

        Args:
            section: the section as lesson and cell id: "02-trainable#scale-intro".
        """
        lesson, cell = section.partition("#")[::2]
        order = self._course.banks.course.lessons
        if lesson in order and order.index(lesson) > order.index(self.bank.lesson):
            return ""
        heading = self._heading(lesson, cell)
        return _("“{heading}” in {lesson}", heading=heading, lesson=lesson) if heading else ""

    def _heading(self, lesson: str, cell: str) -> str:
        """Return the heading above a cell of a lesson's release, or in it."""
        if lesson not in self._notebooks:
            paths = self._course.release(lesson, spoken()), self._course.release(lesson)
            release = next((path for path in paths if path.is_file()), None)
            self._notebooks[lesson] = headings(nbformat.read(release, as_version=4)) if release else {}
        return self._notebooks[lesson].get(cell, ("", ""))[1]


def _points(result: TaskResult, marks_of: Mapping[tuple[str, str], Mark]) -> float:
    """Return what counts for a task: the gradebook's, where a person may have changed it."""
    mark = marks_of.get((result.student, result.task))
    return mark.score if mark else result.points or 0.0


def _task(
    words: Words,
    name: str,
    results: Sequence[TaskResult],
    marks_of: Mapping[tuple[str, str], Mark],
    totals: Mapping[str, float],
) -> TaskReport:
    kinds: Counter[str] = Counter()
    pairs = []
    for result in results:
        mark = marks_of.get((result.student, result.task))
        points = _points(result, marks_of)
        if not result.answered:
            kinds["empty"] += 1
        elif result.points is None and (mark is None or mark.waiting):
            kinds["waiting"] += 1
            continue
        else:
            kinds["right" if points >= result.possible else "partly" if points else "wrong"] += 1
        pairs.append((points, totals[result.student] - points))
    possible = results[0].possible
    # A share would be that of those who wrote nothing.
    unread = kinds["waiting"] and len(pairs) == kinds["empty"]
    return TaskReport(
        name,
        words.title(name),
        possible,
        kinds["right"],
        kinds["partly"],
        kinds["wrong"],
        kinds["empty"],
        kinds["waiting"],
        fmean(points / possible for points, _ in pairs) if pairs and possible and not unread else None,
        _discrimination(pairs),
        sum(max(0.0, possible - points) for points, _ in pairs),
        tuple(_mistakes(words, results)),
    )


def _discrimination(pairs: Sequence[tuple[float, float]]) -> float | None:
    if len(pairs) < ENOUGH:
        return None
    try:
        return correlation(*zip(*pairs, strict=True))
    except StatisticsError:  # all have the same points
        return None


def _mistakes(words: Words, results: Iterable[TaskResult], examples: bool = True) -> list[Mistake]:
    """Return the mistakes in some results, the commonest first; unnamed ones by what is said of them."""
    by_mistake: dict[tuple[str, str], list[TaskResult]] = defaultdict(list)
    for result in results:
        if result.right or not result.answered or result.points is None:
            continue
        for key in [(fault, "") for fault in result.faults] or [("", _unnamed(result))]:
            by_mistake[key].append(result)
    mistakes = []
    for (fault, unnamed), some in by_mistake.items():
        ((commonest, _),) = Counter(result.task for result in some).most_common(1)
        known_mistake = words.known(commonest, fault)
        titles = tuple(dict.fromkeys(words.title(result.task) for result in some))
        mistakes.append(
            Mistake(
                fault,
                known_mistake.name if fault else unnamed,
                known_mistake.hint,
                words.section(known_mistake.section),
                len({result.student for result in some}),
                titles,
                tuple(_examples(some)) if examples else (),
            )
        )
    return sorted(mistakes, key=lambda mistake: (-mistake.students, not mistake.fault, mistake.name))


def _unnamed(result: TaskResult) -> str:
    """Return what is wrong with an answer that nothing known explains, in words that others share."""
    if result.error:
        return _("the answer raises {error}", error=one_line(result.error))
    return in_short(getattr(answer_findings, result.finding, Finding)) or one_line(result.says)


def _examples(results: Iterable[TaskResult]) -> list[str]:
    """Return a few of the answers, the commonest first, then the shortest."""
    texts: Counter[str] = Counter()
    for answer, times in Counter(result.answer for result in results).items():
        texts[without_names(answer)] += times
    examples = sorted(texts, key=lambda text: (-texts[text], len(text)))
    return [text for text in examples if text.count("\n") < EXAMPLE_LINES and text.strip()][:EXAMPLES]


@lru_cache(maxsize=10_000)
def without_names(code: str) -> str:
    """Return code without comments and docstrings and in one layout, so that it does not show its author."""
    plain = "\n".join(line.split("#")[0].rstrip() for line in code.splitlines())
    if len(code) > MOST_COMPARED:
        return plain
    with warnings.catch_warnings(), contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        warnings.simplefilter("ignore")  # of what a stranger wrote
        tree = ast.parse(code)
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list):
                parts = [part for part in body if not _is_text(part)]
                node.body = parts or [ast.Pass()]  # type: ignore[attr-defined]
        return ast.unparse(tree)
    return plain


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _say(tasks: Sequence[TaskReport], mistakes: Sequence[Mistake], students: int, idle: int) -> Iterable[str]:
    """Yield what is worth a word in the next lecture, from the mistakes that most people made.

    `idle` are those of the students who answered no task, or whose file could not be read: no single task
    stopped them.
    """
    enough = max(2, WORTH_SAYING * students)
    common = [mistake for mistake in mistakes if mistake.fault and mistake.students >= enough]
    for mistake in common[:MOST_SAID]:
        yield _(
            "{part} of {whole}: {mistake}, {where}. {hint}{again}",
            part=mistake.students,
            whole=students,
            mistake=mistake.name,
            where=ngettext("in “{task}”", "in {number} tasks", len(mistake.tasks), task=mistake.tasks[0]),
            hint=mistake.hint,
            again=_(" Show {section} again.", section=mistake.section) if mistake.section else "",
        )
    for task in tasks:
        if task.empty - idle >= max(2, 0.25 * (students - idle)):
            yield _(
                "{part} of {whole} wrote nothing for “{task}”. Ask what stopped them.",
                part=task.empty - idle,
                whole=students - idle,
                task=task.title,
            )
        elif task.discrimination is not None and task.discrimination < DOUBTFUL and task.lost:
            yield _(
                "“{task}” was answered better by those who did worse elsewhere: read a few of its answers "
                "before you trust it.",
                task=task.title,
            )


def as_html(report: Report) -> str:
    """Return the report as an HTML page that needs no other file."""
    return render("report", **on_page(report))


def on_page(report: Report) -> dict[str, Any]:
    """Return the template variables of the report's page."""
    bins = _bins(report)
    named = [mistake for mistake in report.mistakes if mistake.fault][:MOST_SHOWN]
    counts = {
        (task.id, mistake.fault): mistake.students for task in report.tasks for mistake in task.mistakes
    }
    return {
        "report": report,
        "median": median(report.scores) if report.scores else 0,
        "enough": ENOUGH,
        "bins": bins,
        "most": max((column["count"] for column in bins), default=0),
        "named": [
            (mistake, [counts.get((task.id, mistake.fault), 0) for task in report.tasks]) for mistake in named
        ],
    }


def _bins(report: Report) -> list[dict[str, Any]]:
    """Count the scores in each tenth of the points, without its lower end and with its upper end."""
    if not report.scores or report.possible <= 0:
        return []
    edges = [report.possible * edge / BINS for edge in range(BINS + 1)]
    places = [min(BINS - 1, max(0, ceil(score / report.possible * BINS) - 1)) for score in report.scores]
    return [
        {"label": f"{low:.3g}–{high:.3g}", "count": places.count(index)}
        for index, (low, high) in enumerate(pairwise(edges))
    ]


def print_report(report: Report, console: Console) -> None:
    """Print the report in a terminal."""
    students = ngettext("{number} student", "{number} students", report.students)
    points = ngettext("{number} point", "{number} points", report.possible)
    table = Table(title=f"{report.title}: {students}, {points}", title_style="bold")
    table.add_column(_("task"), ratio=4)
    for name in (_("right"), _("got"), _("discr."), _("lost")):
        table.add_column(name, justify="right")
    table.add_column(_("commonest mistake"), ratio=4)
    for task in report.tasks:
        got = "–" if task.difficulty is None else f"{task.difficulty:.0%}"
        apart = "–" if task.discrimination is None else f"{task.discrimination:.2f}"
        remark = next((f"{first.students}× {first.name}" for first in task.mistakes), "")
        if task.waiting:
            remark = _("{number} to be read", number=task.waiting)
        table.add_row(Text(task.title), str(task.right), got, apart, f"{task.lost:g}", Text(remark))
    console.print(table)
    if report.about_unreadable:
        console.print(report.about_unreadable, markup=False, highlight=False)
    if report.say:
        console.print("\n" + _("For the next lecture"), style="bold")
    for number, line in enumerate(report.say, start=1):
        console.print(f"{number}. {line}", markup=False, highlight=False)
