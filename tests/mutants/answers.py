"""Answers as learners type them, in a table for each lesson, as `autograder.author.answer_edits` tells.

A line `== task` begins the answers to a task. Each is changes of the solution cell's own text, without its
docstrings and comments; or `from` another answer of the task, or from the `faulty` code that it gives:

    past-hidden (named, keeps 1): triu → tril
    past-hidden-by-half (named, values) from two-loops: range(i) → range(i // 2)
        says: a pattern that the message must have
        never: a pattern that would lead the learner astray
        xfail: why its test fails at present, for a fault that has been reported and not yet mended
    two-loops: body
        …

What stands in brackets is what a wrong answer deserves: which findings its author may be told first, by the
names below; the points that it keeps for the part of it that is right; and `passes in the notebook` where
only grading can tell that it is wrong. An answer that deserves no finding is right; `costs 1` says that it
loses a point, because it makes a call that the task forbids.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from autograder.author.answer_edits import Row, Solution, changed, table
from autograder.author.parse_source import read_source
from autograder.records.authoring_errors import AuthoringError
from autograder.records.course import Course

ROOT = Path(__file__).resolve().parents[2]

# Class names from `records.findings`. A mistake that many people make deserves its name.
FINDINGS = {
    "named": ("MatchesKnownWrong",),
    "missing": ("NotDefined",),
    "stub": ("StillStub",),
    "no function": ("NotAFunction",),
    "raised": ("Raised", "NotCalled"),  # once its code runs, or before: it does not take what it is given
    "type": ("WrongType",),
    "parameters": ("WrongParameters",),
    "shape": ("WrongShape",),
    "dtype": ("WrongDtype",),
    "not finite": ("NotFinite",),
    "values": ("WrongValues",),
    "rule": ("BrokenProperty",),
    "behaviour": ("WrongBehaviour",),
    "givens": ("GivensChanged",),
    "forbidden": ("CallsForbidden",),
    "not computed": ("NotComputed",),
    "not refused": ("NotRefused",),
}

# Patterns for `says` and `never` that several answers share, by name.
PATTERNS = {
    "CALL_IT": r"parenthes|bracket|\(\)|\bcall",
    "TYPED_IN": r"typed|copied|copy|not computed|only fits the lesson",
    "WRONG_NAME": r"is that the one",
    "NOT_ITS_ARGUMENT": r"from the notebook|Use the argument",
    "SAME_DIGITS": r" is (\S+)(?: on [^;.]*?)? and should be \1\.",
    "SAME_TWICE": r" is (\S+)(?: on [^;.]*?)? and should be \1\.(?:\s|$)",
}

HEAD = re.compile(r"([^ ]+)(?: \((.+)\))?(?: from ([^ ]+))?")
SAID = ("says", "never", "xfail")


@dataclass(frozen=True)
class Answer:
    """What a learner typed, and what its author deserves to read.

    Attributes:
        name: what is particular about it, in words that make a test's id.
        code: the answer cell's text.
        finds: class names of findings, of which one must be told first; none where the answer is right.
        keeps: points that the part of a wrong answer that is right still earns.
        costs: points that a right answer loses.
        notebook_passes: whether the learner's notebook accepts it although it is wrong.
    """

    name: str
    code: str
    finds: tuple[str, ...]
    keeps: int
    costs: int
    notebook_passes: bool
    says: str
    never: str
    xfail: str


@dataclass(frozen=True)
class Mutants:
    """The answers held against one task."""

    wrong: tuple[Answer, ...]
    right: tuple[Answer, ...]


def read(lesson: str, text: str) -> dict[str, Mutants]:
    """Return a lesson's answers by task, in the order of the text.

    Raises:
        AuthoringError: a line is none of a table's, or a change does not fit its text.
    """
    _, *parts = re.split(r"^== (.+)\n", text, flags=re.MULTILINE)
    return {task: _held(lesson, task, answers) for task, answers in zip(parts[::2], parts[1::2], strict=True)}


def _held(lesson: str, task: str, text: str) -> Mutants:
    solution, rows = _bare(solutions(lesson)[task]), {}
    for row in table(text, SAID):
        name, deserves, base = HEAD.fullmatch(row.name).groups("")
        if name in rows:
            raise AuthoringError([f"{lesson}/{task}/{name} stands there twice"])
        rows[name] = base, deserves, row
    reference = {"": solution.text, "faulty": solution.faulty}

    def code(name: str) -> str:
        if name not in reference:
            base, _, row = rows[name]
            start = replace(solution, text=code(base))
            try:
                reference[name] = changed(start, row.changes)
            except AuthoringError as problem:
                raise AuthoringError([f"{lesson}/{task}/{name}: {problem}"]) from problem
        return reference[name]

    answers = [_answer(name, code(name), deserves, row) for name, (_, deserves, row) in rows.items()]
    return Mutants(
        tuple(answer for answer in answers if answer.finds),
        tuple(answer for answer in answers if not answer.finds),
    )


def _answer(name: str, code: str, deserves: str, row: Row) -> Answer:
    words = [word for word in deserves.split(", ") if not re.match("(keeps|costs|passes|$)", word)]
    points = dict(re.findall(r"(keeps|costs) (\d)", deserves))
    output = {field: row.fields.get(field, "") for field in SAID}
    return Answer(
        name,
        code,
        finds=tuple(finding for word in words for finding in FINDINGS[word]),
        keeps=int(points.get("keeps", 0)),
        costs=int(points.get("costs", 0)),
        notebook_passes="passes in the notebook" in deserves,
        **{field: PATTERNS.get(pattern, pattern) for field, pattern in output.items()},
    )


@cache
def solutions(lesson: str) -> dict[str, Solution]:
    """Return the solution of each of a lesson's tasks."""
    source = read_source(ROOT / "source" / lesson / f"{lesson}.py")
    cells = {cell["id"]: cell.source for cell in source.cells}
    return {
        task.id: Solution.from_cell(
            cells[f"{task.id}-answer"], task.name, task.signature, task.kind == "tensor"
        )
        for task in Course.read(ROOT).load(lesson).tasks.values()
    }


def _bare(solution: Solution) -> Solution:
    """Return a solution as learners type it. Of code that they were given, they keep the comments."""
    given = bool(solution.faulty)
    return replace(solution, text=bare(solution.text, given), faulty=bare(solution.faulty, given))


def bare(text: str, comments: bool) -> str:
    """Return code without its docstrings, and with or without its comments."""
    lines = text.splitlines()
    gone = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            gone |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
            gone |= {node.body[0].end_lineno + 1} if lines[node.body[0].end_lineno :][:1] == [""] else set()
    for token in () if comments else tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
            gone |= set() if lines[row - 1] else {row}
    return "\n".join(line for row, line in enumerate(lines, start=1) if row not in gone)
