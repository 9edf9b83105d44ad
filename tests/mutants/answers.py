"""Answers as learners type them, written as changes of the solution or of one another.

An answer starts from the solution cell's own text, without its docstrings and comments, or from the text of
another answer of the same task (`base`). Its changes follow it, each after a `|`. They are made one after the
other, and each works on the text that those before it left. A text of several lines goes in by a method.
Where a change does not fit any more, the import stops and names the answer.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from textwrap import dedent, indent
from typing import Protocol, Self

from autograder import edits
from autograder.build.source import read_source
from autograder.cells import is_answer
from autograder.edits import Solution, Span
from autograder.problems import AuthoringError

ROOT = Path(__file__).resolve().parents[2]

# What a learner is told first. A mistake that many people make deserves its name.
NAMED = ("MatchesKnownWrong",)
MISSING = ("NotDefined",)
STUB = ("StillStub",)
NO_FUNCTION = ("NotAFunction",)
RAISED = ("Raised", "NotCalled")  # once its code runs, or before: it does not take what it is given
TYPE = ("WrongType",)
PARAMETERS = ("WrongParameters",)
SHAPE = ("WrongShape",)
DTYPE = ("WrongDtype",)
NOT_FINITE = ("NotFinite",)
VALUES = ("WrongValues",)
RULE = ("BrokenProperty",)
BEHAVIOUR = ("WrongBehaviour",)
GIVENS = ("GivensChanged",)
FORBIDDEN = ("CallsForbidden",)
NOT_COMPUTED = ("NotComputed",)
NOT_REFUSED = ("NotRefused",)

# Words that a message must have, and words that would lead the learner astray.
CALL_IT = r"parenthes|bracket|\(\)|\bcall"
TYPED_IN = r"typed|copied|copy|not computed"
WRONG_NAME = r"is that the one"
NOT_ITS_ARGUMENT = r"from the notebook|Use the argument"
SAME_DIGITS = r" is (\S+)(?: on [^;.]*?)? and should be \1\."
SAME_TWICE = r" is (\S+)(?: on [^;.]*?)? and should be \1\.(?:\s|$)"


class Change(Protocol):
    """What is done to an answer's text."""

    def spans(self, solution: Solution) -> list[Span]: ...


@dataclass(frozen=True)
class Lines:
    """Other lines for those from the one that holds `first` to the one that holds `last`.

    `keep` says whether those stay, "above" or "below" the new ones. New lines are indented like the first.
    """

    first: str
    last: str
    new: tuple[str, ...]
    keep: str = ""

    def spans(self, solution: Solution) -> list[Span]:
        """Where the lines stand, or the place before or after them."""
        text = solution.text
        start, end = text.rfind("\n", 0, _place(text, self.first)) + 1, _end_of_line(text, self.last)
        margin = re.match(" *", text[start:])[0]
        new = [margin + line if line else "" for line in self.new]
        if self.keep == "above":
            return [Span(end, end, "".join("\n" + line for line in new))]
        if self.keep == "below":
            return [Span(start, start, "".join(line + "\n" for line in new))]
        if new:
            return [Span(start, end, "\n".join(new))]
        return [Span(start, end + 1, "")] if end < len(text) else [Span(max(start - 1, 0), end, "")]


@dataclass(frozen=True)
class Rename:
    """Another word for a word, wherever it stands."""

    old: str
    new: str

    def spans(self, solution: Solution) -> list[Span]:
        """Every place of the word."""
        return [Span(*found.span(), self.new) for found in re.finditer(rf"\b{self.old}\b", solution.text)]


@dataclass(frozen=True)
class Define:
    """A function or method written anew, from its `def` on."""

    text: str

    def spans(self, solution: Solution) -> list[Span]:
        """Where the function of that name stands."""
        new = dedent(self.text).strip("\n")
        name = re.search(r"def (\w+)", new)[1]
        old = _only_function(solution.text, name)
        lines = solution.text.splitlines(keepends=True)
        start, end = (sum(map(len, lines[:count])) for count in (old.lineno - 1, old.end_lineno))
        return [Span(start, end, indent(new, " " * old.col_offset) + "\n" * (end < len(solution.text)))]


@dataclass(frozen=True)
class Typed:
    """All of the cell. The text keeps its tabs, unlike that of `instead`."""

    text: str

    def spans(self, solution: Solution) -> list[Span]:
        """The whole text."""
        return [Span(0, len(solution.text), dedent(self.text).strip("\n"))]


@dataclass(frozen=True)
class Answer:
    """What a learner typed, as changes.

    Attributes:
        name: what is particular about it, in words that make a test's id.
        xfail: why its test fails at present, for a fault that has been reported and not yet mended.
        base: "solution", "faulty" (the code in which the learner is to find the bug), or the name of another
            answer of the same task.
        changes: what is done to the base's text, one after the other.
        code: the answer cell's text, once the answer is held against its task.
    """

    name: str
    xfail: str = field(default="", kw_only=True)
    base: str = field(default="solution", kw_only=True)
    changes: tuple[Change, ...] = field(default=(), kw_only=True)
    code: str = field(default="", kw_only=True)

    def __or__(self, change: Change) -> Self:
        return replace(self, changes=(*self.changes, change))

    def typed(self, text: str) -> Self:
        """Write the whole cell, where the approach is another one or the words are."""
        return self | typed(text)

    def body(self, text: str) -> Self:
        """Write the body of the only function anew."""
        return self | body(text)

    def define(self, text: str) -> Self:
        """Write a function or method anew, from its `def` on."""
        return self | Define(text)


# These are told of in `autograder.edits`: a piece of text, a first line, all of the answer as one expression.
edit, before, returns = edits.edit, edits.before, edits.returns
rename = Rename


def line(piece: str, *new: str) -> Change:
    """Write other lines for the one that holds this piece, which stands nowhere else."""
    return Lines(piece, piece, new)


def lines(first: str, last: str, *new: str) -> Change:
    """Write other lines for those from the one that holds `first` to the one that holds `last`."""
    return Lines(first, last, new)


def without(first: str, last: str = "") -> Change:
    """Leave out the line that holds `first`, and those after it to the one that holds `last`."""
    return Lines(first, last or first, ())


def above(piece: str, *new: str) -> Change:
    """Put lines above the one that holds this piece."""
    return Lines(piece, piece, new, keep="below")


def below(piece: str, *new: str) -> Change:
    """Put lines below the one that holds this piece."""
    return Lines(piece, piece, new, keep="above")


def body(*new: str) -> Change:
    """Write the body of the only function anew: its lines, or one text that holds them."""
    return edits.body("", dedent("\n".join(new)))


def typed(*new: str) -> Change:
    """Write the whole cell: its lines, or one text that holds them."""
    return Typed("\n".join(new))


@dataclass(frozen=True)
class Wrong(Answer):
    """A wrong answer and what its author deserves to read.

    Attributes:
        finds: class names from `autograder.findings`; one of them must be what the learner is told first.
        keeps: points that the part of it that is right still earns.
        notebook_passes: it is right for the lesson's own givens, so that only grading can tell. The learner's
            notebook accepts it.
        says: a pattern that the message must have.
        never: a pattern that would lead the learner astray.
    """

    finds: tuple[str, ...]
    keeps: int = 0
    notebook_passes: bool = False
    says: str = ""
    never: str = ""


@dataclass(frozen=True)
class Right(Answer):
    """A right answer by another route than the solution's.

    Attributes:
        costs: points that it loses, because it makes a call that the task forbids.
    """

    costs: int = 0


@dataclass(frozen=True)
class Mutants:
    """The answers held against one task."""

    wrong: tuple[Wrong, ...]
    right: tuple[Right, ...]


class Tasks(dict[str, Mutants]):
    """A lesson's answers by task, in the lesson's order."""

    def __init__(self, lesson: str) -> None:
        super().__init__()
        self.lesson = lesson

    def hold(self, task: str, *answers: Wrong | Right) -> None:
        """Hold answers against a task: work out their text.

        Raises:
            AuthoringError: a base is unknown or rests on itself, or a change does not fit its text.
        """
        texts = Texts(self.lesson, task, answers)
        found = [replace(answer, code=texts.of(answer)) for answer in answers]
        self[task] = Mutants(
            tuple(answer for answer in found if isinstance(answer, Wrong)),
            tuple(answer for answer in found if isinstance(answer, Right)),
        )


class Texts:
    """The texts of one task's answers, each worked out once."""

    def __init__(self, lesson: str, task: str, answers: tuple[Wrong | Right, ...]) -> None:
        self.where = f"{lesson}/{task}"
        self.solution = solutions(lesson)[task]
        self.answers = {answer.name: answer for answer in answers}
        given = bool(self.solution.faulty)  # of code that they were given, learners keep the comments
        self.known = {
            "solution": bare(self.solution.text, comments=given),
            "faulty": bare(self.solution.faulty, comments=given),
        }

    def of(self, answer: Answer) -> str:
        """An answer's text."""
        try:
            text = self._named(answer.base)
            for change in answer.changes:
                if isinstance(change, edits.Body):
                    change = replace(change, function=_only_function(text).name)
                spans = change.spans(replace(self.solution, text=text))
                if not spans:
                    raise AuthoringError([f"{change} changes nothing"])
                text = edits.put_in(text, spans)
        except (AuthoringError, RecursionError) as problem:
            raise AuthoringError([f"{self.where}/{answer.name}: {problem}"]) from problem
        return text

    def _named(self, name: str) -> str:
        if name not in self.known:
            if name not in self.answers:
                raise AuthoringError([f"there is no answer called {name}"])
            self.known[name] = self.of(self.answers[name])
        return self.known[name]


@cache
def solutions(lesson: str) -> dict[str, Solution]:
    """The solution of each of a lesson's tasks."""
    cells = read_source(ROOT / "source" / lesson / f"{lesson}.py").cells
    return {
        cell["id"].removesuffix("-answer"): _solution(cell.source)
        for cell in cells
        if cell.cell_type == "code" and is_answer(cell)
    }


def _solution(source: str) -> Solution:
    """The solution in a cell, with the function's signature or the tensor's name as the cell has them."""
    text = Solution.from_cell(source, "", "", True).text
    signature = re.search(r"^def (.*):$", text, re.MULTILINE)
    names = [
        target.id
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    return Solution.from_cell(
        source, names[-1] if names else "", signature[1] if signature else "", is_tensor=signature is None
    )


def bare(text: str, comments: bool) -> str:
    """Code without its docstrings, and with or without its comments, as a learner has it."""
    lines = text.splitlines()
    gone = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            gone |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
            gone |= {node.body[0].end_lineno + 1} if lines[node.body[0].end_lineno :][:1] == [""] else set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not comments:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
            gone |= set() if lines[row - 1] else {row}
    return "\n".join(line for row, line in enumerate(lines, start=1) if row not in gone)


def _only_function(text: str, name: str = "") -> ast.FunctionDef:
    """The one function of that name, or of all names."""
    nodes = ast.walk(ast.parse(text))
    found = [node for node in nodes if isinstance(node, ast.FunctionDef) and name in ("", node.name)]
    if len(found) != 1:
        raise AuthoringError([f"there are {len(found)} functions {name}; 1 is needed"])
    return found[0]


def _place(text: str, piece: str) -> int:
    if text.count(piece) != 1:
        raise AuthoringError([f"{piece!r} stands in {text.count(piece)} places of the text; 1 is needed"])
    return text.index(piece)


def _end_of_line(text: str, piece: str) -> int:
    end = text.find("\n", _place(text, piece))
    return len(text) if end < 0 else end
