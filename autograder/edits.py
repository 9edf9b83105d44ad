"""Answers as edits: what is changed in the solution cell's own text to make another answer of it.

No second copy of a solution exists. A wrong answer that leaves out one step says which piece of text goes; an
answer that takes another way replaces one function's body. Edits that touch different places can be made
together, which is how answers with two mistakes come about.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from autograder.problems import AuthoringError

MARK = re.compile(r"^[ \t]*### (?:BEGIN|END) SOLUTION[ \t]*\n?", re.MULTILINE)
REGION = re.compile(
    r"^[ \t]*### BEGIN SOLUTION.*?^([ \t]*)### END SOLUTION[ \t]*\n?", re.MULTILINE | re.DOTALL
)
FAULTY = re.compile(
    r"^[ \t]*### BEGIN FAULTY[^\n]*\n(.*?)^[ \t]*### END FAULTY[ \t]*\n?", re.MULTILINE | re.DOTALL
)


ARROW = re.compile(r"\s*→(\d*)(?:\s+|$)")


@dataclass(frozen=True)
class Span:
    """New text for the characters from `start` up to `end`."""

    start: int
    end: int
    text: str

    def touches(self, other: Span) -> bool:
        """Tell whether two spans cannot both be put in. Two insertions at one place can."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Solution:
    """A solution cell's text without marks, what the task calls its answer, and the bug to find, if any."""

    text: str
    name: str
    signature: str
    is_tensor: bool
    faulty: str = ""

    @classmethod
    def from_cell(cls, source: str, name: str, signature: str, is_tensor: bool) -> Solution:
        """Return the solution in a cell, without its marks and without the code of a bug to find."""
        text = MARK.sub("", FAULTY.sub("", source + "\n")).rstrip("\n")
        return cls(text, name, signature, is_tensor, with_faulty(source + "\n").rstrip("\n"))


@dataclass(frozen=True)
class Edit:
    """Replace a piece of the solution's text."""

    old: str  # what stands in the solution cell, exactly so
    new: str
    places: int = 1  # how many times `old` stands there; all are replaced

    def spans(self, solution: Solution) -> list[Span]:
        """Where the text changes.

        Raises:
            AuthoringError: `old` stands in another number of places.
        """
        found = [match.start() for match in re.finditer(re.escape(self.old), solution.text) if self.old]
        if len(found) != self.places:
            problem = f"expects {self.places} places in the solution; it has {len(found)}"
            raise AuthoringError([f"the edit of {self.old!r} {problem}"])
        return [Span(start, start + len(self.old), self.new) for start in found]


@dataclass(frozen=True)
class Body:
    """Write a function's or method's body anew, below its docstring: that of the only one if unnamed.

    `text` may be indented as you like.
    """

    function: str
    text: str

    def spans(self, solution: Solution) -> list[Span]:
        """Where the body stands.

        Raises:
            AuthoringError: the solution defines no such function, or more than one.
        """
        found = [
            node
            for node in ast.walk(ast.parse(solution.text))
            if isinstance(node, ast.FunctionDef) and self.function in ("", node.name)
        ]
        if len(found) != 1:
            raise AuthoringError(
                [f"the solution has {len(found)} functions called {self.function}; 1 is needed"]
            )
        body = found[0].body
        if ast.get_docstring(found[0], clean=False) is not None and len(body) > 1:
            body = body[1:]
        lines = solution.text.splitlines(keepends=True)
        start = sum(map(len, lines[: body[0].lineno - 1]))
        end = start + len("".join(lines[body[0].lineno - 1 : body[-1].end_lineno]).rstrip("\n"))
        return [Span(start, end, _indented(self.text, " " * body[0].col_offset))]


@dataclass(frozen=True)
class Instead:
    """Write the whole cell anew, where the approach is another one."""

    text: str

    def spans(self, solution: Solution) -> list[Span]:
        """All of the cell."""
        return [Span(0, len(solution.text), _indented(self.text, ""))]


@dataclass(frozen=True)
class Returns:
    """Make the answer one expression: `def signature: return expression`, or `name = expression`."""

    expression: str

    def spans(self, solution: Solution) -> list[Span]:
        """All of the cell."""
        if solution.is_tensor:
            text = f"{solution.name} = {self.expression}"
        else:
            text = f"def {solution.signature}:\n    return {self.expression}"
        return [Span(0, len(solution.text), text)]


@dataclass(frozen=True)
class Before:
    """Put lines before the solution: an import, or a helper."""

    text: str

    def spans(self, solution: Solution) -> list[Span]:
        """Return the place before all text."""
        return [Span(0, 0, _indented(self.text, "") + "\n\n")]


@dataclass(frozen=True)
class Faulty:
    """Leave the code in place that the learner is given to find the bug in."""

    def spans(self, solution: Solution) -> list[Span]:
        """All of the cell.

        Raises:
            AuthoringError: the cell holds no faulty code.
        """
        if not solution.faulty:
            raise AuthoringError(["the cell has no faulty code"])
        return [Span(0, len(solution.text), solution.faulty)]


AnyEdit = Edit | Body | Instead | Returns | Before | Faulty
# As authors write them.
edit, body, instead, returns, before, faulty = Edit, Body, Instead, Returns, Before, Faulty


@dataclass(frozen=True, init=False)
class Wrong:
    """A wrong answer that people really give, as changes to the solution cell's text."""

    fault: str  # the id of the mistake in `faults.py`. Several wrong answers may show one mistake
    changes: tuple[AnyEdit, ...]
    hint: str  # what this task says instead of the mistake's own hint

    def __init__(self, fault: str, *changes: AnyEdit, hint: str = "") -> None:
        object.__setattr__(self, "fault", fault)
        object.__setattr__(self, "changes", changes)
        object.__setattr__(self, "hint", hint)


@dataclass(frozen=True, init=False)
class Right:
    """A different answer that is right as well, as changes to the solution."""

    id: str
    changes: tuple[AnyEdit, ...]

    def __init__(self, id: str, *changes: AnyEdit) -> None:
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "changes", changes)


def table(text: str) -> list[tuple[str, tuple[AnyEdit, ...], str]]:
    """Answers written one below the other, as their names, changes and hints.

    A line `name: old → new` begins an answer. Below it, indented, may stand more such changes, and a hint.
    `→3` says that `old` stands in 3 places. `name: = expression` makes the whole answer that expression;
    `name: faulty` is the code that a learner is given to find the bug in; and `name: body`, or
    `name: body function` where there are several, takes the lines below as a function's new body.

    Raises:
        AuthoringError: a line is none of these.
    """
    answers: list[tuple[str, list[str]]] = []
    for line in textwrap.dedent(text).strip("\n").splitlines():
        name, colon, first = ("", "", "") if line[:1] in " " else line.partition(": ")
        if colon:
            answers.append((name, [first]))
        elif answers and line[:1] in " ":
            answers[-1][1].append(line)
        else:
            raise AuthoringError([f"{line!r} begins no answer: it should be `name: old → new`"])
    return [(name, *_read(lines)) for name, lines in answers]


def wrongs(text: str) -> tuple[Wrong, ...]:
    """Known wrong answers as a table: see `table`."""
    return tuple(Wrong(name, *changes, hint=hint) for name, changes, hint in table(text))


def rights(text: str) -> tuple[Right, ...]:
    """Other right answers as a table: see `table`."""
    return tuple(Right(name, *changes) for name, changes, _ in table(text))


def _read(lines: Sequence[str]) -> tuple[tuple[AnyEdit, ...], str]:
    """Return the changes and the hint that stand in an answer's lines."""
    kind, _, rest = lines[0].partition(" ")
    if kind == "body":
        return (body(rest, "\n".join(lines[1:])),), ""
    changes: list[AnyEdit] = []
    hint = []
    for line in lines:
        parts = ARROW.split(line.strip(), maxsplit=1)
        if len(parts) == 3:
            changes.append(edit(parts[0], parts[2], int(parts[1] or 1)))
        elif line is lines[0] and line == "faulty":
            changes.append(faulty())
        elif line is lines[0] and kind == "=":
            changes.append(returns(rest))
        else:
            hint.append(line.strip())
    if not changes:
        raise AuthoringError([f"{lines[0]!r} changes nothing: it should be `old → new`"])
    return tuple(changes), " ".join(hint)


def faulty_code(source: str) -> str:
    """Return the faulty code that a cell gives the learner to correct, out of its comments; "" for none."""
    region = FAULTY.search(source + "\n")
    return (
        textwrap.dedent(re.sub(r"^([ \t]*)# ?", r"\1", region[1], flags=re.M)).strip("\n") if region else ""
    )


def with_faulty(source: str) -> str:
    """Return an answer cell as a learner gets it who is to find a bug; "" for a cell without faulty code."""
    code, region = faulty_code(source), REGION.search(source)
    if not code or region is None:
        return ""
    return source[: region.start()] + _indented(code, region[1]) + FAULTY.sub("", source[region.end() :])


def changed(solution: Solution, changes: Sequence[AnyEdit]) -> str:
    """Return the solution's text with all changes made.

    Raises:
        AuthoringError: a change does not fit the text, or two of them touch the same place.
    """
    spans = [span for change in changes for span in change.spans(solution)]
    if not fit(spans):
        raise AuthoringError(["two of its edits touch the same place"])
    text = put_in(solution.text, spans)
    if text == solution.text:
        raise AuthoringError(["its edits change nothing"])
    return text


def made_together(
    solution: Solution, answers: Sequence[Sequence[AnyEdit]], in_turn: bool = True
) -> str | None:
    """Return the solution's text with the changes of several answers made; None where they do not fit.

    What cannot be changed at once may be changed in turn: an edit may fit a body written anew.
    """
    spans = [span for changes in answers for change in changes for span in _spans(change, solution)]
    if fit(spans):
        return put_in(solution.text, spans)
    for first, *others in (answers, answers[::-1]) if in_turn else ():
        if all(isinstance(change, Edit) for changes in others for change in changes):
            try:
                text = changed(solution, first)
                for changes in others:
                    text = changed(replace(solution, text=text), changes)
            except AuthoringError:
                continue
            return text
    return None


@lru_cache(maxsize=4096)
def _spans(change: AnyEdit, solution: Solution) -> list[Span]:
    """Where a change is made. Each is made together with every other, so that this is asked many times."""
    return change.spans(solution)


def fit(spans: Iterable[Span]) -> bool:
    """Tell whether spans can all be put in: no two of them touch."""
    ordered = sorted(spans, key=lambda span: (span.start, span.end))
    return not any(one.touches(other) for one, other in pairwise(ordered))


def put_in(text: str, spans: Iterable[Span]) -> str:
    """Return the text with every span's new text in its place."""
    # From the last place to the first, so that no place moves before its turn.
    for span in sorted(spans, key=lambda span: (span.start, span.end), reverse=True):
        text = text[: span.start] + span.text + text[span.end :]
    return text


def _indented(text: str, indent: str) -> str:
    lines = text.expandtabs(4).strip("\n").splitlines()
    margins = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    margin = min(margins, default=0)
    return "\n".join(indent + line[margin:] if line.strip() else "" for line in lines)
